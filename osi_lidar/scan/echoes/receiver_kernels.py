# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled receiver: which of a beam's echoes a sensor reports, at which range, how strong.

An echo of signal-to-noise ratio S is observed, and reported, as S + sqrt(1 + q S) z, with z
standard normal and q for the noise of the signal itself. It is detected if this reaches the
threshold of its pulse, k l exp(s u), with l for the laser and u standard normal. Noise alone
reaches it with a small probability, at any range. Without noise the sharp range limit decides.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential
from lidar_base.memory_kernels import borrowed
from material_mapping.kernels import bounds_row, range_limit_at, root_at
from osi_lidar.scan.echoes.maxima_kernels import MOST_ECHOES
from osi_lidar.scan.echoes.origin_kernels import GLARE_RAY, NOISE_RAY, draw_of, is_of_air
from osi_lidar.scan.echoes.ranging_kernels import (
    last_of_echo,
    light_of_echo,
    measured,
    measured_by,
    range_error,
    rise_of,
)

STRONGEST, LAST, FIRST, LAST_STRONGEST, LAST_FIRST, FIRST_STRONGEST, ALL = range(7)
"""Codes of the configuration's ``returns.mode``."""
NEAREST, FARTHEST, BY_STRENGTH = range(3)
"""Codes of ``returns.order``: which echo of a beam is written first."""
_SURE = 10.0  # SNR that noise never reaches

ECHO = np.dtype(
    [
        ("beam", "<u4"),
        ("ray", "<u4"),  # that sends back most; from FROM_AIR on it has met no surface
        ("number", "u1"),  # within the beam, from the nearest on
        ("of", "u1"),  # how many the beam has
        ("draw", "u1"),  # index of its random numbers within the beam
        ("range_m", "<f4"),  # as the receiver measures it
        ("strength", "<f4"),  # reflectivity that it reports
        ("snr", "<f4"),  # as observed
        ("width_m", "<f4"),  # between rise and fall through the threshold
        ("rmse_m", "<f4"),  # of the range
        ("existence", "<f4"),  # probability that it is more than noise
        ("place_m", "<f4"),  # range of the maximum in the waveform
        ("true_range_m", "<f4"),  # of the hit; of the maximum, for an echo of the air
        # of the hit; undefined for an echo of no surface:
        ("object_id", "<u8"),
        ("material", "<u2"),
        ("is_ghost", "?"),
        ("normal_x", "<f4"),
        ("normal_y", "<f4"),
        ("normal_z", "<f4"),
        ("cos_incidence", "<f4"),
        ("true_x_m", "<f4"),
        ("true_y_m", "<f4"),
        ("true_z_m", "<f4"),
    ]
)
"""numpy type of an echo that the sensor reports: what it measures, and the surface that is hit."""

# Rows of the memory for the candidates of one beam: float64 (6, n) and int64 (2, n).
PLACE, OBSERVED, REPORTED, WIDTH, ERROR, TRUE = range(6)
RAY, DRAW = range(2)
_MOST = MOST_ECHOES + 2  # and a false alarm, and an echo by the sun


class ReceiverSettings(NamedTuple):
    """The configured receiver of a sensor, for kernels: noise, threshold, choice and ranging.

    - Detection: if ``is_noisy``, noise of the amplitude decides which echoes are seen, else the
      range limit. The equations of this module name ``threshold`` k, ``signal_spread`` s and
      ``shot_noise`` q. ``n_0`` is the mean number of times that the noise rises through 0, and
      ``alarm_probability`` the probability of a false alarm in a beam.
    - Choice: echoes measured from ``min_range_m`` to ``max_range_m`` may be reported: those that
      the code ``mode`` says, at most ``n_most``, in the ``order`` of its code. The strongest echo
      is chosen by its signal, or ``by_reflectivity``. ``duplicates`` is whether the only echo
      of a beam is sent twice if ``mode`` asks for a pair, such as the first and the strongest.
    - Separation: an echo hides weaker ones nearer to it than ``min_separation_m``. Behind an echo,
      sensitivity returns over ``recovery_m``. If ``resets``, the signal must fall below the
      threshold between two echoes.
    - Measurement: the code ``method`` says how the range is measured, and ``error`` which random
      error it has. ``sigma_r_m`` is the rms width of the pulse in range, ``walk_residual`` the
      share of the range walk that is left. ``saturation`` is the SNR at which echoes saturate.
      ``reports_peak`` is whether reflectivities are `FOUND` at_peak.
    """

    is_noisy: bool  # whether noise of the amplitude decides which echoes are seen
    threshold: float  # k, in rms of the noise
    signal_spread: float  # s, standard deviation of the logarithm of a pulse's threshold
    shot_noise: float  # q: the noise of an echo of SNR S has the variance 1 + q S
    n_0: float  # mean number of times that the noise rises through 0, see signal_scale.SignalScale
    min_range_m: float  # echoes measured nearer are not reported
    max_range_m: float  # echoes measured farther are not reported
    alarm_probability: float  # probability of a false alarm in a beam
    saturation: float  # SNR at which echoes saturate, may be infinite
    mode: int  # echoes to report: STRONGEST .. ALL
    n_most: int  # largest number of reported echoes of a beam
    min_separation_m: float  # a stronger echo hides echoes nearer to it than this
    by_reflectivity: bool  # strongest echo: by reflectivity instead of signal
    method: int  # of measuring the range: PEAK, CENTROID, LEADING_EDGE, FRACTION
    order: int  # of a beam's echoes: NEAREST, FARTHEST, BY_STRENGTH
    duplicates: bool  # whether an echo is sent twice if it is, say, both first and strongest
    walk_residual: float  # share of the range walk that the sensor leaves uncorrected
    error: int  # random range error: NO_ERROR, OF_PULSE, OF_TABLE
    sigma_r_m: float  # rms width of the pulse in range
    resets: bool  # whether the signal must fall below the threshold between two echoes
    recovery_m: float  # length over which sensitivity returns behind an echo; 0: at once
    reports_peak: bool  # reported reflectivity: FOUND.at_peak instead of FOUND.reflectivity


