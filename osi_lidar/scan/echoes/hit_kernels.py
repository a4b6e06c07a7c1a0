# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels that write the returns of a beam's sub-rays, sixteen sub-rays at a time.

The sub-rays of a beam are vector lanes. A sub-ray without a return has the signal 0. ``start`` is
the index of the beam's first sub-ray in arrays of all sub-rays, such as ``range_m``.
"""

from __future__ import annotations

import numpy as np

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
    least,
    most,
    put_lanes,
    select,
)
from material_mapping.kernels import MATT, SMOOTH, reflectivity_at, root_at
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
)
from raycore.pattern.fan_kernels import ALONG, LEFT, START_LEFT, START_UP, UP
from raycore.records import NOTHING


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def reflected(reflectance, lookup, material, cosine):
    """Return the reflectivity [1] of one hit, by its material and cosine of incidence.

    The result is that of `reflectivity_at`, but matt materials, the most frequent ones, are
    handled here. It is 0 if the surface is hit from behind (cosine <= 0 or NaN).

    Parameters
    ----------
    reflectance : float32 (n_material, 91)
        Reflectivity of each material at 0, 1, .. 90 deg of incidence. [1]
    lookup : uint8 (n_material,)
        How to interpolate each row of ``reflectance``, such as `MATT`.
    material : int
        Row of the material in both tables.
    cosine : float
        Cosine of the angle of incidence.
    """
    if lookup[material] != MATT or not cosine > 0.0:
        return reflectivity_at(reflectance, lookup, material, cosine)
    facing = min(float(cosine), 1.0)
    at_normal, at_grazing = float(reflectance[material, 0]), float(reflectance[material, -1])
    return at_normal * facing + at_grazing * (1.0 - facing * facing)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def what_is_met(instance, primitive, start, n_sub):
    """Return what the sub-rays of a beam have in common, as three bools.

    They say whether at least one sub-ray hits anything, whether all sub-rays hit the same mesh
    instance, and whether all hit the same triangle of it. If none hits anything, all are False.

    Parameters
    ----------
    instance, primitive : uint32 (n_ray,)
        Mesh instance and triangle that each ray of all beams hits; the instance is `NOTHING`
        without a hit.
    start : int
        Row of the beam's first sub-ray.
    n_sub : int
        Number of sub-rays of the beam.
    """
    one, row = instance[start], primitive[start]
    missed, one_instance, one_row = True, one != NOTHING, True
    for chunk in range(0, n_sub, N_LANES):
        at = start + np.uint64(chunk)
        of = lanes_of(instance, (at,))
        missed &= bits_of(of != NOTHING) == 0
        one_instance &= bits_of(of != one) == 0
        one_row &= bits_of(lanes_of(primitive, (at,)) != row) == 0
    return not missed, one_instance, one_instance and one_row


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def reflect_one_triangle(
    # Scene: these are of fused_kernels.SurfaceArrays
    first_row,
    material_of_row,
    reflectance,
    lookup,
    # In:
    cosine,  # this and the next two are of waveform_kernels.SubRayArrays
    instance,
    primitive,
    start,  # row of the beam's first sub-ray
    n_sub,  # number of sub-rays of the beam
    # Out:
    hit_out,  # see component_kernels.new_beam
):
    """Write the reflectivities of a beam whose sub-rays all hit one triangle; return whether done.

    If the material is matt or `SMOOTH` (see `material_mapping.response.Lookup`), this writes them
    and returns True. Otherwise it writes nothing and returns False: `reflect` has to be called.
    `reflect` would write the same for a matt triangle, and nearly the same for a smooth one. Half
    of a street's beams are on one triangle; this saves 3 % of the echo search.

    Parameters
    ----------
    first_row, material_of_row, reflectance, lookup
        The materials of the scene, see `SurfaceArrays`.
    cosine, instance, primitive : float32, uint32, uint32 (n_ray,)
        Cosine of incidence, mesh instance and triangle at the hit of each ray of all beams.
    start, n_sub : int
        Row of the beam's first sub-ray in these arrays, and number of its sub-rays.
    hit_out : float64 (3, n)
        Output: the reflectivity of each sub-ray's hit, in the row `BACK`. [1]
    """
    material = material_of_row[np.uint64(first_row[instance[start]]) + np.uint64(primitive[start])]
    if lookup[material] == SMOOTH:
        _reflect_smoothly((reflectance, lookup), material, cosine, start, n_sub, hit_out)
        return True
    if lookup[material] != MATT:
        return False
    at_normal, at_grazing = float(reflectance[material, 0]), float(reflectance[material, -1])
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        facing = converted(held_within(lanes_of(cosine, (start + sub,)), 0.0, 1.0), np.float64)
        back = facing * at_normal + (1.0 - facing * facing) * at_grazing
        put_lanes(hit_out, (BACK, sub), select(facing > 0.0, back, 0.0))
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _reflect_smoothly(materials, material, cosine, start, n_sub, hit_out):
    """Write the reflectivity at all sub-rays, interpolated between their extreme cosines."""
    reflectance, lookup = materials
    low, high = np.float32(1.0), np.float32(0.0)
    for chunk in range(0, n_sub, N_LANES):
        facing = held_within(lanes_of(cosine, (start + np.uint64(chunk),)), 0.0, 1.0)
        low, high = min(low, least(facing)), max(high, most(facing))
    at_low, slope = reflectivity_at(reflectance, lookup, material, low), 0.0
    if high > low:
        slope = (reflectivity_at(reflectance, lookup, material, high) - at_low) / (high - low)
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        facing = converted(held_within(lanes_of(cosine, (start + sub,)), 0.0, 1.0), np.float64)
        put_lanes(hit_out, (BACK, sub), at_low + (facing - float(low)) * slope)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def reflect(
    # Scene: these are of fused_kernels.SurfaceArrays
    first_row,
    material_of_row,
    reflectance,
    lookup,
    # In:
    cosine,  # this and the next two are of waveform_kernels.SubRayArrays
    instance,
    primitive,
    start,  # row of the beam's first sub-ray
    n_sub,  # number of sub-rays of the beam
    # Out:
    hit_out,  # see component_kernels.new_beam
):
    """Write the reflectivity at the hit of each sub-ray of a beam, at its cosine of incidence.

    Materials are looked up once for all sub-rays on a triangle: most beams meet few triangles.

    Parameters
    ----------
    first_row, material_of_row, reflectance, lookup
        The materials of the scene, see `SurfaceArrays`.
    cosine, instance, primitive : float32, uint32, uint32 (n_ray,)
        Cosine of incidence, mesh instance and triangle at the hit of each ray of all beams. The
        instance is `NOTHING` without a hit.
    start, n_sub : int
        Row of the beam's first sub-ray in these arrays, and number of its sub-rays.
    hit_out : float64 (3, n)
        Output: the reflectivity of each sub-ray's hit, in the row `BACK`; 0 without a hit. [1]
    """
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        at = start + sub
        of, triangle = lanes_of(instance, (at,)), lanes_of(primitive, (at,))
        left, others = bits_of(of != NOTHING), np.uint64(0)
        at_normal = at_grazing = converted(0.0, np.float64)
        while left != 0:
            ray = at + first_bit(left)
            same = (of == instance[ray]) & (triangle == primitive[ray])
            left &= ~bits_of(same)
            one = material_of_row[np.uint64(first_row[instance[ray]]) + np.uint64(primitive[ray])]
            if lookup[one] == MATT:
                at_normal = select(same, float(reflectance[one, 0]), at_normal)
                at_grazing = select(same, float(reflectance[one, -1]), at_grazing)
            else:
                others |= bits_of(same)
        facing = converted(held_within(lanes_of(cosine, (at,)), 0.0, 1.0), np.float64)
        back = at_normal * facing + at_grazing * (1.0 - facing * facing)
        lit = (at_normal > 0.0) & (facing > 0.0)
        put_lanes(hit_out, (BACK, sub), select(lit, back, 0.0))
        while others != 0:
            lane = first_bit(others)
            others &= others - np.uint64(1)
            ray = at + lane
            one = material_of_row[np.uint64(first_row[instance[ray]]) + np.uint64(primitive[ray])]
            hit_out[BACK, sub + lane] = reflectivity_at(reflectance, lookup, one, cosine[ray])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def write_hits(
    # Sensor:
    step_m,  # see waveform_kernels.WaveformSettings
    root,  # air_root of these settings
    # In:
    share,  # this and the next two are of waveform_kernels.SubRayArrays
    weight,
    range_m,
    start,  # row of the beam's first sub-ray
    n_sub,  # number of sub-rays of the beam
    # In and out:
    hit,  # see component_kernels.new_beam
    # Out:
    hit_index_out,  # likewise
):
    """Write range, light and SNR of each sub-ray of a beam; return three bools.

    They say whether light comes back on any sub-ray, whether it does on all, and whether on any
    more comes back than from a white wall.

    Parameters
    ----------
    step_m, root : float, float64 (n,)
        Table of q(r) in range steps of ``step_m``, as in `root_at`: the SNR is light / q(r)^2.
    share : float32 (n_ray | 0,)
        Share of each ray's light that passes panes and mirrors; no rows: 1 for all.
    weight : float32 (n_sub,)
        Part of the beam's light on each of its sub-rays.
    range_m : float32 (n_ray,)
        Range of the hit of each ray of all beams. [m]
    start, n_sub : int
        Row of the beam's first sub-ray in ``share`` and ``range_m``, and number of its sub-rays.
    hit : float64 (3, n)
        In: the reflectivity of each hit, in the row `BACK`. Out: there the light, which is
        reflectivity times ``weight`` times ``share``, and in the rows `REACH` and `SNR` range [m]
        and SNR. All are 0 for sub-rays without light.
    hit_index_out : uint32 (4, n)
        Output: index of each sub-ray among the rays of all beams, in the row `RAY`.
    """
    last, dark, whole, bright = len(root) - 1, True, True, False
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        at = start + sub
        own = converted(lanes_of(weight, (sub,)), np.float64)
        back = lanes_of(hit, (BACK, sub)) * own
        if share.shape[0] > 0:
            back *= converted(lanes_of(share, (at,)), np.float64)
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
def write_places(axis, left, up, fan, row, range_m, start, n_sub, place_out):
    """Write the end points of a beam's sub-rays, relative to the point where the beam starts.

    Parameters
    ----------
    axis, left, up : (float, float, float)
        Unit vectors along the beam, to its left and upwards, in the sensor frame.
    fan, row : float32 (n_fan, 5, n_sub), int
        Directions and starts of sub-rays along these vectors, and the row that holds for the beam.
    range_m, start, n_sub : float32 (n_ray,), int, int
        Ranges of all rays [m], the row of the beam's first sub-ray, and number of its sub-rays.
    place_out : float32 (4, n_sub)
        Output: x, y and z of each end point, in the rows 0 to 2, in the sensor frame. [m]
    """
    for chunk in range(0, n_sub, N_LANES):
        sub = np.uint64(chunk)
        reach_m = lanes_of(range_m, (start + sub,))
        along = reach_m * lanes_of(fan, (row, ALONG, sub))
        aside = reach_m * lanes_of(fan, (row, LEFT, sub)) + lanes_of(fan, (row, START_LEFT, sub))
        above = reach_m * lanes_of(fan, (row, UP, sub)) + lanes_of(fan, (row, START_UP, sub))
        for i in range(3):
            put_lanes(place_out, (i, sub), along * axis[i] + aside * left[i] + above * up[i])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def lone_ray(
    # Sensor:
    step_m,  # see waveform_kernels.WaveformSettings
    root,  # air_root of these settings
    # Scene: these are of fused_kernels.SurfaceArrays
    first_row,
    material_of_row,
    reflectance,
    lookup,
    # In:
    share,  # this and the next five are of waveform_kernels.SubRayArrays
    weight,
    range_m,
    cosine,
    instance,
    primitive,
    ray,  # row of the beam's only ray
    # Out:
    hit_out,  # this and the next three: see component_kernels.new_beam
    hit_index_out,
    part_out,
    part_index_out,
):
    """Write the hit and the component of a beam that is a single ray; return 1.

    A component is a Gaussian of the beam's waveform; this one has exactly the range of the ray. If
    no light comes back, return 0 and write nothing.

    Parameters
    ----------
    step_m, root : float, float64 (n,)
        Table of q(r), which gives the SNR, as in `root_at`.
    first_row, material_of_row, reflectance, lookup
        The materials of the scene, see `SurfaceArrays`.
    share, weight, range_m, cosine, instance, primitive
        Columns of the rays and their hits, see `SubRayArrays`; ``cosine`` is ``cos_incidence``.
    ray : int
        Row of the ray in these columns.
    hit_out, hit_index_out, part_out, part_index_out
        Output: arrays as in `new_beam`. In column 0, these rows are written: `SNR`, `RAY`,
        `PART_BACK` to `VARIANCE` (the variance is 0), `FIRST` and `BEST` (both 0).
    """
    if instance[ray] == NOTHING:
        return 0
    row = np.uint64(first_row[instance[ray]]) + np.uint64(primitive[ray])
    back = reflected(reflectance, lookup, material_of_row[row], cosine[ray])
    back = back * (share[ray] if share.shape[0] > 0 else np.float32(1.0)) * weight[0]
    if not back > 0.0:
        return 0
    reach_m = float(range_m[ray])
    at = root_at(step_m, root, reach_m)
    hit_out[SNR, 0], hit_index_out[RAY, 0] = back / (at * at), ray
    part_out[PART_BACK, 0], part_out[PART_SNR, 0] = back, back / (at * at)
    part_out[MEAN, 0], part_out[VARIANCE, 0] = reach_m, 0.0
    part_index_out[FIRST, 0] = part_index_out[BEST, 0] = 0
    return 1
