# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lane surfaces: pairs of points on the left and the right boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.parts import Strip
from lidar_scenery.roads.polylines import (
    LEAST_STEP_M,
    Array,
    Chain,
    along,
    directions,
    leftwards,
    stations_m,
    turned,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

MOST_TWIST_M = 0.01
"""Largest distance of a quad's corner from the plane of its other three corners; a quad that is
twisted more is divided by further stations. [m]"""
MOST_STEP_M = 100.0
"""Largest distance between two stations. [m]"""
MOST_STATIONS = 200_000
"""Largest number of stations of a lane: none are added if there would be more."""
FOLDED_M2 = 1e-4
"""Largest area of a triangle of a lane's surface that faces down before its quad counts as folded.
[m2]"""
MOST_EXTENSION_M = 15.0
"""Longest straight extension of a lane's boundary, such as of a broken line that ends with its last
dash, before the lane ends. [m]"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaneSurface:
    """The surface of one lane: quads between its left and its right boundary.

    Attributes
    ----------
    id : int
        OSI id of the lane.
    material : str
        Visual material.
    left, right : Chain
        Boundaries of the lane, both in the same direction.
    left_m, right_m : float64 (n, 3)
        Points on the boundaries. Row k of both is a pair; two pairs in a row bound a quad. [m]
    left_station_m, right_station_m : float64 (n,)
        Stations of the points in `left_m` and `right_m`, along the chains `left` and `right`. [m]
    folded : bool (n - 1,)
        Whether each quad is folded, so that a part of it faces down.
    area_m2 : float
        Area of the quads that are not folded, as seen from above. [m2]
    """

    id: int
    material: str
    left: Chain
    right: Chain
    left_m: Array
    right_m: Array
    left_station_m: Array
    right_station_m: Array
    folded: NDArray[np.bool_]
    area_m2: float

    def strips(self) -> Iterator[Strip]:
        """Yield one strip for each run of quads that are not folded; folded quads are left out."""
        edges = np.flatnonzero(np.diff(np.concatenate([[True], self.folded, [True]])))
        for first, last in edges.reshape(-1, 2):
            rows = slice(first, last + 1)
            yield Strip(
                material=self.material, left_m=self.left_m[rows], right_m=self.right_m[rows]
            )


def paired(lane_id: int, material: str, left: Chain, right: Chain) -> LaneSurface:
    """Return the surface of a lane between its left and its right boundary.

    Both points of a pair lie at the same fraction of the length of their boundary. There are pairs
    at all points of both boundaries, and more where quads are long or twisted.

    Parameters
    ----------
    lane_id : int
        OSI id of the lane.
    material : str
        Visual material of the surface.
    left, right : Chain
        The boundaries. In the result, each is reversed where needed, so that both run the same way
        with `left` on the left.
    """
    gaps = [
        np.linalg.norm(left.points_m[[0, -1]] - ends, axis=1).sum()
        for ends in (right.points_m[[0, -1]], right.points_m[[-1, 0]])
    ]
    right = turned(right) if gaps[1] < gaps[0] else right
    around = np.concatenate([left.points_m, right.points_m[::-1]])[:, :2]
    around -= around[0]  # far from the origin the products would lose digits
    if _cross(around, np.roll(around, -1, axis=0)).sum() > 0.0:  # left lies on the right
        left, right = turned(left), turned(right)
    return _united(lane_id, material, left, right)


def _united(lane_id: int, material: str, left: Chain, right: Chain) -> LaneSurface:
    own = [stations_m(chain.points_m) for chain in (left, right)]
    fraction = np.unique(np.concatenate([s / max(s[-1], 1e-9) for s in own]))
    keep = np.diff(fraction, prepend=-1.0) * max(s[-1] for s in own) > LEAST_STEP_M
    keep[0], keep[-1] = True, True
    fraction = _refined(fraction[keep], left.points_m, right.points_m, own)
    stations = [fraction * s[-1] for s in own]
    left_m, right_m = (
        along(chain.points_m, s, wanted)
        for chain, s, wanted in zip((left, right), own, stations, strict=True)
    )
    upward_m2 = _upward_m2(left_m, right_m)
    folded: NDArray[np.bool_] = np.any(upward_m2 < -FOLDED_M2, axis=0)
    return LaneSurface(
        id=lane_id,
        material=material,
        left=left,
        right=right,
        left_m=left_m,
        right_m=right_m,
        left_station_m=stations[0],
        right_station_m=stations[1],
        folded=folded,
        area_m2=float(upward_m2[:, ~folded].sum()),
    )


def _refined(fraction: Array, left_m: Array, right_m: Array, own: list[Array]) -> Array:
    """Return the fractions, with more in between so that each quad is short and nearly plane."""
    a = along(left_m, own[0], fraction * own[0][-1])
    c = along(right_m, own[1], fraction * own[1][-1])
    u, v, w = a[1:] - a[:-1], c[:-1] - a[:-1], c[1:] - a[:-1]
    normal = np.stack([_cross(u[:, k], v[:, k]) for k in ([1, 2], [2, 0], [0, 1])], axis=1)
    size = np.sqrt((normal * normal).sum(axis=1))
    twist_m = np.abs((normal * w).sum(axis=1)) / np.maximum(size, 1e-9)
    twist = np.where(size > 1e-6, twist_m, 0.0) / MOST_TWIST_M
    step_m = np.diff(fraction) * max(station_m[-1] for station_m in own)
    n = np.ceil(np.maximum(np.maximum(twist, step_m / MOST_STEP_M), 1.0))
    if (n == 1.0).all() or n.sum() > MOST_STATIONS:
        return fraction
    parts = [
        np.linspace(start, end, int(k), endpoint=False)
        for start, end, k in zip(fraction[:-1], fraction[1:], n, strict=True)
    ]
    return np.concatenate([*parts, fraction[-1:]])


def _upward_m2(left_m: Array, right_m: Array) -> Array:
    """Return the areas of the triangles as seen from above, negative where folded, (2, n) [m2]."""
    a, b, c, d = left_m[:-1, :2], left_m[1:, :2], right_m[:-1, :2], right_m[1:, :2]
    return 0.5 * np.stack([_cross(c - a, b - a), _cross(b - d, c - d)])


def _cross(u: Array, v: Array) -> Array:
    crossed: Array = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    return crossed


def beside(chain: Chain, width_m: float) -> Chain:
    """Return a line of points parallel to a chain, at a distance `width_m` to its left [m].

    ``chain`` (`Chain`) is the given line. If `width_m` is negative, the new line lies to the right.
    The result is a chain without `pieces`, since it consists of no lines of a message.
    """
    return Chain(chain.points_m + width_m * leftwards(chain.points_m), ())


def extended(chain: Chain, other: Chain) -> Chain:
    """Return a chain whose ends are extended straight until they are level with another's ends.

    An end is moved along the direction of the chain until it is beside the nearer end of `other`.
    It stays as it is if it lies beyond that already, or would move by more than `MOST_EXTENSION_M`.
    """
    partner = other.points_m
    near, far = chain.points_m[[0, -1]]
    if np.linalg.norm(partner[0] - near) > np.linalg.norm(partner[-1] - near):
        partner = partner[::-1]
    way = directions(chain.points_m)
    before_m = float((partner[0] - near) @ -way[0])
    after_m = float((partner[-1] - far) @ way[-1])
    points_m, pieces = chain.points_m, chain.pieces
    if LEAST_STEP_M < after_m <= MOST_EXTENSION_M:
        points_m = np.vstack([points_m, far + after_m * way[-1]])
    if LEAST_STEP_M < before_m <= MOST_EXTENSION_M:
        points_m = np.vstack([near - before_m * way[0], points_m])
        pieces = tuple(p._replace(start_m=p.start_m + before_m) for p in pieces)
    return Chain(points_m, pieces)
