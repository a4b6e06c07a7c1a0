# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines on the road: where they are painted, and ribbons that lie on the lanes beside them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.parts import MARKING_LIFT_M, Strip
from lidar_scenery.roads.polylines import Array, along, directions, leftwards, stations_m

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lidar_scenery.roads.rules import Dashes
    from lidar_scenery.roads.surfaces import LaneSurface
    from osi_bridge import BoundaryLine

LINE_WIDTH_M = 0.12
"""Width of a line where the message states none; narrow lines in Germany (RMS). [m]"""
MOST_DASHES = 100_000
"""Largest number of dashes of a line whose dashes are not stated; with more, it is drawn solid."""
JOINED_M = 0.05
"""Largest distance from the end of a broken line to the start of a line for which the second line
continues the first one. [m]"""
SAME_SLOPE_M = 2e-4
"""If the middle of a ribbon is higher or lower than the mean of its edges by more than this, the
ribbon is divided into a left and a right half. [m]"""

_START, _CONTINUE = 2, 3  # of OSI's enumeration Dash
_LONGEST_DASH_M = 20.0
_EQUAL = 0.05  # dashes of one line differ by less, and gaps, as a fraction
_MOST_FURTHER = 0.25  # of the points may lie within dashes
_DISTINCT = 0.2  # and gaps differ from dashes by more: else the points are points of a curve
_YELLOW = {"YELLOW", "ORANGE"}


class Neighbour(NamedTuple):
    """The surface of one lane beside a lane boundary.

    `material` is the visual material of the surface, such as "road_asphalt".
    """

    is_left: bool
    """Whether the surface lies on the left of the boundary, along the boundary's direction."""
    station_m: Array
    """Stations along the boundary, rising, (n,). [m]"""
    across_m: Array
    """Vectors across the lane from the boundary to its other side, one for each station, (n, 3).
    [m]"""
    material: str


def neighbours(surfaces: Iterable[LaneSurface]) -> dict[int, list[Neighbour]]:
    """Return the lane surfaces beside each lane boundary, by the OSI id of the boundary.

    `surfaces` has all lanes. A lane is beside each line that its left or right boundary consists
    of.
    """
    found: dict[int, list[Neighbour]] = {}
    for surface in surfaces:
        across_m = surface.right_m - surface.left_m
        sides = (
            (surface.left, surface.left_station_m, across_m, False),
            (surface.right, surface.right_station_m, -across_m, True),
        )
        for chain, station_m, across, is_left in sides:
            for piece in chain.pieces:
                local_m = station_m - piece.start_m
                rows = np.flatnonzero((local_m > -0.5) & (local_m < piece.length_m + 0.5))
                if piece.is_reversed:
                    rows, local_m = rows[::-1], piece.length_m - local_m
                if len(rows):
                    beside = Neighbour(
                        is_left != piece.is_reversed, local_m[rows], across[rows], surface.material
                    )
                    found.setdefault(piece.id, []).append(beside)
    return found


def color_material(line: BoundaryLine) -> str:
    """Return the material of a line: "marking_yellow" if yellow or orange, else "marking_white".

    ``line`` (`BoundaryLine`) is the lane boundary. The name of its colour decides. If this is
    unknown or other, the RGB values decide.
    """
    if line.color_name in {"UNKNOWN", "OTHER"} and line.color is not None:
        red, green, blue = line.color
        return "marking_yellow" if 2.0 * blue < min(red, green) else "marking_white"
    return "marking_yellow" if line.color_name in _YELLOW else "marking_white"


