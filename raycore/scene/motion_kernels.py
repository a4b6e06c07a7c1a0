# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of motion: interpolation between the poses of bodies."""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from lidar_base.compiled import njit


@njit(cache=True, nogil=True, inline="always")
def rotate(turn, share, vector):
    """Return a vector rotated by a fraction ``share`` of the rotation vector ``turn`` [rad].

    ``turn`` and ``vector`` have three numbers each, in one frame. The result is a tuple (x, y, z),
    by Rodrigues' formula.
    """
    x, y, z = share * turn[0], share * turn[1], share * turn[2]
    angle = math.sqrt(x * x + y * y + z * z)
    vx, vy, vz = vector
    if angle == 0.0:
        return vx, vy, vz
    x, y, z = x / angle, y / angle, z / angle
    sine, cosine = math.sin(angle), math.cos(angle)
    along = (x * vx + y * vy + z * vz) * (1.0 - cosine)
    return (
        vx * cosine + (y * vz - z * vy) * sine + x * along,
        vy * cosine + (z * vx - x * vz) * sine + y * along,
        vz * cosine + (x * vy - y * vx) * sine + z * along,
    )


@njit(cache=True, nogil=True, inline="always")
def _quaternion(m):
    """Return a rotation matrix (3, 3) as a unit quaternion r i j k, r >= 0.

    The divisor is the largest of the four components (S. W. Shepperd, Quaternion from rotation
    matrix, J. Guidance and Control 1(3), 1978, doi:10.2514/3.55767b).
    """
    xx, yy, zz = m[0, 0], m[1, 1], m[2, 2]
    rr, ii = 1.0 + xx + yy + zz, 1.0 + xx - yy - zz  # four times the squares of the components
    jj, kk = 1.0 - xx + yy - zz, 1.0 - xx - yy + zz
    ri, rj, rk = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]  # and products of two
    ij, ik, jk = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    if rr >= max(ii, jj, kk):
        r, i, j, k = rr, ri, rj, rk
    elif ii >= max(jj, kk):
        r, i, j, k = ri, ii, ij, ik
    elif jj >= kk:
        r, i, j, k = rj, ij, jj, jk
    else:
        r, i, j, k = rk, ik, jk, kk
    length = math.sqrt(r * r + i * i + j * j + k * k)
    if r < 0.0:
        length = -length
    return r / length, i / length, j / length, k / length


@njit(cache=True, nogil=True)
def write_quaternions(
    rotation,  # float64 (n, 3, 3)
    quaternion_out,  # float64 (n, 4) r i j k
):
    """Write rotation matrices as unit quaternions.

    ``rotation``, float64 (n, 3, 3), has the matrices. ``quaternion_out``, float64 (n, 4), is the
    output: r i j k with r >= 0. Every entry is written.
    """
    for n in range(rotation.shape[0]):
        r, i, j, k = _quaternion(rotation[n])
        quaternion_out[n, 0], quaternion_out[n, 1] = r, i
        quaternion_out[n, 2], quaternion_out[n, 3] = j, k


@njit(cache=True, nogil=True, inline="always")
def turn_between(
    # In:
    before,  # float64 (3, 3), or a larger matrix whose first rows and columns are the rotation
    after,  # likewise
    # Work:
    relative,  # float64 (3, 3)
):
    """Return the rotation vector [rad], in the parent frame, that turns ``before`` into ``after``.

    Both are matrices whose first three rows and columns are a rotation. ``relative``, (3, 3), is a
    work array. The result is a tuple (x, y, z).
    """
    for row in range(3):
        for column in range(3):
            total = 0.0
            for k in range(3):
                total += after[row, k] * before[column, k]
            relative[row, column] = total
    r, i, j, k = _quaternion(relative)
    sine = math.sqrt(i * i + j * j + k * k)
    scale = 2.0 * math.atan2(sine, r) / sine if sine > 0.0 else 2.0
    return scale * i, scale * j, scale * k


