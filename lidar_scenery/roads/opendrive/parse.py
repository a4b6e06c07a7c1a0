# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From XML elements to records of roads and their lanes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.opendrive.attributes import PartError, number, optional, word
from lidar_scenery.roads.opendrive.coverage import spans_of, within
from lidar_scenery.roads.opendrive.cubics import SEAM_M, Cubics
from lidar_scenery.roads.opendrive.records import (
    CrossSection,
    LaneSection,
    MapLane,
    MarkLine,
    Road,
    RoadMark,
)
from lidar_scenery.roads.opendrive.reference_line import Clothoid, LinePiece, Polynomial

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lidar_base.xml_tree import Element
    from lidar_scenery.roads.opendrive.allowance import Allowance
    from lidar_scenery.roads.opendrive.reference_line import Row

LONGEST_M = 1e6
"""Largest length of a road; a longer road is taken for an error. [m]"""
MOST_SECTIONS = 10_000
"""Largest number of lane sections of a road; a road with more is left out."""

_NO_CUBICS = Cubics.of(())


def under(element: Element, path: str) -> list[Element]:
    """Return all elements at a path of tags below an element, in the order of the file.

    The path has one tag for each level, such as "planView/geometry".
    """
    found = [element]
    for tag in path.split("/"):
        found = [child for parent in found for child in parent.all(tag)]
    return found


def road_of(element: Element, allowance: Allowance) -> Road:
    """Return the road that an element describes; `allowance` will count the points made from it.

    Raises
    ------
    PartError
        If a number in the element cannot be used, the length is out of range, the road has no
        reference line within its length, or it has too many lane sections.
    """
    length = number(element, "length")
    if not SEAM_M < length <= LONGEST_M:
        raise PartError(
            f"line {element.line}: its length is {length:g} m, expected {SEAM_M:g} to {LONGEST_M:g}"
        )
    geometries = _geometries(element)
    spans = spans_of(geometries, length)
    if not spans:
        raise PartError(
            f"line {element.line}: no <geometry> of the road lies within the road's length of "
            f"{length:g} m"
        )
    sections = _sections(under(element, "lanes/laneSection"), length)
    kind = element.first("type")
    falls = under(element, "lateralProfile/crossfall")
    return Road(
        name=word(element, "id"),
        length_m=length,
        kind=word(kind, "type") if kind else "",
        country=word(kind, "country") if kind else "",
        geometries=geometries,
        spans=spans,
        elevation=_cubics(under(element, "elevationProfile/elevation")),
        roll=_cubics(under(element, "lateralProfile/superelevation")),
        left_fall=_cubics([e for e in falls if word(e, "side", "both") != "right"]),
        right_fall=_cubics([e for e in falls if word(e, "side", "both") != "left"]),
        shapes=tuple(_shapes(under(element, "lateralProfile/shape"))),
        lane_offset=_cubics(under(element, "lanes/laneOffset")),
        sections=tuple(part for section in sections for part in within(section, spans)),
        allowance=allowance,
    )


def _cubics(elements: list[Element], start: str = "s") -> Cubics:
    if not elements:
        return _NO_CUBICS
    return Cubics.of([_row(element, start) for element in elements])


def _row(element: Element, start: str) -> tuple[float, float, float, float, float]:
    a, b, c, d = (number(element, name, 0.0) for name in "abcd")
    return number(element, start, 0.0), a, b, c, d


def _geometries(road: Element) -> tuple[LinePiece, ...]:
    """Return the pieces of a reference line by station; for equal stations, longer ones last."""
    pieces = [_geometry(piece) for piece in under(road, "planView/geometry")]
    if not pieces:
        raise PartError(f"line {road.line}: it has no <geometry>")
    return tuple(sorted(pieces, key=lambda piece: (piece.start_m, piece.length_m)))


def _geometry(element: Element) -> LinePiece:
    s, length, x, y, heading = (number(element, name) for name in ("s", "length", "x", "y", "hdg"))
    if length < SEAM_M:  # of no length, as some tools write them at the end of a road
        return LinePiece(s, SEAM_M, x, y, heading)
    return LinePiece(s, length, x, y, heading, _curve(element, length))