class ScaleArrays(NamedTuple):
    """The scale of a sensor's signal over range, its range limit and its precision, for kernels.

    ``step_m`` and ``root`` are the scale q(r) of `WaveformSettings`. ``precision``, float64
    (2, n), has logarithms of SNR and of the range's standard deviation in metres.
    ``until_percent``, ``pieces`` and ``cap_m`` are `RangeLimit.kernel_arguments`, and
    ``limit_bounds_m`` is `RangeLimit.kernel_bounds`.
    """

    step_m: float  # these two: see waveform_kernels.WaveformSettings
    root: object
    precision: object  # float64 (2, n) logarithms of SNR and sigma_m
    until_percent: object  # these three: see range_limit.RangeLimit.kernel_arguments
    pieces: object
    cap_m: float
    limit_bounds_m: object  # see range_limit.RangeLimit.kernel_bounds


@njit(cache=True, nogil=True)
def new_candidates():
    """Return memory for the candidate echoes of one beam, with n places.

    The first array, float64 (6, n), has the rows `PLACE` to `TRUE` of each candidate; the second,
    int64 (2, n), the rows `RAY` and `DRAW`. The third, int64 (n,), lists the chosen candidates.
    """
    return np.empty((6, _MOST)), np.empty((2, _MOST), np.int64), np.empty(_MOST, np.int64)


