# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled search for the maxima of a beam's waveform, a sum of Gaussians.

    s(x) = sum_j A_j sigma_r / sigma_j exp(-(x - m_j)^2 / 2 sigma_j^2)

Between components that touch, the slope is computed in steps of half a pulse width; a change of its
sign is located to 1e-5 of the pulse width. So two equal echoes of a pulse merge into one below a
distance of 2 sigma_r (Sparrow's criterion).
"""

from __future__ import annotations

import math

import numpy as np

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential
from material_mapping.kernels import root_at
from osi_lidar.scan.echoes.component_kernels import (
    BEST,
    FALL,
    MEAN,
    PART_BACK,
    PART_SNR,
    RAY,
    SNR,
    STEEPNESS,
    TOP,
    VALLEY,
    VARIANCE,
)

MOST_ECHOES = 8
"""Largest number of echoes that are searched for in one beam."""
APART = 3.0
"""Components more than this times the sum of their widths apart have maxima of their own."""
STEPS_PER_WIDTH = 2.0
_MOST_STEPS, _NEAR_ENOUGH = 16, 1e-5  # of the search for a zero, in pulse widths

FOUND = np.dtype(
    [
        ("beam", "<u4"),  # within the block
        ("ray", "<u4"),  # on which most light comes back
        ("range_m", "<f8"),  # place of the maximum
        ("centre_m", "<f8"),  # mean of its light
        ("snr", "<f8"),  # its height
        ("sigma_m", "<f8"),  # rms width
        ("reflectivity", "<f8"),  # of all its components
        ("at_peak", "<f8"),  # of a wall with the same maximum
        ("light", "<f8"),  # sum of the peaks that its components would have without their widths
        ("valley", "<f8"),  # lowest signal since the echo before, if searched; 0: almost none
    ]
)
"""numpy type of an echo in the waveform of a beam; rows are in the order of beam and range."""


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def find_maxima(
    # In:
    finds_valleys,  # this and the next three are of waveform_kernels.WaveformSettings
    sigma_r_m,
    step_m,
    root,
    hit,  # this, hit_index, part_index and part: see component_kernels.new_beam
    hit_index,
    n_part,  # number of components
    part_index,
    beam,  # number of the beam in its block
    n_found,  # number of rows of found_out that earlier beams of the block have filled
    # In and out:
    part,
    # Out:
    found_out,  # rows of FOUND
):
    """Write the maxima of one beam's waveform, at most `MOST_ECHOES`; return the rows then filled.

    The waveform is the sum of the beam's components, which are Gaussians. The number that is
    returned includes rows of earlier beams.

    Parameters
    ----------
    finds_valleys : bool
        Whether to compute the lowest signal between neighbouring maxima.
    sigma_r_m, step_m, root : float, float, float64 (n,)
        Rms width of the pulse in range [m], and the table of q(r) in clear air, as in `root_at`.
    hit, hit_index, part_index
        Hits of the beam, and hits of its components, as in `new_beam`.
    n_part : int
        Number of components, in the order of range.
    beam : int
        Number of the beam in its block of beams.
    n_found : int
        Number of rows of ``found_out`` that earlier beams of the block have filled.
    part : float64 (8, n)
        The components, as in `new_beam`; rows from `TOP` on are overwritten.
    found_out : structured (n_row,)
        Output: a row of the type `FOUND` for each maximum, from row ``n_found`` on, by range.
    """
    first, start = n_found, 0
    most = first + MOST_ECHOES
    while start < n_part:
        before = n_found
        end = start + 1
        while end < n_part and _touch(part, end - 1, end):
            end += 1
        if end == start + 1:
            if n_found < most:
                _write_lone(sigma_r_m, hit_index, part, part_index, start, beam, found_out[n_found])
                n_found += 1
        else:
            n_found = _write_maxima(
                finds_valleys, sigma_r_m, step_m, root, hit, hit_index, part_index, beam, n_found,
                most, start, end, part, found_out,
            )  # fmt: skip
        if (
            finds_valleys
            and first < before < n_found
            and _is_filled(found_out[before - 1], found_out[before])
        ):
            found_out[before].valley = _valley_apart(
                sigma_r_m, n_part, found_out[before - 1].range_m, found_out[before].range_m, part
            )
        start = end
    return n_found


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _touch(part, i, j):
    """Return whether two neighbouring components may change each other's maxima."""
    reach_m = APART * (math.sqrt(part[VARIANCE, i]) + math.sqrt(part[VARIANCE, j]))
    return part[MEAN, j] - part[MEAN, i] < reach_m


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _is_filled(near, far):
    """Return whether the valley between echoes that do not touch may be above the rms noise.

    The sum of two Gaussians at the place where both have fallen by the same factor is an upper
    bound of their valley; for echoes of several components this is an estimate.
    """
    widths = (far.range_m - near.range_m) / (near.sigma_m + far.sigma_m)
    return (near.snr + far.snr) * exponential(-0.5 * widths * widths) > 1.0


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _write_lone(sigma_r_m, hit_index, part, part_index, j, beam, found_out):
    """Write the echo of a component that no other one touches."""
    variance = part[VARIANCE, j]
    flat = sigma_r_m / math.sqrt(variance) if variance > sigma_r_m * sigma_r_m else 1.0
    found_out.beam = beam
    found_out.ray = hit_index[RAY, part_index[BEST, j]]
    found_out.range_m = found_out.centre_m = part[MEAN, j]
    found_out.snr = part[PART_SNR, j] * flat
    found_out.sigma_m = math.sqrt(variance)
    found_out.reflectivity = part[PART_BACK, j]
    found_out.at_peak = part[PART_BACK, j] * flat
    found_out.light, found_out.valley = part[PART_SNR, j], 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _write_maxima(
    # In:
    finds_valleys,
    sigma_r_m,
    step_m,
    root,
    hit,
    hit_index,
    part_index,
    beam,
    n_found,
    most,
    start,
    end,
    # In and out:
    part,
    # Out:
    found_out,
):
    """Write the echoes of components that touch each other; return the number of rows.

    An echo reports the light of the components between its valleys.
    """
    n_top, j = _tops(sigma_r_m, start, end, part), start
    first, valley = n_found, 0.0
    for top in range(n_top):
        x, from_ = part[TOP, top], j
        if finds_valleys and n_found > first:
            before = _valley(sigma_r_m, part, start, end, top)
            valley = before if valley == 0.0 else min(valley, before)
        while j < end and part[MEAN, j] <= part[VALLEY, top]:
            j += 1
        if j == from_ or n_found >= most:
            continue
        best, back, snr, moment, spread = part_index[BEST, from_], 0.0, 0.0, 0.0, 0.0
        for own in range(from_, j):
            back += part[PART_BACK, own]
            snr += part[PART_SNR, own]
            moment += part[PART_SNR, own] * (part[MEAN, own] - x)
            spread += part[PART_SNR, own] * (part[VARIANCE, own] + (part[MEAN, own] - x) ** 2)
            if hit[SNR, part_index[BEST, own]] > hit[SNR, best]:
                best = part_index[BEST, own]
        height = _height(sigma_r_m, part, start, end, x)
        at = root_at(step_m, root, x)
        found_out[n_found].beam = beam
        found_out[n_found].ray = hit_index[RAY, best]
        found_out[n_found].range_m = x
        found_out[n_found].centre_m = x + moment / snr
        found_out[n_found].snr = height
        found_out[n_found].sigma_m = math.sqrt(spread / snr)
        found_out[n_found].reflectivity = back
        found_out[n_found].at_peak = height * at * at
        found_out[n_found].light, found_out[n_found].valley = snr, valley
        valley = 0.0
        n_found += 1
    return n_found


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _height(sigma_r_m, part, start, end, x):
    """Return the waveform of some components at a range."""
    height = 0.0
    for j in range(start, end):
        off, variance = x - part[MEAN, j], part[VARIANCE, j]
        peak = part[PART_SNR, j] * sigma_r_m / math.sqrt(variance)
        height += peak * exponential(-0.5 * off * off / variance)
    return height


@njit(cache=True, nogil=True, error_model="numpy")
def _valley(sigma_r_m, part, start, end, top):
    """Return the lowest signal before a maximum of components that touch.

    `_tops` has stored the middle of the step in which the slope becomes positive again.
    """
    half_step_m = 0.5 * sigma_r_m / STEPS_PER_WIDTH
    low = max(part[VALLEY, top - 1] - half_step_m, part[TOP, top - 1])
    high = min(part[VALLEY, top - 1] + half_step_m, part[TOP, top])
    rise, fall = _slope(part, start, end, high), _slope(part, start, end, low)
    return _height(
        sigma_r_m, part, start, end, _zero(sigma_r_m, part, start, end, high, rise, low, fall)
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _valley_apart(
    # In:
    sigma_r_m,
    n_part,
    near_m,
    far_m,
    # In and out:
    part,
):
    """Return the lowest signal between two maxima of components that do not touch."""
    for j in range(n_part):
        _write_factors(j, part)
    step_m = sigma_r_m / STEPS_PER_WIDTH
    low = near_m + step_m
    fall = rise = _slope(part, 0, n_part, low)
    high = low
    while rise <= 0.0 and high < far_m:
        low, fall = high, rise
        high += step_m
        rise = _slope(part, 0, n_part, high)
    return _height(
        sigma_r_m, part, 0, n_part, _zero(sigma_r_m, part, 0, n_part, high, rise, low, fall)
    )


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _write_factors(j, part_out):
    """Write the factors of a component's slope."""
    variance = part_out[VARIANCE, j]
    part_out[STEEPNESS, j] = part_out[PART_SNR, j] / (variance * math.sqrt(variance))
    part_out[FALL, j] = 0.5 / variance


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _slope(part, start, end, x):
    """Return the slope of the waveform at a range, times a positive constant."""
    slope = 0.0
    for j in range(start, end):
        off = part[MEAN, j] - x
        slope += part[STEEPNESS, j] * off * exponential(-part[FALL, j] * off * off)
    return slope


@njit(cache=True, nogil=True, error_model="numpy")
def _tops(
    # In:
    sigma_r_m,
    start,
    end,
    # In and out:
    part,
):
    """Find the maxima of the waveform of some components; return the number of maxima.

    The maxima lie between the means of the first and the last component.
    """
    for j in range(start, end):
        _write_factors(j, part)
    low, high = part[MEAN, start], part[MEAN, end - 1]
    n_step = max(1, math.ceil((high - low) / sigma_r_m * STEPS_PER_WIDTH))
    n_top, rises, before = 0, True, low
    slope_before = _slope(part, start, end, low)
    for step in range(1, n_step + 1):
        x = low + (high - low) * step / n_step
        slope = _slope(part, start, end, x)
        if rises and slope <= 0.0 and n_top < end - start:
            part[TOP, n_top] = _zero(sigma_r_m, part, start, end, before, slope_before, x, slope)
            part[VALLEY, n_top] = math.inf
            n_top, rises = n_top + 1, False
        elif not rises and slope > 0.0:
            part[VALLEY, n_top - 1] = 0.5 * (before + x)
            rises = True
        before, slope_before = x, slope
    if rises and n_top < end - start:
        part[TOP, n_top] = high
        n_top += 1
    part[VALLEY, n_top - 1] = math.inf
    return n_top


@njit(cache=True, nogil=True, error_model="numpy")
def _zero(sigma_r_m, part, start, end, low, slope_low, high, slope_high):
    """Return where the slope, not negative at the first range, changes its sign.

    That is a maximum, or a valley if the first range is the farther one. The method is false
    position, Illinois variant: the slope at the end that stays is halved.
    """
    if slope_low <= 0.0:
        return low
    last = 0
    for _ in range(_MOST_STEPS):
        x = (low * slope_high - high * slope_low) / (slope_high - slope_low)
        slope = _slope(part, start, end, x)
        if slope > 0.0:
            moved = abs(x - low)
            low, slope_low = x, slope
            slope_high = 0.5 * slope_high if last > 0 else slope_high
            last = 1
        else:
            moved = abs(high - x)
            high, slope_high = x, slope
            slope_low = 0.5 * slope_low if last < 0 else slope_low
            last = -1
        if moved < _NEAR_ENOUGH * sigma_r_m or slope == 0.0:
            return x
    return 0.5 * (low + high)
