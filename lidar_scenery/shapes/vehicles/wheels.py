# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wheels of vehicles: their positions from object details, and tyres, rims and arches."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.solids import PART, grid_faces, tube

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lidar_scenery.shapes.builder import Size
    from lidar_scenery.shapes.solids import SolidModel
    from osi_bridge.description.details import ObjectDetails, Wheel

GAP_M = 0.055  # between a tyre and its wheel arch
_INSET_M = 0.035  # of a tyre from the side of the box
_ONE_AXLE_M = 0.4  # wheels whose centres are nearer along x share an axle


@dataclass(frozen=True, slots=True, kw_only=True)
class Axle:
    """A pair of wheels of one axle, left and right, standing on the bottom of the vehicle's box.

    Attributes
    ----------
    x_m : float
        x of the axle, relative to the middle of the box. [m]
    radius_m, width_m : float
        Radius and width of each wheel. [m]
    outer_m : float
        Distance of the wheels' outer faces from the middle plane of the vehicle. [m]
    is_twin : bool
        Whether each of both wheels has two tyres, side by side.
    """

    x_m: float
    radius_m: float
    width_m: float
    outer_m: float
    is_twin: bool = False

    @property
    def arch_m(self) -> float:
        """Radius of the arch above each wheel, which is the wheel's radius and a gap [m]."""
        return self.radius_m + GAP_M


def axles(
    x_m: Sequence[float], radius_m: float, size: Size, *, width_m: float = 0.2, n_twin: int = 0
) -> tuple[Axle, ...]:
    """Return axles of equal wheels, 3.5 cm inside the sides of the box, in order from the rear.

    Parameters
    ----------
    x_m : sequence of float
        x of the axles, from the middle of the box, in any order. [m]
    radius_m, width_m : float
        Radius and width of each wheel. [m]
    size : (float, float, float)
        Length, width and height of the box. [m]
    n_twin : int
        Number of rearmost axles with twin tyres.
    """
    outer = size[1] / 2 - _INSET_M
    return tuple(
        Axle(x_m=x, radius_m=radius_m, width_m=width_m, outer_m=outer, is_twin=n < n_twin)
        for n, x in enumerate(sorted(x_m))
    )


def placed(
    usual: tuple[Axle, ...], details: ObjectDetails, size: Size, *, most_m: float
) -> tuple[Axle, ...]:
    """Return the axles of a vehicle as its details state them, else the usual ones.

    Parameters
    ----------
    usual : tuple of Axle
        Usual axles of such a vehicle, from the rear to the front.
    details : ObjectDetails
        Properties that the object states. Stated wheels determine the axles if they form at least
        two, or one if the usual vehicle has one. Else the stated positions of front and rear axle
        and the stated wheel radius replace the usual values.
    size : (float, float, float)
        Size of the box, within which all wheels stay. [m]
    most_m : float
        Largest radius of a wheel; the smallest is half of it. [m]
    """
    found = _of_wheels(usual, details) or _of_axles(usual, details, size)
    inside = (_inside(axle, size, most_m) for axle in found)
    return tuple(sorted(inside, key=lambda axle: axle.x_m))


def _of_wheels(usual: tuple[Axle, ...], details: ObjectDetails) -> tuple[Axle, ...]:
    """Return the axles that the stated wheels form; none if these are too few.

    At least two axles are needed, or one if the usual vehicle has one.
    """
    groups: list[list[Wheel]] = []
    for wheel in sorted(details.wheels, key=lambda each: each.center_m[0]):
        if groups and wheel.center_m[0] - groups[-1][0].center_m[0] < _ONE_AXLE_M:
            groups[-1].append(wheel)
        else:
            groups.append([wheel])
    if len(groups) < min(len(usual), 2):
        return ()
    like = [usual[0]] * (len(groups) - 1) + [usual[-1]]
    return tuple(_of_group(group, axle, details) for group, axle in zip(groups, like, strict=True))


def _of_group(group: list[Wheel], like: Axle, details: ObjectDetails) -> Axle:
    """Return the axle of stated wheels side by side; values not stated come from `like`."""
    radius = next((w.radius_m for w in group if w.radius_m), details.wheel_radius_m)
    width = next((w.width_m for w in group if w.width_m), like.width_m)
    outer = max(abs(w.center_m[1]) for w in group) + width / 2
    return replace(
        like,
        x_m=sum(w.center_m[0] for w in group) / len(group),
        radius_m=radius or like.radius_m,
        width_m=width,
        outer_m=outer if outer > width else like.outer_m,
    )


