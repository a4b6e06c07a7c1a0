# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of the sensor model: which hits return, and what a point says.

They run over blocks of beams, dealt out in turn to the threads as in `raycore.kernels`. A block's
points stand together, so that the threads can write them without waiting for each other, in the
order of the beams.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from material_mapping.kernels import (
    DEGREES_PER_RADIAN,
    EDGE_DEG,
    LAST_DEGREE,
    range_limit_at,
    reflectivity_at,
)
from osi_bridge.detection_kernels import copy_memory
from raycore.compiled import njit
from raycore.kernels import BLOCK
from raycore.records import NOTHING


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
    # In: which blocks are to be looked at, the others stay; and a row for each beam
    changed,  # bool (n_block,)
    instance,
    primitive,
    range_m,
    cos_incidence,
    share,  # float32 (n_beam | 1,) of the light that comes back through panes before the hit
    n_workers,
    # Out:
    count_out,  # int64 (n_block,) returns of each block
    material_out,  # uint16 (n_beam,), undefined where nothing returns
    reflectivity_out,  # float32 (n_beam,), -1 where nothing returns
):
    """Look up what each hit sends back, and whether the sensor sees it."""
    until_percent, pieces, cap_m = range_limit
    for worker in prange(n_workers):
        for block in range(worker, count_out.shape[0], n_workers):
            if not changed[block]:
                continue
            count = 0
            for b in range(block * BLOCK, min((block + 1) * BLOCK, len(instance))):
                beam = np.uint64(b)
                reflectivity_out[beam] = -1.0
                if instance[beam] == NOTHING or range_m[beam] < min_range_m:
                    continue
                material = material_of_row[first_row[instance[beam]] + primitive[beam]]
                reflectivity = reflectivity_at(reflectance, lookup, material, cos_incidence[beam])
                reflectivity *= share[beam] if share.shape[0] > 1 else share[0]
                limit_m = range_limit_at(until_percent, pieces, cap_m, reflectivity)
                if range_m[beam] <= limit_m:
                    material_out[beam] = material
                    reflectivity_out[beam] = reflectivity
                    count += 1
            count_out[block] = count


@njit(cache=True, nogil=True, inline="always")
def copy_rows(to, to_row, from_, from_row, n_rows):
    """Copy some rows of a contiguous array to another one of the same type."""
    size = to.itemsize
    target, source = to.ctypes.data + to_row * size, from_.ctypes.data + from_row * size
    copy_memory(target, source, n_rows * size)


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
    for worker in prange(n_workers):
        for block in range(worker, changed.shape[0], n_workers):
            r = start_of_block[block]
            if not changed[block]:
                n, old = start_of_block[block + 1] - r, old_start_of_block[block]
                copy_rows(points_out, r, old_points, old, n)
                copy_rows(beam_out, r, old_beam, old, n)
                copy_rows(object_out, r, old_object, old, n)
                continue
            for b in range(block * BLOCK, min((block + 1) * BLOCK, len(range_m))):
                beam = np.uint64(b)
                if reflectivity[beam] < 0.0:
                    continue
                row = np.uint64(r)
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
def to_spherical(
    # In:
    points,  # rows with x, y, z [m]
    # Out:
    distance_out,  # float64 (n_point,) [m]
    azimuth_out,  # float64 (n_point,) [rad]
    elevation_out,  # float64 (n_point,) [rad]
):
    """Write distance, azimuth and elevation of points as seen from the sensor."""
    for row in prange(len(points)):
        x = np.float64(points[row].x)
        y = np.float64(points[row].y)
        z = np.float64(points[row].z)
        across = math.hypot(x, y)
        distance_out[row] = math.hypot(across, z)
        azimuth_out[row] = math.atan2(y, x)
        elevation_out[row] = math.atan2(z, across)


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
