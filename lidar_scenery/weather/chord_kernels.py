# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels that find the beams through each body, and where they enter and leave it.

Beams stand in cells of azimuth and elevation, so that a body asks only those near its direction.
While the sensor moves, a column of cells is asked with the poses in which its beams are fired.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lidar_base.block_kernels import in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.memory_kernels import borrowed, running_total
from lidar_scenery.weather.body_kernels import (
    BodyArrays,
    Floats,
    box_chord,
    in_sensor,
    sphere_chord,
)

Float32s: TypeAlias = NDArray[np.float32]
Uint32s: TypeAlias = NDArray[np.uint32]
Int64s: TypeAlias = NDArray[np.int64]

SLACK_RAD = 1e-5
"""What a body's cone is wider by, for directions in float32. [rad]"""
TASK_COLUMNS = 8
"""Columns of cells that a thread takes at a time: no other one writes to their beams."""


class BeamCells(NamedTuple):
    """Beams in the order of their cells: column after column, each from its lowest row up."""

    axis: Float32s  # (n_beam, 3)
    beam: Uint32s  # (n_beam,) index in the pattern
    start: Int64s  # (n_column * n_row + 1,) first beam of each cell
    forward: Floats  # (n_column, 2) cosine and sine of the azimuth of each column's middle
    n_row: int
    lowest_rad: float  # elevation at which the first row begins
    cell_rad: float  # height and width of a cell; the first column begins at azimuth -pi


class Sight(NamedTuple):
    """How a sensor looks at bodies during a scan."""

    world_from_sensor: Floats  # (n_pose, 4, 4)
    moment: Uint32s  # (n_beam | 1,) pose of each beam
    origin_m: Float32s  # (n_beam | 1, 3) starts of beams in the sensor frame
    max_range_m: float
    fired: Int64s  # (n_column, 2), see poses_of_columns
    reach_m: float  # largest distance of a start from the sensor's origin
    middle: int  # a pose, from which
    apart_m: float  # others are at most that far,
    apart_rad: float  # and turned by at most that
    step_m: float  # the same from a pose to the next
    step_rad: float


class Search(NamedTuple):
    """Which bodies are looked for, and where."""

    cells: BeamCells
    sight: Sight
    bodies: BodyArrays
    order: Int64s  # (n,) the bodies that are looked for
    columns: Int64s  # (n, 2) first column of cells that each may cover, and how many there are


class Pairs(NamedTuple):
    """Beams and bodies that they pass through, as rows; each worker has an equal part of them."""

    beam: Uint32s  # (n,)
    body: Uint32s  # (n,)
    near_m: Float32s  # (n,)
    far_m: Float32s  # (n,)
    n_of_beam: Uint32s  # (n_beam,) pairs of each beam that are kept
    of_task: Int64s  # (n_task, 2) first row of the pairs of each task, and their end
    n_of_worker: Int64s  # (n_worker,) pairs that each worker found, which may be more than fit