@njit(cache=True, nogil=True, error_model="numpy")
def receive_block(
    # Sensor:
    settings,  # see ReceiverSettings
    scale,  # see ScaleArrays
    # In:
    found,  # rows of maxima_kernels.FOUND
    n_found,  # number of rows in found
    least,  # float64 (n_beam | more,) threshold of each beam's pulse
    amplitude,  # float64 (n_found | more,) standard normal: noise of each maximum's amplitude
    chance,  # float64 (n_found | more,) standard normal: error of its range
    alarm,  # float64 (n_beam | more,) uniform: whether the beam has a false alarm, how strong
    alarm_place,  # float64 (n_beam | more,) uniform: range of the false alarm
    glare,  # float64 (n_beam | more,) uniform where the sun makes an echo, else 1
    glare_place,  # float64 (n_beam | more,) uniform: range of the echo by the sun
    beam,  # uint32 (n_beam,) indices of the beams in the pattern
    # Work:
    memory,  # see new_candidates
    # Out:
    echo_out,  # rows of ECHO
):
    """Write the echoes of a block of beams that the sensor reports; return their number.

    ``settings`` and ``scale`` state the receiver. ``found`` are the maxima of the beams'
    waveforms, ``n_found`` rows by beam and range. Random numbers come with them: the threshold
    ``least`` of each beam's pulse, ``amplitude`` and ``chance`` of each maximum, and for each beam
    ``alarm`` and ``alarm_place`` for a false alarm, ``glare`` and ``glare_place`` for an echo by
    the sun. ``beam`` is each beam's index in the scan pattern, and ``memory`` is of
    `new_candidates`. Echoes are written to the first rows of ``echo_out``, by beam.
    """
    candidate, candidate_index, chosen = borrowed(memory)
    step_m, root, precision, until_percent, pieces, cap_m, limit_bounds_m = borrowed(scale)
    found, echo_out = borrowed(found), borrowed(echo_out)
    is_noisy, saturation = settings.is_noisy, settings.saturation
    row = n_echo = 0
    for b in range(len(beam)):
        n, number, echo_m = 0, 0, -math.inf  # the last echo of a surface or of the air
        threshold = least[b] if is_noisy else settings.threshold
        while row < n_found and found[row].beam == b:
            end, top, reported = row + 1, row, found[row].reflectivity
            if settings.resets:
                end = last_of_echo(threshold, found, row, n_found) + 1
                top, reported = light_of_echo(found, row, end)
            if settings.reports_peak:
                reported = found[top].at_peak
            place, ray = found[top].range_m, found[top].ray
            ready = _recovered(settings, place - echo_m)
            snr, reported = found[top].snr * ready, reported * ready
            observed, true_m = snr, place
            if is_noisy:
                noise = math.sqrt(1.0 + settings.shot_noise * snr)
                observed = snr + noise * amplitude[row]
                is_seen = observed >= threshold
                reported *= observed / max(snr, 1e-9)
            else:
                is_seen = _is_within(
                    until_percent, pieces, cap_m, limit_bounds_m, found[top].at_peak * ready, place
                )
            if is_seen:
                echo_m = true_m
                rise = rise_of(observed, threshold)
                centre_m, sigma_m = found[top].centre_m, found[top].sigma_m
                width_m = 2.0 * sigma_m * rise
                if end > row + 1:
                    place, centre_m, sigma_m, rise, width_m = measured_by(
                        settings.method, threshold, found, row, end, top, observed - snr
                    )
                error_m = range_error(settings, precision, observed, sigma_m, rise)
                place = measured(settings, place, centre_m, sigma_m, rise)
                place += error_m * chance[row]
                if settings.min_range_m <= place <= settings.max_range_m:
                    reported *= min(1.0, saturation / observed)
                    n = _insert(n, place, observed, reported, width_m, error_m, true_m, ray,
                                draw_of(found[row].ray, number), candidate,
                                candidate_index)  # fmt: skip
            for i in range(row, end):
                number += 0 if is_of_air(found[i].ray) else 1
            row = end
        if is_noisy and alarm[b] < settings.alarm_probability:
            chance_of_it = alarm[b] / settings.alarm_probability
            n = _insert_spurious(settings, precision, step_m, root, chance_of_it, alarm_place[b], n,
                                 NOISE_RAY, candidate, candidate_index)  # fmt: skip
        if is_noisy and glare[b] < 1.0:
            n = _insert_spurious(settings, precision, step_m, root, glare[b], glare_place[b], n,
                                 GLARE_RAY, candidate, candidate_index)  # fmt: skip
        if n == 0:
            continue
        n_chosen = _choose(settings, n, candidate, chosen)
        for i in range(n_chosen):
            at = chosen[i]
            echo, nearer = echo_out[n_echo + i], 0
            for j in range(n_chosen):
                nearer += chosen[j] < at or (chosen[j] == at and j < i)
            echo.beam, echo.ray = beam[b], candidate_index[RAY, at]
            echo.number, echo.of = nearer, n_chosen
            echo.draw = candidate_index[DRAW, at]
            observed = candidate[OBSERVED, at]
            echo.range_m, echo.strength = candidate[PLACE, at], candidate[REPORTED, at]
            echo.snr, echo.width_m = min(observed, saturation), candidate[WIDTH, at]
            echo.rmse_m, echo.existence = candidate[ERROR, at], 1.0
            echo.place_m = echo.true_range_m = candidate[TRUE, at]
            if is_noisy and observed < _SURE:
                echo.existence = exponential(
                    -settings.n_0 * exponential(-0.5 * observed * observed)
                )
        n_echo += n_chosen
    return n_echo


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _recovered(settings, behind_m):
    """Return the fraction of its sensitivity that a receiver has regained, so far after an echo."""
    if settings.recovery_m == 0.0:
        return 1.0
    late_m = max(behind_m - settings.min_separation_m, 0.0)
    return 1.0 - exponential(-late_m / settings.recovery_m)


