# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Albedos of places from all beams that hit them, including beams without a return.

A beam hits a place of albedo A with the gain g. It returns a photon count, or has no return. The
expected count is A g, with lognormal scatter from view to view. A missing return is less likely the
brighter the place is. The estimate of ln A maximises the sum of the log likelihoods. Large places
are estimated first, then the small places inside them; the prior for ln A of a small place is a
normal distribution about the value of its large place.

Lasers of one unit have different gains. The gain of a laser is estimated with the same likelihood,
from the counts of its ring relative to the albedos of the places that it hits. Gains are relative:
their mean logarithm is 0. Gains and albedos can be separated because many lasers hit each place
from many poses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.summaries import grouped_median
from lidar_gap.twin.reflectivity.all_beams import BRIGHT
from lidar_gap.twin.reflectivity.photon_counter import CountLikelihood

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.twin.cloud_map import Voxels
    from lidar_gap.twin.reflectivity.all_beams import SentBeams
    from lidar_gap.twin.reflectivity.photon_counter import PhotonCounter

# of ln A: large places about the overall value, small places about large ones
_LARGE_SPREAD, _SMALL_SPREAD = 2.0, 0.25
_LEAST_SCATTER, _USUAL_SCATTER = 0.1, 0.5
_FEWEST_BRIGHT = 100  # fewest beams for an estimate of the scatter
# spread of ln gain over lasers; least information for a laser's gain
_LASER_SPREAD, _LEAST_TOLD = 0.5, 400.0
_N_STEPS, _LARGEST_STEP, _N_ROUNDS = 12, 0.7, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceAlbedos:
    """Albedos of places, with uncertainties.

    Attributes
    ----------
    place_m : float64 (n_place, 3)
        Centre of each place. [m]
    albedo : float64 (n_place,)
        Albedo of each place, the median over all views. [unit of the signal x m^2]
    log_sigma : float64 (n_place,)
        Standard error of the albedo's logarithm, including the error of the large place around it.
        [1]
    n_beams, n_returns : int64 (n_place,)
        Number of beams that hit the place, and of beams that returned.
    scatter : float
        Standard deviation of the logarithm of single beams' estimates of a place. [1]
    laser_gain : float64 (n_ring,)
        Signal of each laser relative to the mean of all lasers; 1 for lasers with few beams. [1]
    """

    place_m: NDArray[np.float64]
    albedo: NDArray[np.float64]
    log_sigma: NDArray[np.float64]
    n_beams: NDArray[np.int64]
    n_returns: NDArray[np.int64]
    scatter: float
    laser_gain: NDArray[np.float64]

    def log_expected(self, beams: SentBeams, place: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the natural logarithm of the signal that is expected for each beam, (n_beam,).

        The expected signal is the albedo of the place, times the gain of the beam, times the gain
        of its laser.

        Parameters
        ----------
        beams : SentBeams
            Beams that hit the places.
        place : int64 (n_beam,)
            Index of the place that each beam hits.
        """
        expected = self.albedo[place] * beams.gain * self.laser_gain[beams.ring]
        return np.log(expected)


def censored_albedos(
    beams: SentBeams,
    view: NDArray[np.int64],
    levels: tuple[Voxels, Voxels],
    receiver: PhotonCounter,
) -> PlaceAlbedos:
    """Estimate the albedo of each small place; the large place around it gives the prior.

    Parameters
    ----------
    beams : SentBeams
        Beams with the surface they hit, and their returns.
    view : int64 (n_beam,)
        Index of the position of the sensor at each beam; errors of beams from one position may be
        correlated.
    levels : (Voxels, Voxels)
        Large places and small places, each as voxels of the points of the map. The results belong
        to the small places.
    receiver : PhotonCounter
        The receiver, which determines which pulses return.
    """
    log_gain, told = np.log(beams.gain), beams.counted > 0.0
    start = np.log(np.median(beams.counted[told])) - np.median(log_gain[told])
    place = levels[1].of_point[beams.point]
    scatter, of_laser = _USUAL_SCATTER, np.zeros(beams.n_ring)
    for _ in range(_N_ROUNDS):  # each round starts from the previous result
        likelihood = CountLikelihood(receiver=receiver, scatter=scatter)
        fit = _Fit(likelihood, beams.counted, log_gain + of_laser[beams.ring])
        albedo, information, inherited = fit.places(beams.point, levels, start)
        of_laser = fit.lasers(log_gain + albedo[place], beams)
        log_expected = albedo[place] + log_gain + of_laser[beams.ring]
        scatter = _scatter(beams, log_expected)
    slope = likelihood.slopes(beams.counted, log_expected)[0]
    return PlaceAlbedos(
        place_m=levels[1].mean_m,
        albedo=np.exp(albedo),
        log_sigma=np.sqrt(_variance(slope, place, view, information) + inherited),
        n_beams=np.bincount(place, minlength=len(albedo)),
        n_returns=np.bincount(place[told], minlength=len(albedo)),
        scatter=scatter,
        laser_gain=np.exp(of_laser),
    )


def _handed_down(value: NDArray[np.float64], levels: tuple[Voxels, Voxels]) -> NDArray[np.float64]:
    """Return for each small place the value of the large place around it."""
    large, small = levels
    return grouped_median(value[large.of_point], small.of_point, len(small.mean_m))


@dataclass(frozen=True, slots=True)
class _Fit:
    """Finds ln A of places by Newton's method, all places at once."""

    likelihood: CountLikelihood
    counted: NDArray[np.float64]
    log_gain: NDArray[np.float64]

    def places(
        self, point: NDArray[np.int64], levels: tuple[Voxels, Voxels], start: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return ln A of small places, its information, and the variance due to large places."""
        large, small = levels
        around = np.full(len(large.mean_m), start)
        of_large, sure = self(large.of_point[point], around, _LARGE_SPREAD)
        prior = _handed_down(of_large, levels)
        of_small, information = self(small.of_point[point], prior, _SMALL_SPREAD)
        inherited = _handed_down(1.0 / sure, levels) / (_SMALL_SPREAD**2 * information) ** 2
        return of_small, information, inherited

    def lasers(self, log_expected: NDArray[np.float64], beams: SentBeams) -> NDArray[np.float64]:
        """Return the log gain of each laser: mean 0 over lasers with enough beams, 0 for others."""
        without = _Fit(self.likelihood, self.counted, log_expected)
        found, information = without(beams.ring, np.zeros(beams.n_ring), _LASER_SPREAD)
        told = information > _LEAST_TOLD
        return np.where(told, found - found[told].mean() if told.any() else 0.0, 0.0)

    def __call__(
        self, place: NDArray[np.int64], prior: NDArray[np.float64], spread: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ln A of each place and its information, for a normal prior of sigma ``spread``."""
        log, n_place = prior.copy(), len(prior)
        information = np.zeros(n_place)
        for _ in range(_N_STEPS):
            slopes = self.likelihood.slopes(self.counted, log[place] + self.log_gain)
            slope = np.bincount(place, slopes[0], n_place) - (log - prior) / spread**2
            information[:] = np.bincount(place, slopes[1], n_place) + spread**-2
            log += np.clip(slope / information, -_LARGEST_STEP, _LARGEST_STEP)
        return log, information


def _scatter(beams: SentBeams, log_expected: NDArray[np.float64]) -> float:
    """Return the log scatter of returns from bright places, in addition to photon noise [1]."""
    bright = (beams.counted > 0.0) & (log_expected > np.log(BRIGHT))
    if bright.sum() < _FEWEST_BRIGHT:
        return _USUAL_SCATTER
    off = np.log(beams.counted[bright]) - log_expected[bright]
    variance = float(np.mean(off**2 - np.exp(-log_expected[bright])))
    return float(np.sqrt(max(variance, _LEAST_SCATTER**2)))


def _variance(
    slope: NDArray[np.float64],
    place: NDArray[np.int64],
    view: NDArray[np.int64],
    information: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return squared errors of ln A, from the information or the disagreement of views."""
    n_view = int(view.max()) + 1
    group, member = np.unique(place * n_view + view, return_inverse=True)
    square = np.bincount(member, slope) ** 2
    disagreement = np.bincount(group // n_view, square, len(information)) / information**2
    return np.maximum(1.0 / information, disagreement)
