# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of radial velocity: how fast surfaces come nearer along rays.

A point p of a body that moves from one key pose to the next has the velocity

    v = (t1 - t0) / T + w x (p - t(s)),    t(s) = t0 + s (t1 - t0)

as in the interpolation that rays are traced with: the position t changes linearly, and the body
turns evenly about its own origin, with the rotation vector w T from key to key.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential
from lidar_base.memory_kernels import borrowed
from raycore.pattern.fan_kernels import one_ray
from raycore.records import NOTHING
from raycore.trace.legs import STRAIGHT

RESTS = -1
"""Value of `MotionArrays.body_of_instance` for an instance that does not move."""
ONE_INSTANCE, SEVERAL, AGAIN = 0, 1, 2
"""Kinds of beams: all rays have met one instance; perhaps several; the second look counts."""
FARTHEST = 7.0
"""Distance from an echo, in rms pulse lengths, beyond which a ray adds no light to it.

Light from there adds at most 2.3e-11 of its power."""


class MotionArrays(NamedTuple):
    """Motion of a scene's moving bodies (objects or their parts), and of the sensor, in a scan.

    - ``body_of_instance``: index of each mesh instance's body; `RESTS` if it does not move
    - ``key_time``, ``key_pose``: times [s] in the scan, and poses world_from_body [m] at them
    - ``turn_rad``: rotation vector [rad] of a body from each known pose to the next, in the world
    - ``world_from_sensor``: poses of the sensor [m]
    - ``sensor_m_s``, ``sensor_rad_s``: velocity [m/s] and angular velocity [rad/s], in its frame
    - ``time``: when each beam fires after the scan's start [s]; one value stands for all
    - ``moment``: row of ``world_from_sensor`` of each beam; one value stands for all
    """

    body_of_instance: np.ndarray  # int64 (n_instance,) index of its body; RESTS: it does not move
    key_time: np.ndarray  # float64 (n_key,) after the start of the scan [s]
    key_pose: np.ndarray  # float64 (n_body, n_key, 4, 4) world_from_body [m]
    turn_rad: np.ndarray  # float64 (n_body, n_key - 1, 3) rotation vector from key pose to key pose
    world_from_sensor: np.ndarray  # float64 (n_pose, 4, 4) [m]
    sensor_m_s: np.ndarray  # float64 (n_pose, 3) velocity of the sensor, in the sensor frame
    sensor_rad_s: np.ndarray  # float64 (n_pose, 3) angular velocity, in the sensor frame
    time: np.ndarray  # float64 (n_beam | 1,) when each beam fires [s]
    moment: np.ndarray  # uint32 (n_beam | 1,) row of the sensor's pose


class MetRays(NamedTuple):
    """Rays of beams, n_sub for each, and the surfaces that they met; vectors in the sensor frame.

    A last leg is the part of a ray's path after its last mirror.

    - ``origin_m``, ``direction``, ``fan``, ``fan_of_beam``: the rays, as in `records.RayArrays`
    - ``range_m``, ``instance``: range [m] of each ray, and mesh instance that it met, or NOTHING
    - ``leg_of_ray``: row of each ray's last leg in the next three; STRAIGHT without one
    - ``leg_origin_m``, ``leg_direction``: float32 (n_leg, 3) mirror image of its start, unit vector
    - ``leg_m_s``: closing speed that moving mirrors add on the way to the leg [m/s]
    - ``sigma_m``: root mean square length of the pulse in range [m]
    """

    origin_m: np.ndarray  # these four: see records.RayArrays
    direction: np.ndarray
    fan: np.ndarray
    fan_of_beam: np.ndarray
    range_m: np.ndarray  # float32 (n_ray,)
    instance: np.ndarray  # uint32 (n_ray,)
    leg_of_ray: np.ndarray  # these three: see legs.LastLegs
    leg_origin_m: np.ndarray
    leg_direction: np.ndarray
    leg_m_s: np.ndarray  # float64 (n_leg,) speed that moving mirrors add on the way to it
    sigma_m: float  # rms length of the pulse in range


class Looks(NamedTuple):
    """Hits of all beams (``first``), and of those traced a second time with more rays (``again``).

    ``kind``, uint8 (n_beam or 1,), is `ONE_INSTANCE` or `SEVERAL`, what its rays in ``first`` met,
    or `AGAIN`: the hits in ``again`` count, at row ``row_again``, int32 (n_beam or 0,).
    """

    first: MetRays  # of all beams
    again: MetRays  # of some beams, in the second look
    kind: np.ndarray  # uint8 (n_beam | 1,) ONE_INSTANCE, SEVERAL or AGAIN
    row_again: np.ndarray  # int32 (n_beam | 0,) row in the second look of those with AGAIN


