# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of measurement in plain numpy: the second way to compute what kernels do."""

import numpy as np

from lidar_base.random.random_kernels import RANGE_NOISE
from osi_lidar.scan.noise.range_formulas import errors_by_formula
from osi_lidar.scan.noise.range_kernels import (
    DARK_REFLECTIVITY,
    FLATTEST,
    LEAST_REFLECTIVITY,
    MOST_TIMES,
)


def reported_range_m(errors, exposure, *, beam, true_range_m, strength, cos_incidence):
    """Return the range that the sensor reports for each echo: NaN for one that is not reported.

    Systematic errors and noise, then folding, then quantisation.
    """
    errors.prepare(exposure.pattern)
    settings, range_m = errors._settings, true_range_m.astype(np.float64)
    reported_m = range_m * (1.0 + settings.depth_scale) + settings.depth_offset_m
    reported_m += _table_values(errors._tables.by_range, 1, range_m)
    reported_m += errors._bias_m[exposure.pattern.ring[beam]]
    sigma_m = _range_sigmas(settings, errors._tables, range_m, strength, cos_incidence)
    if errors._formulas:
        error_m, sigma_by_formula_m = errors_by_formula(errors._sensor, errors._formulas, range_m)
        reported_m += error_m
        sigma_m = np.sqrt(sigma_m**2 + sigma_by_formula_m**2)
    if sigma_m.any():
        draws, kind = errors._draws(time_ns=exposure.end_ns), errors._noise.distribution
        reported_m += sigma_m * draws.normal(RANGE_NOISE, beam, kind)
    half_m = settings.folds_at_m / 2.0
    reported_m = np.where(reported_m < half_m, reported_m, reported_m - half_m)
    step_m = settings.quantisation_m
    if step_m > 0.0:
        reported_m = np.floor(reported_m / step_m + 0.5) * step_m
    within = (reported_m >= 0.0) & (reported_m <= settings.max_range_m)
    return np.where(within, reported_m, np.nan)


def reported_directions(errors, exposure):
    """Return the direction that the sensor reports for each beam, float32 (3, n_beam)."""
    if not errors._aims_wrong or errors._settings.is_shot_wrong:
        return exposure.axis
    return errors._wrong_directions(exposure.pattern, exposure.end_ns)


def _range_sigmas(settings, tables, range_m, strength, cos_incidence):
    """Return the standard deviation of each range, see `range_kernels.range_sigma` [m]."""
    brightness = np.log(np.maximum(strength.astype(np.float64), LEAST_REFLECTIVITY))
    in_tables = (
        _table_values(tables.by_range, 2, range_m),
        _table_values(tables.by_reflectivity, 1, brightness),
    )
    variance = settings.range_sigma_m**2 + in_tables[0] ** 2 + in_tables[1] ** 2
    per_range_m = settings.sigma_per_range * range_m
    variance = variance + per_range_m * per_range_m
    if settings.sigma_incidence_m > 0.0:
        cosine = np.maximum(cos_incidence.astype(np.float64), FLATTEST)
        tangent_squared = np.maximum(1.0 / (cosine * cosine) - 1.0, 0.0)
        variance = variance + settings.sigma_incidence_m**2 * tangent_squared
    if settings.sigma_dark_m > 0.0:
        brightest = np.maximum(strength.astype(np.float64), DARK_REFLECTIVITY / MOST_TIMES**2)
        variance = variance + settings.sigma_dark_m**2 * DARK_REFLECTIVITY / brightest
    return np.sqrt(variance)


def _table_values(table, column, at):
    """Return a column of a table at each value, see `range_kernels.table_value`."""
    if not len(table):
        return np.zeros(len(at))
    if len(table) == 1:
        return np.full(len(at), table[0, column])
    held = np.clip(at, table[0, 0], table[-1, 0])
    row = np.clip(np.searchsorted(table[:, 0], held), 1, len(table) - 1)
    share = (held - table[row - 1, 0]) / (table[row, 0] - table[row - 1, 0])
    between = table[row - 1, column] + share * (table[row, column] - table[row - 1, column])
    between[at <= table[0, 0]] = table[0, column]
    between[at >= table[-1, 0]] = table[-1, column]
    return between
