# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""All measures of one pair of clouds, and of several pairs together."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.distributions import (
    DoubleValidation,
    ValidationAreas,
    double_validation,
    kolmogorov_smirnov,
    mape_percent,
    validation_areas,
)
from lidar_gap.metrics.edges import Edges, beside_edges, edges
from lidar_gap.metrics.histograms import (
    birds_eye_counts,
    jensen_shannon,
    mean_discrepancy_squared,
)
from lidar_gap.metrics.masks import Agreement, agreement
from lidar_gap.metrics.neighbours import (
    chamfer_m,
    chamfer_squared_m2,
    density_aware_chamfer,
    earth_movers_m,
    f_score,
    hausdorff_m,
    neighbours,
)
from lidar_gap.metrics.ranges import (
    GapBudget,
    RangeErrors,
    gap_budget,
    range_errors,
    recall_within,
)
from lidar_gap.metrics.summaries import mean, share
from lidar_gap.records import kept_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.records import Pair

F_SCORE_M = 0.05
"""Distance of the F-score [m]."""
HAUSDORFF_PORTION = 0.99
"""One stray point would decide the largest distance; this share of the points is looked at."""
DCD_PER_M = 20.0
"""How fast a distance counts as wholly wrong in the density-aware Chamfer distance [1/m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudDistances:
    """Distances of two clouds by nearest neighbours; over several pairs, the means of each pair's.

    Attributes
    ----------
    chamfer_m, chamfer_squared_m2 : float
        Mean distances both ways, summed; and mean squared ones. [m], [m^2]
    f_score : float
        At `F_SCORE_M`. [1]
    hausdorff_m : float
        For `HAUSDORFF_PORTION` of the points. [m]
    dcd : float
        Density-aware Chamfer distance, at `DCD_PER_M`. [1]
    emd_m : float
        Earth mover's distance of samples; that of two samples of one cloud is not 0. [m]
    """

    chamfer_m: float
    chamfer_squared_m2: float
    f_score: float
    hausdorff_m: float
    dcd: float
    emd_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What sets simulated clouds apart from real ones; `lidar_gap.metrics` defines each.

    Attributes
    ----------
    name : str
        Of the frame, or of all of them.
    n_real, n_sim : int
        Numbers of points, further echoes and points outside the image included.
    returns : Agreement
        Pixels by where they return.
    errors : RangeErrors
        Of pixels that return in both.
    budget : GapBudget
        Shares of the pixels that return in either.
    edge_budget : GapBudget
        Shares of those among them that lie beside an edge of either image.
    recall_50cm : float
        Share of the real returns whose simulated range is within 0.5 m. [1]
    range_areas : ValidationAreas
        Between the distributions of the ranges of all pixels. [m]
    range_dvm : DoubleValidation
        Their bias and scatter. [m]
    range_ks : float
        Their largest difference, of Kolmogorov and Smirnov. [1]
    ring_counts_mape_percent : float
        Error of the number of returns of a ring. [%]
    real_edges, sim_edges : Edges
        Mixed and missing pixels of each side.
    jsd : float
        Jensen-Shannon divergence to the base e of the clouds seen from above, in cells of 1 m. [1]
    mmd2 : float
        Squared maximum mean discrepancy of the same. [1]
    distances : CloudDistances or None
        By nearest neighbours; None if they were not searched.
    """

    name: str
    n_real: int
    n_sim: int
    returns: Agreement
    errors: RangeErrors
    budget: GapBudget
    edge_budget: GapBudget
    recall_50cm: float
    range_areas: ValidationAreas
    range_dvm: DoubleValidation
    range_ks: float
    ring_counts_mape_percent: float
    real_edges: Edges
    sim_edges: Edges
    jsd: float
    mmd2: float
    distances: CloudDistances | None

    @property
    def edge_share(self) -> float:
        """Share of the pixels that return in either that lie beside an edge."""
        return share(self.edge_budget.n, self.budget.n)

    @property
    def points_ratio(self) -> float:
        """Simulated points per real one."""
        return share(self.n_sim, self.n_real)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSeries:
    """Measures of several pairs, and of all of them together.

    Attributes
    ----------
    name : str
        What is compared with what.
    frames : tuple of Measures
        One for each pair.
    total : Measures
        Over the pixels of all pairs; distances are the means of the pairs'.
    """

    name: str
    frames: tuple[Measures, ...]
    total: Measures


