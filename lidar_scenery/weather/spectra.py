# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Spectra of drops: the number of drops in a cubic metre, by diameter.

A spectrum is a density N(D) [1/(m^3 mm)] over the diameter D [mm]. Two kinds of integrals matter to
a lidar: the moments of N, which give water and extinction, and the number of visible drops,

    H(d) = integral from d to infinity of N(D) ln(D / d) dD    [1/m^3]

The echo of a drop is proportional to D^2 exp(-u), where u = x^2 / (2 sx^2) + y^2 / (2 sy^2) at the
distance (x, y) from the axis of a Gaussian beam. It exceeds the echo of a drop of diameter d on the
axis if u < 2 ln(D / d), which is an area of 4 pi sx sy ln(D / d). So the beam contains
4 pi sx sy H(d) such drops per metre of its length.

References
----------
.. [1] M. Abramowitz, I. A. Stegun, Handbook of mathematical functions, National Bureau of
   Standards, 1964: equations 5.1.11 (series) and 5.1.22 (continued fraction)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

EULER_GAMMA = 0.5772156649015329
"""Euler's constant. [1]"""

_SERIES_TERMS, _FRACTION_LEVELS = 40, 80  # E_1 to 1e-14 on both sides of 1.5
_STEPS = 4096  # of a tabulated spectrum, over the logarithm of the diameter
_DECADES = 6  # below its largest diameter


