# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled reflectivity of surfaces, and range limit and signal of sensors.

Fused kernels call the scalar functions for each hit; the array functions loop over them, so both
give the same bits. Reflectivities are fractions; the fits of range limits take percent inside, as
data sheets state them.
"""

from __future__ import annotations

import math

import numpy as np

from lidar_base.compiled import njit

CONSTANT, LINEAR, ROOT2, ROOT3, ROOT4, LOG, SEGMENT, EQUATION2, EQUATION3, EQUATION4 = range(10)
"""Kinds of the pieces of a range limit, see `range_limit.Piece`."""

DEGREES_PER_RADIAN = 180.0 / math.pi
LAST_DEGREE = 90
MATT, STEP, STEP_COSINE, SMOOTH, CUBIC = 0, 2, 3, 4, 5
"""Members of `material_mapping.response.Lookup`; all others are linear."""
EDGE_DEG = 1e-4
"""An angle of incidence this little below a whole degree counts as that degree. [deg]

It is the accuracy of angles from float32 cosines. Lookups that keep a value from one whole degree
to the next need it.
"""


@njit(cache=True, nogil=True)
def cubic_at(
    # Material table:
    reflectance: np.ndarray,  # float32 (n_material, 91)
    # In:
    material_id: int,
    angle_deg: float,
) -> float:
    """Return the reflectivity [1] of a material at an angle of incidence by cubic interpolation.

    The result comes from the cubic through the values at the four nearest whole degrees. It is
    clipped to the values at the whole degrees below and above the angle, so it overshoots no step
    or peak.

    Parameters
    ----------
    reflectance : float32 (n_material, 91)
        Reflectivity of each material at 0, 1, .. 90 deg of incidence. [1]
    material_id : int
        Row of the material in ``reflectance``.
    angle_deg : float
        Angle of incidence, 0 to 90. [deg]
    """
    lower = min(int(angle_deg), LAST_DEGREE - 1)
    first = min(lower - 1, LAST_DEGREE - 3)  # -1 is as far from the normal as 1
    x = angle_deg - first
    half = 0.5 * x * (x - 3.0)
    sixth = (x - 1.0) * (x - 2.0) / 6.0
    cubic = (
        sixth * (x * float(reflectance[material_id, first + 3]))
        - sixth * ((x - 3.0) * float(reflectance[material_id, abs(first)]))
        + half * ((x - 2.0) * float(reflectance[material_id, first + 1]))
        - half * ((x - 1.0) * float(reflectance[material_id, first + 2]))
    )
    below = float(reflectance[material_id, lower])
    above = float(reflectance[material_id, lower + 1])
    return min(max(cubic, min(below, above)), max(below, above))


@njit(cache=True, nogil=True)
def reflectivity_at(
    # Material table:
    reflectance: np.ndarray,  # float32 (n_material, 91)
    lookup: np.ndarray,  # uint8 (n_material,) `Lookup`
    # In:
    material_id: int,
    cos_incidence: float,
) -> float:
    """Return the reflectivity [1] at one place of a surface, by material and cosine of incidence.

    The result is 0 if the surface is seen from behind (cosine <= 0 or NaN).

    Parameters
    ----------
    reflectance : float32 (n_material, 91)
        Reflectivity of each material at 0, 1, .. 90 deg of incidence. [1]
    lookup : uint8 (n_material,)
        `Lookup` of each material: how to interpolate between whole degrees.
    material_id : int
        Row of the material in both arrays.
    cos_incidence : float
        Cosine between the surface normal and the direction to the sensor. [1]
    """
    if not cos_incidence > 0.0:
        return 0.0
    if lookup[material_id] == MATT:
        cosine = min(float(cos_incidence), 1.0)
        at_grazing = float(reflectance[material_id, LAST_DEGREE])
        return float(reflectance[material_id, 0]) * cosine + at_grazing * (1.0 - cosine * cosine)
    angle_deg = math.acos(min(float(cos_incidence), 1.0)) * DEGREES_PER_RADIAN
    if lookup[material_id] == STEP:
        # a bin begins at its edge, also where the arc cosine of float32 falls just short of it
        return float(reflectance[material_id, int(angle_deg + EDGE_DEG)])
    if lookup[material_id] == STEP_COSINE:
        degree, held = int(angle_deg + EDGE_DEG), 0.0
        if degree < LAST_DEGREE:
            held = float(reflectance[material_id, degree]) / math.cos(degree / DEGREES_PER_RADIAN)
        return held * min(float(cos_incidence), 1.0)
    if lookup[material_id] >= SMOOTH:
        return cubic_at(reflectance, material_id, angle_deg)  # type: ignore[no-any-return]
    lower = min(int(angle_deg), LAST_DEGREE - 1)
    fraction = angle_deg - lower
    below = float(reflectance[material_id, lower])
    above = float(reflectance[material_id, lower + 1])
    return below + fraction * (above - below)


@njit(cache=True, nogil=True)
def fit_basis(kind: int, percent: float) -> float:
    """Return f(R) in the equation of a range limit, r = a + b f(R), for R > 0 in percent.

    ``kind`` is the code of f: LINEAR, ROOT2, ROOT3, ROOT4 or LOG. ``percent`` is R, the
    reflectivity. [%]
    """
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
def lambert_w(x: float) -> float:
    """Return w >= 0 with w exp(w) = x for x >= 0, with a relative error of 1e-12.

    The method is Newton's, on g(w) = w + log(w) - log(x), which increases and is concave. So from
    any w > 0 the first step leads to the root or below it, and every further step leads up towards
    it. A step of the relative size e leaves an error of at most e^2 / 2, so steps end when e is at
    most 1e-6.
    """
    if not 0.0 < x < math.inf:
        return x
    if x < 2.0:  # a first guess, to 5 % here
        w = x * (6.0 + 8.0 * x) / (6.0 + 14.0 * x + 5.0 * x * x)
    else:
        log_x = math.log(x)
        w = log_x if log_x < 1.0 else log_x - log_x * math.log(log_x) / (1.0 + log_x)
    while True:
        better = w * (1.0 + math.log(x / w)) / (1.0 + w)
        if abs(better - w) <= 1e-6 * w:
            return better
        w = better


@njit(cache=True, nogil=True)
def lambert_w_of(
    x: np.ndarray,  # float64 (n,)
    # Out:
    w_out: np.ndarray,  # float64 (n,)
) -> None:
    """Write Lambert's W, w with w exp(w) = x, of every x (0 or more) into ``w_out``, (n,)."""
    for index in range(len(x)):
        w_out[index] = lambert_w(x[index])


