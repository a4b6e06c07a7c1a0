# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The interior seen through a car's windows: seats, a dashboard and a driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_scenery.shapes.solids import SolidModel, box, capsule, ellipsoid, extruded

if TYPE_CHECKING:
    from lidar_scenery.shapes.solids import Array
    from lidar_scenery.shapes.vehicles.bodywork import Bodywork

_HEAD_M = 1.36  # top of a driver's head where the belt line is at its usual height
_BELT_M = 0.93
_WIDTH_M = 1.7  # least width of a car with seats of full width


def add_seats(model: SolidModel, body: Bodywork) -> None:
    """Add seats, a dashboard and a driver to the model of a car or a van, in its current group.

    They are scaled down if the roof is low or the body narrow. `body` is the shape of the car,
    already scaled to its size.
    """
    floor = body.sill_m + 0.1
    lift = max(h for _, h in body.belt) - _BELT_M
    room = (float(max(h for _, h in body.top)) - 0.06 - floor) / (_HEAD_M + lift - floor)
    up, across = min(1.0, room), min(1.0, body.size_m[1] / _WIDTH_M)

    def place(points: Array) -> Array:
        scaled: Array = points * (1.0, across, up) + (0.0, 0.0, floor * (1.0 - up))
        return scaled

    usual = SolidModel()
    usual.group = model.group
    _add_usual(usual, body, floor, lift)
    model.merge(usual, place)


def _add_usual(model: SolidModel, body: Bodywork, floor: float, lift: float) -> None:
    for row, x in enumerate(body.seat_rows):
        for y in (-0.36, 0.36):
            low, high = (x, y - 0.25, floor), (x + 0.5, y + 0.25, 0.5 + lift)
            model.add("Cloth_Black", box(low, high, sides="xXyYZ"))
            outline = [
                (x, y - 0.24, 0.5 + lift),
                (x, y + 0.24, 0.5 + lift),
                (x - 0.18, y + 0.2, 1.06 + lift),
                (x - 0.18, y - 0.2, 1.06 + lift),
            ]
            model.add("Cloth_Black", extruded(outline, (-0.1, 0, 0)))
            if row == 0:
                model.add(
                    "Cloth_Black",
                    box((x - 0.28, y - 0.12, 1.08 + lift), (x - 0.19, y + 0.12, 1.24 + lift)),
                )
    x, y = body.seat_rows[0], 0.36  # left-hand drive
    model.add(
        "Cloth_Blue", capsule((x + 0.08, y, 0.6 + lift), (x - 0.04, y, 0.98 + lift), (0.16, 0.18))
    )
    model.add("Skin", ellipsoid((x + 0.01, y, 1.24 + lift), (0.09, 0.075, 0.12)))
    dash = body.windscreen[0] - 0.3
    model.add(
        "Plastic_Black", box((dash, -0.7, 0.6 + lift), (dash + 0.3, 0.7, 0.86 + lift), sides="xZ")
    )
