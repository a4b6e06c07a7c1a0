# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What echoes are the light of, and how kernels tell those that no surface has sent.

An echo names the ray that sends back most. For one of no surface this is a number beyond all rays,
`FROM_AIR` + 16 origin + draw, where draw says which of the beam's random numbers are its own.
"""

import numpy as np

from lidar_base.compiled import njit
from osi_lidar.clouds.origins import ORIGINS

SURFACE, GHOST, FALSE_ALARM, FOG, RAIN, SNOW, SPRAY, DUST = range(len(ORIGINS))

FROM_AIR = 0xFFFFFF00
"""Rays from here on are of no surface."""
DRAWS_PER_BEAM = 16
"""Random numbers of one purpose that a beam may have: one for each echo of a surface, of which
there are up to 8, and one each for the others. All drops of a beam share one, and so do bodies."""
FOG_RAY = FROM_AIR + 16 * FOG + 8
RAIN_RAY = FROM_AIR + 16 * RAIN + 9
SNOW_RAY = FROM_AIR + 16 * SNOW + 10
GHOST_RAY = FROM_AIR + 16 * GHOST + 11
BODY_RAY = FROM_AIR + 16 * SPRAY + 13
"""Of spray; that of dust is the same draw of the next origin."""
GLARE_RAY = FROM_AIR + 16 * FALSE_ALARM + 14
NOISE_RAY = FROM_AIR + 16 * FALSE_ALARM + 15
MOST_IN_AIR = 16
"""Components of the air in one beam: of fog, drops, flakes and bodies."""


@njit(cache=True, nogil=True, inline="always")
def is_of_air(ray):
    """Return whether an echo is of no surface."""
    return ray >= FROM_AIR


@njit(cache=True, nogil=True, inline="always")
def origin_of(ray):
    """Return the origin of an echo of no surface."""
    return (ray - FROM_AIR) // 16


@njit(cache=True, nogil=True, inline="always")
def draw_of(ray, number):
    """Return which of its beam's random numbers are an echo's; those of surfaces are numbered."""
    return np.int64((ray - FROM_AIR) % 16) if ray >= FROM_AIR else np.int64(number)
