# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of the fog's own echo: before near surfaces, and in patches."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lidar_base.compiled import njit
from osi_lidar.scan.media.light_kernels import farthest_of, light_of, nearest_of, share_beyond
from osi_lidar.scan.media.patches.sight_kernels import brightest, past_patches, relative_at
from raycore.records import NOTHING

WHOLE = 1.5
"""Distance before a surface, in pulse widths, from which on fog's echo is not lowered by it."""


class FogArrays(NamedTuple):
    """The echo of even fog, for kernels, by the range at which a surface ends the beam.

    The fields are the fields of `SoftEcho` with the same names.

    Attributes
    ----------
    begin_m, step_m : float
        First of n ranges at which a beam may end, and the step between them. [m]
    rows : float64 (2 + n, n)
        Rows 0 and 1: SNR and range [m] of the echo's maximum, a column for each range at which the
        beam may end. Row 2 + i: the signal that a beam ending at the i-th range receives, a column
        for each of the n ranges [rms of the noise]. Shape (2, 0) if the echo is never seen.
    """

    begin_m: float
    step_m: float
    rows: object  # float64 (2 + n, n); (2, 0) if the echo is never seen


class EndArrays(NamedTuple):
    """Where sub-rays end, and their light: the four columns of `SubRayArrays` that the fog needs.

    They are a separate record because passing all arrays of a beam or of the air to a kernel would
    take longer than the search for the echo of the fog.

    Attributes
    ----------
    weight : float32 (n_sub,)
        Share of a beam's light on each of its sub-rays. [1]
    range_m : float32 (n_ray,)
        Range at which each ray meets a surface. [m]
    instance : uint32 (n_ray,)
        Mesh instance that the ray meets; `NOTHING` if it meets none.
    share : float32 (n_ray | 0,)
        Share of the ray's light that passes panes and mirrors; no rows: 1 for all. [1]
    """

    weight: object
    range_m: object
    instance: object
    share: object


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def even_echo(even, rays, start):
    """Return SNR and range [m] of the echo of what fills the air evenly, in one beam.

    Parameters
    ----------
    even : FogArrays
        The echo by the range at which a surface ends the beam; it has at least one row.
    rays : SubRayArrays
        The sub-rays of all beams, and where they end.
    start : int
        Row of the beam's first sub-ray in ``rays``.
    """
    last = even.rows.shape[1] - 1
    snr, place_m = even.rows[0, last], even.rows[1, last]
    if nearest_of(rays, start) < even.begin_m + last * even.step_m:
        ends = EndArrays(rays.weight, rays.range_m, rays.instance, rays.share)
        snr, place_m = _before(even, ends, start)
    return snr, place_m


@njit(cache=True, nogil=True, error_model="numpy")
def _before(fog, ends, start):
    """Return SNR and range [m] of the fog's echo in a beam whose sub-rays may end at near surfaces.

    Each sub-ray has an echo of fog. If their maxima are at nearly the same range, the echoes are
    summed; otherwise the maximum of the sum is searched between these ranges.

    Parameters
    ----------
    fog : FogArrays
        The echo of even fog, by the range at which a surface ends the beam.
    ends : EndArrays
        Where the sub-rays of all beams end, and their light.
    start : int
        Row of the beam's first sub-ray in ``ends``.
    """
    light_of_row = np.zeros(fog.rows.shape[1])
    signal = moment = farthest = 0.0
    nearest = math.inf
    for sub in range(len(ends.weight)):
        ray = start + np.uint64(sub)
        low, share = _row_of(fog, ends, ray)
        light, place = light_of(ends, sub, ray), _between(fog.rows, 1, low, share)
        height = light * _between(fog.rows, 0, low, share)
        signal += height
        moment += height * place
        light_of_row[low] += (1.0 - share) * light
        light_of_row[low + 1] += share * light
        if height > 0.0:
            nearest, farthest = min(nearest, place), max(farthest, place)
    if farthest > nearest + fog.step_m:
        return _highest(fog, light_of_row, (nearest, farthest))
    return signal, moment / signal if signal > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _row_of(fog, ends, ray):
    """Return the row of the fog before which a sub-ray ends, and the fraction of the step to it."""
    last = fog.rows.shape[1] - 1
    row = float(last)
    if ends.instance[ray] != NOTHING:
        row = min(max((float(ends.range_m[ray]) - fog.begin_m) / fog.step_m, 0.0), row)
    low = min(int(row), last - 1)
    return low, row - low


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _between(rows, row, low, share):
    """Return a value of the fog between two columns."""
    return rows[row, low] + share * (rows[row, low + 1] - rows[row, low])


@njit(cache=True, nogil=True, error_model="numpy")
def _highest(fog, light_of_row, span):
    """Return height and range of the maximum of the light that a beam receives from the fog."""
    last = fog.rows.shape[1] - 1
    first = max(int((span[0] - fog.begin_m) / fog.step_m), 0)
    end = min(int((span[1] - fog.begin_m) / fog.step_m) + 2, last + 1)
    low = max(first - 1, 0)
    received = _received(fog, light_of_row, low, min(end + 1, last + 1))
    at, height = first, 0.0
    for place in range(first, end):
        if received[place - low] > height:
            at, height = place, received[place - low]
    if not 0 < at < last:
        return height, fog.begin_m + at * fog.step_m
    before, behind = received[at - 1 - low], received[at + 1 - low]
    bend = before - 2.0 * height + behind
    off = 0.5 * (before - behind) / bend if bend < 0.0 else 0.0  # of the parabola through the three
    return height - 0.25 * (before - behind) * off, fog.begin_m + (at + off) * fog.step_m


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _received(fog, light_of_row, first, end):
    """Return the light received from the fog, at its ranges from ``first`` to before ``end``.

    ``light_of_row`` is the light that ends at each range.
    """
    signal = np.zeros(end - first)
    for row in range(len(light_of_row)):
        light = light_of_row[row]
        if light > 0.0:
            for n in range(end - first):
                signal[n] += light * fog.rows[2 + row, first + n]
    return signal


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def fog_in_patches(settings, media, beam, rays, even):
    """Return (SNR, range [m]) of the echo of patchy fog in one beam.

    The echo is at the range of the echo of even fog, scaled by the density there, or in a patch
    that is brighter. A patch behind the nearest surface is scaled by the light that passes the
    surface.

    Parameters
    ----------
    settings : WaveformSettings
        Its pulse width is used.
    media : MediaArrays
        Its patches of fog are used.
    beam : BeamInAir
        The beam's line through the patches, and its first row in ``rays``.
    rays : SubRayArrays
        The sub-rays of all beams, and where they end.
    even : (float, float)
        SNR and range [m] of the echo of even fog in the beam.
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
