# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled random numbers that are a function of a key and a counter, without any state.

The generator is Philox4x32 with ten rounds [1]_. Its words become numbers only by operations that
IEEE 754 rounds exactly, so that every processor draws the same numbers.

Numbers are drawn for a block of indices at a time. The loops are such that the compiler turns them
into vector instructions: they are short, do one thing each, never raise and never branch. Their
indices are unsigned, because a signed one might count from the end.

References
----------
.. [1] Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11, 2011,
   doi:10.1145/2063384.2063405
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from lidar_base.block_kernels import BLOCK
from lidar_base.compiled import njit
from lidar_base.math_kernels import ROOT_HALF, exponential, logarithm

UNIFORM, GAUSSIAN, LAPLACE = range(3)
"""Kinds of numbers that `fill` draws."""

LASER_BIAS, RANGE_NOISE, LINE_OF_SIGHT, DROP_OUT, FOOTPRINT = map(np.uint64, range(1, 6))
ECHO_NOISE, FALSE_ALARM, SUN_GLARE, SIGNAL_SPREAD = map(np.uint64, range(6, 10))
DROP_COUNT, DROP_PLACE, DROP_SHARE, SPRAY_BIRTHS, SPRAY_CLUSTER = map(np.uint64, range(10, 15))
WINDOW_DROP, VELOCITY_NOISE, FOG_PATCHES, LASER_THRESHOLD, UNIT = map(np.uint64, range(15, 20))
"""Purposes of random numbers, below 2^16; different purposes get independent numbers."""

# Philox's multipliers, and what its key grows by each round [1].
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_ROUNDS = 10
_WORD = np.uint64(0xFFFFFFFF)
_WORD_BITS = np.uint64(32)
_SPARE_BITS = np.uint64(12)  # of 64, so that a float64 holds the rest and a half exactly
_ATTEMPT_SHIFT = np.uint64(16)
_LANES = 8  # vector width: redraws are padded to a multiple of it


@njit(cache=True, nogil=True, inline="always")
def philox4x32(c0, c1, c2, c3, k0, k1):
    """Return four random 32 bit words, given a counter and a key.

    The words ``c0``, ``c1``, ``c2`` and ``c3`` are the counter, ``k0`` and ``k1`` the key. Each
    word is a uint64 below 2^32, also each of the tuple that is returned.
    """
    for _ in range(_ROUNDS):
        # the masks change nothing, but tell LLVM that one multiplication of words is enough
        product0 = _M0 * (c0 & _WORD)
        product1 = _M1 * (c2 & _WORD)
        c0 = (product1 >> _WORD_BITS) ^ c1 ^ k0
        c2 = (product0 >> _WORD_BITS) ^ c3 ^ k1
        c1 = product1 & _WORD
        c3 = product0 & _WORD
        k0 = (k0 + _W0) & _WORD
        k1 = (k1 + _W1) & _WORD
    return c0, c1, c2, c3


@njit(cache=True, nogil=True, inline="always")
def open_unit(high, low):
    """Turn two random words into a number in (0, 1), a float64.

    ``high`` and ``low`` are the words, 32 bits each in a uint64; ``high`` has the leading bits. The
    number is a multiple of 2^-53.
    """
    leading = ((high << _WORD_BITS) | low) >> _SPARE_BITS
    return (np.float64(np.int64(leading)) + 0.5) * 2.0**-52  # signed integers convert faster


@njit(cache=True, nogil=True, error_model="numpy", alone=True)
def uniform_pairs(
    # In:
    stream,  # (key, key, time, time), words of 32 bits as uint64, so is the purpose
    purpose,
    index,  # uint32 (n | more,)
    n,
    # Out:
    first_out,  # float64 (n | more,)
    second_out,
):
    """Draw two independent uniform numbers in (0, 1) for each index, multiples of 2^-53.

    ``stream`` is the tuple `Draws.stream`: two words of key and two of time. ``purpose``, uint64,
    is a constant of this file, such as RANGE_NOISE. The pair of ``index[i]``, for the first n
    indices (uint32), goes to element i of ``first_out`` and ``second_out``, float64.
    """
    k0, k1, t0, t1 = stream  # from here on constants of the loop
    for i in range(n):
        at = np.uint64(i)
        w0, w1, w2, w3 = philox4x32(np.uint64(index[at]), purpose, t0, t1, k0, k1)
        first_out[at] = open_unit(w0, w1)
        second_out[at] = open_unit(w2, w3)