@njit(cache=True, nogil=True)
def piece_range(
    kind: int, a: float, b: float, from_percent: float, width_percent: float, percent: float
) -> float:
    """Return the largest range [m] at which a reflectivity is seen, by one formula of a sensor.

    A sensor's range limit has one formula for each interval of reflectivity.

    Parameters
    ----------
    kind : int
        Code of the formula, CONSTANT to EQUATION4, see `range_limit.Piece` for the equations.
    a, b : float
        Constants of the formula, in metres; only the ``a`` of an EQUATION is in 1/m.
    from_percent, width_percent : float
        Start and width of the interval; only SEGMENT uses them. [%]
    percent : float
        The reflectivity, above 0. [%]
    """
    if kind == CONSTANT:
        return a
    if kind < SEGMENT:
        return a + b * fit_basis(kind, percent)  # type: ignore[no-any-return]
    if kind == SEGMENT:
        return a + (percent - from_percent) / width_percent * b
    # r exp(a r) = b f(R), with the root of the same exponent
    return lambert_w(a * b * fit_basis(kind - EQUATION2 + ROOT2, percent)) / a  # type: ignore[no-any-return]


# Short on purpose: an array handed on to a longer function costs its reference count for each hit.
@njit(cache=True, nogil=True)
def range_limit_at(
    # Range limit:
    until_percent: np.ndarray,  # float64 (n_piece,), increasing, the last one infinite
    pieces: np.ndarray,  # float64 (n_piece, 5): arguments of piece_range
    cap_m: float,
    # In:
    reflectivity: float,
) -> float:
    """Return the largest range [m] at which one reflectivity [1] is seen, in 0..cap_m.

    ``until_percent``, ``pieces`` and ``cap_m`` come from `RangeLimit.kernel_arguments`: the last
    reflectivity of each piece [%], its formula as in `piece_range`, and the longest range [m].
    """
    if not reflectivity > 0.0:  # nothing is returned, whatever the fit gives at 0
        return 0.0
    percent = 100.0 * float(reflectivity)
    at = 0
    while percent > until_percent[at]:
        at += 1
    limit_m = piece_range(
        int(pieces[at, 0]), pieces[at, 1], pieces[at, 2], pieces[at, 3], pieces[at, 4], percent
    )
    return min(max(limit_m, 0.0), cap_m)  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def bounds_row(reflectivity: float, n_step: int) -> int:
    """Return the row of `RangeLimit.kernel_bounds` for a reflectivity [1] above 0.

    ``n_step`` is the number of rows. A row has a lower and an upper bound of the range limit. A
    hit nearer than the lower bound is detected, and one beyond the upper bound is not. Only a hit
    between the bounds needs the slower `range_limit_at`.
    """
    row: int = np.uint64(min(min(reflectivity, 1.0) * n_step, n_step - 1))
    return row


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def root_at(step_m: float, root: np.ndarray, range_m: float) -> float:
    """Return q(r): a target of reflectivity R that fills the beam has the SNR R / q^2.

    Between the rows of the table q is linear; beyond the last row it is constant.

    Parameters
    ----------
    step_m : float
        Range step between the rows of ``root``. [m]
    root : float64 (n,)
        q at the ranges 0, ``step_m``, .. [1]
    range_m : float
        The range r, at least 0. [m]
    """
    row = range_m / step_m
    low = min(int(row), len(root) - 2)
    share = min(row - low, 1.0)
    q: float = root[low] + share * (root[low + 1] - root[low])
    return q


