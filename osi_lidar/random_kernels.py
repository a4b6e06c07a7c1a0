# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled random numbers that are a function of a key and a counter, without any state.

The generator is Philox4x32 with ten rounds [1]_. What is made of its words uses only operations
that IEEE 754 rounds exactly, so that every processor draws the same numbers.

References
----------
.. [1] Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11, 2011,
   doi:10.1145/2063384.2063405
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange

UNIFORM, GAUSSIAN, LAPLACE = range(3)
"""Kinds of numbers that `fill` draws."""

LASER_BIAS, RANGE_NOISE, LINE_OF_SIGHT, DROP_OUT = map(np.uint64, range(1, 5))
"""Purposes, below 2^16: no two of them share a number."""

# Philox's multipliers, and what its key grows by each round [1].
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_ROUNDS = 10
_WORD = np.uint64(0xFFFFFFFF)
_WORD_BITS = np.uint64(32)
_SPARE_BITS = np.uint64(12)  # of 64, so that a float64 holds the rest and a half exactly
_ATTEMPT_SHIFT = np.uint64(16)
_ROOT_HALF = math.sqrt(0.5)
_LN2 = math.log(2.0)


@njit(cache=True, nogil=True)
def philox4x32(c0, c1, c2, c3, k0, k1):
    """Return four random words of a counter of four words and a key of two, each a uint64."""
    for _ in range(_ROUNDS):
        product0 = _M0 * c0
        product1 = _M1 * c2
        c0 = (product1 >> _WORD_BITS) ^ c1 ^ k0
        c2 = (product0 >> _WORD_BITS) ^ c3 ^ k1
        c1 = product1 & _WORD
        c3 = product0 & _WORD
        k0 = (k0 + _W0) & _WORD
        k1 = (k1 + _W1) & _WORD
    return c0, c1, c2, c3


@njit(cache=True, nogil=True)
def uniform_pair(stream, purpose, index):
    """Return two independent numbers of (0, 1), multiples of 2^-53 without either end.

    `stream` is (key, key, time, time), words of 32 bits as uint64, so are purpose and index.
    """
    w0, w1, w2, w3 = philox4x32(index, purpose, stream[2], stream[3], stream[0], stream[1])
    first = ((w0 << _WORD_BITS) | w1) >> _SPARE_BITS
    second = ((w2 << _WORD_BITS) | w3) >> _SPARE_BITS
    return (first + 0.5) * 2.0**-52, (second + 0.5) * 2.0**-52


@njit(cache=True, nogil=True)
def logarithm(x):
    """Return the natural logarithm of a positive number, to 1e-15 of its value or of 1.

    The same bits everywhere, other than those of a C library: ln m = 2 artanh((m - 1) / (m + 1)),
    whose series ends after eleven terms for a mantissa m of sqrt(1/2) to sqrt(2).
    """
    mantissa, exponent = math.frexp(x)
    if mantissa < _ROOT_HALF:
        mantissa *= 2.0
        exponent -= 1
    z = (mantissa - 1.0) / (mantissa + 1.0)
    series = 0.0
    for k in range(10, -1, -1):
        series = series * (z * z) + 1.0 / (2 * k + 1)
    return 2.0 * z * series + exponent * _LN2


@njit(cache=True, nogil=True)
def gaussian_pair(stream, purpose, index):
    """Return two independent numbers of mean 0 and standard deviation 1 (Marsaglia's method)."""
    attempt = np.uint64(0)
    while True:
        first, second = uniform_pair(stream, purpose | (attempt << _ATTEMPT_SHIFT), index)
        x, y = 2.0 * first - 1.0, 2.0 * second - 1.0
        square = x * x + y * y
        if square < 1.0:
            factor = math.sqrt(-2.0 * logarithm(square) / square)
            return x * factor, y * factor
        attempt += np.uint64(1)


@njit(cache=True, nogil=True)
def laplace(stream, purpose, index):
    """Return a number of Laplace's distribution, of mean 0 and standard deviation 1."""
    share = 2.0 * uniform_pair(stream, purpose, index)[0] - 1.0
    size = -logarithm(1.0 - abs(share)) * _ROOT_HALF
    return size if share > 0.0 else -size


@njit(cache=True, nogil=True, parallel=True)
def fill(
    # In:
    kind,  # UNIFORM, GAUSSIAN, LAPLACE
    stream,
    purpose,
    index,  # uint32 (n,)
    # Out:
    drawn_out,  # float64 (n,)
):
    """Draw one number for each index."""
    for i in prange(len(index)):
        at = np.uint64(index[i])
        if kind == GAUSSIAN:
            drawn_out[i] = gaussian_pair(stream, purpose, at)[0]
        elif kind == LAPLACE:
            drawn_out[i] = laplace(stream, purpose, at)
        else:
            drawn_out[i] = uniform_pair(stream, purpose, at)[0]
