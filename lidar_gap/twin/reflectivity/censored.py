# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The albedo of places from all beams that met them, those without a return too.

A beam that meets a place of albedo A with the gain g brings back a count whose expected value is
A g, lognormal from view to view, or no return, which is the less likely the brighter the place is.
ln A maximises the sum of the logarithms of these likelihoods: first of large places, then of the
small ones in them, whose ln A are normal about that of the large one.
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

_LARGE_SPREAD, _SMALL_SPREAD = 2.0, 0.25  # of ln A: large places about all, small about large ones
_LEAST_SCATTER, _USUAL_SCATTER = 0.1, 0.5
_FEWEST_BRIGHT = 100  # beams that tell the scatter
_N_STEPS, _LARGEST_STEP = 12, 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceAlbedos:
    """Albedos of places, and how sure they are.

    Attributes
    ----------
    place_m : float64 (n_place, 3)
        Middle of each place. [m]
    albedo : float64 (n_place,)
        Median of all views. [unit of the signal m^2]
    log_sigma : float64 (n_place,)
        Standard error of its logarithm; what a place has of the large one about it counts. [1]
    n_beams, n_returns : int64 (n_place,)
        Beams that met the place, and those that returned.
    scatter : float
        Standard deviation of the logarithm of what single beams say of a place. [1]
    """

    place_m: NDArray[np.float64]
    albedo: NDArray[np.float64]
    log_sigma: NDArray[np.float64]
    n_beams: NDArray[np.int64]
    n_returns: NDArray[np.int64]
    scatter: float


def censored_albedos(
    beams: SentBeams,
    view: NDArray[np.int64],
    levels: tuple[Voxels, Voxels],
    receiver: PhotonCounter,
) -> PlaceAlbedos:
    """Return the albedos of small places.

    Parameters
    ----------
    beams : SentBeams
        What beams met and brought back.
    view : int64 (n_beam,)
        From where each was sent: beams of one view may be wrong together.
    levels : (Voxels, Voxels)
        Large and small places of the points of the map.
    receiver : PhotonCounter
        Which pulses return.
    """
    log_gain, told = np.log(beams.gain), beams.counted > 0.0
    start = np.log(np.median(beams.counted[told])) - np.median(log_gain[told])
    large, place = (each.of_point[beams.point] for each in levels)
    n_large, n_small = (len(each.mean_m) for each in levels)
    scatter = _USUAL_SCATTER
    for _ in range(2):  # the second time with the scatter that the first one has found
        likelihood = CountLikelihood(receiver=receiver, scatter=scatter)
        fit = _Fit(likelihood, beams.counted, log_gain)
        of_large, sure = fit(large, np.full(n_large, start), _LARGE_SPREAD)
        of_small, information = fit(place, _handed_down(of_large, levels), _SMALL_SPREAD)
        scatter = _scatter(beams, log_gain, of_small[place])
    slope, _ = likelihood.slopes(beams.counted, of_small[place] + log_gain)
    inherited = _handed_down(1.0 / sure, levels) / (_SMALL_SPREAD**2 * information) ** 2
    return PlaceAlbedos(
        place_m=levels[1].mean_m,
        albedo=np.exp(of_small),
        log_sigma=np.sqrt(_variance(slope, place, view, information) + inherited),
        n_beams=np.bincount(place, minlength=n_small),
        n_returns=np.bincount(place[told], minlength=n_small),
        scatter=scatter,
    )


def _handed_down(value: NDArray[np.float64], levels: tuple[Voxels, Voxels]) -> NDArray[np.float64]:
    """Return for each small place the value of the large one about it."""
    large, small = levels
    return grouped_median(value[large.of_point], small.of_point, len(small.mean_m))


@dataclass(frozen=True, slots=True)
class _Fit:
    """Finds ln A of places by Newton's method, all places at once."""

    likelihood: CountLikelihood
    counted: NDArray[np.float64]
    log_gain: NDArray[np.float64]

    def __call__(
        self, place: NDArray[np.int64], prior: NDArray[np.float64], spread: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ln A of each place, and its information, for a normal prior of some spread."""
        log, n_place = prior.copy(), len(prior)
        information = np.zeros(n_place)
        for _ in range(_N_STEPS):
            slopes = self.likelihood.slopes(self.counted, log[place] + self.log_gain)
            slope = np.bincount(place, slopes[0], n_place) - (log - prior) / spread**2
            information[:] = np.bincount(place, slopes[1], n_place) + spread**-2
            log += np.clip(slope / information, -_LARGEST_STEP, _LARGEST_STEP)
        return log, information


def _scatter(
    beams: SentBeams, log_gain: NDArray[np.float64], log_albedo: NDArray[np.float64]
) -> float:
    """Return the scatter of the returns of bright places about them, beyond that of photons [1]."""
    log_expected = log_albedo + log_gain
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
    """Return squared errors: what views of a place disagree by counts, if that is more [1]."""
    n_view = int(view.max()) + 1
    group, member = np.unique(place * n_view + view, return_inverse=True)
    square = np.bincount(member, slope) ** 2
    disagreement = np.bincount(group // n_view, square, len(information)) / information**2
    return np.maximum(1.0 / information, disagreement)
