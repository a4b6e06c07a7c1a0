# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A work machine: a wheel loader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_scenery.shapes.builder import PAINT
from lidar_scenery.shapes.solids import SolidModel, box, extruded, tube
from lidar_scenery.shapes.vehicles import wheels
from lidar_scenery.shapes.vehicles.coach import Coach, add_coach
from lidar_scenery.shapes.vehicles.parts import add_driver, add_plate

if TYPE_CHECKING:
    from lidar_scenery.shapes.builder import Size
    from osi_bridge.description.details import ObjectDetails

_WHEEL_M = 0.72  # radius


def make_work_machine(size: Size, details: ObjectDetails) -> SolidModel:
    """Return a wheel loader, nearly as large as `size` [m]; z = 0 is its bottom.

    It is yellow unless `details` state a colour. They may also state wheels and axles.
    """
    length, width, height = size
    paint = "Paint_Yellow" if details.color is None else PAINT
    usual = wheels.axles((-0.26 * length, 0.19 * length), _WHEEL_M, size, width_m=0.5)
    most = wheels.radius_below(0.5 * height, 1.1 * length)
    axles = wheels.placed(usual, details, size, most_m=most)
    rear, front = axles[0].x_m, axles[-1].x_m
    deck, half = 0.33 * height, 0.3 * width
    model = SolidModel()
    model.group = "body"
    low, high = (-length / 2 + 0.02, -half, 0.16 * height), (rear + 0.3 * length, half, deck)
    model.add("Underbody_Steel", box(low, high))
    model.add(paint, box((-length / 2, -half, deck), (rear + 0.1 * length, half, 0.55 * height)))
    model.add(paint, box((rear, -0.5 * half, 0.2 * height), (front + 0.3, 0.5 * half, deck)))
    for side in (-1, 1):
        y = sorted((side * 0.44 * width, side * half))
        fender = axles[0].arch_m + axles[0].radius_m
        model.add(paint, box((rear - 0.6, y[0], fender), (rear + 0.7, y[1], fender + 0.05)))
    cab = (rear + 0.12 * length, rear + 0.34 * length)
    add_coach(model, _cab(cab, size, paint))
    add_driver(model, sum(cab) / 2 - 0.15, 0.0, deck + 0.5)
    _add_bucket(model, size, front, paint)
    add_plate(model, -length / 2 - 0.003, z=0.36 * height)
    model.group = "wheels"
    wheels.add_wheels(model, axles)
    return model


def _cab(x_m: tuple[float, float], size: Size, paint: str) -> Coach:
    _, width, height = size
    deck = 0.33 * height
    return Coach(
        x_m=x_m,
        half_width_m=0.3 * width,
        floor_m=deck,
        sill_m=deck + 0.05,
        belt_m=0.5 * height,
        head_m=0.92 * height,
        roof_m=height,
        side_windows=((x_m[0] + 0.1, x_m[1] - 0.1),),
        corner_m=0.1,
        rake_m=0.12,
        material=paint,
    )


def _add_bucket(model: SolidModel, size: Size, front: float, paint: str) -> None:
    """Add arms and a bucket that touches the ground."""
    length, width, height = size
    tip, back = length / 2, length / 2 - 0.16 * length
    for side in (-1, 1):
        y = side * 0.2 * width
        arm = [(front - 0.3, y, 0.5 * height), (front + 0.14 * length, y, 0.36 * height)]
        model.add(paint, tube(arm, 0.11, 6))
        model.add(paint, tube([arm[1], (back + 0.1, y, 0.12 * height)], 0.1, 6))
    floor, top = (back, 0.0), (back + 0.3, 0.34 * height)
    rear = (back, 0.22 * height)
    for start, end in ((floor, (tip, 0.0)), (floor, rear), (rear, top)):
        plate = [start, end, (end[0], end[1] + 0.03), (start[0] + 0.03, start[1] + 0.03)]
        outline = [(x, -width / 2, z) for x, z in plate]
        model.add("Underbody_Steel", extruded(outline, (0, width, 0)))
    for y in (-width / 2, width / 2 - 0.03):
        wall = [(x, y, z) for x, z in (floor, (tip - 0.2, 0.0), top, rear)]
        model.add("Underbody_Steel", extruded(wall, (0, 0.03, 0)))
