# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels that trace all rays of a scan.

Rays are traced in packets of neighbours in azimuth, packets in blocks, and an idle thread takes the
next block. Every ray has a row of its own in the hits, so the result does not depend on the number
of threads, or on which of them is faster.
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
    scene,  # see arguments.SceneArrays
    # In:
    shots,  # see arguments.ShotArrays
    region,  # where the scene has changed since the last call, see arguments.ChangedRegion
    packet_cones,  # around each packet, see arguments.Cones
    box_cones,  # around each box of the region; none if it cannot be seen as a cone
    lanes,  # tuple, as long as a packet is wide
    coherent,
    n_workers,
    # Out:
    packets_out,  # int64 (n_block,) how many packets of each block were traced
    hits_out,  # a row for each ray, see records.HitArrays; it holds the last call's hits before
):
    """Trace all rays, or only the packets that may see a change; the other rows stay."""
    deal = new_deal()
    for _ in prange(n_workers):
        _trace_blocks(
            deal, scene, shots, region, packet_cones, box_cones, lanes, coherent, packets_out,
            hits_out,
        )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _trace_blocks(
    deal, scene, shots, region, packet_cones, box_cones, lanes, coherent, packets_out, hits_out
):
    """Trace one block after the other; the arguments are those of `trace_packets`."""
    n_rays = shots.direction.shape[1]
    width = len(lanes)
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
            if not (region.trace_all or may_point_at(first // width, packet_cones, box_cones)):
                continue
            pack(first, width, shots, packet, words)
            if not region.trace_all and not may_meet_a_box(
                region, first, width, packet, shots.max_range_m, hits_out, inverse
            ):
                continue
            intersect(width, valid, scene.handle, packet, arguments)
            unpack(scene, first, width, shots, packet, words, normal, hits_out)
            n_traced += 1
        packets_out[block] = n_traced
