# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Detections out: the bytes equal those that protobuf itself writes."""

import dataclasses
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from osi3.osi_featuredata_pb2 import LidarDetection, LidarDetectionData, SensorDetectionHeader
from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge import (
    NO_OBJECT,
    OSI_VERSION,
    Detections,
    LidarBlock,
    MountingPosition,
    encode_detections,
    encode_sensor_data,
    qualifier_of,
)
from osi_bridge.errors import MissingTimestamp
from tests.builders.refusals import one_line
from tests.builders.strategies import OBJECT_IDS
from tests.builders.threads import kernel_threads

# Where a varint grows by a byte: 2**7, 2**14 .. 2**63.
VARINT_EDGES = [2 ** (7 * n) + d for n in range(1, 10) for d in (-1, 0)]
ID = st.one_of(st.sampled_from([0, 1, NO_OBJECT, *VARINT_EDGES]), OBJECT_IDS)
N_BEAMS = 2**21 + 1  # up to where a beam's varint takes four bytes
AZIMUTH_RAD = np.random.default_rng(2).uniform(-np.pi, np.pi, N_BEAMS)
ELEVATION_RAD = np.random.default_rng(3).uniform(-1.5, 1.5, N_BEAMS)
BEAM = st.one_of(
    st.sampled_from([0, *(e for e in VARINT_EDGES if e < N_BEAMS)]),
    st.integers(0, N_BEAMS - 1),
)
F32 = st.floats(width=32)


def detections(rows):
    beam, distance, intensity, reflectivity, object_id = (
        zip(*rows, strict=True) if rows else ((),) * 5
    )
    return Detections(
        beam_index=np.array(beam, np.uint32),
        range_m=np.array(distance, np.float32),
        intensity_percent=np.array(intensity, np.float32),
        reflectivity=np.array(reflectivity, np.float32),
        object_id=np.array(object_id, np.uint64),
    )


def random_detections(n, seed=1):
    rng = np.random.default_rng(seed)
    record = Detections(
        beam_index=rng.permutation(2 * n).astype(np.uint32)[:n],
        range_m=rng.uniform(1, 100, n).astype(np.float32),
        intensity_percent=rng.uniform(0, 100, n).astype(np.float32),
        reflectivity=rng.uniform(0, 1.5, n).astype(np.float32),
        object_id=rng.choice(np.array([0, 7, 300, 2**20, NO_OBJECT], np.uint64), n),
    )
    return record, rng.uniform(-3, 3, 2 * n), rng.uniform(-0.5, 0.5, 2 * n)


def by_object_api(record, azimuth_rad, elevation_rad):
    message = LidarDetectionData()
    for i in range(len(record)):
        point = message.detection.add()
        point.existence_probability = 1.0
        point.object_id.value = int(record.object_id[i])
        point.position.distance = float(record.range_m[i])
        point.position.azimuth = float(azimuth_rad[record.beam_index[i]])
        point.position.elevation = float(elevation_rad[record.beam_index[i]])
        point.intensity = float(record.intensity_percent[i])
        point.reflectivity = float(record.reflectivity[i])
        point.beam_id.value = int(record.beam_index[i])
    return message


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.tuples(BEAM, F32, F32, F32, ID), max_size=6))
def test_detections_are_byte_identical_to_protobufs(rows):
    record = detections(rows)
    encoded = encode_detections(record, azimuth_rad=AZIMUTH_RAD, elevation_rad=ELEVATION_RAD)
    message = by_object_api(record, AZIMUTH_RAD, ELEVATION_RAD)
    expected = message.SerializeToString(deterministic=True)
    assert encoded.tobytes() == expected


