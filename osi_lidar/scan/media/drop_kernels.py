# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled draws of the rain drops and snow flakes that a receiver can see in one beam.

Of the thousands of drops in a beam, only a few are visible. A table has the mean number of visible
drops up to each range, so that one uniform number decides whether a beam has any; most beams have
none. Drops are drawn from near to far, without regard to the surfaces behind them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lidar_base.compiled import njit
from lidar_base.math_kernels import exponential, logarithm
from lidar_base.random.random_kernels import DROP_PLACE, open_unit, philox4x32

RAIN_ROW, SNOW_ROW = range(2)
MOST_DROPS = 4
"""Largest number of rain drops that are drawn in a beam, the nearest ones; the same for flakes."""
DROPS_PER_BEAM = 16
"""Number of random numbers of each purpose that are reserved for the drops of one beam."""


class DropArrays(NamedTuple):
    """Tables from which the visible drops of a beam are drawn: row 0 is rain, row 1 snow.

    Attributes
    ----------
    some : float64 (2,)
        Probability of at least one visible drop up to the last range. [1]
    step_m : float
        Range step between the columns of ``number`` and ``least``. [m]
    number : float64 (2, n)
        Mean number of visible drops in a beam, from the sensor up to each range. [1]
    least : float64 (2, n)
        Natural logarithm of the diameter [mm] that is just visible at each range.
    snr : float
        SNR of a drop that is just visible. [rms of the noise]
    low, step : float
        Natural logarithm of the diameter [mm] of the first column of ``tail``, and its step from
        column to column.
    tail : float64 (2, m)
        Natural logarithm of H(d), see `drop_arrays`; it falls with the diameter d.
    """

    some: object  # float64 (2,) probability of at least one visible drop up to the last range
    step_m: float  # range step between the columns of number and least
    number: object  # float64 (2, n) mean number of visible drops up to each range
    least: object  # float64 (2, n) logarithm of the diameter [mm] just visible at each range
    snr: float  # SNR of a drop that is just visible
    low: float  # logarithm of the diameter d [mm] of the first column of tail
    step: float  # step of that logarithm between columns
    tail: object  # float64 (2, m) logarithm of H(d), see drop_arrays; it falls with d


@njit(cache=True, nogil=True, error_model="numpy")
def first_drop(chance):
    """Return a random place for the nearest visible drop: the mean number of drops up to there.

    It exceeds m with the probability exp(-m): the probability of no drop where m are expected.
    ``chance`` is a random number, uniform from 0 to 1.
    """
    return -logarithm(1.0 - chance)


@njit(cache=True, nogil=True, error_model="numpy")
def row_of(table, value):
    """Return where a value lies in a table, for linear interpolation: (row, fraction).

    ``row`` is the index of the entry before the value. ``fraction``, 0 to 1, is the part of the
    step to the next entry; it is 0 if both entries are equal.

    Parameters
    ----------
    table : float64 (n,)
        Ascending numbers, at least two.
    value : float
        The value. If it is beyond the table, it counts as the first or last entry.
    """
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
def drawn_drop(drops, kind, stream, index, before):
    """Draw a visible drop; return its range [m], its SNR, and ``before`` of the next visible drop.

    The SNR exceeds the SNR of a just visible drop by more than the factor a with the probability
    H(d sqrt(a)) / H(d), where d is the diameter that is just visible, and H is as in `drop_arrays`.
    Drops are a Poisson process over their mean number, so gaps between them are exponential.

    Parameters
    ----------
    drops : DropArrays
        Tables of the visible drops.
    kind : int
        Row of the tables: 0 for rain, 1 for snow.
    stream : tuple
        `Draws.stream` of the scan: key and time of the random numbers.
    index : int
        Index of the drop's random numbers.
    before : float
        Mean number of visible drops up to this drop, which gives its range.
    """
    k0, k1, t0, t1 = stream
    w0, w1, w2, w3 = philox4x32(np.uint64(index), DROP_PLACE, t0, t1, k0, k1)
    row, part = row_of(drops.number[kind], before)
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
    place_m = (row + part) * drops.step_m
    return place_m, drops.snr * exponential(2.0 * larger), before - logarithm(open_unit(w0, w1))
