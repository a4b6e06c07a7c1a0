# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Triangulation of plane polygons."""

import numpy as np
import pytest

from lidar_scenery.shapes.triangulation import MOST_CORNERS, triangulated


def area(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    u, v = b - a, c - a
    return 0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])


STAR = np.array(
    [
        (r * np.cos(t), r * np.sin(t))
        for k, t in enumerate(np.linspace(0, 2 * np.pi, 20, endpoint=False))
        for r in (2.0 if k % 2 else 1.0,)
    ]
)
NOTCHED = np.array([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4), (0, 2)], float)


@pytest.mark.parametrize("outline", [STAR, NOTCHED, STAR[::-1], NOTCHED[::-1]])
def test_triangles_fill_the_outline_and_turn_left(outline):
    triangles = triangulated(outline)
    areas = area(outline, triangles)
    x, y = outline.T
    whole = abs(0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum())
    assert len(triangles) == len(outline) - 2
    assert areas.min() >= 0.0
    assert areas.sum() == pytest.approx(whole)


@pytest.mark.parametrize(
    "outline",
    [
        np.array([(0, 0), (1, 1)], float),
        np.zeros((MOST_CORNERS + 1, 2)),
        np.array([(0, 0), (10, 10), (10, 0), (0, 10)], float),
    ],
)
def test_what_is_no_simple_polygon_has_no_triangles(outline):
    assert triangulated(outline) is None
