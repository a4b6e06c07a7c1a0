# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of the fog's own echo: before near surfaces, and in patches."""

from __future__ import annotations

import math

import numpy as np

from lidar_base.compiled import njit
from osi_lidar.scan.media.light_kernels import farthest_of, light_of, nearest_of, share_beyond
from osi_lidar.scan.media.patches.sight_kernels import brightest, past_patches, relative_at
from raycore.records import NOTHING

WHOLE = 1.5
"""Widths of the pulse before a surface, from which on fog's echo is as high as without it."""


@njit(cache=True, nogil=True, error_model="numpy")
def fog_before(media, rays, start):
    """Return height and place of the fog's echo of a beam some of whose sub-rays end near.

    Its signal is the sum over the sub-rays. Echoes of those that end at nearly the same range add
    up; else the maximum of the sum lies between theirs.
    """
    signal = moment = farthest = 0.0
    nearest = math.inf
    for sub in range(len(rays.weight)):
        low, share, light = _fog_row(media, rays, start, sub)
        place = _between(media.fog, 1, low, share)
        height = light * _between(media.fog, 0, low, share)
        signal += height
        moment += height * place
        if height > 0.0:
            nearest, farthest = min(nearest, place), max(farthest, place)
    if farthest > nearest + media.fog_step_m:
        return _highest(media, rays, start, (nearest, farthest))
    return signal, moment / signal if signal > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _fog_row(media, rays, start, sub):
    """Return where in the columns of the fog a sub-ray ends, and the light that it brings back."""
    ray, last = start + np.uint64(sub), media.fog.shape[1] - 1
    row = float(last)
    if rays.instance[ray] != NOTHING:
        row = (float(rays.range_m[ray]) - media.fog_begin_m) / media.fog_step_m
        row = min(max(row, 0.0), float(last))
    low = min(int(row), last - 1)
    return low, row - low, light_of(rays, sub, ray)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _between(fog, row, low, share):
    """Return a value of the fog between two columns."""
    return fog[row, low] + share * (fog[row, low + 1] - fog[row, low])


@njit(cache=True, nogil=True, error_model="numpy")
def _highest(media, rays, start, span):
    """Return height and place of what a beam receives of the fog, where that is highest."""
    begin_m, step_m, last = media.fog_begin_m, media.fog_step_m, media.fog.shape[1] - 1
    first = max(int((span[0] - begin_m) / step_m), 0)
    end = min(int((span[1] - begin_m) / step_m) + 2, last + 1)
    low = max(first - 1, 0)
    received = _received(media, rays, start, low, min(end + 1, last + 1))
    at, height = first, 0.0
    for place in range(first, end):
        if received[place - low] > height:
            at, height = place, received[place - low]
    if not 0 < at < last:
        return height, begin_m + at * step_m
    before, behind = received[at - 1 - low], received[at + 1 - low]
    bend = before - 2.0 * height + behind
    off = 0.5 * (before - behind) / bend if bend < 0.0 else 0.0  # of the parabola through the three
    return height - 0.25 * (before - behind) * off, begin_m + (at + off) * step_m


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _received(media, rays, start, first, end):
    """Return what a beam receives of the fog at its ranges from the first one to before the end."""
    signal = np.zeros(end - first)
    for sub in range(len(rays.weight)):
        low, share, light = _fog_row(media, rays, start, sub)
        near, far = media.fog[2 + low, first:end], media.fog[3 + low, first:end]
        for n in range(end - first):
            signal[n] += light * (near[n] + share * (far[n] - near[n]))
    return signal


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def fog_in_patches(settings, media, beam, rays, even):
    """Return height and place of the echo of fog in patches, of which ``even`` is that without.

    Where that stands, the density is that of a patch; or a denser patch behind it is brighter. Of a
    patch behind the nearest surface, as much is seen as light goes on.
    """
    patches, line, (snr, place_m) = media.patches, beam.line, even
    snr *= past_patches(patches, line, place_m) * relative_at(patches.relative, line, place_m)
    nearest_m, reach_m = nearest_of(rays, beam.start), WHOLE * settings.sigma_r_m
    height, at_m = brightest(patches, line, 0.0, nearest_m - reach_m)
    if height > snr:
        snr, place_m = height, at_m
    if nearest_m < farthest_of(rays, beam.start):
        height, at_m = brightest(patches, line, nearest_m, math.inf)
        height *= share_beyond(rays, beam.start, at_m + reach_m)
        if height > snr:
            snr, place_m = height, at_m
    return snr, place_m
