# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Plane triangles laid onto surfaces of triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.parts import Patch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_scenery.roads.polylines import Array

_Corner = tuple[float, float]


def laid_on(material: str, triangles_m: Array, road_m: Array, lift_m: float) -> Patch | None:
    """Lay flat triangles on a road, and return their parts as one surface above the road.

    The triangles are given in the horizontal plane. They are cut along the triangles of the road.
    Parts beside the road are left out. Return None if nothing lies on the road.

    Parameters
    ----------
    material : str
        Visual material of the result.
    triangles_m : float64 (n, 3, 2)
        x, y of the corners of the triangles, counter-clockwise. [m]
    road_m : float64 (m, 3, 3)
        Corners of the road's triangles. [m]
    lift_m : float
        Height of the result above the road. [m]
    """
    low, high = road_m[:, :, :2].min(axis=1), road_m[:, :, :2].max(axis=1)
    normal = np.cross(road_m[:, 1] - road_m[:, 0], road_m[:, 2] - road_m[:, 0])
    level = np.abs(normal[:, 2]) > 1e-9
    cuts: list[list[_Corner]] = []
    below: list[int] = []
    for own in triangles_m:
        near = (low < own.max(axis=0)).all(axis=1) & (high > own.min(axis=0)).all(axis=1)
        for k in np.flatnonzero(near & level).tolist():
            road = road_m[k, :, :2] if normal[k, 2] > 0.0 else road_m[k, ::-1, :2]
            cut = _cut([(x, y) for x, y in own.tolist()], road.tolist())
            if len(cut) > 2:
                cuts.append(cut)
                below += [k] * len(cut)
    if not cuts:
        return None
    plane = np.array([corner for cut in cuts for corner in cut])
    rise = ((plane - road_m[below, 0, :2]) * normal[below, :2]).sum(axis=1) / normal[below, 2]
    return Patch(
        material=material,
        points_m=np.column_stack([plane, road_m[below, 0, 2] - rise + lift_m]),
        triangles=np.array(_fans([len(cut) for cut in cuts]), np.int64),
    )


def _fans(n_corners: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return the triangles of convex polygons whose corners are numbered one after the other."""
    return [
        (start, start + i, start + i + 1)
        for start, n in zip(np.cumsum([0, *n_corners]).tolist(), n_corners, strict=False)
        for i in range(1, n - 1)
    ]


def _cut(polygon: list[_Corner], clip: list[list[float]]) -> list[_Corner]:
    """Return the part of a convex polygon inside a counter-clockwise polygon `clip`.

    The algorithm is Sutherland and Hodgman's.
    """
    corners = polygon
    ax, ay = clip[-1]
    for bx, by in clip:
        side = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for x, y in corners]
        kept = []
        for k, (x, y) in enumerate(corners):
            s0, s1 = side[k - 1], side[k]
            if (s0 > 0.0) != (s1 > 0.0):
                (x0, y0), share = corners[k - 1], s0 / (s0 - s1)
                kept.append((x0 + (x - x0) * share, y0 + (y - y0) * share))
            if s1 > 0.0:
                kept.append((x, y))
        corners = kept
        ax, ay = bx, by
    return corners
