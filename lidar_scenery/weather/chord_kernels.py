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

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential

Floats: TypeAlias = NDArray[np.float64]
Float32s: TypeAlias = NDArray[np.float32]
Uint32s: TypeAlias = NDArray[np.uint32]
Int64s: TypeAlias = NDArray[np.int64]

SLACK_RAD = 1e-5
"""What a body's cone is wider by, for directions in float32. [rad]"""


class BeamCells(NamedTuple):
    """Beams in the order of their cells: column after column, each from its lowest row up."""

    axis: Float32s  # (n_beam, 3)
    beam: Uint32s  # (n_beam,) index in the pattern
    start: Int64s  # (n_column * n_row + 1,) first beam of each cell
    forward: Floats  # (n_column, 2) cosine and sine of the azimuth of each column's middle
    n_row: int
    lowest_rad: float  # elevation at which the first row begins
    cell_rad: float  # height and width of a cell; the first column begins at azimuth -pi


class BodyArrays(NamedTuple):
    """Place and shape of bodies in the world."""

    center_m: Floats  # (n, 3)
    radius_m: Floats  # (n,)
    half_size_m: Floats  # (n, 3), 0 for a sphere
    turn: Floats  # (n, 2) cosine and sine of the yaw


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


class Pairs(NamedTuple):
    """A beam and a body that it passes through, as rows."""

    beam: Uint32s  # (n,)
    body: Uint32s  # (n,)
    near_m: Float32s  # (n,)
    far_m: Float32s  # (n,)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _in_sensor(world_from_sensor, pose, point_m):
    """Return a point of the world in the sensor frame of a pose."""
    matrix = world_from_sensor[pose]
    x, y, z = point_m[0] - matrix[0, 3], point_m[1] - matrix[1, 3], point_m[2] - matrix[2, 3]
    return (
        matrix[0, 0] * x + matrix[1, 0] * y + matrix[2, 0] * z,
        matrix[0, 1] * x + matrix[1, 1] * y + matrix[2, 1] * z,
        matrix[0, 2] * x + matrix[1, 2] * y + matrix[2, 2] * z,
    )


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
def _sphere_chord(place, radius_m, start, axis):
    """Return where a beam enters and leaves a sphere, the latter first if it misses it."""
    x, y, z = place[0] - start[0], place[1] - start[1], place[2] - start[2]
    u, v, w = axis
    along = x * u + y * v + z * w
    # the product of vectors is small where the beam passes nearby, and so are its errors
    cx, cy, cz = y * w - z * v, z * u - x * w, x * v - y * u
    square = radius_m * radius_m - (cx * cx + cy * cy + cz * cz)
    if square <= 0.0:
        return 1.0, 0.0
    half = math.sqrt(square)
    return along - half, along + half


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _slab(near, far, place, step, half):
    """Return the part of a beam that lies between two planes, the end first if there is none."""
    if step == 0.0:
        return (near, far) if abs(place) < half else (1.0, 0.0)
    one, other = (-half - place) / step, (half - place) / step
    return max(near, min(one, other)), min(far, max(one, other))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _box_chord(bodies, body, matrix, start, axis):
    """Return where a beam enters and leaves a box, the latter first if it misses it."""
    sx, sy, sz = start
    u, v, w = axis
    x = matrix[0, 0] * sx + matrix[0, 1] * sy + matrix[0, 2] * sz + matrix[0, 3]
    y = matrix[1, 0] * sx + matrix[1, 1] * sy + matrix[1, 2] * sz + matrix[1, 3]
    z = matrix[2, 0] * sx + matrix[2, 1] * sy + matrix[2, 2] * sz + matrix[2, 3]
    dx = matrix[0, 0] * u + matrix[0, 1] * v + matrix[0, 2] * w
    dy = matrix[1, 0] * u + matrix[1, 1] * v + matrix[1, 2] * w
    dz = matrix[2, 0] * u + matrix[2, 1] * v + matrix[2, 2] * w
    x, y = x - bodies.center_m[body, 0], y - bodies.center_m[body, 1]
    z -= bodies.center_m[body, 2]
    cosine, sine = bodies.turn[body]
    half = bodies.half_size_m[body]
    near, far = -np.inf, np.inf
    near, far = _slab(near, far, cosine * x + sine * y, cosine * dx + sine * dy, half[0])
    near, far = _slab(near, far, cosine * y - sine * x, cosine * dy - sine * dx, half[1])
    return _slab(near, far, z, dz, half[2])


