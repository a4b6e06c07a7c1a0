# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects without gaps along a road: rails, walls, hedges as faces that follow it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.opendrive.objects.bodies import Body, upright
from lidar_scenery.roads.opendrive.surface import frames_at

if TYPE_CHECKING:
    from lidar_scenery.roads.opendrive.objects.ground import RoadGround
    from lidar_scenery.roads.opendrive.records import Repeat

MATERIALS = MappingProxyType(
    {"guard_rail": "rail_steel", "barrier": "barrier_concrete", "bush": "Tree_Leaves"}
)
OTHER_MATERIAL = "wall_concrete"

_BELOW_M = 0.01
"""A body that begins higher above the ground has a face below. [m]"""


def row_body(ground: RoadGround, repeat: Repeat, size_m: tuple[float, float, float]) -> Body | None:
    """Return the body of an object that is repeated without gaps, or None beyond the road.

    Parameters
    ----------
    ground : RoadGround
        Its road.
    repeat : Repeat
        Where it runs.
    size_m : (float, float, float)
        Length, width and height where the repetition states none. [m]
    """
    start = max(repeat.s_m, 0.0)
    end = min(repeat.s_m + repeat.length_m, ground.road.length_m)
    if end <= start:
        return None
    inner = np.unique(np.concatenate([[start], *(part.s_m for part in ground.surfaces), [end]]))
    s = inner[(inner >= start) & (inner <= end)]
    share = (s - repeat.s_m) / repeat.length_m
    t, lift, width, height = (
        (1.0 - share) * first + share * last
        for first, last in (
            repeat.t_m,
            repeat.z_offset_m,
            repeat.width_m or (size_m[1], size_m[1]),
            repeat.height_m or (size_m[2], size_m[2]),
        )
    )
    frames = frames_at(ground.road, s)
    up = np.array([0.0, 0.0, 1.0])
    left, right = (frames.points(t + side * width) + lift[:, None] * up for side in (0.5, -0.5))
    return Body(left, right, height, bool((lift > _BELOW_M).any()), upright(len(s)))
