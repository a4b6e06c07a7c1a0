# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels that trace all rays of a scan.

Rays are traced in packets of neighbours in azimuth, packets in blocks, and an idle thread takes the
next block. Every ray has a row of its own in the hits, so the result does not depend on the number
of threads, or on which of them is faster.
"""

from __future__ import annotations

import numpy as np

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.memory_kernels import borrowed, seen_as
from raycore.pattern.fan_kernels import fan_out
from raycore.trace.packet_kernels import (
    intersect,
    may_meet_a_box,
    may_point_at,
    new_packet,
    pack,
    unpack,
)


@njit(cache=True, nogil=True, threads=True, wide=True)
def trace_packets(
    # Scene:
    scene,  # see arguments.SceneArrays
    # In:
    shots,  # see arguments.ShotArrays
    region,  # where the scene has changed since the last call, see arguments.ChangedRegion
    packet_cones,  # around each packet, see arguments.Cones
    box_cones,  # around each box of the region; none if it cannot be seen as a cone
    lanes,  # tuple, as long as a packet is wide
    coherent,  # whether to tell Embree that rays of a packet are coherent
    n_workers,
    # Out:
    packets_out,  # int64 (n_block,) how many packets of each block were traced
    hits_out,  # a row for each ray, see records.HitArrays; it holds the last call's hits before
):
    """Trace all rays, or only the packets of rays that may meet a change of the scene.

    Parameters
    ----------
    scene : SceneArrays
        The committed scene.
    shots : ShotArrays
        The rays.
    region : ChangedRegion
        Where the scene has changed since the last call.
    packet_cones, box_cones : Cones
        Cones around each packet, and around each box of ``region``; no box cones if a box cannot be
        seen as a cone.
    lanes : tuple of int
        The numbers 0, 1, .. up to the number of rays of a packet, without it.
    coherent : bool
        Whether to tell Embree that the rays of a packet are coherent.
    n_workers : int
        Number of threads.
    packets_out : int64 (n_block,)
        Output: number of packets traced in each block of rays. Every entry is written.
    hits_out : HitArrays
        In and out: the hits of the last call, with a row for each ray. The rows of packets that are
        not traced stay. In a row without a hit, only ``instance`` counts.
    """
    aims = scene, shots, region, packet_cones, box_cones, lanes, coherent
    in_threads(_trace_blocks, n_workers, (new_deal(), aims, packets_out, hits_out))


@njit(cache=True, nogil=True)
def _trace_blocks(deal, aims, packets_out, hits_out):
    """Trace blocks from the queue until it is empty; ``aims`` are arguments of `trace_packets`."""
    lanes, coherent = aims[-2:]
    width = len(lanes)
    packet, _, valid, arguments = new_packet(width, coherent)
    query = packet, valid, arguments
    scratch = (
        np.empty(4 * width, np.float64),
        np.empty(3 * width, np.float32),
        np.empty(6 * width, np.float32),
    )
    while True:
        block = take_block(deal)
        if block >= packets_out.shape[0]:
            break
        packets_out[block] = _trace_block(block * BLOCK, aims, query, scratch, hits_out)


@njit(cache=True, nogil=True, error_model="numpy", disjoint=True)
def _trace_block(place, aims, query, scratch, hits_out):
    """Trace the packets of a block of rays, which starts at ray ``place``.

    Return the number of packets that were traced.
    """
    scene, shots, region, packet_cones, box_cones, lanes, _ = borrowed(aims)
    handle, normal_from_mesh, turning_row, turn = scene
    origin, direction, fan, fan_of_beam, time, start, moment, pose, max_range = shots
    trace_all, lower, upper = region
    range_out, normal_out, cosine_out, instance_out, primitive_out = borrowed(hits_out)
    packet, valid, arguments = borrowed(query)
    words = seen_as(packet, np.uint32)  # no argument: it is the memory of the packet
    normal, inverse, ray = borrowed(scratch)
    n_sub = fan.shape[2]
    n_rays = direction.shape[1] * n_sub
    width = len(lanes)
    n_traced = 0
    for first in range(place, min(place + BLOCK, n_rays), width):
        if not (trace_all or may_point_at(first // width, packet_cones, box_cones)):
            continue
        fan_out(first, width, origin, direction, fan, fan_of_beam, ray)
        pack(first, width, n_sub, ray, time, start, moment, pose, max_range, packet, words)
        if not trace_all and not may_meet_a_box(
            lower, upper, first, width, packet, max_range, range_out, instance_out, inverse
        ):
            continue
        intersect(width, valid, handle, packet, arguments)
        unpack(
            normal_from_mesh, turning_row, turn, first, width, n_sub, ray, moment, pose, packet,
            words, normal, range_out, normal_out, cosine_out, instance_out, primitive_out,
        )  # fmt: skip
        n_traced += 1
    return n_traced