@njit(cache=True, nogil=True, error_model="numpy")
def _insert_spurious(
    settings, precision, step_m, root, chance, share, n, ray, candidate_out, candidate_index_out
):
    """Add a false alarm, as strong as noise, to the candidates; return their number."""
    threshold, sigma_r_m = settings.threshold, settings.sigma_r_m
    place = settings.min_range_m + share * (settings.max_range_m - settings.min_range_m)
    observed = math.sqrt(threshold * threshold - 2.0 * math.log(chance))
    at = root_at(step_m, root, place)
    rise = rise_of(observed, threshold)
    error_m = range_error(settings, precision, observed, sigma_r_m, rise)
    return _insert(n, place, observed, observed * at * at, 2.0 * sigma_r_m * rise, error_m, place,
                   ray, draw_of(ray, 0), candidate_out, candidate_index_out)  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _is_within(until_percent, pieces, cap_m, limit_bounds_m, back, range_m):
    """Return whether the range limit of a reflectivity reaches a range."""
    step = bounds_row(back, len(limit_bounds_m))
    if range_m < limit_bounds_m[step, 0]:
        return True
    if range_m > limit_bounds_m[step, 1]:
        return False
    return range_m <= range_limit_at(until_percent, pieces, cap_m, back)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _insert(
    n, place, observed, reported, width_m, error_m, true_m, ray, draw, candidate_out,
    candidate_index_out,
):  # fmt: skip
    """Insert an echo into the candidates, in the order of range; return their number."""
    to = n
    while to > 0 and candidate_out[PLACE, to - 1] > place:
        for row in range(6):
            candidate_out[row, to] = candidate_out[row, to - 1]
        for row in range(2):
            candidate_index_out[row, to] = candidate_index_out[row, to - 1]
        to -= 1
    candidate_out[PLACE, to], candidate_out[OBSERVED, to] = place, observed
    candidate_out[REPORTED, to], candidate_out[WIDTH, to] = reported, width_m
    candidate_out[ERROR, to], candidate_out[TRUE, to] = error_m, true_m
    candidate_index_out[RAY, to], candidate_index_out[DRAW, to] = ray, draw
    return n + 1


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _choose(settings, n, candidate, chosen_out):
    """Write the indices of the reported candidates, in order; return their number."""
    n_left, by = 0, REPORTED if settings.by_reflectivity else OBSERVED
    for i in range(n):  # keep echoes that are separate
        hidden = False
        for j in range(n):
            apart_m = abs(candidate[PLACE, i] - candidate[PLACE, j])
            stronger = candidate[by, j] > candidate[by, i]
            hidden |= stronger and apart_m < settings.min_separation_m
        if not hidden:
            chosen_out[n_left] = i
            n_left += 1
    mode = settings.mode
    if mode == ALL:
        while n_left > settings.n_most:
            _remove_weakest(candidate, by, n_left, chosen_out)
            n_left -= 1
    else:
        nearest, farthest = chosen_out[0], chosen_out[n_left - 1]
        strongest = _strongest(candidate, by, chosen_out, n_left, -1)
        one = strongest
        if mode in (FIRST, FIRST_STRONGEST):
            one = nearest
        elif mode in (LAST, LAST_STRONGEST, LAST_FIRST):
            one = farthest
        if mode in (STRONGEST, FIRST, LAST):
            chosen_out[0] = one
            return 1
        other = nearest if mode == LAST_FIRST else strongest
        if other == one and n_left > 1:
            other = _strongest(candidate, by, chosen_out, n_left, one)
        n_left = 1 if other == one and not settings.duplicates else 2
        chosen_out[0] = min(one, other) if n_left == 2 else one
        chosen_out[1] = max(one, other)
    if settings.order == BY_STRENGTH:
        _sort_by_strength(candidate, by, n_left, chosen_out)
    elif settings.order == FARTHEST:
        for i in range(n_left // 2):
            other = n_left - 1 - i
            chosen_out[i], chosen_out[other] = chosen_out[other], chosen_out[i]
    return n_left


@njit(cache=True, nogil=True, error_model="numpy")
def _strongest(candidate, by, chosen, n, without):
    """Return the strongest of the chosen candidates, leaving out the candidate ``without``."""
    best = -1
    for i in range(n):
        at = chosen[i]
        if at != without and (best < 0 or candidate[by, at] > candidate[by, best]):
            best = at
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def _remove_weakest(candidate, by, n, chosen_out):
    """Remove the weakest of n chosen candidates."""
    weakest = 0
    for i in range(1, n):
        if candidate[by, chosen_out[i]] < candidate[by, chosen_out[weakest]]:
            weakest = i
    for i in range(weakest, n - 1):
        chosen_out[i] = chosen_out[i + 1]


@njit(cache=True, nogil=True, error_model="numpy")
def _sort_by_strength(candidate, by, n, chosen_out):
    """Sort n chosen candidates, the strongest first."""
    for i in range(1, n):
        to = i
        while to > 0 and candidate[by, chosen_out[to]] > candidate[by, chosen_out[to - 1]]:
            chosen_out[to], chosen_out[to - 1] = chosen_out[to - 1], chosen_out[to]
            to -= 1
