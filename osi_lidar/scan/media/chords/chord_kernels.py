# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels that find the beams through each body, and where they enter and leave it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.block_kernels import in_threads, new_deal, take_block, take_rows
from lidar_base.compiled import njit
from lidar_base.lane_kernels import N_LANES, bits_of, first_bit, lane_numbers, lanes_of
from lidar_base.memory_kernels import borrowed
from osi_lidar.scan.media.chords.body_kernels import (
    box_chord,
    in_sensor,
    sphere_chord,
)
from osi_lidar.scan.media.chords.cell_kernels import (
    SLACK_RAD,
    BeamCells,
    Float32s,
    Floats,
    Int64s,
    Sight,
    Uint32s,
    is_beside,
    rows_covered,
)

if TYPE_CHECKING:
    from lidar_scenery.weather.bodies import BodyArrays

TASK_COLUMNS = 8
"""Columns of cells that a thread takes at a time: no other thread writes to their beams."""
FEWEST_PAIRS = 1 << 13
"""Number of beam-body pairs for which a thread allocates memory at first."""


class Search(NamedTuple):
    """Input of the search for the parts of beams inside bodies of spray or dust.

    ``cells``, `BeamCells`, are the sorted beams. ``sight``, `Sight`, has the poses of the sensor.
    ``bodies``, `BodyArrays`, are the bodies in the world. ``order``, int64 (n,), has the indices of
    the bodies that are looked for, the nearest first. ``columns``, int64 (n, 2), has for each of
    them the first column of cells that it may cover, and the number of columns. ``extinction``
    [1/m] and ``backscatter`` [1/(m sr)], float32 (n_body,), are values of all bodies.
    """

    cells: BeamCells
    sight: Sight
    bodies: BodyArrays
    order: Int64s  # (n,) indices of the bodies that are looked for, the nearest first
    columns: Int64s  # (n, 2) first column of cells that each may cover, and number of columns
    extinction: Float32s  # (n_body,) [1/m]
    backscatter: Float32s  # (n_body,) [1/(m sr)]


class ChordRows(NamedTuple):
    """Chords (the parts of beams inside bodies of spray or dust) as arrays for kernels.

    The first five have a row for each beam, the other three for each chord. The chords of beam i
    are the rows ``first_of_beam[i]`` to ``end_of_beam[i]`` - 1, from near to far. ``depth`` is the
    sum of the optical depths of a beam's chords, and ``back`` of backscatter times length [1/sr].
    ``end_m`` is the range behind which a beam has no chord, 0 without chords [m]. ``body`` is the
    index of the body of a chord; ``near_m`` and ``far_m`` are the ranges at which the beam enters
    and leaves it [m].
    """

    first_of_beam: Int64s  # (n_beam,)
    end_of_beam: Int64s  # (n_beam,)
    depth: Floats  # (n_beam,)
    back: Floats  # (n_beam,)
    end_m: Float32s  # (n_beam,)
    body: Uint32s  # (n,)
    near_m: Float32s  # (n,)
    far_m: Float32s  # (n,)