class SeenEchoes(NamedTuple):
    """Echoes whose radial velocities are computed: arrays with a row for each, and two marks.

    ``beam``, uint32, is the index of the echo's beam in the scan pattern, and ``range_m``, float32,
    its range. ``object_id``, uint64, is the OSI id of its object, or ``no_object``;
    ``material_id``, uint16, is the index of its material, or ``no_material`` if it is from no
    surface, such as rain. Echoes of no surface are taken to rest.
    """

    beam: np.ndarray  # uint32 (n,) index of the beam, in MotionArrays and Looks.first
    range_m: np.ndarray  # float32 (n,)
    object_id: np.ndarray  # uint64 (n,)
    material_id: np.ndarray  # uint16 (n,)
    no_object: int  # id for points of no object, which never move
    no_material: int  # material of echoes from no surface


class Speeds(NamedTuple):
    """Output of the kernels: radial velocity of each echo, positive if its surface comes nearer.

    It is written to ``speed`` and ``column`` (the points' field), float32 (n,) [m/s]. ``mixed_in``,
    uint8 (n,), is 0 if the echo's light comes from one body. If from several: 1 or 2, for the first
    or second hits in `Looks`, whichever count.
    """

    speed: np.ndarray  # float32 (n,) [m/s]
    column: np.ndarray  # float32 (n,) the same, as the field radial_velocity of points [m/s]
    mixed_in: np.ndarray  # uint8 (n,) 1, 2: look in which several bodies send its light; 0: none


@njit(cache=True, nogil=True, threads=True)
def closing_speeds(
    # In:
    motion,  # see MotionArrays
    looks,  # see Looks
    echoes,  # see SeenEchoes
    n_workers,
    # Out:
    speeds_out,  # see Speeds
):
    """Write how fast the surface of each echo comes nearer to the sensor, along the beam's axis.

    ``motion`` is a `MotionArrays`, ``looks`` a `Looks`, ``echoes`` a `SeenEchoes`; ``n_workers`` is
    the number of threads. Every row of ``speeds_out``, a `Speeds`, is written, positive towards the
    sensor [m/s]. Echoes from no surface, such as rain, are taken to rest in the world.
    """
    in_threads(_blocks, n_workers, (new_deal(), motion, looks, echoes, speeds_out))


@njit(cache=True, nogil=True, error_model="numpy")
def _blocks(deal, motion, looks, echoes, speeds_out):
    """Process one block after the other; the arguments as for `closing_speeds`."""
    motion, looks, echoes = borrowed(motion), borrowed(looks), borrowed(echoes)
    speed_out, column_out, mixed_out = borrowed(speeds_out)
    while True:
        begin = take_block(deal) * BLOCK
        if begin >= len(speed_out):
            break
        for i in range(begin, min(begin + BLOCK, len(speed_out))):
            n = np.uint64(i)
            beam = np.uint64(echoes.beam[n])
            kind = looks.kind[beam if looks.kind.shape[0] > 1 else np.uint64(0)]
            if kind == ONE_INSTANCE and echoes.object_id[n] == echoes.no_object:
                axis = _axis(looks.first, beam)  # it rests: no need to look at its rays
                speed = _speed(motion, (axis, axis), beam, echoes.range_m[n], RESTS)
                mixed_out[n] = 0
            elif kind == AGAIN:
                row = np.uint64(looks.row_again[beam])
                speed, is_mixed = _closing(motion, looks.again, row, echoes, n)
                mixed_out[n] = 2 if is_mixed else 0
            else:
                speed, is_mixed = _closing(motion, looks.first, beam, echoes, n)
                mixed_out[n] = 1 if is_mixed else 0
            speed_out[n] = column_out[n] = speed


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _closing(motion, met, row, echoes, n):
    """Return how fast an echo's surface comes nearer, and whether several bodies send its light."""
    n_sub, range_m, leg, is_mixed = met.fan.shape[2], echoes.range_m[n], np.int32(STRAIGHT), False
    first = row * np.uint64(n_sub)
    if met.leg_of_ray.shape[0] == 0 and _is_one_instance(met.instance, first, n_sub):
        body = motion.body_of_instance[met.instance[first]]
    else:
        body, leg, is_mixed = _body_of(motion, met, first, n_sub, range_m)
    moves = body != RESTS or is_mixed or leg != STRAIGHT
    if moves and echoes.material_id[n] == echoes.no_material:  # checked last: far in memory
        body, leg, is_mixed = RESTS, np.int32(STRAIGHT), False
    axis = _axis(met, row)
    legs = axis, _last_leg(met, axis, leg)
    speed = _speed(motion, legs, np.uint64(echoes.beam[n]), range_m, body)
    return speed + met.leg_m_s[leg] if leg != STRAIGHT else speed, is_mixed


