# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Cars and vans: a body swept along its profile, with windows, seats, lights and plates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.builder import PAINT
from lidar_scenery.shapes.solids import SolidModel, curve, grid_faces
from lidar_scenery.shapes.vehicles import wheels
from lidar_scenery.shapes.vehicles.parts import (
    LIGHT_BAR_M,
    add_coupling,
    add_light_bar,
    add_mirror,
    add_plate,
    has_light_bar,
)
from lidar_scenery.shapes.vehicles.seats import add_seats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_scenery.shapes.builder import Size
    from lidar_scenery.shapes.solids import Array
    from lidar_scenery.shapes.vehicles.bodywork import Bodywork
    from lidar_scenery.shapes.vehicles.wheels import Axle
    from osi_bridge.description.details import ObjectDetails

_BELT_LEVELS = (4, 5, 6)  # of the section: between shoulder and roof edge


def make_car(usual: Bodywork, size: Size, details: ObjectDetails) -> SolidModel:
    """Return the model of a car or a van, nearly as large as `size`; z = 0 is its lowest point.

    Parameters
    ----------
    usual : Bodywork
        Shape of the kind of car, which is scaled to the size.
    size : (float, float, float)
        Length, width and height. [m]
    details : ObjectDetails
        Wheels, clearance, role (for a light bar) and trailer of the object, if stated.
    """
    length, width, height = size
    roof = height - LIGHT_BAR_M if has_light_bar(details) else height
    body = usual.at((length, width, roof), details)
    model = SolidModel()
    model.group = "body"
    add_body(model, body)
    half_width = max(y for _, y in body.half_width) - 0.03
    wheels.add_arches(model, body.axles, half_width, body.sill_m)
    model.group = "wheels"
    wheels.add_wheels(model, body.axles)
    model.group = "parts"
    add_car_parts(model, body)
    if roof < height:
        add_light_bar(model, body.seat_rows[0], 0.9 * body.roof_half_width, (roof - 0.02, height))
    if details.has_trailer:
        add_coupling(model, -length / 2, body.sill_m)
    return model


def add_car_parts(model: SolidModel, body: Bodywork) -> None:
    """Add mirrors and number plates to the model of a car or a van, in the current group.

    `body` is the shape of the car, already scaled to its size.
    """
    half_length, half_width, _ = np.array(body.size_m) / 2
    x = body.side_windows[-1][1] - 0.02
    for side in (-1, 1):
        add_mirror(model, x, side * half_width, float(curve(x, body.belt)) + 0.02)
    for end in (-1, 1):
        add_plate(model, end * (half_length + 0.006))


def add_body(model: SolidModel, body: Bodywork) -> None:
    """Add the shell of a car or a van, and the interior that is seen through its glass, to `model`.

    `body` is the shape of the car, already scaled to its size.
    """
    _add_shell(model, body)
    add_seats(model, body)


def _add_shell(model: SolidModel, body: Bodywork) -> None:
    """Add the shell: the cross-section swept along x, as a grid of cells with a material each."""
    x = _stations(body)
    section = _sections(body, x)
    quads = np.stack(
        [section[:-1, :-1], section[:-1, 1:], section[1:, 1:], section[1:, :-1]], axis=2
    )
    material = _materials(body, (x[:-1] + x[1:]) / 2, np.ptp(quads[..., 2], axis=2))
    names, first = np.unique(material, return_index=True)
    for name in names[np.argsort(first)]:
        _add_both_sides(model, name, quads[material == name])
        if name == "Headlight":  # the laser hits it behind the clear lens
            _add_both_sides(model, "Headlight_Reflector", quads[material == name] * (0.97, 0.94, 1))
    for end, flip in ((section[0], 1), (section[-1], -1)):  # close front and rear
        ladder = np.stack([end, end * (1, -1, 1)])[::flip]
        model.add(PAINT, grid_faces(ladder)[2:])
        model.add("Plastic_Black", grid_faces(ladder)[:2])
    half = np.array(curve(x, body.half_width)) - 0.03
    floor = np.stack([np.stack([x, s * half, 0 * x + body.sill_m + 0.02], axis=1) for s in (-1, 1)])
    model.add("Underbody_Steel", grid_faces(floor[::-1]))