class Pairs(NamedTuple):
    """Pairs of a beam and a body that it passes through, in the order of the search; arrays (n,).

    ``beam``, uint32, is the index among the beams of the thread's task (see `TASK_COLUMNS`).
    ``body``, uint32, is the index of the body. The beam enters the body at the range ``near_m``, at
    least 0, and leaves it at ``far_m``, at most the maximum range, both float32 [m].
    """

    beam: Uint32s  # (n,) index among the beams of the thread's task, see TASK_COLUMNS
    body: Uint32s  # (n,) index of the body
    near_m: Float32s  # (n,) range at which the beam enters the body, at least 0
    far_m: Float32s  # (n,) range at which it leaves, at most the maximum range


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _axis_of(cells, row):
    """Return the direction of a beam."""
    x, y, z = np.uint64(0), np.uint64(1), np.uint64(2)
    u, v, w = cells.axis[x, row], cells.axis[y, row], cells.axis[z, row]
    return np.float64(u), np.float64(v), np.float64(w)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _start_of(sight, beam):
    """Return the start of a beam in the sensor frame."""
    x, y, z = sight.origin_m[beam]
    return np.float64(x), np.float64(y), np.float64(z)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _rows_near(cells, around, at, n):
    """Return which of the next n beams, at most `N_LANES`, may meet a sphere, as bits.

    The cross product of the vector to the centre and the unit vector of a beam has the length of
    the distance between centre and beam.
    """
    (x, y, z), radius_m = around
    x, y, z = np.float32(x), np.float32(y), np.float32(z)
    u = lanes_of(cells.axis, (np.uint64(0), at))
    v = lanes_of(cells.axis, (np.uint64(1), at))
    w = lanes_of(cells.axis, (np.uint64(2), at))
    cx, cy, cz = v * z - w * y, w * x - u * z, u * y - v * x
    is_near = cx * cx + cy * cy + cz * cz <= np.float32(radius_m * radius_m)
    return bits_of(is_near & (lane_numbers() < n))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _add_pairs(
    # In:
    search,  # see Search
    around,  # a body as a sphere, as any of the beams may see it: its place and radius
    task,  # the body, the first of the beams that may pass through it, and the end of these
    begin,  # first row of the task
    n,  # row of the next pair
    # Out:
    pairs_out,  # see Pairs
):
    """Add the pairs of a body and some beams; return the next free row."""
    cells, sight, bodies = search.cells, search.sight, search.bodies
    body, first, end = task
    one_pose, one_start = len(sight.moment) == 1, len(sight.origin_m) == 1
    is_box, radius_m = bodies.half_size_m[body, 0] > 0.0, bodies.radius_m[body]
    pose, place = np.uint64(len(sight.world_from_sensor)), (0.0, 0.0, 0.0)
    for chunk in range(first, end, N_LANES):
        near = _rows_near(cells, around, np.uint64(chunk), end - chunk)
        while near:
            row = np.uint64(chunk) + first_bit(near)
            near &= near - np.uint64(1)
            beam = np.uint64(0) if one_pose and one_start else np.uint64(cells.beam[row])
            fired = np.uint64(sight.moment[np.uint64(0) if one_pose else beam])
            start = _start_of(sight, np.uint64(0) if one_start else beam)
            axis = _axis_of(cells, row)
            if is_box:
                ends_m = box_chord(bodies, body, sight.world_from_sensor[fired], start, axis)
            else:
                if fired != pose:
                    pose = fired
                    place = in_sensor(sight.world_from_sensor, pose, bodies.center_m[body])
                ends_m = sphere_chord(place, radius_m, start, axis)
            near_m = np.float32(max(ends_m[0], 0.0))
            far_m = np.float32(min(ends_m[1], sight.max_range_m))
            if near_m < far_m:
                n = _put(n, np.uint32(row - np.uint64(begin)), body, (near_m, far_m), pairs_out)
    return n


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _put(n, beam, body, ends_m, pairs_out):
    """Write a pair, and return the next free row."""
    at = np.uint64(n)
    pairs_out.beam[at], pairs_out.body[at] = beam, np.uint32(body)
    pairs_out.near_m[at], pairs_out.far_m[at] = ends_m
    return n + 1


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _add_body(
    # In:
    search,  # see Search
    k,  # number of the body in their order
    span,  # first column, and their end
    n,
    # Out:
    pairs_out,
):
    """Add the pairs of a body and the beams of some columns; return the next free row."""
    cells, sight, bodies = search.cells, search.sight, search.bodies
    body, first, n_covered = search.order[k], search.columns[k, 0], search.columns[k, 1]
    n_column, half_cell = len(sight.fired), 0.5 * cells.cell_rad
    center_m, radius_m = bodies.center_m[body], bodies.radius_m[body] + sight.reach_m
    place, before = (0.0, 0.0, 0.0), (np.int64(-1), np.int64(-1))
    low, high, seen_m = np.int64(0), np.int64(-1), 0.0
    begin = cells.start[span[0] * cells.n_row]
    for column in range(span[0], span[1]):
        pose = (sight.fired[column, 0] + sight.fired[column, 1]) // 2
        steps = sight.fired[column, 1] - pose
        if (column - first) % n_column >= n_covered or steps < 0:  # a column without beams
            continue
        wide_m, turned_rad = radius_m + steps * sight.step_m, steps * sight.step_rad
        is_new = (pose, steps) != before
        if is_new:
            place = in_sensor(sight.world_from_sensor, pose, center_m)
            before = pose, steps
            low, high = rows_covered(cells, place, wide_m, turned_rad)
            distance_m = math.sqrt(place[0] ** 2 + place[1] ** 2 + place[2] ** 2)
            seen_m = wide_m + (turned_rad + SLACK_RAD) * distance_m
        if low > high or is_beside(place, wide_m, turned_rad, cells.forward[column], half_cell):
            continue
        row = column * cells.n_row
        task = body, cells.start[row + low], cells.start[row + high + 1]
        n = _add_pairs(search, (place, seen_m), task, begin, n, pairs_out)
    return n


