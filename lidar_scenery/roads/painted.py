# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Stop lines, arrows and symbols, painted onto the lanes below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.parts import MARKING_LIFT_M, Patch
from lidar_scenery.roads.polygons import laid_on
from lidar_scenery.shapes.triangulation import NOT_FILLED, triangulated
from osi_bridge import rotation_from_orientation

if TYPE_CHECKING:
    from lidar_scenery.roads.polylines import Array
    from osi_bridge import PaintedMark

REACH_M = 1.0
"""Largest height difference between a marking and the road that it is painted on. [m]"""
LARGEST_M = 100.0
"""Largest extent of a marking along any axis; a larger one is not drawn. [m]"""
LIFT_M = 2.0 * MARKING_LIFT_M
"""Height above the road, so that these markings do not coincide with painted lines. [m]"""

_LEAST_DRAWN = 0.95
_SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
_YELLOW = {"YELLOW", "ORANGE"}


def painted(mark: PaintedMark, road_m: Array) -> Patch | str:
    """Return a marking as a surface on the road, or as text the reason why it cannot be drawn.

    The outline of the marking is its base polygon, else the horizontal face of its box. It is laid
    on the road; parts beside the road are left out. If all of it is beside the road, or if the road
    is more than `REACH_M` above or below it, all of it is drawn at its own height.

    Parameters
    ----------
    mark : PaintedMark
        The marking, from a message.
    road_m : float64 (n, 3, 3)
        Corners of the road's triangles, in the world. [m]

    Returns
    -------
    Patch or str
        The surface, in the world, `LIFT_M` above the road or its own height [m]; or the reason.
    """
    material = "marking_yellow" if mark.color_name in _YELLOW else "marking_white"
    corners_m = _corners(mark)
    if np.ptp(corners_m, axis=0).max() > LARGEST_M:
        return f"larger than {LARGEST_M:g} m"
    faces = triangulated(corners_m[:, :2])
    if faces is None or abs(_area_m2(corners_m[faces])) < 1e-6:
        return f"its outline has {NOT_FILLED}; expected a simple outline"
    low_m, high_m = corners_m.min(axis=0) - REACH_M, corners_m.max(axis=0) + REACH_M
    near = (road_m.min(axis=1) < high_m).all(axis=1) & (road_m.max(axis=1) > low_m).all(axis=1)
    patch = laid_on(material, corners_m[faces][:, :, :2], road_m[near], LIFT_M)
    if patch is not None:
        return patch
    return Patch(
        material=material, points_m=corners_m + np.array([0.0, 0.0, LIFT_M]), triangles=faces
    )


def lies_partly_beside(mark: PaintedMark, patch: Patch) -> bool:
    """Return whether more than 5 % of a marking has no road below it and was therefore left out.

    ``mark`` is the marking from a message, and ``patch`` the surface that `painted` returned for
    it. Where lanes overlap, the marking lies on each of them and its area counts twice, so that a
    missing part may not be noticed.
    """
    corners_m = _corners(mark)
    x_m, y_m, _ = (corners_m - corners_m[0]).T  # near 0: products keep their digits
    whole_m2 = 0.5 * abs(x_m @ np.roll(y_m, -1) - y_m @ np.roll(x_m, -1))
    drawn_m2 = abs(_area_m2(patch.points_m[patch.triangles]))
    return bool(drawn_m2 < _LEAST_DRAWN * whole_m2)


def _corners(mark: PaintedMark) -> Array:
    """Return the outline of a marking in the world, (n, 3) [m].

    OSI may set the box of a marking upright, with the x axis of the box up. The base polygon then
    lies in the horizontal plane, with its own x axis forwards.
    """
    turn = rotation_from_orientation(mark.orientation_rad)
    up = int(np.abs(turn[2]).argmax())
    ahead, aside = ((2, 1), (0, 2), (0, 1))[up]
    if len(mark.outline_m) >= 3:
        forwards = turn[:, ahead] * (-np.sign(turn[2, 0]) or 1.0 if up == 0 else 1.0)
        outline = mark.outline_m
    else:
        forwards = turn[:, ahead]
        outline = _SQUARE * mark.dimension_m[[ahead, aside]]
    plane = np.stack([forwards, turn[:, aside]])
    corners_m: Array = mark.position_m + outline @ plane
    return corners_m


def _area_m2(triangles_m: Array) -> float:
    u, v = triangles_m[:, 1] - triangles_m[:, 0], triangles_m[:, 2] - triangles_m[:, 0]
    return float(0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum())
