# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled errors of measurement: the reported ranges and directions of points.

Each step is a kernel of its own: numba drops what a parallel one stores in a named tuple's arrays.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.math_kernels import logarithm
from lidar_base.memory_kernels import record_at
from lidar_base.random.random_kernels import (
    RANGE_NOISE,
    gaussian_pairs,
    laplaces,
    lengthen_tails,
    new_redraw,
)
from osi_lidar.clouds.row_kernels import HEAD
from osi_lidar.scan.noise.direction_kernels import new_turned, take_angles, wrong_directions

if TYPE_CHECKING:
    from numpy.typing import NDArray

DARK_REFLECTIVITY = 0.1
"""Reflectivity at which the standard deviation is `sigma_dark_m`. [1]"""
LEAST_REFLECTIVITY = 1e-9
"""A darker surface counts as one of this reflectivity. [1]"""
MOST_TIMES = 10.0
"""Largest factor by which incidence or darkness multiplies its own term of the range noise."""

FLATTEST = 1.0 / math.hypot(1.0, MOST_TIMES)  # cosine of the incidence of that tangent


class NoiseSettings(NamedTuple):
    """A sensor's configured errors for kernels, most from its section ``noise``, in m and rad.

    Standard deviations of a range: ``range_sigma_m``, ``sigma_per_range``, ``sigma_incidence_m``
    (at 45 deg), ``sigma_dark_m`` (at reflectivity 0.1). Its distribution: ``is_laplace`` or
    Gaussian, ``tails`` (Tukey's h). Constant errors: ``depth_offset_m``, ``depth_scale``. Ranges
    are rounded to ``quantisation_m``, folded at ``folds_at_m``, cut off at ``max_range_m``. A beam
    reports nothing with ``drop_probability``. ``azimuth_sigma_rad`` and ``elevation_sigma_rad``
    turn beams if ``is_shot_wrong``, else reported points.
    """

    range_sigma_m: float  # these four are terms of `range_sigma`
    sigma_per_range: float
    sigma_incidence_m: float
    sigma_dark_m: float
    is_laplace: bool  # distribution of range noise: Laplace instead of Gaussian
    tails: float  # Tukey's h; 0: tails are not longer than a Gaussian's
    depth_offset_m: float  # these two are terms of `systematic_range`
    depth_scale: float
    quantisation_m: float  # step to which ranges are rounded; 0: not rounded
    folds_at_m: float  # infinite where ranges are not folded back
    max_range_m: float  # farther ranges are not reported
    drop_probability: float  # probability that a beam reports nothing
    azimuth_sigma_rad: float  # standard deviation of the azimuth's error
    elevation_sigma_rad: float  # standard deviation of the elevation's error
    is_shot_wrong: bool  # whether angle errors turn the beams, instead of the reported points


@njit(cache=True, nogil=True, alone=True)
def table_value(table, column, at):
    """Return a table's ``column`` at ``at`` in column 0: linear, constant outside; 0 if no rows."""
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
    """``by_range``: range, mean, sigma [m]; ``by_reflectivity``: ln of reflectivity, sigma [m]."""

    by_range: NDArray[np.float64]  # (n_row, 3) range, mean, sigma [m]
    by_reflectivity: NDArray[np.float64]  # (n_row, 2) logarithm of the reflectivity, sigma [m]


@njit(cache=True, nogil=True, alone=True)
def reflectivity_sigma(table, reflectivity):
    """Return the range noise [m] at a reflectivity, by table ``by_reflectivity``; 0: no rows."""
    if len(table) == 0:
        return 0.0
    return table_value(table, 1, logarithm(max(reflectivity, LEAST_REFLECTIVITY)))


