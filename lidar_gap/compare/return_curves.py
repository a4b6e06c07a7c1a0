# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Probability of a return on one side if the other side returns, over range and incidence.

If a beam does not return, its own cloud does not contain the surface that the beam hit. The range
and the angle of incidence are therefore taken from the other cloud.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.probability import ProbabilityCurve, return_probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.records import Pair, ScanCloud

INCIDENCE_EDGES_DEG = np.array([*range(0, 80, 10), 80.0, 85.0, 88.0, 90.0])
"""Edges of the bins of the angle of incidence, narrower at grazing angles, as on roads [deg]."""
RANGE_STEPS_M = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
"""Possible widths of range bins; the first one that gives at most `MOST_RANGE_BINS` is used [m]."""
MOST_RANGE_BINS = 25
"""Largest number of range bins of a curve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """Probability that a pixel returns in one cloud if it returns in the other cloud of the pair.

    Attributes
    ----------
    real_over_range : ProbabilityCurve
        Probability of a real return in pixels that return in the simulation, over the simulated
        range. [m]
    sim_over_range : ProbabilityCurve
        Probability of a simulated return in pixels that return in reality, over the real range. [m]
    real_over_incidence : ProbabilityCurve or None
        Probability of a real return in pixels that return in the simulation, over the simulated
        angle of incidence; None if any of the simulated clouds has no normals. [deg]
    """

    real_over_range: ProbabilityCurve
    sim_over_range: ProbabilityCurve
    real_over_incidence: ProbabilityCurve | None


def curves(pairs: Sequence[Pair], kept: NDArray[np.bool_]) -> Curves:
    """Return the probability that a pixel returns in one cloud of a pair if it does in the other.

    Both directions (real if simulated, simulated if real) have a curve over the range in the other
    cloud. Only the probability of a real return also has a curve over the angle of incidence, which
    the simulated cloud provides.

    Parameters
    ----------
    pairs : sequence of Pair
        A real and a simulated cloud of each frame, with range images. Confidence intervals need
        several frames.
    kept : bool (n_ring, n_column)
        True for the pixels of the range images that are used.
    """
    real_returned = [pair.real_image.returned[kept] for pair in pairs]
    sim_returned = [pair.sim_image.returned[kept] for pair in pairs]
    real_m = [pair.real_image.range_m[kept] for pair in pairs]
    sim_m = [pair.sim_image.range_m[kept] for pair in pairs]
    edges_m = _range_edges_m(np.concatenate([*real_m, *sim_m]))
    incidence_deg = [_incidence_deg(pair) for pair in pairs]
    known = [each[kept] for each in incidence_deg if each is not None]
    return Curves(
        real_over_range=return_probability(real_returned, sim_m, edges_m),
        sim_over_range=return_probability(sim_returned, real_m, edges_m),
        real_over_incidence=None
        if len(known) < len(pairs)
        else return_probability(real_returned, known, INCIDENCE_EDGES_DEG),
    )


def _incidence_deg(pair: Pair) -> NDArray[np.float64] | None:
    """Return the simulated angle of incidence of each pixel [deg]; None if there are no normals."""
    cos = _cos_incidence(pair.sim)
    return None if cos is None else pair.sim_image.of_points(np.degrees(np.arccos(cos)))


def _cos_incidence(cloud: ScanCloud) -> NDArray[np.float64] | None:
    """Return the cosine between each point's beam and its surface's normal; None without normals.

    Returns
    -------
    float64 (n_point,) or None
        0 to 1; the side of the surface is ignored. NaN for points whose normal is 0 0 0.
    """
    if cloud.normal is None:
        return None
    along_m = np.abs(np.einsum("ij,ij->i", cloud.points_m, cloud.normal))
    length_m = np.linalg.norm(cloud.points_m, axis=1) * np.linalg.norm(cloud.normal, axis=1)
    cos = np.full(len(cloud), np.nan)  # a normal of 0 0 0 is unknown
    np.divide(along_m, length_m, out=cos, where=length_m > 0)
    return np.asarray(np.minimum(cos, 1.0))


def _range_edges_m(range_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edges of bins of equal width up to the 99.9th percentile of the ranges [m]."""
    most_m = float(np.nanquantile(range_m, 0.999))
    fitting = [step for step in RANGE_STEPS_M if most_m <= step * MOST_RANGE_BINS]
    step_m = fitting[0] if fitting else most_m / MOST_RANGE_BINS
    n_bins = max(int(np.ceil(most_m / step_m)), 1)
    return np.linspace(0.0, n_bins * step_m, n_bins + 1)
