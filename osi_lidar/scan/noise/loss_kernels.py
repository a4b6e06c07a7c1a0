# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of dropouts: beams that report nothing."""

from __future__ import annotations

import numpy as np

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.random.random_kernels import DROP_OUT, uniforms


@njit(cache=True, nogil=True, threads=True)
def lose(
    # In:
    drop_probability,  # probability that a beam reports nothing
    stream,
    n_workers,
    # Out:
    lost_out,  # bool (n_beam,)
):
    """Choose at random which beams report nothing (dropouts).

    Parameters
    ----------
    drop_probability : float
        Probability that a beam is a dropout, the same for all beams. [1]
    stream : tuple of int
        Key and time of the random numbers, see `Draws.stream`.
    n_workers : int
        Number of threads.
    lost_out : bool (n_beam,)
        Output: whether each beam is a dropout. Every entry is overwritten.
    """
    in_threads(_lose_blocks, n_workers, (new_deal(), drop_probability, stream, lost_out))


@njit(cache=True, nogil=True, alone=True)
def _lose_blocks(deal, drop_probability, stream, lost_out):
    """Process one block of beams after the other; the arguments as for `lose`."""
    n_beams = len(lost_out)
    chance, index = np.empty(BLOCK), np.empty(BLOCK, np.uint32)
    while True:
        first = take_block(deal) * BLOCK
        if first >= n_beams:
            break
        n = min(BLOCK, n_beams - first)
        for i in range(n):
            index[np.uint64(i)] = first + i
        uniforms(stream, DROP_OUT, index, n, chance)
        for i in range(n):
            lost_out[np.uint64(first + i)] = chance[np.uint64(i)] < drop_probability
