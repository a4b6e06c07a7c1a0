# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernel that computes the fans of a footprint: directions and starts of sub-rays."""

from __future__ import annotations

import math

from lidar_base.compiled import njit
from lidar_base.math_kernels import ROOT_HALF, logarithm
from raycore.pattern.fan_kernels import ALONG, LEFT, START_LEFT, START_UP, UP

GAUSSIAN, UNIFORM, RECTANGLE = range(3)
"""Profiles of a beam."""
N_STRATA = 64
"""Number of strata, rings of the beam that carry equal energy. Sub-rays come in pairs on opposite
sides of the axis, and each pair of the table has a stratum of its own."""
_OUTERMOST = 1.0 - 0.5 / N_STRATA  # share of the energy within the farthest point


@njit(cache=True, nogil=True, inline="always")
def radius_at(share, profile):
    """Return the radius of the circle that contains a share, 0..1, of a round beam's energy.

    The radius is in units of sigma. For `UNIFORM` as ``profile`` the energy is evenly distributed
    up to 2 sigma; any other value means a Gaussian beam. In a Gaussian beam, a share above
    1 - 0.5 / `N_STRATA` counts as this one.
    """
    if profile == UNIFORM:
        return 2.0 * math.sqrt(share)
    return math.sqrt(-2.0 * logarithm(1.0 - min(share, _OUTERMOST)))


@njit(cache=True, nogil=True, inline="always")
def _place(points, row, cosine, sine, share, within, profile):
    """Return the position [sigma] of a sub-ray in the beam's profile, (horizontal, vertical).

    For a rectangle, normally distributed positions become uniform ones between -2 and 2.
    """
    x, y = float(points[row, 0]), float(points[row, 1])
    radius = radius_at(share * (points[row, 2] + within) / N_STRATA, profile)
    h, v = radius * (cosine * x - sine * y), radius * (sine * x + cosine * y)
    if profile == RECTANGLE:
        return 2.0 * math.erf(h * ROOT_HALF), 2.0 * math.erf(v * ROOT_HALF)
    return h, v


@njit(cache=True, nogil=True)
def fill_fans(
    # Sensor:
    points,  # float32 (n_set, n_points, 3) unit vector and stratum (ring of equal energy)
    partner,  # int64 (n_points,) row of the point that gives a sub-ray's place on the window
    tail,  # float64 (n_tail, 3) unit vector and radius [sigma] of the sub-rays after the points
    sigma_rad,  # (horizontal, vertical)
    window_sigma_m,  # (horizontal, vertical)
    profile,  # GAUSSIAN, UNIFORM or RECTANGLE
    share,  # fraction of the power that the points carry
    # In: a row for each variant of a set
    turn,  # float64 (n_variant, 2) cosine and sine of the rotation
    within,  # float64 (n_variant,) 0 to 1, place of all points within their strata
    # Out:
    fan_out,  # float32 (n_set * n_variant, 5, n_sub), see fan_kernels
):
    """Write a fan for each variant of each set of sub-ray positions: a rotated and shifted copy.

    A fan has the directions and starts of the sub-rays of a beam.

    Parameters
    ----------
    points : float32 (n_set, n_points, 3)
        For each sub-ray of a set, its unit vector across the beam (horizontal, vertical) and its
        stratum, the index of a ring of equal energy.
    partner : int64 (n_points,)
        Index of the point that gives a sub-ray's place on the window.
    tail : float64 (n_tail, 3)
        Unit vector and radius [sigma] of the sub-rays in the tails; they follow the points.
    sigma_rad, window_sigma_m : (float, float)
        Rms half width of the beam over angle [rad] and at the window [m], horizontal and vertical.
    profile : int
        Intensity over the beam: `GAUSSIAN`, `UNIFORM` or `RECTANGLE`.
    share : float
        Fraction of the power without the tails.
    turn : float64 (n_variant, 2)
        Cosine and sine of the angle by which each variant is rotated.
    within : float64 (n_variant,)
        Position of all points within their strata in each variant, 0..1.
    fan_out : float32 (n_set * n_variant, 5, n_sub)
        Output: the fans, all variants of a set after each other, with the rows of `fan_kernels`.
        Every entry is written.
    """
    n_variant = len(within)
    for row in range(len(fan_out)):
        of, variant = points[row // n_variant], row % n_variant
        cosine, sine = turn[variant]
        for sub in range(fan_out.shape[2]):
            if sub < points.shape[1]:
                h, v = _place(of, sub, cosine, sine, share, within[variant], profile)
                aside, above = _place(
                    of, partner[sub], cosine, sine, share, within[variant], profile
                )
            else:
                x, y, radius = tail[sub - points.shape[1]]
                h, v = radius * (cosine * x - sine * y), radius * (sine * x + cosine * y)
                # at right angles to its angle, so that it is as far out at every range
                aside, above = -v, h
            h, v = h * sigma_rad[0], v * sigma_rad[1]
            along = 1.0 / math.sqrt(1.0 + h * h + v * v)
            fan_out[row, ALONG, sub] = along
            fan_out[row, LEFT, sub], fan_out[row, UP, sub] = h * along, v * along
            fan_out[row, START_LEFT, sub] = aside * window_sigma_m[0]
            fan_out[row, START_UP, sub] = above * window_sigma_m[1]
