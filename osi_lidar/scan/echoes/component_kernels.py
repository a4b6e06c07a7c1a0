# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels that join the hits of a beam to components: Gaussians of its waveform.

Hits of one plane are one component, and so are surfaces nearer to each other than half of the
pulse's width: those overlap to one Gaussian of their mean and variance, to 0.1 % of its height.
"""

from __future__ import annotations

import math

import numpy as np

from lidar_base.compiled import njit
from lidar_base.lane_kernels import (
    N_LANES,
    bits_of,
    converted,
    first_bit,
    lane_numbers,
    lanes_of,
    least,
    most,
    put_lanes,
    select,
    total,
)
from osi_lidar.scan.echoes.origin_kernels import MOST_IN_AIR

ONE_PLANE_COSINE = 0.99
"""Cosine between normals above which two hits may lie in one plane."""
ONE_PLANE_M, ONE_PLANE_PER_M = 0.02, 0.001
"""A hit lies in another hit's plane up to this distance from it: [m], and per metre of range."""
NEAR = 0.5
"""Gap, in widths of the pulse, below which neighbours are one component."""

# Rows of the memory for one beam, a column for each sub-ray. Hits are float64 (3, n), and as
# uint32 (4, n) their rays, components, and place in the order of range, with its inverse.
REACH, BACK, SNR = range(3)
RAY, PART, RANK, ORDER = range(4)
# Places of hits are float32 (4, n_sub): relative to one point, and the key of their sorting.
X, Y, Z, KEY = range(4)
# Components are float64 (8, n), and as int64 (2, n) the hit that defines the plane, and the
# strongest hit. The last four float rows are for components that touch: maxima of their sum and
# where each one ends, and factors of their slopes.
PART_BACK, PART_SNR, MEAN, VARIANCE, TOP, VALLEY, STEEPNESS, FALL = range(8)
FIRST, BEST = range(2)
FREE, DARK = 0xFFFFFFFF, 0xFFFFFFFE
"""In place of a component: the hit has none yet (FREE), or is a sub-ray without light (DARK)."""


