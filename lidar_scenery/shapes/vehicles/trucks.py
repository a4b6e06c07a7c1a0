# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trucks and trailers: cabs, frames and boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_scenery.shapes.builder import PAINT
from lidar_scenery.shapes.solids import SolidModel, box, tube
from lidar_scenery.shapes.vehicles import wheels
from lidar_scenery.shapes.vehicles.coach import Coach, add_coach
from lidar_scenery.shapes.vehicles.parts import (
    LIGHT_BAR_M,
    add_driver,
    add_light_bar,
    add_mirror,
    add_plate,
    has_light_bar,
)

if TYPE_CHECKING:
    from lidar_scenery.shapes.builder import Size
    from lidar_scenery.shapes.vehicles.wheels import Axle
    from osi_bridge.description.details import ObjectDetails

_WHEEL_M = 0.5  # radius of a tyre 315/80 R22.5
_BOGIE_M = 1.31  # between the axles of a trailer
_THREE_AXLES_M = 9.0  # length from which a truck has three
_TAPE_M = 0.05  # width of the contour marking (UN R104)
_LIFT_M = 0.003  # of tapes and lamps from what they are on


def make_truck(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a truck with a box body, nearly as large as `size` [m]; z = 0 is its bottom.

    `details` may state wheels, axles and role of the object.
    """
    length, _, height = size
    cab = min(2.2, 0.3 * length)
    rear, front = -0.27 * length, length / 2 - 0.6 * cab
    behind = (rear,) if length < _THREE_AXLES_M else (rear - 0.5 * _BOGIE_M, rear + 0.5 * _BOGIE_M)
    model, axles = SolidModel(), _axles((*behind, front), size, details, len(behind))
    _add_cab(model, size, details, axles, (cab, min(height, 0.75 * height + 0.4)))
    deck = _add_frame(model, size, axles, length / 2 - 0.5)
    _add_box(model, size, details, (length / 2 - cab - 0.15, deck))
    _add_tail(model, size, deck)
    return model


def make_tractor(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a semitractor, nearly as large as `size` [m]; z = 0 is its bottom.

    `details` may state wheels, axles and role of the object.
    """
    length, width, height = size
    cab = min(2.4, 0.42 * length)
    model = SolidModel()
    axles = _axles((-0.28 * length, length / 2 - 0.6 * cab), size, details, 1)
    _add_cab(model, size, details, axles, (cab, height))
    deck = _add_frame(model, size, axles, length / 2 - 0.5)
    x = axles[0].x_m + 0.1
    model.add("Underbody_Steel", tube([(x, 0, deck), (x, 0, deck + 0.12)], 0.2 * width, 16))
    start, end = axles[0].x_m + axles[0].arch_m + 0.1, axles[-1].x_m - axles[-1].arch_m - 0.1
    for side in (-1, 1) if end - start > 0.3 else ():  # tanks
        y = sorted((side * 0.3 * width, side * 0.48 * width))
        model.add("Rim_Aluminium", box((start, y[0], 0.35 * deck), (end, y[1], 0.9 * deck)))
    _add_tail(model, size, deck)
    return model


def make_semitrailer(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a semitrailer with a box body, nearly as large as `size` [m]; z = 0 is its bottom.

    `details` may state its wheels and axles.
    """
    length, width, _ = size
    rear = -0.28 * length
    model = SolidModel()
    axles = _axles((rear - _BOGIE_M, rear, rear + _BOGIE_M), size, details)
    deck = _add_frame(model, size, axles, length / 2 - 0.3)
    _add_box(model, size, details, (length / 2, deck))
    x = 0.27 * length
    for side in (-1, 1):
        y = side * 0.32 * width
        model.add("Underbody_Steel", tube([(x, y, 0.02), (x, y, deck)], 0.07, 8))
        model.add("Underbody_Steel", box((x - 0.15, y - 0.12, 0.0), (x + 0.15, y + 0.12, 0.03)))
        guard = sorted((side * 0.48 * width, side * 0.46 * width))
        for z in (0.45 * deck, 0.75 * deck):  # underrun protection
            low = (axles[-1].x_m + axles[-1].arch_m + 0.1, guard[0], z)
            model.add("Rim_Aluminium", box(low, (max(x - 0.4, low[0] + 0.1), guard[1], z + 0.12)))
    _add_tail(model, size, deck)
    return model


def make_trailer(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a trailer with a drawbar, nearly as large as `size` [m]; z = 0 is its bottom.

    `details` may state its wheels and axles.
    """
    length, width, height = size
    is_light = height < 2.8 and length < 7.5
    bar = min(1.3, 0.28 * length)
    apart = 0.0 if is_light else 0.3 * length
    places = (-bar / 2,) if is_light else (-bar / 2 - apart, -bar / 2 + apart)
    model = SolidModel()
    if is_light:
        usual = wheels.axles(places, min(0.33, 0.2 * height), size, width_m=0.18)
        axles = wheels.placed(usual, details, size, most_m=0.25 * height)
    else:
        axles = _axles(places, size, details)
    front = length / 2 - bar
    deck = _add_frame(model, size, axles, front)
    _add_box(model, size, details, (front, deck))
    tip = (length / 2 - 0.04, 0.0, 0.7 * deck)
    for side in (-1, 1):
        start = (front - 0.1, side * 0.25 * width, 0.85 * deck)
        model.add("Underbody_Steel", tube([start, tip], 0.04, 6))
    low, high = (length / 2 - 0.2, -0.05, tip[2] - 0.05), (length / 2, 0.05, tip[2] + 0.05)
    model.add("Underbody_Steel", box(low, high))
    _add_tail(model, size, deck)
    return model


def _axles(
    places_m: tuple[float, ...], size: Size, details: ObjectDetails, n_twin: int = 0
) -> tuple[Axle, ...]:
    """Return axles with the usual wheels of a truck; the first `n_twin` have twin tyres."""
    usual = wheels.axles(places_m, _WHEEL_M, size, width_m=0.3, n_twin=n_twin)
    most = wheels.radius_below(0.42 * size[2], size[0])
    return wheels.placed(usual, details, size, most_m=most)


def _add_cab(
    model: SolidModel,
    size: Size,
    details: ObjectDetails,
    axles: tuple[Axle, ...],
    cab_m: tuple[float, float],
) -> None:
    """Add a cab (length, height) at the front, with a driver, mirrors and a number plate."""
    (length, width, _), (cab, high) = size, cab_m
    front, roof = length / 2, high
    if has_light_bar(details):
        roof -= LIGHT_BAR_M
        add_light_bar(model, front - 0.4 * cab, 0.4 * width, (roof - 0.02, high))
    belt = 0.54 * roof
    add_coach(
        model,
        Coach(
            x_m=(front - cab, front),
            half_width_m=width / 2 - 0.01,
            floor_m=0.13 * roof,
            sill_m=0.22 * roof,
            belt_m=belt,
            head_m=min(0.8 * roof, belt + 1.0),
            roof_m=roof,
            axles=axles[-1:],
            side_windows=((front - 0.62 * cab, front - 0.2 * cab),),
            rear=False,
            corner_m=0.18,
            rake_m=0.12 * cab,
        ),
    )
    add_driver(model, front - 0.55 * cab, 0.24 * width, belt - 0.33)
    for side in (-1, 1):
        add_mirror(model, front - 0.12 * cab, side * width / 2, belt + 0.3)
    add_plate(model, front + _LIFT_M, z=0.15 * roof)


def _add_frame(model: SolidModel, size: Size, axles: tuple[Axle, ...], front: float) -> float:
    """Add beams from the rear up to x = `front`, and wheels; return the height of the deck."""
    length, width, height = size
    deck = min(2 * max(axle.radius_m for axle in axles) + 0.15, 0.5 * height)
    for side in (-1, 1):
        y = side * 0.16 * width
        low, high = (-length / 2 + 0.05, y - 0.05, 0.7 * deck), (front, y + 0.05, deck)
        model.add("Underbody_Steel", box(low, high))
    for axle in axles:
        shaft = [(axle.x_m, side * (axle.outer_m - 0.1), axle.radius_m) for side in (-1, 1)]
        model.add("Underbody_Steel", tube(shaft, 0.07, 8))
    group, model.group = model.group, "wheels"
    wheels.add_wheels(model, axles)
    model.group = group
    return deck


def _add_box(
    model: SolidModel, size: Size, details: ObjectDetails, place_m: tuple[float, float]
) -> None:
    """Add a box body with contour marking; `place_m` is the x of its front and its lower edge."""
    (length, width, height), (front, deck) = size, place_m
    rear, half = -length / 2, width / 2
    low, high = (rear + _LIFT_M, _LIFT_M - half, deck), (front, half - _LIFT_M, height)
    model.add("Truck_Box" if details.color is None else PAINT, box(low, high))
    edge = min(_TAPE_M, 0.1 * (height - deck))
    tape = "Contour_Tape"
    for side in "yY":
        y = half if side == "Y" else -half
        model.add(tape, box((rear + 0.1, y, deck), (front - 0.1, y, deck + edge), sides=side))
    for z in (deck, height - edge - 0.05):
        ends = (rear, 0.1 - half, z), (rear, half - 0.1, z + edge)
        model.add(tape, box(*ends, sides="x"))


def _add_tail(model: SolidModel, size: Size, deck: float) -> None:
    """Add a bumper with lamps and a number plate at the rear."""
    length, width, height = size
    rear, half = -length / 2, 0.46 * width
    low = min(0.45, 0.15 * height)
    high = low + 0.15
    model.add("Underbody_Steel", box((rear + 0.03, -half, low), (rear + 0.13, half, high)))
    for side in (-1, 1):
        y = sorted((side * half, side * (half - 0.35)))
        post = sorted((side * 0.14 * width, side * 0.2 * width))
        ends = (rear + 0.04, post[0], low), (rear + 0.12, post[1], deck)
        model.add("Underbody_Steel", box(*ends))
        model.add("Taillight", box((rear, y[0], low + 0.01), (rear + 0.03, y[1], high - 0.01)))
    add_plate(model, rear, z=low + 0.02)