@njit(cache=True, nogil=True)
def write_turns(
    rotation,  # float64 (n_body, n, 3, 3)
    turn_out,  # float64 (n_body, n - 1, 3) [rad]
):
    """Write the rotation vector from each rotation of a body to the next one.

    ``rotation``, float64 (n_body, n, 3, 3), has the rotations of many bodies. ``turn_out``, float64
    (n_body, n - 1, 3), is the output: axis in the parent frame times angle [rad]. Every entry is
    written.
    """
    relative = np.empty((3, 3))
    for body in range(rotation.shape[0]):
        for n in range(rotation.shape[1] - 1):
            x, y, z = turn_between(rotation[body, n], rotation[body, n + 1], relative)
            turn_out[body, n, 0], turn_out[body, n, 1], turn_out[body, n, 2] = x, y, z


@njit(cache=True, nogil=True, inline="always")
def _first_from(key_time, time):
    """Return the row of the first key at or after a time; the number of keys if there is none.

    `np.searchsorted` returns the same, but numba's version of it loads scipy's linear algebra.
    """
    first, end = 0, len(key_time)
    while first < end:
        middle = (first + end) // 2
        if key_time[middle] < time:
            first = middle + 1
        else:
            end = middle
    return first


@njit(cache=True, nogil=True, inline="always")
def _write_pose(key_time, key_pose, turn, time, part, pose_out):
    """Write the pose (4, 4) of a part of a body at a time."""
    n_key = key_time.shape[0]
    key = min(max(_first_from(key_time, time) - 1, 0), max(n_key - 2, 0))
    share = 0.0
    if n_key > 1:
        share = (time - key_time[key]) / (key_time[key + 1] - key_time[key])
        share = min(max(share, 0.0), 1.0)
    start = key_pose[key]
    for column in range(4):
        x, y, z = part[0, column], part[1, column], part[2, column]
        vx = start[0, 0] * x + start[0, 1] * y + start[0, 2] * z
        vy = start[1, 0] * x + start[1, 1] * y + start[1, 2] * z
        vz = start[2, 0] * x + start[2, 1] * y + start[2, 2] * z
        if share > 0.0:
            vx, vy, vz = rotate(turn[key], share, (vx, vy, vz))
        pose_out[0, column], pose_out[1, column], pose_out[2, column] = vx, vy, vz
        pose_out[3, column] = 1.0 if column == 3 else 0.0
    for axis in range(3):
        moved = 0.0
        if share > 0.0:
            moved = share * (key_pose[key + 1, axis, 3] - start[axis, 3])
        pose_out[axis, 3] += start[axis, 3] + moved


@njit(cache=True, nogil=True)
def velocities_at(
    # In:
    key_time,  # float64 (n_key,) times of the given poses
    key_pose,  # float64 (n_key, 4, 4)
    turn,  # float64 (n_key - 1, 3) from each key to the next [rad]
    time,  # float64 (n,)
    part_pose,  # float64 (n, 4, 4) pose of the part at each time
    # Out:
    velocity_out,  # float64 (2, n, 3) velocity of the part's origin, turn rate; in the part's frame
):
    """Write velocity and turn rate of a part fixed to a body, at many times.

    They are 0 before the first given time and after the last one.

    Parameters
    ----------
    key_time : float64 (n_key,)
        Times of the given poses, increasing.
    key_pose : float64 (n_key, 4, 4)
        Given poses of the body. [m]
    turn : float64 (n_key - 1, 3)
        Rotation vectors from each given pose to the next. [rad]
    time : float64 (n,)
        Times at which velocities are wanted, in the unit of ``key_time``.
    part_pose : float64 (n, 4, 4)
        Poses of the part at these times, in the frame of ``key_pose``. [m]
    velocity_out : float64 (2, n, 3)
        Output: velocity of the part's origin [m per unit of time], then its turn rate [rad per unit
        of time], both in the part's frame. Every entry is written.
    """
    last = key_time.shape[0] - 1
    for n in range(time.shape[0]):
        if last < 1 or time[n] < key_time[0] or time[n] > key_time[last]:
            velocity_out[:, n] = 0.0
            continue
        key = min(max(_first_from(key_time, time[n]) - 1, 0), last - 1)
        start, end, pose = key_pose[key], key_pose[key + 1], part_pose[n]
        per_time = 1.0 / (key_time[key + 1] - key_time[key])
        share = (time[n] - key_time[key]) * per_time
        wx, wy, wz = per_time * turn[key, 0], per_time * turn[key, 1], per_time * turn[key, 2]
        mx, my, mz = end[0, 3] - start[0, 3], end[1, 3] - start[1, 3], end[2, 3] - start[2, 3]
        rx = pose[0, 3] - start[0, 3] - share * mx
        ry = pose[1, 3] - start[1, 3] - share * my
        rz = pose[2, 3] - start[2, 3] - share * mz
        vx = per_time * mx + wy * rz - wz * ry
        vy = per_time * my + wz * rx - wx * rz
        vz = per_time * mz + wx * ry - wy * rx
        for axis in range(3):
            x, y, z = pose[0, axis], pose[1, axis], pose[2, axis]
            velocity_out[0, n, axis] = x * vx + y * vy + z * vz
            velocity_out[1, n, axis] = x * wx + y * wy + z * wz