def stated_dashes_m(line: BoundaryLine) -> Array | None:
    """Return the start and the end of each dash that a message states, as stations, (n, 2) [m].

    ``line`` (`BoundaryLine`) is the lane boundary. The message states dashes by the field `dash` of
    the line's points. Otherwise the points themselves may be the ends of dashes, if a dash of one
    length alternates with a gap of another length. Return None if the message states dashes in
    neither way.
    """
    station_m = stations_m(line.points_m)
    if (line.dash >= _START).any():
        painted = np.isin(line.dash[:-1], (_START, _CONTINUE))
        edges = np.flatnonzero(np.diff(np.concatenate([[False], painted, [False]])))
        dashes_m: Array = station_m[edges.reshape(-1, 2)]
        return dashes_m
    return _dashes_between_m(station_m)


def _dashes_between_m(station_m: Array) -> Array | None:
    """Return the dashes of a line whose points are the ends of dashes; None if they are not.

    The first step is the length of a dash, the second the length of a gap. Further points may lie
    within dashes, and the line may end within a dash or a gap.
    """
    if len(station_m) < 4:
        return None
    dash_m, gap_m = (float(step) for step in np.diff(station_m[:3]))
    if dash_m > _LONGEST_DASH_M or abs(gap_m - dash_m) < _DISTINCT * dash_m:
        return None
    rows = []
    start, last = 0, len(station_m) - 1
    while start < last:
        stop = _point_after(station_m, start, dash_m)
        following = _point_after(station_m, stop, gap_m)
        longest_m = (1.0 + _EQUAL) * np.array([dash_m, gap_m])
        steps_m = np.diff(station_m[[start, stop, following]])
        if (steps_m > longest_m).any() or following > stop + 1:
            return None  # a step that is neither a dash nor a gap
        rows.append((start, stop))
        start = following
    if 2 * len(rows) < (1.0 - _MOST_FURTHER) * len(station_m):
        return None
    dashes_m: Array = station_m[np.array(rows)]
    return dashes_m


def _point_after(station_m: Array, start: int, step_m: float) -> int:
    """Return the index of the first point a step (less a tolerance) ahead, else of the last."""
    wanted_m = station_m[start] + (1.0 - _EQUAL) * step_m
    return min(int(np.searchsorted(station_m, wanted_m)), len(station_m) - 1)


def regular_dashes_m(length_m: float, offset_m: float, dashes: Dashes) -> Array:
    """Return the start and the end of each dash of a regular broken line, as stations, (n, 2) [m].

    Dashes are cut at both ends of the line.

    Parameters
    ----------
    length_m : float
        Length of the line. [m]
    offset_m : float
        Total length of the lines that this line continues: the pattern begins that far before this
        line. [m]
    dashes : Dashes
        Lengths of dashes and gaps. A line that would have more than `MOST_DASHES` dashes becomes
        one dash of its whole length.
    """
    period_m = dashes.dash_m + dashes.gap_m
    if length_m > MOST_DASHES * period_m:
        return np.array([[0.0, length_m]])
    first = np.floor(offset_m / period_m)
    start_m = np.arange(first, (offset_m + length_m) / period_m) * period_m - offset_m
    ends_m: Array = np.stack([start_m, start_m + dashes.dash_m], axis=1).clip(0.0, length_m)
    return ends_m[ends_m[:, 1] - ends_m[:, 0] > 1e-3]


def offsets_m(lines: Sequence[BoundaryLine]) -> Mapping[int, float]:
    """Return how much length of broken lines leads up to each line, by OSI id [m].

    ``lines`` (sequence of `BoundaryLine`) has all broken lines. A line continues another line if
    that line ends within `JOINED_M` of its start. The result adds up the lengths of all lines that
    a line continues, one after the other, so that the pattern of dashes goes on from line to line.
    It is 0 for a line that continues no other, and for one line of each ring. Where lines fork,
    only one of them continues; where lines meet, only one of them is continued.
    """
    starts: dict[tuple[int, ...], list[BoundaryLine]] = {}
    for line in lines:
        starts.setdefault(_cell(line.points_m[0]), []).append(line)
    following: dict[int, BoundaryLine] = {}
    for line in lines:
        end_m = line.points_m[-1]
        for other in (each for cell in _cells(end_m) for each in starts.get(cell, ())):
            near = float(np.linalg.norm(other.points_m[0] - end_m)) <= JOINED_M
            if near and other is not line:
                following.setdefault(line.id, other)
    continued = {line.id for line in following.values()}
    offset_m: dict[int, float] = {}
    heads = [line for line in lines if line.id not in continued]
    for head in (*heads, *lines):  # those left are parts of rings
        each: BoundaryLine | None = head
        length_m = 0.0
        while each is not None and each.id not in offset_m:
            offset_m[each.id] = length_m
            length_m += float(stations_m(each.points_m)[-1])
            each = following.get(each.id)
    return offset_m