@njit(cache=True, nogil=True, error_model="numpy", alone=True)
def uniforms(stream, purpose, index, n, drawn_out):
    """Draw a uniform number in (0, 1) for each index: the first of its pair in `uniform_pairs`.

    ``stream`` is the tuple `Draws.stream` of key and time, and ``purpose`` a constant of this file,
    such as RANGE_NOISE. The numbers of the first ``n`` elements of ``index`` (uint32) go to
    ``drawn_out[:n]``, float64.
    """
    k0, k1, t0, t1 = stream
    for i in range(n):
        at = np.uint64(i)
        w0, w1, _, _ = philox4x32(np.uint64(index[at]), purpose, t0, t1, k0, k1)
        drawn_out[at] = open_unit(w0, w1)


@njit(cache=True, nogil=True, error_model="numpy", alone=True)
def laplaces(stream, purpose, index, n, drawn_out):
    """Draw a number for each index from the Laplace distribution of mean 0, standard deviation 1.

    ``stream`` is the tuple `Draws.stream` of key and time, and ``purpose`` a constant of this file,
    such as RANGE_NOISE. The numbers of the first ``n`` elements of ``index`` (uint32) go to
    ``drawn_out[:n]``, float64.
    """
    uniforms(stream, purpose, index, n, drawn_out)
    for i in range(n):
        at = np.uint64(i)
        share = 2.0 * drawn_out[at] - 1.0
        size = -logarithm(1.0 - abs(share)) * ROOT_HALF
        drawn_out[at] = size if share > 0.0 else -size


@njit(cache=True, nogil=True, error_model="numpy", alone=True)
def gaussian_attempts(
    # In:
    stream,
    purpose,  # with the number of the attempt
    index,
    n,
    # Out:
    first_out,
    second_out,
    factor_out,  # 0 where the attempt is refused
):
    """Try once to draw a pair of Gaussian numbers for each index (Marsaglia's polar method).

    A uniform point in the square from -1 to 1 is accepted if it lies in the unit circle. If it is
    refused, ``factor_out`` is 0 at its place, and the numbers in ``first_out`` and ``second_out``
    are invalid there. All outputs are float64, and their first ``n`` elements are written.
    ``stream`` and ``index`` are as in `uniform_pairs`; the upper bits of ``purpose`` hold the
    number of the attempt.
    """
    uniform_pairs(stream, purpose, index, n, first_out, second_out)
    for i in range(n):
        at = np.uint64(i)
        x, y = 2.0 * first_out[at] - 1.0, 2.0 * second_out[at] - 1.0
        square = x * x + y * y
        factor = math.sqrt(-2.0 * logarithm(square) / square)
        factor_out[at] = factor if square < 1.0 else 0.0
        first_out[at] = x * factor
        second_out[at] = y * factor


class Redraw(NamedTuple):
    """Working memory of `gaussian_pairs` for the indices of a block whose attempt was refused.

    Attributes
    ----------
    row : uint64 (BLOCK,)
        Positions in the block that must be drawn again.
    index_again : uint32 (BLOCK,)
        Their indices.
    first, second : float64 (BLOCK,)
        The pair of each new attempt.
    factor : float64 (BLOCK,)
        Factor of each attempt; 0: it was refused, see `gaussian_attempts`.
    """

    row: object  # uint64 (BLOCK,)
    index_again: object  # uint32 (BLOCK,)
    first: object  # float64 (BLOCK,)
    second: object  # float64 (BLOCK,)
    factor: object  # float64 (BLOCK,), 0 where the attempt is refused


@njit(cache=True, nogil=True, alone=True)
def new_redraw():
    """Return new working memory for `gaussian_pairs`, a `Redraw`; one thread can use it again."""
    return Redraw(
        np.empty(BLOCK, np.uint64), np.zeros(BLOCK, np.uint32),
        np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK),
    )  # fmt: skip