def series(
    name: str, pairs: Sequence[Pair], kept: NDArray[np.bool_], *, with_neighbours: bool = True
) -> PairSeries:
    """Measure pairs of clouds, each and all together.

    Parameters
    ----------
    name : str
        What is compared with what.
    pairs : sequence of Pair
        At least one; their images have the shape of ``kept``.
    kept : bool (n_ring, n_column)
        Pixels to compare.
    with_neighbours : bool
        Whether nearest neighbours are searched, which takes most of the time.
    """

    def measured(pair: Pair) -> Measures:
        distances = cloud_distances(pair, kept) if with_neighbours else None
        return _measures(pair.real.name, [pair], kept, distances)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        frames = tuple(pool.map(measured, pairs))
    distances = _means([each.distances for each in frames if each.distances is not None])
    total = _measures("all", pairs, kept, distances)
    return PairSeries(name=name, frames=frames, total=total)


def cloud_distances(pair: Pair, kept: NDArray[np.bool_]) -> CloudDistances:
    """Return the distances of two clouds, without the points of pixels that are left out."""
    real_m = kept_points(pair.real, pair.real_image, kept).points_m
    sim_m = kept_points(pair.sim, pair.sim_image, kept).points_m
    found = neighbours(real_m, sim_m)
    return CloudDistances(
        chamfer_m=chamfer_m(found),
        chamfer_squared_m2=chamfer_squared_m2(found),
        f_score=f_score(found, F_SCORE_M),
        hausdorff_m=hausdorff_m(found, HAUSDORFF_PORTION),
        dcd=density_aware_chamfer(found, DCD_PER_M),
        emd_m=earth_movers_m(real_m, sim_m),
    )


def _measures(
    name: str,
    pairs: Sequence[Pair],
    kept: NDArray[np.bool_],
    distances: CloudDistances | None,
) -> Measures:
    """Measure some pairs together."""
    real = [kept_points(pair.real, pair.real_image, kept) for pair in pairs]
    sim = [kept_points(pair.sim, pair.sim_image, kept) for pair in pairs]
    real_m = np.concatenate([pair.real_image.range_m for pair in pairs])
    sim_m = np.concatenate([pair.sim_image.range_m for pair in pairs])
    looked_at = np.tile(kept, (len(pairs), 1))
    real_returned = ~np.isnan(real_m) & looked_at
    sim_returned = ~np.isnan(sim_m) & looked_at
    at_edge = looked_at & (beside_edges(real_m) | beside_edges(sim_m))
    real_counts = np.array([birds_eye_counts(cloud.points_m) for cloud in real])
    sim_counts = np.array([birds_eye_counts(cloud.points_m) for cloud in sim])
    real_ranges_m, sim_ranges_m = real_m[real_returned], sim_m[sim_returned]
    return Measures(
        name=name,
        n_real=sum(map(len, real)),
        n_sim=sum(map(len, sim)),
        returns=agreement(real_returned[looked_at], sim_returned[looked_at]),
        errors=range_errors(real_m[looked_at], sim_m[looked_at]),
        budget=gap_budget(real_m[looked_at], sim_m[looked_at]),
        edge_budget=gap_budget(real_m[at_edge], sim_m[at_edge]),
        recall_50cm=recall_within(real_m[looked_at], sim_m[looked_at]),
        range_areas=validation_areas(real_ranges_m, sim_ranges_m),
        range_dvm=double_validation(real_ranges_m, sim_ranges_m),
        range_ks=kolmogorov_smirnov(real_ranges_m, sim_ranges_m),
        ring_counts_mape_percent=mape_percent(
            real_returned.sum(axis=1, dtype=np.float64), sim_returned.sum(axis=1, dtype=np.float64)
        ),
        real_edges=edges(real_m, looked_at),
        sim_edges=edges(sim_m, looked_at),
        jsd=jensen_shannon(real_counts.sum(axis=0), sim_counts.sum(axis=0)),
        mmd2=mean_discrepancy_squared(real_counts, sim_counts),
        distances=distances,
    )


def _means(found: Sequence[CloudDistances]) -> CloudDistances | None:
    """Return the mean of each distance over all pairs."""
    if not found:
        return None
    return CloudDistances(
        **{
            each.name: mean(np.array([getattr(distances, each.name) for distances in found]))
            for each in fields(CloudDistances)
        }
    )
