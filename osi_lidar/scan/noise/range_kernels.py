# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled formulas of the error of one range: its standard deviation and its systematic part."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from lidar_base.compiled import njit
from lidar_base.math_kernels import logarithm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DARK_REFLECTIVITY = 0.1
"""Reflectivity at which the standard deviation is `sigma_dark_m`. [1]"""
LEAST_REFLECTIVITY = 1e-9
"""A darker surface counts as one of this reflectivity. [1]"""
MOST_TIMES = 10.0
"""Largest factor by which incidence or darkness multiplies its own term of the range noise."""

FLATTEST = 1.0 / math.hypot(1.0, MOST_TIMES)  # cosine of the incidence of that tangent


@njit(cache=True, nogil=True, alone=True)
def table_value(table, column, at):
    """Return a table's value in ``column``, where the first column, such as a range, is ``at``.

    Rows ascend in the first column. The value is linear between two rows, constant before the first
    and after the last row, and 0 without rows.
    """
    last = len(table) - 1
    if last < 0:
        return 0.0
    if at <= table[0, 0]:
        return table[0, column]
    if at >= table[last, 0]:
        return table[last, column]
    row = 1
    while table[row, 0] < at:
        row += 1
    share = (at - table[row - 1, 0]) / (table[row, 0] - table[row - 1, 0])
    return table[row - 1, column] + share * (table[row, column] - table[row - 1, column])


class ErrorTables(NamedTuple):
    """The tables of a sensor's range errors, each with no rows if it is not configured.

    ``by_range`` has range, mean error and standard deviation of the error [m], ``by_reflectivity``
    the natural logarithm of the reflectivity and the standard deviation [m].
    """

    by_range: NDArray[np.float64]  # (n_row, 3) range, mean, sigma [m]
    by_reflectivity: NDArray[np.float64]  # (n_row, 2) logarithm of the reflectivity, sigma [m]


@njit(cache=True, nogil=True, alone=True)
def reflectivity_sigma(table, reflectivity):
    """Return the standard deviation [m] of ranges at a ``reflectivity`` [1]; 0 without rows.

    ``table`` is the `ErrorTables` field ``by_reflectivity``.
    """
    if len(table) == 0:
        return 0.0
    return table_value(table, 1, logarithm(max(reflectivity, LEAST_REFLECTIVITY)))


@njit(cache=True, nogil=True, alone=True)
def range_sigma(settings, tables, range_m, reflectivity, cos_incidence):
    """Return the standard deviation [m] of a range; its terms are independent, so squares add.

        sigma^2 = range_sigma^2 + table(d)^2 + table(R)^2 + (per_range d)^2
                  + (incidence tan(theta))^2 + (dark sqrt(0.1 / R))^2

    d is the true ``range_m``, R the ``reflectivity`` [1], and theta the angle of incidence with the
    cosine ``cos_incidence``. The others are in ``settings`` (`noise_kernels.NoiseSettings`) and
    ``tables`` (`ErrorTables`). tan(theta) and sqrt(0.1 / R) count as at most `MOST_TIMES`.

    A tilted surface spreads the echo over the depth of the beam's footprint: the footprint's width
    times tan(theta). A dark surface has a weak echo, and the error of an echo's time grows with one
    over the square root of the signal-to-noise ratio.
    """
    variance = settings.range_sigma_m**2 + table_value(tables.by_range, 2, range_m) ** 2
    variance += reflectivity_sigma(tables.by_reflectivity, reflectivity) ** 2
    variance += (settings.sigma_per_range * range_m) ** 2
    if settings.sigma_incidence_m > 0.0:
        cosine = max(cos_incidence, FLATTEST)
        tangent_squared = max(1.0 / (cosine * cosine) - 1.0, 0.0)
        variance += settings.sigma_incidence_m**2 * tangent_squared
    if settings.sigma_dark_m > 0.0:
        brightest = max(reflectivity, DARK_REFLECTIVITY / MOST_TIMES**2)
        variance += settings.sigma_dark_m**2 * DARK_REFLECTIVITY / brightest
    return math.sqrt(variance)


@njit(cache=True, nogil=True, alone=True)
def systematic_range(settings, table, range_m):
    """Return a true range d [m] with its systematic errors: d (1 + scale) + offset + table(d).

    d is ``range_m``. Scale and offset are ``depth_scale`` and ``depth_offset_m`` of ``settings``
    (`noise_kernels.NoiseSettings`), and ``table`` is the `ErrorTables` field ``by_range``.
    """
    wrong_m = range_m * (1.0 + settings.depth_scale) + settings.depth_offset_m
    return wrong_m + table_value(table, 1, range_m)


@njit(cache=True, nogil=True, alone=True)
def folded_range(range_m, folds_at_m):
    """Return a range d [m] as a time-of-flight camera folds it back: d - m / 2 if d >= m / 2.

    d is ``range_m``, and m is ``folds_at_m``, the maximum range.
    Gschwandtner et al., BlenSor, 2011, equation 3 (see `blensor_threshold.min_reflectivity`).
    """
    half_m = folds_at_m / 2.0
    return range_m if range_m < half_m else range_m - half_m


@njit(cache=True, nogil=True, alone=True)
def quantised_range(range_m, step_m):
    """Return ``range_m`` rounded to a multiple of ``step_m`` [m], halves up.

    It is unchanged for a step of 0.
    """
    return range_m if step_m == 0.0 else math.floor(range_m / step_m + 0.5) * step_m
