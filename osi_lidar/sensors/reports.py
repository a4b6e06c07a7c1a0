# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How a sensor reports the strength of an echo: its byte of reflectivity, and its signal.

The model's reflectivity is a number, 1 = white, matt and perpendicular. A device sends a byte: up
to white it counts in even steps; above, where only retroreflectors are, each maker has its scale.
Exports in a maker's own format write that byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from lidar_scenery.weather.sunlight import white_radiance
from osi_lidar.sensors.physical import Strict

if TYPE_CHECKING:
    from numpy.typing import NDArray

HIGHEST = 255
WHITE_AT_1_M = 10_000.0
"""Photons of a white surface at 1 m, if no figure is known."""
NEAR_IR_WHITE = 2400.0
"""Counts of ambient light of a white, matt surface that faces the sun: see the OS1-128's file."""


class Reports(Strict):
    """The scales of the values that a device reports, with their source.

    Attributes
    ----------
    white : int
        The byte of a white, matt surface; 100 if the byte counts per cent.
    per_doubling : float or None
        Steps of the byte for each doubling of the reflectivity beyond white; None: one step for
        each per cent.
    photons_at_1_m : float or None
        Photons that a white surface would return from 1 m by the 1/r² law of far targets; None:
        `WHITE_AT_1_M`.
    near_ir_white : float or None
        Reported counts of ambient light from a white, matt surface that faces the sun at
        100 000 lx; None: `NEAR_IR_WHITE`.
    source : str
        Where these figures are from.
    """

    white: int = Field(default=100, ge=1, le=HIGHEST)
    per_doubling: float | None = Field(default=None, gt=0)
    photons_at_1_m: float | None = Field(default=None, gt=0)
    near_ir_white: float | None = Field(default=None, gt=0)
    source: str

    def byte(self, reflectivity: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the reflectivity on the device's scale, unrounded, float64 (n_point,), 0 to 255.

        Parameters
        ----------
        reflectivity : float (n_point,)
            Reflectivity of each point; 1 is a white, matt surface. [1]
        """
        matt = np.clip(np.asarray(reflectivity, np.float64), 0.0, 1.0)
        beyond = np.maximum(np.asarray(reflectivity, np.float64), 1.0)
        if self.per_doubling is None:
            steps = 100.0 * (beyond - 1.0)
        else:
            steps = self.per_doubling * np.log2(beyond)
        value: NDArray[np.float64] = np.minimum(self.white * matt + steps, HIGHEST)
        return value

    def photons(
        self,
        reflectivity: NDArray[np.floating],
        range_m: NDArray[np.floating],
        near_field: tuple[tuple[float, float], ...] = (),
    ) -> NDArray[np.float64]:
        """Return the signal of points: P R f(r) / r², float64 (n_point,) [photons].

        P is `photons_at_1_m`.

        Parameters
        ----------
        reflectivity : float (n_point,)
            R, the reflectivity of each point; 1 is white. [1]
        range_m : float (n_point,)
            r, the range of each point; below 1 m it counts as 1 m. [m]
        near_field : tuple of (range_m, factor)
            f as pairs, see `PhysicalFigures.near_field`; without pairs f is 1.
        """
        r = np.maximum(np.asarray(range_m, np.float64), 1.0)
        ranges, shares = zip(*near_field, strict=True) if near_field else ((0.0,), (1.0,))
        near = np.interp(range_m, ranges, shares)
        signal: NDArray[np.float64] = (
            (self.photons_at_1_m or WHITE_AT_1_M) * reflectivity * near / r**2
        )
        return signal

    def ambient_counts(
        self, near_ir: NDArray[np.floating], wavelength_nm: float
    ) -> NDArray[np.float64]:
        """Return the counts that the device reports for ambient light, float64 (n_point,).

        Parameters
        ----------
        near_ir : float (n_point,)
            Radiance of the surface of each point. [W/(m^2 sr nm)]
        wavelength_nm : float
            Wavelength of the sensor. [nm]
        """
        white = self.near_ir_white or NEAR_IR_WHITE
        counts: NDArray[np.float64] = (
            white / white_radiance(wavelength_nm) * np.asarray(near_ir, np.float64)
        )
        return counts


PER_CENT = Reports(source="not known: per cent, as most makers count")
"""Reports of sensors whose maker's scale is not known."""