@njit(cache=True, nogil=True)
def reflectivity_of(
    # Material table:
    reflectance: np.ndarray,  # float32 (n_material, 91)
    lookup: np.ndarray,  # uint8 (n_material,)
    # In:
    material_id: np.ndarray,  # integer (n_hit,)
    cos_incidence: np.ndarray,  # float64 (n_hit,)
    # Out:
    reflectivity_out: np.ndarray,  # float32 (n_hit,)
) -> None:
    """Write the reflectivity [1] of every place that a sensor's rays hit into ``reflectivity_out``.

    Parameters
    ----------
    reflectance : float32 (n_material, 91)
        Reflectivity of each material at 0, 1, .. 90 deg of incidence. [1]
    lookup : uint8 (n_material,)
        `Lookup` of each material: how to interpolate between whole degrees.
    material_id : integer (n_hit,)
        Row of the material at each place.
    cos_incidence : float64 (n_hit,)
        Cosine of incidence at each place. [1]
    reflectivity_out : float32 (n_hit,)
        Output: reflectivity of each place, all written; 0 where the cosine is 0 or less, or NaN.
        [1]
    """
    for hit in range(len(material_id)):
        reflectivity_out[hit] = reflectivity_at(
            reflectance, lookup, material_id[hit], cos_incidence[hit]
        )


@njit(cache=True, nogil=True)
def range_limit_of(
    # Range limit:
    until_percent: np.ndarray,  # float64 (n_piece,)
    pieces: np.ndarray,  # float64 (n_piece, 5)
    cap_m: float,
    # In:
    reflectivity: np.ndarray,  # float (n_hit,)
    # Out:
    limit_m_out: np.ndarray,  # float64 (n_hit,)
) -> None:
    """Write the largest range at which every reflectivity is seen into ``limit_m_out``.

    Parameters
    ----------
    until_percent, pieces, cap_m : float64 (n_piece,), float64 (n_piece, 5), float
        The sensor's range limit, as `RangeLimit.kernel_arguments` gives it: last reflectivity of
        each formula [%], its arguments for `piece_range`, and the longest range [m].
    reflectivity : float (n_hit,)
        Reflectivities. [1]
    limit_m_out : float64 (n_hit,)
        Output: range for each reflectivity, 0 to ``cap_m``, all written. [m]
    """
    for hit in range(len(reflectivity)):
        limit_m_out[hit] = range_limit_at(until_percent, pieces, cap_m, reflectivity[hit])
