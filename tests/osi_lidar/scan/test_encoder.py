# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The detections of a message are the points of the last scan, whatever was encoded before."""

import numpy as np
import pytest
from osi3.osi_sensordata_pb2 import SensorData

from tests.builders.messages import Thing, host
from tests.builders.worlds import config, steps

N_MESSAGES = 5


def world(k):
    """Return a car that passes 30 m from message to message, before a wide wall."""
    wall = Thing(8, (80.0, 0.0, 0.0), dimension_m=(0.2, 300.0, 60.0), kind="stationary_object")
    return [host(), wall, Thing(9, (20.0, 30.0 * (k - 2), 0.75))]


@pytest.mark.parametrize("blur", [False, True])
@pytest.mark.parametrize("rate_hz", [5, 10, 20])
def test_detections_are_the_points_of_the_last_scan_however_many_end_with_a_message(rate_hz, blur):
    sensor = {"name": "roof", "preset": "VLP-16", "columns": 360, "range_limit": None}
    pace = {"timing": "sensor_rate", "rotation_rate_hz": rate_hz, "motion_blur": blur}
    preset = config(sensors=[{**sensor, **pace}], scene={"ground": "none"})
    _, done = steps([world(k) for k in range(N_MESSAGES)], preset)
    last, n_scans = None, 0
    for step in done:
        n_scans += len(step.scans)
        last = step.scans[-1] if step.scans else last
        if last is not None:
            (told,) = SensorData.FromString(step.sensor_data).feature_data.lidar_sensor
            far_m = [each.position.distance for each in told.detection]
            assert len(far_m) > 500
            np.testing.assert_array_equal(np.float32(far_m), last.cloud.points["range"])
            ids = [each.object_id.value for each in told.detection]
            np.testing.assert_array_equal(ids, last.cloud.object_id)
    assert n_scans == (N_MESSAGES - 1) * rate_hz // 10
