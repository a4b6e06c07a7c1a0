# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packets of Hesai and Velodyne sensors, in captures and bags written here."""

from pathlib import Path

import numpy as np
import pytest

from lidar_gap.reading import read_clouds
from lidar_gap.reading.columns import number_echoes
from osi_lidar.errors import InputError
from tests.builders.extras import needs
from tests.builders.packets import N_TURN, capture, correction, hesai_packets, velodyne_packets
from tests.builders.ros_bags import database, ros_types

pytestmark = needs("dpkt", "velodyne_decoder")


@pytest.mark.parametrize(
    ("start", "n_block", "n_laser", "spare"),
    [
        (b"\xee\xff\x40\x06\x00\x04\x02\x00", 6, 64, b""),  # Pandar64
        (b"", 10, 40, b""),  # Pandar40P
        (b"\xee\xff\x06\x01\x00\x00\x20\x08\x00\x04\x02\x00", 8, 32, b"\0"),  # XT32
        (b"\xee\xff\x06\x01\x00\x00\x10\x08\x00\x04\x02\x00", 8, 16, b"\0"),  # XT16
        (b"\xee\xff\x03\x02\x00\x00\x80\x02\x00\x04\x02\x00", 2, 128, b"\0"),  # QT128
    ],
)
def test_hesai_packets_are_decoded(
    tmp_path: Path, start: bytes, n_block: int, n_laser: int, spare: bytes
) -> None:
    packets = hesai_packets(start, n_block, n_laser, spare)
    path = capture(tmp_path / "a.pcap", packets)
    table = correction(tmp_path / "angles.csv", n_laser) if n_laser < 90 else None
    if table is None:
        table = tmp_path / "angles.csv"
        lines = "".join(f"{k + 1},{(60 - k) / 2},{0.5}\n" for k in range(n_laser))
        table.write_text("Channel,Elevation,Azimuth\n" + lines)
    (cloud,) = read_clouds(path, metadata=table)
    # the even lasers have two echoes, the odd ones one
    assert len(cloud) == N_TURN * (n_laser + n_laser // 2)
    for column in (cloud.ring, cloud.column, cloud.echo, cloud.n_echoes, cloud.azimuth_deg):
        assert column is not None
    first = (cloud.column == 90) & (cloud.ring == 1)
    np.testing.assert_allclose(cloud.range_m[first], [8.0, 4.0])  # 2000 and 1000 units of 4 mm
    assert cloud.echo[first].tolist() == [1, 0]
    assert cloud.n_echoes[first].tolist() == [2, 2]
    single = (cloud.column == 90) & (cloud.ring == 2)
    np.testing.assert_allclose(cloud.range_m[single], [1001 * 0.004])
    # at an azimuth of 90 deg, clockwise from forward, the head looks to the right
    np.testing.assert_allclose(cloud.azimuth_deg[single], -90.0)
    x, y, _ = cloud.points_m[single][0]
    assert np.degrees(np.arctan2(y, x)) == pytest.approx(-90.5)


def test_hesai_needs_the_angles_of_its_own_sensor(tmp_path: Path) -> None:
    start = b"\xee\xff\x06\x01\x00\x00\x20\x08\x00\x04\x02\x00"
    path = capture(tmp_path / "a.pcap", hesai_packets(start, 8, 32, b"\0"))
    with pytest.raises(InputError, match="angle correction"):
        read_clouds(path)
    with pytest.raises(InputError, match="got 16 lasers"):
        read_clouds(path, metadata=correction(tmp_path / "angles.csv", 16))


def test_velodyne_capture_is_cut_into_turns(tmp_path: Path) -> None:
    clouds = read_clouds(capture(tmp_path / "a.pcap", velodyne_packets(2)))
    assert len(clouds) == 2
    for cloud in clouds:
        assert cloud.ring is not None
        assert cloud.column is not None
        assert set(cloud.ring.tolist()) == set(range(16))
        assert abs(int(cloud.column.max()) - 1799) <= 2
        np.testing.assert_allclose(cloud.range_m, 5.0, atol=0.02)


def test_bag_without_metadata_is_read(tmp_path: Path) -> None:
    pytest.importorskip("rosbags")
    types = ros_types()
    kinds = {name: types.types[name] for name in types.types}
    stamp = kinds["builtin_interfaces/msg/Time"](sec=1, nanosec=0)
    header = kinds["std_msgs/msg/Header"](stamp=stamp, frame_id="a")
    packet = kinds["velodyne_msgs/msg/VelodynePacket"]
    scan = kinds["velodyne_msgs/msg/VelodyneScan"](
        header=header,
        packets=[
            packet(stamp=stamp, data=np.frombuffer(each, np.uint8)) for each in velodyne_packets(1)
        ],
    )
    raw = types.serialize_cdr(scan, "velodyne_msgs/msg/VelodyneScan")
    path = tmp_path / "a.db3"
    database(path, "/packets", "velodyne_msgs/msg/VelodyneScan", [(5, bytes(raw))])
    (cloud,) = read_clouds(path)
    np.testing.assert_allclose(cloud.range_m, 5.0, atol=0.02)


def test_echoes_of_a_beam_are_numbered_from_the_nearest() -> None:
    beam = np.array([5, 5, 2, 2, 9])
    range_m = np.array([7.0, 3.0, 4.0, 4.0, 1.0])
    kept, echo, n_echoes = number_echoes(beam, range_m)
    assert kept.tolist() == [True, True, True, False, True]
    assert echo[kept].tolist() == [1, 0, 0, 0]
    assert n_echoes[kept].tolist() == [2, 2, 1, 1]
