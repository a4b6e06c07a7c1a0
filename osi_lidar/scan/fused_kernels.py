# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of the fused executor: which hits give an echo, and the points of the echoes.

An idle thread takes the next block of beams. The points of a block are contiguous, in the order of
their beams, so that threads write without waiting for each other. Arrays are taken out of their
named tuples once per block: each time, numba counts a reference, for which threads wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray  # noqa: TC002  named tuples are read by numba

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.memory_kernels import (
    borrowed,
    copy_rows,
    prefetch_to_write,
    record_at,
    running_total,
)
from material_mapping.kernels import MATT, bounds_row, range_limit_at, reflectivity_at
from osi_lidar.clouds.row_kernels import HEAD, TIME, write_ids
from osi_lidar.scan.texture_kernels import gain_at
from raycore.records import NOTHING

if TYPE_CHECKING:
    from lidar_scenery.surfaces import Surfaces
    from material_mapping import MaterialTable


class SurfaceArrays(NamedTuple):
    """Material of each triangle in a scene, and the materials' reflectivity by incidence angle.

    ``material_of_row``, uint16 (n_row,), is the material of triangle k of mesh instance i, in the
    row ``first_row[i] + k``; ``first_row`` is int64 (n_instance,). ``reflectance``, float32
    (n_material, 91), is for 0 .. 90 deg; ``lookup``, uint8 (n_material,), has a `Lookup` for each.
    """

    first_row: object  # int64 (n_instance,) row of the first triangle of an instance's mesh
    material_of_row: object  # uint16 (n_row,) the row of a triangle is first_row + its primitive
    reflectance: object  # float32 (n_material, 91) by incidence from 0 to 90 deg
    lookup: object  # uint8 (n_material,) kind of material, such as material_mapping.kernels.MATT

    @classmethod
    def of(cls, surfaces: Surfaces, table: MaterialTable) -> SurfaceArrays:
        """Return the arrays of a scene's look-up tables, ``surfaces``, and materials, ``table``."""
        return cls(
            surfaces.first_row_of_instance,
            surfaces.material_of_row,
            table.reflectance,
            table.lookup,
        )


class ReceiverArrays(NamedTuple):
    """Nearest range ``min_range_m``, and farthest range by reflectivity, at which a sensor detects.

    ``until_percent``, ``pieces`` and ``cap_m`` are `RangeLimit.kernel_arguments`, and
    ``limit_bounds_m`` is `RangeLimit.kernel_bounds`.
    """

    min_range_m: float  # smallest range at which a surface is detected
    until_percent: object  # these three: see range_limit.RangeLimit.kernel_arguments
    pieces: object
    cap_m: float
    limit_bounds_m: object  # see range_limit.RangeLimit.kernel_bounds


class BeamArrays(NamedTuple):
    """The beams of a scan pattern in the sensor frame: arrays with a row for each, for kernels.

    ``origin_m``, float32 (n_beam | 1, 3), is where ranges count from; ``direction``, float32
    (n_beam, 3), has unit vectors. ``ring``, uint16, is the laser, ``column``, uint32, its place in
    the turn, and ``time_ns``, uint32 (n_beam | 0,), the firing time after the start of the scan.
    """

    origin_m: object  # float32 (n_beam | 1, 3) where the range of a beam counts from
    direction: object  # float32 (n_beam, 3) unit vectors
    ring: object  # uint16 (n_beam,)
    column: object  # uint32 (n_beam,)
    time_ns: object  # uint32 (n_beam | 0,) after the start of the scan; none if points have no time


class ReturnArrays(NamedTuple):
    """The light that comes back on each beam, as arrays of (n_beam,) for kernels.

    ``strength``, float32, is reflectivity times the share that passes panes. ``material``, uint16,
    is the material's index, undefined without a hit. ``is_echo``, bool: whether it is reported.
    """

    strength: NDArray[
        np.float32
    ]  # float32 (n_beam,) before the receiver, undefined where nothing is hit
    material: NDArray[np.uint16]  # uint16 (n_beam,), undefined where nothing is hit
    is_echo: NDArray[np.bool_]  # bool (n_beam,)


