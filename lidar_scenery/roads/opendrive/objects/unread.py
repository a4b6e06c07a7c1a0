# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Notes on contents of objects and signals that are not read, and what is drawn instead.

Contents without a substitute are on the map's list of ignored contents.
"""

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

_OF_OBJECTS: Mapping[str, str] = MappingProxyType(
    {"skeleton": "its box or outline in place of its skeleton", "borders": "no borders"}
)
_OF_SIGNALS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("staticBoard", "vmsBoard", "multiBoard"), "one plate for the whole board")
)
"""Elements within an object or a signal, and what is drawn in their place."""


def note_unread(element: Element, remarks: MapRemarks, name: str) -> None:
    """Note contents of an object or a signal that are not read but replaced by something simpler.

    Parameters
    ----------
    element : Element
        The object or the signal.
    remarks : MapRemarks
        Takes the notes.
    name : str
        Name of the object or signal in notes, such as "road 5, object 3".
    """
    known, kind = (_OF_OBJECTS, "objects") if element.tag == "object" else (_OF_SIGNALS, "signals")
    for child in element.any_of(known):
        remarks.add(name, known[child.tag], f"<{child.tag}> of {kind} is not read")
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


def _of_rows(element: Element) -> Iterator[tuple[str, str]]:
    for row in element.all("repeat"):
        if any(word(row, name) not in {"", "0"} for name in ("bT", "cT", "dT")):
            yield "a straight course from tStart to tEnd", "bT, cT and dT of <repeat> are not read"
        for name in ("t", "zOffset", "width", "height", "length", "radius"):
            stated = [bool(word(row, f"{name}{end}")) for end in ("Start", "End")]
            if any(stated) and not all(stated):
                missing = f"{name}{'Start' if stated[1] else 'End'}"
                yield "the same at both ends", f"its <repeat> states no {missing}"