class ChordRows(NamedTuple):
    """Chords in the order of their beams, see Chords."""

    body: Uint32s  # (n,)
    near_m: Float32s  # (n,)
    far_m: Float32s  # (n,)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _columns(place, radius_m, turned_rad):
    """Return the azimuth of a sphere whose direction is unsure by an angle, and half its width."""
    x, y, z = place
    level = math.sqrt(x * x + y * y)
    distance, azimuth = math.sqrt(level * level + z * z), math.atan2(y, x)
    if radius_m >= distance:
        return azimuth, math.pi
    half = math.asin(radius_m / distance) + turned_rad + SLACK_RAD
    if math.atan2(abs(z), level) + half >= 0.5 * math.pi:  # a pole is inside
        return azimuth, math.pi
    return azimuth, math.asin(math.sin(half) * distance / level) + SLACK_RAD


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _is_beside(place, radius_m, turned_rad, forward, half_cell_rad):
    """Return whether a sphere is beside a column of cells, or behind it.

    Up to their nearest point, beams of the column are within half of its width of the plane in its
    middle, and that point is within the radius of the centre.
    """
    cosine, sine = forward
    x, y, z = place
    level = math.sqrt(x * x + y * y)
    radius_m += (turned_rad + SLACK_RAD) * math.sqrt(level * level + z * z)
    width_m = half_cell_rad * (level + radius_m)
    return abs(y * cosine - x * sine) > radius_m + width_m or x * cosine + y * sine < -radius_m


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _rows(cells, place, radius_m, turned_rad):
    """Return the first row of cells that a sphere may cover, and the last one."""
    x, y, z = place
    level = math.sqrt(x * x + y * y)
    distance = math.sqrt(level * level + z * z)
    if radius_m >= distance:
        return 0, cells.n_row - 1
    half = math.asin(radius_m / distance) + turned_rad + SLACK_RAD
    middle = math.atan2(z, level) - cells.lowest_rad
    first = np.int64(math.floor((middle - half) / cells.cell_rad))
    last = np.int64(math.floor((middle + half) / cells.cell_rad))
    return max(first, 0), min(last, cells.n_row - 1)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _add_pairs(
    # In:
    search,  # see Search
    task,  # a body, the first of the beams that may pass through it, and the end of these
    room,  # row at which pairs do not fit any more
    n,  # row of the next pair
    # Out:
    pairs_out,  # see Pairs
):
    """Add the pairs of a body and some beams; return the row behind them."""
    cells, sight, bodies = search.cells, search.sight, search.bodies
    body, first, end = task
    one_pose, one_start = len(sight.moment) == 1, len(sight.origin_m) == 1
    is_box = bodies.half_size_m[body, 0] > 0.0
    pose = np.int64(-1)
    place = (0.0, 0.0, 0.0)
    for row in range(first, end):
        beam = cells.beam[row]
        fired = np.int64(sight.moment[0 if one_pose else beam])
        origin = sight.origin_m[0 if one_start else beam]
        start = (np.float64(origin[0]), np.float64(origin[1]), np.float64(origin[2]))
        u, v, w = cells.axis[row]
        axis = (np.float64(u), np.float64(v), np.float64(w))
        if is_box:
            near, far = box_chord(bodies, body, sight.world_from_sensor[fired], start, axis)
        else:
            if fired != pose:
                pose = fired
                place = in_sensor(sight.world_from_sensor, pose, bodies.center_m[body])
            near, far = sphere_chord(place, bodies.radius_m[body], start, axis)
        near_m, far_m = np.float32(max(near, 0.0)), np.float32(min(far, sight.max_range_m))
        if near_m < far_m:
            if n < room:  # others are only counted
                pairs_out.beam[n], pairs_out.body[n] = beam, body
                pairs_out.near_m[n], pairs_out.far_m[n] = near_m, far_m
                pairs_out.n_of_beam[beam] += np.uint32(1)
            n += 1
    return n


@njit(cache=True, nogil=True)
def poses_of_columns(
    # In:
    cells,
    moment,
    # Out:
    fired_out,  # int64 (n_column, 2) the first and the last pose in which beams are fired
):
    """Find the poses of each column of cells."""
    for column in range(len(fired_out)):
        first, last = np.int64(moment[0]), np.int64(moment[0])
        if len(moment) > 1:
            first, last = np.int64(1 << 32), np.int64(-1)
            begin, end = column * cells.n_row, (column + 1) * cells.n_row
            for row in range(cells.start[begin], cells.start[end]):
                pose = np.int64(moment[cells.beam[row]])
                first, last = min(first, pose), max(last, pose)
        fired_out[column, 0], fired_out[column, 1] = first, last


@njit(cache=True, nogil=True, error_model="numpy")
def columns_of_bodies(
    # In:
    cells,
    sight,
    bodies,
    order,  # int64 (n,) the bodies
    # Out:
    columns_out,  # int64 (n, 2) first column that a body may cover, and how many there are
):
    """Find the columns of cells that bodies may cover, from any pose of the scan."""
    n_column = len(sight.fired)
    for k in range(len(order)):
        center_m = bodies.center_m[order[k]]
        place = in_sensor(sight.world_from_sensor, sight.middle, center_m)
        radius_m = bodies.radius_m[order[k]] + sight.reach_m + sight.apart_m
        middle, aside = _columns(place, radius_m, sight.apart_rad)
        begin = np.int64(math.floor((middle - aside + math.pi) / cells.cell_rad))
        last = np.int64(math.floor((middle + aside + math.pi) / cells.cell_rad))
        columns_out[k, 0], columns_out[k, 1] = begin % n_column, min(last - begin + 1, n_column)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _add_body(
    # In:
    search,  # see Search
    k,  # number of the body in their order
    span,  # first column, and their end
    room,
    n,
    # Out:
    pairs_out,
):
    """Add the pairs of a body and the beams of some columns; return the row behind them."""
    cells, sight, bodies = search.cells, search.sight, search.bodies
    body, first, n_covered = search.order[k], search.columns[k, 0], search.columns[k, 1]
    n_column, half_cell = len(sight.fired), 0.5 * cells.cell_rad
    center_m, radius_m = bodies.center_m[body], bodies.radius_m[body] + sight.reach_m
    place, before = (0.0, 0.0, 0.0), (np.int64(-1), np.int64(-1))
    low, high = np.int64(0), np.int64(-1)
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
            low, high = _rows(cells, place, wide_m, turned_rad)
        if low > high or _is_beside(place, wide_m, turned_rad, cells.forward[column], half_cell):
            continue
        row = column * cells.n_row
        task = body, cells.start[row + low], cells.start[row + high + 1]
        n = _add_pairs(search, task, room, n, pairs_out)
    return n


