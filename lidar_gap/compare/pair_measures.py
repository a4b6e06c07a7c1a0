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
"""Distance to the other cloud up to which the F-score counts a point as matched [m]."""
HAUSDORFF_PORTION = 0.99
"""Quantile of the distances to the other cloud that replaces the maximum in the Hausdorff distance,
because a single stray point would determine the maximum."""
DCD_PER_M = 20.0
"""Rate a in 1 - exp(-a d) of the density-aware Chamfer distance, for a distance d [1/m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudDistances:
    """Distances between two clouds; `lidar_gap.metrics.neighbours` defines them.

    For several pairs of clouds, each distance is the mean over the pairs.

    Attributes
    ----------
    chamfer_m : float
        Chamfer distance: mean distance of real points to their nearest simulated point, plus mean
        distance of simulated points to their nearest real point. [m]
    chamfer_squared_m2 : float
        The same with squared distances. [m^2]
    f_score : float
        F-score: points within `F_SCORE_M` of the other cloud count as matched. [1]
    hausdorff_m : float
        Hausdorff distance, with the quantile `HAUSDORFF_PORTION` in place of the maximum. [m]
    dcd : float
        Density-aware Chamfer distance with the rate `DCD_PER_M`. [1]
    emd_m : float
        Earth mover's distance between samples of the clouds; it is above 0 even for two samples of
        the same cloud. [m]
    """

    chamfer_m: float
    chamfer_squared_m2: float
    f_score: float
    hausdorff_m: float
    dcd: float
    emd_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Differences between simulated and real clouds; `lidar_gap.metrics` defines each measure.

    Pixels of the range images that are not compared are left out, with their points.

    Attributes
    ----------
    name : str
        Name of the frame; "all" for all frames together.
    n_real, n_sim : int
        Numbers of points, including further echoes and points outside the image.
    returns : Agreement
        Counts of pixels that return in both scans, in one, and in neither.
    errors : RangeErrors
        Range errors of pixels that return in both scans.
    budget : GapBudget
        Gap budget: the pixels that return in at least one scan, divided by kind of difference.
    edge_budget : GapBudget
        Gap budget of only those pixels that lie beside an edge in either image.
    recall_50cm : float
        Share of the real returns whose simulated range is within 0.5 m. [1]
    range_areas : ValidationAreas
        Areas between the distributions of the simulated and of the real ranges. [m]
    range_dvm : DoubleValidation
        Bias and scatter of the simulated distribution of ranges against the real one. [m]
    range_ks : float
        Largest difference of the two distribution functions of ranges (Kolmogorov-Smirnov). [1]
    ring_counts_mape_percent : float
        Mean absolute error of the simulated number of returns per ring, relative to the real
        number. [%]
    real_edges, sim_edges : Edges
        Mixed pixels, missing pixels and holes of the real and of the simulated images.
    jsd : float
        Jensen-Shannon divergence (base e) of the points per 1 m cell, seen from above. [1]
    mmd2 : float
        Squared maximum mean discrepancy of these counts per cell. [1]
    distances : CloudDistances or None
        Distances between the clouds; None if nearest neighbours were not searched.
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
        """Share of pixels beside an edge, among the pixels that return in at least one scan."""
        return share(self.edge_budget.n, self.budget.n)

    @property
    def points_ratio(self) -> float:
        """Simulated points per real one; NaN without real points."""
        return share(self.n_sim, self.n_real)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSeries:
    """Measures of a series of pairs of clouds: of each pair, and of all pairs together.

    Attributes
    ----------
    name : str
        Name of the series for tables, which states its two sides.
    frames : tuple of Measures
        Measures of each pair.
    total : Measures
        Measures over the pixels of all pairs; distances are means over the pairs.
    """

    name: str
    frames: tuple[Measures, ...]
    total: Measures


def series(
    name: str, pairs: Sequence[Pair], kept: NDArray[np.bool_], *, with_neighbours: bool = True
) -> PairSeries:
    """Measure each pair of clouds, and all pairs together.

    Parameters
    ----------
    name : str
        Name of the series for tables, which states its two sides.
    pairs : sequence of Pair
        At least one pair; the images have the shape of ``kept``.
    kept : bool (n_ring, n_column)
        Pixels to compare.
    with_neighbours : bool
        Whether nearest neighbours are searched, which takes most of the time; otherwise
        `Measures.distances` is None.
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
    """Return measures of the distance between the real and the simulated cloud of a pair.

    Points in pixels of the range images where ``kept``, bool (n_ring, n_column), is False are left
    out. All echoes in a kept pixel count, and points outside of the range image count, too.
    """
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