@njit(cache=True, nogil=True, alone=True)
def range_sigma(settings, tables, range_m, reflectivity, cos_incidence):
    """Return the standard deviation [m] of a range; its terms are independent, so squares add.

        sigma^2 = range_sigma^2 + table(d)^2 + table(R)^2 + (per_range d)^2
                  + (incidence tan(theta))^2 + (dark sqrt(0.1 / R))^2

    d is the true ``range_m``, R the ``reflectivity``, cos(theta) ``cos_incidence`` [1]. The others
    come from ``settings`` (`NoiseSettings`) and ``tables`` (`ErrorTables`). tan(theta) and
    sqrt(0.1 / R) count as at most `MOST_TIMES`.
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
    """Return a true range d [m] with its systematic errors: d (1 + scale) + offset + table(d)."""
    wrong_m = range_m * (1.0 + settings.depth_scale) + settings.depth_offset_m
    return wrong_m + table_value(table, 1, range_m)


@njit(cache=True, nogil=True, alone=True)
def folded_range(range_m, folds_at_m):
    """Return ``range_m``, d, as a time-of-flight camera folds it back: d - m / 2 if d >= m / 2 [m].

    m is ``folds_at_m``, the maximum range (Gschwandtner et al., BlenSor, 2011, equation 3).
    """
    half_m = folds_at_m / 2.0
    return range_m if range_m < half_m else range_m - half_m


@njit(cache=True, nogil=True, alone=True)
def quantised_range(range_m, step_m):
    """Return ``range_m`` rounded to a multiple of ``step_m`` [m], halves up; unchanged for 0."""
    return range_m if step_m == 0.0 else math.floor(range_m / step_m + 0.5) * step_m


class Ranges(NamedTuple):
    """Ranges of points, before and after errors, and what errors depend on; float64 (BLOCK,)."""

    met_m: object  # true range of the surface
    reflectivity: object  # only set if errors depend on it
    cos_incidence: object  # only set if errors depend on it
    bias_m: object  # constant error of the point's laser
    sigma_m: object  # standard deviation of the range
    chance: object  # random number of the range, of standard deviation 1
    unused: object  # second number of the pair that is drawn, not used
    reported_m: object  # range with all errors


@njit(cache=True, nogil=True, alone=True)
def new_ranges():
    """Return `Ranges` for a block of points, with values yet to be set."""
    return Ranges(
        np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK),
        np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK),
    )  # fmt: skip


@njit(cache=True, nogil=True, alone=True)
def take_ranges(
    # In:
    settings,  # see NoiseSettings
    by_reflectivity,  # see ErrorTables
    bias_m,  # float64 (n_ring,)
    points,  # uint8 (n, n_byte) rows of a block, which begin with HEAD
    cos_incidence,  # float32 (n,), or of any length where it does not matter
    # Out:
    ranges_out,  # see Ranges
):
    """Copy the values on which errors of ranges depend, from ``points`` to ``ranges_out``."""
    points_at, size = points.ctypes.data, points.shape[1]
    for i in range(len(points)):
        at, point = np.uint64(i), record_at(points_at + i * size, HEAD)
        ranges_out.met_m[at] = point.range
        ranges_out.bias_m[at] = bias_m[point.ring]
    if settings.sigma_dark_m > 0.0 or len(by_reflectivity) > 0:
        for i in range(len(points)):
            point = record_at(points_at + i * size, HEAD)
            ranges_out.reflectivity[np.uint64(i)] = point.reflectivity
    if settings.sigma_incidence_m > 0.0:
        for i in range(len(points)):
            ranges_out.cos_incidence[np.uint64(i)] = cos_incidence[np.uint64(i)]


@njit(cache=True, nogil=True, error_model="numpy", alone=True)
def range_sigmas(settings, tables, range_m, reflectivity, cos_incidence, n, sigma_out):
    """Write the standard deviation [m] of each of n ranges, by `range_sigma`, to ``sigma_out``."""
    for i in range(n):
        at = np.uint64(i)
        sigma_out[at] = range_sigma(
            settings, tables, range_m[at], reflectivity[at], cos_incidence[at]
        )


@njit(cache=True, nogil=True, error_model="numpy", alone=True)
def systematic_ranges(settings, table, range_m, bias_m, n, wrong_out):
    """Write n ``range_m`` with `systematic_range` errors and laser ``bias_m`` to ``wrong_out``."""
    for i in range(n):
        at = np.uint64(i)
        wrong_out[at] = systematic_range(settings, table, range_m[at]) + bias_m[at]


@njit(cache=True, nogil=True, error_model="numpy", alone=True)
def add_formulas(
    # In:
    by_formula,  # see ErrorArrays
    first,  # row of the first range
    n,
    # In and out:
    range_m,  # float64 (n | more,)
    sigma_m,  # float64 (n | more,)
):
    """Add the errors by formula to ``range_m`` and their variances to ``sigma_m``, in place [m]."""
    if by_formula.shape[1] == 0:
        return
    for i in range(n):
        at, row = np.uint64(i), np.uint64(first + i)
        range_m[at] += by_formula[0, row]
        sigma_m[at] = math.sqrt(sigma_m[at] ** 2 + by_formula[1, row] ** 2)


@njit(cache=True, nogil=True, error_model="numpy", alone=True)
def fold_and_quantise(
    # In:
    settings,  # see NoiseSettings
    n,
    # In and out:
    range_m,  # float64 (n | more,)
):
    """Fold n ranges ``range_m`` [m] back and round them in place, as far as ``settings`` say."""
    for i in range(n):
        range_m[np.uint64(i)] = folded_range(range_m[np.uint64(i)], settings.folds_at_m)
    for i in range(n):
        range_m[np.uint64(i)] = quantised_range(range_m[np.uint64(i)], settings.quantisation_m)


@njit(cache=True, nogil=True, alone=True)
def wrong_ranges(
    # In:
    settings,  # see NoiseSettings
    tables,  # see ErrorTables
    by_formula,  # see ErrorArrays
    first,  # row of the first point
    stream,  # see random_kernels.uniform_pairs
    index,  # uint32 (n,) index of each point's random numbers
    # Work:
    redraw,  # see random_kernels.Redraw
    # In and out:
    ranges,  # see Ranges; filled by take_ranges
):
    """Write the ranges of n points with all errors to ``ranges.reported_m`` [m]."""
    n = len(index)
    met_m, reflectivity, cos_incidence, bias_m, sigma_m, drawn, second, reported_m = ranges
    systematic_ranges(settings, tables.by_range, met_m, bias_m, n, reported_m)
    range_sigmas(settings, tables, met_m, reflectivity, cos_incidence, n, sigma_m)
    add_formulas(by_formula, first, n, reported_m, sigma_m)
    n_noisy = 0
    for i in range(n):
        n_noisy += sigma_m[np.uint64(i)] > 0.0
    if n_noisy > 0:
        if settings.is_laplace:
            laplaces(stream, RANGE_NOISE, index, n, drawn)
        else:
            gaussian_pairs(stream, RANGE_NOISE, index, n, redraw, drawn, second)
        if settings.tails > 0.0:
            lengthen_tails(settings.tails, n, drawn)
        for i in range(n):
            at = np.uint64(i)
            reported_m[at] += sigma_m[at] * drawn[at]
    fold_and_quantise(settings, n, reported_m)


class ErrorArrays(NamedTuple):
    """Tables and values of a sensor's errors, and starts and directions of its beams."""

    by_range: object  # these two: see ErrorTables
    by_reflectivity: object
    by_formula: object  # float64 (2, n_point) error and sigma of each range [m]; (2, 0) if none
    bias_m: object  # float64 (n_ring,) constant range error of each laser
    angles: object  # float64 (4, n_beam), see direction_kernels.wrong_directions
    shot: object  # float32 (3, n_beam) directions in which the beams were shot
    origin_m: object  # float32 (n_beam | 1, 3)