def _cell(point_m: Array) -> tuple[int, ...]:
    return tuple(np.floor(point_m[:2] / JOINED_M).astype(int).tolist())


def _cells(point_m: Array) -> Iterator[tuple[int, ...]]:
    x, y = _cell(point_m)
    return ((x + i, y + j) for i in (0, -1, 1) for j in (0, -1, 1))


def ribbons(line: BoundaryLine, painted_m: Array, beside: Sequence[Neighbour]) -> Iterator[Strip]:
    """Yield the painted parts of a line as strips that follow the slope of the lanes on both sides.

    Each part becomes one strip, or two if the lanes meet at an angle.

    Parameters
    ----------
    line : BoundaryLine
        The line. A width of 0 counts as `LINE_WIDTH_M`.
    painted_m : float64 (n, 2)
        Start and end of each painted part, as stations along the line. [m]
    beside : sequence of Neighbour
        Lane surfaces beside the line.
    """
    own_m = stations_m(line.points_m)
    more = [each.station_m for each in beside]
    station_m = np.unique(np.concatenate([own_m, painted_m.ravel(), *more]).clip(0.0, own_m[-1]))
    center = along(line.points_m, own_m, station_m)
    half_m = 0.5 * np.interp(station_m, own_m, np.where(line.width_m, line.width_m, LINE_WIDTH_M))
    ahead = along(directions(line.points_m), own_m, station_m)
    aside = along(leftwards(line.points_m), own_m, station_m) * half_m[:, None]
    sides = [[each for each in beside if each.is_left is is_left] for is_left in (True, False)]
    left = aside + _rise(aside, ahead, station_m, sides[0] or sides[1])
    right = -aside + _rise(-aside, ahead, station_m, sides[1] or sides[0])
    center[:, 2] += MARKING_LIFT_M
    crowned = (np.abs(left[:, 2] + right[:, 2]) > 2.0 * SAME_SLOPE_M).any()
    lines = [left, 0.0 * left, right] if crowned else [left, right]
    first = np.searchsorted(station_m, painted_m[:, 0])
    last = np.searchsorted(station_m, painted_m[:, 1], side="right")
    for start, stop in zip(first, last, strict=True):
        for a, b in pairwise(lines):
            yield Strip(
                material=color_material(line),
                left_m=center[start:stop] + a[start:stop],
                right_m=center[start:stop] + b[start:stop],
            )


def _rise(aside: Array, ahead: Array, station_m: Array, beside: Sequence[Neighbour]) -> Array:
    """Return the rise of the surface from the line to points `aside`, as vectors (n, 3)."""
    rise = np.zeros_like(aside)
    if beside:
        across = along(beside[0].across_m, beside[0].station_m, station_m)
        turn = ahead[:, 0] * across[:, 1] - ahead[:, 1] * across[:, 0]
        usable = np.abs(turn) > 0.1 * np.linalg.norm(across, axis=1)
        share = np.where(usable, turn, 1.0)
        a = (aside[:, 0] * across[:, 1] - aside[:, 1] * across[:, 0]) / share
        b = (ahead[:, 0] * aside[:, 1] - ahead[:, 1] * aside[:, 0]) / share
        rise[:, 2] = np.where(usable, a * ahead[:, 2] + b * across[:, 2], 0.0)
    return rise
