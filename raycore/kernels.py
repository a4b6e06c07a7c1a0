# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels: trace all rays of a scan, and where a moving body is at many moments.

Rays are traced in packets of neighbours in azimuth, packets in blocks, and the blocks are dealt
out in turn to the threads, because the upper half of a scan is mostly sky. Every ray has a row of
its own in what comes out, so the result does not depend on how many threads there are.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import prange

from raycore.compiled import njit
from raycore.packet_kernels import (
    intersect,
    may_meet_a_box,
    may_point_at,
    new_packet,
    pack,
    rotate,
    unpack,
)

BLOCK = 1024
"""Rays of one block: the unit of work that a thread takes, a multiple of every packet width."""


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
    lanes,  # tuple, as long as a packet is wide
    coherent,
    n_workers,
    # What has changed since these rays were traced before, unless all are to be traced:
    trace_all,
    lower,  # float32 (n_box, 3) anchor frame [m]
    upper,
    packet_cones,  # see cones, sensor frame
    box_cones,
    # Out: how many packets of each block were traced, and a row for each ray
    packets_out,
    range_out,
    normal_out,
    cosine_out,
    instance_out,
    primitive_out,
    uv_out,
):
    """Trace all rays, or only the packets that may see a difference; the others' rows stay."""
    n_rays = direction.shape[0]
    width = len(lanes)
    for worker in prange(n_workers):
        packet, words, valid, arguments = new_packet(width, coherent)
        normal = np.empty((4, width), np.float64)
        inverse = np.empty((3, width), np.float32)
        for block in range(worker, packets_out.shape[0], n_workers):
            place = block * BLOCK
            n_traced = 0
            for first in range(place, min(place + BLOCK, n_rays), width):
                n_lanes = min(width, n_rays - first)
                if not (trace_all or may_point_at(first // width, packet_cones, box_cones)):
                    continue
                if n_lanes == width:  # apart, because then the compiler knows how many
                    pack(
                        first, width, width, origin, direction, time, start, moment, pose,
                        max_range, packet, words,
                    )  # fmt: skip
                    if not trace_all and not may_meet_a_box(
                        lower, upper, first, width, width, packet, max_range, range_out,
                        instance_out, inverse,
                    ):  # fmt: skip
                        continue
                    intersect(width, valid, scene, packet, arguments)
                    unpack(
                        normal_from_mesh, turning_row, turn, first, width, width, direction,
                        moment, pose, packet, words, normal, range_out, normal_out, cosine_out,
                        instance_out, primitive_out, uv_out,
                    )  # fmt: skip
                else:  # the last packet
                    for lane in range(n_lanes, width):
                        valid[lane] = 0
                    pack(
                        first, n_lanes, width, origin, direction, time, start, moment, pose,
                        max_range, packet, words,
                    )  # fmt: skip
                    if not trace_all and not may_meet_a_box(
                        lower, upper, first, n_lanes, width, packet, max_range, range_out,
                        instance_out, inverse,
                    ):  # fmt: skip
                        continue
                    intersect(width, valid, scene, packet, arguments)
                    unpack(
                        normal_from_mesh, turning_row, turn, first, n_lanes, width, direction,
                        moment, pose, packet, words, normal, range_out, normal_out, cosine_out,
                        instance_out, primitive_out, uv_out,
                    )  # fmt: skip
                n_traced += 1
            packets_out[block] = n_traced


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
