# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of objects as faces: bars between two lines, walls along corners, areas with heights."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.opendrive.attributes import PartError
from lidar_scenery.roads.parts import Strip
from lidar_scenery.shapes.triangulation import MOST_CORNERS, triangulated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class Body(NamedTuple):
    """A long body, such as a wall: n cross-sections, each with a left and a right bottom corner."""

    left_m: NDArray[np.float64]
    """Left bottom edge, (n, 3). [m]"""
    right_m: NDArray[np.float64]
    """Right bottom edge, (n, 3). [m]"""
    heights_m: NDArray[np.float64]
    """Height of the body above its bottom edges, (n,). [m]"""
    has_bottom: bool
    """Whether the body has a face at its bottom."""
    up: NDArray[np.float64]
    """Direction in which each height is measured, unit vectors (n, 3)."""

    def strips(self, material: str) -> Iterator[Strip]:
        """Yield the faces of the body as strips that face outwards, of one visual material.

        They are the two sides, the top, both ends, and the bottom if ``has_bottom``.
        """
        up = self.up * self.heights_m[:, None]
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


def upright(count: int) -> NDArray[np.float64]:
    """Return `count` unit vectors along z, the upward direction, float64 (count, 3)."""
    return np.tile([0.0, 0.0, 1.0], (count, 1))


def wall_body(
    corners_m: NDArray[np.float64],
    heights_m: NDArray[np.float64],
    width_m: float | NDArray[np.float64],
    *,
    has_bottom: bool = False,
) -> Body:
    """Return the body of an upright wall along a line, mitred at its bends.

    A bend keeps the width of the wall if it turns by up to 138 degrees; sharper bends are narrower.

    Parameters
    ----------
    corners_m : float64 (n, 3)
        Corners of the line, in the middle of the wall's bottom; z is upward. [m]
    heights_m : float64 (n,)
        Height of the wall above each corner. [m]
    width_m : float or float64 (n,)
        Width of the wall, the same along the wall or at each corner. [m]
    has_bottom : bool
        Whether the body has a face at the bottom.
    """
    along = np.diff(corners_m[:, :2], axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
    before, after = np.vstack([along[:1], along]), np.vstack([along, along[-1:]])
    middle = before + after
    normal = np.column_stack([-middle[:, 1], middle[:, 0]])
    # w / 2 over the cosine of half of the turn, which is half of the length of `middle`
    stretch = np.maximum(np.einsum("ij,ij->i", middle, middle), 0.5)
    side = np.column_stack([normal * (width_m / stretch)[:, None], np.zeros(len(normal))])
    up = upright(len(corners_m))
    return Body(corners_m + side, corners_m - side, heights_m, has_bottom, up)


def area_body(
    bottom_m: NDArray[np.float64], top_m: NDArray[np.float64], materials: tuple[str, str]
) -> Iterator[Strip]:
    """Yield the faces of a body over an area: sides, bottom and top, facing outwards.

    Parameters
    ----------
    bottom_m, top_m : float64 (n, 3)
        Corners of the bottom face and of the top face, counter-clockwise as seen from above. [m]
    materials : (str, str)
        Material of sides and bottom, and material of the top.

    Raises
    ------
    PartError
        If the outline crosses itself or has too many corners.
    """
    triangles = triangulated(bottom_m[:, :2])
    if triangles is None:
        raise PartError(
            f"its outline crosses itself, or has over {MOST_CORNERS} corners; expected a simple "
            "outline"
        )
    sides, top = materials
    low, high = (np.concatenate([ring, ring[:1]]) for ring in (bottom_m, top_m))
    yield Strip(material=sides, left_m=high, right_m=low)
    for a, b, c in triangles.tolist():
        yield Strip(material=top, left_m=top_m[[c, c]], right_m=top_m[[a, b]])
        yield Strip(material=sides, left_m=bottom_m[[a, b]], right_m=bottom_m[[c, c]])


def _pair(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([first, second])
