# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Long things along a road: barriers, guard rails, kerbs, boards of road works; speed bumps."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.roadside.buildings import wall
from lidar_scenery.shapes.roadside.outlines import profiled
from lidar_scenery.shapes.roadside.parts import lengthwise, surface
from lidar_scenery.shapes.solids import SolidModel, box

if TYPE_CHECKING:
    from lidar_scenery.shapes.builder import Size
    from osi_bridge.description.details import ObjectDetails

_POST_EVERY_M = 2.0
_MOST_POSTS = 200
_BEAM_M = 0.31
# half of New Jersey's section: half widths and heights, shares of the box
_JERSEY = ((1.0, 0.0), (1.0, 0.09), (0.58, 0.41), (0.37, 1.0))
# of a W beam: depths from the face, heights from its lower edge, shares
_BEAM = ((0.7, 0.0), (0.0, 0.2), (0.0, 0.35), (1.0, 0.5), (0.0, 0.65), (0.0, 0.8), (0.7, 1.0))


def barrier(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a barrier: a wall over the stated base polygon; without one, a New Jersey barrier.

    It exactly fills a box of `size` (length, width, height), centred on the origin [m]. `details`
    may state its base polygon, material and colour.
    """
    return wall(size, details) if len(details.outline_m) > 2 else _jersey(size, details)


@lengthwise
def _jersey(size: Size, details: ObjectDetails) -> SolidModel:
    model, half = SolidModel(), size[0] / 2
    section = [*_JERSEY, *((-y, z) for y, z in reversed(_JERSEY))]
    model.add(surface(details, "barrier_concrete"), profiled(section, -half, half))
    return model


@lengthwise
def guard_rail(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a guard rail: posts with a W beam on both sides.

    It exactly fills a box of `size` (length, width, height), centred on the origin, with the rail
    along the longer side [m]. `details` may state its material and colour.
    """
    model, steel = SolidModel(), surface(details, "rail_steel")
    (x, y), top = np.array(size[:2]) / 2, size[2]
    beam = min(_BEAM_M, top)
    low, post = top - beam, 0.45 * y
    deep = y - post
    for side in (-1, 1):
        front = [(side * (y - 0.9 * deep * d), low + beam * z) for d, z in _BEAM]
        back = [(side * (y - deep * min(1.0, 0.9 * d + 0.1)), low + beam * z) for d, z in _BEAM]
        model.add(steel, profiled([*front, *back[::-1]][::side], -x, x))
    n_post = int(min(max(2, size[0] // _POST_EVERY_M + 1), _MOST_POSTS))
    half = min(0.05, 0.1 * size[0])
    for at in np.linspace(half - x, x - half, n_post):
        model.add(steel, box((at - half, -post, 0), (at + half, post, top - 0.1 * beam)))
    return model


@lengthwise
def kerb(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a kerb with bevelled upper edges along the longer side of its box.

    The kerb exactly fills a box of `size` (length, width, height), centred on the origin [m].
    `details` may state its material and colour.
    """
    model = SolidModel()
    (x, y), top = np.array(size[:2]) / 2, size[2]
    bevel = min(0.03, 0.3 * y, 0.3 * top)
    section = [(y, 0), (y, top - bevel), (y - bevel, top)]
    section += [(-a, b) for a, b in reversed(section)]
    model.add(surface(details, "kerb_stone"), profiled(section, -x, x))
    return model


@lengthwise
def speed_bump(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a speed bump with a rounded cross-section along the longer side of its box.

    The bump exactly fills a box of `size` (length, width, height), centred on the origin [m].
    `details` may state its material and colour.
    """
    model, half = SolidModel(), size[0] / 2
    turn = np.linspace(0, np.pi, 13)
    section = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    model.add(surface(details, "Speed_Bump_Asphalt"), profiled(section, -half, half))
    return model


@lengthwise
def road_works_board(size: Size, _: ObjectDetails) -> SolidModel:
    """Build a board of road works: red and white retroreflective stripes above two feet.

    It exactly fills a box of `size` (length, width, height), centred on the origin [m]. The stripes
    follow one another along the longer side.
    """
    model = SolidModel()
    (x, y), top = np.array(size[:2]) / 2, size[2]
    low, thick = 0.45 * top, 0.2 * y
    edges = np.linspace(-x, x, 8)
    for i, (left, right) in enumerate(pairwise(edges)):
        stripe = box((left, -thick, low), (right, thick, top), sides="yYzZ")
        model.add(f"Sign_Retroreflective_{'White' if i % 2 else 'Red'}", stripe)
    model.add("Object_Plastic_White", box((-x, -thick, low), (x, thick, top), sides="xX"))
    for at in (-0.7 * x, 0.7 * x):
        half = 0.05 * x
        foot = box((at - 2 * half, -y, 0), (at + 2 * half, y, 0.1 * top))
        post = box((at - half, -thick / 2, 0.1 * top), (at + half, thick / 2, low))
        model.add("Object_Plastic_Black", foot + post)
    return model