@njit(cache=True, nogil=True)
def _room(n):
    """Return memory for pairs."""
    whole, parts = np.empty((2, n), np.uint32), np.empty((2, n), np.float32)
    return Pairs(whole[0], whole[1], parts[0], parts[1])


@njit(cache=True, nogil=True)
def _in_more_room(pairs, n, n_room):
    """Copy the first pairs to larger memory; return it."""
    more = _room(n_room)
    for k in range(n):
        more.beam[k], more.body[k] = pairs.beam[k], pairs.body[k]
        more.near_m[k], more.far_m[k] = pairs.near_m[k], pairs.far_m[k]
    return more


@njit(cache=True, nogil=True, threads=True)
def find_chords(
    # In:
    search,  # see Search
    n_workers,
    # Out:
    taken_out,  # int64 (1,) in: 0, out: number of chords
    chords_out,  # see ChordRows; undefined if it has fewer rows than there are chords
):
    """Write all chords, the parts of beams inside bodies, to ``chords_out``.

    Each thread takes `TASK_COLUMNS` columns of cells at a time.

    Parameters
    ----------
    search : Search
        Beams, poses of the sensor, and bodies.
    n_workers : int
        Number of threads.
    taken_out : int64 (1,)
        Must be 0, and receives the number of chords.
    chords_out : ChordRows
        Output: the chords. If it has fewer rows than there are chords, its content is undefined:
        the caller must repeat the search with more rows.
    """
    in_threads(_find_chords, n_workers, (new_deal(), search, taken_out, chords_out))


@njit(cache=True, nogil=True, error_model="numpy")
def _find_chords(deal, search, taken_out, chords_out):
    """Process one task after the other; the arguments as for `find_chords`."""
    search, chords_out = borrowed(search), borrowed(chords_out)
    cells, n_column = search.cells, len(search.sight.fired)
    pairs, place = _room(FEWEST_PAIRS), np.empty(0, np.int64)
    while True:
        first = take_block(deal) * TASK_COLUMNS
        if first >= n_column:
            break
        end = min(first + TASK_COLUMNS, n_column)
        beams = cells.beam[cells.start[first * cells.n_row] : cells.start[end * cells.n_row]]
        k, n = _find_pairs(search, (first, end), (0, 0), pairs)
        while k < len(search.order):
            pairs = _in_more_room(pairs, n, 2 * (n + len(beams)))
            k, n = _find_pairs(search, (first, end), (k, n), pairs)
        if len(place) < len(beams):
            place = np.empty(len(beams), np.int64)
        row = take_rows(taken_out, n)
        if row + n <= len(chords_out.body):
            _order_pairs(beams, pairs, (row, n), place, chords_out)
            _sum_up(search.extinction, search.backscatter, beams, chords_out)


