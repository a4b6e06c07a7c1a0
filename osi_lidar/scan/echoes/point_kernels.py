# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of the physical executor: echoes of all beams, and their points.

Threads take blocks of beams one after the other, as in `fused_kernels`. Waveforms are discarded
once the echoes of a block are found: only the hits are stored for all beams.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray  # noqa: TC002  named tuples are read by numba

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.memory_kernels import borrowed, record_at, running_total
from lidar_base.random.random_kernels import (
    DROP_COUNT,
    ECHO_NOISE,
    FALSE_ALARM,
    SUN_GLARE,
    gaussian_pairs,
    new_redraw,
    uniform_pairs,
)
from osi_lidar.clouds.row_kernels import (
    ECHO,
    HEAD,
    RECEIVED,
    TIME,
    RowPlaces,
    write_ids,
)
from osi_lidar.scan.echoes.component_kernels import new_beam
from osi_lidar.scan.echoes.maxima_kernels import FOUND, MOST_ECHOES
from osi_lidar.scan.echoes.origin_kernels import (
    DRAWS_PER_BEAM,
    GHOST,
    GHOST_RAY,
    SURFACE,
    draw_of,
    is_of_air,
    origin_of,
)
from osi_lidar.scan.echoes.receiver_kernels import new_candidates, receive_block
from osi_lidar.scan.echoes.threshold_kernels import draw_thresholds
from osi_lidar.scan.echoes.waveform_kernels import find_block
from osi_lidar.scan.media.glare_kernels import write_glare
from osi_lidar.scan.records import NO_MATERIAL
from raycore.pattern.fan_kernels import one_ray

_NO_ID = 0xFFFFFFFFFFFFFFFF


class Probe(NamedTuple):
    """Memory into which `find_and_receive` writes the components and the maxima of one beam.

    The beam's waveform is computed from them. ``row`` is the row of the beam in the rays (0 for
    scans). ``part_out``, float64 (8, n_sub + `MOST_IN_AIR`), gets the components (see `new_beam`),
    and ``found_out``, (`MOST_ECHOES`,), the maxima (rows of `FOUND`). For scans, both arrays are
    empty, and nothing is written. A kernel of its own for waveforms would take as long to compile.
    """

    row: int  # row of the beam in the rays; 0 for scans
    part_out: NDArray[np.float64]  # float64 (8, n_sub + MOST_IN_AIR | 0), see new_beam
    found_out: NDArray[np.void]  # rows of FOUND, MOST_ECHOES | 0


NO_PROBE = Probe(0, np.empty((8, 0)), np.empty(0, FOUND))


@njit(cache=True, nogil=True, threads=True)
def find_and_receive(
    # Sensor:
    waveform,  # see waveform_kernels.WaveformSettings
    receiver,  # see receiver_kernels.ReceiverSettings
    scale,  # see receiver_kernels.ScaleArrays
    glare,  # see glare_kernels.GlareArrays
    media,  # see media_kernels.MediaArrays
    # Scene:
    surfaces,  # see fused_kernels.SurfaceArrays
    texture,  # see texture_kernels.TextureArrays
    object_of_instance,  # uint64 (n_instance,)
    # In:
    rays,  # see waveform_kernels.SubRayArrays
    ghost,  # bool (n_ray | 0,) whether the ray ends at a surface seen in a mirror
    lost,  # bool (n_beam | 1,) beams of which nothing is reported
    laser,  # float64 (n_beam | 1,) thresholds of the lasers, relative to the sensor's
    stream,  # random numbers of this scan, see draws.Draws
    beam_of_row,  # uint32 (n_beam,) indices of the beams in the pattern
    probe,  # see Probe
    n_workers,
    # Out:
    seen_out,  # uint8 (n_beam,) bits MIXED, BRIGHT and SEVERAL; 0 if beams are single rays
    count_out,  # int64 (n_block,) number of echoes of each block
    start_out,  # int64 (n_block + 1,) number of echoes in all earlier blocks
    echo_out,  # rows of ECHO, n_most for each beam; those of a block are its first ones
):
    """Find the echoes of beams, and write the echoes that the sensor reports, block by block.

    ``waveform`` is `WaveformSettings`, ``receiver`` `ReceiverSettings`, ``scale`` `ScaleArrays`,
    ``glare`` `GlareArrays`, ``media`` `MediaArrays`, ``surfaces`` `SurfaceArrays`, ``texture``
    `TextureArrays`, ``rays`` `SubRayArrays`, and ``probe`` `Probe`. ``object_of_instance``, uint64
    (n_instance,), is the OSI id of each mesh instance's object. ``ghost``, bool (n_ray | 0,), says
    whether a ray ends at a surface seen in a mirror, and ``lost``, bool (n_beam | 1,), whether
    nothing is reported of a beam. ``laser``, float64 (n_beam_of_scan | 1,), is the threshold of the
    laser of each beam in the scan pattern, relative to the sensor's. A single row holds for all
    beams. ``stream`` is `Draws.stream` of the scan. ``beam_of_row``, uint32 (n_beam,), is the index
    of each beam in the scan pattern. ``n_workers`` is the number of threads.

    Outputs: ``seen_out``, uint8 (n_beam,), has the bits `MIXED`, `BRIGHT` and `SEVERAL` of each
    beam (0 if beams are single rays). ``count_out``, int64 (n_block,), is the number of echoes of
    each block of `BLOCK` beams, ``start_out``, int64 (n_block + 1,), before each block, then of
    all. ``echo_out`` has ``receiver.n_most`` rows of `ECHO` for each beam; the echoes of a block
    are its first rows, others are undefined.
    """
    in_threads(
        _echo_blocks,
        n_workers,
        (
            new_deal(), waveform, receiver, scale, glare, media, surfaces, texture,
            object_of_instance, rays, ghost, lost, laser, stream, beam_of_row, probe, seen_out,
            count_out, echo_out,
        ),
    )  # fmt: skip
    running_total(count_out, start_out)


