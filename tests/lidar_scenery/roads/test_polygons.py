# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Laying plane triangles onto a road."""

import numpy as np
import pytest

from lidar_scenery.roads.polygons import laid_on


def area(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    u, v = b - a, c - a
    return 0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])


def test_a_polygon_laid_on_a_road_is_cut_along_its_ridge():
    # a roof along x, falling by 10 % to both sides
    road = np.array(
        [
            [(-9, 0, 0), (9, 0, 0), (9, 9, -0.9)],
            [(-9, 0, 0), (9, 9, -0.9), (-9, 9, -0.9)],
            [(-9, -9, -0.9), (9, -9, -0.9), (9, 0, 0)],
            [(9, 0, 0), (-9, 0, 0), (-9, -9, -0.9)],
        ],
        float,
    )
    square = np.array([[(-1, -2), (1, -2), (1, 2)], [(-1, -2), (1, 2), (-1, 2)]], float)
    patch = laid_on("marking_white", square, road, 0.001)
    y, z = patch.points_m.T[1:]
    np.testing.assert_allclose(z, -0.1 * np.abs(y) + 0.001, atol=1e-12)
    assert patch.area_m2 == pytest.approx(8.0 * np.hypot(1.0, 0.1))
    assert (area(patch.points_m[:, :2], patch.triangles) >= -1e-12).all()
    assert laid_on("marking_white", square + 100.0, road, 0.001) is None