@njit(cache=True, nogil=True, parallel=True)
def poses_at(
    # In:
    key_time,  # float64 (n_key,) times of the given poses
    key_pose,  # float64 (n_key, 4, 4)
    turn,  # float64 (n_key - 1, 3) from each key to the next [rad]
    time,  # float64 (n,)
    part,  # float64 (4, 4) pose of the part in the body's frame
    # Out:
    pose_out,  # float64 (n, 4, 4)
):
    """Write the pose of a part fixed to one body at each of many times, in parallel.

    The body rests before the first given time and after the last one.

    Parameters
    ----------
    key_time : float64 (n_key,)
        Times of the given poses, increasing.
    key_pose : float64 (n_key, 4, 4)
        Given poses of the body. [m]
    turn : float64 (n_key - 1, 3)
        Rotation vectors from each given pose to the next. [rad]
    time : float64 (n,)
        Times at which poses are wanted, in the unit of ``key_time``.
    part : float64 (4, 4)
        Pose of the part in the body's frame. [m]
    pose_out : float64 (n, 4, 4)
        Output: poses of the part, in the frame of ``key_pose``. Every entry is written. [m]
    """
    for n in prange(time.shape[0]):
        _write_pose(key_time, key_pose, turn, time[n], part, pose_out[n])


@njit(cache=True, nogil=True)
def bodies_at(
    # In:
    key_time,  # float64 (n_key,) times of the given poses
    key_pose,  # float64 (n_body, n_key, 4, 4)
    turn,  # float64 (n_body, n_key - 1, 3) from each key to the next [rad]
    time,  # float64 (n,)
    part,  # float64 (4, 4) pose of the part in each body's frame
    # Out:
    pose_out,  # float64 (n_body, n, 4, 4)
):
    """Write the pose of a part of each of many bodies at a few times.

    The bodies rest before the first given time and after the last one.

    Parameters
    ----------
    key_time : float64 (n_key,)
        Times of the given poses, increasing, for all bodies.
    key_pose : float64 (n_body, n_key, 4, 4)
        Given poses of the bodies. [m]
    turn : float64 (n_body, n_key - 1, 3)
        Rotation vectors from each given pose to the next. [rad]
    time : float64 (n,)
        Times at which poses are wanted, in the unit of ``key_time``.
    part : float64 (4, 4)
        Pose of the part in its body's frame, the same for all bodies. [m]
    pose_out : float64 (n_body, n, 4, 4)
        Output: poses of the parts, in the frame of ``key_pose``. Every entry is written. [m]
    """
    for body in range(key_pose.shape[0]):
        for n in range(time.shape[0]):
            _write_pose(key_time, key_pose[body], turn[body], time[n], part, pose_out[body, n])
