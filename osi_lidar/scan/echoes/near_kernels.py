# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernel that marks the directions around others in an image of all directions."""

from __future__ import annotations

import math

from lidar_base.compiled import njit


@njit(cache=True, nogil=True)
def mark_around(
    # In:
    row,  # int64 (n,) of elevation, from -90 deg on
    column,  # int64 (n,) of azimuth, from -180 deg on
    elevation,  # float32 (n,) [rad]
    reach_rad,
    # In and out:
    marked,  # bool (n_row, 2 n_row)
):
    """Mark the pixels whose directions may be within reach of others."""
    n_row, n_column = marked.shape
    pixel_rad = math.pi / n_row
    up = math.ceil(reach_rad / pixel_rad)
    for i in range(len(row)):
        # the widest row of the reach is the one nearest to a pole
        level = math.cos(min(abs(elevation[i]) + reach_rad, 0.5 * math.pi))
        aside = n_row
        if math.sin(reach_rad) < level:
            aside = min(math.ceil(math.asin(math.sin(reach_rad) / level) / pixel_rad), n_row)
        for r in range(max(row[i] - up, 0), min(row[i] + up + 1, n_row)):
            for step in range(-aside, aside + 1):
                marked[r, (column[i] + step) % n_column] = True
