# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From XML elements to records of objects and signals."""

from __future__ import annotations

import math
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

_YES = frozenset({"true", "1", "yes"})


def object_of(element: Element) -> MapObject:
    """Return the object that an element describes; sizes of 0 or less count as not stated.

    Raises
    ------
    PartError
        If a number in the element cannot be used, a size is above `LONGEST_M`, or there are too
        many corners.
    """
    outlines = tuple(_outline(outline) for outline in outlines_of(element))
    if sum(len(outline.corners) for outline in outlines) > MOST_CORNERS:
        raise PartError(
            f"line {element.line}: its outlines have over {MOST_CORNERS} corners in all, the most "
            "that are read"
        )
    radius, length, width = (_size(element, name) for name in ("radius", "length", "width"))
    diameter = None if radius is None else 2.0 * radius
    colors = [word(material, "roadMarkColor") for material in element.all("material")]
    return MapObject(
        name=word(element, "id"),
        kind=word(element, "type"),
        words=f"{word(element, 'subtype')} {word(element, 'name')}",
        s_m=number(element, "s"),
        t_m=number(element, "t"),
        z_offset_m=number(element, "zOffset", 0.0),
        angles_rad=_angles(element, "hdg"),
        length_m=length or diameter,
        width_m=width or diameter,
        height_m=_size(element, "height"),
        is_round=radius is not None and length is None and width is None,
        square=word(element, "perpToRoad") in _YES,
        paint_color=next(filter(None, colors), ""),
        outlines=outlines,
        repeats=tuple(_repeat(repeat, element) for repeat in element.all("repeat")),
        markings=tuple(_marking(marking) for marking in under(element, "markings/marking")),
    )


def outlines_of(element: Element) -> list[Element]:
    """Return the <outline> elements of an object's XML element.

    Outlines outside <outlines> count too, as OpenDRIVE 1.4 has them.
    """
    return element.all("outline") + under(element, "outlines/outline")


def signal_of(element: Element) -> Signal:
    """Return the signal that an element describes; sizes of 0 or less count as not stated.

    Raises
    ------
    PartError
        If a number in the element cannot be used, or a size is above `LONGEST_M`.
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
    """Return a size; None for 0 and less, which some tools write for an unknown size."""
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
        name=word(element, "id"),
        closed=word(element, "closed", "true") in _YES,
        outer=word(element, "outer", "true") in _YES,
        fill=word(element, "fillType"),
        corners=tuple(_corner(corner) for corner in element.any_of(("cornerLocal", "cornerRoad"))),
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
        height_m=number(element, "height", math.nan),
    )


def _repeat(element: Element, thing: Element) -> Repeat:
    """Return a row of an object; values that the row does not state come from the object."""
    for name in ("length", "distance"):
        if (value := number(element, name)) < 0.0:
            raise PartError(
                f"line {element.line}: {name} of <repeat> is {value:g} m, expected 0 or more"
            )
    radius, length, width = (_sizes(element, name) for name in ("radius", "length", "width"))
    diameter = (2.0 * radius[0], 2.0 * radius[1]) if radius else None
    return Repeat(
        s_m=number(element if word(element, "s") else thing, "s"),
        length_m=number(element, "length"),
        distance_m=number(element, "distance"),
        t_m=_ends(element, "t") or (number(thing, "t"),) * 2,
        length_of_each_m=length or diameter,
        width_m=width or diameter,
        height_m=_sizes(element, "height"),
        z_offset_m=_ends(element, "zOffset") or (number(thing, "zOffset", 0.0),) * 2,
        is_round=radius is not None and length is None and width is None,
        detached=word(element, "detachFromReferenceLine") in _YES,
    )


def _ends(element: Element, name: str) -> tuple[float, float] | None:
    """Return a value at the start and the end of a row; one stated alone holds at both."""
    start, end = optional(element, f"{name}Start"), optional(element, f"{name}End")
    if start is None and end is None:
        return None
    first = end if start is None else start
    last = start if end is None else end
    return (first or 0.0, last or 0.0)


def _sizes(element: Element, name: str) -> tuple[float, float] | None:
    """Return a size at the start and the end of a row, or None if it is not stated.

    A 0 at one end means that the row tapers off. A 0 at both ends counts as not stated: tools
    write it for an unknown size.
    """
    for end in ("Start", "End"):
        _size(element, f"{name}{end}")
    ends = _ends(element, name)
    return (max(ends[0], 0.0), max(ends[1], 0.0)) if ends and max(ends) > 0.0 else None


def _marking(element: Element) -> Marking:
    return Marking(
        side=word(element, "side"),
        outline=word(element, "outlineId"),
        corners=tuple(word(corner, "id") for corner in element.all("cornerReference")),
        width_m=_size(element, "width"),
        bold=word(element, "weight") == "bold",
        color=word(element, "color", "white"),
        line_m=number(element, "lineLength", 0.0),
        space_m=number(element, "spaceLength", 0.0),
        start_m=number(element, "startOffset", 0.0),
        stop_m=number(element, "stopOffset", 0.0),
    )
