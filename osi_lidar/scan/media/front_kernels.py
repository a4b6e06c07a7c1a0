# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of the echo of long bodies, such as dust: where a receiver sees them brightest.

A layer from the range a to a + l sends back the strength c exp(-k u) per metre, u behind its front;
k holds its own extinction there and back, and how the signal falls with the range. The receiver
sees the integral over a pulse of the rms length s, and of several layers the sum::

    f(x) = integral of c exp(-k u) exp(-(x - a - u)^2 / 2 s^2) du,  0 < u < l
         = c s sqrt(pi / 2) exp(k^2 s^2 / 2 - k z) (erf(v) - erf(v - l / sqrt(2) s))
    z = x - a    v = (z - k s^2) / sqrt(2) s
"""

from __future__ import annotations

import math

import numpy as np

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential, logarithm
from material_mapping.kernels import root_at

NEAR_M, LENGTH_M, DECAY, STRENGTH = range(4)
"""Rows of layers, float64 (4, n)."""
STEEPEST = 25.0
"""Largest decay of a layer's light, as exponent over one pulse length s. [1]

A layer that decays faster is treated as if it had this decay: its echo looks the same."""
_ROOT_2, _ROOT_HALF_PI = math.sqrt(2.0), math.sqrt(0.5 * math.pi)
_BEHIND = 1.5  # lengths of the pulse behind the front, where the search begins
_MOST_STEPS, _NEAR_ENOUGH = 40, 1e-4
_FRONT = 3.0  # widths of the pulse over which the fall of the signal with the range is taken
_THINNEST = 1e-3  # length of dust, in widths of the pulse, that sends nothing back


@njit(cache=True, nogil=True, error_model="numpy")
def seen_at(layers, sigma_m, range_m):
    """Return (f, f', f''): the signal f(x) received from layers at a range x, and its derivatives.

    ``layers`` is float64 (4, n): the rows `NEAR_M`, `LENGTH_M`, `DECAY` and `STRENGTH`, a column
    for each layer. ``sigma_m`` is s, the rms pulse length, and ``range_m`` is x [m].
    """
    signal = slope = bend = 0.0
    for i in range(layers.shape[1]):
        z, decay = range_m - layers[NEAR_M, i], layers[DECAY, i]
        behind = z - layers[LENGTH_M, i]
        front = exponential(-0.5 * (z / sigma_m) ** 2)
        rear = exponential(-0.5 * (behind / sigma_m) ** 2 - decay * layers[LENGTH_M, i])
        v = (z - decay * sigma_m * sigma_m) / (sigma_m * _ROOT_2)
        w = v - layers[LENGTH_M, i] / (sigma_m * _ROOT_2)
        part = math.erfc(-v) - math.erfc(-w) if v < 0.0 else math.erf(v) - math.erf(w)
        part *= sigma_m * _ROOT_HALF_PI * exponential(decay * (0.5 * decay * sigma_m**2 - z))
        change = front - rear - decay * part
        signal += layers[STRENGTH, i] * part
        slope += layers[STRENGTH, i] * change
        bend += layers[STRENGTH, i] * ((behind * rear - z * front) / sigma_m**2 - decay * change)
    return signal, slope, bend


@njit(cache=True, nogil=True, error_model="numpy")
def brightest_place(layers, sigma_m):
    """Find where the signal that layers send back together is largest.

    Return its height there, the range [m], and the variance [m^2] of a Gaussian with the same
    height and second derivative (infinite if flat). ``layers`` is float64 (4, n), as for
    `seen_at`; ``sigma_m`` is the rms pulse length [m].

    The signal is compared at one place just behind the near end of each layer. The result is the
    maximum that is reached uphill from the best of these places, so it can miss a higher one.
    """
    place_m, highest = layers[NEAR_M, 0], -1.0
    for i in range(layers.shape[1]):
        at_m = layers[NEAR_M, i] + min(0.5 * layers[LENGTH_M, i], _BEHIND * sigma_m)
        signal, _, _ = seen_at(layers, sigma_m, at_m)
        if signal > highest:
            place_m, highest = at_m, signal
    _, slope, _ = seen_at(layers, sigma_m, place_m)
    step_m = 0.5 * sigma_m if slope > 0.0 else -0.5 * sigma_m
    low, high, at_low, at_high = place_m, place_m, slope, slope
    for _ in range(_MOST_STEPS):
        if not at_high * slope > 0.0:
            break
        low, at_low, high = high, at_high, high + step_m
        _, at_high, _ = seen_at(layers, sigma_m, high)
        step_m *= 2.0
    place_m = _turning_point(layers, sigma_m, (low, at_low), (high, at_high))
    signal, _, bend = seen_at(layers, sigma_m, place_m)
    return signal, place_m, -signal / bend if bend < 0.0 else np.inf


@njit(cache=True, nogil=True, error_model="numpy")
def _turning_point(layers, sigma_m, one, other):
    """Return where the slope is 0 between two ranges (false position, Illinois variant)."""
    (x, slope), (y, other_slope) = one, other
    if slope in (0.0, other_slope):
        return x
    for _ in range(_MOST_STEPS):
        at = (x * other_slope - y * slope) / (other_slope - slope)
        _, found, _ = seen_at(layers, sigma_m, at)
        moved = abs(at - y)
        if found * other_slope > 0.0:
            slope *= 0.5
        else:
            x, slope = y, other_slope
        y, other_slope = at, found
        if found == 0.0 or moved < _NEAR_ENOUGH * sigma_m:
            return y
    return y


@njit(cache=True, nogil=True, error_model="numpy")
def echo_of_front(settings, bodies, span, far_m, depth, sent):
    """Return the echo of dust where a receiver sees it brightest, which is near its front.

    The result has four numbers: signal [rms of the noise], range [m], variance [m^2], and the ratio
    of all light to the signal.

    Parameters
    ----------
    settings, bodies, span, far_m, depth
        As for `passed_kernels.sent_back`.
    sent : (float, float, float)
        Signal, mean range and variance that `passed_kernels.sent_back` returns.
    """
    sigma_m, (energy, mean_m, spread) = settings.sigma_r_m, sent
    layers, n = np.empty((4, span[1] - span[0])), 0
    for row in range(span[0], span[1]):
        near_m = float(bodies.near_m[row])
        length_m = min(float(bodies.far_m[row]), far_m) - near_m
        if length_m <= _THINNEST * sigma_m:
            continue
        reach_m = min(length_m, _FRONT * sigma_m)
        at_front = root_at(settings.step_m, settings.air_root, near_m)
        behind = root_at(settings.step_m, settings.air_root, near_m + reach_m)
        extinction = float(bodies.extinction[bodies.body[row]])
        decay = 2.0 * (extinction + logarithm(behind / at_front) / reach_m)
        held = min(decay, STEEPEST / sigma_m)
        strength = math.pi * float(bodies.backscatter[bodies.body[row]]) / (at_front * at_front)
        strength *= exponential(-2.0 * depth) * (held / decay if decay > held else 1.0)
        layers[NEAR_M, n], layers[LENGTH_M, n] = near_m, length_m
        layers[DECAY, n], layers[STRENGTH, n] = held, strength
        depth, n = depth + extinction * length_m, n + 1
    if n == 0:
        return energy, mean_m, spread, 1.0
    height, place_m, variance = brightest_place(layers[:, :n], sigma_m)
    variance = min(max(variance, sigma_m * sigma_m), spread)
    snr = height * math.sqrt(variance) / sigma_m
    at_mean = root_at(settings.step_m, settings.root, mean_m)
    at_place = root_at(settings.step_m, settings.root, place_m)
    return snr, place_m, variance, energy / snr * (at_mean / at_place) ** 2
