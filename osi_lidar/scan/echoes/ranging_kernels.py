# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled measurement of echoes: range, width and error, also of several maxima in one echo.

A comparator that must fall below the threshold between two echoes joins maxima: neighbouring
maxima of a beam's waveform whose valley stays above the threshold are one echo, from the rise
through the threshold before the first one to the fall through it behind the last one. Valleys are
computed without noise.
"""

from __future__ import annotations

import math

from lidar_base.compiled import njit

PEAK, CENTROID, LEADING_EDGE, FRACTION = range(4)
"""Codes of the configuration's ``returns.method``."""
NO_ERROR, OF_PULSE, OF_TABLE = range(3)
"""Which error ranges have: none, an error by the width of the pulse, or an error from a table."""
HALF_RISE = math.sqrt(2.0 * math.log(2.0))
"""How many sigmas before its maximum a Gaussian reaches half of it."""

_WALK_AT = math.sqrt(2.0 * math.log(10.0))  # the walk of echoes of 10 k is 0
_FRACTION_ERROR = 1.70  # of the rise through half of the maximum, in sigma_r / S


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


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def measured(settings, place, centre_m, sigma_m, rise):
    """Return the range [m] that the receiver measures of an echo without noise.

    If the sensor measures at an edge, it adds the distance from edge to maximum of an undistorted
    pulse, so that the range of a wall is right. The remaining range walk is 0 for echoes of 10 k.

    ``settings`` is `ReceiverSettings`. ``place`` is the range of the echo's maximum, ``centre_m``
    of the centre of its light, ``sigma_m`` its width [m], and ``rise`` how many sigmas before the
    maximum it reaches the threshold.
    """
    sigma_r_m = settings.sigma_r_m
    if settings.method == CENTROID:
        place = centre_m
    elif settings.method == LEADING_EDGE:
        place += rise * (sigma_r_m - sigma_m)
    elif settings.method == FRACTION:
        place += HALF_RISE * (sigma_r_m - sigma_m)
    return place + settings.walk_residual * sigma_r_m * (_WALK_AT - rise)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def range_error(settings, precision, observed, sigma_m, rise):
    """Return the standard deviation [m] of the range of an echo.

    ``settings`` is `ReceiverSettings`, ``precision`` of `ScaleArrays`, ``observed`` the echo's
    SNR with noise, ``sigma_m`` its width [m], and ``rise`` as for `measured`.
    """
    if settings.error == NO_ERROR:
        return 0.0
    if settings.error == OF_TABLE:
        return _table_error(precision, observed)
    if settings.method == LEADING_EDGE:
        return min(sigma_m / max(settings.threshold * rise, 1e-9), sigma_m)
    if settings.method == FRACTION:
        return _FRACTION_ERROR * sigma_m / observed
    return sigma_m * sigma_m / (settings.sigma_r_m * observed)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _table_error(precision, snr):
    """Return the error by a maker's table: linear in logarithms, constant outside of its rows."""
    at, last = math.log(max(snr, 1e-9)), precision.shape[1] - 1
    if at <= precision[0, 0]:
        return math.exp(precision[1, 0])
    for row in range(last):
        if at <= precision[0, row + 1]:
            share = (at - precision[0, row]) / (precision[0, row + 1] - precision[0, row])
            return math.exp(precision[1, row] + share * (precision[1, row + 1] - precision[1, row]))
    return math.exp(precision[1, last])
