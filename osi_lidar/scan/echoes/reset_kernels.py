# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled rules of a comparator that must fall below the threshold between two echoes.

Neighbouring maxima of a beam's waveform whose valley stays above the threshold are one echo, from
the rise through the threshold before the first one to the fall through it behind the last one.
Valleys are computed without noise.
"""

from __future__ import annotations

import math

from lidar_base.compiled import njit

PEAK, CENTROID, LEADING_EDGE, FRACTION = range(4)
"""Codes of the configuration's ``returns.method``."""
HALF_RISE = math.sqrt(2.0 * math.log(2.0))
"""How many sigmas before its maximum a Gaussian reaches half of it."""


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def rise_of(observed, threshold):
    """Return how many sigmas before its maximum an echo reaches the threshold.

    A Gaussian of height S and width sigma reaches k at sigma sqrt(2 ln(S / k)) before its maximum.
    ``observed`` is S, ``threshold`` k; the result is 0 if S is below k.
    """
    return math.sqrt(2.0 * math.log(max(observed / threshold, 1.0)))


@njit(cache=True, nogil=True, error_model="numpy")
def last_of_echo(threshold, found, row, n_found):
    """Return the last of the maxima that form one echo with the maximum in row ``row``.

    ``found`` has ``n_found`` rows of `FOUND`; the result is a row of it. Neighbouring maxima of a
    beam are one echo if the signal between them stays above ``threshold`` [rms of the noise].
    """
    last = row
    while (
        last + 1 < n_found
        and found[last + 1].beam == found[row].beam
        and found[last + 1].valley > threshold
    ):
        last += 1
    return last


@njit(cache=True, nogil=True, error_model="numpy")
def light_of_echo(found, row, end):
    """Return the row of an echo's highest maximum, and the sum of its maxima's reflectivities.

    The maxima of the echo are the rows ``row`` to ``end`` - 1 of ``found``.
    """
    top, reflectivity = row, 0.0
    for i in range(row, end):
        reflectivity += found[i].reflectivity
        top = i if found[i].snr > found[top].snr else top
    return top, reflectivity


@njit(cache=True, nogil=True, error_model="numpy")
def measured_by(method, threshold, found, row, end, top, noise):
    """Return five numbers from which the range of an echo of several maxima is measured.

    The maxima are the rows ``row`` to ``end`` - 1 of ``found``; ``top`` is the row of the highest.
    ``noise`` is added to the SNR of each maximum before its rise is computed. The first four
    results describe a single Gaussian for which ``method`` measures the same range as for the echo.

    Returns
    -------
    place, centre, sigma : float
        Range of the Gaussian's maximum, range of the centre of its light, and its width. [m]
    rise : float
        How many sigmas before the maximum it reaches the threshold. [1]
    extent : float
        Distance from the echo's first rise through the threshold to its last fall. [m]
    """
    first, last = found[row], found[end - 1]
    first_rise = rise_of(first.snr + noise, threshold)
    last_rise = rise_of(last.snr + noise, threshold)
    width_m = last.range_m - first.range_m
    width_m += first.sigma_m * first_rise + last.sigma_m * last_rise
    place, sigma_m = found[top].range_m, found[top].sigma_m
    rise = rise_of(found[top].snr + noise, threshold)
    centre_m = place
    if method == CENTROID:
        centre_m, sigma_m = _moments(found, row, end)
    elif method == LEADING_EDGE:
        place, sigma_m, rise = first.range_m, first.sigma_m, first_rise
    elif method == FRACTION:
        half = 0.5 * found[top].snr
        at = row
        while found[at].snr < half:
            at += 1
        sigma_m = found[at].sigma_m
        place = found[at].range_m + sigma_m * (HALF_RISE - rise_of(found[at].snr, half))
    return place, centre_m, sigma_m, rise, width_m


@njit(cache=True, nogil=True, error_model="numpy")
def _moments(found, row, end):
    """Return mean range and standard deviation of the light of several maxima [m]."""
    from_m, light, moment, spread = found[row].centre_m, 0.0, 0.0, 0.0
    for i in range(row, end):
        light += found[i].light
        moment += found[i].light * (found[i].centre_m - from_m)
    mean_m = from_m + moment / light
    for i in range(row, end):
        off_m, sigma_m = found[i].centre_m - mean_m, found[i].sigma_m
        spread += found[i].light * (sigma_m * sigma_m + off_m * off_m)
    return mean_m, math.sqrt(spread / light)
