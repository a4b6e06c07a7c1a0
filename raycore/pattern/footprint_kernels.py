# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernel that spreads beams into their sub-rays."""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from lidar_base.compiled import njit
from lidar_base.math_kernels import ROOT_HALF, logarithm


@njit(cache=True, nogil=True, inline="always")
def across(x, y, z):
    """Return the horizontal and the vertical unit vector across a direction.

    The horizontal one points to the left, the vertical one up, as seen along the direction. A beam
    along z has y and -x, or x.
    """
    level = math.sqrt(x * x + y * y)
    if level < 1e-9:
        return (0.0, 1.0, 0.0), (-z, 0.0, 0.0)
    left_x, left_y = -y / level, x / level
    return (left_x, left_y, 0.0), (-z * left_y, z * left_x, level)


GAUSSIAN, UNIFORM, RECTANGLE = range(3)
"""Profiles of a beam."""
N_STRATA = 64
"""Rings of equal energy, of which each pair of opposite points has one."""
_OUTERMOST = 1.0 - 0.5 / N_STRATA  # share of the energy within the farthest point


@njit(cache=True, nogil=True, inline="always")
def radius_at(share, profile):
    """Return the radius, in sigma, within which a share of a round beam's energy lies."""
    if profile == UNIFORM:
        return 2.0 * math.sqrt(share)
    return math.sqrt(-2.0 * logarithm(1.0 - min(share, _OUTERMOST)))


@njit(cache=True, nogil=True, inline="always")
def _place(points, row, cosine, sine, within, profile):
    """Return where a sub-ray of a beam is, (horizontal, vertical) in sigma.

    For a rectangle, normal numbers become uniform ones between -2 and 2.
    """
    x, y = float(points[row, 0]), float(points[row, 1])
    radius = radius_at((points[row, 2] + within) / N_STRATA, profile)
    h, v = radius * (cosine * x - sine * y), radius * (sine * x + cosine * y)
    if profile == RECTANGLE:
        return 2.0 * math.erf(h * ROOT_HALF), 2.0 * math.erf(v * ROOT_HALF)
    return h, v


@njit(cache=True, nogil=True, parallel=True)
def spread(
    # Sensor:
    points,  # float32 (n_set, n_sub, 3) unit vector and stratum
    partner,  # int64 (n_sub,) row of the point that tells where a sub-ray leaves the window
    sigma_rad,  # (horizontal, vertical)
    window_sigma_m,
    profile,
    # In: a row for each beam
    direction,  # float32 (n_beam, 3) unit vectors
    origin_m,  # float32 (n_beam | 1, 3)
    chosen_set,  # uint8 (n_beam,)
    turn,  # float32 (n_beam, 2) cosine and sine
    within,  # float64 (n_beam,) 0 to 1, place of the points in their strata
    # Out: a row for each sub-ray
    direction_out,  # float32 (3, n_beam * n_sub)
    origin_out,  # float32 (n_beam * n_sub | 0, 3)
):
    """Write the direction of each sub-ray, and where it starts if the window has a width."""
    n_sub = points.shape[1]
    for beam in prange(len(direction)):
        x, y, z = float(direction[beam, 0]), float(direction[beam, 1]), float(direction[beam, 2])
        (lx, ly, lz), (ux, uy, uz) = across(x, y, z)
        cosine, sine = float(turn[beam, 0]), float(turn[beam, 1])
        start = origin_m[np.int64(beam) if len(origin_m) > 1 else np.int64(0)]
        for sub in range(n_sub):
            at = beam * n_sub + sub
            of = points[chosen_set[beam]]
            h, v = _place(of, sub, cosine, sine, within[beam], profile)
            h, v = h * sigma_rad[0], v * sigma_rad[1]
            dx, dy, dz = x + h * lx + v * ux, y + h * ly + v * uy, z + h * lz + v * uz
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            direction_out[0, at] = np.float32(dx / length)
            direction_out[1, at] = np.float32(dy / length)
            direction_out[2, at] = np.float32(dz / length)
            if len(origin_out) > 0:
                h, v = _place(of, partner[sub], cosine, sine, within[beam], profile)
                h, v = h * window_sigma_m[0], v * window_sigma_m[1]
                origin_out[at, 0] = np.float32(start[0] + h * lx + v * ux)
                origin_out[at, 1] = np.float32(start[1] + h * ly + v * uy)
                origin_out[at, 2] = np.float32(start[2] + h * lz + v * uz)