@njit(cache=True, nogil=True, error_model="numpy")
def _find_pairs(
    # In:
    search,  # see Search
    span,  # first column, and their end
    begun,  # number of the next body, and how many pairs there are
    # Out:
    pairs_out,  # see Pairs
):
    """Add the pairs of some columns while there is room; return the next body and free row."""
    search, pairs_out = borrowed(search), borrowed(pairs_out)
    cells, columns, n_column = search.cells, search.columns, len(search.sight.fired)
    first, end = span
    most = cells.start[end * cells.n_row] - cells.start[first * cells.n_row]  # pairs of a body
    k, n = begun
    while k < len(search.order) and n + most <= len(pairs_out.beam):
        behind = (first - columns[k, 0]) % n_column  # the first column that the body may cover
        if behind < columns[k, 1] or behind + (end - first) > n_column:
            n = _add_body(search, k, span, n, pairs_out)
        k += 1
    return k, n


@njit(cache=True, nogil=True, error_model="numpy")
def _order_pairs(
    # In:
    beams,  # uint32 (n_beam,) of the task
    pairs,  # see Pairs
    rows,  # first row of their chords, and how many there are
    # Work:
    place,  # int64 (n_beam | more,)
    # Out:
    chords_out,  # see ChordRows
):
    """Sort pairs by beam, and the pairs of a beam by the range at which it enters the body."""
    beams, pairs, place = borrowed(beams), borrowed(pairs), borrowed(place)
    chords_out, (first, n) = borrowed(chords_out), rows
    for b in range(len(beams)):
        place[b] = 0
    for k in range(n):
        place[np.uint64(pairs.beam[k])] += 1
    end = first
    for b in range(len(beams)):
        end, place[b] = end + place[b], end
    for k in range(n):
        b = np.uint64(pairs.beam[k])
        row = np.uint64(place[b])
        chords_out.body[row], chords_out.near_m[row] = pairs.body[k], pairs.near_m[k]
        chords_out.far_m[row] = pairs.far_m[k]
        place[b] += 1
    start = first
    for b in range(len(beams)):
        beam = np.uint64(beams[b])
        chords_out.first_of_beam[beam], chords_out.end_of_beam[beam] = start, place[b]
        _sort_rows(start, place[b], chords_out)
        start = place[b]


@njit(cache=True, nogil=True, error_model="numpy")
def _sum_up(
    # In:
    extinction,
    backscatter,
    beams,  # uint32 (n_beam,) of the task
    # In and out:
    chords,  # see ChordRows
):
    """Write the sums over the chords of each beam, in their order."""
    extinction, backscatter = borrowed(extinction), borrowed(backscatter)
    beams, chords = borrowed(beams), borrowed(chords)
    for b in range(len(beams)):
        beam, depth, back, end_m = np.uint64(beams[b]), 0.0, 0.0, np.float32(0.0)
        for row in range(chords.first_of_beam[beam], chords.end_of_beam[beam]):
            at = np.uint64(row)
            body = np.uint64(chords.body[at])
            length_m = float(chords.far_m[at]) - float(chords.near_m[at])
            depth += float(extinction[body]) * length_m
            back += float(backscatter[body]) * length_m
            end_m = max(end_m, chords.far_m[at])
        chords.depth[beam], chords.back[beam], chords.end_m[beam] = depth, back, end_m


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _sort_rows(
    # In:
    first,
    end,
    # In and out:
    chords,
):
    """Sort the chords of a beam by the range at which it enters the body, then by body."""
    for row in range(first + 1, end):
        body, near, far = chords.body[row], chords.near_m[row], chords.far_m[row]
        at = row
        while at > first and (
            chords.near_m[at - 1] > near
            or (chords.near_m[at - 1] == near and chords.body[at - 1] > body)
        ):
            chords.body[at], chords.near_m[at] = chords.body[at - 1], chords.near_m[at - 1]
            chords.far_m[at] = chords.far_m[at - 1]
            at -= 1
        chords.body[at], chords.near_m[at], chords.far_m[at] = body, near, far
