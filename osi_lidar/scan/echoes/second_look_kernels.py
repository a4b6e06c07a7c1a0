# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of the second look: which beams are near others, and whose echoes count."""

from __future__ import annotations

import math

from lidar_base.block_kernels import BLOCK
from lidar_base.compiled import njit


@njit(cache=True, nogil=True)
def add_near(
    # In:
    seen,  # uint8 (n_beam,)
    kind,  # bits of those whose neighbours are looked for
    pixel,  # uint32 (n_beam,) of the beam's direction
    elevation,  # float32 (n_beam,) [rad]
    reach_rad,
    pixel_rad,
    # Work:
    marked,  # bool (n_row, n_column) an image of the beams' elevations, and of all azimuths
    # In and out:
    chosen,  # bool (n_beam,)
):
    """Choose the beams that may be within reach of one of some kind, and that one itself."""
    n_row, n_column = marked.shape
    up = math.ceil(reach_rad / pixel_rad)
    marked[:] = False
    for beam in range(len(seen)):
        if not seen[beam] & kind:
            continue
        row, column = pixel[beam] // n_column, pixel[beam] % n_column
        # the widest row of the reach is the one nearest to a pole
        level = math.cos(min(abs(elevation[beam]) + reach_rad, 0.5 * math.pi))
        aside = n_column // 2
        if math.sin(reach_rad) < level:
            aside = min(math.ceil(math.asin(math.sin(reach_rad) / level) / pixel_rad), aside)
        for r in range(max(row - up, 0), min(row + up + 1, n_row)):
            for step in range(-aside, aside + 1):
                marked[r, (column + step) % n_column] = True
    image = marked.ravel()
    for beam in range(len(seen)):
        chosen[beam] |= image[pixel[beam]]


@njit(cache=True, nogil=True)
def take_over(
    # In:
    beams,  # uint32 (n,) that were looked at again, ascending
    again,  # rows of ECHO, in the order of these beams
    n_most,
    # Work:
    before,  # rows of ECHO, n_most for each beam of a block
    # In and out:
    start_of_block,  # int64 (n_block + 1,)
    echo,  # rows of ECHO, n_most for each beam; those of a block are its first ones
):
    """Put echoes of a second look in the place of those of the first one."""
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