class PointArrays(NamedTuple):
    """The points of a cloud, as arrays for kernels.

    ``points``, uint8 (n_point, n_byte), has the bytes of each point, ``places``, `RowPlaces`, the
    places of fields in them, ``beam``, uint32, the index of its beam, ``object_id``, uint64, its
    OSI object.
    """

    points: object  # uint8 (n_point, n_byte) rows of cloud.point_type
    places: object  # see row_kernels.RowPlaces
    beam: object  # uint32 (n_point,)
    object_id: object  # uint64 (n_point,)


@njit(cache=True, nogil=True, inline="always")
def _look_up_materials(
    # Scene:
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
    at_grazing_out,  # float64 (n,) the same at 90 deg
):
    """Look up the material of each hit; return whether one is not matt."""
    kinds = np.uint8(MATT)
    for i in range(n):
        row, beam = np.uint64(i), np.uint64(first + i)
        at_normal_out[row] = at_grazing_out[row] = 0.0
        if instance[beam] != NOTHING:
            primitive_row = np.uint64(first_row[instance[beam]]) + np.uint64(primitive[beam])
            material = material_of_row[primitive_row]
            material_out[beam] = material
            at_normal_out[row] = reflectance[material, 0]
            at_grazing_out[row] = reflectance[material, -1]
            kinds |= lookup[material]
    return kinds != MATT


@njit(cache=True, nogil=True, threads=True)
def reflect_and_receive(
    # Scene:
    surfaces,  # see SurfaceArrays
    texture,  # see texture_kernels.TextureArrays
    # Sensor:
    receiver,  # see ReceiverArrays
    # In: blocks to compute, all others stay as they are; and a row for each beam
    changed,  # bool (n_block,)
    hits,  # see records.HitArrays
    share,  # float32 (n_beam | 0,) of the light that comes back through panes before the hit
    lost,  # bool (n_beam | 1,) beams of which nothing is reported
    n_workers,
    # Out:
    count_out,  # int64 (n_block,) echoes of each block
    start_out,  # int64 (n_block + 1,) echoes of all blocks before it
    returns_out,  # see ReturnArrays
):
    """Compute the strength of the light from each beam's hit, and whether the receiver reports it.

    ``surfaces`` is `SurfaceArrays`, ``texture`` `TextureArrays`, ``receiver`` `ReceiverArrays`, and
    ``hits`` `HitArrays`. Only blocks of `BLOCK` beams with ``changed``, bool (n_block,), are
    computed; others keep ``count_out`` and ``returns_out``. ``share``, float32 (n_beam | 0,), is
    the share of light that passes panes and mirrors; ``lost``, bool (n_beam | 1,): not reported.
    ``n_workers`` threads work. Outputs: ``count_out``, echoes of each block; ``start_out``, echoes
    before each block, then all; ``returns_out``, `ReturnArrays`. The range limit is applied before
    rounding to float32.
    """
    in_threads(
        _reflect_blocks,
        n_workers,
        (
            new_deal(), surfaces, texture, receiver, changed, hits, share, lost, count_out,
            returns_out,
        ),
    )  # fmt: skip
    running_total(count_out, start_out)


@njit(cache=True, nogil=True, error_model="numpy")
def _reflect_blocks(
    deal, surfaces, texture, receiver, changed, hits, share, lost, count_out, returns_out
):
    """Process one changed block after the other; the arguments as for `reflect_and_receive`."""
    reflectivity, at_grazing = np.empty(BLOCK), np.empty(BLOCK)
    while True:
        block = take_block(deal)
        if block >= count_out.shape[0]:
            break
        if changed[block]:
            first = block * BLOCK
            n = min(first + BLOCK, len(hits.instance)) - first
            _reflect_block(surfaces, hits, first, n, at_grazing, reflectivity, returns_out.material)
            if texture.rows.shape[0] > 0:
                _vary_block(texture, hits, first, n, returns_out.material, reflectivity)
            count_out[block] = _receive_block(
                receiver, hits, share, lost, first, n, reflectivity, returns_out
            )


