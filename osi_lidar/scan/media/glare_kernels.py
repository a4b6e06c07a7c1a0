# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled probability of spurious points in beams near the sun, as measured with a VLP-16.

    P = b (0.281 - 598.28 (delta - 0.05298)^2), no less than 0

delta is the angle between beam and sun in rad, b = min(1, 3.33e-5 E) for the sun's illuminance E
in lx; where the window of the sensor lets less than all light pass, E is what passes. Source of the
fit: openMSL/sl-1-2-reflection-based-lidar-object-model (FZD, TU Darmstadt),
DetectionEnvironmentalEffects.cpp, add_sun_blinding_detections. There delta is the root of the sum
of the squared differences in azimuth and elevation, which is this angle near the horizon.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from lidar_base.compiled import njit

PEAK, CURVATURE, AT_RAD = 0.281, 598.28, 0.05298  # 1, 1/rad^2, rad
PER_LUX = 3.33e-5
"""Growth of the probability with the sun's illuminance, up to 1. [1/lx]"""
_FAR = math.cos(AT_RAD + math.sqrt(PEAK / CURVATURE))  # cosine of where P ends, 4.28 deg
_NEAR = math.cos(AT_RAD - math.sqrt(PEAK / CURVATURE))  # 1.79 deg


class GlareArrays(NamedTuple):
    """The sun as the beams of a scan see it.

    Attributes
    ----------
    strength : float
        Factor b of the probability of a spurious point, for a clear window and before its limit of
        1; 0: there is no glare. [1]
    window : float32 (n_beam | 1,)
        Share of light that is left after passing the sensor's window twice; a single row for all
        beams.
    to_sun : float64 (n_pose, 3)
        Unit vector towards the sun, in the sensor frame at each pose.
    axis : float32 (3, n_beam)
        Unit vectors along the beams, in the sensor frame.
    moment : uint32 (n_beam | 1,)
        Row of ``to_sun`` for each beam; a single row for all beams.
    """

    strength: float  # b of a beam for a clear window, before its limit of 1; 0: there is no glare
    window: object  # float32 (n_beam | 1,) share left after passing the window twice, times gain
    to_sun: object  # float64 (n_pose, 3) unit vector in the sensor frame
    axis: object  # float32 (3, n_beam) directions of the beams
    moment: object  # uint32 (n_beam | 1,) pose of each beam


@njit(cache=True, nogil=True, error_model="numpy")
def write_glare(
    # Sensor:
    glare,  # see GlareArrays
    # In:
    beam,  # uint32 (n,) indices of some beams
    first,  # row of the first of these beams in lost
    lost,  # bool (n_row | 1,) beams of which nothing is reported
    # In and out:
    drawn,  # float64 (n | more,) in: uniform; out: 1 without spurious point, else uniform again
):
    """Draw which of some beams have a spurious point because of the sun's glare.

    Parameters
    ----------
    glare : GlareArrays
        The sun as the beams see it.
    beam : uint32 (n,)
        Indices of the beams in the scan pattern.
    first : int
        Row of the first of these beams in ``lost``; the others follow.
    lost : bool (n_row | 1,)
        Whether a beam reports nothing; it has no such point either. A single row is for all beams.
    drawn : float64 (n | more,)
        In: a uniform random number for each beam. Out, in place: 1 for a beam without a spurious
        point, else a new uniform random number.
    """
    strength, window, to_sun, axis, moment = glare
    for b in range(len(beam)):
        pose = moment[beam[b]] if len(moment) > 1 else moment[0]
        cosine = 0.0
        for i in range(3):
            cosine += axis[i, beam[b]] * to_sun[pose, i]
        chance = 0.0
        if _FAR < cosine < _NEAR and not lost[first + b if len(lost) > 1 else 0]:
            off = math.acos(cosine) - AT_RAD
            one_way = math.sqrt(float(window[beam[b] if len(window) > 1 else 0]))
            chance = min(1.0, strength * one_way) * (PEAK - CURVATURE * off * off)
        drawn[b] = drawn[b] / chance if drawn[b] < chance else 1.0
