# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Road marks: the painted lines along the borders of lanes."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.opendrive.records import MarkLine
from lidar_scenery.roads.opendrive.ribbons import pieces, ribbons
from lidar_scenery.roads.parts import MARKING_LIFT_M, Strip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.records import MapLane, Road, RoadMark
    from lidar_scenery.roads.opendrive.remarks import MapRemarks
    from lidar_scenery.roads.opendrive.sections import SectionSurface
    from lidar_scenery.roads.rules import MarkingRules

WIDTH_M, BOLD_M = 0.12, 0.25
"""Widths of narrow and broad lines where the map states none (RMS-1 1993, country roads). [m]"""
DOT_M, DOT_HEIGHT_M, DOT_GAP_M = 0.1, 0.019, 0.9
"""Diameter and height of Botts' dots (4 in by 3/4 in), and the gap where none is stated. [m]"""
MOST_DASHES = 100_000
"""Largest number of dashes of a road mark; a mark with more is left out."""

_COLORS = MappingProxyType(
    {
        "standard": "marking_white",
        "white": "marking_white",
        "yellow": "marking_yellow",
        "orange": "marking_yellow",
        "amber": "marking_yellow",
    }
)
_COUNTRIES = MappingProxyType(
    {
        "CN": 156,
        "FR": 250,
        "DE": 276,
        "SE": 752,
        "GB": 826,
        "UK": 826,
        "US": 840,
        "CHN": 156,
        "FRA": 250,
        "DEU": 276,
        "SWE": 752,
        "GBR": 826,
        "USA": 840,
    }
)
"""Numbers of countries in ISO 3166-1, by their codes of two and three letters."""

_NOT_PAINTED = frozenset({"none", "edge"})
_STATED_MATERIALS = MappingProxyType({"curb": "kerb_stone", "grass": "ground_grass"})
_CONTINUOUS = MarkLine(0.0, 0.0, 0.0, 0.0, None)
_LEAST_FACE_M = 0.01


class MarkBook(NamedTuple):
    """Rules for dashes that a map does not state, and the notes on guesses about road marks.

    Attributes
    ----------
    rules : MarkingRules
        Dashes and gaps of broken lines whose dashes the map does not state.
    remarks : MapRemarks
        Takes notes on guesses and on marks that are left out.
    """

    rules: MarkingRules
    remarks: MapRemarks  # takes the notes


class Stretch(NamedTuple):
    """The stretch of a road along which a road mark is painted."""

    origin_m: float
    """Station from which the mark's offsets count; its pattern of dashes begins there. [m]"""
    start_m: float
    """Station at which the painted stretch begins. [m]"""
    stop_m: float
    """Station at which the painted stretch ends. [m]"""


def mark_strips(surface: SectionSurface, road: Road, book: MarkBook) -> Iterator[Strip]:
    """Yield the road marks of a lane section as strips a little above its surface.

    Parameters
    ----------
    surface : SectionSurface
        The sampled surface of the lane section, in the world. [m]
    road : Road
        The road of the section.
    book : MarkBook
        Rules for broken lines. Its ``remarks`` take notes on guesses and on marks that are left
        out.
    """
    section = surface.section
    centre = [section.centre] if section.centre else []
    for lane in (*centre, *section.left, *section.right):
        offsets = [lane.start_m + mark.s_offset_m for mark in lane.marks]
        stops = [*offsets, section.end_m][1:]
        for mark, origin, stop in zip(lane.marks, offsets, stops, strict=True):
            held = Stretch(origin, max(origin, section.start_m), min(stop, section.end_m))
            if held.start_m < held.stop_m and mark.kind not in _NOT_PAINTED:
                yield from _Painter(surface, road, lane, mark, book).strips(held)


def material_of(color: str, remarks: MapRemarks, name: str) -> str:
    """Return the visual material for a colour of paint, "marking_white" or "marking_yellow".

    An unknown colour becomes white, with a note.

    Parameters
    ----------
    color : str
        Name of the colour in the map, such as "yellow"; empty for the standard colour, white.
    remarks : MapRemarks
        Takes the note on an unknown colour.
    name : str
        Name of the painted part in the note.
    """
    material = _COLORS.get(color or "standard")
    if material is None:
        material = "marking_white"
        remarks.add(name, material, f"its colour is {color!r:.40}")
    return material


