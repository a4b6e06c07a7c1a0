# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernel of the light path: the fraction of light that goes on from each hit."""

from __future__ import annotations

import math

from numba import prange

from lidar_base.compiled import njit
from material_mapping.kernels import DEGREES_PER_RADIAN, EDGE_DEG, LAST_DEGREE
from raycore.records import NOTHING


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _fraction_at(fraction, material, angle_deg):
    """Return a two-way fraction of light at an angle, interpolated between whole degrees.

    The root of the fraction (one way) is interpolated linearly: for panes of any index, this is
    within 0.2 % of Fresnel up to 89 deg. Between a degree with a fraction of 0 and one with more,
    the value of the lower degree holds, except in the last degree.
    """
    # a degree begins at its edge, also where a float32 cosine falls just short of it
    lower = min(int(angle_deg + EDGE_DEG), LAST_DEGREE - 1)
    below, above = float(fraction[material, lower]), float(fraction[material, lower + 1])
    if below == above:
        return below
    share = min(max(angle_deg - lower, 0.0), 1.0)
    if (below == 0.0 or above == 0.0) and lower < LAST_DEGREE - 1:
        return below
    once = math.sqrt(below) + share * (math.sqrt(above) - math.sqrt(below))
    return once * once


@njit(cache=True, nogil=True, parallel=True)
def send_on(
    # Scene:
    first_row,  # int64 (n_instance,) where the rows of an instance's mesh start
    material_of_row,  # uint16 (n_row,) by Embree's primitive
    # Materials:
    sends_some_on,  # bool (n_material,)
    transmittance,  # float32 (n_material, 91) share of light that goes straight on, by degree
    least_passed,  # float32 (n_material,) transmittance below which no light goes straight on
    mirrored,  # float32 (n_material, 91) share of light that the mirror sends on, by degree
    # In:
    hits,  # see records.HitArrays
    takes_mirror,  # bool (n_shot,) whether the ray takes the mirror's direction if it has both
    # Out:
    share_out,  # float32 (n_shot,) 0 where the ray ends
    mirrored_out,  # bool (n_shot,) whether the ray goes on in the mirror's direction
    both_out,  # bool (n_shot,) whether light goes on both ways
):
    """Write, for each ray, the fraction of its light that goes on from its hit, and which way.

    Light goes straight on through a pane, or in the mirror direction off a mirror.

    Parameters
    ----------
    first_row : int64 (n_instance,)
        Row of the first triangle of each instance's mesh in ``material_of_row``.
    material_of_row : uint16 (n_row,)
        Index of each triangle's material.
    sends_some_on : bool (n_material,)
        Whether the material lets light go on at any angle.
    transmittance, mirrored : float32 (n_material, 91)
        Share of light that goes straight on, or that the mirror sends on, there and back, at 0, 1,
        .. 90 deg of incidence.
    least_passed : float32 (n_material,)
        Transmittance below which no light goes straight on.
    hits : HitArrays
        The surfaces that the rays meet.
    takes_mirror : bool (n_shot,)
        If light goes both ways: whether the mirror's way counts in the first two outputs.
    share_out : float32 (n_shot,)
        Output: fraction of the light that goes on; 0 where the ray ends.
    mirrored_out : bool (n_shot,)
        Output: whether the ray goes on in the mirror's direction.
    both_out : bool (n_shot,)
        Output: whether light goes on both ways.
    """
    for ray in prange(len(hits.instance)):
        share_out[ray], mirrored_out[ray], both_out[ray] = 0.0, False, False
        if hits.instance[ray] == NOTHING:
            continue
        material = material_of_row[first_row[hits.instance[ray]] + hits.primitive[ray]]
        if not sends_some_on[material]:
            continue
        angle_deg = math.acos(float(hits.cos_incidence[ray])) * DEGREES_PER_RADIAN
        passes = _fraction_at(transmittance, material, angle_deg)
        bounces = _fraction_at(mirrored, material, angle_deg)
        if passes < least_passed[material]:
            passes = 0.0
        both = passes > 0.0 and bounces > 0.0
        both_out[ray] = both
        mirrored_out[ray] = takes_mirror[ray] if both else bounces > 0.0
        share_out[ray] = bounces if mirrored_out[ray] else passes