class DropSpectrum(Protocol):
    """Interface of a drop size distribution N(D)."""

    def density(self, diameter_mm: ArrayLike) -> NDArray[np.float64]:
        """Return N(D), the number of drops per volume and per diameter [1/(m^3 mm)].

        `diameter_mm` has the diameters D, 0 or more [mm]; the result has its shape.
        """
        ...

    def moment(self, order: int) -> float:
        """Return the integral of N(D) D^order [mm^order / m^3]; order 0 is the number of drops."""
        ...

    def visible_number(self, diameter_mm: ArrayLike) -> NDArray[np.float64]:
        """Return H(d) for diameters d >= 0 [mm], in the shape of `diameter_mm` [1/m^3].

        H(d) is the integral of N(D) ln(D / d) dD from d to infinity; it is infinite at 0.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialSpectrum:
    """An exponential drop size distribution N(D) = N_0 exp(-L D); implements `DropSpectrum`.

    Its H(d) is N_0 / L E_1(L d).

    Attributes
    ----------
    intercept : float
        N_0, above 0. [1/(m^3 mm)]
    slope_per_mm : float
        L, above 0. [1/mm]
    """

    intercept: float
    slope_per_mm: float

    def density(self, diameter_mm: ArrayLike) -> NDArray[np.float64]:
        """Return N(D) for diameters D [mm], in the shape of `diameter_mm` [1/(m^3 mm)]."""
        diameter = np.asarray(diameter_mm, np.float64)
        return np.asarray(self.intercept * np.exp(-self.slope_per_mm * diameter), np.float64)

    def moment(self, order: int) -> float:
        """Return the integral of N(D) D^order, N_0 order! / L^(order + 1) [mm^order / m^3]."""
        return self.intercept * math.factorial(order) / self.slope_per_mm ** (order + 1)

    def visible_number(self, diameter_mm: ArrayLike) -> NDArray[np.float64]:
        """Return H(d), the integral of N(D) ln(D / d) dD from d to infinity [1/m^3].

        `diameter_mm` has the diameters d >= 0 [mm]; the result has its shape.
        """
        scaled = self.slope_per_mm * np.asarray(diameter_mm, np.float64)
        return self.intercept / self.slope_per_mm * exponential_integral(scaled)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TabulatedSpectrum:
    """A drop size distribution given as a table; implements `DropSpectrum`.

    N(D) is linear between rows, and 0 outside of the first and last diameter.

    Attributes
    ----------
    diameter_mm : float64 (n,)
        Diameters above 0, increasing. [mm]
    per_m3_mm : float64 (n,)
        N(D) at these diameters, 0 or more. [1/(m^3 mm)]

    Notes
    -----
    Integrals are sums of trapezia over the rows. There should be thousands of rows, in steps that
    grow with the diameter: see `tabulated`. If n(D) is the number of drops above D, integration by
    parts gives H(d) = integral of n(D) / D dD from d on, so two running sums are enough. For an
    exponential law, H is within 0.1 % of the closed form wherever it is above 1e-7 of its value at
    10 um.
    """

    diameter_mm: NDArray[np.float64]
    per_m3_mm: NDArray[np.float64]

    def density(self, diameter_mm: ArrayLike) -> NDArray[np.float64]:
        """Return N(D) for diameters D [mm], in the shape of `diameter_mm` [1/(m^3 mm)]."""
        diameter = np.asarray(diameter_mm, np.float64)
        found = np.interp(diameter, self.diameter_mm, self.per_m3_mm, left=0.0, right=0.0)
        return np.asarray(found, np.float64)

    def moment(self, order: int) -> float:
        """Return the integral of N(D) D^order over all diameters [mm^order / m^3]."""
        return float(
            _sums_from_above(self.per_m3_mm * self.diameter_mm**order, self.diameter_mm)[0]
        )

    def visible_number(self, diameter_mm: ArrayLike) -> NDArray[np.float64]:
        """Return H(d), the integral of N(D) ln(D / d) dD from d to infinity [1/m^3].

        `diameter_mm` has the diameters d >= 0 [mm]; the result has its shape.
        """
        diameter, log_rows = np.asarray(diameter_mm, np.float64), np.log(self.diameter_mm)
        above = _sums_from_above(self.per_m3_mm, self.diameter_mm)
        visible = _sums_from_above(above, log_rows)
        with np.errstate(divide="ignore"):  # a diameter of 0
            log_here = np.log(diameter)
        found = np.interp(log_here, log_rows, visible, right=0.0)
        below = np.maximum(log_rows[0] - log_here, 0.0)  # all drops are larger: n does not change
        return np.asarray(found + above[0] * below, np.float64)


def tabulated(rows: tuple[tuple[float, float], ...]) -> TabulatedSpectrum:
    """Return a `TabulatedSpectrum` that is linear between given rows, sampled in fine steps.

    Integrals over the samples are then exact enough.

    Parameters
    ----------
    rows : tuple of (float, float)
        Two or more pairs (diameter [mm], N(D) [1/(m^3 mm)]). Diameters are 0 or more and increase.

    Raises
    ------
    ValueError
        There are fewer than two rows, diameters do not increase, a value is negative, or there are
        no drops.
    """
    if len(rows) < 2:
        raise ValueError(f"a table of drops has {len(rows)} row(s), expected two or more")
    diameter, density = np.array(rows, np.float64).T
    if not (np.all(np.diff(diameter) > 0.0) and diameter[0] >= 0.0 and math.isfinite(diameter[-1])):
        raise ValueError("a table of drops: expected increasing diameters of 0 mm or more")
    if not (np.all(np.isfinite(density) & (density >= 0.0)) and density.any()):
        raise ValueError(
            "a table of drops: expected densities of 0 or more, and at least one above 0"
        )
    first = max(float(diameter[0]), float(diameter[-1]) * 10.0**-_DECADES)
    steps = np.union1d(np.geomspace(first, diameter[-1], _STEPS), diameter[diameter > first])
    return TabulatedSpectrum(diameter_mm=steps, per_m3_mm=np.interp(steps, diameter, density))


def gamma_spectrum(
    rate_mm_h: float, *, shape: float, median_mm: float, fall_m_s: float, fall_power: float
) -> TabulatedSpectrum:
    """Return the gamma spectrum of drops whose fall gives a rate of precipitation.

    Parameters
    ----------
    rate_mm_h : float
        R, the rate of precipitation, above 0. [mm/h]
    shape : float
        mu, above -1. ValueError if mu or the median is out of range. [1]
    median_mm : float
        D_0, above 0: half of the water is in drops smaller than D_0. [mm]
    fall_m_s, fall_power : float
        c and p of the fall speed v = c D^p, with D in mm. [m/s], [1]

    Notes
    -----
    N(D) = N_0 D^mu exp(-L D) with L = (3.67 + mu) / D_0, and N_0 from the flux of water::

        R = 6e-4 pi integral N(D) v(D) D^3 dD
          = 6e-4 pi c N_0 Gamma(4 + mu + p) / L^(4 + mu + p)

    in mm/h: a flux of 1 mm^3 m/s per m^3 is 1e-9 m/s, which is 3.6e-3 mm/h. With the factor
    3.67 + mu, the median of the volume is within 0.2 % of D_0 for mu up to 100.
    """
    _check_gamma(shape, median_mm)
    slope, power = (3.67 + shape) / median_mm, 4.0 + shape + fall_power
    log_intercept = (
        math.log(rate_mm_h / (6e-4 * math.pi * fall_m_s))
        + power * math.log(slope)
        - math.lgamma(power)
    )
    largest = (shape + 60.0 + 10.0 * math.sqrt(shape + 1.0)) / slope  # N is below 1e-20 of its peak
    diameter = np.geomspace(largest * 10.0**-_DECADES, largest, _STEPS)
    density = np.exp(log_intercept + shape * np.log(diameter) - slope * diameter)
    return TabulatedSpectrum(diameter_mm=diameter, per_m3_mm=density)


def exponential_integral(x: ArrayLike) -> NDArray[np.float64]:
    """Return E_1(x), the integral of exp(-t) / t dt from x >= 0 to infinity; infinite at 0.

    Notes
    -----
    Up to x = 1.5 the series of [1]_ is used, beyond it the even part of the continued fraction::

        E_1(x) = -gamma - ln x - sum (-x)^n / (n n!)
        E_1(x) = exp(-x) 1 / (x + 1 - 1 / (x + 3 - 4 / (x + 5 - 9 / (x + 7 - ..))))
    """
    values = np.asarray(x, np.float64)
    small = np.minimum(values, 1.5)
    total, term = np.zeros_like(small), np.ones_like(small)
    for n in range(1, _SERIES_TERMS):
        term = term * -small / n
        total = total + term / n
    with np.errstate(divide="ignore"):  # E_1(0)
        series = -EULER_GAMMA - np.log(small) - total
    large = np.maximum(values, 1.5)
    fraction = np.full_like(large, np.inf)
    for n in range(_FRACTION_LEVELS, 0, -1):
        fraction = large + 2.0 * n - 1.0 - n * n / fraction
    return np.asarray(np.where(values <= 1.5, series, np.exp(-large) / fraction), np.float64)


def _check_gamma(shape: float, median_mm: float) -> None:
    if not (shape > -1.0 and median_mm > 0.0 and math.isfinite(shape + median_mm)):
        raise ValueError(
            f"gamma spectrum: got shape {shape:g} and median_mm {median_mm:g}, expected shape "
            "above -1 and median_mm above 0"
        )


def _sums_from_above(
    values: NDArray[np.float64], places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the integral of values over `places`, from each place to the last one."""
    pieces = 0.5 * (values[1:] + values[:-1]) * np.diff(places)
    return np.append(np.cumsum(pieces[::-1])[::-1], 0.0)
