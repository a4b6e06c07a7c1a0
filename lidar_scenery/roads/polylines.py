# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines of points: lengths, points along them, perpendiculars, chains and pairs of lines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = NDArray[np.float64]

LEAST_STEP_M = 1e-4
"""Least distance between two stations of a lane's boundaries that are kept apart. [m]"""
MOST_MITRE = 2.0
"""Largest factor by which the shift of a line at a corner exceeds the shift along its segments.
[1]"""


class Piece(NamedTuple):
    """One of the lines that a `Chain` joins, and where it lies along the chain.

    `id` is the OSI id of the line. `length_m` is the length of the line [m]. `is_reversed` is true
    if the chain runs from the line's end to its start.
    """

    id: int  # OSI id of the line
    start_m: float
    """Station of the chain at which the line begins. [m]"""
    length_m: float
    is_reversed: bool  # whether the chain runs along the line from its end to its start


class Chain(NamedTuple):
    """Several lines of points joined end to end into one line.

    `points_m` (n, 3) has the points of all lines, and `pieces` the lines, both in the order of the
    chain [m].
    """

    points_m: Array  # points of all lines, (n, 3)
    pieces: tuple[Piece, ...]  # the lines, in the order of the chain


def stations_m(points_m: Array) -> Array:
    """Return the station of each point of a line: the length of the line up to it, (n,) [m].

    ``points_m`` has the points of the line in order, float64 (n, 3), at least one [m].
    """
    step = points_m[1:] - points_m[:-1]
    station_m = np.zeros(len(points_m))
    np.cumsum(np.sqrt((step * step).sum(axis=1)), out=station_m[1:])
    return station_m


def along(points_m: Array, own_m: Array, wanted_m: Array) -> Array:
    """Return values of a line at given stations, interpolated linearly, (k, n_column).

    Beyond the ends of the line, the values at its ends are used.

    Parameters
    ----------
    points_m : float64 (n, n_column)
        Values at the points of the line, such as the coordinates x, y, z.
    own_m : float64 (n,)
        Stations of these points, rising. [m]
    wanted_m : float64 (k,)
        Stations at which values are wanted. [m]
    """
    return np.stack([np.interp(wanted_m, own_m, column) for column in points_m.T], axis=1)


def directions(points_m: Array) -> Array:
    """Return the direction of a line at each point, unit vectors (n, 3).

    ``points_m`` has the points of the line in order, float64 (n, 3), at least two [m]. The
    direction is the mean direction of the segments before and after the point.
    """
    step = np.diff(points_m, axis=0)
    step /= np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-12)
    mean = np.concatenate([step[:1], step[:-1] + step[1:], step[-1:]])
    length = np.linalg.norm(mean, axis=1, keepdims=True)
    return np.where(length > 1e-6, mean / np.maximum(length, 1e-12), np.vstack([step[:1], step]))


def leftwards(points_m: Array) -> Array:
    """Return horizontal vectors, one for each point of a line, that shift it to its left, (n, 3).

    ``points_m`` has the points of the line in order, float64 (n, 3), at least two [m]. The shifted
    line is 1 m beside the original. At corners the vectors are longer (mitred), but by at most the
    factor `MOST_MITRE`.
    """
    step = np.diff(points_m[:, :2], axis=0)
    step /= np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-12)
    normal = np.stack([-step[:, 1], step[:, 0]], axis=1)
    before, after = np.vstack([normal[:1], normal]), np.vstack([normal, normal[-1:]])
    mean = before + after
    length = np.linalg.norm(mean, axis=1, keepdims=True)
    mean = np.where(length > 1e-6, mean / np.maximum(length, 1e-12), after)
    stretch = 1.0 / np.maximum((mean * after).sum(axis=1), 1.0 / MOST_MITRE)
    return np.column_stack([mean * stretch[:, None], np.zeros(len(mean))])


def chained(lines: Sequence[tuple[int, Array]]) -> Chain:
    """Return lines joined at their nearest ends as one chain.

    ``lines`` has a pair for each line, at least one: its OSI id, and its points, float64 (n, 3)
    [m]. Order and directions of the lines do not matter; the chain has the direction of the first
    line.
    """
    own_id, line = lines[0]
    row = [(own_id, line, False)]
    rest = list(lines[1:])
    while rest:
        index, at_end, is_reversed = _nearest(rest, row[0][1][0], row[-1][1][-1])
        own_id, line = rest.pop(index)
        joined = (own_id, line[::-1] if is_reversed else line, is_reversed)
        row = [*row, joined] if at_end else [joined, *row]
    points_m = np.concatenate([line for _, line, _ in row])
    lengths_m = [float(stations_m(line)[-1]) for _, line, _ in row]
    bridges_m = [
        float(np.linalg.norm(after[1][0] - before[1][-1])) for before, after in pairwise(row)
    ]
    starts_m = np.cumsum([0.0, *(a + b for a, b in zip(lengths_m, bridges_m, strict=False))])
    pieces = tuple(
        Piece(own_id, float(start_m), length_m, is_reversed)
        for (own_id, _, is_reversed), start_m, length_m in zip(
            row, starts_m, lengths_m, strict=True
        )
    )
    return Chain(points_m, pieces)


def _nearest(
    lines: Sequence[tuple[int, Array]], start_m: Array, end_m: Array
) -> tuple[int, bool, bool]:
    """Return the line nearest to the start or end of a chain.

    The result is its index, whether it joins at the end, and whether it must be reversed.
    """
    firsts = np.stack([line[0] for _, line in lines])
    lasts = np.stack([line[-1] for _, line in lines])
    ways = [(firsts - end_m), (lasts - end_m), (lasts - start_m), (firsts - start_m)]
    distance_m = np.linalg.norm(np.stack(ways), axis=2)
    way, index = np.unravel_index(np.argmin(distance_m), distance_m.shape)
    return int(index), bool(way < 2), bool(way % 2)


def turned(chain: Chain) -> Chain:
    """Return a copy of ``chain`` (`Chain`) whose points and pieces run in the other direction."""
    whole_m = float(stations_m(chain.points_m)[-1])
    pieces = tuple(
        Piece(p.id, whole_m - p.start_m - p.length_m, p.length_m, not p.is_reversed)
        for p in reversed(chain.pieces)
    )
    return Chain(chain.points_m[::-1], pieces)
