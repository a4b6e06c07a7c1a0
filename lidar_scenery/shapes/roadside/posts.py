# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Slender things beside a road: poles, lamps, delineators, cones, masts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.fitting import fitted
from lidar_scenery.shapes.roadside.parts import lengthwise, stacked, surface
from lidar_scenery.shapes.solids import SolidModel, box, tube

if TYPE_CHECKING:
    from lidar_scenery.shapes.builder import Size
    from osi_bridge.description.details import ObjectDetails

_CONE_M = 1.5  # a pylon up to this height is a cone, a taller one a mast


def is_slender(size: Size) -> bool:
    """Return whether a box has the size of a post.

    It must be less than 1 m long and wide, and over 3 times as high as it is long or wide.
    """
    return size[2] > 3 * max(size[:2]) and max(size[:2]) < 1.0


@lengthwise
def pole(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a round pole; in a long box, it carries an arm along the box.

    The model exactly fills the box, which is centred on the origin. A box is long if it is at least
    twice as long as wide, and at least as high as long.

    Parameters
    ----------
    size : (float, float, float)
        Length, width and height of the box. If it is wider than long, the arm is along y. [m]
    details : ObjectDetails
        Properties of the object. Its material and colour decide the visual material of the model;
        if it states no known one, this is "Pole_Steel".
    """
    length, width, height = size
    model, steel = SolidModel(), surface(details, "Pole_Steel")
    if length < 2 * width or height < length:
        stacked(model, [(0, 0.5), (height, 0.5)], [steel])
        return model
    arm = min(width, 0.04 * height)
    stacked(model, [(0, width / 2), (height - arm, width / 2)], [steel])
    half = length / 2
    model.add(steel, box((-half, -width / 4, height - arm), (half, width / 4, height)))
    return model


@lengthwise
def lamp(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a street lamp: a post with a lantern; in a long box, with an arm that has two heads.

    The model exactly fills the box, which is centred on the origin. A long box is at least twice as
    long as wide. A box that is less than twice as high as long becomes a lamp head without a post.

    Parameters
    ----------
    size : (float, float, float)
        Length, width and height of the box; the two horizontal sides are swapped if it is wider
        than long. [m]
    details : ObjectDetails
        Properties of the object. Its material and colour decide the visual material of post and
        arm; if it states no known one, this is "Lamp_Post_Steel".
    """
    length, width, height = size
    model, steel = SolidModel(), surface(details, "Lamp_Post_Steel")
    if height < 2 * length:
        model.add("Lamp_Head_Plastic", box((-length, -width, 0), (length, width, height)))
        return model
    head = min(0.12 * height, 0.6)
    post = min(0.06, 0.4 * width, 0.2 * length)
    if length < 2 * width:
        stacked(model, [(0, post), (height - head, 0.6 * post)], [steel])
        model.add(
            "Lamp_Head_Plastic",
            tube(
                [(0, 0, height - head), (0, 0, height - 0.3 * head), (0, 0, height)],
                np.array([0.25, 0.5, 0.2]) * length,
            ),
        )
        return model
    thick = min(head, 0.12)
    stacked(model, [(0, post), (height - thick, 0.6 * post)], [steel])
    half = length / 2
    model.add(steel, box((-0.6 * half, -post / 2, height - thick), (0.6 * half, post / 2, height)))
    for side in (-1, 1):
        x = sorted((side * 0.6 * half, side * half))
        low, high = (x[0], -width / 2, height - thick), (x[1], width / 2, height)
        model.add("Lamp_Head_Plastic", box(low, high))
    return model


def delineator(size: Size, _: ObjectDetails) -> SolidModel:
    """Build a delineator: a white post with a black band that has a reflector on front and back.

    It exactly fills a box of `size`, centred on the origin; it faces x [m].
    """
    model = SolidModel()
    levels = (0.0, 0.72, 0.92, 1.0)
    for (low, high), color in zip(pairwise(levels), ("White", "Black", "White"), strict=True):
        model.add(f"Object_Plastic_{color}", box((-1, -1, low), (1, 1, high), sides="xXyY"))
    model.add("Object_Plastic_White", box((-1, -1, 0), (1, 1, 1), sides="zZ"))
    for x in (-1, 1):
        inner, outer = sorted((0.98 * x, 1.04 * x))
        model.add("Delineator_Reflector", box((inner, -0.45, 0.74), (outer, 0.45, 0.9)))
    return fitted(model, size)


def cone(size: Size, _: ObjectDetails) -> SolidModel:
    """Build a traffic cone: a square foot, an orange cone with two retroreflective bands.

    It exactly fills a box of `size`, centred on the origin. [m]
    """
    model = SolidModel()
    model.add("Object_Plastic_Black", box((-0.5, -0.5, 0), (0.5, 0.5, 0.05)))
    levels = np.array([0.05, 0.42, 0.58, 0.72, 0.84, 1.0])
    radius = 0.4 + (0.08 - 0.4) * (levels - 0.05) / 0.95
    bands = ("Cone_Orange", "Cone_Band_Retro", "Cone_Orange", "Cone_Band_Retro", "Cone_Orange")
    stacked(model, list(zip(levels, radius, strict=True)), bands)
    return fitted(model, size)


def pylon(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a traffic cone, or a lattice mast if the box is higher than 1.5 m.

    The model exactly fills the box, which is centred on the origin.

    Parameters
    ----------
    size : (float, float, float)
        Length, width and height of the box. [m]
    details : ObjectDetails
        Properties of the object. Its material and colour decide the visual material of a mast; if
        it states no known one, this is "Pole_Steel". A cone does not depend on them.
    """
    if size[2] <= _CONE_M:
        return cone(size, details)
    model, steel = SolidModel(), surface(details, "Pole_Steel")
    levels = np.linspace(0, 1, 6)
    half = 0.5 - 0.4 * levels
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    corners = half[:, None, None] * square
    corners = np.concatenate([corners, np.broadcast_to(levels[:, None, None], (6, 4, 1))], axis=2)
    for side in range(4):
        model.add(steel, tube(corners[:, side][[0, -1]], 0.03, 4))
        for low, high in pairwise(corners):
            model.add(steel, tube([low[side], high[(side + 1) % 4]], 0.012, 4))
            model.add(steel, tube([high[side], high[(side + 1) % 4]], 0.012, 4))
    return fitted(model, size)


def reflective(size: Size, _: ObjectDetails) -> SolidModel:
    """Build a retroreflective object: a round post if the box has the size of a post, else a board.

    Its sides are retroreflective. It exactly fills a box of `size`, centred on the origin. [m]
    """
    model = SolidModel()
    if is_slender(size):
        stacked(model, [(0, 0.5), (1, 0.5)], ["Reflective_Sheeting"])
    else:
        model.add("Reflective_Sheeting", box((0, 0, 0), (1, 1, 1), sides="xXyY"))
        model.add("Sign_Back_Aluminium", box((0, 0, 0), (1, 1, 1), sides="zZ"))
    return fitted(model, size)
