# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What an answer holds is what its message states; what it leaves out is told apart from 0."""

import math

import numpy as np
import pytest
from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge.bench.answers import decode_answer
from osi_bridge.errors import UndecodableMessage
from osi_bridge.records import MountingPosition


def read(message):
    return decode_answer(message.SerializeToString())


def test_bytes_that_are_no_message_are_refused():
    with pytest.raises(UndecodableMessage, match="not a SensorData message"):
        decode_answer(b"\xff")


def test_an_empty_message_states_nothing():
    answer = read(SensorData())
    assert (answer.time_ns, answer.last_measurement_ns) == (None, None)
    assert (answer.osi_major, answer.sensor_id, answer.n_objects) == (None, None, 0)
    assert answer.scans == ()


def test_times_version_sensor_and_objects_are_those_of_the_message():
    message = SensorData()
    message.timestamp.seconds, message.timestamp.nanos = 3, 7
    message.last_measurement_time.seconds, message.last_measurement_time.nanos = 2, 5
    message.version.version_major, message.sensor_id.value = 3, 11
    for _ in range(2):
        message.moving_object.add()
    message.stationary_object.add()
    answer = read(message)
    assert (answer.time_ns, answer.last_measurement_ns) == (3_000_000_007, 2_000_000_005)
    assert (answer.osi_major, answer.sensor_id, answer.n_objects) == (3, 11, 3)


def test_detections_have_what_they_state_and_nan_for_the_rest():
    message = SensorData()
    sensor = message.feature_data.lidar_sensor.add()
    sensor.header.number_of_valid_detections = 2
    sensor.header.measurement_time.seconds = 4
    mounting = sensor.header.mounting_position
    mounting.position.x, mounting.position.y, mounting.position.z = 1.0, 2.0, 3.0
    turn = mounting.orientation
    turn.roll, turn.pitch, turn.yaw = 0.1, 0.2, 0.3
    full, bare = sensor.detection.add(), sensor.detection.add()
    place = full.position
    place.distance, place.azimuth, place.elevation = 10.0, 0.5, -0.25
    full.intensity, full.radial_velocity, full.object_id.value = 40.0, -3.0, 8
    bare.position.distance = 20.0
    (scan,) = read(message).scans
    assert len(scan) == 2
    np.testing.assert_array_equal(scan.range_m, [10.0, 20.0])
    np.testing.assert_array_equal(scan.azimuth_rad, [0.5, 0.0])
    np.testing.assert_array_equal(scan.elevation_rad, [-0.25, 0.0])
    np.testing.assert_array_equal(scan.intensity_percent, [40.0, math.nan])
    np.testing.assert_array_equal(scan.radial_velocity_m_s, [-3.0, math.nan])
    np.testing.assert_array_equal(scan.object_id, [8, 0])
    np.testing.assert_array_equal(scan.has_object_id, [True, False])
    assert (scan.n_stated, scan.measured_ns) == (2, 4_000_000_000)
    assert scan.mounting == MountingPosition(
        position_m=(1.0, 2.0, 3.0), orientation_rad=(0.1, 0.2, 0.3)
    )
    assert not scan.is_logical


def test_a_header_that_states_nothing_gives_none():
    message = SensorData()
    message.feature_data.lidar_sensor.add().detection.add()
    (scan,) = read(message).scans
    assert (scan.n_stated, scan.measured_ns, scan.mounting) == (None, None, None)


def test_logical_detections_are_read_as_directions():
    message = SensorData()
    part = message.logical_detection_data
    part.header.number_of_valid_logical_detections = 1
    part.header.logical_detection_time.nanos = 9
    one = part.logical_detection.add()
    one.position.x, one.position.y, one.position.z = 3.0, 4.0, 12.0
    (scan,) = read(message).scans
    assert scan.is_logical
    assert scan.range_m == 13.0  # 3, 4, 5 and 5, 12, 13
    assert scan.azimuth_rad == math.atan2(4.0, 3.0)
    assert scan.elevation_rad == math.atan2(12.0, 5.0)
    assert np.isnan(scan.radial_velocity_m_s).all()
    assert (scan.n_stated, scan.measured_ns, scan.mounting) == (1, 9, None)


def test_feature_data_goes_before_logical_detections():
    message = SensorData()
    message.feature_data.lidar_sensor.add().detection.add()
    message.logical_detection_data.logical_detection.add()
    (scan,) = read(message).scans
    assert not scan.is_logical
