# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernel of the second look: its echoes replace the first ones."""

from __future__ import annotations

from lidar_base.block_kernels import BLOCK
from lidar_base.compiled import njit


@njit(cache=True, nogil=True)
def take_over(
    # In:
    beams,  # uint32 (n,) indices of the beams of the second look, ascending
    again,  # rows of ECHO, in the order of these beams
    n_most,  # largest number of echoes of a beam
    # Work:
    before,  # rows of ECHO, n_most for each beam of one block
    # In and out:
    start_of_block,  # int64 (n_block + 1,) number of echoes before each block, then of all echoes
    echo,  # rows of ECHO, n_most for each beam; those of a block are its first ones
):
    """Replace the echoes of some beams by the echoes of their second look, in place.

    Beams of the second look without new echoes lose their old ones.

    Parameters
    ----------
    beams : uint32 (n,)
        Indices of the beams that were traced a second time, ascending.
    again : structured (n_again,)
        Echoes of the second look, rows of `ECHO`, in the order of ``beams``.
    n_most : int
        Largest number of echoes of a beam.
    before : structured (`BLOCK` * n_most,)
        Working memory for the rows of one block of beams.
    start_of_block : int64 (n_block + 1,)
        Number of echoes before each block of beams, then of all echoes; it is updated.
    echo : structured (n_beam * n_most,)
        Echoes of all beams, ``n_most`` rows for each; the echoes of a block are its first rows.
        They are changed in the blocks of ``beams``.
    """
    b = row = n_all = start = 0
    for block in range(len(start_of_block) - 1):
        n, start = start_of_block[block + 1] - start, start_of_block[block + 1]
        until, place = (block + 1) * BLOCK, block * BLOCK * n_most
        if b < len(beams) and beams[b] < until:
            # one by one: for a slice numba compiles the text of an error, a twentieth of a start
            for i in range(n):
                before[i] = echo[place + i]
            i = 0
            n_out = 0
            while b < len(beams) and beams[b] < until:
                while i < n and before[i].beam < beams[b]:
                    echo[place + n_out] = before[i]
                    n_out, i = n_out + 1, i + 1
                while i < n and before[i].beam == beams[b]:
                    i += 1
                while row < len(again) and again[row].beam == beams[b]:
                    echo[place + n_out] = again[row]
                    n_out, row = n_out + 1, row + 1
                b += 1
            while i < n:
                echo[place + n_out] = before[i]
                n_out, i = n_out + 1, i + 1
            n = n_out
        n_all += n
        start_of_block[block + 1] = n_all
