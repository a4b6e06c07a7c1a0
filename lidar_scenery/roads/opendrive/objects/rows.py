# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects without gaps along a road: rails, walls, hedges as faces that follow it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.opendrive.surface import frames_at
from lidar_scenery.roads.parts import Strip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.objects.ground import RoadGround
    from lidar_scenery.roads.opendrive.records import Repeat

MATERIALS = MappingProxyType(
    {"guard_rail": "rail_steel", "barrier": "barrier_concrete", "bush": "Tree_Leaves"}
)
OTHER_MATERIAL = "wall_concrete"

_BELOW_M = 0.01
"""A body that begins higher above the ground has a face below. [m]"""


class Body(NamedTuple):
    """A body between lines of n points: its left and right side at the bottom, and its heights."""

    left_m: NDArray[np.float64]
    right_m: NDArray[np.float64]
    heights_m: NDArray[np.float64]
    has_bottom: bool

    def strips(self, material: str) -> Iterator[Strip]:
        """Return its faces, seen from outside."""
        up = np.zeros_like(self.left_m)
        up[:, 2] = self.heights_m
        top_left, top_right = self.left_m + up, self.right_m + up
        faces = [
            (self.left_m, top_left),
            (top_left, top_right),
            (top_right, self.right_m),
            (_pair(self.right_m[0], self.left_m[0]), _pair(top_right[0], top_left[0])),
            (_pair(top_right[-1], top_left[-1]), _pair(self.right_m[-1], self.left_m[-1])),
        ]
        if self.has_bottom:
            faces.append((self.right_m, self.left_m))
        for left, right in faces:
            yield Strip(material=material, left_m=left, right_m=right)


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
    return Body(left, right, height, bool((lift > _BELOW_M).any()))


def wall_body(
    corners_m: NDArray[np.float64], heights_m: NDArray[np.float64], width_m: float
) -> Body:
    """Return the body of a wall along corners (n, 3), as wide across each corner as beside it."""
    along = np.diff(corners_m[:, :2], axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
    before, after = np.vstack([along[:1], along]), np.vstack([along, along[-1:]])
    middle = before + after
    normal = np.column_stack([-middle[:, 1], middle[:, 0]])
    # w / 2 over the cosine of half of the turn, which is half of the length of `middle`
    stretch = np.maximum(np.einsum("ij,ij->i", middle, middle), 0.5)
    side = np.column_stack([normal * (width_m / stretch)[:, None], np.zeros(len(normal))])
    return Body(corners_m + side, corners_m - side, heights_m, has_bottom=False)


def _pair(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([first, second])
