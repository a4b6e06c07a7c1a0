# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which spheres columns of cells leave out: only those that no beam of the column can meet."""

import math

import numpy as np
import pytest

from osi_lidar.scan.media.chords.cell_kernels import is_beside

RADIUS_M, TURNED_RAD, HALF_CELL_RAD = 0.02, 0.1, 1e-3
MIDDLE_RAD = 0.7


@pytest.mark.parametrize("elevation_rad", [-1.2, -0.6, 0.0, 0.6, 1.2])
@pytest.mark.parametrize("distance_m", [2.0, 50.0])
def test_a_sphere_is_beside_a_column_that_no_turn_brings_to_it(elevation_rad, distance_m):
    """The angle between the middle of the column and the sphere is that of the turn, or more."""
    reach_m = RADIUS_M + HALF_CELL_RAD * (distance_m + RADIUS_M)
    forward = math.cos(MIDDLE_RAD), math.sin(MIDDLE_RAD)
    aside = np.array([-forward[1], forward[0], 0.0])
    ahead = math.cos(elevation_rad) * np.array([*forward, 0.0]) + [0, 0, math.sin(elevation_rad)]
    for side in (-1.0, 1.0):
        for angle_rad, expected in (
            (0.99 * TURNED_RAD, False),
            (1.05 * TURNED_RAD + 2.0 * reach_m / distance_m, True),
        ):
            place = distance_m * (math.cos(angle_rad) * ahead + side * math.sin(angle_rad) * aside)
            found = is_beside.py_func(tuple(place), RADIUS_M, TURNED_RAD, forward, HALF_CELL_RAD)
            assert found == expected


def test_a_sphere_behind_is_left_out_unless_the_sensor_is_inside():
    for x_m, expected in ((-3.0, True), (-0.5, False), (3.0, False)):
        place = x_m, 0.0, 0.0
        assert is_beside.py_func(place, 1.0, 0.0, (1.0, 0.0), HALF_CELL_RAD) == expected
