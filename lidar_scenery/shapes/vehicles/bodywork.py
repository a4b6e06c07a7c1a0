# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Measures of cars and vans, and their scaling to another size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.solids import curve
from lidar_scenery.shapes.vehicles import wheels

if TYPE_CHECKING:
    from lidar_scenery.shapes.builder import Size
    from lidar_scenery.shapes.vehicles.wheels import Axle
    from osi_bridge.description.details import ObjectDetails

_OVER_WHEELS = np.linspace(-0.36, 0.36, 19)  # x as a part of the length
Knots = tuple[tuple[float, float], ...]


@dataclass(frozen=True, kw_only=True)
class Bodywork:
    """The shape of a car or a van; lengths in metres, x from the middle of the vehicle.

    Curves along x are given by knots (x, value), see `solids.curve`.

    Attributes
    ----------
    size_m : (float, float, float)
        Length, width and height.
    top : tuple of (float, float)
        Knots of the height of the centre line: bonnet, windscreen, roof, rear.
    belt : tuple of (float, float)
        Knots of the height of the shoulder, which is the lower edge of the side windows.
    half_width : tuple of (float, float)
        Knots of half the width of the body, where it is widest.
    roof_half_width : float
        Half the distance between the edges of the roof.
    windscreen, rear_window : (float, float) or None
        x of the lower and of the upper edge of the window; None: there is no such window.
    side_windows : tuple of (float, float)
        x of the rear and the front end of each side window, from the rear to the front.
    seat_rows : tuple of float
        x of the backrests of each row of seats, the driver's row first.
    axles : tuple of Axle
        Axles, from the rear to the front.
    sill_m : float
        Ground clearance.
    """

    size_m: Size
    top: Knots
    belt: Knots
    half_width: Knots
    roof_half_width: float
    windscreen: tuple[float, float]
    rear_window: tuple[float, float] | None
    side_windows: tuple[tuple[float, float], ...]
    seat_rows: tuple[float, ...]
    axles: tuple[Axle, ...]
    sill_m: float

    @property
    def glass(self) -> tuple[tuple[float, float], ...]:
        """The windscreen and, if there is one, the rear window: x of lower and upper edge [m]."""
        return (
            (self.windscreen,) if self.rear_window is None else (self.windscreen, self.rear_window)
        )

    def at(self, size: Size, details: ObjectDetails) -> Bodywork:
        """Return this bodywork scaled to a size (length, width, height) [m].

        Wheels, axles and ground clearance that `details` state replace the scaled ones.
        """
        fx, fy, fz = (a / b for a, b in zip(size, self.size_m, strict=True))
        rear = self.rear_window
        body = replace(
            self,
            size_m=size,
            top=_stretched(self.top, fx, fz),
            belt=_stretched(self.belt, fx, fz),
            half_width=_stretched(self.half_width, fx, fy),
            roof_half_width=self.roof_half_width * fy,
            windscreen=(self.windscreen[0] * fx, self.windscreen[1] * fx),
            rear_window=None if rear is None else (rear[0] * fx, rear[1] * fx),
            side_windows=tuple((a * fx, b * fx) for a, b in self.side_windows),
            seat_rows=tuple(x * fx for x in self.seat_rows),
            sill_m=self.sill_m * fz,
        )
        usual = tuple(
            replace(
                axle,
                x_m=axle.x_m * fx,
                radius_m=axle.radius_m * float(np.sqrt(fx * fz)),
                outer_m=axle.outer_m + (size[1] - self.size_m[1]) / 2,
            )
            for axle in self.axles
        )
        lowest = float(np.min(curve(_OVER_WHEELS * size[0], body.belt)))
        placed = wheels.placed(
            usual, details, size, most_m=wheels.radius_below(lowest - 0.05, size[0])
        )
        clearance = details.ground_clearance_m or body.sill_m
        most = min(0.5 * lowest, *(axle.radius_m for axle in placed))
        return replace(body, axles=placed, sill_m=min(max(clearance, 0.05), most))


def _stretched(knots: Knots, along: float, across: float) -> Knots:
    return tuple((x * along, value * across) for x, value in knots)
