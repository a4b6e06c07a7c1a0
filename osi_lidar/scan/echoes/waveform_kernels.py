# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled search for the echoes in the waveform of each beam, without sampling it.

The receiver sees a sum of Gaussians over range, one for each component j of the light that comes
back, in multiples of its noise:

    s(x) = sum_j A_j sigma_r / sigma_j exp(-(x - m_j)^2 / 2 sigma_j^2)

A component holds the sub-rays that meet one plane, or surfaces nearer to each other than half of
the pulse: those overlap to one Gaussian of their mean m_j and variance, to 0.1 % of its height.
Its width is

    sigma_j^2 = sigma_r^2 + variance between the sub-rays + variance within their cells.

Echoes are the maxima of s. Most beams have one component, and one echo at its mean.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray  # noqa: TC002  named tuples are read by numba

from lidar_base.compiled import njit
from material_mapping.kernels import COSINE, reflectivity_at
from osi_lidar.scan.echoes.component_kernels import (
    BACK,
    FIRST,
    MEAN,
    RAY,
    REACH,
    SNR,
    VARIANCE,
    add_up,
    is_one_plane,
    split,
    spread_of_cell,
)
from osi_lidar.scan.echoes.maxima_kernels import find_maxima, root_at
from raycore.pattern.fan_kernels import one_ray
from raycore.records import NOTHING

MIXED, BRIGHT = 1, 2
"""What a beam has seen: not one plane all over, and something that sends back more than white."""
WIDEST = 10.0
"""Most that the tilt of a surface within the cell of a sub-ray widens a pulse, in its widths."""


class SubRayArrays(NamedTuple):
    """The sub-rays of all beams, and what they met."""

    origin_m: NDArray[Any]  # these four: see records.RayArrays
    direction: NDArray[Any]
    fan: NDArray[Any]
    fan_of_beam: NDArray[Any]
    weight: NDArray[Any]  # float32 (n_sub,)
    range_m: NDArray[Any]  # float32 (n_ray,), see records.HitArrays
    normal: NDArray[Any]  # float32 (3, n_ray)
    cos_incidence: NDArray[Any]  # float32 (n_ray,)
    instance: NDArray[Any]  # uint32 (n_ray,)
    primitive: NDArray[Any]  # uint32 (n_ray,)
    share: NDArray[Any]  # float32 (n_ray | 1,) of light that comes back through panes and mirrors


class WaveformSettings(NamedTuple):
    """Pulse and footprint of a sensor, and the scale of its signal."""

    sigma_r_m: float  # rms width of the pulse in range
    sigma_h_rad: float  # rms width of the beam over angle
    sigma_v_rad: float
    cell_variance: float  # within the cell of a sub-ray, in squares of these widths
    point_scale: float  # of the variance between sub-rays, see footprint.Footprint
    step_m: float  # of the rows of root
    root: object  # float64 (n,) q(r), SNR = R / q^2, see SignalScale.kernel_table


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _reflected(reflectance, lookup, material, cosine):
    """Return the reflectivity of a hit; most materials are Lambertian."""
    if lookup[material] != COSINE:
        return reflectivity_at(reflectance, lookup, material, cosine)
    facing = cosine if cosine > 0.0 else np.float32(0.0)
    return float(reflectance[material, 0]) * min(float(facing), 1.0)


@njit(cache=True, nogil=True, parallel=True)
def strength_of(
    # Scene:
    surfaces,  # see SurfaceArrays
    # In:
    rays,  # see SubRayArrays
    # Out:
    strength_out,  # float64 (n_ray,)
):
    """Write what comes back of each sub-ray, relative to a white wall in the whole beam."""
    first_row, material_of_row, reflectance, lookup = surfaces
    _, _, _, _, weight, _, _, cosine, instance, primitive, share = rays
    for ray in prange(len(instance)):
        strength_out[ray] = 0.0
        if instance[ray] != NOTHING:
            row = np.int64(first_row[instance[ray]]) + np.int64(primitive[ray])
            back = _reflected(reflectance, lookup, material_of_row[row], cosine[ray])
            back = back * (share[ray] if share.shape[0] > 1 else share[0])
            strength_out[ray] = back * weight[ray % len(weight)]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _is_one_triangle(instance, primitive, start, n_sub):
    """Return whether all sub-rays of a beam meet the same triangle, as most do."""
    of = np.uint64(start)
    one, row = instance[of], primitive[of]
    same = one != NOTHING
    for sub in range(n_sub):
        ray = np.uint64(start + sub)
        same &= (instance[ray] == one) & (primitive[ray] == row)
    return same


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _gather_one_triangle(
    # In:
    at_normal,  # reflectivity at normal incidence
    step_m,
    root,
    range_m,
    cosine,
    weight,
    start,
    # Out:
    hit_out,
    hit_index_out,
):
    """Write the hits of a beam on a Lambertian triangle; return how many send something back."""
    n = 0
    for sub in range(len(weight)):
        ray = np.uint64(start + sub)
        facing = cosine[ray] if cosine[ray] > 0.0 else np.float32(0.0)
        back = at_normal * min(float(facing), 1.0) * weight[sub]
        at = root_at(step_m, root, float(range_m[ray]))
        hit_index_out[RAY, n], hit_out[REACH, n] = ray, range_m[ray]
        hit_out[BACK, n], hit_out[SNR, n] = back, back / (at * at)
        n += back > 0.0
    return n


