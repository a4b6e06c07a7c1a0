# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Origins of echoes in kernels: surfaces, and everything else (air, noise, ghosts).

An echo stores the ray on which most light comes back. An echo from no surface stores a number
beyond all rays: `FROM_AIR` + 16 origin + draw; draw is the index of its random numbers in the beam.
"""

import numpy as np

from lidar_base.compiled import njit
from osi_lidar.clouds.origins import ORIGINS

SURFACE, GHOST, FALSE_ALARM, FOG, RAIN, SNOW, SPRAY, DUST = range(len(ORIGINS))

FROM_AIR = 0xFFFFFF00
"""Ray numbers from here on stand for echoes from no surface: air, ghosts, glare and noise."""
DRAWS_PER_BEAM = 16
"""Number of random numbers that each beam has for one purpose.

The first 8 are for its echoes from surfaces. Of the others, one each is for fog, rain, snow,
ghosts, bodies (spray and dust), glare and noise.
"""
FOG_RAY = FROM_AIR + 16 * FOG + 8
RAIN_RAY = FROM_AIR + 16 * RAIN + 9
SNOW_RAY = FROM_AIR + 16 * SNOW + 10
GHOST_RAY = FROM_AIR + 16 * GHOST + 11
BODY_RAY = FROM_AIR + 16 * SPRAY + 13
"""Ray number of echoes of spray; dust has 16 more: the next origin, the same random number."""
GLARE_RAY = FROM_AIR + 16 * FALSE_ALARM + 14
NOISE_RAY = FROM_AIR + 16 * FALSE_ALARM + 15
MOST_IN_AIR = 16
"""Largest number of components that fog, drops, flakes, ghosts and bodies add to one beam."""


@njit(cache=True, nogil=True, inline="always")
def is_of_air(ray):
    """Return whether a ray number stands for an echo from no surface (air, noise, ghost, glare)."""
    return ray >= FROM_AIR


@njit(cache=True, nogil=True, inline="always")
def origin_of(ray):
    """Return the origin, a row of `ORIGINS`, for a ray number that stands for no surface."""
    return (ray - FROM_AIR) // 16


@njit(cache=True, nogil=True, inline="always")
def draw_of(ray, number):
    """Return which of its beam's random numbers belongs to an echo, 0 to `DRAWS_PER_BEAM` - 1.

    ``ray`` is the echo's ray number. For an echo from a surface, the result is ``number``: how many
    maxima from surfaces the beam's waveform has before it; an echo may have several maxima. For any
    other echo, it follows from ``ray`` alone.
    """
    return np.int64((ray - FROM_AIR) % 16) if ray >= FROM_AIR else np.int64(number)