def _curve(element: Element, length_m: float) -> Clothoid | Polynomial:
    kinds = element.any_of(_KINDS)
    if len(kinds) != 1:
        raise PartError(
            f"line {element.line}: <geometry> contains {len(kinds)} curves, expected one of "
            f"{', '.join(_KINDS)}"
        )
    (kind,) = kinds
    if kind.tag == "line":
        return Clothoid()
    if kind.tag == "arc":
        return Clothoid(number(kind, "curvature"), number(kind, "curvature"))
    if kind.tag == "spiral":
        return Clothoid(number(kind, "curvStart"), number(kind, "curvEnd"))
    if kind.tag == "poly3":
        return Polynomial.of_height(_coefficients(kind), length_m)
    last = length_m if word(kind, "pRange") == "arcLength" else 1.0
    return Polynomial(_coefficients(kind, "U"), _coefficients(kind, "V"), last)


def _coefficients(element: Element, axis: str = "") -> Row:
    a, b, c, d = (number(element, name + axis) for name in "abcd")
    return a, b, c, d


_KINDS = ("line", "arc", "spiral", "poly3", "paramPoly3")


def _shapes(elements: list[Element]) -> Iterator[CrossSection]:
    """Yield the shape of the cross-section at each station, a polynomial of lateral offset."""
    stations = sorted({number(element, "s") for element in elements})
    for s in stations:
        own = [element for element in elements if number(element, "s") == s]
        yield CrossSection(s, _cubics(own, "t"))


def _sections(elements: list[Element], length_m: float) -> Iterator[LaneSection]:
    """Yield the lane sections.

    A section with lanes on a single side keeps the lanes of the section before it on the other.
    """
    if len(elements) > MOST_SECTIONS:
        raise PartError(f"it has {len(elements)} lane sections, expected up to {MOST_SECTIONS}")
    elements = sorted(elements, key=lambda element: number(element, "s"))
    starts = [max(number(element, "s"), 0.0) for element in elements]
    sides: dict[str, tuple[MapLane, ...]] = {"left": (), "right": ()}
    for element, (start, end) in zip(elements, pairwise([*starts, length_m]), strict=True):
        is_single = word(element, "singleSide") in {"true", "1"}
        for side in sides:
            lanes = under(element, f"{side}/lane")
            if lanes or not is_single:
                read = (_lane(lane, start) for lane in lanes)
                sides[side] = tuple(sorted(read, key=lambda lane: abs(lane.number)))
        centre = [_lane(lane, start) for lane in under(element, "center/lane")]
        if min(end, length_m) - start > 2.0 * SEAM_M:
            yield LaneSection(
                start,
                min(end, length_m),
                centre[0] if centre else None,
                sides["left"],
                sides["right"],
            )


def _lane(element: Element, start_m: float) -> MapLane:
    return MapLane(
        number=int(number(element, "id")),
        kind=word(element, "type", "none"),
        start_m=start_m,
        level=word(element, "level") in {"true", "1"},
        widths=_cubics(element.all("width"), "sOffset"),
        borders=_cubics(element.all("border"), "sOffset"),
        heights_m=_heights(element.all("height")),
        materials=tuple(
            sorted(
                (number(material, "sOffset", 0.0), word(material, "surface"))
                for material in element.all("material")
            )
        ),
        marks=tuple(
            sorted((_mark(mark) for mark in element.all("roadMark")), key=lambda m: m.s_offset_m)
        ),
    )


def _heights(elements: list[Element]) -> np.ndarray:
    rows = sorted(
        (number(e, "sOffset", 0.0), number(e, "inner", 0.0), number(e, "outer", 0.0))
        for e in elements
    )
    return np.array(rows, np.float64).reshape(-1, 3)


def _mark(element: Element) -> RoadMark:
    types = element.all("type")
    lines = [
        _mark_line(line, optional(kind, "width")) for kind in types for line in kind.all("line")
    ]
    once = under(element, "explicit/line")
    lines += [_mark_line(line, None)._replace(once=True) for line in once]
    widths = [optional(stated, "width") for stated in (element, *types)]
    return RoadMark(
        s_offset_m=number(element, "sOffset", 0.0),
        kind=word(element, "type", "none"),
        color=word(element, "color", "standard"),
        bold=word(element, "weight") == "bold",
        width_m=next((width for width in widths if width is not None), None),
        height_m=number(element, "height", 0.0),
        lines=tuple(lines),
        sways=bool(element.all("sway")),
    )


def _mark_line(element: Element, width_m: float | None) -> MarkLine:
    stated = [w for w in (optional(element, "width"), width_m) if w is not None]
    return MarkLine(
        length_m=number(element, "length", 0.0),
        space_m=number(element, "space", 0.0),
        t_offset_m=number(element, "tOffset", 0.0),
        s_offset_m=number(element, "sOffset", 0.0),
        width_m=next((w for w in stated if w > 0.0), 0.0 if stated else None),
        color=word(element, "color"),
    )
