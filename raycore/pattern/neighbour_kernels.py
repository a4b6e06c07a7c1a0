# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled search for the beams near others."""

from __future__ import annotations

import math

from lidar_base.compiled import njit


@njit(cache=True, nogil=True)
def add_near(
    # In:
    seen,  # uint8 (n_beam,)
    kind,  # bits: beams whose neighbours are searched
    pixel,  # uint32 (n_beam,) index into ``marked``, flattened, of the beam's direction
    elevation,  # float32 (n_beam,) [rad]
    reach_rad,  # angle within which a beam is a neighbour
    pixel_rad,  # width of a pixel of ``marked``
    # Work:
    marked,  # bool (n_row, n_column) an image of the beams' elevations, and of all azimuths
    # In and out:
    chosen,  # bool (n_beam,)
):
    """Set ``chosen`` to True for beams of a kind, and for beams that may be within reach of one.

    Parameters
    ----------
    seen : uint8 (n_beam,)
        A number for each beam, whose bits say of which kinds the beam is.
    kind : int
        Mask of bits: a beam is of the kind if it has at least one of them.
    pixel : uint32 (n_beam,)
        Index of the pixel of each beam's direction in ``marked``, flattened.
    elevation : float32 (n_beam,)
        Elevation of each beam. [rad]
    reach_rad : float
        Angle up to which a beam is near another one. [rad]
    pixel_rad : float
        Width and height of a pixel of ``marked``. [rad]
    marked : bool (n_row, n_column)
        Work array: an image of the beams' elevations (rows) and of all azimuths (columns).
    chosen : bool (n_beam,)
        Changed in place; elements that are True stay True.
    """
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
