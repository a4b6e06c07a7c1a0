# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Built-in shapes of objects beside a road, by OSI type of the stationary object."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from lidar_scenery.shapes.builder import Builder
from lidar_scenery.shapes.roadside.barriers import (
    barrier,
    guard_rail,
    kerb,
    road_works_board,
    speed_bump,
)
from lidar_scenery.shapes.roadside.buildings import bridge, building, gantry, object_, wall
from lidar_scenery.shapes.roadside.plants import bush, sized_tree
from lidar_scenery.shapes.roadside.posts import (
    cone,
    delineator,
    is_slender,
    lamp,
    pole,
    pylon,
    reflective,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lidar_scenery.shapes.builder import Size
    from osi_bridge.description.details import ObjectDetails

STREET: Mapping[str, Builder] = MappingProxyType(
    {
        "object": Builder(
            build=object_, usual_m=(1.0, 1.0, 1.0), words="anything else: box or base polygon"
        ),
        "building": Builder(
            build=building, usual_m=(12.0, 9.0, 8.0), words="walls and a roof, gabled if small"
        ),
        "wall": Builder(build=wall, usual_m=(10.0, 0.3, 2.0), words="wall"),
        "bridge": Builder(
            build=bridge, usual_m=(30.0, 10.0, 7.0), words="deck, parapets, abutments"
        ),
        "gantry": Builder(
            build=gantry, usual_m=(0.8, 14.0, 7.0), words="beam over a road, with posts if tall"
        ),
        "pole": Builder(
            build=pole, usual_m=(0.15, 0.15, 5.0), words="round pole, with an arm if long"
        ),
        "lamp": Builder(build=lamp, usual_m=(2.4, 0.3, 7.0), words="street lamp"),
        "pylon": Builder(
            build=pylon, usual_m=(4.0, 4.0, 25.0), words="lattice mast; a cone if low"
        ),
        "delineator": Builder(
            build=delineator, usual_m=(0.1, 0.12, 1.0), words="white post with reflectors"
        ),
        "reflective_structure": Builder(
            build=reflective, usual_m=(0.1, 0.5, 1.0), words="retroreflective post or board"
        ),
        "traffic_cone": Builder(build=cone, usual_m=(0.36, 0.36, 0.7), words="traffic cone"),
        "road_works": Builder(
            build=road_works_board, usual_m=(0.4, 2.0, 1.1), words="striped board on feet"
        ),
        "barrier": Builder(
            build=barrier, usual_m=(6.0, 0.6, 0.81), words="concrete barrier, New Jersey's section"
        ),
        "guard_rail": Builder(build=guard_rail, usual_m=(8.0, 0.4, 0.75), words="W beams on posts"),
        "curbstone": Builder(build=kerb, usual_m=(4.0, 0.15, 0.12), words="kerb"),
        "speed_bump": Builder(
            build=speed_bump, usual_m=(0.9, 3.5, 0.08), words="bump across a lane"
        ),
        "tree": Builder(build=sized_tree, usual_m=(5.0, 5.0, 7.0), words="trunk, branches, leaves"),
        "bush": Builder(build=bush, usual_m=(1.5, 1.5, 1.2), words="stems and leaves"),
    }
)
"""Shapes beside a road, by name."""

_BY_TYPE: Mapping[str, str] = {
    "BRIDGE": "bridge",
    "BUILDING": "building",
    "POLE": "pole",
    "PYLON": "pylon",
    "DELINEATOR": "delineator",
    "TREE": "tree",
    "BARRIER": "barrier",
    "VEGETATION": "bush",
    "CURBSTONE": "curbstone",
    "WALL": "wall",
    "OVERHEAD_STRUCTURE": "gantry",
    "REFLECTIVE_STRUCTURE": "reflective_structure",
    "SPEED_BUMP": "speed_bump",
    "EMITTING_STRUCTURE": "lamp",
}
_HIGH_M = 1.5  # road works above it are machines, huts, heaps: nothing that a board stands for


def stationary_shape(type_name: str, dimension_m: Size, details: ObjectDetails) -> str:
    """Return the name, in `STREET`, of a stationary object's shape; by default "object".

    Parameters
    ----------
    type_name : str
        Name in OSI's StationaryObject.Classification.Type, such as "TYPE_TREE".
    dimension_m : (float, float, float)
        Length, width and height. [m]
    details : ObjectDetails
        Further properties of the object.
    """
    name = type_name.removeprefix("TYPE_")
    if name == "BARRIER" and details.material == "METAL":
        return "guard_rail"
    if name == "VERTICAL_STRUCTURE":
        return "pole" if is_slender(dimension_m) else "object"
    if name == "CONSTRUCTION_SITE_ELEMENT" and dimension_m[2] <= _HIGH_M:
        return "traffic_cone" if max(dimension_m[:2]) < dimension_m[2] else "road_works"
    return _BY_TYPE.get(name, "object")
