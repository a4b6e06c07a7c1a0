# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Distances between rectangles and triangles, seen from above: which rectangles are clear."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_scenery.roads.polylines import Array

CELL_M = 8.0
"""Edge length of the grid cells that `Obstacles` uses to find the triangles near a rectangle.
[m]"""
LARGE_M = 512.0
"""A triangle that is longer or wider is compared with every rectangle, without grid cells. [m]"""
_MOST_PAIRS = 500_000  # in one batch


class LevelBoxes(NamedTuple):
    """n rectangles in the horizontal plane, such as the outlines of boxes seen from above."""

    place_m: Array
    """Centres of the rectangles, (n, 2). [m]"""
    half_m: Array
    """Half the length and half the width of each rectangle, (n, 2). [m]"""
    yaw_rad: Array
    """Direction of each rectangle's length, (n,). [rad]"""

    def rows(self, chosen: NDArray[np.intp]) -> LevelBoxes:
        """Return the rectangles with given indices, `chosen` (k,), as a record of k rectangles."""
        return LevelBoxes(*(column[chosen] for column in self))

    @property
    def axes(self) -> Array:
        """Unit vectors (x, y) along the length, then the width of each rectangle, (n, 2, 2)."""
        cos, sin = np.cos(self.yaw_rad), np.sin(self.yaw_rad)
        return np.stack([np.stack([cos, sin], axis=1), np.stack([-sin, cos], axis=1)], axis=1)

    @property
    def corners_m(self) -> Array:
        """Corners of the rectangles, counter-clockwise, (n, 4, 2) [m]."""
        signs = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
        local_m = signs * self.half_m[:, None]
        corners_m: Array = self.place_m[:, None] + local_m @ self.axes
        return corners_m

    @property
    def triangles_m(self) -> Array:
        """Two triangles for each rectangle, (2 n, 3, 2) [m]."""
        return self.corners_m[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3, 2)


class Obstacles:
    """Triangles in the horizontal plane; tests whether rectangles keep a distance from them.

    Parameters
    ----------
    triangles_m : float64 (n, 3, 2)
        Corners x, y of the triangles; they may have no area. [m]
    """

    def __init__(self, triangles_m: Array) -> None:
        low, high = triangles_m.min(axis=1), triangles_m.max(axis=1)
        large = (high - low).max(axis=1, initial=0.0) > LARGE_M
        self._triangles_m = triangles_m
        self._low, self._high = low, high
        self._large = np.flatnonzero(large)
        small = np.flatnonzero(~large)
        key, row = _cells(low[small], high[small])
        order = np.argsort(key, kind="stable")
        self._key, self._row = key[order], small[row[order]]

    def are_clear(self, boxes: LevelBoxes, margin_m: float) -> NDArray[np.bool_]:
        """Return whether each rectangle is at least a margin away from all triangles, bool (n,).

        The distance is the largest gap along a normal of a side of the rectangle or the triangle.
        It may be less than the true distance, but never more; so a rectangle that is clear is truly
        `margin_m` away.

        Parameters
        ----------
        boxes : LevelBoxes
            The n rectangles.
        margin_m : float
            Least distance; a negative one allows an overlap of that depth. [m]
        """
        clear = np.ones(len(boxes.place_m), np.bool_)
        for box, _ in self.too_near(boxes, margin_m):
            clear[box] = False
        return clear

    def too_near(
        self, boxes: LevelBoxes, margin_m: float
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield pairs of a rectangle and a triangle that are nearer to each other than a margin.

        Parameters
        ----------
        boxes : LevelBoxes
            The rectangles.
        margin_m : float
            Distance, as in `are_clear`, below which a pair is too near; a negative one allows an
            overlap of that depth. [m]

        Yields
        ------
        intp (k,), intp (k,)
            Row of the rectangle in `boxes`, and index of the triangle, for k pairs. A batch may be
            empty, and a pair may come twice.
        """
        for box, triangle in self._pairs(boxes, max(margin_m, 0.0)):
            near = _gap_m(boxes.rows(box), self._triangles_m[triangle]) < margin_m
            yield box[near], triangle[near]

    def _pairs(
        self, boxes: LevelBoxes, margin_m: float
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield batches of pairs of boxes and triangles whose bounds are near each other."""
        everyone = np.arange(len(boxes.place_m))
        for triangle in self._large:
            yield everyone, np.full(len(everyone), triangle)
        corners_m = boxes.corners_m
        low, high = corners_m.min(axis=1) - margin_m, corners_m.max(axis=1) + margin_m
        key, box = _cells(low, high)
        first = np.searchsorted(self._key, key, "left")
        count = np.searchsorted(self._key, key, "right") - first
        ends = np.cumsum(count)
        cuts = np.searchsorted(ends, np.arange(_MOST_PAIRS, ends[-1:].sum(), _MOST_PAIRS))
        for part in np.split(np.arange(len(key)), cuts):
            own = count[part]
            within = np.arange(own.sum()) - np.repeat(np.cumsum(own) - own, own)
            one, other = np.repeat(box[part], own), self._row[np.repeat(first[part], own) + within]
            meet = (self._low[other] <= high[one]) & (self._high[other] >= low[one])
            near = meet[:, 0] & meet[:, 1]
            yield one[near], other[near]


def _cells(low: Array, high: Array) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the keys of the grid cells that rectangles reach into, and each key's rectangle."""
    first = np.floor(low / CELL_M).astype(np.int64)
    size = np.floor(high / CELL_M).astype(np.int64) - first + 1
    count = size.prod(axis=1)
    row = np.repeat(np.arange(len(low)), count)
    k = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    i = first[row, 0] + k // size[row, 1]
    j = first[row, 1] + k % size[row, 1]
    return (i << 32) + j, row


def _gap_m(boxes: LevelBoxes, triangles_m: Array) -> Array:
    """Return the largest gap between each box and its triangle along a normal of a side [m].

    The gap is negative if box and triangle overlap.
    """
    x, y = np.moveaxis(triangles_m - boxes.place_m[:, None], 2, 0)  # (n, 3) each
    cos, sin = np.cos(boxes.yaw_rad), np.sin(boxes.yaw_rad)
    length_m, width_m = boxes.half_m.T
    ahead_m, aside_m = _apart_m(x, y, cos, sin, length_m), _apart_m(x, y, -sin, cos, width_m)
    widest_m = np.maximum(ahead_m, aside_m)
    for k in range(3):
        dx, dy = x[:, k] - x[:, k - 1], y[:, k] - y[:, k - 1]
        side_m = np.hypot(dx, dy)
        nx, ny = (-dy, dx) / np.maximum(side_m, 1e-9)
        reach_m = length_m * np.abs(nx * cos + ny * sin) + width_m * np.abs(ny * cos - nx * sin)
        gap_m = np.where(side_m > 1e-9, _apart_m(x, y, nx, ny, reach_m), -np.inf)
        widest_m = np.maximum(widest_m, gap_m)
    return widest_m


def _apart_m(x: Array, y: Array, nx: Array, ny: Array, reach_m: Array) -> Array:
    """Return the gap along a normal between points and a body of half extent `reach_m`.

    The body is centred on the origin.
    """
    along_m = x * nx[:, None] + y * ny[:, None]
    gap_m: Array = np.maximum(along_m.min(axis=1), -along_m.max(axis=1)) - reach_m
    return gap_m
