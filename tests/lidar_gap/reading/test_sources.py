# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of several sensors: they are listed, one is chosen, and they are never mixed."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lidar_app.show.info import describe
from lidar_gap.reading import file_columns, read_clouds, recording_sources
from lidar_gap.reading.captures import read_capture
from lidar_gap.reading.sources import RecordedSource, chosen_source
from osi_bridge import ViewerFile, point_cloud
from osi_lidar.errors import InputError
from tests.builders.extras import needs
from tests.builders.packets import capture, correction, hesai_packets, velodyne_packets
from tests.builders.refusals import one_line
from tests.builders.ros_bags import CLOUD, cloud_message, database, ros_mcap

NEAR, FAR = "1.1.1.1:2368", "1.1.1.2:2369"
XT16 = b"\xee\xff\x06\x01\x00\x00\x10\x08\x00\x04\x02\x00"


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Return a capture of a sensor that sees 5 m, of one that sees 20 m, and of a clock."""
    clock = [bytes(512)] * 3
    return capture(tmp_path / "two.pcap", velodyne_packets(2), velodyne_packets(2, 20.0), clock)


@needs("dpkt", "velodyne_decoder")
def test_two_sensors_of_a_capture_are_listed_and_not_mixed(two: Path) -> None:
    with one_line(InputError, f"{two}: has 2 sources", "--source", NEAR, FAR, "Velodyne VLP-16"):
        read_clouds(two)


@needs("dpkt", "velodyne_decoder")
@pytest.mark.parametrize(
    ("word", "range_m"), [(NEAR, 5.0), ("1.1.1.1", 5.0), (FAR, 20.0), ("1.1.1.2", 20.0)]
)
def test_a_sender_is_chosen_by_its_address(two: Path, word: str, range_m: float) -> None:
    clouds = read_clouds(two, source=word)
    assert len(clouds) == 2
    for cloud in clouds:
        np.testing.assert_allclose(cloud.range_m, range_m, atol=0.02)
        assert cloud.n_echoes is not None
        assert set(cloud.n_echoes.tolist()) == {1}


@needs("dpkt", "velodyne_decoder")
def test_what_is_no_sender_is_refused_with_those_there_are(two: Path) -> None:
    with one_line(InputError, "no source '9.9.9.9'", NEAR, FAR):
        read_clouds(two, source="9.9.9.9")


@needs("dpkt")
def test_senders_behind_one_relay_differ_in_the_port_that_they_send_to(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    capture(path, velodyne_packets(1), velodyne_packets(1, 20.0), sent_from=("127.0.0.1", 9))
    assert [each.name for each in read_capture(path).sources] == [
        "127.0.0.1:9>2368",
        "127.0.0.1:9>2369",
    ]
    with one_line(InputError, "has 2 sources with the name '127.0.0.1'"):
        read_clouds(path, source="127.0.0.1")


@needs("dpkt", "velodyne_decoder")
def test_sensors_of_two_makers_are_not_mixed(tmp_path: Path) -> None:
    path = capture(tmp_path / "a.pcap", velodyne_packets(1), hesai_packets(XT16, 8, 16, b"\0"))
    with one_line(InputError, "Velodyne VLP-16", "Hesai, 16 lasers"):
        read_clouds(path)
    angles = correction(tmp_path / "angles.csv", 16)
    (cloud,) = read_clouds(path, metadata=angles, source=FAR)
    assert cloud.range_m.max() > 7.0


@needs("dpkt", "velodyne_decoder")
def test_packets_of_unknown_size_are_listed_with_the_clouds(tmp_path: Path) -> None:
    packets = velodyne_packets(2)
    packets[3:3] = [bytes(512)] * 2
    first, second = read_clouds(capture(tmp_path / "a.pcap", packets))
    (unknown,) = first.not_followed
    assert str(unknown) == "packets of 512 bytes (2 times, first at packet 3)"
    assert second.not_followed == ()


@needs("dpkt")
def test_packets_of_unknown_senders_are_listed(two: Path) -> None:
    found = describe(two)
    assert [each["source"] for each in found.lists["sources"]] == [NEAR, FAR, "1.1.1.3:2370"]
    (unknown,) = found.lists["not_followed"]
    assert unknown["what"] == "packets of 1.1.1.3:2370: unknown, 512 bytes"
    assert unknown["times"] == 3


def rows(x_m: float) -> np.ndarray:
    found = np.zeros(1, [(axis, "<f4") for axis in "xyz"])
    found["x"] = x_m
    return found


@needs("rosbags")
@pytest.mark.parametrize("suffix", [".db3", ".mcap"])
def test_two_topics_of_a_bag_are_listed_and_chosen(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    messages = {"/front": [(0, cloud_message(rows(1.0)))], "/rear": [(1, cloud_message(rows(2.0)))]}
    if suffix == ".mcap":
        ros_mcap(path, messages)
    else:
        for topic, raw in messages.items():
            database(path, topic, CLOUD, raw)
    with one_line(InputError, "has 2 sources", "/front", "/rear", "--source"):
        read_clouds(path)
    for word in ("/rear", "rear"):
        (cloud,) = read_clouds(path, source=word)
        assert cloud.range_m.tolist() == [2.0]
    assert [each.name for each in recording_sources(path)] == ["/front", "/rear"]
    with one_line(InputError, "no source '/left'", "/front"):
        read_clouds(path, source="/left")


@needs("rosbags")
def test_topics_of_other_kinds_are_listed_as_not_followed(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db3", "/points", CLOUD, [(0, cloud_message(rows(1.0)))])
    database(path, "/imu", "sensor_msgs/msg/Imu", [])
    (unknown,) = describe(path).lists["not_followed"]
    assert unknown["what"] == "packets of /imu: sensor_msgs/msg/Imu"
    assert len(read_clouds(path)) == 1


@needs("foxglove_schemas_protobuf")
def test_clouds_for_viewers_are_chosen_by_topic_or_sensor(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with path.open("wb") as stream:
        file = ViewerFile(stream, "clouds")
        for number, topic in enumerate(("/front/points", "/left/points")):
            file.write(topic, point_cloud(rows(1.0 + number), frame="a", time_ns=0), 0)
        file.finish()
    for word in ("/left/points", "left"):
        (cloud,) = read_clouds(path, source=word)
        assert cloud.range_m.tolist() == [2.0]


def test_sensors_are_chosen_by_serial_number_or_index(tmp_path: Path) -> None:
    sensors = [
        RecordedSource("122201", "Ouster OS-1-128", also=("0",)),
        RecordedSource("992210", "Ouster OS-0-32", also=("1",)),
    ]
    assert chosen_source(tmp_path, sensors, "992210") == 1
    assert chosen_source(tmp_path, sensors, "0") == 0
    assert chosen_source(tmp_path, sensors[:1], None) == 0
    with one_line(InputError, "122201 (Ouster OS-1-128); 992210 (Ouster OS-0-32)"):
        chosen_source(tmp_path, sensors, None)


def test_a_file_of_one_cloud_has_no_choice(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((3, 3)))
    with one_line(InputError, "has a single source; leave out"):
        read_clouds(tmp_path / "a.npy", source="1.1.1.1")


@needs("dpkt")
def test_senders_of_packets_of_one_size_are_twins(tmp_path: Path) -> None:
    lidar, other, imu = [bytes(6464)] * 4, [bytes(6464)] * 2, [bytes(48)] * 9
    found = read_capture(capture(tmp_path / "a.pcap", lidar, other, imu))
    assert [each.name for each in found.twins()] == [NEAR, FAR]
    assert read_capture(capture(tmp_path / "b.pcap", lidar, imu)).twins() == []


@pytest.mark.parametrize("read", [recording_sources, file_columns, read_clouds])
@pytest.mark.parametrize("name", ["a.mcap", "a.pcap", "a.npy"])
def test_an_absent_file_is_refused_in_one_line(
    tmp_path: Path, read: Callable[[Path], object], name: str
) -> None:
    with one_line(InputError, f"{name}: no such file or folder"):
        read(tmp_path / name)


def test_absent_metadata_of_a_recording_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.osf").write_bytes(b"x")
    with one_line(InputError, "a.json: no such file"):
        recording_sources(tmp_path / "a.osf", metadata=tmp_path / "a.json")
