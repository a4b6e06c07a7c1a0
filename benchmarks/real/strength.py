# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Strengths of returns, real and simulated: agreement, and the fixed part of their scatter."""

from dataclasses import dataclass

import numpy as np

NEAR_M = 0.15  # farther apart, pixels show something else
PERCENTILES = (5, 50, 95)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strengths:
    """Comparison of real and simulated strengths, in pixels that show the same place.

    Attributes
    ----------
    correlation : float
        Correlation of the strengths, or of their logarithms.
    real, sim : float64 (3,)
        Percentiles 5, 50 and 95 of the strengths.
    """

    correlation: float
    real: np.ndarray
    sim: np.ndarray

    def __str__(self) -> str:
        real, sim = ("/".join(f"{value:.3g}" for value in each) for each in (self.real, self.sim))
        return f"correlation {self.correlation:.3f}  real {real}  model {sim}"


def compared(
    real: np.ndarray, sim: np.ndarray, same: np.ndarray, *, logarithms: bool = False
) -> Strengths:
    """Compare strengths in the pixels of the mask ``same``; all arrays have the same shape."""
    chosen = same & np.isfinite(real) & np.isfinite(sim)
    if logarithms:
        chosen &= (real > 0) & (sim > 0)
    pair = real[chosen], sim[chosen]
    seen = [np.log(each) for each in pair] if logarithms else pair
    percentiles = (np.percentile(each, PERCENTILES) for each in pair)
    return Strengths(
        correlation=float(np.corrcoef(*seen)[0, 1]), real=next(percentiles), sim=next(percentiles)
    )


def fixed_share(
    strength: np.ndarray, expected: np.ndarray, kept: np.ndarray
) -> tuple[float, float]:
    """Return the variance of ln(strength / expected), and its share that is fixed per pixel.

    Parameters
    ----------
    strength, expected : float64 (n_scan, ...)
        Strengths, measured and expected, of scans from one place.
    kept : bool (n_scan, ...)
        Pixels that are valid. A pixel is used if it is valid in all scans, or all but one.
    """
    n = len(strength)
    kept = kept & (strength > 0) & (expected > 0)
    often = kept.sum(axis=0) >= n - 1
    ratio = np.full(strength.shape, np.nan)
    ratio[kept] = np.log(strength[kept] / expected[kept])
    all_of_it = float(np.nanvar(ratio[:, often]))
    by_scan = float(np.nanmean(np.nanvar(ratio[:, often], axis=0, ddof=1)))
    return all_of_it, 1.0 - by_scan / all_of_it