@njit(cache=True, nogil=True, inline="always")
def _is_one_instance(instance, first, n):
    """Return whether all of some rays have met the same instance."""
    one, others = instance[first], np.uint32(0)
    for k in range(np.uint64(n)):
        others |= instance[first + k] ^ one
    return others == 0 and one != NOTHING


@njit(cache=True, nogil=True, error_model="numpy")
def _body_of(motion, met, first, n, range_m):
    """Return the body in an echo, a last leg to it, and whether the echo has more bodies."""
    body, leg, is_known, is_mixed = RESTS, np.int32(STRAIGHT), False, False
    for k in range(n):
        ray = first + np.uint64(k)
        if met.instance[ray] == NOTHING:
            continue
        if abs(met.range_m[ray] - range_m) <= FARTHEST * met.sigma_m:
            one, back = motion.body_of_instance[met.instance[ray]], _leg_of(met, ray)
            is_mixed |= is_known and (one != body or (back == STRAIGHT) != (leg == STRAIGHT))
            body, leg, is_known = one, back, True
    return body, leg, is_mixed


class MixedEchoes(NamedTuple):
    """Echoes with light from several bodies, all from the first or all from the second hits.

    ``echo``, int64 (n,), is the row in `SeenEchoes`, ``row``, int64 (n,), the beam's row in the
    `MetRays` of these hits. ``power``, float64 (n, n_sub), is the power on each ray, in any unit.
    """

    echo: np.ndarray  # int64 (n,) index in SeenEchoes
    row: np.ndarray  # int64 (n,) row of the echo's beam in this look
    power: np.ndarray  # float64 (n, n_sub) power on each ray of this beam, in any unit


@njit(cache=True, nogil=True, error_model="numpy", parallel=True)
def mixed_speeds(
    # In:
    motion,  # see MotionArrays
    met,  # see MetRays
    echoes,  # see SeenEchoes
    mixed,  # see MixedEchoes
    # Out:
    speeds_out,  # speeds of all echoes, see Speeds; only those in ``mixed`` are written
):
    """Write how fast surfaces come nearer, for the echoes with light from several bodies.

    ``motion`` is a `MotionArrays`, ``met`` the `MetRays` of these echoes' beams, ``echoes`` all
    `SeenEchoes`. ``mixed`` (`MixedEchoes`) selects echoes; only their rows in ``speeds_out`` are
    overwritten. The speed is a mean over a beam's rays, weighted by their power in the pulse at the
    echo's range; it stays as it is if no ray has power there.
    """
    speed_out, column_out, _ = speeds_out  # not in the loop: numba would write to copies there
    index, row, power = mixed
    n_sub = power.shape[1]
    for i in prange(len(index)):
        total, speed, echo = 0.0, 0.0, index[i]
        for n in range(n_sub):
            ray = np.uint64(row[i] * n_sub + n)
            off = (met.range_m[ray] - echoes.range_m[echo]) / met.sigma_m
            if met.instance[ray] == NOTHING or abs(off) > FARTHEST or not power[i, n] > 0.0:
                continue
            share = power[i, n] * exponential(-0.5 * off * off)
            first = one_ray(ray, met.origin_m, met.direction, met.fan, met.fan_of_beam)
            leg = _leg_of(met, ray)
            legs = first, _last_leg(met, first, leg)
            body = motion.body_of_instance[met.instance[ray]]
            of = np.uint64(echoes.beam[echo])
            one = _speed(motion, legs, of, met.range_m[ray], body)
            speed += share * (one + met.leg_m_s[leg] if leg != STRAIGHT else one)
            total += share
        if total > 0.0:
            speed_out[echo] = column_out[echo] = speed / total


@njit(cache=True, nogil=True, error_model="numpy")
def mirror_speeds(
    # In:
    motion,  # see MotionArrays
    bounces,  # see legs.Bounces
    beam_of_leg,  # uint32 (n_leg,)
    # Out:
    leg_m_s_out,  # float64 (n_leg,) zeros on entry
):
    """Add up, for each last leg, the closing speeds of the moving mirrors before it [m/s].

    A last leg is the part of a ray's path after its last mirror. ``motion`` is a `MotionArrays`.
    ``bounces`` has the reflections at mirrors, each with the leg that it belongs to;
    ``beam_of_leg``, uint32 (n_leg,), is the beam of each leg. The sums are added to
    ``leg_m_s_out``, float64 (n_leg,), which must be zero on entry.

    A mirror that turns light from e to e' and moves by u makes the way longer by u (e - e').
    """
    leg, instance, place_m, turn = bounces
    for i in range(len(leg)):
        body = motion.body_of_instance[instance[i]]
        if body == RESTS:
            continue
        none = 0.0, 0.0, 0.0
        at = place_m[i, 0], place_m[i, 1], place_m[i, 2]
        way = turn[i, 0], turn[i, 1], turn[i, 2]
        legs = (none, none), (way, at)
        leg_m_s_out[leg[i]] += _speed(motion, legs, np.uint64(beam_of_leg[leg[i]]), 0.0, body)


