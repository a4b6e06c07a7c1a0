# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Intervals by resampling blocks of a recording.

Neighbouring pixels and successive frames are correlated, so an interval computed from the number of
samples would be far too narrow. Instead, whole blocks are drawn with replacement [1]. A block is a
sector of a turn; for a sensor at rest, it contains this sector of all frames.

[1] H. R. Künsch, The jackknife and the bootstrap for general stationary observations, Annals of
Statistics 17(3), 1217-1241, 1989.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_DRAWS = 400
"""Number of resampled recordings (draws) by default."""

SEED = 0
"""Seed of all draws, so that a repeated calibration gives the same intervals."""

_ENDS = (2.5, 97.5)


def draws(n_block: int, n_draw: int = N_DRAWS) -> NDArray[np.float64]:
    """Return how often each resampled recording contains each block, float64 (n_draw, n_block)."""
    random = np.random.default_rng(SEED)
    even = np.full(n_block, 1.0 / n_block)
    return random.multinomial(n_block, even, size=n_draw).astype(np.float64)


def signs(n_block: int, n_draw: int = N_DRAWS) -> NDArray[np.float64]:
    """Return random signs of blocks for a wild bootstrap, 1 or -1, float64 (n_draw, n_block)."""
    random = np.random.default_rng(SEED)
    return random.choice(np.array([-1.0, 1.0]), size=(n_draw, n_block))


def interval(resampled: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lower and upper ends of the 95 % intervals of resampled values.

    Parameters
    ----------
    resampled : float64 (n_draw, ..)
        Values of each resampled recording. NaN is left out.

    Returns
    -------
    low, high : float64 (..)
        The 2.5 and the 97.5 percentile over the first axis, NaN where all values are NaN.
    """
    known = np.isfinite(resampled).any(axis=0)
    filled = np.where(known, resampled, 0.0)  # nanpercentile would warn of columns with only NaN
    low, high = np.nanpercentile(filled, _ENDS, axis=0)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def share(
    hits: NDArray[np.bool_] | NDArray[np.float64], block: NDArray[np.intp], n_block: int
) -> tuple[float, float, float]:
    """Return the mean of `hits`, for Booleans the share of True, and the ends of its 95 % interval.

    `block` is the number of the block, from 0 to `n_block` - 1, to which each element of `hits`
    belongs. The interval is from a bootstrap that draws whole blocks.
    """
    n = np.bincount(block, minlength=n_block).astype(np.float64)
    k = np.bincount(block, weights=hits.astype(np.float64), minlength=n_block)
    drawn = draws(n_block)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = interval((drawn @ k) / (drawn @ n))
    return float(hits.mean()), float(low), float(high)


def percentiles(
    values: NDArray[np.float64], block: NDArray[np.intp], n_block: int, at: tuple[float, ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return percentiles of values, and lower and upper ends of their 95 % intervals, (n_at,) each.

    `at` lists the wanted percentiles, 0 to 100. `block` is the number of the block, from 0 to
    `n_block` - 1, to which each value belongs. The intervals are from a bootstrap that draws whole
    blocks.
    """
    order = np.argsort(values)
    ordered, of = values[order], block[order]
    cumulated = np.cumsum(draws(n_block)[:, of], axis=1)
    wanted = np.array(at) / 100.0
    resampled = np.stack(
        [
            ordered[np.minimum(np.searchsorted(each, wanted * each[-1]), len(ordered) - 1)]
            for each in cumulated
        ]
    )
    low, high = interval(resampled)
    return np.percentile(values, at), low, high
