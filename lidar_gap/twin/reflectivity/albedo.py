# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Albedo (reflectivity) of a map's surfaces, from the strengths of the sensor's own returns.

The signal of a surface is s = A h(theta) f(r) / r^2. A is the albedo, in the sensor's unit times
square metres; theta is the angle of incidence, and r the range. So each return gives an estimate of
A. The albedo of a place (a voxel of surfaces) is the median over its returns. The scatter of the
estimates depends on the view more than on the place, so all returns from many poses are used.

A dim place returns only the pulses that happen to be stronger than usual, so the median of its
returns is too bright. If the receiver is known (`PhotonCounter`), each count n is therefore
replaced first: by the expected count for which n is the median of the returns. `censored_albedos`
also uses the beams that did not return, if these are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.summaries import grouped_median

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.twin.reflectivity.photon_counter import PhotonCounter

LAMBERT = ((0.0, 1.0),)
"""Lambert's law: a single entry means that h is the cosine."""
ROUGH = ((0.0, 1.0), (12.0, 1.0), (22.0, 0.96), (32.0, 0.94), (42.0, 0.88), (52.0, 0.78),
         (62.0, 0.65), (90.0, 0.3))  # fmt: skip
"""Law of incidence h of bright walls: measured with an OS0-64 in a hall up to 62 degrees, estimated
beyond. [deg], 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalLaw:
    """How a sensor's signal falls with incidence and range: albedo x h(angle) f(range) / range^e.

    Attributes
    ----------
    incidence : tuple of (angle_deg, factor)
        h over the angle of incidence; a single entry means the cosine.
    near_field : tuple of (range_m, factor)
        f over the range: loss of light in the optics at short range. Constant beyond the last
        entry.
    range_exponent : float
        e: 2, or 0 for intensities that the maker has already corrected for range.
    at_most_deg : float
        Largest angle of incidence of a return that is used; beyond, normals are too uncertain.
        [deg]
    counts : PhotonCounter or None
        The receiver, if the signal is a count of photons.
    """

    incidence: tuple[tuple[float, float], ...] = LAMBERT
    near_field: tuple[tuple[float, float], ...] = ((0.0, 1.0),)
    range_exponent: float = 2.0
    at_most_deg: float = 70.0
    counts: PhotonCounter | None = None

    def gain(
        self, range_m: NDArray[np.float64], cos_incidence: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the ratio of signal to albedo of each return, h(theta) f(r) / r^e [1/m^e].

        Parameters
        ----------
        range_m : float64 (n_return,)
            Range r of each return. [m]
        cos_incidence : float64 (n_return,)
            Cosine of the angle of incidence theta of each return, 0 to 1.
        """
        ranges, factors = zip(*self.near_field, strict=True)
        near = np.interp(range_m, ranges, factors)
        if len(self.incidence) == 1:
            law = cos_incidence
        else:
            angles, values = zip(*self.incidence, strict=True)
            law = np.interp(np.degrees(np.arccos(np.clip(cos_incidence, 0, 1))), angles, values)
        gain: NDArray[np.float64] = law * near / np.maximum(range_m, 1e-6) ** self.range_exponent
        return gain


def albedo(
    signal: NDArray[np.float64],
    gain: NDArray[np.float64],
    place: NDArray[np.int64],
    counts: PhotonCounter | None = None,
) -> NDArray[np.float64]:
    """Return the albedo of each place, NaN without a usable return [unit of the signal x m^2].

    Parameters
    ----------
    signal : float64 (n_return,)
        Strength of each return.
    gain : float64 (n_return,)
        Ratio of strength to albedo, from ``SignalLaw.gain``; 0 leaves a return out. [1/m^2]
    place : int64 (n_return,)
        Index of the place that each return belongs to; indices count from 0 without gaps.
    counts : PhotonCounter, optional
        The receiver, if signals are counts of photons.
    """
    n_place = int(place.max(initial=-1)) + 1
    rows = np.flatnonzero((gain > 0) & (signal > 0))
    expected = signal[rows] if counts is None else counts.expected(signal[rows])
    return grouped_median(expected / gain[rows], place[rows], n_place)


def classes(
    value: NDArray[np.float64], n_class: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Sort positive values, such as albedos, into classes.

    Classes are spaced evenly in the logarithm, from the 0.2th to the 99.8th percentile. Values
    beyond these percentiles belong to the outer classes.

    Parameters
    ----------
    value : float64 (n_value,)
        Values above 0.
    n_class : int
        Number of classes.

    Returns
    -------
    class_of_value : int64 (n_value,)
        Index of the class of each value.
    value_of_class : float64 (n_class,)
        Middle of each class, ascending, in the unit of ``value``.
    """
    log = np.log(value)
    low, high = np.percentile(log, (0.2, 99.8))
    centres = np.linspace(low, high, n_class)
    edges = 0.5 * (centres[1:] + centres[:-1])
    return np.searchsorted(edges, log), np.exp(centres)
