# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels that trace all rays of a scan.

Rays are traced in packets of neighbours in azimuth, packets in blocks, of which each thread takes
the next one when it is done. Every ray has a row of its own in what comes out, so the result does
not depend on how many threads there are, or on which of them was faster.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from lidar_base.block_kernels import BLOCK, new_deal, take_block
from lidar_base.compiled import njit
from raycore.trace.packet_kernels import (
    intersect,
    may_meet_a_box,
    may_point_at,
    new_packet,
    pack,
    unpack,
)


@njit(cache=True, nogil=True, parallel=True)
def trace_packets(
    # Scene:
    scene,
    normal_from_mesh,  # float32 (n_instance, 3, 3) normals from mesh to anchor frame, at time 0
    turning_row,  # int32 (n_instance,) row of turn, -1 for what does not turn
    turn,  # float32 (n_turning, n_step - 1, 3) from each time step to the next [rad]
    # In: rays, a whole number of packets
    origin,  # float32 (n_ray | 1, 3) sensor frame [m]
    direction,  # float32 (3, n_ray) sensor frame
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
    n_rays = direction.shape[1]
    width = len(lanes)
    deal = new_deal()
    for _ in prange(n_workers):
        packet, words, valid, arguments = new_packet(width, coherent)
        normal = np.empty((4, width), np.float64)
        inverse = np.empty((3, width), np.float32)
        while True:
            block = take_block(deal)
            if block >= packets_out.shape[0]:
                break
            place = block * BLOCK
            n_traced = 0
            for first in range(place, min(place + BLOCK, n_rays), width):
                if not (trace_all or may_point_at(first // width, packet_cones, box_cones)):
                    continue
                pack(
                    first, width, origin, direction, time, start, moment, pose, max_range,
                    packet, words,
                )  # fmt: skip
                if not trace_all and not may_meet_a_box(
                    lower, upper, first, width, packet, max_range, range_out, instance_out, inverse
                ):  # fmt: skip
                    continue
                intersect(width, valid, scene, packet, arguments)
                unpack(
                    normal_from_mesh, turning_row, turn, first, width, direction, moment, pose,
                    packet, words, normal, range_out, normal_out, cosine_out, instance_out,
                    primitive_out, uv_out,
                )  # fmt: skip
                n_traced += 1
            packets_out[block] = n_traced
