# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Box-shaped bodies with rows of windows: buses, trams and trains, cabs, and boxes of trucks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.builder import PAINT
from lidar_scenery.shapes.solids import grid_faces
from lidar_scenery.shapes.vehicles.wheels import add_arches

if TYPE_CHECKING:
    from lidar_scenery.shapes.solids import Array, SolidModel
    from lidar_scenery.shapes.vehicles.wheels import Axle

_CORNER = np.array([1.0, 0.55, 0.25, 0.07, 0.0])  # of the radius: inset of a rounded corner ..
_ALONG = np.array([0.0, 0.12, 0.3, 0.6, 1.0])  # .. at these parts of it along x
_GLAZED, _LAMPS = 3, 1  # levels of the section


@dataclass(frozen=True, kw_only=True)
class Coach:
    """Body of a bus, tram, train or cab, with upright walls and rounded corners.

    x is measured forwards from the middle of the vehicle, heights from its bottom.

    Attributes
    ----------
    x_m : (float, float)
        x of the rear end and of the front end. [m]
    half_width_m : float
        Half the distance between the side walls. [m]
    floor_m, sill_m, belt_m, head_m, roof_m : float
        Heights, in this order: lower edge of the body, upper edge of the skirt, lower edge of the
        windows, upper edge of the windows, roof. [m]
    axles : tuple of Axle
        Axles; the lower edge rises over their wheels.
    side_windows : tuple of (float, float)
        x of the rear and the front end of each side window. [m]
    front, rear : bool
        Whether this end has a window and lamps.
    corner_m, rear_corner_m : float
        Radius of the corners at the front and at the rear, seen from above. [m]
    rake_m : float
        Distance of the roof's front end behind the front bumper. [m]
    rear_rake_m : float
        Distance of the roof's rear end ahead of the rear bumper. [m]
    material : str
        Visual material of the walls.
    """

    x_m: tuple[float, float]
    half_width_m: float
    floor_m: float
    sill_m: float
    belt_m: float
    head_m: float
    roof_m: float
    axles: tuple[Axle, ...] = ()
    side_windows: tuple[tuple[float, float], ...] = ()
    front: bool = True
    rear: bool = True
    corner_m: float = 0.15
    rear_corner_m: float = 0.1
    rake_m: float = 0.0
    rear_rake_m: float = 0.0
    material: str = PAINT


def add_coach(model: SolidModel, coach: Coach) -> None:
    """Add the body of a bus, tram, train or cab to a model: walls, ends, roof, floor, arches.

    Parameters
    ----------
    model : SolidModel
        Model whose current group the faces are added to, in place; x from the middle of the
        vehicle, z = 0 is the bottom of its box. [m]
    coach : Coach
        Measures and visual material of the body.
    """
    x, inset = _stations(coach)
    section = _sections(coach, x, inset)
    quads = np.stack(
        [section[:-1, :-1], section[:-1, 1:], section[1:, 1:], section[1:, :-1]], axis=2
    )
    middle = (x[:-1] + x[1:]) / 2
    is_pane = np.zeros(quads.shape[:2], np.bool_)
    is_pane[:, _GLAZED] = np.any(
        [(middle > a) & (middle < b) for a, b in coach.side_windows], axis=0
    )
    for name, chosen in (("Glass_Tinted", is_pane), (coach.material, ~is_pane)):
        for sides in (quads[chosen], (quads[chosen] * (1, -1, 1))[:, ::-1]):
            model.add(name, sides)
    _add_end(model, coach, section[-1], is_front=True)
    _add_end(model, coach, section[0], is_front=False)
    add_arches(model, coach.axles, coach.half_width_m, coach.floor_m)
    half = np.maximum(coach.half_width_m - inset, 0.02)
    floor = [np.stack([x, s * half, 0 * x + coach.floor_m + 0.02], axis=1) for s in (1, -1)]
    model.add("Underbody_Steel", grid_faces(np.stack(floor)))


