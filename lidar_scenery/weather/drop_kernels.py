# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled draws of the rain drops and snow flakes that a receiver can see in one beam.

Of the thousands of drops in a beam a few send back enough. Their mean number up to a range is in a
table, so that one uniform number decides how many a beam has, and most beams have none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential, logarithm
from lidar_base.random.random_kernels import DROP_PLACE, open_unit, philox4x32

RAIN_ROW, SNOW_ROW = range(2)
MOST_DROPS = 4
"""Visible drops of one beam, and as many flakes; more are not drawn."""
DROPS_PER_BEAM = 16
"""Random numbers of one purpose that a beam's drops may have."""


class DropArrays(NamedTuple):
    """What falls, as a beam meets it: row 0 is rain, row 1 snow."""

    some: object  # float64 (2,) probability of at least one in a beam that meets nothing else
    step_m: float  # of the columns of these two
    number: object  # float64 (2, n) mean number of visible drops up to a range
    least: object  # float64 (2, n) logarithm of the diameter [mm] that is just visible there
    snr: float  # of a drop that is just visible
    low: float  # logarithm of the diameter [mm] of the first column of tail
    step: float  # of its columns
    tail: object  # float64 (2, m) logarithm of H(d), which falls


@njit(cache=True, nogil=True, error_model="numpy")
def number_of_drops(chance, mean):
    """Return a number of Poisson's distribution for a uniform one, `MOST_DROPS` at most.

    At least n come with the probability P(n), so there are n where the uniform number is below it.
    """
    likely = exponential(-mean)
    at_least, n = 1.0 - likely, 0
    while chance < at_least and n < MOST_DROPS:
        n += 1
        likely *= mean / n
        at_least -= likely
    return n


@njit(cache=True, nogil=True, error_model="numpy")
def row_of(table, value):
    """Return where a rising table has a value, as a row and the fraction of the step behind it."""
    low, high = 0, len(table) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if table[middle] <= value:
            low = middle
        else:
            high = middle
    rise = table[high] - table[low]
    return low, min(max((value - table[low]) / rise, 0.0), 1.0) if rise > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def mean_number(drops, kind, range_m):
    """Return the mean number of visible drops up to a range, which may be infinite."""
    last = drops.number.shape[1] - 1
    row = min(range_m / drops.step_m, float(last))
    low = min(int(row), last - 1)
    before = drops.number[kind, low]
    return before + (row - low) * (drops.number[kind, low + 1] - before)


@njit(cache=True, nogil=True, error_model="numpy")
def drawn_drop(drops, kind, stream, index, mean):
    """Return range [m] and signal of one of the visible drops, of which there are `mean`.

    The drop's number among them is uniform, which gives its range. Its signal exceeds the least
    visible one a times with the probability H(d sqrt(a)) / H(d), where d is just visible.
    """
    k0, k1, t0, t1 = stream
    w0, w1, w2, w3 = philox4x32(np.uint64(index), DROP_PLACE, t0, t1, k0, k1)
    row, part = row_of(drops.number[kind], open_unit(w0, w1) * mean)
    least = drops.least[kind, row] + part * (drops.least[kind, row + 1] - drops.least[kind, row])
    tail, last = drops.tail[kind], drops.tail.shape[1] - 1
    at = min(max((least - drops.low) / drops.step, 0.0), float(last))
    low = min(int(at), last - 1)
    height = tail[low] + (at - low) * (tail[low + 1] - tail[low])
    wanted = height + logarithm(open_unit(w2, w3))
    first, end = low, last
    while end - first > 1:
        middle = (first + end) // 2
        if tail[middle] >= wanted:
            first = middle
        else:
            end = middle
    fall = tail[first] - tail[end]
    share = min((tail[first] - wanted) / fall, 1.0) if fall > 0.0 else 0.0
    larger = max(drops.low + (first + share) * drops.step - least, 0.0)
    return (row + part) * drops.step_m, drops.snr * exponential(2.0 * larger)
