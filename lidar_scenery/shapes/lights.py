# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Traffic lights of a size: a single lamp, which is one OSI TrafficLight, and a head of three.

A light faces x, as in OSI.
"""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.builder import Builder
from lidar_scenery.shapes.fitting import fitted
from lidar_scenery.shapes.roadside.sign_faces import regular
from lidar_scenery.shapes.solids import Array, SolidModel, box, grid_faces, tube

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lidar_scenery.shapes.builder import Size
    from osi_bridge.description.details import ObjectDetails

LIGHT_SHAPE = "light_bulb"
"""Shape of an OSI TrafficLight, which is one lamp of a head."""

_HEAD = 1.6  # a box this much higher than a head has a post below it
_HEAD_HEIGHT = 3.0  # of three lamps, in widths
_HOUSING = 0.45  # share of the depth; the visor takes the rest
_POST_RADIUS_M = 0.05


def bulb(size: Size, details: ObjectDetails) -> SolidModel:
    """Build a lamp that faces x: a housing, a reflector behind a lens, a visor above the lens.

    The lens has the colour that `details` state; without a stated colour it is clear. The lamp
    exactly fills a box of `size`, which is centred on the origin. [m]
    """
    model = SolidModel()
    _lamp(model, f"Signal_Lens_{_named(details)}", (0.5, 0.5))
    return fitted(model, size)


def head(size: Size, _: ObjectDetails) -> SolidModel:
    """Build a head of three lamps that faces x, on a post if the box is high.

    A box is high if its height is more than 1.6 times the height of a head as wide as the box. The
    model exactly fills a box of `size`, which is centred on the origin. [m]
    """
    length, width, height = size
    model = SolidModel()
    for i, color in enumerate(("Green", "Yellow", "Red")):
        _lamp(model, f"Signal_Lens_{color}", (0.5, i + 0.5))
    on_post = height > _HEAD * _HEAD_HEIGHT * width
    tall = _HEAD_HEIGHT * width if on_post else height
    model = fitted(model, (length, width, tall))
    if on_post:
        half = np.minimum(_POST_RADIUS_M, np.array([0.2 * length, 0.25 * width]))
        post = tube([(0, 0, -height + tall / 2), (0, 0, -tall / 2)], 1.0)
        x = (_HOUSING - 1) / 2 * length
        model.add("Pole_Steel", [p * (*half, 1) + (x, 0, 0) for p in post])
    return fitted(model, size)


def _lamp(model: SolidModel, lens: str, middle: tuple[float, float]) -> None:
    """Add a lamp of width and height 1 about a middle (right, up), with its back at x = 0."""
    (y, z), face = middle, _HOUSING
    model.add("Signal_Housing", box((0, y - 0.5, z - 0.5), (face, y + 0.5, z + 0.5), sides="xyYzZ"))
    circle = regular(20, np.pi / 4)
    corners = 0.5 * np.array([(1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1)])
    square = np.concatenate([np.linspace(a, b, 5, endpoint=False) for a, b in pairwise(corners)])
    rings = [_ring(square, face), _ring(0.4 * circle, face), _ring(0.36 * circle, 0.2 * face)]
    front, bowl = (np.stack(pair)[::-1] for pair in ((rings[1], rings[0]), (rings[2], rings[1])))
    shift = np.array([0, y, z])
    model.add("Signal_Housing", [f + shift for f in grid_faces(front)])
    model.add("Signal_Reflector", [f + shift for f in grid_faces(bowl)])
    model.add("Signal_Reflector", [rings[2][:-1] + shift])
    model.add(lens, [_ring(0.4 * circle, 0.95 * face)[:-1] + shift])
    turn = np.linspace(-0.1, np.pi + 0.1, 13)
    arc = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    outside = np.stack([_ring(0.44 * arc, x, closed=False) for x in (face, 1.0)]) + shift
    inside = np.stack([_ring(0.41 * arc, x, closed=False) for x in (face, 1.0)]) + shift
    edge = np.stack([outside[1], inside[1]])
    model.add("Signal_Housing", grid_faces(outside[::-1]) + grid_faces(inside) + grid_faces(edge))


def _ring(points: Array, x: float, *, closed: bool = True) -> Array:
    ring = np.concatenate([points, points[:1]]) if closed else points
    return np.insert(ring, 0, x, axis=1)


def _named(details: ObjectDetails) -> str:
    """Return the name of the lens nearest to the stated colour; "Clear" without a colour."""
    if details.color is None:
        return "Clear"
    colors = {"Red": (1, 0, 0), "Yellow": (1, 0.8, 0), "Green": (0, 0.8, 0.2), "Clear": (1, 1, 1)}
    wanted = np.array(details.color)
    return min(colors, key=lambda name: float(np.linalg.norm(wanted - colors[name])))


LIGHTS: Mapping[str, Builder] = MappingProxyType(
    {
        LIGHT_SHAPE: Builder(
            build=bulb, usual_m=(0.3, 0.3, 0.3), words="one lamp of a traffic light"
        ),
        "traffic_light": Builder(
            build=head, usual_m=(0.3, 0.3, 3.2), words="three lamps, on a post if tall"
        ),
    }
)
"""Shapes of traffic lights, by name."""
