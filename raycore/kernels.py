# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels: pack rays, call Embree, unpack hits.

Rays are traced in packets of neighbours in azimuth, packets in blocks, and the blocks are dealt
out in turn to the threads, because the upper half of a scan is mostly sky. Every block writes to
a place of its own, so the result does not depend on how many threads there are.
"""

from __future__ import annotations

import math

import llvmlite.binding
import numba
import numpy as np
from numba import njit, prange, types

from raycore.embree import MASK_LASER, device, function_address

BLOCK = 1024
"""Rays of one block: the unit of work that a thread takes, a multiple of every packet width."""

# Rows of a packet, each as long as the packet is wide: RTCRayHit4/8/16 of Embree 4, in words.
ORG, TNEAR, DIR, TIME, TFAR, MASK, ID, FLAGS = 0, 3, 4, 7, 8, 9, 10, 11
NG, U, V, PRIM, GEOM, INST, INST_PRIM = 12, 15, 16, 17, 18, 19, 20
PACKET_ROWS = 21

RAY_QUERY_COHERENT = 1 << 16
FEATURES_ALL = 0xFFFFFFFF
INVALID = 0xFFFFFFFF  # RTC_INVALID_GEOMETRY_ID: the ray met nothing

_INTERSECT = types.void(types.intp, types.intp, types.intp, types.intp)


def _external(name: str) -> types.ExternalFunction:
    """Make an Embree function callable by symbol, which keeps compiled kernels cacheable."""
    llvmlite.binding.add_symbol(name, function_address(name))
    return types.ExternalFunction(name, _INTERSECT)


_rtc_intersect_4 = _external("rtcIntersect4")
_rtc_intersect_8 = _external("rtcIntersect8")
_rtc_intersect_16 = _external("rtcIntersect16")


def packet_width() -> int:
    """Return how many rays travel together on this processor."""
    return device().native_packet_width()


@njit(cache=True, nogil=True, inline="always")
def _aligned(size_in_words: int) -> np.ndarray:
    """Return a float32 array that starts at a 64-byte boundary, as Embree demands."""
    raw = np.zeros(size_in_words + 16, np.float32)
    skip = (64 - raw.ctypes.data % 64) % 64 // 4
    return raw[skip : skip + size_in_words]


@njit(cache=True, nogil=True, inline="always")
def _pack(
    # In:
    first,
    n_lanes,
    width,
    origin,
    direction,
    time,
    start,
    moment,
    pose,
    max_range,
    # Out:
    valid_out,
    packet_out,
    words_out,
):
    """Fill a packet with the rays from ``first`` on, in the anchor frame."""
    for lane in range(width):
        valid_out[lane] = -1 if lane < n_lanes else 0
    for lane in range(n_lanes):
        ray = first + lane
        from_ = ray if origin.shape[0] > 1 else 0
        at = moment[ray] if moment.shape[0] > 1 else moment[0]
        dx, dy, dz = direction[ray, 0], direction[ray, 1], direction[ray, 2]
        ox, oy, oz = origin[from_, 0], origin[from_, 1], origin[from_, 2]
        for axis in range(3):
            packet_out[(DIR + axis) * width + lane] = (
                pose[at, axis, 0] * dx + pose[at, axis, 1] * dy + pose[at, axis, 2] * dz
            )
            packet_out[(ORG + axis) * width + lane] = (
                pose[at, axis, 0] * ox + pose[at, axis, 1] * oy + pose[at, axis, 2] * oz
            ) + pose[at, axis, 3]
        packet_out[TNEAR * width + lane] = start[ray] if start.shape[0] > 1 else start[0]
        packet_out[TFAR * width + lane] = max_range
        packet_out[TIME * width + lane] = time[ray] if time.shape[0] > 1 else time[0]
        words_out[MASK * width + lane] = MASK_LASER
        words_out[FLAGS * width + lane] = 0
        words_out[GEOM * width + lane] = INVALID
        words_out[INST * width + lane] = INVALID


@njit(cache=True, nogil=True, inline="always")
def _intersect(width, valid, scene, packet, arguments):
    """Let Embree find the nearest hit of each ray of a packet."""
    if width == 16:
        _rtc_intersect_16(valid.ctypes.data, scene, packet.ctypes.data, arguments.ctypes.data)
    elif width == 8:
        _rtc_intersect_8(valid.ctypes.data, scene, packet.ctypes.data, arguments.ctypes.data)
    else:
        _rtc_intersect_4(valid.ctypes.data, scene, packet.ctypes.data, arguments.ctypes.data)


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


@njit(cache=True, nogil=True)
def _turned(turn, time, vector):
    """Turn a normal as its instance has turned from time 0 on, step by step."""
    n_steps = turn.shape[0]
    done = time * n_steps
    for step in range(n_steps):
        share = min(done - step, 1.0)
        if share > 0.0:
            vector = rotate(turn[step], share, vector)
    return vector


@njit(cache=True, nogil=True, inline="always")
def _unpack(
    # Scene:
    normal_from_mesh,
    turning_row,
    turn,
    # In:
    first,
    n_lanes,
    width,
    direction,
    moment,
    pose,
    packet,
    words,
    # Out: from row ``hit`` on
    hit,
    beam_out,
    range_out,
    normal_out,
    cosine_out,
    instance_out,
    primitive_out,
    uv_out,
):
    """Write the hits of a packet and return the row after the last one."""
    for lane in range(n_lanes):
        instance = words[INST * width + lane]
        if instance == INVALID:
            continue
        ray = first + lane
        beam_out[hit] = ray
        range_out[hit] = packet[TFAR * width + lane]
        instance_out[hit] = instance
        primitive_out[hit] = words[PRIM * width + lane]
        uv_out[hit, 0] = packet[U * width + lane]
        uv_out[hit, 1] = packet[V * width + lane]
        # the normal of Embree is the mesh's: to the anchor frame, then to the sensor's
        gx = packet[NG * width + lane]
        gy = packet[(NG + 1) * width + lane]
        gz = packet[(NG + 2) * width + lane]
        matrix = normal_from_mesh[instance]
        ax = matrix[0, 0] * gx + matrix[0, 1] * gy + matrix[0, 2] * gz
        ay = matrix[1, 0] * gx + matrix[1, 1] * gy + matrix[1, 2] * gz
        az = matrix[2, 0] * gx + matrix[2, 1] * gy + matrix[2, 2] * gz
        row = turning_row[instance]
        if row >= 0:
            ax, ay, az = _turned(turn[row], packet[TIME * width + lane], (ax, ay, az))
        at = moment[ray] if moment.shape[0] > 1 else moment[0]
        nx = pose[at, 0, 0] * ax + pose[at, 1, 0] * ay + pose[at, 2, 0] * az
        ny = pose[at, 0, 1] * ax + pose[at, 1, 1] * ay + pose[at, 2, 1] * az
        nz = pose[at, 0, 2] * ax + pose[at, 1, 2] * ay + pose[at, 2, 2] * az
        dot = nx * direction[ray, 0] + ny * direction[ray, 1] + nz * direction[ray, 2]
        length = math.sqrt(nx * nx + ny * ny + nz * nz)
        scale = np.float32((-1.0 if dot > 0.0 else 1.0) / length)
        normal_out[hit, 0] = nx * scale
        normal_out[hit, 1] = ny * scale
        normal_out[hit, 2] = nz * scale
        cosine_out[hit] = min(abs(dot) / length, np.float32(1.0))
        hit += 1
    return hit


@njit(cache=True, nogil=True, parallel=True)
def trace_packets(
    # Scene:
    scene,
    normal_from_mesh,  # float32 (n_instance, 3, 3) normals from mesh to anchor frame, at time 0
    turning_row,  # int32 (n_instance,) row of turn, -1 for what does not turn
    turn,  # float32 (n_turning, n_step - 1, 3) from each time step to the next [rad]
    # In:
    origin,  # float32 (n_ray | 1, 3) sensor frame [m]
    direction,  # float32 (n_ray, 3) sensor frame
    time,  # float32 (n_ray | 1,)
    start,  # float32 (n_ray | 1,) range from which on surfaces count [m]
    moment,  # uint32 (n_ray | 1,) row of pose
    pose,  # float32 (n_pose, 3, 4) anchor from sensor [m]
    max_range,
    width,
    coherent,
    n_workers,
    # Out: hits of block b stand from b * BLOCK on, count_out[b] of them
    count_out,
    beam_out,
    range_out,
    normal_out,
    cosine_out,
    instance_out,
    primitive_out,
    uv_out,
):
    """Trace all rays and leave each block's hits together at the block's start."""
    n_rays = direction.shape[0]
    n_blocks = count_out.shape[0]
    for worker in prange(n_workers):
        packet = _aligned(PACKET_ROWS * width)
        words = packet.view(np.uint32)
        valid = _aligned(width).view(np.int32)
        # RTCIntersectArguments: flags, feature mask, then null context and functions
        arguments = np.zeros(6, np.uint64)
        arguments.view(np.uint32)[0] = RAY_QUERY_COHERENT if coherent else 0
        arguments.view(np.uint32)[1] = FEATURES_ALL
        for block in range(worker, n_blocks, n_workers):
            place = block * BLOCK
            hit = place
            for first in range(place, min(place + BLOCK, n_rays), width):
                n_lanes = min(width, n_rays - first)
                _pack(
                    first, n_lanes, width, origin, direction, time, start, moment, pose, max_range,
                    valid, packet, words,
                )  # fmt: skip
                _intersect(width, valid, scene, packet, arguments)
                hit = _unpack(
                    normal_from_mesh, turning_row, turn, first, n_lanes, width, direction, moment,
                    pose, packet, words, hit, beam_out, range_out, normal_out, cosine_out,
                    instance_out, primitive_out, uv_out,
                )  # fmt: skip
            count_out[block] = hit - place


@njit(cache=True, nogil=True, parallel=True)
def gather_hits(
    # Scene:
    mesh_of_instance,  # uint32 (n_instance,)
    first_face,  # int64 (n_mesh,) where a mesh's faces start in the two arrays below
    face_of_primitive,  # uint32 (n_face of all meshes,) Embree's primitive to the mesh's face
    slot_of_primitive,  # uint16 (n_face of all meshes,)
    # In: as trace_packets leaves it
    count,
    beam,
    range_m,
    normal,
    cosine,
    instance,
    primitive,
    uv,
    # Out: all hits without gaps
    start_of_block,
    beam_out,
    range_out,
    normal_out,
    cosine_out,
    instance_out,
    mesh_out,
    face_out,
    slot_out,
    uv_out,
):
    """Close the gaps between blocks, and look up mesh, face and material slot."""
    for block in prange(count.shape[0]):
        source = block * BLOCK
        target = start_of_block[block]
        for k in range(count[block]):
            i, o = source + k, target + k
            beam_out[o] = beam[i]
            range_out[o] = range_m[i]
            cosine_out[o] = cosine[i]
            instance_out[o] = instance[i]
            mesh = mesh_of_instance[instance[i]]
            row = first_face[mesh] + primitive[i]
            mesh_out[o] = mesh
            face_out[o] = face_of_primitive[row]
            slot_out[o] = slot_of_primitive[row]
            for axis in range(3):
                normal_out[o, axis] = normal[i, axis]
            uv_out[o, 0] = uv[i, 0]
            uv_out[o, 1] = uv[i, 1]


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
    """Write the pose (4, 4) of a part of the body at each time."""
    n_key = key_time.shape[0]
    for n in prange(time.shape[0]):
        key = min(max(np.searchsorted(key_time, time[n]) - 1, 0), max(n_key - 2, 0))
        share = 0.0
        if n_key > 1:
            share = (time[n] - key_time[key]) / (key_time[key + 1] - key_time[key])
            share = min(max(share, 0.0), 1.0)
        start = key_pose[key]
        for column in range(4):
            x, y, z = part[0, column], part[1, column], part[2, column]
            vx = start[0, 0] * x + start[0, 1] * y + start[0, 2] * z
            vy = start[1, 0] * x + start[1, 1] * y + start[1, 2] * z
            vz = start[2, 0] * x + start[2, 1] * y + start[2, 2] * z
            if share > 0.0:
                vx, vy, vz = rotate(turn[key], share, (vx, vy, vz))
            pose_out[n, 0, column], pose_out[n, 1, column], pose_out[n, 2, column] = vx, vy, vz
            pose_out[n, 3, column] = 1.0 if column == 3 else 0.0
        for axis in range(3):
            moved = 0.0
            if share > 0.0:
                moved = share * (key_pose[key + 1, axis, 3] - start[axis, 3])
            pose_out[n, axis, 3] += start[axis, 3] + moved


def workers() -> int:
    """Return how many threads the kernels use (numba's setting)."""
    return int(numba.get_num_threads())