@njit(cache=True, nogil=True, error_model="numpy")
def _echo_blocks(
    deal, waveform, receiver, scale, glare, media, surfaces, texture, object_of_instance, rays,
    ghost, lost, laser, stream, beam_of_row, probe, seen_out, count_out, echo_out,
):  # fmt: skip
    """Process one block after the other; the arguments as for `find_and_receive`."""
    hit, hit_index, part, part_index, place = new_beam(len(rays.weight))
    found, candidates = np.empty(BLOCK * MOST_ECHOES, FOUND), new_candidates()
    if len(probe.found_out) > 0:
        part, found = probe.part_out, probe.found_out
    beam_memory = hit, hit_index, part, part_index, place
    index, redraw = np.empty(BLOCK * MOST_ECHOES, np.uint32), new_redraw()
    amplitude, chance = np.zeros(BLOCK * MOST_ECHOES), np.zeros(BLOCK * MOST_ECHOES)
    least, drawn = np.full(BLOCK, receiver.threshold), np.empty((2, BLOCK))
    alarm, alarm_place = np.ones(BLOCK), np.zeros(BLOCK)  # without noise there is none
    glared, glare_place = np.ones(BLOCK), np.zeros(BLOCK)
    rain, snow, falls = (
        np.ones(BLOCK),
        np.ones(BLOCK),
        media.drops.some[0] + media.drops.some[1] > 0.0,
    )
    while True:
        block = take_block(deal)
        if block >= len(count_out):
            break
        first = block * BLOCK
        n_beam = min(BLOCK, len(beam_of_row) - first)
        beam = beam_of_row[first : first + n_beam]
        if falls:
            uniform_pairs(stream, DROP_COUNT, beam, n_beam, rain, snow)
        n_found = find_block(
            waveform, surfaces, texture, rays, lost, probe.row + first, n_beam, media, stream, beam,
            rain, snow, beam_memory, found, seen_out[first : first + n_beam],
        )  # fmt: skip
        if receiver.is_noisy:
            _draw_for_echoes(stream, found, n_found, beam, index, redraw, amplitude, chance)
            if receiver.signal_spread > 0.0 or len(laser) > 1:
                draw_thresholds(
                    receiver, laser, stream, found, n_found, beam, index, redraw, drawn, least
                )
            for b in range(n_beam):
                index[b] = beam[b]
            uniform_pairs(stream, FALSE_ALARM, index, n_beam, alarm, alarm_place)
            for b in range(n_beam):
                alarm[b] = 1.0 if lost[first + b if len(lost) > 1 else 0] else alarm[b]
            if glare.strength > 0.0:
                uniform_pairs(stream, SUN_GLARE, index, n_beam, glared, glare_place)
                write_glare(glare, beam, first, lost, glared)
        row = first * receiver.n_most
        count_out[block] = receive_block(
            receiver, scale, found, n_found, least, amplitude, chance, alarm, alarm_place, glared,
            glare_place, beam, candidates, echo_out[row : row + n_beam * receiver.n_most],
        )  # fmt: skip
        _describe(
            surfaces, object_of_instance, media.ghost_object, rays, ghost,
            echo_out[row : row + count_out[block]],
        )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _describe(
    # Scene:
    surfaces,
    object_of_instance,
    ghost_object,  # uint64 (n_beam | 0,) object of each ghost
    # In:
    rays,
    ghost,
    # In and out:
    echo,  # some rows
):
    """Fill in the surface that each echo's strongest ray met, while the block is in the cache."""
    first_row, material_of_row, _, _ = borrowed(surfaces)
    origin_m, direction, fan, fan_of_beam, _, range_m, normal, cosine, instance, primitive, _ = (
        borrowed(rays)
    )
    object_of_instance, ghost, echo = borrowed(object_of_instance), borrowed(ghost), borrowed(echo)
    ghost_object = borrowed(ghost_object)
    for i in range(len(echo)):
        one = echo[i]
        if is_of_air(one.ray):
            is_ghost = one.ray == GHOST_RAY
            one.object_id = ghost_object[one.beam] if is_ghost else np.uint64(_NO_ID)
            continue
        ray = np.uint64(one.ray)
        of = instance[ray]
        one.object_id = object_of_instance[of]
        one.material = material_of_row[np.uint64(first_row[of]) + np.uint64(primitive[ray])]
        one.is_ghost = len(ghost) > 0 and ghost[ray]
        one.normal_x, one.normal_y, one.normal_z = normal[0, ray], normal[1, ray], normal[2, ray]
        one.cos_incidence, one.true_range_m = cosine[ray], range_m[ray]
        along, start = one_ray(ray, origin_m, direction, fan, fan_of_beam)
        one.true_x_m = start[0] + range_m[ray] * along[0]
        one.true_y_m = start[1] + range_m[ray] * along[1]
        one.true_z_m = start[2] + range_m[ray] * along[2]


