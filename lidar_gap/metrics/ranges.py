# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ranges pixel by pixel: errors where both scans return, and the gap budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.summaries import count, mean, quantile, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

APART_M = (0.0, 0.05, 0.1, 0.5, 2.0, math.inf)
"""Limits of the classes of range difference in `GapBudget.apart` [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeErrors:
    """Errors of the simulated ranges in the pixels that return in both scans.

    Traps: edges dominate the mean. Correctly simulated noise raises the median. Neither contains
    pixels that return in one scan only. Also look at the distributions and the gap budget.

    Attributes
    ----------
    n : int
        Number of pixels that return in both scans; if it is 0, all errors are NaN.
    mae_m, rmse_m : float
        Mean absolute error, and root of the mean squared error. [m]
    median_m, p95_m : float
        Median and 95th percentile of the absolute error; the median is also known as MedAE [1]_.
        [m]
    signed_median_m : float
        Median of the simulated minus the real range. [m]

    References
    ----------
    .. [1] S. Huang et al., "Neural LiDAR fields for novel view synthesis", ICCV 2023.
    """

    n: int
    mae_m: float
    rmse_m: float
    median_m: float
    p95_m: float
    signed_median_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GapBudget:
    """The gap between two scans by kind, as shares of the pixels that return in at least one scan.

    The sum of all shares is 1. For each share, one operator of `lidar_gap.operators` would close
    the gap. Trap: an object that is only in the real scene contributes to all shares.

    Attributes
    ----------
    n : int
        Number of pixels that return in at least one scan; if it is 0, all shares are NaN.
    sim_only, real_only : float
        Share of pixels that return only in the simulated scan, which the operator Drop would
        remove; share that return only in the real scan, which Add would add. [1]
    apart : tuple of float
        Shares of pixels that return in both scans, by class of their absolute range difference;
        Modify would correct them. Classes lie between successive limits of `APART_M`, the lower
        limit included. [1]

    References
    ----------
    .. [1] S. Manivasagam et al., "Towards zero domain gap: a comprehensive study of realistic
       LiDAR simulation for autonomy testing", ICCV 2023: the operators.
    """

    n: int
    sim_only: float
    real_only: float
    apart: tuple[float, ...]


def range_errors(real_m: NDArray[np.float64], sim_m: NDArray[np.float64]) -> RangeErrors:
    """Return the errors of the simulated ranges in the pixels that return in both scans.

    Parameters
    ----------
    real_m, sim_m : float64, of equal shape
        Range of each pixel, NaN where nothing returned. [m]
    """
    signed = _differences(real_m, sim_m)
    size = np.abs(signed)
    return RangeErrors(
        n=len(size),
        mae_m=mean(size),
        rmse_m=math.sqrt(mean(size**2)),
        median_m=quantile(size, 0.5),
        p95_m=quantile(size, 0.95),
        signed_median_m=quantile(signed, 0.5),
    )


def gap_budget(real_m: NDArray[np.float64], sim_m: NDArray[np.float64]) -> GapBudget:
    """Return how the pixels that return in at least one scan differ, as shares by kind.

    Parameters
    ----------
    real_m, sim_m : float64, of equal shape
        Range of each pixel, NaN where nothing returned. [m]
    """
    size = np.abs(_differences(real_m, sim_m))
    sim_only = count(np.isnan(real_m) & ~np.isnan(sim_m))
    real_only = count(np.isnan(sim_m) & ~np.isnan(real_m))
    n = len(size) + sim_only + real_only
    last_included = np.searchsorted(APART_M, size, side="right") - 1
    counts = np.bincount(last_included, minlength=len(APART_M) - 1)
    return GapBudget(
        n=n,
        sim_only=share(sim_only, n),
        real_only=share(real_only, n),
        apart=tuple(share(int(count), n) for count in counts),
    )


def recall_within(
    real_m: NDArray[np.float64], sim_m: NDArray[np.float64], within_m: float = 0.5
) -> float:
    """Return the share of the real returns whose simulated range differs by at most a distance.

    Trap: additional simulated returns do not lower this share. It is NaN without real returns.

    Parameters
    ----------
    real_m, sim_m : float64, of equal shape
        Range of each pixel, NaN where nothing returned. [m]
    within_m : float
        Largest distance, included; 0.5 m in the literature [1]_. [m]

    References
    ----------
    .. [1] S. Huang et al., "Neural LiDAR fields for novel view synthesis", ICCV 2023: Recall@50.
    """
    near = np.abs(_differences(real_m, sim_m)) <= within_m
    return share(count(near), count(~np.isnan(real_m)))


def _differences(real_m: NDArray[np.float64], sim_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return simulated minus real range of the pixels that return in both scans [m]."""
    difference = (sim_m - real_m).ravel()
    return difference[~np.isnan(difference)]
