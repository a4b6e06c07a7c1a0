# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions shared by the shapes beside a road: direction, stacked rings, stated materials."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.fitting import fitted
from lidar_scenery.shapes.solids import tube, turned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lidar_scenery.shapes.builder import Size
    from lidar_scenery.shapes.solids import SolidModel
    from osi_bridge.description.details import ObjectDetails

    Build = Callable[[Size, ObjectDetails], SolidModel]

Color = tuple[float, float, float]

_MATERIALS: Mapping[str, str] = {
    "WOOD": "Object_Wood",
    "PLASTIC": "Object_Plastic_Grey",
    "CONCRETE": "Object_Concrete",
    "METAL": "Object_Metal",
    "STONE": "Object_Stone",
    "GLASS": "Object_Glass",
    "GLAS": "Object_Glass",  # OSI's older spelling
    "MUD": "Object_Mud",
}
_COLORS: Mapping[str, Mapping[str, Color]] = {
    "METAL": {
        "Object_Paint_White": (0.95, 0.95, 0.95),
        "Object_Paint_Grey": (0.5, 0.5, 0.5),
        "Object_Paint_Black": (0.05, 0.05, 0.05),
        "Object_Paint_Red": (0.75, 0.08, 0.08),
        "Object_Paint_Orange": (0.95, 0.5, 0.1),
        "Object_Paint_Yellow": (0.95, 0.85, 0.1),
        "Object_Paint_Green": (0.1, 0.5, 0.15),
        "Object_Paint_Blue": (0.1, 0.2, 0.65),
    },
    "PLASTIC": {
        "Object_Plastic_White": (0.95, 0.95, 0.95),
        "Object_Plastic_Grey": (0.5, 0.5, 0.5),
        "Object_Plastic_Black": (0.05, 0.05, 0.05),
    },
}


def surface(details: ObjectDetails, default: str) -> str:
    """Return the visual material of an object from the material that its details state.

    If no material is stated, or an unknown one, it is `default`. If the details also state a
    colour, metal and plastic get the variant with the nearest colour.
    """
    variants = _COLORS.get(details.material)
    if variants is None or details.color is None:
        return _MATERIALS.get(details.material, default)
    wanted = np.array(details.color)
    return min(variants, key=lambda name: float(np.linalg.norm(wanted - variants[name])))


def lengthwise(build: Build) -> Build:
    """Decorate `build` so that it always builds its shape with the longer horizontal side along x.

    `build` is a function of a size (length, width, height) [m] and details that returns a model. If
    the box is wider than long, the decorated function swaps length and width, calls `build`, and
    turns the model back. It also stretches the model to exactly the wanted size.
    """

    def built(size: Size, details: ObjectDetails) -> SolidModel:
        length, width, height = size
        if length >= width:
            return fitted(build(size, details), size)
        model = build((width, length, height), details)
        return fitted(model.moved(turned(yaw_rad=np.pi / 2)), size)

    return built


def stacked(
    model: SolidModel,
    rings: Sequence[tuple[float, float]],
    materials: Sequence[str],
    n_side: int = 16,
) -> None:
    """Add a round upright body about the z axis to a model, as pieces on top of each other.

    Parameters
    ----------
    model : SolidModel
        Model that the faces are added to.
    rings : sequence of (float, float)
        (height, radius) of each end of a piece, upwards. [m]
    materials : sequence of str
        Visual material of each piece, so there is one entry less than rings.
    n_side : int
        Number of corners of a ring.
    """
    for (low, high), material in zip(pairwise(rings), materials, strict=True):
        path = [(0, 0, low[0]), (0, 0, high[0])]
        model.add(material, tube(path, [low[1], high[1]], n_side, capped=False))
    ends = tube([(0, 0, rings[0][0]), (0, 0, rings[-1][0])], [rings[0][1], rings[-1][1]], n_side)
    model.add(materials[0], ends[-2:-1])
    model.add(materials[-1], ends[-1:])
