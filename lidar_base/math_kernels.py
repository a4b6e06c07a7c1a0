# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled logarithm, exponential, cosine, sine and arctangent: the same bits on every machine.

They use only operations that IEEE 754 rounds exactly, where a C library's functions differ in their
last digits from one system to the next.
"""

from __future__ import annotations

import math

import numpy as np

from lidar_base.compiled import njit

ROOT_HALF = math.sqrt(0.5)
_LN2 = math.log(2.0)
# The bits of a float64: 52 of the mantissa, then the exponent; those of one half.
_MANTISSA_BITS = np.uint64(52)
_MANTISSA = np.uint64((1 << 52) - 1)
_HALF = np.uint64(1022 << 52)
_HALF_EXPONENT = np.int64(1022)
_MANTISSA_SHIFT = np.int64(52)

_LN2_HIGH = 0.693359375  # its product with an exponent is exact
_LN2_LOW = _LN2 - _LN2_HIGH  # to the digits of _LN2, which are enough
_LEAST_EXPONENT = -708.0
_PER_LN2 = 1.0 / _LN2
_E2, _E3, _E4, _E5, _E6, _E7, _E8 = (1.0 / math.factorial(k) for k in range(2, 9))

SMALL_RAD = 0.1
"""Up to this angle the series of cosine and sine are exact to 1e-16."""
# By what each term of the series of cosine and sine is smaller than the one before, over x^2.
_2ND, _3RD, _4TH, _5TH, _6TH, _7TH, _8TH, _9TH = (1.0 / (k * (k - 1)) for k in range(2, 10))
_QUARTER_PI, _HALF_PI, _PI = 0.25 * math.pi, 0.5 * math.pi, math.pi
_TAN_EIGHTH = math.sqrt(2.0) - 1.0
_TERMS = 21  # of the series of arctan up to tan(pi/8): the next one is below 1e-17


@njit(cache=True, nogil=True, inline="always")
def logarithm(x):
    """Return the natural logarithm of a positive number; relative or absolute error below 1e-15.

    ``x`` is a float64, finite and not subnormal. The result has the same bits on every machine,
    unlike the result of a C library. It is from ln m = 2 artanh((m - 1) / (m + 1)): eleven terms of
    the series suffice for a mantissa m of sqrt(1/2) to sqrt(2).
    """
    bits = np.float64(x).view(np.uint64)
    half = np.uint64((bits & _MANTISSA) | _HALF).view(np.float64)  # mantissa of 1/2 to 1
    is_low = half < ROOT_HALF
    mantissa = 2.0 * half if is_low else half
    exponent = np.int64(bits >> _MANTISSA_BITS) - _HALF_EXPONENT - np.int64(is_low)
    z = (mantissa - 1.0) / (mantissa + 1.0)
    series = 0.0
    for k in range(10, -1, -1):
        series = series * (z * z) + 1.0 / (2 * k + 1)
    return 2.0 * z * series + np.float64(exponent) * _LN2


@njit(cache=True, nogil=True, inline="always")
def exponential(x):
    """Return e^x for x up to 700, with a relative error below 1e-9; 0 for x below -708.

    ``x`` is a float64. The result has the same bits on every machine: it is 2^k times the series of
    e^r, where x = k ln 2 + r and r is at most ln 2 / 2.
    """
    held = max(x, _LEAST_EXPONENT)
    k = np.floor(held * _PER_LN2 + 0.5)
    rest = held - k * _LN2_HIGH - k * _LN2_LOW
    square = rest * rest
    fourth = square * square
    even = (1.0 + square * _E2) + fourth * (_E4 + square * _E6 + fourth * _E8)
    odd = (1.0 + square * _E3) + fourth * (_E5 + square * _E7)
    power = np.uint64((np.int64(k) + _HALF_EXPONENT + np.int64(1)) << _MANTISSA_SHIFT)
    return (even + rest * odd) * power.view(np.float64) if x >= _LEAST_EXPONENT else 0.0


@njit(cache=True, nogil=True, inline="always")
def small_cosine_and_sine(angle):
    """Return cosine and sine of a small angle, by their series, as a tuple of two float64.

    ``angle`` is at most `SMALL_RAD` in absolute value [rad].
    """
    x = angle * angle  # below: times a constant, because division takes ten times as long
    cosine = 1.0 - x * _2ND * (1.0 - x * _4TH * (1.0 - x * _6TH * (1.0 - x * _8TH)))
    sine = 1.0 - x * _3RD * (1.0 - x * _5TH * (1.0 - x * _7TH * (1.0 - x * _9TH)))
    return cosine, angle * sine


@njit(cache=True, nogil=True, inline="always")
def write_angles(y, x, n, angle_out):
    """Write atan2(y, x) [rad] of the first n elements of two arrays into a third one.

    The error is at most 1e-15, and the bits are the same on every machine. The sign of a zero does
    not count: -0.0 is taken as 0.0. ``y``, ``x`` and ``angle_out`` are float64, of at least n
    elements.

    Let t be the smaller of abs(x) and abs(y), divided by the larger. The series is
    arctan t = t - t^3 / 3 + t^5 / 5 - ... If arctan t is above pi/8, it is computed as pi/4 plus
    the arctan of (t - 1) / (t + 1), so that few terms suffice.
    """
    for i in range(n):
        row = np.uint64(i)
        ahead, aside = abs(x[row]), abs(y[row])
        larger = max(ahead, aside)
        t = min(ahead, aside) / (larger if larger > 0.0 else 1.0)
        beyond = t > _TAN_EIGHTH
        t = (t - 1.0) / (t + 1.0) if beyond else t
        series = 0.0
        for k in range(_TERMS - 1, -1, -1):
            series = 1.0 / (2 * k + 1) - series * (t * t)
        angle = t * series + (_QUARTER_PI if beyond else 0.0)
        angle = _HALF_PI - angle if aside > ahead else angle
        angle = _PI - angle if x[row] < 0.0 else angle
        angle_out[row] = -angle if y[row] < 0.0 else angle
