# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled errors of measurement: the reported ranges and directions of points.

Threads take blocks of points one after the other as in `raycore.trace.trace_kernels`. Each step is
done for a whole block, in loops for vector instructions as in `random_kernels`, and is a kernel of
its own that the parallel one calls: numba drops what a parallel kernel itself stores in the arrays
of a named tuple.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
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
from osi_lidar.scan.noise.range_kernels import (
    ErrorTables,
    folded_range,
    quantised_range,
    range_sigma,
    systematic_range,
)


class NoiseSettings(NamedTuple):
    """The configured errors of a sensor for kernels, most from its section ``noise``, in m and rad.

    - Standard deviations of a range: ``range_sigma_m``, ``sigma_per_range`` (times the range),
      ``sigma_incidence_m`` (at 45 deg), and ``sigma_dark_m`` (at reflectivity 0.1).
    - Distribution: Laplace if ``is_laplace``, else Gaussian; ``tails`` is Tukey's h.
    - Systematic errors of a range: ``depth_offset_m``, and ``depth_scale`` times the range.
    - Ranges from half of ``folds_at_m`` on are folded back (see `folded_range`). Then ranges are
      rounded to multiples of ``quantisation_m``, and not reported beyond ``max_range_m``.
    - A beam reports nothing with the probability ``drop_probability``.
    - ``azimuth_sigma_rad`` and ``elevation_sigma_rad`` are standard deviations of angles. The
      errors turn the beams if ``is_shot_wrong``, else the reported points.
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


class Ranges(NamedTuple):
    """Ranges of the points of a block, and what their errors depend on; float64 (BLOCK,) each.

    True are ``met_m``, the range of the surface [m], ``reflectivity`` and ``cos_incidence`` [1];
    the last two are only set if errors depend on them. ``bias_m`` is the constant error of the
    point's laser, ``sigma_m`` the standard deviation of its range, and ``reported_m`` the range
    with all errors [m]. ``chance`` and ``unused`` are a pair of random numbers of standard
    deviation 1, of which only the first counts.
    """

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
    """Copy the values on which errors of ranges depend, from ``points`` to ``ranges_out``.

    Always copied are true ranges, and the errors ``bias_m`` of the points' lasers.
    Reflectivities and ``cos_incidence`` are copied only if ``settings`` or the table
    ``by_reflectivity`` make errors depend on them.
    """
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
    """Write the standard deviation [m] of each of n ranges to ``sigma_out``, float64 (n | more,).

    It is `range_sigma` of the `NoiseSettings` ``settings``, the `ErrorTables` ``tables``, and each
    point's ``range_m``, ``reflectivity`` and ``cos_incidence``.
    """
    for i in range(n):
        at = np.uint64(i)
        sigma_out[at] = range_sigma(
            settings, tables, range_m[at], reflectivity[at], cos_incidence[at]
        )


@njit(cache=True, nogil=True, error_model="numpy", alone=True)
def systematic_ranges(settings, table, range_m, bias_m, n, wrong_out):
    """Write n ranges with their constant errors to ``wrong_out``, float64 (n | more,) [m].

    They are the `systematic_range` of each true ``range_m``, by the `NoiseSettings` ``settings``
    and the `ErrorTables` field ``by_range`` (``table``), plus the error ``bias_m`` of its laser.
    """
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
    """Add the errors by formula to n ranges, and their variances to the noise, in place.

    ``range_m`` are the ranges, and ``sigma_m`` their standard deviations [m]. Rows 0 and 1 of
    ``by_formula`` hold the error and standard deviation of all points, of which ``first`` is the
    first range. Nothing changes if no formula is configured.
    """
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
    """Write the ranges of n points with all errors to ``ranges.reported_m`` [m].

    Systematic errors come first, then those by formula, random noise, folding and rounding. The
    true ranges are in ``ranges``, as `take_ranges` left them. ``settings``, ``tables`` and
    ``by_formula`` state the errors; ``first`` is the column of ``by_formula`` for the first point.
    The noise of each point is drawn from ``stream`` by the point's number in ``index``.
    """
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
    """Tables and values of a sensor's errors, and starts and directions of its beams.

    ``by_range`` and ``by_reflectivity`` are the tables of `ErrorTables`. ``by_formula``
    (2, n_point) holds error and standard deviation of each point's range by formula, and ``bias_m``
    (n_ring,) the constant range error of each laser [m]. ``angles`` (4, n_beam) are the cosines and
    sines of the beams' angles, and ``shot`` (3, n_beam) the directions in which the beams were
    shot. They start from ``origin_m``: one place for each beam, or one for all [m].
    """

    by_range: object  # these two: see ErrorTables
    by_reflectivity: object
    by_formula: object  # float64 (2, n_point) error and sigma of each range [m]; (2, 0) if none
    bias_m: object  # float64 (n_ring,) constant range error of each laser
    angles: object  # float64 (4, n_beam), see direction_kernels.wrong_directions
    shot: object  # float32 (3, n_beam) directions in which the beams were shot
    origin_m: object  # float32 (n_beam | 1, 3)


class TruthArrays(NamedTuple):
    """The truth of each point, which its row no longer has: n_point each.

    ``range_m`` is the true range and ``xyz_m`` the true position in the sensor frame [m];
    ``is_reported`` is whether the sensor reports the point.
    """

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
    """Put reported ranges and positions into ``points``; write the true ones to ``truth_out``.

    ``points`` are rows of one block with true ranges; ``index`` is the beam of each, and ``first``
    its row in ``truth_out``. ``beams`` has starts and directions. A position is the reported
    range ``reported_m`` along the shot direction, or along ``turned`` if ``is_read_wrong``. A point
    counts as reported from 0 to ``max_range_m``.
    """
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
    """Put reported ranges and positions into ``points``; write the true ones to ``truth_out``.

    The rows come with true ranges. ``settings`` and ``beams`` state the errors of ranges and
    directions. ``beam`` is the beam of each point, ``draw`` the number of its random error in
    ``stream``, and ``cos_incidence`` counts only if noise depends on it. ``n_workers`` threads
    share the points; they do not change the result.
    """
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