def test_detections_may_have_angles_of_their_own():
    record, azimuth, elevation = random_detections(500)
    own = dataclasses.replace(
        record, azimuth_rad=np.linspace(-3, 3, 500), elevation_rad=np.linspace(-1, 1, 500)
    )
    encoded = encode_detections(own, azimuth_rad=azimuth, elevation_rad=elevation)
    azimuth[own.beam_index], elevation[own.beam_index] = own.azimuth_rad, own.elevation_rad
    expected = by_object_api(record, azimuth, elevation).SerializeToString(deterministic=True)
    assert encoded.tobytes() == expected
    with pytest.raises(ValueError, match="elevation_rad: expected the shape"):
        dataclasses.replace(own, elevation_rad=None)


def test_a_scan_of_many_blocks_is_the_same_on_any_number_of_threads():
    record, azimuth, elevation = random_detections(20_001)
    with kernel_threads(1):
        one = encode_detections(record, azimuth_rad=azimuth, elevation_rad=elevation)
    with kernel_threads(2):
        many = encode_detections(record, azimuth_rad=azimuth, elevation_rad=elevation)
    expected = by_object_api(record, azimuth, elevation).SerializeToString(deterministic=True)
    assert one.tobytes() == expected
    assert many.tobytes() == expected


def test_angles_are_one_per_beam_and_columns_one_per_detection():
    record, azimuth, elevation = random_detections(4)
    with pytest.raises(ValueError, match="expected one value per beam"):
        encode_detections(record, azimuth_rad=azimuth[:3], elevation_rad=elevation)
    short = {"azimuth_rad": azimuth[: record.beam_index.max()], "elevation_rad": elevation}
    short["elevation_rad"] = elevation[: record.beam_index.max()]
    with pytest.raises(ValueError, match=f"beam_index {record.beam_index.max()}: expected 0 to"):
        encode_detections(record, **short)
    with pytest.raises(ValueError, match="range_m: expected the shape"):
        dataclasses.replace(record, range_m=record.range_m[:3])


MOUNTING = MountingPosition(position_m=(1.0, 0.5, 1.9), orientation_rad=(0.0, 0.1, -0.2))


def block(n, sensor_id=3, seed=1):
    record, azimuth, elevation = random_detections(n, seed)
    encoded = encode_detections(record, azimuth_rad=azimuth, elevation_rad=elevation)
    sensor = LidarBlock(
        sensor_id=sensor_id,
        mounting=MOUNTING,
        measurement_time_ns=4_900_000_000,
        cycle_counter=12,
        n_detections=n,
        encoded=encoded,
    )
    return sensor, by_object_api(record, azimuth, elevation)


def message_by_object_api(sensors):
    message = SensorData()
    message.version.version_major, message.version.version_minor = OSI_VERSION[:2]
    message.version.version_patch = OSI_VERSION[2]
    message.timestamp.seconds, message.timestamp.nanos = 5, 1
    message.sensor_id.value = 0
    put_mounting(message.mounting_position, MountingPosition())
    message.last_measurement_time.seconds, message.last_measurement_time.nanos = 5, 0
    message.feature_data.SetInParent()
    for sensor, data in sensors:
        lidar = message.feature_data.lidar_sensor.add()
        lidar.CopyFrom(data)
        header = lidar.header
        header.measurement_time.seconds, header.measurement_time.nanos = 4, 900_000_000
        header.cycle_counter = 12
        put_mounting(header.mounting_position, MOUNTING)
        header.data_qualifier = SensorDetectionHeader.DATA_QUALIFIER_AVAILABLE
        header.number_of_valid_detections = len(data.detection)
        header.sensor_id.value = sensor.sensor_id
    return message


def put_mounting(message, mounting):
    message.position.x, message.position.y, message.position.z = mounting.position_m
    angles = mounting.orientation_rad
    message.orientation.roll, message.orientation.pitch, message.orientation.yaw = angles


