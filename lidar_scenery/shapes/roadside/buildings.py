# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Buildings, bridges, walls and gantries of a size, and objects of unknown type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.fitting import fitted
from lidar_scenery.shapes.roadside.outlines import prism_model, profiled
from lidar_scenery.shapes.roadside.parts import lengthwise, surface
from lidar_scenery.shapes.solids import SolidModel, box

if TYPE_CHECKING:
    from lidar_scenery.shapes.builder import Size
    from osi_bridge.description.details import ObjectDetails

_HOUSE_M = (4.0, 20.0)  # sides of a house with a gable roof
_HOUSE_HEIGHT_M = (4.0, 12.0)
_EAVES = 0.62  # share of a house's height
_PIER_EVERY_M = 25.0


def object_(size: Size, details: ObjectDetails) -> SolidModel:
    """Build an object of unknown type: a prism over its base polygon; without one, a box.

    It exactly fills a box of `size` (length, width, height), centred on the origin [m]. `details`
    may state the base polygon and the material.
    """
    material = surface(details, "Object_Unknown")
    return fitted(prism_model(size, details, sides=material, top=material), size)


def wall(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a wall: a prism over its base polygon; without one, a box.

    It exactly fills a box of `size` (length, width, height), centred on the origin [m]. `details`
    may state the base polygon and the material.
    """
    material = surface(details, "wall_concrete")
    return fitted(prism_model(size, details, sides=material, top=material), size)


def building(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a building: a house with a gable roof if it is small and states no base polygon.

    Any other building has a flat roof. The model exactly fills a box of `size` (length, width,
    height), centred on the origin [m]. `details` may state the base polygon and the material of the
    walls.
    """
    if len(details.outline_m) < 3 and _is_house(size):
        return _house(size, details)
    walls = surface(details, "Building_Plaster")
    return fitted(prism_model(size, details, sides=walls, top="Building_Roof_Felt"), size)


def _is_house(size: Size) -> bool:
    sides, height = sorted(size[:2]), size[2]
    fits = _HOUSE_M[0] <= sides[0] and sides[1] <= _HOUSE_M[1]
    return fits and _HOUSE_HEIGHT_M[0] <= height <= _HOUSE_HEIGHT_M[1]


@lengthwise
def _house(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a house whose ridge lies along x."""
    model, walls = SolidModel(), surface(details, "Building_Plaster")
    (x, y), top = np.array(size[:2]) / 2, size[2]
    eaves = _EAVES * top
    outline = [(y, 0), (y, eaves), (0, top), (-y, eaves), (-y, 0)]
    right, left_roof, right_roof, left, floor, *ends = profiled(outline, -x, x)
    model.add(walls, [right, left, floor, *ends])
    model.add("Building_Roof_Tile", [left_roof, right_roof])
    return model


@lengthwise
def bridge(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a bridge: a deck with parapets; if the box is high, on abutments and piers.

    It exactly fills a box of `size` (length, width, height), centred on the origin, with the deck
    along the longer side [m]. `details` may state the material and colour of all parts but the
    roadway.
    """
    model, stone = SolidModel(), surface(details, "wall_concrete")
    (x, y), top = np.array(size[:2]) / 2, size[2]
    parapet = min(1.0, 0.25 * top)
    road, edge = top - parapet, min(0.3, 0.2 * y)
    deck = min(1.2, road) if road > 2.5 else road
    section = [(y, road - deck), (y, top), (y - edge, top), (y - edge, road)]
    section += [(-a, b) for a, b in reversed(section)]
    faces = profiled(section, -x, x)
    model.add("road_asphalt", faces[3:4])
    model.add(stone, faces[:3] + faces[4:])
    if deck < road:
        thick = min(1.0, 0.1 * size[0])
        n_span = max(1, round(size[0] / _PIER_EVERY_M)) if size[0] < 40 * _PIER_EVERY_M else 40
        for at in np.linspace(thick / 2 - x, x - thick / 2, n_span + 1):
            half, wide = thick / 2, y if abs(at) > x - thick else 0.7 * y
            model.add(stone, box((at - half, -wide, 0), (at + half, wide, road - deck)))
    return model


@lengthwise
def gantry(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a gantry over a road: a beam; if the box is at least 3 m high, on two posts.

    It exactly fills a box of `size` (length, width, height), centred on the origin, with the beam
    along the longer side [m]. `details` may state its material and colour.
    """
    model, steel = SolidModel(), surface(details, "Pole_Steel")
    (x, y), top = np.array(size[:2]) / 2, size[2]
    beam = top if top < 3.0 else min(0.2 * top, 1.5)
    model.add(steel, box((-x, -y, top - beam), (x, y, top)))
    if beam < top:
        half = min(0.3, 0.05 * size[0]), min(0.3, y)
        for at in (half[0] - x, x - half[0]):
            model.add(steel, box((at - half[0], -half[1], 0), (at + half[0], half[1], top - beam)))
    return model