@njit(cache=True, nogil=True, alone=True)
def gaussian_pairs(
    # In:
    stream,
    purpose,
    index,
    n,
    # Work:
    redraw,  # see Redraw
    # Out:
    first_out,
    second_out,
):
    """Draw two independent Gaussian numbers for each index: mean 0, standard deviation 1.

    Indices whose attempt is rejected are drawn again, as a shorter list, until none is left.
    ``stream`` is the tuple `Draws.stream` of key and time, and ``purpose`` a constant of this file.
    ``redraw`` is working memory from `new_redraw`. The pair of ``index[i]`` (uint32) goes to
    element i of ``first_out`` and ``second_out``, float64, for the first ``n`` indices; n is at
    most BLOCK.
    """
    row, index_again, first, second, factor = redraw
    gaussian_attempts(stream, purpose, index, n, first_out, second_out, factor)
    left = 0
    for i in range(n):
        at = np.uint64(i)
        row[left] = at
        left += factor[at] == 0.0
    attempt = np.uint64(0)
    while left > 0:
        attempt += np.uint64(1)
        for i in range(left):
            index_again[i] = index[row[i]]
        filled = (left + _LANES - 1) // _LANES * _LANES
        gaussian_attempts(
            stream, purpose | (attempt << _ATTEMPT_SHIFT), index_again, filled,
            first, second, factor,
        )  # fmt: skip
        tried, left = left, 0
        for i in range(tried):
            at = row[i]
            first_out[at], second_out[at] = first[i], second[i]  # final unless it is refused
            row[left] = at
            left += factor[i] == 0.0


@njit(cache=True, nogil=True, parallel=True)
def fill(
    # In:
    kind,  # UNIFORM, GAUSSIAN, LAPLACE
    stream,
    purpose,
    index,  # uint32 (n,)
    n_workers,
    # Out:
    drawn_out,  # float64 (n,)
):
    """Draw one random number for each index into ``drawn_out``, float64 (n,), in several threads.

    ``kind`` is UNIFORM: in (0, 1); GAUSSIAN or LAPLACE: mean 0, standard deviation 1. ``stream``
    holds key and time, as in `Draws.stream`, and ``purpose`` is a constant of this file, such as
    RANGE_NOISE. ``index`` is uint32 (n,). The result does not depend on ``n_workers``, the number
    of threads.
    """
    n_blocks = (len(index) + BLOCK - 1) // BLOCK
    for worker in prange(n_workers):
        redraw = new_redraw()
        second = np.empty(BLOCK)
        for block in range(worker, n_blocks, n_workers):
            rows = slice(block * BLOCK, min((block + 1) * BLOCK, len(index)))
            at, drawn = index[rows], drawn_out[rows]
            n = len(drawn)
            if kind == GAUSSIAN:
                gaussian_pairs(stream, purpose, at, n, redraw, drawn, second)
            elif kind == LAPLACE:
                laplaces(stream, purpose, at, n, drawn)
            else:
                uniforms(stream, purpose, at, n, drawn)


@njit(cache=True, nogil=True, error_model="numpy", alone=True)
def lengthen_tails(
    # In:
    tails,  # h, 0 for a Gaussian
    n,
    # In and out:
    drawn,  # float64 (n | more,)
):
    """Turn standard normal numbers z into numbers of variance 1 with longer tails, in place.

    The first n numbers of ``drawn`` become (1 - 2 h)^(3/4) z exp(h z^2 / 2). ``tails`` is h; with 0
    the numbers stay normal.

    Tukey's h distribution: D. C. Hoaglin, Summarizing shape numerically: the g-and-h distributions,
    in Exploring Data Tables, Trends, and Shapes, Wiley, 1985, doi:10.1002/9781118150702.ch11.
    """
    scale = (1.0 - 2.0 * tails) ** 0.75
    for i in range(n):
        z = drawn[np.uint64(i)]
        drawn[np.uint64(i)] = scale * z * exponential(0.5 * tails * z * z)