class TruthArrays(NamedTuple):
    """Of each point: true ``range_m``, true ``xyz_m`` (n, 3), and whether it ``is_reported``."""

    range_m: object  # float32 (n_point,)
    xyz_m: object  # float32 (n_point, 3)
    is_reported: object  # bool (n_point,) whether there is a range


@njit(cache=True, nogil=True, alone=True)
def write_report(
    # Sensor:
    beams,  # see ErrorArrays
    max_range_m,  # a point is reported from 0 to this range
    # In:
    index,  # uint32 (n,) of the beams
    reported_m,  # float64 (n | more,)
    is_read_wrong,  # whether directions are reported with errors
    turned,  # see direction_kernels.Turned; read only if ``is_read_wrong``
    first,  # row of ``truth_out`` for the first point
    # In and out:
    points,  # uint8 (n, n_byte) begin with HEAD; in: true range; out: reported range and position
    # Out:
    truth_out,  # see TruthArrays; true range and position, and whether each point is reported
):
    """Put reported ranges and positions into ``points``; write the true ones to ``truth_out``."""
    shot, origin_m, points_at = beams.shot, beams.origin_m, points.ctypes.data
    true_range_out, true_xyz_out, is_reported_out = truth_out
    turned_x, turned_y, turned_z = turned.x, turned.y, turned.z
    for i in range(len(points)):
        at, row = np.uint64(i), np.uint64(first + i)
        beam, point = np.uint64(index[at]), record_at(points_at + i * points.shape[1], HEAD)
        o = beam if len(origin_m) > 1 else np.uint64(0)
        from_x, from_y, from_z = origin_m[o, 0], origin_m[o, 1], origin_m[o, 2]
        to_x, to_y, to_z = shot[0, beam], shot[1, beam], shot[2, beam]
        range_m = point.range
        true_range_out[row] = range_m
        true_xyz_out[row, 0] = from_x + range_m * to_x
        true_xyz_out[row, 1] = from_y + range_m * to_y
        true_xyz_out[row, 2] = from_z + range_m * to_z
        is_reported_out[row] = 0.0 <= reported_m[at] <= max_range_m
        if is_read_wrong:
            to_x = np.float32(turned_x[at])
            to_y = np.float32(turned_y[at])
            to_z = np.float32(turned_z[at])
        range_m = np.float32(reported_m[at])
        point.range = range_m
        point.x = from_x + range_m * to_x
        point.y = from_y + range_m * to_y
        point.z = from_z + range_m * to_z


