# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of the sensor model: which hits return, and what a point says.

They run over blocks of beams, of which threads take one after the other as in
`raycore.trace.trace_kernels`. A block's points stand together, so that the threads can write them
without waiting for each other, in the order of the beams.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from lidar_base.block_kernels import BLOCK, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.memory_kernels import copy_rows, prefetch_to_write, running_total
from material_mapping.kernels import (
    COSINE,
    DEGREES_PER_RADIAN,
    EDGE_DEG,
    LAST_DEGREE,
    in_reach,
    reflectivity_at,
)
from raycore.records import NOTHING


@njit(cache=True, nogil=True, inline="always")
def _look_up_materials(
    # Scene, materials: as find_returns
    first_row,
    material_of_row,
    reflectance,
    lookup,
    # In: n beams from the first on
    first,
    n,
    instance,
    primitive,
    # Out:
    material_out,
    at_normal_out,  # float64 (n,) reflectivity at normal incidence, 0 where nothing is hit
):
    """Look up the material of each hit; return whether one is not Lambertian."""
    kinds = np.uint8(COSINE)
    for i in range(n):
        row, beam = np.uint64(i), np.uint64(first + i)
        at_normal_out[row] = 0.0
        if instance[beam] != NOTHING:
            primitive_row = np.uint64(first_row[instance[beam]]) + np.uint64(primitive[beam])
            material = material_of_row[primitive_row]
            material_out[beam] = material
            at_normal_out[row] = reflectance[material, 0]
            kinds |= lookup[material]
    return kinds != COSINE


@njit(cache=True, nogil=True, parallel=True)
def find_returns(
    # Scene:
    first_row,  # int64 (n_instance,) where the rows of an instance's mesh start
    material_of_row,  # uint16 (n_row,) by Embree's primitive
    # Materials:
    reflectance,  # float32 (n_material, 91)
    lookup,  # uint8 (n_material,)
    # Sensor:
    min_range_m,
    range_limit,  # tuple, see RangeLimit.kernel_arguments
    limit_bounds_m,  # see RangeLimit.kernel_bounds
    # In: which blocks are to be looked at, the others stay; and a row for each beam
    changed,  # bool (n_block,)
    instance,
    primitive,
    range_m,
    cos_incidence,
    share,  # float32 (n_beam | 1,) of the light that comes back through panes before the hit
    lost,  # bool (n_beam | 1,) beams of which nothing is reported
    n_workers,
    # Out:
    count_out,  # int64 (n_block,) returns of each block
    start_out,  # int64 (n_block + 1,) returns of all blocks before it
    material_out,  # uint16 (n_beam,), undefined where nothing returns
    reflectivity_out,  # float32 (n_beam,), -1 where nothing returns
):
    """Look up what each hit sends back, and whether the sensor sees it.

    Lambertian surfaces come first, all at once: R = R(0) cos(incidence). Hits of materials of any
    other kind, where a block of beams has some, are then looked up one by one.
    """
    deal = new_deal()
    for _ in prange(n_workers):
        reflectivity = np.empty(BLOCK, np.float64)
        while True:
            block = take_block(deal)
            if block >= count_out.shape[0]:
                break
            if not changed[block]:
                continue
            first = block * BLOCK
            n = min(first + BLOCK, len(instance)) - first
            others = _look_up_materials(
                first_row, material_of_row, reflectance, lookup, first, n, instance, primitive,
                material_out, reflectivity,
            )  # fmt: skip
            for i in range(n):
                row, beam = np.uint64(i), np.uint64(first + i)
                cosine = cos_incidence[beam] if cos_incidence[beam] > 0.0 else np.float32(0.0)
                reflectivity[row] *= min(cosine, 1.0)
            if others:
                for i in range(n):
                    row, beam = np.uint64(i), np.uint64(first + i)
                    if instance[beam] != NOTHING and lookup[material_out[beam]] != COSINE:
                        reflectivity[row] = reflectivity_at(
                            reflectance, lookup, material_out[beam], cos_incidence[beam]
                        )
            count = 0
            for i in range(n):
                row, beam = np.uint64(i), np.uint64(first + i)
                back = reflectivity[row] * (share[beam] if share.shape[0] > 1 else share[0])
                reflectivity_out[beam] = -1.0
                if (
                    back > 0.0
                    and not (lost[beam] if lost.shape[0] > 1 else lost[0])
                    and range_m[beam] >= min_range_m
                    and in_reach(range_limit, limit_bounds_m, back, range_m[beam])
                ):
                    reflectivity_out[beam] = back
                    count += 1
            count_out[block] = count
    running_total(count_out, start_out)


