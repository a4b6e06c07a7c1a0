# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Edges of lanes of which only the centreline is known: halfway to the neighbouring lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.polylines import Array, along, directions, leftwards, stations_m

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

LANE_WIDTH_M = 3.5
"""Width of lanes that have a centreline or one boundary only; RQ of German roads. [m]"""
NEIGHBOUR_M = 2.5, 5.0
"""Least and largest distance between the centrelines of neighbouring lanes. [m]"""
OVERLAP_M = 0.02
"""Distance by which each of two neighbouring lanes reaches beyond the middle between them, so that
no gap is left in curves. [m]"""

_STEP_M = 1.0  # between the places at which lanes are held against each other; more, of very many
_MOST_PLACES = 100_000
_MOST_NEAR = 64  # number of nearest points that are examined
_SAME_LEVEL_M, _PARALLEL = 1.0, np.cos(np.radians(15.0))


class Sides(NamedTuple):
    """Edges of a lane that were computed from its centreline.

    `left_m` and `right_m` (n, 3) are the points of both edges [m]. `has_neighbour` is true if
    another lane runs beside the lane, somewhere along it.
    """

    left_m: Array  # (n, 3)
    right_m: Array  # (n, 3)
    has_neighbour: bool  # whether another lane runs beside it, somewhere along it


def sides_of_centrelines(lines_m: Mapping[int, Array]) -> dict[int, Sides]:
    """Return the edges of lanes from their centrelines, by the OSI id of the lane.

    Where the centrelines of two lanes run side by side, in the same or in opposite directions, the
    edge lies halfway between them. Elsewhere a lane is `LANE_WIDTH_M` wide.

    Parameters
    ----------
    lines_m : mapping of int to float64 (n, 3)
        Centrelines by lane id, each with a length above 0. [m]
    """
    if not lines_m:
        return {}
    whole_m = sum(float(stations_m(line_m)[-1]) for line_m in lines_m.values())
    step_m = max(_STEP_M, whole_m / _MOST_PLACES)
    fine_m = {lane: _fine(line_m, step_m) for lane, line_m in lines_m.items()}
    lengths = [len(each) for each in fine_m.values()]
    places = _Places(
        owner=np.repeat(np.arange(len(fine_m)), lengths),
        place_m=np.concatenate(list(fine_m.values())),
        way=np.concatenate([directions(each) for each in fine_m.values()]),
        left=np.concatenate([leftwards(each) for each in fine_m.values()]),
    )
    apart_m = _to_neighbours_m(places, step_m)
    is_known = np.isfinite(apart_m)
    half_m = np.where(is_known, 0.5 * apart_m + OVERLAP_M, 0.5 * LANE_WIDTH_M)
    edges = {}
    for lane, end in zip(fine_m, np.cumsum(lengths), strict=True):
        own = slice(end - len(fine_m[lane]), end)
        edges[lane] = Sides(
            places.place_m[own] + half_m[own, :1] * places.left[own],
            places.place_m[own] - half_m[own, 1:] * places.left[own],
            bool(is_known[own].any()),
        )
    return edges


class _Places(NamedTuple):
    """Points on all centrelines: lane index, position, directions along and to the left."""

    owner: NDArray[np.int64]
    place_m: Array
    way: Array
    left: Array


def _to_neighbours_m(places: _Places, step_m: float) -> Array:
    """Return the distances (n, 2) to the next centreline on the left and right; inf if none."""
    from scipy.spatial import cKDTree  # noqa: PLC0415  slow to import, and few traces need it

    owner, place_m, way, left = places
    away_m, near = cKDTree(place_m[:, :2]).query(
        place_m[:, :2],
        min(_MOST_NEAR, len(place_m)),
        distance_upper_bound=float(np.hypot(NEIGHBOUR_M[1], step_m)),
    )
    here, rank = np.nonzero(np.isfinite(away_m.reshape(len(place_m), -1)))
    there = near.reshape(len(place_m), -1)[here, rank]
    offset_m = place_m[there] - place_m[here]
    aside_m = (offset_m * left[here]).sum(axis=1)
    fits = (
        (owner[there] != owner[here])
        & (np.abs((way[there] * way[here]).sum(axis=1)) > _PARALLEL)
        & (np.abs(offset_m[:, 2]) < _SAME_LEVEL_M)
        & (np.abs((offset_m * way[here]).sum(axis=1)) <= step_m)
        & (np.abs(aside_m) >= NEIGHBOUR_M[0])
        & (np.abs(aside_m) <= NEIGHBOUR_M[1])
    )
    apart_m = np.full((len(place_m), 2), np.inf)
    side = (aside_m[fits] < 0.0).astype(np.intp)
    np.minimum.at(apart_m, (here[fits], side), np.abs(aside_m[fits]))
    return apart_m


def _fine(line_m: Array, step_m: float) -> Array:
    """Return a line with further points, so that points are at most a step apart."""
    own_m = stations_m(line_m)
    n = int(np.ceil(own_m[-1] / step_m))
    wanted_m = np.union1d(own_m, np.linspace(0.0, own_m[-1], n + 1))
    wanted_m = wanted_m[np.diff(wanted_m, prepend=-1.0) > 1e-6]
    return along(line_m, own_m, wanted_m)
