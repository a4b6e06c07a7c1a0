# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Probability of a return over range, angle of incidence, signal, or any other quantity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbabilityCurve:
    """Probability of a return in bins of a quantity, with confidence intervals.

    Trap: neighbouring pixels return together, so a binomial interval would be far too narrow. The
    confidence intervals here come from resampling whole frames.

    Attributes
    ----------
    edges : float64 (n_bin + 1,)
        Limits of the bins in the unit of the quantity; a bin includes its lower limit.
    n : int64 (n_bin,)
        Number of pixels in each bin.
    probability : float64 (n_bin,)
        Share of the bin's pixels that return; NaN in an empty bin. [1]
    lower, upper : float64 (n_bin,)
        Ends of the confidence interval; NaN if fewer than two frames have pixels in the bin. [1]

    References
    ----------
    .. [1] H. R. Kuensch, "The jackknife and the bootstrap for general stationary observations",
       Annals of Statistics 17, 1989: the bootstrap over blocks.
    """

    edges: NDArray[np.float64]
    n: NDArray[np.int64]
    probability: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """Settings of the bootstrap, which gives confidence intervals by resampling frames.

    Attributes
    ----------
    n_draws : int
        Number of resampled sets of frames, drawn with replacement.
    confidence : float
        Share of the draws within the confidence interval. [1]
    seed : int
        Seed of the draws.
    """

    n_draws: int = 1000
    confidence: float = 0.95
    seed: int = 0


def return_probability(
    returned: Sequence[NDArray[np.bool_]],
    quantity: Sequence[NDArray[np.float64]],
    edges: NDArray[np.float64],
    bootstrap: Bootstrap | None = None,
) -> ProbabilityCurve:
    """Return the share of pixels that return, in bins of a quantity such as range.

    The quantity must be known also for pixels that do not return, for example the range of the same
    pixel in another scan.

    Parameters
    ----------
    returned : sequence of bool arrays
        One array for each frame: whether each pixel returns.
    quantity : sequence of float64 arrays
        One array for each frame, of the same shape: value of the quantity in each pixel. Pixels
        with NaN, or outside all bins, are left out.
    edges : float64 (n_bin + 1,)
        Limits of the bins of the quantity, ascending.
    bootstrap : Bootstrap
        Settings of the confidence interval; by default, 95 % of 1000 draws.
    """
    frames = [_counts(*frame, edges) for frame in zip(returned, quantity, strict=True)]
    shape = (len(frames), len(edges) - 1)
    n_returns = np.array([each for each, _ in frames], np.int64).reshape(shape)
    n_pixels = np.array([each for _, each in frames], np.int64).reshape(shape)
    lower, upper = _interval(n_returns, n_pixels, bootstrap or Bootstrap())
    return ProbabilityCurve(
        edges=edges,
        n=n_pixels.sum(axis=0),
        probability=_ratio(n_returns.sum(axis=0), n_pixels.sum(axis=0)),
        lower=lower,
        upper=upper,
    )


def _counts(
    returned: NDArray[np.bool_], quantity: NDArray[np.float64], edges: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the returns and the pixels of a frame in each bin."""
    n_bins = len(edges) - 1
    number = np.searchsorted(edges, quantity.ravel(), side="right") - 1  # NaN sorts last
    inside = (number >= 0) & (number < n_bins)
    chosen = number[inside]
    n_returns = np.bincount(chosen[returned.ravel()[inside]], minlength=n_bins)
    return n_returns, np.bincount(chosen, minlength=n_bins)


def _interval(
    n_returns: NDArray[np.int64], n_pixels: NDArray[np.int64], bootstrap: Bootstrap
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the interval of each bin, from frames drawn with replacement."""
    n_frames, n_bins = n_pixels.shape
    lower, upper = np.full(n_bins, np.nan), np.full(n_bins, np.nan)
    told = np.count_nonzero(n_pixels, axis=0) > 1
    if np.any(told):
        generator = np.random.default_rng(bootstrap.seed)
        times = generator.multinomial(n_frames, [1 / n_frames] * n_frames, bootstrap.n_draws)
        drawn = _ratio(times @ n_returns[:, told], times @ n_pixels[:, told])
        tail = (1 - bootstrap.confidence) / 2
        # a draw may hold no frame that has pixels in the bin
        lower[told], upper[told] = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    return lower, upper


def _ratio(part: NDArray[np.int64], whole: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return part / whole, NaN where the whole is zero."""
    return np.asarray(np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0))
