# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The example's emergency brake, by closed forms."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from osi3.osi_sensordata_pb2 import SensorData

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "closed_loop"))
BRAKE = importlib.import_module("brake")
SENSOR_M, BUMPER_M = (1.3, 0.0, 1.9), 3.5


def panel(gap_m, left_m=0.0, above_m=1.0, n_points=BRAKE.LEAST_POINTS):
    """Return points in the frame of the sensor, at one place before the bumper."""
    place_m = np.array([BUMPER_M + gap_m, left_m, above_m]) - SENSOR_M
    return np.tile(place_m, (n_points, 1))


def onset_m(gap_m, speed_m_s, own_m_s, **place):
    """Return the gap at which the brake goes on for what comes nearer at a speed, or None."""
    brake, time_s = BRAKE.Brake(SENSOR_M, BUMPER_M), 0.0
    while gap_m > BRAKE.NEAREST_M:
        if brake.look(panel(gap_m, **place), own_m_s, time_s).cause_m is not None:
            return gap_m
        gap_m -= 0.1 * speed_m_s
        time_s += 0.1
    return None


@pytest.mark.long
@given(st.floats(5.0, 20.0), st.floats(60.0, 70.0))
def test_the_brake_goes_on_at_the_first_scan_below_its_time_to_collision(speed_m_s, start_m):
    # d / v < v / (2 a) + margin, so d < v^2 / (2 a) + margin v; scans are 0.1 v apart
    limit_m = speed_m_s**2 / (2 * BRAKE.DECELERATION_M_S2) + BRAKE.MARGIN_S * speed_m_s
    found_m = onset_m(start_m, speed_m_s, speed_m_s)
    assert limit_m - 0.1 * speed_m_s - 1e-6 <= found_m <= limit_m + 1e-6


def test_who_drives_ahead_counts_by_the_closing_speed():
    # 3 m/s nearer: 3 / 16 + 0.6 s, 2.36 m; by the own speed of 15 m/s it would be 23 m
    assert 2.36 - 0.3 <= onset_m(20.0, 3.0, 15.0) <= 2.36 + 1e-3
    assert onset_m(5.0, 1e-6 + BRAKE.LEAST_CLOSING_M_S / 2, 15.0) is None


@pytest.mark.parametrize(
    "place",
    [
        {"left_m": 1.8},
        {"left_m": -1.8},
        {"above_m": 0.29},
        {"above_m": 2.51},
        {"n_points": BRAKE.LEAST_POINTS - 1},
    ],
)
def test_what_is_beside_the_path_or_ground_or_too_little_is_no_cause(place):
    assert onset_m(40.0, 10.0, 10.0, **place) is None


def test_two_scans_are_not_enough():
    brake = BRAKE.Brake(SENSOR_M, BUMPER_M)
    seen = [brake.look(panel(5.0 - k), 10.0, 0.1 * k) for k in range(3)]
    assert [each.confirmed_m for each in seen] == [(), (), (pytest.approx(3.0),)]
    assert [each.cause_m is None for each in seen] == [True, True, False]


def test_clusters_are_apart_where_an_empty_cell_is_between():
    ahead_m = np.array([10.1, 10.6, 11.1, 12.1, 12.6])
    points = np.stack([ahead_m, np.zeros(5), np.ones(5)], axis=1)
    many = np.repeat(points, BRAKE.LEAST_POINTS, axis=0)
    assert BRAKE.cluster_distances(many) == [10.1, 12.1]


def test_points_of_a_message_are_forward_left_and_up():
    message = SensorData()
    lidar = message.feature_data.lidar_sensor.add()
    for azimuth_rad, elevation_rad in ((0.0, 0.0), (np.pi / 2, 0.0), (0.0, np.pi / 2)):
        place = lidar.detection.add().position
        place.distance, place.azimuth, place.elevation = 2.0, azimuth_rad, elevation_rad
    np.testing.assert_allclose(
        BRAKE.points_of(message.SerializeToString()), 2.0 * np.eye(3), atol=1e-12
    )
    assert BRAKE.points_of(b"").shape == (0, 3)
