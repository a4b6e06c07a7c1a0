# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts, means, quantiles and shares; the result for no data is NaN, without a warning."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def count(chosen: NDArray[np.bool_]) -> int:
    """Return the number of True elements of the bool array ``chosen``, which may have any shape."""
    return int(np.count_nonzero(chosen))


def share(part: float, whole: float) -> float:
    """Return the number ``part`` divided by the number ``whole``; NaN if ``whole`` is 0."""
    return float(part / whole) if whole else math.nan


def mean(values: NDArray[np.float64]) -> float:
    """Return the mean of all elements of the array ``values``; NaN if it is empty."""
    return float(np.mean(values)) if values.size else math.nan


def quantile(values: NDArray[np.float64], q: float) -> float:
    """Return the quantile ``q`` (0 to 1) of ``values``, a float64 array; NaN if it is empty.

    The result is interpolated linearly between the two nearest values.
    """
    return float(np.quantile(values, q)) if values.size else math.nan


def grouped_median(
    values: NDArray[np.float64], group: NDArray[np.int64], n_group: int
) -> NDArray[np.float64]:
    """Return the median of each group of values, NaN for an empty group.

    Parameters
    ----------
    values : float64 (n_value,)
        The values.
    group : int64 (n_value,)
        Group of each value, from 0 to ``n_group`` - 1.
    n_group : int
        Number of groups.

    Returns
    -------
    float64 (n_group,)
    """
    order = np.lexsort((values, group))
    count = np.bincount(group, minlength=n_group)
    start = np.concatenate([[0], np.cumsum(count)[:-1]])
    middle = np.full(n_group, np.nan)
    full = count > 0
    low, high = start + (count - 1) // 2, start + count // 2
    ordered = values[order]
    middle[full] = (ordered[low[full]] + ordered[high[full]]) / 2.0
    return middle
