# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of the sensor model: which hits return, and what a point says."""

from __future__ import annotations

from numba import njit, prange

from material_mapping.kernels import range_limit_at, reflectivity_at

BLOCK = 4096
"""Hits of one block: the unit of work that a thread takes."""


@njit(cache=True, nogil=True, parallel=True)
def find_returns(
    # Materials:
    first_slot,  # int64 (n_mesh,) where a mesh's slots start in material_of_slot
    material_of_slot,  # uint16 (n_slot of all meshes,)
    reflectance,  # float32 (n_material, 91)
    lookup,  # uint8 (n_material,)
    # Sensor:
    min_range_m,
    range_limit,  # tuple, see RangeLimit.kernel_arguments
    # In: hits
    mesh,
    slot,
    range_m,
    cos_incidence,
    share,  # float32 (n_hit | 1,) of the light that comes back through panes before the hit
    # Out:
    count_out,  # int64 (n_block,) returns of each block
    material_out,  # uint16 (n_hit,)
    reflectivity_out,  # float32 (n_hit,), -1 where nothing returns
):
    """Look up what each hit sends back, and whether the sensor sees it."""
    until_percent, pieces, cap_m = range_limit
    for block in prange(count_out.shape[0]):
        count = 0
        for hit in range(block * BLOCK, min((block + 1) * BLOCK, len(mesh))):
            material = material_of_slot[first_slot[mesh[hit]] + slot[hit]]
            material_out[hit] = material
            reflectivity_out[hit] = -1.0
            if range_m[hit] < min_range_m:
                continue
            reflectivity = reflectivity_at(reflectance, lookup, material, cos_incidence[hit])
            reflectivity *= share[hit] if share.shape[0] > 1 else share[0]
            limit_m = range_limit_at(until_percent, pieces, cap_m, reflectivity)
            if range_m[hit] <= limit_m:
                reflectivity_out[hit] = reflectivity
                count += 1
        count_out[block] = count


@njit(cache=True, nogil=True, parallel=True)
def write_points(
    # Sensor:
    origin,  # float32 (n_beam | 1, 3) where the range of a beam counts from [m]
    direction,  # float32 (n_beam, 3)
    ring,  # uint16 (n_beam,)
    column,  # uint32 (n_beam,)
    # Scene:
    object_of_instance,  # uint64 (n_instance,)
    # In: hits, and what find_returns said of them
    beam,
    range_m,
    normal,
    instance,
    material,
    reflectivity,
    start_of_block,
    # Out: one row per return
    points_out,
    beam_out,
    object_out,
):
    """Write the points of all returns, in the order of their beams."""
    for block in prange(start_of_block.shape[0]):
        row = start_of_block[block]
        for hit in range(block * BLOCK, min((block + 1) * BLOCK, len(beam))):
            if reflectivity[hit] < 0.0:
                continue
            b = beam[hit]
            r = range_m[hit]
            o = b if origin.shape[0] > 1 else 0
            point = points_out[row]
            point.x = origin[o, 0] + r * direction[b, 0]
            point.y = origin[o, 1] + r * direction[b, 1]
            point.z = origin[o, 2] + r * direction[b, 2]
            point.intensity = min(100.0 * reflectivity[hit], 100.0)
            point.reflectivity = reflectivity[hit]
            point.normal_x = normal[hit, 0]
            point.normal_y = normal[hit, 1]
            point.normal_z = normal[hit, 2]
            point.range = r
            point.ring = ring[b]
            point.column = column[b]
            object_id = object_of_instance[instance[hit]]
            point.object_id = object_id
            point.material_id = material[hit]
            beam_out[row] = b
            object_out[row] = object_id
            row += 1
