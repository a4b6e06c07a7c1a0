# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""SensorData traces, opened by other tools: all that OSI asks for is there, and true."""

import re

import numpy as np
import osi_utilities
import pytest
from google.protobuf.message import Message
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from osi3.osi_featuredata_pb2 import SensorDetectionHeader
from osi3.osi_sensordata_pb2 import SensorData

from tests.interop.pcd_readers import read_with_pypcd4
from tests.interop.run import (
    HOST_ID,
    SENSORS,
    SMALL_ID,
    TRACE_READERS,
    WIDE_ID,
    make_run,
    read_with_osi3,
)

NO_OBJECT = 2**64 - 1
OSI_RELEASE = (3, 8, 0)
# x = r * d in float32: d < 1 is rounded by at most 2**-25, the product by at most 2**-24 of itself.
FLOAT32_ROUNDING = 2**-25 + 2**-24


def nanoseconds(stamp):
    return stamp.seconds * 10**9 + stamp.nanos


def column(detections, get):
    return np.array([get(detection) for detection in detections])


def assert_is_set(message: Message, *names: str) -> None:
    """Check that fields are on the wire, not only at their default values."""
    for name in names:
        assert message.HasField(name), f"{message.DESCRIPTOR.name}.{name} is not set"


def assert_mounting(message, mounting):
    """Check a MountingPosition against an entry of the configuration."""
    assert_is_set(message, "position", "orientation")
    for axis in "xyz":
        assert getattr(message.position, axis) == mounting.get(f"{axis}_m", 0.0)
    for angle in ("roll", "pitch", "yaw"):
        expected = np.radians(mounting.get(f"{angle}_deg", 0.0))
        assert getattr(message.orientation, angle) == pytest.approx(expected, abs=1e-15)


def assert_complete(message: SensorData, time_ns: int) -> None:
    """Check the message outside of its detections."""
    assert_is_set(
        message, "version", "timestamp", "sensor_id", "mounting_position", "last_measurement_time"
    )
    version = message.version
    assert_is_set(version, "version_major", "version_minor", "version_patch")
    got = (version.version_major, version.version_minor, version.version_patch)
    assert got == OSI_RELEASE
    assert_is_set(message.timestamp, "seconds", "nanos")
    assert_is_set(message.sensor_id, "value")
    assert nanoseconds(message.last_measurement_time) == time_ns
    assert len(message.feature_data.lidar_sensor) == len(SENSORS)
    for number, lidar in enumerate(message.feature_data.lidar_sensor):
        header = lidar.header
        assert_is_set(header, "measurement_time", "cycle_counter", "mounting_position", "sensor_id")
        assert_is_set(header, "data_qualifier", "number_of_valid_detections")
        assert header.sensor_id.value == number
        assert header.data_qualifier == SensorDetectionHeader.DATA_QUALIFIER_AVAILABLE
        assert header.number_of_valid_detections == len(lidar.detection)
        assert_mounting(header.mounting_position, SENSORS[number]["mounting"])
        # measurement_time <= last_measurement_time <= timestamp
        assert nanoseconds(header.measurement_time) <= nanoseconds(message.last_measurement_time)
        assert nanoseconds(message.last_measurement_time) <= nanoseconds(message.timestamp)


def assert_detections(lidar, n_beams: int, object_ids: set[int]) -> None:
    """Check every detection of a sensor on its own."""
    for detection in lidar.detection:
        assert_is_set(detection, "existence_probability", "object_id", "position", "intensity")
        assert_is_set(detection, "reflectivity", "beam_id")
        assert_is_set(detection.position, "distance", "azimuth", "elevation")
        assert not detection.HasField("classification")
    detections = lidar.detection
    assert set(column(detections, lambda d: d.existence_probability)) == {1.0}
    intensity = column(detections, lambda d: d.intensity)
    assert ((intensity > 0.0) & (intensity <= 100.0)).all()
    assert (column(detections, lambda d: d.reflectivity) > 0.0).all()
    assert {d.object_id.value for d in detections} <= {*object_ids, NO_OBJECT}
    beam = column(detections, lambda d: d.beam_id.value)
    assert (np.diff(beam) > 0).all()  # the order of beams, none twice
    assert beam.max() < n_beams


def assert_equals_cloud(detections, cloud) -> None:
    """Check detections against the rows of the PCD file of the same scan, elevation up."""
    assert len(detections) == len(cloud["x"])
    distance = column(detections, lambda d: d.position.distance)
    azimuth = column(detections, lambda d: d.position.azimuth)
    elevation = column(detections, lambda d: d.position.elevation)
    xyz = {
        "x": distance * np.cos(elevation) * np.cos(azimuth),
        "y": distance * np.cos(elevation) * np.sin(azimuth),
        "z": distance * np.sin(elevation),
    }
    for axis, expected in xyz.items():
        assert (np.abs(cloud[axis] - expected) <= FLOAT32_ROUNDING * distance).all()
    np.testing.assert_array_equal(distance, cloud["range"])
    np.testing.assert_array_equal(column(detections, lambda d: d.intensity), cloud["intensity"])
    reflectivity = column(detections, lambda d: d.reflectivity)
    np.testing.assert_array_equal(reflectivity, cloud["reflectivity"])
    largest = np.iinfo(cloud["object_id"].dtype).max
    ids = [NO_OBJECT if i == largest else int(i) for i in cloud["object_id"]]
    assert [detection.object_id.value for detection in detections] == ids


