# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground that the objects of a recording stand on or pass over."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.surroundings.clearance import LevelBoxes
from osi_bridge import rotation_from_orientation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lidar_scenery.roads.polylines import Array
    from osi_bridge import ObjectStates

LEAST_SIDE_M = 1.0
"""Least length and width of an object's footprint; some messages state no size. [m]"""
STILL_M = 0.2
"""Least motion for a new footprint. An object that has moved by less than this since its last
footprint [m], and turned by less than this [rad], adds no ground."""
JUMP_M_S = 100.0
"""A faster object has jumped, and has not passed over the ground in between. [m/s]"""


def footprints(objects: ObjectStates) -> LevelBoxes:
    """Return the rectangle that encloses each object, seen from above, along the object's heading.

    It also encloses an object that is tilted, and is at least `LEAST_SIDE_M` long and wide.

    Parameters
    ----------
    objects : ObjectStates
        Position, orientation and size of n objects in the world.

    Returns
    -------
    LevelBoxes
        One rectangle for each object, in the same order.
    """
    yaw_rad = objects.orientation_rad[:, 2]
    rotation = rotation_from_orientation(objects.orientation_rad)
    half_m = 0.5 * objects.dimension_m
    cos, sin = np.cos(yaw_rad), np.sin(yaw_rad)
    level = np.stack([np.stack([cos, sin], axis=1), np.stack([-sin, cos], axis=1)], axis=1)
    reach_m = np.abs(level @ rotation[:, :2]) @ half_m[:, :, None]
    least_m = np.maximum(reach_m[:, :, 0], 0.5 * LEAST_SIDE_M)
    return LevelBoxes(objects.position_m[:, :2], least_m, yaw_rad)


def swept_footprints(moments: Iterable[tuple[int, ObjectStates]]) -> Array:
    """Return the ground that objects cover in messages, and pass over between messages.

    An object's footprint is the rectangle that encloses it, seen from above, see `footprints`.

    Parameters
    ----------
    moments : iterable of (int, ObjectStates)
        Times [ns] and objects of messages, in order.

    Returns
    -------
    float64 (n, 3, 2)
        Triangles, seen from above: triangle, corner, x y in the world. An object's first footprint
        is covered. From then on, each message adds the rectangle along the path that encloses the
        object's last footprint and its new one; after a jump, only the new one. No triangles are
        added while an object has moved and turned by less than `STILL_M` (in metres and radians)
        since its last footprint. [m]
    """
    last: dict[int, tuple[Array, float, Array, int]] = {}
    swept: list[Array] = []
    for time_ns, objects in moments:
        boxes = footprints(objects)
        corners_m = boxes.corners_m
        for row, each in enumerate(objects.object_id.tolist()):
            place_m, yaw_rad = boxes.place_m[row], float(boxes.yaw_rad[row])
            before = last.get(each)
            if before is not None:
                way_m = place_m - before[0]
                far_m = float(np.hypot(*way_m))
                turn_rad = math.remainder(yaw_rad - before[1], math.tau)
                if far_m < STILL_M and abs(turn_rad) < STILL_M:
                    continue
                passed_s = 1e-9 * max(time_ns - before[3], 1)
                before = before if far_m <= JUMP_M_S * passed_s else None
            if before is None:
                swept.append(corners_m[row])
            else:
                swept.append(_along(way_m, np.vstack([before[2], corners_m[row]])))
            last[each] = place_m, yaw_rad, corners_m[row], time_ns
    if not swept:
        return np.empty((0, 3, 2))
    return np.stack(swept)[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3, 2)


def _along(way_m: Array, points_m: Array) -> Array:
    """Return the corners (4, 2) [m] of the rectangle along `way_m` that encloses points."""
    ahead = way_m / max(float(np.hypot(*way_m)), 1e-9) if way_m.any() else np.array([1.0, 0.0])
    axes = np.stack([ahead, [-ahead[1], ahead[0]]])
    own_m = points_m @ axes.T
    low, high = own_m.min(axis=0), own_m.max(axis=0)
    corners = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
    enclosing: Array = corners @ axes
    return enclosing
