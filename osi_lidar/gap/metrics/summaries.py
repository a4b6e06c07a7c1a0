# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts; and means, quantiles and shares that are NaN for no data, without a warning."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def count(chosen: NDArray[np.bool_]) -> int:
    """Return how many are chosen."""
    return int(np.count_nonzero(chosen))


def share(part: float, whole: float) -> float:
    """Return the part divided by the whole, NaN for a whole of zero."""
    return float(part / whole) if whole else math.nan


def mean(values: NDArray[np.float64]) -> float:
    """Return the mean, NaN for no values."""
    return float(np.mean(values)) if values.size else math.nan


def quantile(values: NDArray[np.float64], q: float) -> float:
    """Return a quantile, interpolated linearly between the values; NaN for no values."""
    return float(np.quantile(values, q)) if values.size else math.nan