@njit(cache=True, nogil=True)
def new_beam(n_sub):
    """Return arrays for the hits and the components of one beam, without values.

    A component, or part, is a Gaussian of the beam's waveform: the light of hits near each other.
    Kernels fill the arrays for one beam after the other. ``n_sub`` is the number of sub-rays of a
    beam. n is n_sub + `MOST_IN_AIR`: a column for each sub-ray, then columns for echoes of the air.

    Returns
    -------
    hit : float64 (3, n)
        Rows `REACH` (range [m]), `BACK` (light that comes back, as a fraction of the light from a
        white wall across the beam) and `SNR`.
    hit_index : uint32 (4, n)
        Rows `RAY` (row of the ray among all rays), `PART` (component of the hit), `RANK` (place of
        the hit in the order of range) and `ORDER` (the hit at each place).
    part : float64 (8, n)
        Rows `PART_BACK` and `PART_SNR` (sums over the hits), `MEAN` (range [m]), `VARIANCE` [m^2],
        and `TOP` to `FALL`, used by `find_maxima`; a column for each component.
    part_index : int64 (2, n)
        Rows `FIRST` (hit that defines the component's plane) and `BEST` (its strongest hit).
    place : float32 (4, n_sub)
        Rows `X`, `Y`, `Z` (position of the hit [m]) and `KEY` (by which hits are sorted).
    """
    n = n_sub + MOST_IN_AIR
    return (
        np.empty((3, n)), np.empty((4, n), np.uint32),
        np.empty((8, n)), np.empty((2, n), np.int64), np.empty((4, n_sub), np.float32),
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _in_plane(place, normal, range_m, start, of, sub):
    """Return which of sixteen hits lie in the plane of another one."""
    ray, at = start + of, start + sub
    x, y, z = normal[0, ray], normal[1, ray], normal[2, ray]
    turned = (
        lanes_of(normal, (0, at)) * x
        + lanes_of(normal, (1, at)) * y
        + lanes_of(normal, (2, at)) * z
    )
    apart_m = (
        (lanes_of(place, (X, sub)) - place[X, of]) * x
        + (lanes_of(place, (Y, sub)) - place[Y, of]) * y
        + (lanes_of(place, (Z, sub)) - place[Z, of]) * z
    )
    near_m = ONE_PLANE_M + ONE_PLANE_PER_M * range_m[ray]
    return (turned > ONE_PLANE_COSINE) & (apart_m < near_m) & (apart_m > -near_m)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def is_one_plane(place, normal, range_m, start, n_sub, of, hit):
    """Return whether all hits of a beam lie in the plane of one of them, with nearly its normal.

    The limits are `ONE_PLANE_COSINE`, `ONE_PLANE_M` and `ONE_PLANE_PER_M`. Hits that bring back no
    light do not count.

    Parameters
    ----------
    place, hit : float32 (4, n_sub), float64 (3, n)
        Positions of the beam's hits, and their light, as in `new_beam`.
    normal : float32 (3, n_ray)
        Unit normal of the surface at the hit of each ray of all beams, in the sensor frame.
    range_m : float32 (n_ray,)
        Range of each of these hits. [m]
    start : int
        Index of the beam's first sub-ray in ``normal`` and ``range_m``.
    n_sub : int
        Number of sub-rays of the beam.
    of : int
        Index, within the beam, of the sub-ray whose hit defines the plane.
    """
    same = True
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        inside = _in_plane(place, normal, range_m, start, of, sub)
        same &= bits_of((lanes_of(hit, (BACK, sub)) > 0.0) & ~inside) == 0
    return same


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def first_lit(n_sub, hit):
    """Return the index, within its beam, of the first sub-ray that brings back light; else 0.

    ``hit`` is as in `new_beam`; its row `BACK` holds the light of each of the ``n_sub`` sub-rays.
    """
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        bits = bits_of(lanes_of(hit, (BACK, sub)) > 0.0)
        if bits != 0:
            return sub + first_bit(bits)
    return np.uint64(0)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def join_all(
    # In:
    n_sub,  # number of sub-rays of the beam
    first,  # index, within the beam, of the sub-ray whose hit defines the plane
    hit,  # float64 (3, n | more), see new_beam
    # Out:
    hit_index_out,  # this and the next two: see new_beam
    part_out,
    part_index_out,
):
    """Join all hits of a beam to one component (a Gaussian of its waveform), number 0.

    All arrays are as in `new_beam`.

    Parameters
    ----------
    n_sub : int
        Number of sub-rays of the beam.
    first : int
        Index, within the beam, of the sub-ray whose hit defines the component's plane.
    hit : float64 (3, n)
        Range, light and SNR of each hit.
    hit_index_out : uint32 (4, n)
        Output: the rows `PART`, `RANK` and `ORDER` of the sub-rays; the order is the order of rays.
    part_out, part_index_out : float64 (8, n), int64 (2, n)
        Output: the component, in column 0: rows `PART_BACK` to `VARIANCE`, `FIRST` and `BEST`.
    """
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        number = lane_numbers() + chunk
        put_lanes(hit_index_out, (PART, sub), 0)
        put_lanes(hit_index_out, (RANK, sub), number)
        put_lanes(hit_index_out, (ORDER, sub), number)
    part_index_out[FIRST, 0] = first
    _add_up(n_sub, 0, hit, hit_index_out, part_out, part_index_out)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _add_up(
    # In:
    n_sub,
    j,
    hit,
    hit_index,
    # In and out:
    part,
    part_index,
):
    """Write a component's sums, mean, variance between its hits, and its strongest hit."""
    from_m = hit[REACH, np.uint64(part_index[FIRST, j])]
    zero = converted(0.0, np.float64)
    back, snr, moment, peak = zero, zero, zero, zero
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        own = lanes_of(hit_index, (PART, sub)) == j
        weight = select(own, lanes_of(hit, (SNR, sub)), 0.0)
        back += select(own, lanes_of(hit, (BACK, sub)), 0.0)
        snr += weight
        moment += weight * (lanes_of(hit, (REACH, sub)) - from_m)
        peak = select(weight > peak, weight, peak)
    all_snr, highest = total(snr), most(peak)
    mean_m = from_m + total(moment) / all_snr
    variance, best = zero, np.uint32(FREE)
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        own = lanes_of(hit_index, (PART, sub)) == j
        signal, off_m = lanes_of(hit, (SNR, sub)), lanes_of(hit, (REACH, sub)) - mean_m
        variance += select(own, signal, 0.0) * off_m * off_m
        highest_here = own & (signal == highest)
        best = min(best, least(select(highest_here, lanes_of(hit_index, (RANK, sub)), FREE)))
    part[PART_BACK, j], part[PART_SNR, j] = total(back), all_snr
    part[MEAN, j], part[VARIANCE, j] = mean_m, total(variance) / all_snr
    part_index[BEST, j] = hit_index[ORDER, np.uint64(best)]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def split(
    # In:
    normal,  # float32 (3, n_ray)
    range_m,  # float32 (n_ray,)
    start,  # row of the beam's first sub-ray
    n_sub,  # number of sub-rays of the beam
    sigma_r_m,  # rms width of the pulse in range
    hit,  # this and the next four: see new_beam
    # In and out:
    hit_index,
    place,
    # Out:
    part_out,
    part_index_out,
):
    """Group the hits of a beam into components, sorted by mean range; return their number.

    A component is a Gaussian of the beam's waveform. Hits are visited from near to far. A hit
    without a component joins the component of the hit before it, if that hit is closer than `NEAR`
    pulse widths. Otherwise it starts a new component, which takes all hits in its plane that have
    no component yet. Arrays of the beam are as in `new_beam`.

    Parameters
    ----------
    normal, range_m : float32 (3, n_ray), float32 (n_ray,)
        Unit normal of the surface (sensor frame) and range [m] of the hits of all beams' rays.
    start, n_sub : int
        Index of the beam's first sub-ray in these arrays, and number of its sub-rays.
    sigma_r_m : float
        Rms width of the pulse in range. [m]
    hit : float64 (3, n)
        Range, light and SNR of each hit of the beam.
    hit_index : uint32 (4, n)
        Its rows `PART`, `RANK` and `ORDER` are overwritten.
    place : float32 (4, n_sub)
        Positions of the hits; the row `KEY` is overwritten.
    part_out, part_index_out : float64 (8, n), int64 (2, n)
        Output: a component in each of the first columns: rows `PART_BACK` to `VARIANCE`, `FIRST`
        and `BEST`.
    """
    n, n_part = _sort_hits(n_sub, hit, hit_index, place), 0
    nearest = np.uint64(hit_index[ORDER, 0])
    farthest = np.uint64(hit_index[ORDER, np.uint64(n - 1)])
    if hit[REACH, farthest] - hit[REACH, nearest] < NEAR * sigma_r_m:  # all are near each other
        for chunk in range(0, n_sub, N_LANES):
            put_lanes(hit_index, (PART, np.uint64(chunk)), 0)
        part_index_out[FIRST, 0] = nearest
        _add_up(n_sub, 0, hit, hit_index, part_out, part_index_out)
        return 1
    for i in range(n):
        at = np.uint64(hit_index[ORDER, np.uint64(i)])
        if hit_index[PART, at] != FREE:
            continue
        before = np.uint64(hit_index[ORDER, np.uint64(max(i - 1, 0))])
        if i > 0 and hit[REACH, at] - hit[REACH, before] < NEAR * sigma_r_m:
            hit_index[PART, at] = hit_index[PART, before]
            continue
        for chunk in range(0, n_sub, N_LANES):
            sub = np.uint64(chunk)
            own = lanes_of(hit_index, (PART, sub))
            joins = _in_plane(place, normal, range_m, start, at, sub)
            joins = (joins & (own == FREE)) | (lane_numbers() + chunk == np.uint32(at))
            put_lanes(hit_index, (PART, sub), select(joins, np.uint32(n_part), own))
        part_index_out[FIRST, n_part] = at
        n_part += 1
    for j in range(n_part):
        _add_up(n_sub, j, hit, hit_index, part_out, part_index_out)
    _sort_parts(n_part, part_out, part_index_out)
    return n_part


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _sort_hits(
    # In:
    n_sub,
    hit,
    # Out:
    hit_index_out,
    place_out,
):
    """Write the order of hits by range, of equal ones by ray; return the number of hits.

    The rank of a hit is the number of hits before it.
    """
    n = 0
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        lit = lanes_of(hit, (BACK, sub)) > 0.0
        put_lanes(place_out, (KEY, sub), select(lit, lanes_of(hit, (REACH, sub)), math.inf))
        put_lanes(hit_index_out, (PART, sub), select(lit, FREE, DARK))
        n += total(select(lit, 1, 0))
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        key, number = lanes_of(place_out, (KEY, sub)), lane_numbers() + chunk
        rank = converted(0, np.uint32)
        for other in range(n_sub):
            one = place_out[KEY, np.uint64(other)]
            rank += select(
                (key > one) | ((key == one) & (number > other)), converted(1, np.uint32), 0
            )
        put_lanes(hit_index_out, (RANK, sub), rank)
    for lane in range(n_sub):
        rank_of_lane = np.uint64(hit_index_out[RANK, np.uint64(lane)])
        hit_index_out[ORDER, rank_of_lane] = lane
    return n


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _sort_parts(
    # In:
    n_part,
    # In and out:
    part,
    part_index,
):
    """Sort components by their means."""
    for i in range(1, n_part):
        to = i
        while to > 0 and part[MEAN, to - 1] > part[MEAN, to]:
            for row in range(VARIANCE + 1):
                part[row, to], part[row, to - 1] = part[row, to - 1], part[row, to]
            for row in range(2):
                part_index[row, to], part_index[row, to - 1] = (
                    part_index[row, to - 1],
                    part_index[row, to],
                )
            to -= 1


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def spread_of_cell(normal, ray, axis, left, up, sigma_h, sigma_v):
    """Return the rms spread of range over a beam on a tilted surface, per metre of range.

    On a surface with the normal n, an angle a from the axis d changes the range r by r a (n.e) /
    (n.d), where e is the direction of the angle: left or up.

    Parameters
    ----------
    normal : float32 (3, n_ray)
        Unit normals of the surfaces that rays meet, in the sensor frame.
    ray : int
        Column of the surface's normal.
    axis, left, up : (float, float, float)
        Unit vectors along the beam, to its left and upwards, in the sensor frame.
    sigma_h, sigma_v : float
        Rms widths of the beam to the left and upwards. [rad]
    """
    nx, ny, nz = float(normal[0, ray]), float(normal[1, ray]), float(normal[2, ray])
    along = max(abs(nx * axis[0] + ny * axis[1] + nz * axis[2]), 1e-9)
    h = sigma_h * (nx * left[0] + ny * left[1] + nz * left[2]) / along
    v = sigma_v * (nx * up[0] + ny * up[1] + nz * up[2]) / along
    return math.sqrt(h * h + v * v)