# 0 and 1 detections, and sizes at which the nested lengths grow by a byte.
@pytest.mark.parametrize("sizes", [(), (0,), (1,), (2,), (300,), (1, 250), (40_000, 3)])
def test_sensor_data_is_byte_identical_to_protobufs(sizes):
    sensors = [block(n, sensor_id=k, seed=k) for k, n in enumerate(sizes)]
    encoded = encode_sensor_data(
        time_ns=5_000_000_001,
        last_measurement_time_ns=5_000_000_000,
        sensors=[sensor for sensor, _ in sensors],
    )
    assert encoded == message_by_object_api(sensors).SerializeToString(deterministic=True)


@pytest.mark.parametrize(
    ("blocked_share", "qualifier"),
    [(0.0, "AVAILABLE"), (0.1, "AVAILABLE"), (0.101, "AVAILABLE_REDUCED")]
    + [(0.999, "AVAILABLE_REDUCED"), (1.0, "BLINDNESS")],
)
def test_a_header_tells_how_much_of_the_sensor_is_blocked(blocked_share, qualifier):
    blocked = dataclasses.replace(block(3)[0], blocked_share=blocked_share)
    message = SensorData.FromString(
        encode_sensor_data(time_ns=5, last_measurement_time_ns=4, sensors=[blocked])
    )
    written = message.feature_data.lidar_sensor[0].header.data_qualifier
    assert written == SensorDetectionHeader.DataQualifier.Value(f"DATA_QUALIFIER_{qualifier}")
    assert qualifier_of(blocked_share).name == qualifier


def test_every_field_of_a_scan_comes_back():
    n = 65_000
    record, azimuth, elevation = random_detections(n)
    sensor, _ = block(n)
    message = SensorData.FromString(
        encode_sensor_data(
            time_ns=5, last_measurement_time_ns=4, sensors=[sensor], sensor_id=8, mounting=MOUNTING
        )
    )
    assert message.sensor_id.value == 8
    assert message.mounting_position.orientation.yaw == -0.2
    points = message.feature_data.lidar_sensor[0].detection
    assert len(points) == n

    def column(get):
        return np.array([get(point) for point in points])

    np.testing.assert_array_equal(column(lambda p: p.position.distance), record.range_m)
    np.testing.assert_array_equal(column(lambda p: p.position.azimuth), azimuth[record.beam_index])
    np.testing.assert_array_equal(
        column(lambda p: p.position.elevation), elevation[record.beam_index]
    )
    np.testing.assert_array_equal(column(lambda p: p.intensity), record.intensity_percent)
    np.testing.assert_array_equal(column(lambda p: p.reflectivity), record.reflectivity)
    ids = [point.object_id.value for point in points]
    assert ids == record.object_id.tolist()
    assert [point.beam_id.value for point in points] == record.beam_index.tolist()
    assert {point.existence_probability for point in points} == {1.0}
    unknown = LidarDetection().classification
    assert {point.classification for point in points} == {unknown}


def test_an_unchanged_scan_is_sent_again_with_a_new_time():
    sensor, _ = block(10)
    later = dataclasses.replace(sensor, measurement_time_ns=5_000_000_000, cycle_counter=13)
    first, second = (
        SensorData.FromString(
            encode_sensor_data(time_ns=t, last_measurement_time_ns=t, sensors=[part])
        ).feature_data.lidar_sensor[0]
        for t, part in ((4, sensor), (5, later))
    )
    assert list(first.detection) == list(second.detection)
    assert second.header.cycle_counter == 13
    assert second.header.measurement_time.seconds == 5


def test_bytes_of_a_double_are_little_endian():
    record, azimuth, elevation = random_detections(1)
    encoded = encode_detections(record, azimuth_rad=azimuth, elevation_rad=elevation).tobytes()
    assert struct.pack("<d", azimuth[record.beam_index[0]]) in encoded


@pytest.mark.parametrize("time_ns", [2**63, -(2**63), 10**400])
def test_a_time_beyond_64_bits_is_not_written(time_ns):
    with one_line(MissingTimestamp, "timestamp ", "9223372036 s"):
        encode_sensor_data(time_ns=time_ns, last_measurement_time_ns=0, sensors=[])
