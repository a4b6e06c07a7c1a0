# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which built-in shape an object of a map is, and its usual size."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lidar_scenery.roads.opendrive.records import MapObject

    Size = tuple[float, float, float]

PAINTED = frozenset({"crosswalk", "parkingSpace", "roadMark", "patch", "roadSurface"})
"""Types of objects that lie on the road."""


class Kind(NamedTuple):
    """How an object of a map is drawn: a built-in shape, and the size if the map states none.

    `shape` is the name of the shape in `lidar_scenery.shapes.catalogue`. `usual_m` has the length,
    width and height that are used where the map does not state them [m].
    """

    shape: str
    usual_m: Size  # length, width and height, where the map does not state them [m]
    has_outline: bool = False
    """Whether the outline of the object, if the map states one, is drawn in place of the shape."""


_POLE = Kind("pole", (0.1, 0.1, 3.0))
_LAMP = Kind("lamp", (2.4, 0.3, 7.0))
_TREE = Kind("tree", (5.0, 5.0, 8.0))
_BUSH = Kind("bush", (1.5, 1.5, 1.5), has_outline=True)
_BARRIER = Kind("barrier", (2.0, 0.5, 0.9), has_outline=True)
_RAIL = Kind("guard_rail", (4.0, 0.2, 0.75), has_outline=True)
_WALL = Kind("wall", (4.0, 0.3, 2.0), has_outline=True)
_BUILDING = Kind("building", (10.0, 10.0, 8.0), has_outline=True)
OTHER = Kind("object", (1.0, 1.0, 1.0), has_outline=True)

_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "pole": _POLE,
        "wind": _POLE,
        "streetLamp": _LAMP,
        "tree": _TREE,
        "vegetation": _BUSH,
        "barrier": _BARRIER,
        "railing": _RAIL,
        "soundBarrier": _WALL._replace(usual_m=(4.0, 0.3, 3.0)),
        "building": _BUILDING,
        "gantry": Kind("gantry", (0.8, 14.0, 7.0)),
        "trafficIsland": OTHER._replace(usual_m=(2.0, 2.0, 0.15)),
    }
)
_WORDS: tuple[tuple[str, Kind], ...] = (
    ("cone", Kind("traffic_cone", (0.4, 0.4, 0.75))),
    ("guidepost", Kind("delineator", (0.12, 0.12, 1.0))),
    ("delineator", Kind("delineator", (0.12, 0.12, 1.0))),
    ("pylon", Kind("pylon", (0.4, 0.4, 1.0))),
    ("lamp", _LAMP),
    ("fencepole", _POLE),
    ("fence", _WALL),
    ("pole", _POLE),
    ("post", _POLE),
    ("railing", _RAIL),
    ("guardrail", _RAIL),
    ("jersey", _BARRIER),
    ("wall", _WALL),
    ("hedge", _BUSH),
    ("bush", _BUSH),
    ("tree", _TREE),
    ("building", _BUILDING),
    ("house", _BUILDING),
)
"""Words in types and names, and the kinds that they stand for; the first word found counts."""


def kind_of(thing: MapObject) -> Kind:
    """Return how an object of a map (``thing``) is drawn.

    Words in its type, subtype and name decide, such as "pole"; without such a word, its type
    decides. For trees, buildings and street lamps the type alone decides. Anything unknown is
    `OTHER`, a box.
    """
    fixed = _KINDS.get(thing.kind, OTHER)
    if fixed in {_TREE, _BUILDING, _LAMP}:  # names of these hold other words, such as of streets
        return fixed
    words = "".join(c for c in f"{thing.kind} {thing.words}".lower() if c.isalpha() or c == " ")
    words = words.replace("street", "")  # of a street, not of a tree
    return next((kind for part, kind in _WORDS if part in words), fixed)