@njit(cache=True, nogil=True, error_model="numpy")
def _draw_for_echoes(
    # In:
    stream,
    found,
    n_found,
    beam,  # uint32 (n_beam,)
    # Work:
    index,
    redraw,
    # Out:
    amplitude_out,
    chance_out,
):
    """Draw two standard normal numbers for each echo, by its beam and its number within it."""
    number = np.uint32(0)
    for row in range(n_found):
        if row == 0 or found[row].beam != found[row - 1].beam:
            number = np.uint32(0)
        draw = np.uint32(draw_of(found[row].ray, number))
        number = number if is_of_air(found[row].ray) else number + np.uint32(1)
        index[row] = beam[found[row].beam] * np.uint32(DRAWS_PER_BEAM) + draw
    for start in range(0, n_found, BLOCK):
        n = min(BLOCK, n_found - start)
        rows = slice(start, start + n)
        gaussian_pairs(
            stream, ECHO_NOISE, index[rows], n, redraw, amplitude_out[rows], chance_out[rows]
        )


class EchoBeamArrays(NamedTuple):
    """The beams of a scan in the sensor frame, as arrays for `write_echo_points`.

    ``origin_m``, float32 (n_beam | 1, 3), is where the ranges of a beam count from [m].
    ``direction``, float32 (3, n_beam), has unit vectors. ``ring``, uint16 (n_beam,), and
    ``column``, uint32 (n_beam,), are the beams' rings (lasers) and columns. ``time_ns``, uint32
    (n_beam | 0,), is the firing time after the start of the scan [ns]; it has no rows if points
    have no time.
    """

    origin_m: object  # float32 (n_beam | 1, 3) where the range of a beam counts from
    direction: object  # float32 (3, n_beam) unit vectors
    ring: object  # uint16 (n_beam,)
    column: object  # uint32 (n_beam,)
    time_ns: object  # uint32 (n_beam | 0,) after the start of the scan; none if points have no time


class EchoPointArrays(NamedTuple):
    """Memory for the points of the physical executor, with a row for each point.

    ``points``, uint8 (n_point, n_byte), has the points as bytes, and ``places`` (`RowPlaces`) the
    positions of their optional fields. ``beam`` is the index of the beam, ``object_id`` the OSI id
    of the object (all bits set without one), and ``draw`` the index of the point's random numbers.
    ``cos_incidence`` is the cosine of incidence at the hit, ``rmse_m`` the standard deviation of
    the range [m], and ``existence`` the probability that the point is more than noise.
    ``true_range_m`` [m] and ``true_xyz_m`` (n_point, 3) [m] are range and place of the hit, and
    ``place_m`` (n_point or 0 rows) the range of the maximum in the waveform [m]. Reals are float32.
    """

    points: NDArray[np.uint8]  # (n_point, n_byte) rows of cloud.point_type
    places: RowPlaces  # positions of optional fields within a row
    beam: NDArray[Any]  # uint32 (n_point,)
    object_id: NDArray[Any]  # uint64 (n_point,)
    draw: NDArray[Any]  # uint32 (n_point,) index of the point's random numbers
    cos_incidence: NDArray[Any]  # float32 (n_point,) of the point's hit
    rmse_m: NDArray[Any]  # float32 (n_point,)
    existence: NDArray[Any]  # float32 (n_point,)
    true_range_m: NDArray[Any]  # float32 (n_point,)
    true_xyz_m: NDArray[Any]  # float32 (n_point, 3)
    place_m: NDArray[np.float32]  # (n_point | 0,) range of the maximum in the waveform