@njit(cache=True, nogil=True, error_model="numpy")
def find_block(
    # Sensor:
    settings,  # see WaveformSettings
    # Scene:
    surfaces,  # see SurfaceArrays
    # In:
    rays,  # see SubRayArrays
    lost,  # bool (n_beam | 1,) beams of which nothing is reported
    first,
    n_beam,  # beams from the first on
    # Work:
    memory,  # see new_beam
    # Out:
    found_out,  # rows of FOUND, `MOST_ECHOES` for each beam
    seen_out,  # uint8 (n_beam,) MIXED and BRIGHT
):
    """Find the echoes of some beams; return how many there are."""
    sigma_r_m, sigma_h, sigma_v, cell_variance, point_scale, step_m, root = settings
    first_row, material_of_row, reflectance, lookup = surfaces
    (
        origin_m,
        direction,
        fan,
        fan_of_beam,
        weight,
        range_m,
        normal,
        cosine,
        instance,
        primitive,
        share,
    ) = rays
    ray_arrays = (origin_m, direction, fan, fan_of_beam)
    hit, hit_index, part, part_index = memory
    n_sub, n_found = len(weight), 0
    for b in range(n_beam):
        seen_out[b] = 0
        if lost[first + b] if lost.shape[0] > 1 else lost[0]:
            continue
        start = (first + b) * n_sub
        triangle = np.uint64(start)
        if share.shape[0] == 1 and _is_one_triangle(instance, primitive, start, n_sub):
            row = np.uint64(first_row[instance[triangle]]) + np.uint64(primitive[triangle])
            material = material_of_row[row]
            is_simple = lookup[material] == COSINE
        else:
            is_simple = False
        if is_simple:
            at_normal = float(reflectance[material, 0]) * share[0]
            n = _gather_one_triangle(
                at_normal, step_m, root, range_m, cosine, weight, start, hit, hit_index
            )
            one_plane = True
        else:
            n = 0
            for sub in range(n_sub):
                ray = np.uint64(start + sub)
                if instance[ray] == NOTHING:
                    continue
                row = np.uint64(first_row[instance[ray]]) + np.uint64(primitive[ray])
                back = _reflected(reflectance, lookup, material_of_row[row], cosine[ray])
                back = back * (share[ray] if share.shape[0] > 1 else share[0]) * weight[sub]
                if back > 0.0:
                    at = root_at(step_m, root, float(range_m[ray]))
                    hit_index[RAY, n], hit[REACH, n] = ray, range_m[ray]
                    hit[BACK, n], hit[SNR, n] = back, back / (at * at)
                    n += 1
            one_plane = n > 0 and is_one_plane(ray_arrays, range_m, normal, hit_index, n)
        if n == 0:
            continue
        for i in range(n):
            seen_out[b] |= BRIGHT if hit[BACK, i] > weight[hit_index[RAY, i] % n_sub] else 0
        if n < n_sub or not one_plane:
            seen_out[b] |= MIXED
        if one_plane:
            add_up(hit, n, part, part_index)
            n_part = 1
        else:
            n_part = split(
                ray_arrays, range_m, normal, sigma_r_m, n, hit, hit_index, part,
                part_index,
            )  # fmt: skip
        for j in range(n_part):
            ray = np.uint64(hit_index[RAY, part_index[FIRST, j]])
            axis, _ = one_ray(ray, origin_m, direction, fan, fan_of_beam)
            spread = spread_of_cell(normal, axis, ray, sigma_h, sigma_v)
            cell_m2 = min(cell_variance * (part[MEAN, j] * spread) ** 2, (WIDEST * sigma_r_m) ** 2)
            part[VARIANCE, j] = sigma_r_m**2 + point_scale * part[VARIANCE, j] + cell_m2
        n_found = find_maxima(
            sigma_r_m, step_m, root, hit, hit_index, n_part, part_index, b, n_found, part,
            found_out,
        )  # fmt: skip
    return n_found
