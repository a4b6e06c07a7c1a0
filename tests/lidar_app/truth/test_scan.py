# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The share of a box outside of a field of view, for sensors that look in all directions."""

import math

import numpy as np
import pytest

from lidar_app.truth.scan import FieldOfView
from osi_lidar.scan.from_config import pose_matrix
from raycore.pattern.scan_pattern import from_pairs, wrapped

SIZE_M = np.array([[2.0, 4.0, 1.0]])


@pytest.mark.parametrize("yaw_deg", [0.0, 60.0, 100.0, 180.0, -120.0, -170.0])
@pytest.mark.parametrize(
    ("aside_deg", "outside"),
    [(0.0, 0.0), (30.0, 0.5), (-30.0, 0.5), (20.0, 0.0), (60.0, 1.0), (-60.0, 1.0), (180.0, 1.0)],
)
def test_a_share_of_a_box_is_outside_wherever_the_sensor_looks(yaw_deg, aside_deg, outside):
    """Beams reach 30 deg to both sides; a box, seen along its length, is halved by the last one."""
    azimuth_rad = np.radians(yaw_deg + np.linspace(-30.0, 30.0, 25))
    elevation_rad = np.radians(np.linspace(-45.0, 45.0, 25))
    view = FieldOfView.of(from_pairs(azimuth_rad=wrapped(azimuth_rad), elevation_rad=elevation_rad))
    bearing = math.radians(yaw_deg + aside_deg)
    place_m = 20.0 * math.cos(bearing), 20.0 * math.sin(bearing), 0.0
    pose = pose_matrix(place_m, (0.0, 0.0, bearing))
    assert view.share_outside(pose[None], SIZE_M)[0] == pytest.approx(outside)