@njit(cache=True, nogil=True, threads=True)
def report_points(
    # Sensor:
    settings,  # see NoiseSettings
    beams,  # see ErrorArrays
    # In:
    stream,
    beam,  # uint32 (n_point,) index of each point's beam
    draw,  # uint32 (n_point,) index of each point's random range error
    cos_incidence,  # float32 (n_point,), or of any length where it does not matter
    n_workers,
    # In and out:
    points,  # uint8 (n_point, n_byte) rows, see HEAD; x y z and range are replaced
    # Out:
    truth_out,  # see TruthArrays
):
    """Put reported ranges and positions into ``points``; write the true ones to ``truth_out``."""
    in_threads(
        _report_blocks,
        n_workers,
        (
            new_deal(), settings, beams, stream, beam, draw, cos_incidence, points,
            truth_out,
        ),
    )  # fmt: skip


@njit(cache=True, nogil=True, alone=True)
def _report_blocks(deal, settings, beams, stream, beam, draw, cos_incidence, points, truth_out):
    """Report one block of points after the other; the arguments as for `report_points`."""
    is_aimed_wrong = settings.azimuth_sigma_rad > 0.0 or settings.elevation_sigma_rad > 0.0
    is_read_wrong = is_aimed_wrong and not settings.is_shot_wrong
    tables = ErrorTables(beams.by_range, beams.by_reflectivity)
    redraw, ranges, turned = new_redraw(), new_ranges(), new_turned()
    angles = np.empty((4, BLOCK))
    while True:
        first = take_block(deal) * BLOCK
        if first >= len(points):
            break
        rows = slice(first, min(first + BLOCK, len(points)))
        index = beam[rows]
        take_ranges(
            settings, tables.by_reflectivity, beams.bias_m, points[rows], cos_incidence[rows],
            ranges,
        )  # fmt: skip
        wrong_ranges(settings, tables, beams.by_formula, first, stream, draw[rows], redraw, ranges)
        if is_read_wrong:
            take_angles(beams.angles, index, angles)
            wrong_directions(settings, stream, angles, index, len(index), redraw, turned)
        write_report(
            beams, settings.max_range_m, index, ranges.reported_m, is_read_wrong, turned, first,
            points[rows], truth_out,
        )  # fmt: skip