def _of_axles(usual: tuple[Axle, ...], details: ObjectDetails, size: Size) -> tuple[Axle, ...]:
    """Return the usual axles, with the rear and the front axle moved to their stated positions."""
    rear, front = usual[0].x_m, usual[-1].x_m
    to_rear = rear if details.rear_axle_m is None else details.rear_axle_m[0]
    to_front = front if details.front_axle_m is None else details.front_axle_m[0]
    if to_front - to_rear < size[0] / 4:  # not stated, or not of this box
        to_rear, to_front = rear, front
    ends = {0: to_rear, len(usual) - 1: to_front}
    return tuple(
        replace(axle, x_m=ends.get(n, axle.x_m), radius_m=details.wheel_radius_m or axle.radius_m)
        for n, axle in enumerate(usual)
    )


def _inside(axle: Axle, size: Size, most_m: float) -> Axle:
    """Return an axle changed so that its wheels and arches stay within the box."""
    length, width, _ = size
    radius = min(max(axle.radius_m, 0.5 * most_m), most_m)
    reach = length / 2 - radius - GAP_M - 0.01
    tyre = min(max(axle.width_m, 0.03), 0.3 * width)
    return replace(
        axle,
        radius_m=radius,
        x_m=min(max(axle.x_m, -reach), reach),
        width_m=tyre,
        outer_m=min(max(axle.outer_m, 1.2 * tyre), width / 2 - 0.005),
    )


def radius_below(arch_m: float, length_m: float) -> float:
    """Return the largest radius of wheels whose arches stay below the height `arch_m` [m].

    It is at most an eighth of `length_m`, the length of the vehicle.
    """
    return min((arch_m - GAP_M) / 2, length_m / 8)


@contextmanager
def one_wheel(model: SolidModel, axle: Axle, y_m: float) -> Iterator[None]:
    """Make polygons added to `model` in this context a separate part of the current group: a wheel.

    `axle` is the wheel's axle and `y_m` its y in the vehicle [m]; the axle's x and `y_m` name the
    part. On leaving the context, the current group is the previous one again.
    """
    group = model.group
    model.group = f"{group}{PART}{axle.x_m:.3f} {y_m:+.3f}"
    yield
    model.group = group


def add_wheels(model: SolidModel, vehicle_axles: Sequence[Axle]) -> None:
    """Add the tyres and rims of all axles, left and right, to a vehicle.

    Parameters
    ----------
    model : SolidModel
        Model of the vehicle, changed in place. Each wheel becomes a separate part of its current
        group.
    vehicle_axles : sequence of Axle
        Axles with the measures of their wheels; the wheels stand on z = 0.
    """
    for axle in vehicle_axles:
        for side in (-1, 1):
            with one_wheel(model, axle, side * axle.outer_m):
                add_tyre(model, axle, side)
                if axle.is_twin:
                    add_tyre(model, replace(axle, outer_m=axle.outer_m - axle.width_m - 0.04), side)
                y = axle.outer_m - np.array([0.0, 0.03, 0.015])
                rim = np.stack([0 * y + axle.x_m, side * y, 0 * y + axle.radius_m], axis=1)
                profile = np.array([0.72, 0.6, 0.15]) * axle.radius_m
                model.add("Rim_Aluminium", tube(rim, profile, 20))


def add_tyre(model: SolidModel, axle: Axle, side: int) -> None:
    """Add the tyre of one wheel of an axle, standing on z = 0, in the current group of `model`.

    `side` is 1 for the left wheel and -1 for the right wheel.
    """
    width, outer = axle.width_m, axle.outer_m
    bevel, shoulder = 0.05 * width, 0.2 * width
    y = outer - np.array([width, width - bevel, width - shoulder, shoulder, bevel, 0.0])
    profile = axle.radius_m * np.array([0.72, 0.93, 1, 1, 0.93, 0.72])
    path = np.stack([0 * y + axle.x_m, side * y, 0 * y + axle.radius_m], axis=1)
    model.add("Rubber_Black", tube(path, profile, 20, capped=False))


def add_arches(
    model: SolidModel, vehicle_axles: Sequence[Axle], half_width_m: float, clearance_m: float
) -> None:
    """Add wheel wells around the wheels of all axles, open at the sides and below, to a vehicle.

    Parameters
    ----------
    model : SolidModel
        Model of the vehicle, whose current group is added to in place.
    vehicle_axles : sequence of Axle
        Axles with the measures of their wheels.
    half_width_m, clearance_m : float
        Half the width of the body, and height of its lower edge above z = 0. [m]
    """
    turn = np.linspace(0, np.pi, 9)
    for axle in vehicle_axles:
        low = min(clearance_m, axle.radius_m)
        x = axle.x_m + axle.arch_m * np.array([1.0, *np.cos(turn), -1.0])
        z = np.array([low, *(axle.radius_m + axle.arch_m * np.sin(turn)), low])
        for side in (-1, 1):
            ends = (axle.outer_m - axle.width_m - 0.06, half_width_m)
            inner, outer = (np.stack([x, 0 * z + side * y, z], axis=1) for y in ends)
            model.add("Plastic_Black", grid_faces(np.stack([inner, outer][::side])))
            model.add("Plastic_Black", [inner[::-side]])
