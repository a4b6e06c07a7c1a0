# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A receiver that counts photons: which pulses return, and the likelihood of a count.

The count of a pulse has a Poisson distribution. The pulse returns if its count reaches a threshold,
which has a lognormal distribution. So a missing return is information, too: the surface is dim.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln, ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_BIASED = 40.0  # above this count, the median of the returns is biased by less than 0.1 %
_LEAST_EXPECTED = 0.2
_STEP = 0.05  # step of the logarithm of the expected count
_LOG_EXPECTED = np.arange(math.log(0.02), math.log(1e4), _STEP)
_COUNTS = np.arange(1.0, 151.0)  # larger counts are taken as lognormal, and always return
_NORMAL = np.arange(-4.0, 4.01, 0.1)
_LOST = 0.05  # share of lost beams: 3 to 6 % of those at bright surfaces in a hall do not return
_LEAST_INFORMATION = 0.02


@dataclass(frozen=True, kw_only=True)
class PhotonCounter:
    """A receiver that counts photons and decides by a threshold which pulses return.

    Attributes
    ----------
    half : float
        Photon count at which half of the pulses return. [1]
    spread : float
        Standard deviation of the logarithm of the threshold, over all pulses of all lasers. [1]
    """

    half: float
    spread: float

    def expected(self, counted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the expected photon count of a surface from the median count of its returns.

        The expected count is the mean over all pulses, also pulses that do not return. Of weak
        pulses only the strongest return, so their median count is above this mean.

        Parameters
        ----------
        counted : float64 (...)
            Median photon count of the returns, for each of several surfaces. [1]

        Returns
        -------
        float64 (...)
            Mean photon count of all pulses; counts above 40 are unchanged. The result is at least
            0.2, also for medians that are too low for any mean. [1]
        """
        medians, means = self._table
        found = np.interp(counted, medians, means)
        return np.where(counted > _MOST_BIASED, counted, found)

    def returned(self, counted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability that a pulse with a given number of photons returns, 0 to 1.

        ``counted`` is a float64 array of any shape: the photon count of each pulse. The result has
        the same shape.
        """
        reach = np.log(np.maximum(counted, 1e-9) / self.half)
        found: NDArray[np.float64] = ndtr(reach / max(self.spread, 1e-3))
        return found

    @cached_property
    def _table(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Median counts of returns, and the expected counts that belong to them, ascending."""
        mean = np.exp(np.linspace(math.log(_LEAST_EXPECTED), math.log(2.0 * _MOST_BIASED), 200))
        count = np.arange(1.0, 4.0 * _MOST_BIASED)
        share = np.cumsum(_poisson(count, np.log(mean)).T * self.returned(count), axis=1)
        share /= share[:, -1:]
        # a count of n represents the interval n - 0.5 to n + 0.5
        medians = np.array(
            [np.interp(0.5, np.r_[0.0, row], np.r_[0.5, count + 0.5]) for row in share]
        )
        return medians, mean


@dataclass(frozen=True, kw_only=True)
class CountLikelihood:
    """Likelihood of a pulse's photon count, or of no return, given the expected count of its place.

    The expected count of a single pulse has a lognormal distribution about the value of its place,
    because views differ.

    Attributes
    ----------
    receiver : PhotonCounter
        The receiver, which determines which pulses return.
    scatter : float
        Standard deviation of the logarithm of a pulse's expected count about its place's value. [1]
    """

    receiver: PhotonCounter
    scatter: float

    def slopes(
        self, counted: NDArray[np.float64], log_expected: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return two derivatives of the log likelihood with respect to ``log_expected``.

        They are the first derivative, and minus the second derivative, each float64 (n_beam,).

        Parameters
        ----------
        counted : float64 (n_beam,)
            Photons of each return, 0 for a beam without one. [1]
        log_expected : float64 (n_beam,)
            Logarithm of the expected count. [1]
        """
        row = np.clip(np.rint(counted), 0, len(_COUNTS)).astype(np.intp)
        at = np.clip((log_expected - _LOG_EXPECTED[0]) / _STEP, 0, len(_LOG_EXPECTED) - 1.001)
        low = at.astype(np.intp)
        share = at - low
        slope, information = (
            each[row, low] * (1.0 - share) + each[row, low + 1] * share for each in self._tables
        )
        many = counted > _COUNTS[-1]
        weight = 1.0 / (self.scatter**2 + 1.0 / counted[many])
        slope[many] = weight * (np.log(counted[many]) - log_expected[many])
        information[many] = weight
        return slope, np.maximum(information, _LEAST_INFORMATION)

    @cached_property
    def _tables(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Tables of both derivatives: row per count (0: no return), column per expected count."""
        weight = np.exp(-0.5 * _NORMAL**2)
        weight /= weight.sum()
        likely = sum(
            share * _poisson(np.r_[0.0, _COUNTS], _LOG_EXPECTED + self.scatter * normal)
            for share, normal in zip(weight, _NORMAL, strict=True)
        )
        returned = self.receiver.returned(np.r_[0.0, _COUNTS])[:, None]
        missing = ((1.0 - returned) * likely).sum(axis=0)
        log = np.log(np.vstack([_LOST + (1.0 - _LOST) * missing, np.maximum(likely[1:], 1e-300)]))
        slope = np.gradient(log, _STEP, axis=1)
        return slope, -np.gradient(slope, _STEP, axis=1)


def _poisson(count: NDArray[np.float64], log_mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Poisson probabilities of counts for each mean, (n_count, n_mean)."""
    log = count[:, None] * log_mean - np.exp(log_mean) - gammaln(count + 1.0)[:, None]
    found: NDArray[np.float64] = np.exp(log)
    return found
