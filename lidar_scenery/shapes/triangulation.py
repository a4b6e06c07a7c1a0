# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Triangulation of plane polygons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.shapes.solids import Array

MOST_CORNERS = 1000
"""Limit on the corners of a polygon: the time of ear clipping grows with their square."""
NOT_FILLED = f"no area, crosses itself, or has over {MOST_CORNERS} corners"
"""What a message says an outline has if it cannot be filled with triangles."""


def triangulated(outline_m: Array) -> NDArray[np.int64] | None:
    """Return counter-clockwise triangles that fill a simple polygon, by cutting off its ears.

    A corner is an ear if it is convex and no other corner lies in the triangle that it forms with
    its neighbours (Meisters, Polygons have ears, Am. Math. Monthly 82, 1975).

    Parameters
    ----------
    outline_m : float64 (n, 2)
        Corners, in either direction. [m]

    Returns
    -------
    int64 (n - 2, 3) or None
        Corners of the triangles, as rows of `outline_m`. None if the outline crosses itself, or has
        fewer than three or more than `MOST_CORNERS` corners.
    """
    if not 3 <= len(outline_m) <= MOST_CORNERS:
        return None
    left = np.arange(len(outline_m))
    if _area(outline_m) < 0.0:
        left = left[::-1]
    triangles = []
    while len(left) > 3:
        ear = _ear(outline_m, left)
        if ear is None:
            return None
        triangles.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        left = np.delete(left, ear)
    if _turn(*outline_m[left]) < 0.0:
        return None
    return np.array([*triangles, tuple(left)], np.int64)


def _area(outline_m: Array) -> float:
    x, y = outline_m.T
    return float(0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def _ear(points: Array, left: NDArray[np.int64]) -> int | None:
    """Return the index of the first ear, or None."""
    before, own, after = points[np.roll(left, 1)], points[left], points[np.roll(left, -1)]
    convex = _turn(before, own, after) >= 0.0
    for k in np.flatnonzero(convex):
        a, b, c = before[k], own[k], after[k]
        others = points[left]
        inside = (
            (_turn(a, b, others) >= 0.0) & (_turn(b, c, others) >= 0.0) & (_turn(c, a, others) >= 0)
        )
        apart = (np.abs(others[:, None] - np.stack([a, b, c])).max(axis=2) > 0.0).all(axis=1)
        if not (inside & apart).any():
            return int(k)
    return None


def _turn(a: Array, b: Array, c: Array) -> Array:
    """Return twice the signed area of triangles, positive if a, b, c are counter-clockwise."""
    u, v = b - a, c - a
    turn: Array = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    return turn