def _stations(coach: Coach) -> tuple[Array, Array]:
    """Return x of the cross-sections, and how far the side walls are moved inwards at each x."""
    rear, front = coach.x_m
    corner, rear_corner = (
        min(radius, 0.3 * (front - rear), 0.8 * coach.half_width_m)
        for radius in (coach.corner_m, coach.rear_corner_m)
    )
    turn = np.linspace(0, np.pi, 9)
    arches = [axle.x_m - axle.arch_m * np.cos(turn) for axle in coach.axles]
    edges = [edge for window in coach.side_windows for edge in window]
    ends = [front - corner * _ALONG, rear + rear_corner * _ALONG]
    x = np.unique(np.round(np.concatenate([*arches, edges, *ends]), 4))
    x = x[(x >= rear) & (x <= front)]
    at_front = np.interp(front - x, corner * _ALONG, corner * _CORNER)
    at_rear = np.interp(x - rear, rear_corner * _ALONG, rear_corner * _CORNER)
    return x, np.maximum(at_front, at_rear)


def _sections(coach: Coach, x: Array, inset: Array) -> Array:
    """Return the left half of each cross-section from its lower edge to the roof, (n_x, 8, 3)."""
    edge = np.full_like(x, coach.floor_m)
    for axle in coach.axles:
        inside = np.clip(axle.arch_m**2 - (x - axle.x_m) ** 2, 0, None)
        edge = np.maximum(edge, np.where(inside > 0, axle.radius_m + np.sqrt(inside), 0))
    edge = np.minimum(edge, coach.belt_m - 0.01)
    low = np.maximum(edge, coach.sill_m)
    middle = np.maximum(edge, 0.6 * coach.sill_m + 0.4 * coach.belt_m)
    round_m = min(coach.roof_m - coach.head_m, 0.3 * coach.half_width_m)
    levels = [
        (0.0, edge),
        (0.0, low),
        (0.0, middle),
        (0.0, 0 * x + coach.belt_m),
        (0.2 * round_m, 0 * x + coach.head_m),
        (0.35 * round_m, 0 * x + coach.roof_m - 0.35 * round_m),
        (round_m, 0 * x + coach.roof_m - 0.04 * round_m),
        (coach.half_width_m, 0 * x + coach.roof_m),
    ]
    height = coach.roof_m - coach.belt_m
    points = []
    for narrower, z in levels:
        up = np.clip((z - coach.belt_m) / height, 0, 1)
        y = np.maximum(coach.half_width_m - narrower - inset, 0.0)
        points.append(np.stack([_raked(coach, x, up), y, z], axis=1))
    return np.stack(points, axis=1)


def _raked(coach: Coach, x: Array, up: Array) -> Array:
    """Return x of points moved with the leaning ends; `up` is 0 at the belt and 1 at the roof."""
    rear, front = coach.x_m
    reach = 0.4 * (front - rear)
    near_front = np.clip(1.0 - (front - x) / reach, 0.0, 1.0)
    near_rear = np.clip(1.0 - (x - rear) / reach, 0.0, 1.0)
    leant: Array = x - up * (coach.rake_m * near_front - coach.rear_rake_m * near_rear)
    return leant


def _add_end(model: SolidModel, coach: Coach, section: Array, *, is_front: bool) -> None:
    """Close one end with a grid of quads, which has windows and lamps in some of its cells."""
    across = np.array([1.0, 0.9, 0.55, -0.55, -0.9, -1.0])
    rows = section[:, None] * np.stack([0 * across + 1, across, 0 * across + 1], axis=1)
    is_seen = coach.front if is_front else coach.rear
    for level in range(len(rows) - 1):
        quads = grid_faces(rows[level : level + 2, ::-1] if is_front else rows[level : level + 2])
        for column, quad in enumerate(quads):
            name = coach.material
            if is_seen and level == _GLAZED and 0 < column < 4:
                name = "Glass_Clear" if is_front else "Glass_Tinted"
            if is_seen and level == _LAMPS and column in (1, 3):
                name = "Headlight" if is_front else "Taillight"
                if is_front:
                    model.add("Headlight_Reflector", [quad - (0.06, 0, 0)])
            model.add(name, [quad])
