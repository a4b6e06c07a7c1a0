# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Triangles of polygons and of solids of revolution, which need no usd-core."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raycore.errors import MeshError
from raycore.mesh.usd.shapes import AROUND, fans, polygons, revolved

NONE = np.empty(0, np.int64)
SQUARE = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])


@given(st.lists(st.integers(0, 6), max_size=8), st.booleans())
def test_fans_are_those_of_a_loop_over_polygons(counts, left_handed):
    corners = np.arange(100, 100 + sum(counts))
    expected = []
    start = 0
    for number, count in enumerate(counts):
        ring = corners[start : start + count].tolist()
        for k in range(1, count - 1):
            pair = [ring[k], ring[k + 1]]
            expected.append([number, ring[0], *(pair[::-1] if left_handed else pair)])
        start += count
    triangles, polygon = fans(np.array(counts, np.int64), corners, left_handed=left_handed)
    assert np.column_stack([polygon, triangles]).tolist() == expected


def test_a_hole_is_left_out():
    counts = np.array([3, 3])
    corners = np.array([0, 1, 2, 0, 2, 3])
    shape = polygons(SQUARE, counts, corners, np.array([0]), left_handed=False)
    assert shape.triangles.tolist() == [[0, 2, 3]]
    assert shape.polygon.tolist() == [1]


@pytest.mark.parametrize(
    ("counts", "corners", "message"),
    [
        ([3, 4], [0, 1, 2], "faceVertexCounts add up to 7, expected 3"),
        ([-1, 4], [0, 1, 2], "faceVertexCounts: got -1, expected 0"),
        ([3], [0, 1, 4], r"faceVertexIndices\[2\] is 4, expected 0 to 3"),
        ([3], [0, -1, 2], r"faceVertexIndices\[1\] is -1, expected 0 to 3"),
    ],
)
def test_corners_that_make_no_sense_are_refused(counts, corners, message):
    with pytest.raises(MeshError, match=message):
        polygons(SQUARE, np.array(counts), np.array(corners), NONE, left_handed=False)


def volume(shape):
    """Return the volume within triangles whose normals point out (divergence theorem)."""
    a, b, c = shape.points[shape.triangles].swapaxes(0, 1)
    return float((a * np.cross(b, c)).sum() / 6.0)


def open_edges(shape):
    """Return how many edges are not shared by two triangles; corners of one place are one."""
    corners = np.unique(shape.points.round(9), axis=0, return_inverse=True)[1].ravel()
    ends = corners[shape.triangles][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    _, times = np.unique(np.sort(ends, axis=1), axis=0, return_counts=True)
    return int((times != 2).sum())


# A prism of n sides has sin(2 pi / n) / (2 pi / n) of its cylinder's volume, and a cone too.
PRISM = np.sin(2 * np.pi / AROUND) / (2 * np.pi / AROUND)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ([[0, -1], [2, -1], [2, 1], [0, 1]], np.pi * 4 * 2),
        ([[0, 0], [3, 0], [0, 5]], np.pi * 9 * 5 / 3),
    ],
    ids=["cylinder", "cone"],
)
def test_a_profile_sweeps_a_closed_solid_with_normals_out(profile, expected):
    shape = revolved(np.array(profile, np.float64))
    assert volume(shape) == pytest.approx(PRISM * expected, rel=1e-12)
    assert open_edges(shape) == 0
