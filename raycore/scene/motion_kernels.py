# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of motion: interpolation between the poses of bodies."""

from __future__ import annotations

import math

from numba import prange

from lidar_base.compiled import njit


@njit(cache=True, nogil=True, inline="always")
def rotate(turn, share, vector):
    """Turn a vector by a share of a rotation vector [rad] (Rodrigues' formula)."""
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
def _first_from(key_time, time):
    """Return the row of the first key at or after a time; the number of keys if there is none.

    It is what `np.searchsorted` returns, of which numba's version loads scipy's linear algebra.
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


@njit(cache=True, nogil=True, parallel=True)
def poses_at(
    # In:
    key_time,  # float64 (n_key,)
    key_pose,  # float64 (n_key, 4, 4)
    turn,  # float64 (n_key - 1, 3) from each key to the next [rad]
    time,  # float64 (n,)
    part,  # float64 (4, 4) in the body's frame
    # Out:
    pose_out,  # float64 (n, 4, 4)
):
    """Write the pose (4, 4) of a part of one body at many times."""
    for n in prange(time.shape[0]):
        _write_pose(key_time, key_pose, turn, time[n], part, pose_out[n])


@njit(cache=True, nogil=True)
def bodies_at(
    # In:
    key_time,  # float64 (n_key,)
    key_pose,  # float64 (n_body, n_key, 4, 4)
    turn,  # float64 (n_body, n_key - 1, 3) from each key to the next [rad]
    time,  # float64 (n,)
    part,  # float64 (4, 4) in the bodies' frames
    # Out:
    pose_out,  # float64 (n_body, n, 4, 4)
):
    """Write the pose (4, 4) of a part of each of many bodies, at a few times."""
    for body in range(key_pose.shape[0]):
        for n in range(time.shape[0]):
            _write_pose(key_time, key_pose[body], turn[body], time[n], part, pose_out[body, n])