class _Painter(NamedTuple):
    """Drawer of one mark of a lane."""

    surface: SectionSurface
    road: Road
    lane: MapLane
    mark: RoadMark
    book: MarkBook

    @property
    def name(self) -> str:
        return f"road {self.road.name}, lane {self.lane.number}, mark {self.mark.kind!r:.40}"

    def strips(self, stretch: Stretch) -> Iterator[Strip]:
        """Return the strips of the mark along a stretch."""
        mark, border = self.mark, self.surface.outer_t_m(self.lane)
        for line in self._lines():
            material = _STATED_MATERIALS.get(mark.kind) or material_of(
                line.color or mark.color, self.book.remarks, self.name
            )
            intervals = _intervals(line, mark, stretch)
            if intervals is None:
                reason = f"it has dashes of no length, or over {MOST_DASHES}"
                self.book.remarks.add(self.name, "nothing", reason)
                continue
            middle, half = border + line.t_offset_m, 0.5 * (line.width_m or 0.0)
            for ribbon in ribbons(self.surface, middle + half, middle - half):
                for piece in pieces(self.surface.s_m, ribbon, intervals):
                    yield from _raised(material, piece, _height_m(mark))

    def _lines(self) -> list[MarkLine]:
        """Return the lines of the mark, each with its width."""
        mark = self.mark
        if mark.sways:
            self.book.remarks.add(self.name, "without sway", "the sway of marks is not read")
        usual = BOLD_M if mark.bold else WIDTH_M
        width = mark.width_m if mark.width_m is not None else usual
        lines = mark.lines or self._usual_lines(width)
        if not lines:
            reason = "it describes no lines, and its type has no default lines"
            self.book.remarks.add(self.name, "nothing", reason)
        if mark.width_m is None and any(line.width_m is None for line in lines):
            self.book.remarks.add(self.name, f"{width:g} m wide", "its width is not stated")
        lines = [line._replace(width_m=line.width_m or width) for line in lines]
        if any(not line.width_m for line in lines):
            self.book.remarks.add(self.name, "nothing", "its width is 0")
        return [line for line in lines if line.width_m and line.width_m > 0.0]

    def _usual_lines(self, width_m: float) -> list[MarkLine]:
        """Return the lines of a type of mark; the lines of a pair are one line width apart.

        The type of a pair, such as "solid broken", names the inner line first; at the centre lane
        it names the left line first.
        """
        kind = self.mark.kind
        if kind == "botts dots":
            return [MarkLine(DOT_M, DOT_GAP_M, 0.0, 0.0, DOT_M)]
        if kind in _STATED_MATERIALS:
            return [_CONTINUOUS]
        words = kind.split()
        if not words or len(words) > 2 or not {*words} <= {"solid", "broken"}:
            return []
        lines = [self._broken() if word == "broken" else _CONTINUOUS for word in words]
        if len(lines) == 1:
            return lines
        first = -width_m if self.lane.number > 0 else width_m
        return [line._replace(t_offset_m=t) for line, t in zip(lines, (first, -first), strict=True)]

    def _broken(self) -> MarkLine:
        """Return a broken line with the usual dashes of the road's country and type."""
        country = _COUNTRIES.get(self.road.country.upper(), 0)
        dashes, used = self.book.rules.dashes(country, motorway=self.road.kind == "motorway")
        self.book.remarks.add(self.name, used, "its dashes are not stated")
        return MarkLine(dashes.dash_m, dashes.gap_m, 0.0, 0.0, None)


def _height_m(mark: RoadMark) -> float:
    if mark.kind == "curb":
        return max(mark.height_m, MARKING_LIFT_M)
    return DOT_HEIGHT_M if mark.kind == "botts dots" else MARKING_LIFT_M


def _raised(material: str, piece: NDArray[np.float64], height_m: float) -> Iterator[Strip]:
    """Yield a ribbon raised to a height, and the faces at its sides if it is above 1 cm."""
    top = piece + np.array([0.0, 0.0, height_m])
    yield Strip(material=material, left_m=top[:, 0], right_m=top[:, 1])
    if height_m > _LEAST_FACE_M:
        yield Strip(material=material, left_m=piece[:, 0], right_m=top[:, 0])
        yield Strip(material=material, left_m=top[:, 1], right_m=piece[:, 1])


def _intervals(line: MarkLine, mark: RoadMark, stretch: Stretch) -> NDArray[np.float64] | None:
    """Return the stations (k, 2) between which a line is painted; None if not possible."""
    origin = stretch.origin_m + line.s_offset_m
    if line.once:
        return _within(np.array([[origin, origin + line.length_m]]), stretch)
    if line.space_m <= 0.0:
        return np.array([[max(origin, stretch.start_m), stretch.stop_m]])
    length = line.length_m or (DOT_M if mark.kind == "botts dots" else 0.0)
    return dashes(length, line.space_m, Stretch(origin, stretch.start_m, stretch.stop_m))


def dashes(length_m: float, space_m: float, stretch: Stretch) -> NDArray[np.float64] | None:
    """Return the start and the end of each dash of a broken line, as stations, (k, 2) [m].

    Dashes are cut at the ends of the stretch; a dash outside of it has length 0. Return None if
    `length_m` is 0 or less, or if there are more than `MOST_DASHES` dashes.

    Parameters
    ----------
    length_m, space_m : float
        Length of a dash, and of the gap after it. [m]
    stretch : Stretch
        Where the line is painted. The first dash begins at its ``origin_m``.
    """
    period = length_m + space_m
    if length_m <= 0.0 or (stretch.stop_m - stretch.origin_m) / period > MOST_DASHES:
        return None
    starts = np.arange(stretch.origin_m, stretch.stop_m, period)
    return _within(np.stack([starts, starts + length_m], axis=1), stretch)


def _within(intervals_m: NDArray[np.float64], stretch: Stretch) -> NDArray[np.float64]:
    held: NDArray[np.float64] = np.clip(intervals_m, stretch.start_m, stretch.stop_m)
    return held