def _add_both_sides(model: SolidModel, material: str, quads: Array) -> None:
    """Add quads (n, 4, 3) of the left side and their mirror images."""
    mirrored = (quads * (1, -1, 1))[:, ::-1]
    model.add(material, np.stack([quads, mirrored], axis=1).reshape(-1, 4, 3))


def _stations(body: Bodywork) -> Array:
    """Return x of the cross-sections: evenly spaced, but finer at ends, windows and wheels."""
    half = body.size_m[0] / 2
    turn = np.linspace(0, np.pi, 13)
    arches = [axle.x_m - axle.arch_m * np.cos(turn) for axle in body.axles]
    windows = [edge for window in (*body.side_windows, *body.glass) for edge in window]
    ends = half - np.array([0, 0.02, 0.05, 0.1, 0.16, 0.24])
    even = np.arange(-half, half, max(0.15, half / 18))
    x = np.unique(np.round(np.concatenate([*arches, windows, ends, -ends, even]), 3))
    keep = np.diff(x, prepend=-np.inf) > 0.012
    inside: Array = x[keep & (np.abs(x) <= half)]
    return inside


def _sections(body: Bodywork, x: Array) -> Array:
    """Return the left half of each cross-section from the sill to the roof, (n_x, 11, 3)."""
    width, belt, top = (np.array(curve(x, k)) for k in (body.half_width, body.belt, body.top))
    belt = np.minimum(belt, top - 0.03)
    sill = np.minimum(_sill(body.axles, body.sill_m, x), belt - 0.03)
    rise = np.clip(
        (top - belt) / (max(h for _, h in body.top) - max(h for _, h in body.belt)), 0, 1
    )
    shoulder = width - 0.05
    roof = shoulder + (body.roof_half_width - shoulder) * rise**0.8
    edge = top - 0.05 * np.clip((top - belt) / 0.1, 0.3, 1)
    low = [sill + (belt - sill) * s for s in (0, 0.2, 0.45, 0.75, 1)]
    bulge = [-0.03, 0.0, 0.005, -0.012, -0.05]
    points = [(width + b, z) for b, z in zip(bulge, low, strict=True)]
    points += [
        (shoulder + (roof - shoulder) * s, belt + (edge - belt) * s) for s in (0.33, 0.67, 1)
    ]
    points += [(roof * s, edge + (top - edge) * h) for s, h in ((0.85, 0.6), (0.5, 0.9), (0.0, 1))]
    return np.stack([np.stack([x, y, z], axis=1) for y, z in points], axis=1)


def _sill(axles: Sequence[Axle], clearance_m: float, x: Array) -> Array:
    """Return the height of the body's lower edge, which rises over the wheels."""
    sill = np.full_like(x, clearance_m)
    for axle in axles:
        inside = np.clip(axle.arch_m**2 - (x - axle.x_m) ** 2, 0, None)
        sill = np.maximum(sill, np.where(inside > 0, axle.radius_m + np.sqrt(inside), 0))
    return sill


def _materials(body: Bodywork, x: Array, height: Array) -> np.ndarray:
    """Return the material of each cell of the body's grid, (n_x, n_level), by its position.

    Parameters
    ----------
    body : Bodywork
        The body.
    x : float64 (n_x,)
        x of the middles of the cells. [m]
    height : float64 (n_x, n_level)
        Heights of the cells, from their lower to their upper edges. [m]
    """
    half, level = body.size_m[0] / 2, np.arange(height.shape[1])
    material = np.full(height.shape, PAINT, dtype="<U24")
    material[:, 0] = "Plastic_Black"
    material[np.ix_(x < -half + 0.14, (level == 2) | (level == 3))] = "Taillight"
    material[x > half - 0.3, 3] = "Headlight"
    glass = np.where(x > body.seat_rows[0] - 0.2, "Glass_Clear", "Glass_Tinted")[:, None]
    tall = np.array(curve(x, body.top)) - np.array(curve(x, body.belt)) > 0.16
    glazed = (tall & _within(x, body.side_windows))[:, None] & (height > 0.05)
    glazed &= np.isin(level, _BELT_LEVELS)
    glazed |= _within(x, body.glass)[:, None] & (level > 7)
    return np.where(glazed, glass, material)


def _within(x: Array, panes: Sequence[tuple[float, float]]) -> np.ndarray:
    """Return which values of x lie within one of the panes, bool (n,)."""
    inside = np.zeros(len(x), np.bool_)
    for pane in panes:
        inside |= (x > min(pane)) & (x < max(pane))
    return inside
