# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From XML elements to records of objects and signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_scenery.roads.opendrive.attributes import PartError, number, optional, word
from lidar_scenery.roads.opendrive.parse import under
from lidar_scenery.roads.opendrive.records import (
    Corner,
    MapObject,
    Marking,
    Outline,
    Repeat,
    Signal,
)

if TYPE_CHECKING:
    from lidar_base.xml_tree import Element

LONGEST_M = 10_000.0
"""An object that is longer is left out. [m]"""
MOST_CORNERS = 10_000
"""An object whose outlines have more corners is left out."""


def object_of(element: Element) -> MapObject:
    """Return an object.

    Raises
    ------
    PartError
        If a number of it cannot be used, or it has too many corners.
    """
    kind, subtype = word(element, "type"), word(element, "subtype")
    found = element.all("outline") + under(element, "outlines/outline")
    outlines = tuple(_outline(outline) for outline in found)
    if sum(len(outline.corners) for outline in outlines) > MOST_CORNERS:
        raise PartError(f"line {element.line}: its outlines have over {MOST_CORNERS} corners")
    radius = _size(element, "radius")
    diameter = None if radius is None else 2.0 * radius
    return MapObject(
        name=word(element, "id"),
        kind=kind,
        words=f"{subtype} {word(element, 'name')}",
        s_m=number(element, "s"),
        t_m=number(element, "t"),
        z_offset_m=number(element, "zOffset", 0.0),
        angles_rad=_angles(element, "hdg"),
        length_m=_size(element, "length") or diameter,
        width_m=_size(element, "width") or diameter,
        height_m=_size(element, "height"),
        outlines=outlines,
        repeats=tuple(_repeat(repeat) for repeat in element.all("repeat")),
        markings=tuple(_marking(marking) for marking in under(element, "markings/marking")),
    )


def signal_of(element: Element) -> Signal:
    """Return a signal.

    Raises
    ------
    PartError
        If a number of it cannot be used.
    """
    z_offset = optional(element, "zOffset")
    width, height = _size(element, "width"), _size(element, "height")
    return Signal(
        name=word(element, "id"),
        kind=word(element, "type"),
        country=word(element, "country"),
        words=word(element, "name"),
        is_dynamic=word(element, "dynamic") in {"yes", "true"},
        faces_along=word(element, "orientation") == "-",
        s_m=number(element, "s"),
        t_m=number(element, "t"),
        z_offset_m=z_offset,
        angles_rad=_angles(element, "hOffset"),
        width_m=width,
        height_m=height,
        has_zeros=z_offset == 0.0 and width is None and height is None,
        value=optional(element, "value"),
        text=word(element, "text"),
    )


def _size(element: Element, name: str) -> float | None:
    """Return a size; 0 and less are what tools write where they know none."""
    value = number(element, name, 0.0)
    if value > LONGEST_M:
        raise PartError(
            f"line {element.line}: {name} of <{element.tag}> is {value:g} m, "
            f"expected up to {LONGEST_M:g}"
        )
    return value if value > 0.0 else None


def _angles(element: Element, heading: str) -> tuple[float, float, float]:
    return (
        number(element, heading, 0.0),
        number(element, "pitch", 0.0),
        number(element, "roll", 0.0),
    )


def _outline(element: Element) -> Outline:
    return Outline(
        closed=word(element, "closed", "true") in {"true", "1"},
        corners=tuple(
            _corner(corner)
            for corner in element.children
            if corner.tag in {"cornerLocal", "cornerRoad"}
        ),
    )


def _corner(element: Element) -> Corner:
    on_road = element.tag == "cornerRoad"
    along, across, z = ("s", "t", "dz") if on_road else ("u", "v", "z")
    return Corner(
        name=word(element, "id"),
        on_road=on_road,
        along_m=number(element, along),
        across_m=number(element, across),
        z_m=number(element, z, 0.0),
        height_m=number(element, "height", 0.0),
    )


def _repeat(element: Element) -> Repeat:
    t = number(element, "tStart", 0.0)
    z = number(element, "zOffsetStart", 0.0)
    radius = _both(element, "radius")
    diameter = (2.0 * radius[0], 2.0 * radius[1]) if radius else None
    return Repeat(
        s_m=number(element, "s"),
        length_m=number(element, "length"),
        distance_m=number(element, "distance"),
        t_m=(t, number(element, "tEnd", t)),
        length_of_each_m=_both(element, "length") or diameter,
        width_m=_both(element, "width") or diameter,
        height_m=_both(element, "height"),
        z_offset_m=(z, number(element, "zOffsetEnd", z)),
    )


def _both(element: Element, name: str) -> tuple[float, float] | None:
    """Return a size at the start and the end of a row, or None where it is not stated."""
    start, end = _size(element, f"{name}Start"), _size(element, f"{name}End")
    if start is None and end is None:
        return None
    return start or 0.0, end or 0.0


def _marking(element: Element) -> Marking:
    return Marking(
        side=word(element, "side"),
        corners=tuple(word(corner, "id") for corner in element.all("cornerReference")),
        width_m=number(element, "width", 0.0),
        color=word(element, "color", "white"),
        line_m=number(element, "lineLength", 0.0),
        space_m=number(element, "spaceLength", 0.0),
        start_m=number(element, "startOffset", 0.0),
        stop_m=number(element, "stopOffset", 0.0),
    )
