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

import math
from typing import Any, NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray  # noqa: TC002  named tuples are read by numba

from lidar_base.compiled import njit
from lidar_base.lane_kernels import (
    N_LANES,
    bits_of,
    converted,
    first_bit,
    gathered,
    held_within,
    lane_numbers,
    lanes_of,
    put_lanes,
    select,
)
from lidar_base.memory_kernels import borrowed
from material_mapping.kernels import COSINE, reflectivity_at
from osi_lidar.scan.echoes.component_kernels import (
    BACK,
    BEST,
    FIRST,
    MEAN,
    PART_BACK,
    PART_SNR,
    RAY,
    REACH,
    SNR,
    VARIANCE,
    first_within,
    is_one_plane,
    join_all,
    split,
    spread_of_cell,
)
from osi_lidar.scan.echoes.maxima_kernels import find_maxima, root_at
from raycore.pattern.fan_kernels import ALONG, LEFT, START_LEFT, START_UP, UP, frame
from raycore.records import NOTHING

MIXED, BRIGHT = 1, 2
"""What a beam has met: not one plane all over, and something that sends back more than white."""
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
    finds_valleys: bool  # whether the signal between echoes matters


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
def _what_is_met(instance, primitive, start, n_sub):
    """Return whether sub-rays of a beam meet something, and whether all meet one triangle."""
    one, row = instance[start], primitive[start]
    missed, same = True, one != NOTHING
    for chunk in range(0, n_sub, N_LANES):
        at = start + np.uint64(chunk)
        of = lanes_of(instance, (at,))
        missed &= bits_of(of != NOTHING) == 0
        same &= bits_of((of != one) | (lanes_of(primitive, (at,)) != row)) == 0
    return not missed, same


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _reflect_one_triangle(
    # Scene: these are of SurfaceArrays
    first_row,
    material_of_row,
    reflectance,
    lookup,
    # In:
    cosine,
    instance,
    primitive,
    start,
    n_sub,
    # Out:
    hit_out,
):
    """Write the reflectivity at all sub-rays of a beam on one triangle, if it is Lambertian.

    Return whether it is.
    """
    material = material_of_row[np.uint64(first_row[instance[start]]) + np.uint64(primitive[start])]
    if lookup[material] != COSINE:
        return False
    at_normal = float(reflectance[material, 0])
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        facing = held_within(lanes_of(cosine, (start + sub,)), 0.0, 1.0)
        put_lanes(hit_out, (BACK, sub), converted(facing, np.float64) * at_normal)
    return True


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _reflect(
    # Scene: these are of SurfaceArrays
    first_row,
    material_of_row,
    reflectance,
    lookup,
    # In:
    cosine,
    instance,
    primitive,
    start,
    n_sub,
    # Out:
    hit_out,
):
    """Write the reflectivity at each sub-ray of a beam, 0 where it meets nothing.

    Materials are looked up once for all sub-rays on a triangle: most beams meet a few.
    """
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        at = start + sub
        of, triangle = lanes_of(instance, (at,)), lanes_of(primitive, (at,))
        left, others = bits_of(of != NOTHING), np.uint64(0)
        at_normal = converted(0.0, np.float64)
        while left != 0:
            ray = at + first_bit(left)
            same = (of == instance[ray]) & (triangle == primitive[ray])
            left &= ~bits_of(same)
            one = material_of_row[np.uint64(first_row[instance[ray]]) + np.uint64(primitive[ray])]
            if lookup[one] == COSINE:
                at_normal = select(same, float(reflectance[one, 0]), at_normal)
            else:
                others |= bits_of(same)
        facing = held_within(lanes_of(cosine, (at,)), 0.0, 1.0)
        back = at_normal * converted(facing, np.float64)
        put_lanes(hit_out, (BACK, sub), select(at_normal > 0.0, back, 0.0))
        while others != 0:
            lane = first_bit(others)
            others &= others - np.uint64(1)
            ray = at + lane
            one = material_of_row[np.uint64(first_row[instance[ray]]) + np.uint64(primitive[ray])]
            hit_out[BACK, sub + lane] = reflectivity_at(reflectance, lookup, one, cosine[ray])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _write_hits(
    # Sensor:
    step_m,
    root,
    # In:
    share,
    weight,
    range_m,
    start,
    n_sub,
    # In and out:
    hit,
    # Out:
    hit_index_out,
):
    """Write what comes back of each sub-ray, from where, and its signal.

    Return whether light comes back of one, whether of all, and whether more than white sends.
    The table of the signal is linear between its rows, as in `root_at`.
    """
    last, dark, whole, bright = len(root) - 1, True, True, False
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        at = start + sub
        own = converted(lanes_of(weight, (sub,)), np.float64)
        back = lanes_of(hit, (BACK, sub)) * own
        if share.shape[0] > 1:
            back *= converted(lanes_of(share, (at,)), np.float64)
        else:
            back *= share[0]
        lit = back > 0.0
        reach_m = select(lit, converted(lanes_of(range_m, (at,)), np.float64), 0.0)
        row = reach_m * (1.0 / step_m)
        row = select(row < last, row, last)
        low = converted(row, np.int32)
        low = select(low < last, low, last - 1)
        before, behind = gathered(root, low), gathered(root, low + 1)
        part = row - converted(low, np.float64)
        quiet = before + part * (behind - before)
        put_lanes(hit, (REACH, sub), reach_m)
        put_lanes(hit, (BACK, sub), select(lit, back, 0.0))
        put_lanes(hit, (SNR, sub), select(lit, back / (quiet * quiet), 0.0))
        put_lanes(hit_index_out, (RAY, sub), lane_numbers() + at)
        dark &= bits_of(lit) == 0
        whole &= bits_of(~lit) == 0
        bright |= bits_of(back > own) != 0
    return not dark, whole, bright


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _write_places(axis, left, up, fan, row, range_m, start, n_sub, place_out):
    """Write where the sub-rays of a beam end, relative to where the beam starts."""
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        reach_m = lanes_of(range_m, (start + sub,))
        along = reach_m * lanes_of(fan, (row, ALONG, sub))
        aside = reach_m * lanes_of(fan, (row, LEFT, sub)) + lanes_of(fan, (row, START_LEFT, sub))
        above = reach_m * lanes_of(fan, (row, UP, sub)) + lanes_of(fan, (row, START_UP, sub))
        for i in range(3):
            put_lanes(place_out, (i, sub), along * axis[i] + aside * left[i] + above * up[i])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _lone_ray(
    # Sensor:
    step_m,
    root,
    # Scene: these are of SurfaceArrays
    first_row,
    material_of_row,
    reflectance,
    lookup,
    # In:
    share,
    weight,
    range_m,
    cosine,
    instance,
    primitive,
    ray,
    # Out:
    hit_out,
    hit_index_out,
    part_out,
    part_index_out,
):
    """Make the component of a beam without a footprint; return how many there are, 1 or 0.

    Its place is the ray's own, to the last bit.
    """
    if instance[ray] == NOTHING:
        return 0
    row = np.uint64(first_row[instance[ray]]) + np.uint64(primitive[ray])
    back = _reflected(reflectance, lookup, material_of_row[row], cosine[ray])
    back = back * (share[ray] if share.shape[0] > 1 else share[0]) * weight[0]
    if not back > 0.0:
        return 0
    reach_m = float(range_m[ray])
    at = root_at(step_m, root, reach_m)
    hit_out[SNR, 0], hit_index_out[RAY, 0] = back / (at * at), ray
    part_out[PART_BACK, 0], part_out[PART_SNR, 0] = back, back / (at * at)
    part_out[MEAN, 0], part_out[VARIANCE, 0] = reach_m, 0.0
    part_index_out[FIRST, 0] = part_index_out[BEST, 0] = 0
    return 1


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
    sigma_r_m, sigma_h, sigma_v, cell_variance, point_scale, step_m, root, finds_valleys = borrowed(
        settings
    )
    first_row, material_of_row, reflectance, lookup = borrowed(surfaces)
    (
        origin_m, direction, fan, fan_of_beam, weight, range_m, normal, cosine, instance, primitive,
        share,
    ) = borrowed(rays)  # fmt: skip
    hit, hit_index, part, part_index, place = borrowed(memory)
    lost, found_out, seen_out = borrowed(lost), borrowed(found_out), borrowed(seen_out)
    n_sub, n_found = len(weight), 0
    for b in range(n_beam):
        seen_out[b] = 0
        if lost[first + b] if lost.shape[0] > 1 else lost[0]:
            continue
        beam = np.uint64(first + b)
        start = beam * np.uint64(n_sub)
        axis, left, up, _ = frame(beam, origin_m, direction)
        if n_sub == 1:
            n_part = _lone_ray(
                step_m, root, first_row, material_of_row, reflectance, lookup, share, weight,
                range_m, cosine, instance, primitive, start, hit, hit_index, part, part_index,
            )  # fmt: skip
        else:
            any_met, one_plane = _what_is_met(instance, primitive, start, n_sub)
            if not any_met:
                continue
            one_plane &= share.shape[0] == 1  # mirrors show one triangle in two places
            if not one_plane or not _reflect_one_triangle(
                first_row, material_of_row, reflectance, lookup, cosine, instance, primitive, start,
                n_sub, hit,
            ):  # fmt: skip
                _reflect(
                    first_row, material_of_row, reflectance, lookup, cosine, instance, primitive,
                    start, n_sub, hit,
                )  # fmt: skip
            any_lit, all_lit, bright = _write_hits(
                step_m, root, share, weight, range_m, start, n_sub, hit, hit_index
            )
            if not any_lit:
                continue
            one = first_within(n_sub, math.inf, hit)
            if not one_plane:
                _write_places(axis, left, up, fan, fan_of_beam[beam], range_m, start, n_sub, place)
                one_plane = is_one_plane(place, normal, range_m, start, n_sub, one, hit)
            n_part = 1
            seen_out[b] = BRIGHT if bright else 0
            if not (one_plane and all_lit):
                seen_out[b] |= MIXED
            if one_plane:
                join_all(n_sub, one, hit, hit_index, part, part_index)
            else:
                n_part = split(
                    normal, range_m, start, n_sub, sigma_r_m, hit, hit_index, place, part,
                    part_index,
                )  # fmt: skip
        for j in range(n_part):
            ray = np.uint64(hit_index[RAY, part_index[FIRST, j]])
            spread = spread_of_cell(normal, ray, axis, left, up, sigma_h, sigma_v)
            cell_m2 = min(cell_variance * (part[MEAN, j] * spread) ** 2, (WIDEST * sigma_r_m) ** 2)
            part[VARIANCE, j] = sigma_r_m**2 + point_scale * part[VARIANCE, j] + cell_m2
        n_found = find_maxima(
            finds_valleys, sigma_r_m, step_m, root, hit, hit_index, n_part, part_index, b,
            n_found, part, found_out,
        )  # fmt: skip
    return n_found