def assert_run(run, object_ids):
    """Check every message of a run, and its detections against the PCD files."""
    messages = read_with_osi3(run.sensor_data)
    rows = run.rows()
    assert len(messages) * len(SENSORS) == len(rows)
    for message, step in zip(messages, run.steps, strict=True):
        assert message.SerializeToString(deterministic=True) == step.sensor_data
        assert_complete(message, step.time_ns)
        for number, lidar in enumerate(message.feature_data.lidar_sensor):
            row = rows.pop(0)
            assert (int(row["frame"]), row["sensor"]) == (step.index, SENSORS[number]["name"])
            assert nanoseconds(lidar.header.measurement_time) == int(row["time_ns"])
            assert_detections(lidar, run.model.lidars[number].pattern.n_beams, object_ids)
            assert_equals_cloud(lidar.detection, read_with_pypcd4(run.folder / row["file"]))
    return messages


@pytest.mark.parametrize(
    ("encoding", "other_id"),
    [("binary", WIDE_ID), ("binary_compressed", SMALL_ID), ("ascii", SMALL_ID)],
)
def test_two_cars_give_complete_messages_that_equal_the_clouds(runs, encoding, other_id):
    messages = assert_run(runs[encoding], {HOST_ID, other_id})
    assert len(messages) == 5
    for index, message in enumerate(messages):
        assert nanoseconds(message.timestamp) == 1_000_000_000 + 100_000_000 * index
        assert message.sensor_id.value == 4  # the virtual sensor's id and pose, as received
        assert message.mounting_position.position.x == 1.5
        assert message.mounting_position.position.z == 0.5
        seen = {d.object_id.value for d in message.feature_data.lidar_sensor[0].detection}
        assert seen == {other_id, NO_OBJECT}
    cycles = [message.feature_data.lidar_sensor[1].header.cycle_counter for message in messages]
    assert cycles == [0, 1, 2, 3, 4]
    still, again = (messages[k].feature_data.lidar_sensor[0].detection for k in (2, 3))
    assert list(still) == list(again)


def test_positive_elevation_is_up(runs):
    """The lorry is 4 m high and stands 2 m above the roof sensor's 2.25 m; the ground is below."""
    (message, *_) = read_with_osi3(runs["binary"].sensor_data)
    detections = message.feature_data.lidar_sensor[0].detection
    lorry, ground = (
        [d.position.elevation for d in detections if d.object_id.value == object_id]
        for object_id in (WIDE_ID, NO_OBJECT)
    )
    assert max(lorry) > 0.0
    assert min(lorry) < 0.0
    assert max(ground) < 0.0


@pytest.mark.parametrize("encoding", ["binary", "binary_compressed"], ids=["osi", "mcap"])
@pytest.mark.parametrize("reader", TRACE_READERS)
def test_other_readers_give_the_same_messages(runs, encoding, reader):
    run = runs[encoding]
    assert run.sensor_data.suffix == {"binary": ".osi", "binary_compressed": ".mcap"}[encoding]
    messages = TRACE_READERS[reader](run.sensor_data)
    got = [message.SerializeToString(deterministic=True) for message in messages]
    assert got == [step.sensor_data for step in run.steps]


def test_an_mcap_trace_explains_itself_to_a_reader_without_osi(runs):
    """Its schema is enough to decode it; times and metadata are as OSI's rule for MCAP wants."""
    run = runs["binary_compressed"]
    with run.sensor_data.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        metadata = {entry.name: entry.metadata for entry in reader.iter_metadata()}
        decoded = list(reader.iter_decoded_messages())
    assert summary.chunk_indexes
    assert metadata["net.asam.osi.trace"]["version"] == "3.8.0"
    for (schema, channel, record, message), step in zip(decoded, run.steps, strict=True):
        assert (schema.name, schema.encoding) == ("osi3.SensorData", "protobuf")
        assert channel.message_encoding == "protobuf"
        assert channel.metadata["net.asam.osi.trace.channel.osi_version"] == "3.8.0"
        assert "net.asam.osi.trace.channel.protobuf_version" in channel.metadata
        assert record.log_time == record.publish_time == step.time_ns
        assert message.SerializeToString(deterministic=True) == step.sensor_data


def test_the_traces_name_is_understood_by_asam_osi_utilities(runs):
    path = runs["binary"].sensor_data
    parsed = osi_utilities.parse_osi_trace_filename(path.name)
    assert parsed["message_type"] == osi_utilities.MessageType.SENSOR_DATA
    assert (parsed["osi_version"], parsed["number_of_frames"]) == ("380", 5)
    assert re.fullmatch(r"\d+", parsed["protobuf_version"])


@pytest.mark.parametrize(("pcd", "sensor_data"), [("binary", "osi"), ("ascii", "mcap")])
def test_a_real_trace_gives_complete_messages_that_equal_the_clouds(
    real_data, tmp_path, pcd, sensor_data
):
    """Two cars, ids 0 and 1, of which 0 carries the sensors; no version, no mounting position."""
    (trace,) = (real_data / "osi" / "openmaterial3d").glob("20250320T135754Z_sv_*.osi")
    frames = slice(20, 40, 10)
    run = make_run(tmp_path, trace, pcd=pcd, sensor_data=sensor_data, frames=frames)
    messages = assert_run(run, {0, 1})
    assert [message.version.version_minor for message in messages] == [8, 8]
    for reader in TRACE_READERS.values():
        assert reader(run.sensor_data) == messages
    assert 1 in {d.object_id.value for d in messages[0].feature_data.lidar_sensor[0].detection}
