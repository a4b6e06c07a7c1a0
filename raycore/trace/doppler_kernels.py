# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of radial velocity: how fast surfaces come nearer along rays.

A point p of a body that moves from one key pose to the next has the velocity

    v = (t1 - t0) / T + w x (p - t(s)),    t(s) = t0 + s (t1 - t0)

of the interpolation that rays are traced with: positions t go evenly, and the body turns evenly
about its own origin, with the rotation vector w T from key to key.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential
from raycore.pattern.fan_kernels import one_ray
from raycore.records import NOTHING

RESTS = -1
"""Body of an instance that does not move."""
_FARTHEST = 50.0
"""Squares of the pulse's length from which on a ray adds nothing: 1e-11 of its power."""


class MotionArrays(NamedTuple):
    """Motion of the bodies of a scene, and of the sensor, while rays are traced."""

    body_of_instance: object  # int64 (n_instance,) RESTS where there is none
    key_time: object  # float64 (n_key,) [s]
    key_pose: object  # float64 (n_body, n_key, 4, 4) world_from_body [m]
    turn_rad: object  # float64 (n_body, n_key - 1, 3) from each key to the next
    world_from_sensor: object  # float64 (n_pose, 4, 4) [m]
    sensor_m_s: object  # float64 (n_pose, 3) of the sensor's origin, in the sensor frame
    sensor_rad_s: object  # float64 (n_pose, 3) its turn, in the sensor frame
    time: object  # float64 (n_beam | 1,) when each beam fires [s]
    moment: object  # uint32 (n_beam | 1,) row of the sensor's pose


class MetRays(NamedTuple):
    """Rays of beams, as in `raycore.records`, and what they met."""

    origin_m: object  # these four: see RayArrays
    direction: object
    fan: object
    fan_of_beam: object
    range_m: object  # float32 (n_ray,)
    instance: object  # uint32 (n_ray,)
    power: object  # float64 (n_ray | 1,) of the light that comes back, in any unit


class SeenEchoes(NamedTuple):
    """Echoes of the beams."""

    row: object  # int64 (n,) of the beam in the rays
    beam: object  # uint32 (n,) in the columns of the motion
    range_m: object  # float32 (n,)
    on_surface: object  # bool (n,) whether a surface has sent it


@njit(cache=True, nogil=True, error_model="numpy", parallel=True)
def closing_speeds(
    # In:
    motion,  # see MotionArrays
    met,  # see MetRays
    echoes,  # see SeenEchoes
    sigma_m,  # rms length of the pulse in range
    # Out:
    speed_out,  # float64 (n,) [m/s]
):
    """Write how fast the surfaces of echoes come nearer to the sensor.

    The rays of a beam count by their power in the pulse at the range of the echo. What is of no
    surface is taken to rest in the world.
    """
    n_sub = met.fan.shape[2]
    for i in prange(len(echoes.row)):
        of, range_m = echoes.beam[i], echoes.range_m[i]
        when = (
            motion.time[of if motion.time.shape[0] > 1 else np.uint32(0)],
            motion.moment[of if motion.moment.shape[0] > 1 else np.uint32(0)],
        )
        first = echoes.row[i] * n_sub
        nearest = np.inf
        if echoes.on_surface[i]:
            nearest = _nearest(met, first, n_sub, range_m)
        if nearest == np.inf:
            speed_out[i] = _speed_of_ray(motion, met, first, when, range_m, RESTS)
            continue
        total, speed = 0.0, 0.0
        for ray in range(first, first + n_sub):
            beyond = (met.range_m[ray] - range_m) ** 2 - nearest
            power = _power_of(met, ray)
            if power > 0.0 and beyond < _FARTHEST * sigma_m * sigma_m:
                share = power * exponential(-0.5 * beyond / (sigma_m * sigma_m))
                body = motion.body_of_instance[met.instance[ray]]
                total += share
                speed += share * _speed_of_ray(motion, met, ray, when, met.range_m[ray], body)
        speed_out[i] = speed / total


@njit(cache=True, nogil=True)
def _nearest(met, first, n_sub, range_m):
    """Return the squared distance of the nearest ray with light to a range; infinite if none."""
    nearest = np.inf
    for ray in range(first, first + n_sub):
        if _power_of(met, ray) > 0.0:
            nearest = min(nearest, (met.range_m[ray] - range_m) ** 2)
    return nearest


@njit(cache=True, nogil=True, inline="always")
def _power_of(met, ray):
    """Return the power of a ray, 0 of one that has met nothing."""
    if met.instance[ray] == NOTHING:
        return 0.0
    return met.power[ray if met.power.shape[0] > 1 else 0]


@njit(cache=True, nogil=True, error_model="numpy")
def _speed_of_ray(motion, met, ray, when, range_m, body):
    """Return how fast a point at a range of a ray comes nearer, as part of a body. [m/s]."""
    time, pose = when
    along, start = one_ray(ray, met.origin_m, met.direction, met.fan, met.fan_of_beam)
    x, y, z = float(along[0]), float(along[1]), float(along[2])
    sx, sy, sz = float(start[0]), float(start[1]), float(start[2])
    u, w = motion.sensor_m_s[pose], motion.sensor_rad_s[pose]
    speed = (
        x * (u[0] + w[1] * sz - w[2] * sy)
        + y * (u[1] + w[2] * sx - w[0] * sz)
        + z * (u[2] + w[0] * sy - w[1] * sx)
    )
    if body == RESTS:
        return speed
    frame = motion.world_from_sensor[pose]
    px, py, pz = sx + range_m * x, sy + range_m * y, sz + range_m * z
    place = (
        frame[0, 0] * px + frame[0, 1] * py + frame[0, 2] * pz + frame[0, 3],
        frame[1, 0] * px + frame[1, 1] * py + frame[1, 2] * pz + frame[1, 3],
        frame[2, 0] * px + frame[2, 1] * py + frame[2, 2] * pz + frame[2, 3],
    )
    vx, vy, vz = _velocity_at(
        motion.key_time, motion.key_pose[body], motion.turn_rad[body], time, place
    )
    return speed - (
        vx * (frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z)
        + vy * (frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z)
        + vz * (frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z)
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _velocity_at(key_time, key_pose, turn_rad, time, place):
    """Return the velocity of a place that is fixed to a body; zero before and after all keys."""
    last = len(key_time) - 1
    if last < 1 or time < key_time[0] or time > key_time[last]:
        return 0.0, 0.0, 0.0
    key = 0
    while key < last - 1 and time > key_time[key + 1]:
        key += 1
    takes = key_time[key + 1] - key_time[key]
    share = (time - key_time[key]) / takes
    start, end, turn = key_pose[key], key_pose[key + 1], turn_rad[key]
    mx, my, mz = end[0, 3] - start[0, 3], end[1, 3] - start[1, 3], end[2, 3] - start[2, 3]
    rx = place[0] - start[0, 3] - share * mx
    ry = place[1] - start[1, 3] - share * my
    rz = place[2] - start[2, 3] - share * mz
    return (
        (mx + turn[1] * rz - turn[2] * ry) / takes,
        (my + turn[2] * rx - turn[0] * rz) / takes,
        (mz + turn[0] * ry - turn[1] * rx) / takes,
    )
