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
from raycore.pattern.fan_kernels import across, one_ray

ONE_PLANE_COSINE = 0.99
ONE_PLANE_M, ONE_PLANE_PER_M = 0.02, 0.001
"""How far from the plane of another hit a hit lies in it; the second one times the range."""
NEAR = 0.5
"""Gap, in widths of the pulse, below which neighbours are one component."""

# Rows of the memory for one beam. Hits are the sub-rays from which light comes back: float64
# (3, n_sub), and as int64 (2, n_sub) their rays and components.
REACH, BACK, SNR = range(3)
RAY, PART = range(2)
# Components are float64 (8, n_sub), and as int64 (2, n_sub) a hit that tells the plane, and the one
# that sends back most. The last four are for components that touch: maxima of their sum and where
# each one ends, and factors of their slopes.
PART_BACK, PART_SNR, MEAN, VARIANCE, TOP, VALLEY, STEEPNESS, FALL = range(8)
FIRST, BEST = range(2)


@njit(cache=True, nogil=True)
def new_beam(n_sub):
    """Return the memory for one beam: hits and their indices, components and theirs."""
    return (
        np.empty((3, n_sub)), np.empty((2, n_sub), np.int64),
        np.empty((8, n_sub)), np.empty((2, n_sub), np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _height(ray_arrays, range_m, ray, x, y, z):
    """Return how far the hit of a ray lies along a vector."""
    direction, start = one_ray(ray, ray_arrays[0], ray_arrays[1], ray_arrays[2], ray_arrays[3])
    along = direction[0] * x + direction[1] * y + direction[2] * z
    return range_m[ray] * along + start[0] * x + start[1] * y + start[2] * z


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _in_plane(ray_arrays, range_m, normal, of, ray):
    """Return whether the hit of a ray lies in the plane of another one."""
    x, y, z = normal[0, of], normal[1, of], normal[2, of]
    turned = normal[0, ray] * x + normal[1, ray] * y + normal[2, ray] * z
    apart_m = _height(ray_arrays, range_m, ray, x, y, z) - _height(ray_arrays, range_m, of, x, y, z)
    return (turned > ONE_PLANE_COSINE) & (
        abs(apart_m) < ONE_PLANE_M + ONE_PLANE_PER_M * range_m[of]
    )


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def is_one_plane(ray_arrays, range_m, normal, hit_index, n):
    """Return whether all hits of a beam lie in one plane."""
    of, same = np.uint64(hit_index[RAY, 0]), True
    for i in range(1, n):
        same &= _in_plane(ray_arrays, range_m, normal, of, np.uint64(hit_index[RAY, i]))
    return same


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def add_up(hit, n, part_out, part_index_out):
    """Make one component of all hits: sums, mean, and variance between them."""
    from_m, best = hit[REACH, 0], 0
    back = snr = moment = variance = 0.0
    for i in range(n):
        back += hit[BACK, i]
        snr += hit[SNR, i]
        moment += hit[SNR, i] * (hit[REACH, i] - from_m)
        best = i if hit[SNR, i] > hit[SNR, best] else best
    mean_m = from_m + moment / snr
    for i in range(n):
        variance += hit[SNR, i] * (hit[REACH, i] - mean_m) ** 2
    part_out[PART_BACK, 0], part_out[PART_SNR, 0] = back, snr
    part_out[MEAN, 0], part_out[VARIANCE, 0] = mean_m, variance / snr
    part_index_out[FIRST, 0], part_index_out[BEST, 0] = 0, best


@njit(cache=True, nogil=True, error_model="numpy")
def split(
    # In:
    ray_arrays,
    range_m,
    normal,
    sigma_r_m,
    n,
    # In and out:
    hit,  # sorted by range
    hit_index,
    # Out:
    part_out,
    part_index_out,
):
    """Make components of the hits of a beam, in the order of their means; return how many."""
    _sort_hits(n, hit, hit_index)
    n_part = 0
    for i in range(n):
        found, ray = -1, np.uint64(hit_index[RAY, i])
        for j in range(n_part):
            of = np.uint64(hit_index[RAY, part_index_out[FIRST, j]])
            if _in_plane(ray_arrays, range_m, normal, of, ray):
                found = j
                break
        if found < 0 and i > 0 and hit[REACH, i] - hit[REACH, i - 1] < NEAR * sigma_r_m:
            found = hit_index[PART, i - 1]
        if found < 0:
            found = n_part
            n_part += 1
            part_index_out[FIRST, found] = part_index_out[BEST, found] = i
            for row in range(VARIANCE + 1):
                part_out[row, found] = 0.0
        hit_index[PART, i] = found
        part_out[PART_BACK, found] += hit[BACK, i]
        part_out[PART_SNR, found] += hit[SNR, i]
        from_m = hit[REACH, part_index_out[FIRST, found]]
        part_out[MEAN, found] += hit[SNR, i] * (hit[REACH, i] - from_m)
        if hit[SNR, i] > hit[SNR, part_index_out[BEST, found]]:
            part_index_out[BEST, found] = i
    for j in range(n_part):
        from_m = hit[REACH, part_index_out[FIRST, j]]
        part_out[MEAN, j] = from_m + part_out[MEAN, j] / part_out[PART_SNR, j]
    for i in range(n):
        j = hit_index[PART, i]
        off_m = hit[REACH, i] - part_out[MEAN, j]
        part_out[VARIANCE, j] += hit[SNR, i] * off_m * off_m / part_out[PART_SNR, j]
    _sort_parts(n_part, part_out, part_index_out)
    return n_part


@njit(cache=True, nogil=True, error_model="numpy")
def _sort_hits(
    # In:
    n,
    # In and out:
    hit,
    hit_index,
):
    """Sort hits by range; equal ones stay in their order."""
    for i in range(1, n):
        reach, back, snr, ray = hit[REACH, i], hit[BACK, i], hit[SNR, i], hit_index[RAY, i]
        to = i
        while to > 0 and hit[REACH, to - 1] > reach:
            for row in range(3):
                hit[row, to] = hit[row, to - 1]
            hit_index[RAY, to] = hit_index[RAY, to - 1]
            to -= 1
        hit[REACH, to], hit[BACK, to], hit[SNR, to], hit_index[RAY, to] = reach, back, snr, ray


@njit(cache=True, nogil=True, error_model="numpy")
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
def spread_of_cell(normal, axis, ray, sigma_h, sigma_v):
    """Return the rms spread of the range over a beam on a tilted surface, per metre of range.

    Across a surface of normal n, an angle a from the axis d changes the range by r a (n.e) / (n.d),
    with e the direction of the angle.
    """
    nx, ny, nz = float(normal[0, ray]), float(normal[1, ray]), float(normal[2, ray])
    dx, dy, dz = float(axis[0]), float(axis[1]), float(axis[2])
    (hx, hy, hz), (vx, vy, vz) = across(dx, dy, dz)
    along = max(abs(nx * dx + ny * dy + nz * dz), 1e-9)
    h = sigma_h * (nx * hx + ny * hy + nz * hz) / along
    v = sigma_v * (nx * vx + ny * vy + nz * vz) / along
    return math.sqrt(h * h + v * v)