@njit(cache=True, nogil=True, inline="always")
def _axis(met, row):
    """Return direction and start of a beam."""
    o = row if met.origin_m.shape[0] > 1 else np.uint64(0)
    return (
        (met.direction[0, row], met.direction[1, row], met.direction[2, row]),
        (met.origin_m[o, 0], met.origin_m[o, 1], met.origin_m[o, 2]),
    )


@njit(cache=True, nogil=True, inline="always")
def _leg_of(met, ray):
    """Return the row of a ray's last leg; STRAIGHT if the ray has met no mirror."""
    return met.leg_of_ray[ray] if met.leg_of_ray.shape[0] > 0 else np.int32(STRAIGHT)


@njit(cache=True, nogil=True, inline="always")
def _last_leg(met, first, leg):
    """Return direction and start of the last leg, which may be the only one."""
    if leg == STRAIGHT:
        return first
    origin, along = met.leg_origin_m, met.leg_direction
    return (
        (along[leg, 0], along[leg, 1], along[leg, 2]),
        (origin[leg, 0], origin[leg, 1], origin[leg, 2]),
    )


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _speed(motion, legs, beam, range_m, body):
    """Return how fast the point of a body at a range of a path comes nearer [m/s].

    The sensor's motion counts along the first leg, the body's along the last leg; the motion of
    mirrors is added elsewhere.
    """
    (along, start), (last_along, last_start) = legs
    x, y, z = float(along[0]), float(along[1]), float(along[2])
    sx, sy, sz = float(start[0]), float(start[1]), float(start[2])
    pose = np.uint64(motion.moment[beam if motion.moment.shape[0] > 1 else np.uint64(0)])
    u, w, frame = motion.sensor_m_s, motion.sensor_rad_s, motion.world_from_sensor
    speed = (
        x * (u[pose, 0] + w[pose, 1] * sz - w[pose, 2] * sy)
        + y * (u[pose, 1] + w[pose, 2] * sx - w[pose, 0] * sz)
        + z * (u[pose, 2] + w[pose, 0] * sy - w[pose, 1] * sx)
    )
    if body != RESTS:
        time = motion.time[beam if motion.time.shape[0] > 1 else np.uint64(0)]
        x, y, z = float(last_along[0]), float(last_along[1]), float(last_along[2])
        px, py, pz = (
            last_start[0] + range_m * x, last_start[1] + range_m * y, last_start[2] + range_m * z,
        )  # fmt: skip
        vx, vy, vz = _velocity_at(
            motion,
            body,
            time,
            (
                _in_world(frame, pose, 0, px, py, pz) + frame[pose, 0, 3],
                _in_world(frame, pose, 1, px, py, pz) + frame[pose, 1, 3],
                _in_world(frame, pose, 2, px, py, pz) + frame[pose, 2, 3],
            ),
        )
        speed -= (
            vx * _in_world(frame, pose, 0, x, y, z)
            + vy * _in_world(frame, pose, 1, x, y, z)
            + vz * _in_world(frame, pose, 2, x, y, z)
        )
    return speed


@njit(cache=True, nogil=True, inline="always")
def _in_world(frame, pose, axis, x, y, z):
    """Return one component, in the world, of a vector in the sensor frame."""
    return frame[pose, axis, 0] * x + frame[pose, axis, 1] * y + frame[pose, axis, 2] * z


@njit(cache=True, nogil=True, error_model="numpy")
def _velocity_at(motion, body, time, place):
    """Return the velocity of a place that is fixed to a body; zero before and after all keys."""
    key_time, pose, turn = motion.key_time, motion.key_pose, motion.turn_rad
    last = len(key_time) - 1
    if last < 1 or time < key_time[0] or time > key_time[last]:
        return 0.0, 0.0, 0.0
    key = 0
    while key < last - 1 and time > key_time[key + 1]:
        key += 1
    takes = key_time[key + 1] - key_time[key]
    share = (time - key_time[key]) / takes
    mx = pose[body, key + 1, 0, 3] - pose[body, key, 0, 3]
    my = pose[body, key + 1, 1, 3] - pose[body, key, 1, 3]
    mz = pose[body, key + 1, 2, 3] - pose[body, key, 2, 3]
    rx = place[0] - pose[body, key, 0, 3] - share * mx
    ry = place[1] - pose[body, key, 1, 3] - share * my
    rz = place[2] - pose[body, key, 2, 3] - share * mz
    wx, wy, wz = turn[body, key, 0], turn[body, key, 1], turn[body, key, 2]
    return (
        (mx + wy * rz - wz * ry) / takes,
        (my + wz * rx - wx * rz) / takes,
        (mz + wx * ry - wy * rx) / takes,
    )
