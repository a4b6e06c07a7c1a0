# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a clear pane lets pass, worked out without the product's code."""

import math


def once_through(angle_deg, index):
    """Return what a pane lets pass by Snell's law, polarisation by polarisation, path by path."""
    outside = math.radians(angle_deg)
    inside = math.asin(math.sin(outside) / index)
    less, more = outside - inside, outside + inside
    if angle_deg == 0:
        each_surface = [((index - 1) / (index + 1)) ** 2] * 2
    else:
        each_surface = [
            (math.sin(less) / math.sin(more)) ** 2,
            (math.tan(less) / math.tan(more)) ** 2,
        ]
    return sum((1 - f) ** 2 * f ** (2 * n) for f in each_surface for n in range(200)) / 2