@njit(cache=True, nogil=True, parallel=True)
def write_points(
    # Sensor:
    origin,  # float32 (n_beam | 1, 3) where the range of a beam counts from [m]
    direction,  # float32 (n_beam, 3)
    ring,  # uint16 (n_beam,)
    column,  # uint32 (n_beam,)
    time_ns,  # uint32 (n_beam | 0,)
    # Scene:
    object_of_instance,  # uint64 (n_instance,)
    # In: a row for each beam, and what find_returns said of it
    range_m,
    normal,
    instance,
    material,
    reflectivity,
    start_of_block,  # int64 (n_block + 1,) row of its first point
    # In: where the points of blocks that have not changed are copied from
    changed,  # bool (n_block,)
    old_start_of_block,
    old_points,
    old_beam,
    old_object,
    n_workers,
    # Out: one row per return
    points_out,
    time_out,  # their time_ns, where there is one
    beam_out,
    object_out,
):
    """Write the points of all returns, in the order of their beams."""
    deal = new_deal()
    for _ in prange(n_workers):
        while True:
            block = take_block(deal)
            if block >= changed.shape[0]:
                break
            r = start_of_block[block]
            if not changed[block]:
                n, old = start_of_block[block + 1] - r, old_start_of_block[block]
                copy_rows(points_out, r, old_points, old, n)
                copy_rows(beam_out, r, old_beam, old, n)
                copy_rows(object_out, r, old_object, old, n)
                continue
            points_at = points_out.ctypes.data
            for b in range(block * BLOCK, min((block + 1) * BLOCK, len(range_m))):
                beam = np.uint64(b)
                if reflectivity[beam] < 0.0:
                    continue
                row = np.uint64(r)
                prefetch_to_write(points_at + r * points_out.itemsize)
                r += 1
                o = beam if origin.shape[0] > 1 else np.uint64(0)
                distance = range_m[beam]
                point = points_out[row]
                point.x = origin[o, 0] + distance * direction[beam, 0]
                point.y = origin[o, 1] + distance * direction[beam, 1]
                point.z = origin[o, 2] + distance * direction[beam, 2]
                point.intensity = min(100.0 * reflectivity[beam], 100.0)
                point.reflectivity = reflectivity[beam]
                point.normal_x = normal[0, beam]
                point.normal_y = normal[1, beam]
                point.normal_z = normal[2, beam]
                point.range = distance
                point.ring = ring[beam]
                point.column = column[beam]
                object_id = object_of_instance[instance[beam]]
                point.object_id = object_id
                point.material_id = material[beam]
                if len(time_ns) > 0:
                    time_out[row] = time_ns[beam]
                beam_out[row] = beam
                object_out[row] = object_id


@njit(cache=True, nogil=True, parallel=True)
def send_on(
    # Scene:
    first_row,  # see find_returns
    material_of_row,
    # Materials:
    sends_some_on,  # bool (n_material,)
    transmittance,  # float32 (n_material, 91) of the light that goes straight on
    mirrored,  # float32 (n_material, 91) of the light that goes on in the mirror's direction
    # In: a row for each ray
    instance,
    primitive,
    cos_incidence,
    # Out:
    share_out,  # float32 (n_ray,) 0 where the ray ends
    mirrored_out,  # bool (n_ray,)
):
    """Tell which share of the light goes on from each hit, straight where that can be."""
    for ray in prange(len(instance)):
        share_out[ray], mirrored_out[ray] = 0.0, False
        if instance[ray] == NOTHING:
            continue
        material = material_of_row[first_row[instance[ray]] + primitive[ray]]
        if not sends_some_on[material]:
            continue
        # a bin begins at its edge, also where a float32 cosine falls just short of it
        degree = int(math.acos(float(cos_incidence[ray])) * DEGREES_PER_RADIAN + EDGE_DEG)
        degree = min(degree, LAST_DEGREE)
        passes, bounces = transmittance[material, degree], mirrored[material, degree]
        share_out[ray] = passes if passes > 0.0 else bounces
        mirrored_out[ray] = passes == 0.0 and bounces > 0.0