@njit(cache=True, nogil=True, threads=True)
def find_pairs(
    # In:
    search,  # see Search
    n_workers,
    # Out:
    pairs_out,  # see Pairs, of which n_of_beam is 0 at first
):
    """Find all pairs of a beam and a body, in tasks of `TASK_COLUMNS` columns of cells."""
    in_threads(_find_pairs, n_workers, (new_deal(), new_deal(), search, pairs_out))


@njit(cache=True, nogil=True, error_model="numpy")
def _find_pairs(worker_deal, deal, search, pairs_out):
    """Do one task after the other; the arguments are those of `find_pairs`."""
    search, pairs_out = borrowed(search), borrowed(pairs_out)
    columns, n_column = search.columns, len(search.sight.fired)
    worker, part = take_block(worker_deal), len(pairs_out.beam) // len(pairs_out.n_of_worker)
    begin, room = worker * part, (worker + 1) * part
    n = begin
    while True:
        task = take_block(deal)
        if task >= len(pairs_out.of_task):
            break
        first = task * TASK_COLUMNS
        end = min(first + TASK_COLUMNS, n_column)
        pairs_out.of_task[task, 0] = min(n, room)
        for k in range(len(search.order)):
            behind = (first - columns[k, 0]) % n_column  # the first column that the body may cover
            if behind < columns[k, 1] or behind + (end - first) > n_column:
                n = _add_body(search, k, (first, end), room, n, pairs_out)
        pairs_out.of_task[task, 1] = min(n, room)
    pairs_out.n_of_worker[worker] = n - begin


@njit(cache=True, nogil=True, threads=True)
def rows_of_beams(
    # In:
    cells,  # see BeamCells
    n_workers,
    # In and out:
    pairs,  # see Pairs, of which n_of_beam is 0 then
    # Out:
    first_out,  # int64 (n_beam + 1,) row at which each beam begins
    chords_out,  # see ChordRows
):
    """Order pairs by their beams, and those of a beam by where it enters the body."""
    running_total(pairs.n_of_beam, first_out)
    in_threads(_order_pairs, n_workers, (new_deal(), cells, pairs, first_out, chords_out))


@njit(cache=True, nogil=True, error_model="numpy")
def _order_pairs(deal, cells, pairs, first_row, chords_out):
    """Do one task after the other; the arguments are those of `rows_of_beams`."""
    cells, pairs, first_row = borrowed(cells), borrowed(pairs), borrowed(first_row)
    chords_out = borrowed(chords_out)
    while True:
        task = take_block(deal)
        if task >= len(pairs.of_task):
            break
        begin, end = pairs.of_task[task]
        for k in range(end - 1, begin - 1, -1):  # the last one of a beam at its end
            beam = pairs.beam[k]
            pairs.n_of_beam[beam] -= np.uint32(1)
            row = first_row[beam] + np.int64(pairs.n_of_beam[beam])
            chords_out.body[row], chords_out.near_m[row] = pairs.body[k], pairs.near_m[k]
            chords_out.far_m[row] = pairs.far_m[k]
        cell = task * TASK_COLUMNS * cells.n_row
        behind = min(cell + TASK_COLUMNS * cells.n_row, len(cells.start) - 1)
        for at in range(cells.start[cell], cells.start[behind]):
            beam = np.int64(cells.beam[at])
            _sort_rows(first_row[beam], first_row[beam + 1], chords_out)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _sort_rows(
    # In:
    first,
    end,
    # In and out:
    chords,
):
    """Sort the chords of a beam by where it enters the body, equal ones by the body."""
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