@njit(cache=True, nogil=True, error_model="numpy")
def _reflect_block(
    # Scene:
    surfaces,
    # In:
    hits,
    first,
    n,
    # Work:
    at_grazing,  # float64 (n | more,)
    # Out:
    reflectivity_out,  # float64 (n | more,) 0 where nothing is hit
    material_out,
):
    """Look up the reflectivity and the material of each hit of a block.

    All hits get R = R(0) cos(incidence) + R(90) sin^2(incidence); then others are looked up.
    """
    first_row, material_of_row, reflectance, lookup = surfaces
    cos_incidence, instance = hits.cos_incidence, hits.instance
    others = _look_up_materials(
        first_row, material_of_row, reflectance, lookup, first, n, instance, hits.primitive,
        material_out, reflectivity_out, at_grazing,
    )  # fmt: skip
    for i in range(n):
        row, beam = np.uint64(i), np.uint64(first + i)
        cosine = min(np.float64(cos_incidence[beam]), 1.0)
        back = reflectivity_out[row] * cosine + at_grazing[row] * (1.0 - cosine * cosine)
        reflectivity_out[row] = back if cosine > 0.0 else 0.0
    if others:
        for i in range(n):
            row, beam = np.uint64(i), np.uint64(first + i)
            if instance[beam] != NOTHING and lookup[material_out[beam]] != MATT:
                reflectivity_out[row] = reflectivity_at(
                    reflectance, lookup, material_out[beam], cos_incidence[beam]
                )


@njit(cache=True, nogil=True, error_model="numpy")
def _vary_block(
    # Scene:
    texture,
    # In:
    hits,
    first,
    n,
    material,
    # In and out:
    reflectivity,
):
    """Multiply the reflectivity of each hit of a block by the texture of the hit's material."""
    texture, material, reflectivity = borrowed(texture), borrowed(material), borrowed(reflectivity)
    range_m, _, _, instance, primitive = borrowed(hits)
    for i in range(n):
        row, beam = np.uint64(i), np.uint64(first + i)
        if reflectivity[row] > 0.0:
            reflectivity[row] *= gain_at(
                texture, material[beam], instance[beam], primitive[beam], beam, float(range_m[beam])
            )


@njit(cache=True, nogil=True, error_model="numpy")
def _receive_block(
    # Sensor:
    receiver,
    # In:
    hits,
    share,
    lost,
    first,
    n,
    reflectivity,
    # Out:
    returns_out,
):
    """Mark the beams of a block that give an echo; return their number."""
    min_range_m, until_percent, pieces, cap_m, limit_bounds_m = receiver
    range_m, strength_out, is_echo_out = hits.range_m, returns_out.strength, returns_out.is_echo
    count = 0
    for i in range(n):
        row, beam = np.uint64(i), np.uint64(first + i)
        back = reflectivity[row] * (share[beam] if share.shape[0] > 0 else np.float32(1.0))
        is_echo = False
        if (
            back > 0.0
            and not (lost[beam] if lost.shape[0] > 1 else lost[0])
            and range_m[beam] >= min_range_m
        ):
            step = bounds_row(back, len(limit_bounds_m))
            is_echo = range_m[beam] < limit_bounds_m[step, 0]
            if not is_echo and range_m[beam] <= limit_bounds_m[step, 1]:
                is_echo = range_m[beam] <= range_limit_at(until_percent, pieces, cap_m, back)
        strength_out[beam] = back
        is_echo_out[beam] = is_echo
        count += is_echo
    return count