@njit(cache=True, nogil=True, threads=True)
def write_echo_points(
    # Sensor:
    beams,  # see EchoBeamArrays
    n_most,  # largest number of echoes of a beam
    # In:
    echo,  # rows of ECHO
    start_of_block,  # int64 (n_block + 1,)
    n_workers,
    # Out:
    points_out,  # see EchoPointArrays
):
    """Write a point for each echo into the arrays ``points_out``, in the order of the beams.

    ``beams`` is `EchoBeamArrays`. ``echo`` has ``n_most`` rows of `ECHO` for each beam; the echoes
    of a block of beams are its first rows. ``start_of_block``, int64 (n_block + 1,), is the number
    of echoes before each block, then of all echoes. ``n_workers`` is the number of threads. All
    rows of ``points_out`` (`EchoPointArrays`) are written.
    """
    in_threads(
        _write_blocks,
        n_workers,
        (
            new_deal(), beams, n_most, echo, start_of_block, points_out,
        ),
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _write_blocks(deal, beams, n_most, echo, start_of_block, points_out):
    """Process one block after the other; the arguments as for `write_echo_points`."""
    while True:
        block = take_block(deal)
        if block >= len(start_of_block) - 1:
            break
        row, end = start_of_block[block], start_of_block[block + 1]
        first = block * BLOCK * n_most
        _write_block(beams, echo[first : first + end - row], row, points_out)


@njit(cache=True, nogil=True, error_model="numpy")
def _write_block(beams, echo, row, points_out):
    """Write the points of a block's echoes, from a row on."""
    origin_m, direction, ring, column, time_ns = borrowed(beams)
    echo = borrowed(echo)
    (
        points, places, beam_out, object_out,
        draw_out, cosine_out, rmse_out, existence_out, true_range_out, true_xyz_out, place_out,
    ) = borrowed(points_out)  # fmt: skip
    points_at, size = points.ctypes.data, points.shape[1]
    for i in range(len(echo)):
        one, at, beam = echo[i], np.uint64(row + i), np.uint64(echo[i].beam)
        o = beam if len(origin_m) > 1 else np.uint64(0)
        place = points_at + (row + i) * size
        point, distance = record_at(place, HEAD), one.range_m
        point.x = origin_m[o, 0] + distance * direction[0, beam]
        point.y = origin_m[o, 1] + distance * direction[1, beam]
        point.z = origin_m[o, 2] + distance * direction[2, beam]
        point.intensity = min(100.0 * one.strength, 100.0)
        point.reflectivity = one.strength
        point.range = distance
        point.ring, point.column = ring[beam], column[beam]
        if is_of_air(one.ray):
            object_id, material = one.object_id, np.uint16(NO_MATERIAL)
            origin, distance = origin_of(one.ray), one.true_range_m
            point.normal_x, point.normal_y, point.normal_z = (
                -direction[0, beam], -direction[1, beam], -direction[2, beam],
            )  # fmt: skip
            true_range_out[at], cosine_out[at] = distance, 1.0
            true_xyz_out[at, 0] = origin_m[o, 0] + distance * direction[0, beam]
            true_xyz_out[at, 1] = origin_m[o, 1] + distance * direction[1, beam]
            true_xyz_out[at, 2] = origin_m[o, 2] + distance * direction[2, beam]
        else:
            object_id, material = one.object_id, one.material
            origin = GHOST if one.is_ghost else SURFACE
            point.normal_x, point.normal_y = one.normal_x, one.normal_y
            point.normal_z = one.normal_z
            true_range_out[at], cosine_out[at] = one.true_range_m, one.cos_incidence
            true_xyz_out[at, 0], true_xyz_out[at, 1] = one.true_x_m, one.true_y_m
            true_xyz_out[at, 2] = one.true_z_m
        write_ids(place, places.is_wide, object_id, material)
        if places.time_ns >= 0:
            record_at(place + places.time_ns, TIME).time_ns = time_ns[beam]
        if places.echo >= 0:
            several = record_at(place + places.echo, ECHO)
            several.echo = one.number
            several.n_echoes = one.of
        if places.received >= 0:
            received = record_at(place + places.received, RECEIVED)
            received.snr = one.snr
            received.width_m = one.width_m
            received.origin = origin
        if len(place_out) > 0:
            place_out[at] = one.place_m
        beam_out[at], object_out[at] = beam, object_id
        draw_out[at] = np.uint32(beam * np.uint64(DRAWS_PER_BEAM) + np.uint64(one.draw))
        rmse_out[at], existence_out[at] = one.rmse_m, one.existence
