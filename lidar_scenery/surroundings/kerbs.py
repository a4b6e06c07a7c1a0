# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The outer edges of a network of lanes, as long lines with the road on their left."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.polylines import Array, along, leftwards, stations_m
from lidar_scenery.surroundings.clearance import LevelBoxes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lidar_scenery.roads.parts import RoadParts
    from lidar_scenery.surroundings.clearance import Obstacles

STEP_M = 1.0
"""Spacing of the points at which edges are examined, if there are not too many. [m]"""
MOST_PLACES = 400_000
"""Largest number of points at which edges are examined; larger worlds have a wider spacing."""
BESIDE_M = 0.6
"""An edge is an outer edge where no lane lies within this distance beside it. [m]"""
EDGE_M = 0.02
"""Distance from an edge at which the search for lanes beside it begins. Lanes that reach at most
half of it beyond the edge are not found. [m]"""
JOINED_M = 3.0
"""Edges whose ends are closer than this are joined to one line. [m]"""
LEAST_M = 6.0
"""Shorter lines are left out. [m]"""

_BENT = np.cos(np.radians(50.0))  # lines that turn by more at their ends are not joined


class Kerb(NamedTuple):
    """An outer edge of a road as a line; the road is on its left, free ground on its right."""

    station_m: Array
    """Distance of each point from the start of the edge, along the edge, (n,). [m]"""
    points_m: Array
    """Points of the edge, (n, 3). [m]"""
    outward: Array
    """Horizontal unit vector away from the road at each point, (n, 2)."""

    @property
    def length_m(self) -> float:
        """Length of the edge [m]."""
        return float(self.station_m[-1])

    def beside(self, station_m: Array, setback_m: Array) -> tuple[Array, Array]:
        """Return places beside the edge, on the free ground, and the headings of the edge there.

        Parameters
        ----------
        station_m : float64 (n,)
            Distance of each place along the edge. [m]
        setback_m : float64 (n,)
            Distance of each place from the edge. [m]

        Returns
        -------
        float64 (n, 2)
            x, y of the places. [m]
        float64 (n,)
            Headings of the edge, the direction in which stations rise. [rad]
        """
        columns = np.hstack([self.points_m[:, :2], self.outward])
        at = along(columns, self.station_m, station_m)
        outward = at[:, 2:] / np.maximum(np.linalg.norm(at[:, 2:], axis=1, keepdims=True), 1e-9)
        return at[:, :2] + setback_m[:, None] * outward, np.arctan2(outward[:, 0], -outward[:, 1])


def kerbs(parts: RoadParts, lanes: Obstacles) -> list[Kerb]:
    """Return the outer edges of the roads of a road world: open edges, then closed rings.

    Both come in the order of the strips in which they begin. Edges whose ends are close are joined.
    Edges shorter than `LEAST_M` are left out.

    Parameters
    ----------
    parts : RoadParts
        The road world.
    lanes : Obstacles
        All triangles of its road surfaces. An edge that has one of them beside it is inside the
        road, so it is no outer edge.
    """
    edges_m = [
        line_m
        for strip in parts.strips
        if strip.material.startswith("road_") and len(strip.left_m) > 1
        for line_m in (strip.right_m, strip.left_m[::-1])
    ]
    whole_m = sum(float(stations_m(line_m)[-1]) for line_m in edges_m)
    step_m = max(STEP_M, whole_m / MOST_PLACES)
    fine = [_fine(line_m, step_m) for line_m in edges_m]
    fine = [line_m for line_m in fine if len(line_m) > 1]
    if not fine:
        return []
    lines_m = _joined(list(_outer(fine, lanes)))
    return [kerb for line_m in lines_m if (kerb := _kerb(line_m, step_m)).length_m >= LEAST_M]


def _fine(line_m: Array, step_m: float) -> Array:
    """Return a line as points about a step apart."""
    own_m = stations_m(line_m)
    n = int(np.ceil(own_m[-1] / step_m))
    return along(line_m, own_m, np.linspace(0.0, own_m[-1], n + 1))


def _outward(line_m: Array) -> Array:
    """Return horizontal unit vectors to the right of a line, (n, 2)."""
    right = -leftwards(line_m)[:, :2]
    unit: Array = right / np.maximum(np.linalg.norm(right, axis=1, keepdims=True), 1e-9)
    return unit


def _outer(lines_m: Sequence[Array], lanes: Obstacles) -> Iterator[Array]:
    """Yield the stretches of lines without a lane on their right."""
    outward = np.vstack([_outward(line_m) for line_m in lines_m])
    beside_m = np.vstack(lines_m)[:, :2] + 0.5 * BESIDE_M * outward
    half_m = np.broadcast_to([0.5 * BESIDE_M - EDGE_M, EDGE_M], beside_m.shape)
    yaw_rad = np.arctan2(outward[:, 1], outward[:, 0])
    free = lanes.are_clear(LevelBoxes(beside_m, half_m, yaw_rad), 0.5 * EDGE_M)
    start = 0
    for line_m in lines_m:
        own = free[start : start + len(line_m)]
        start += len(line_m)
        ends = np.flatnonzero(np.diff(np.concatenate([[False], own, [False]]).astype(np.int8)))
        for first, last in ends.reshape(-1, 2):
            if last - first > 1:
                yield line_m[first:last]


def _joined(lines_m: list[Array]) -> list[Array]:
    """Return the lines, with lines joined where one continues another."""
    after = _next_of(lines_m)
    has_one_before = set(after.values())
    starts = [k for k in range(len(lines_m)) if k not in has_one_before]
    joined, used = [], set[int]()
    for start in [*starts, *range(len(lines_m))]:  # the latter begin rings
        row: list[Array] = []
        k: int | None = start
        while k is not None and k not in used:
            used.add(k)
            row.append(lines_m[k])
            k = after.get(k)
        if row:
            joined.append(np.vstack(row))
    return joined


def _next_of(lines_m: Sequence[Array]) -> dict[int, int]:
    """Return for each line, by index, the nearest line that continues it; each is used once."""
    starts_m = np.array([line_m[0] for line_m in lines_m]).reshape(-1, 3)
    by_x = np.argsort(starts_m[:, 0], kind="stable")
    x_m = starts_m[by_x, 0]
    pairs: list[tuple[float, int, int]] = []
    for one, line_m in enumerate(lines_m):
        window = slice(*np.searchsorted(x_m, line_m[-1, 0] + np.array([-JOINED_M, JOINED_M])))
        leaves = _way(line_m[-2], line_m[-1])
        for other in by_x[window].tolist():
            apart_m = float(np.linalg.norm(starts_m[other] - line_m[-1]))
            begins = _way(lines_m[other][0], lines_m[other][1])
            if one != other and apart_m <= JOINED_M and float(leaves @ begins) >= _BENT:
                pairs.append((apart_m, one, other))
    after: dict[int, int] = {}
    taken = set[int]()
    for _, one, other in sorted(pairs):
        if one not in after and other not in taken:
            after[one] = other
            taken.add(other)
    return after


def _way(a: Array, b: Array) -> Array:
    way = (b - a)[:2]
    unit: Array = way / max(float(np.hypot(*way)), 1e-9)
    return unit


def _kerb(line_m: Array, step_m: float) -> Kerb:
    keep = np.linalg.norm(np.diff(line_m, axis=0, prepend=line_m[:1] - 1.0), axis=1) > 1e-3
    points_m = _fine(line_m[keep], step_m) if keep.sum() > 1 else line_m[:2]
    return Kerb(stations_m(points_m), points_m, _outward(points_m))
