# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a map states of its objects and signals that is not followed, by name."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from lidar_scenery.roads.opendrive.attributes import word
from lidar_scenery.roads.opendrive.objects.kinds import PAINTED
from lidar_scenery.roads.opendrive.objects.parse import outlines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lidar_base.xml_tree import Element
    from lidar_scenery.roads.opendrive.remarks import MapRemarks

_NO_SHAPE = "userData include dataQuality validity"
_OF_OBJECTS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(f"repeat outline outlines markings parkingSpace {_NO_SHAPE}".split(), ""),
        "material": "",
        "skeleton": "its box or outline in place of its skeleton",
        "borders": "no borders",
    }
)
"""Elements within an object, and what is used in their place; nothing where they are followed, or
say nothing of shapes."""
_OF_SIGNALS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(f"dependency reference semantics {_NO_SHAPE}".split(), ""),
        **dict.fromkeys(("positionRoad", "positionInertial"), ""),  # of the road's list
        **dict.fromkeys(("staticBoard", "vmsBoard", "multiBoard"), "one plate for the whole board"),
    }
)


def note_unread(element: Element, remarks: MapRemarks, name: str) -> None:
    """Note what of an object or a signal is not followed.

    Parameters
    ----------
    element : Element
        The object or the signal.
    remarks : MapRemarks
        Takes the notes.
    name : str
        What it is called, such as "road 5, object 3".
    """
    known, kind = (_OF_OBJECTS, "objects") if element.tag == "object" else (_OF_SIGNALS, "signals")
    for child in element.children:
        used = known.get(child.tag, "the rest of it")
        if used:
            remarks.add(name, used, f"<{child.tag:.40}> of {kind} is not read")
    if element.tag == "object":
        for used, reason in (*_of_outlines(element), *_of_rows(element)):
            remarks.add(name, used, reason)


def _of_outlines(element: Element) -> Iterator[tuple[str, str]]:
    is_paint = word(element, "type") in PAINTED
    if not is_paint and any(word(material, "surface") for material in element.all("material")):
        yield "the material of its kind", "surfaces of objects are not read"
    outlines = outlines_of(element)
    fills = {word(outline, "fillType") for outline in outlines} - {"", "paint" if is_paint else ""}
    if fills:
        yield "the material of its kind", f"its outline is filled with {min(fills)!r:.40}"
    if any(word(outline, "outer") in {"false", "0"} for outline in outlines):
        yield "a body or an area like the outer one", "an outline of it is an inner one"
    unknown = {c.tag for o in outlines for c in o.children} - {"cornerLocal", "cornerRoad"}
    for tag in sorted(unknown - {"userData"}):
        yield "the corners of its outline", f"<{tag:.40}> of outlines is not read"


def _of_rows(element: Element) -> Iterator[tuple[str, str]]:
    for row in element.all("repeat"):
        if any(word(row, name) not in {"", "0"} for name in ("bT", "cT", "dT")):
            yield "a straight course from tStart to tEnd", "bT, cT and dT of <repeat> are not read"
        for name in ("t", "zOffset", "width", "height", "length", "radius"):
            stated = [bool(word(row, f"{name}{end}")) for end in ("Start", "End")]
            if any(stated) and not all(stated):
                missing = f"{name}{'Start' if stated[1] else 'End'}"
                yield "the same at both ends", f"its <repeat> states no {missing}"