@njit(cache=True, nogil=True, error_model="numpy")
def _add_pairs(
    # In:
    cells,
    sight,
    bodies,
    task,  # a body, the first of the beams that may pass through it, and the end of these
    n,  # pairs so far
    # Out:
    pairs_out,
):
    """Add the pairs of a body and some beams; return how many there are then."""
    body, first, end = task
    one_pose, one_start = len(sight.moment) == 1, len(sight.origin_m) == 1
    is_box = bodies.half_size_m[body].max() > 0.0
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
            near, far = _box_chord(bodies, body, sight.world_from_sensor[fired], start, axis)
        else:
            if fired != pose:
                pose = fired
                place = _in_sensor(sight.world_from_sensor, pose, bodies.center_m[body])
            near, far = _sphere_chord(place, bodies.radius_m[body], start, axis)
        near_m, far_m = np.float32(max(near, 0.0)), np.float32(min(far, sight.max_range_m))
        if near_m < far_m:
            if n < len(pairs_out.beam):  # others are only counted
                pairs_out.beam[n], pairs_out.body[n] = beam, body
                pairs_out.near_m[n], pairs_out.far_m[n] = near_m, far_m
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
def _add_body(
    # In:
    cells,
    sight,
    bodies,
    body,
    n,  # pairs so far
    # Out:
    pairs_out,
):
    """Add the pairs of a body; return how many there are then."""
    n_column, half_cell = len(sight.fired), 0.5 * cells.cell_rad
    center_m, radius_m = bodies.center_m[body], bodies.radius_m[body] + sight.reach_m
    place = _in_sensor(sight.world_from_sensor, sight.middle, center_m)
    middle, aside = _columns(place, radius_m + sight.apart_m, sight.apart_rad)
    begin = np.int64(math.floor((middle - aside + math.pi) / cells.cell_rad))
    end = np.int64(math.floor((middle + aside + math.pi) / cells.cell_rad)) + 1
    before, low, high = (np.int64(-1), np.int64(-1)), np.int64(0), np.int64(-1)
    for number in range(begin, min(end, begin + n_column)):
        column = number % n_column
        pose = (sight.fired[column, 0] + sight.fired[column, 1]) // 2
        steps = sight.fired[column, 1] - pose
        if steps < 0:  # a column without beams
            continue
        wide_m, turned_rad = radius_m + steps * sight.step_m, steps * sight.step_rad
        if (pose, steps) != before:
            place = _in_sensor(sight.world_from_sensor, pose, center_m)
        if _is_beside(place, wide_m, turned_rad, cells.forward[column], half_cell):
            continue
        if (pose, steps) != before:
            before = pose, steps
            low, high = _rows(cells, place, wide_m, turned_rad)
        if low <= high:
            row = column * cells.n_row
            task = body, cells.start[row + low], cells.start[row + high + 1]
            n = _add_pairs(cells, sight, bodies, task, n, pairs_out)
    return n


@njit(cache=True, nogil=True, error_model="numpy")
def find_pairs(
    # In:
    cells,  # see BeamCells
    sight,  # see Sight
    bodies,  # see BodyArrays
    order,  # int64 (n,) bodies to look for
    # Out:
    pairs_out,  # see Pairs
):
    """Find all pairs of a beam and a body; return their number, which may be more than fit."""
    n = 0
    for body in order:
        n = _add_body(cells, sight, bodies, body, n, pairs_out)
    return n


@njit(cache=True, nogil=True)
def rows_of_beams(
    # In:
    pairs,  # see Pairs
    n,
    # Out:
    first_out,  # int64 (n_beam + 1,) row at which each beam begins
    body_out,  # uint32 (n,)
    near_out,  # float32 (n,)
    far_out,  # float32 (n,)
):
    """Order pairs by their beams, and those of a beam by where it enters the body."""
    first_out[:] = 0
    for k in range(n):
        first_out[pairs.beam[k] + 1] += 1
    for beam in range(1, len(first_out)):
        first_out[beam] += first_out[beam - 1]
    for k in range(n):  # behind those of the beam that stand there; its begin moves on to its end
        row = first_out[pairs.beam[k]]
        first_out[pairs.beam[k]] = row + 1
        body_out[row], near_out[row], far_out[row] = pairs.body[k], pairs.near_m[k], pairs.far_m[k]
    for beam in range(len(first_out) - 1, 0, -1):
        first_out[beam] = first_out[beam - 1]
    first_out[0] = 0
    for beam in range(len(first_out) - 1):
        for row in range(first_out[beam] + 1, first_out[beam + 1]):
            body, near, far = body_out[row], near_out[row], far_out[row]
            at = row
            while at > first_out[beam] and (
                near_out[at - 1] > near or (near_out[at - 1] == near and body_out[at - 1] > body)
            ):
                body_out[at], near_out[at] = body_out[at - 1], near_out[at - 1]
                far_out[at] = far_out[at - 1]
                at -= 1
            body_out[at], near_out[at], far_out[at] = body, near, far


THIN = 0.02
"""Optical depth up to which a series of `seen_length` is right to 1e-7 of it."""


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def seen_length(length_m, depth):
    """Return how far one sees into a part of a body, of an optical depth t.

    The light falls with the depth, so that the part sends back as much as the first
    l (1 - exp(-2 t)) / 2 t of its length l would without this. These are taken for its echo.
    """
    if depth < THIN:
        return length_m * (1.0 - depth * (1.0 - depth * (2.0 / 3.0 - depth / 3.0)))
    return length_m * (1.0 - exponential(-2.0 * depth)) / (2.0 * depth)
