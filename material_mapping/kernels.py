# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled response of a surface and range limit of a sensor, for one hit and for arrays.

The scalar functions are what a fused kernel calls for each hit; the array functions loop over
them, so both give the same bits. Reflectivities are fractions; the fits of range limits take
percent inside, as data sheets state them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from numba import njit

if TYPE_CHECKING:
    import numpy as np

CONSTANT, LINEAR, ROOT2, ROOT3, ROOT4, LOG, TABLE = range(7)
"""Kinds of range limit, see `RangeLimit`."""

DEGREES_PER_RADIAN = 180.0 / math.pi
LAST_DEGREE = 90


@njit(cache=True, nogil=True)
def reflectivity_at(
    # Material table:
    reflectance: np.ndarray,  # float32 (n_material, 91)
    lambertian: np.ndarray,  # bool (n_material,)
    # In:
    material_id: int,
    cos_incidence: float,
) -> float:
    """Return the reflectivity [1] of one hit; 0 from behind (cosine <= 0 or not a number)."""
    if not cos_incidence > 0.0:
        return 0.0
    if lambertian[material_id]:
        return float(reflectance[material_id, 0]) * min(float(cos_incidence), 1.0)
    angle_deg = math.acos(min(float(cos_incidence), 1.0)) * DEGREES_PER_RADIAN
    lower = min(int(angle_deg), LAST_DEGREE - 1)
    fraction = angle_deg - lower
    below = float(reflectance[material_id, lower])
    above = float(reflectance[material_id, lower + 1])
    return below + fraction * (above - below)


@njit(cache=True, nogil=True)
def fit_basis(kind: int, percent: float) -> float:
    """Return f(R) of a range limit r = a + b f(R), R > 0 in percent."""
    if kind == ROOT2:
        return math.sqrt(percent)
    if kind == ROOT3:
        return math.pow(percent, 1.0 / 3.0)
    if kind == ROOT4:
        return math.sqrt(math.sqrt(percent))
    if kind == LOG:
        return math.log(percent)
    return percent


@njit(cache=True, nogil=True)
def range_limit_at(
    # Range limit:
    kind: int,
    a: float,
    b: float,
    table_percent: np.ndarray,  # float64 (n_pair,), increasing
    table_range_m: np.ndarray,  # float64 (n_pair,)
    cap_m: float,
    # In:
    reflectivity: float,
) -> float:
    """Return the largest range [m] at which one reflectivity [1] is seen, in 0..cap_m."""
    if not reflectivity > 0.0:  # nothing comes back, whatever the fit says at 0
        return 0.0
    if kind == CONSTANT:
        return cap_m
    percent = 100.0 * float(reflectivity)
    if kind != TABLE:
        limit_m = a + b * fit_basis(kind, percent)
    else:
        last = len(table_percent) - 1
        upper = 0
        while upper <= last and table_percent[upper] < percent:
            upper += 1
        if upper == 0:
            limit_m = table_range_m[0]
        elif upper > last:
            limit_m = table_range_m[last]
        else:
            width = table_percent[upper] - table_percent[upper - 1]
            fraction = (percent - table_percent[upper - 1]) / width
            step_m = table_range_m[upper] - table_range_m[upper - 1]
            limit_m = table_range_m[upper - 1] + fraction * step_m
    return min(max(limit_m, 0.0), cap_m)


@njit(cache=True, nogil=True)
def reflectivity_of(
    # Material table:
    reflectance: np.ndarray,  # float32 (n_material, 91)
    lambertian: np.ndarray,  # bool (n_material,)
    # In:
    material_id: np.ndarray,  # integer (n_hit,)
    cos_incidence: np.ndarray,  # float64 (n_hit,)
    # Out:
    reflectivity_out: np.ndarray,  # float32 (n_hit,)
) -> None:
    """Fill the reflectivity [1] of every hit."""
    for hit in range(len(material_id)):
        reflectivity_out[hit] = reflectivity_at(
            reflectance, lambertian, material_id[hit], cos_incidence[hit]
        )


@njit(cache=True, nogil=True)
def range_limit_of(
    # Range limit:
    kind: int,
    a: float,
    b: float,
    table_percent: np.ndarray,  # float64 (n_pair,)
    table_range_m: np.ndarray,  # float64 (n_pair,)
    cap_m: float,
    # In:
    reflectivity: np.ndarray,  # float (n_hit,)
    # Out:
    limit_m_out: np.ndarray,  # float64 (n_hit,)
) -> None:
    """Fill the range limit [m] of every reflectivity [1]."""
    for hit in range(len(reflectivity)):
        limit_m_out[hit] = range_limit_at(
            kind, a, b, table_percent, table_range_m, cap_m, reflectivity[hit]
        )
