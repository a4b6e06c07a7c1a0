# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The wheels of built-in vehicles as separate parts, with spokes so that turning shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.shapes.solids import PART, SolidModel, extruded, grid_faces

if TYPE_CHECKING:
    from lidar_scenery.shapes.solids import Array

ROUND = 0.25
"""Largest relative difference of a wheel's length and height in a stretched vehicle for which the
wheel rolls: it is then made round. A wheel that is stretched more stays part of the body. [1]"""
N_SPOKES = 5
_RIM = (0.15, 0.62, 0.72)  # radii of hub and rim ring, over the radius of the tyre
_SPOKE_HALF = 0.06  # half the width of a spoke, over the radius of the tyre
_DEPTH_M = 0.04  # of the brakes behind the spokes


class WheelPart(NamedTuple):
    """A wheel of a built-in vehicle, as a part of its own.

    `radius_m` is the radius of the wheel [m]; the other fields are described below.
    """

    hub_m: Array
    """Centre of the wheel in the vehicle, (3,). [m]"""
    radius_m: float
    model: SolidModel
    """The polygons of the wheel, relative to its centre. [m]"""


def wheel_parts(model: SolidModel, *, spokes: bool) -> tuple[SolidModel, list[WheelPart]]:
    """Return the body of a vehicle and its wheels as separate models.

    A wheel that is far from round stays in the body.

    Parameters
    ----------
    model : SolidModel
        The whole vehicle. The polygons of each wheel must be in a group that is named as a part.
    spokes : bool
        Whether the flat rims of wheels become rings and spokes.
    """
    body, by_name = SolidModel(), dict[str, SolidModel]()
    for (group, material), polygons in model.groups.items():
        target = by_name.setdefault(group, SolidModel()) if PART in group else body
        target.group = group
        target.add(material, polygons)
    wheels = []
    for wheel in by_name.values():
        found = _centred(wheel)
        if found is None:
            body.merge(wheel, lambda points: points)
        else:
            wheels.append(found._replace(model=_with_spokes(found)) if spokes else found)
    return body, wheels


def _centred(wheel: SolidModel) -> WheelPart | None:
    """Return a wheel moved to its centre and made round; None if it is far from round."""
    corners = np.concatenate([p for polygons in wheel.groups.values() for p in polygons])
    low, high = corners.min(axis=0), corners.max(axis=0)
    hub, (length, _, height) = (low + high) / 2, high - low
    if abs(length / height - 1.0) > ROUND:
        return None
    to_round = np.array([height / length, 1.0, 1.0])
    return WheelPart(hub, float(height) / 2, wheel.moved(lambda points: (points - hub) * to_round))


def _with_spokes(wheel: WheelPart) -> SolidModel:
    """Return a wheel whose rim has a ring and spokes, with dark brakes behind them."""
    radius, model = wheel.radius_m, SolidModel()
    side = 1.0 if wheel.hub_m[1] > 0.0 else -1.0
    outer = max(float((side * p[:, 1]).max()) for each in wheel.model.groups.values() for p in each)
    for (_, material), polygons in wheel.model.groups.items():
        if material == "Rim_Aluminium":
            shift = np.array([0.0, -side * _DEPTH_M, 0.0])
            model.add("Plastic_Black", [points + shift for points in polygons])
        else:
            model.add(material, polygons)
    turn = side * 2 * np.pi * np.arange(21) / 20
    circle = np.stack([np.sin(turn), 0 * turn, np.cos(turn)], axis=1)
    face = np.array([0.0, side * outer, 0.0])
    ring = [face + share * radius * circle for share in _RIM]
    model.add("Rim_Aluminium", grid_faces(np.stack(ring[1:])))
    model.add("Rim_Aluminium", extruded(ring[0][-2::-1], (0.0, -side * _DEPTH_M, 0.0)))
    for angle in 2 * np.pi * np.arange(N_SPOKES) / N_SPOKES:
        along = radius * np.array([np.sin(angle), 0.0, np.cos(angle)])
        across = _SPOKE_HALF * radius * np.array([np.cos(angle), 0.0, -np.sin(angle)])
        inner, end = face + 0.9 * _RIM[0] * along, face + _RIM[1] * along
        corners = [inner - across, inner + across, end + across, end - across]
        outline = np.array(corners if side < 0.0 else corners[::-1])
        model.add("Rim_Aluminium", extruded(outline, (0.0, -side * 0.5 * _DEPTH_M, 0.0)))
    return model