@njit(cache=True, nogil=True, threads=True)
def write_points(
    # Scene:
    object_of_instance,  # uint64 (n_instance,)
    # Sensor:
    beams,  # see BeamArrays
    # In: a row for each beam
    hits,  # see records.HitArrays
    returns,  # see ReturnArrays
    start_of_block,  # int64 (n_block + 1,) row of its first point
    # In: where the points of blocks that have not changed are copied from
    changed,  # bool (n_block,)
    old_start_of_block,  # int64 (n_block + 1,) like start_of_block, for the rows of old
    old,  # see PointArrays
    n_workers,
    # Out: a row for each echo
    points_out,  # see PointArrays
):
    """Write the points of all echoes by beam; copy blocks that have not changed from ``old``.

    ``object_of_instance``, uint64 (n_instance,), has OSI ids of objects. ``beams`` is `BeamArrays`,
    ``hits`` `HitArrays`, ``returns`` `ReturnArrays`; ``points_out`` (output) and ``old`` (last
    scan) are `PointArrays`. ``start_of_block`` and ``old_start_of_block``, int64 (n_block + 1,),
    are rows of these two where a block begins. Blocks with ``changed`` are written anew.
    ``n_workers`` threads work.
    """
    in_threads(
        _write_blocks,
        n_workers,
        (
            new_deal(), object_of_instance, beams, hits, returns, start_of_block,
            changed, old_start_of_block, old, points_out,
        ),
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _write_blocks(
    deal, object_of_instance, beams, hits, returns, start_of_block, changed,
    old_start_of_block, old, points_out,
):  # fmt: skip
    """Write or copy one block after the other; the arguments as for `write_points`."""
    while True:
        block = take_block(deal)
        if block >= changed.shape[0]:
            break
        row = start_of_block[block]
        if changed[block]:
            _write_block(object_of_instance, beams, hits, returns, block, row, points_out)
        else:
            n, old_row = start_of_block[block + 1] - row, old_start_of_block[block]
            copy_rows(points_out.points, row, old.points, old_row, n)
            copy_rows(points_out.beam, row, old.beam, old_row, n)
            copy_rows(points_out.object_id, row, old.object_id, old_row, n)


@njit(cache=True, nogil=True, error_model="numpy")
def _write_block(object_of_instance, beams, hits, returns, block, row, points_out):
    """Write the points of a block of beams, from a row on."""
    origin, direction, ring, column, time_ns = beams
    range_m, normal, instance = hits.range_m, hits.normal, hits.instance
    strength, material, is_echo = returns
    points, places, beam_out, object_out = points_out
    points_at, size = points.ctypes.data, points.shape[1]
    r = row
    for b in range(block * BLOCK, min((block + 1) * BLOCK, len(range_m))):
        beam = np.uint64(b)
        if not is_echo[beam]:
            continue
        at = np.uint64(r)
        place = points_at + r * size
        prefetch_to_write(place)
        r += 1
        o = beam if origin.shape[0] > 1 else np.uint64(0)
        # read once: for all the compiler knows, what is written might be the same memory
        distance, back = range_m[beam], strength[beam]
        point = record_at(place, HEAD)
        point.x = origin[o, 0] + distance * direction[beam, 0]
        point.y = origin[o, 1] + distance * direction[beam, 1]
        point.z = origin[o, 2] + distance * direction[beam, 2]
        point.intensity = min(100.0 * back, 100.0)
        point.reflectivity = back
        point.normal_x = normal[0, beam]
        point.normal_y = normal[1, beam]
        point.normal_z = normal[2, beam]
        point.range = distance
        point.ring = ring[beam]
        point.column = column[beam]
        object_id = object_of_instance[instance[beam]]
        write_ids(place, places.is_wide, object_id, material[beam])
        if places.time_ns >= 0:
            record_at(place + places.time_ns, TIME).time_ns = time_ns[beam]
        beam_out[at] = beam
        object_out[at] = object_id
