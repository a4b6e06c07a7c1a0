# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The outline of a vehicle from above, and distances and directions around it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class VehicleOutline:
    """Rectangle around a vehicle as seen from above, in the vehicle frame.

    Without a vehicle, it has size 0 and lies at the origin.

    Attributes
    ----------
    low_m, high_m : (float, float)
        Least x and y of the rectangle, and its greatest x and y. [m]
    """

    low_m: tuple[float, float] = (0.0, 0.0)
    high_m: tuple[float, float] = (0.0, 0.0)

    @property
    def middle_m(self) -> tuple[float, float]:
        """Middle of the rectangle [m], from which directions are measured: (x, y)."""
        return 0.5 * (self.low_m[0] + self.high_m[0]), 0.5 * (self.low_m[1] + self.high_m[1])

    def distance_m(self, x_m: ArrayLike, y_m: ArrayLike) -> NDArray[np.float64]:
        """Return the distance of each point from the rectangle [m]; 0 inside it.

        `x_m` and `y_m` have the points in the vehicle frame [m]. They are broadcast, and the result
        has their common shape.
        """
        beyond = []
        for side_m, low_m, high_m in zip((x_m, y_m), self.low_m, self.high_m, strict=True):
            place_m = np.asarray(side_m, np.float64)
            beyond.append(np.maximum(np.maximum(low_m - place_m, place_m - high_m), 0.0))
        return np.asarray(np.hypot(*beyond))

    def bearing_rad(self, x_m: ArrayLike, y_m: ArrayLike) -> NDArray[np.float64]:
        """Return the direction [rad] from the middle to each point, from -pi to pi.

        Directions are counter-clockwise from forward. The middle is `middle_m`. `x_m` and `y_m`
        have the points in the vehicle frame [m]. They are broadcast, and the result has their
        common shape.
        """
        middle_x_m, middle_y_m = self.middle_m
        return np.asarray(np.arctan2(np.subtract(y_m, middle_y_m), np.subtract(x_m, middle_x_m)))

    def exit_m(self, bearing_rad: float) -> float:
        """Return the distance [m] from the middle of the rectangle to its edge in one direction.

        `bearing_rad` is the direction, counter-clockwise from forward [rad].
        """
        half = [0.5 * (high - low) for low, high in zip(self.low_m, self.high_m, strict=True)]
        along = abs(math.cos(bearing_rad)), abs(math.sin(bearing_rad))
        ends = [a / b if b > 0.0 else math.inf for a, b in zip(half, along, strict=True)]
        return min(ends)
