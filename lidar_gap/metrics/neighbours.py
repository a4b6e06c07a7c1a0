# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Distances of clouds by nearest neighbours: Chamfer, F-score, Hausdorff, DCD; earth mover's.

`neighbours` searches the nearest neighbours once; all distances except the earth mover's use them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from lidar_gap.metrics.summaries import mean, quantile, share

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """For each point of a real and a simulated cloud, the nearest point of the other cloud.

    If one of the clouds is empty, all distances of this module are NaN.

    Attributes
    ----------
    real_to_sim_m : float64 (n_real,)
        Distance of each real point to its nearest simulated one; NaN if there is none. [m]
    sim_to_real_m : float64 (n_sim,)
        Distance of each simulated point to its nearest real one; NaN if there is none. [m]
    nearest_sim : int64 (n_real,)
        Index of the nearest simulated point of each real point.
    nearest_real : int64 (n_sim,)
        Index of the nearest real point of each simulated point.
    """

    real_to_sim_m: NDArray[np.float64]
    sim_to_real_m: NDArray[np.float64]
    nearest_sim: NDArray[np.int64]
    nearest_real: NDArray[np.int64]


def neighbours(
    real_m: NDArray[np.float64], sim_m: NDArray[np.float64], workers: int = -1
) -> Neighbours:
    """Search the nearest simulated point of each real point, and the reverse.

    Parameters
    ----------
    real_m, sim_m : float64 (n_point, 3)
        The points of both clouds, in the same coordinate frame. [m]
    workers : int
        Number of threads, -1 for as many as there are cores.
    """
    real_to_sim_m, nearest_sim = _tree(sim_m).query(real_m, workers=workers)
    sim_to_real_m, nearest_real = _tree(real_m).query(sim_m, workers=workers)
    if not (len(real_m) and len(sim_m)):  # the distance to an empty cloud is given as infinite
        real_to_sim_m, sim_to_real_m = real_to_sim_m * np.nan, sim_to_real_m * np.nan
    return Neighbours(
        real_to_sim_m=real_to_sim_m,
        sim_to_real_m=sim_to_real_m,
        nearest_sim=nearest_sim,
        nearest_real=nearest_real,
    )


def _tree(points_m: NDArray[np.float64]) -> cKDTree:
    """Return the search tree of a cloud.

    Cells are split at their middle instead of the median point, and are not shrunk to their points.
    This halves the search time for lidar scans, whose points lie unevenly on few surfaces.
    """
    return cKDTree(points_m, balanced_tree=False, compact_nodes=False)


def chamfer_m(found: Neighbours) -> float:
    """Return the Chamfer distance: mean distance real to nearest simulated, plus the reverse [m].

    Trap: missing and far points dominate it, and it is blind to density.

    Parameters
    ----------
    found : Neighbours
        Neighbours of both clouds, from `neighbours`. The result is NaN if a cloud is empty.

    References
    ----------
    .. [1] H. Fan, H. Su, L. Guibas, "A point set generation network for 3D object reconstruction
       from a single image", CVPR 2017.
    """
    return mean(found.real_to_sim_m) + mean(found.sim_to_real_m)


def chamfer_squared_m2(found: Neighbours) -> float:
    """Return the Chamfer distance with squared distances to the nearest points [m^2].

    It is the mean squared distance of real points to the nearest simulated point, plus the reverse.
    Trap: some papers call this value "Chamfer distance", too, such as LiDAR4D [1]_.

    Parameters
    ----------
    found : Neighbours
        Neighbours of both clouds, from `neighbours`. The result is NaN if a cloud is empty.

    References
    ----------
    .. [1] Z. Zheng et al., "LiDAR4D: dynamic neural fields for novel space-time view LiDAR
       synthesis", CVPR 2024.
    """
    return mean(found.real_to_sim_m**2) + mean(found.sim_to_real_m**2)


def f_score(found: Neighbours, within_m: float = 0.05) -> float:
    """Return the F-score: harmonic mean of the two clouds' shares of points near the other cloud.

    Trap: some programs compare squared distances with the limit. Their F-score at 0.05 equals this
    F-score at 0.224 m.

    Parameters
    ----------
    found : Neighbours
        Neighbours of both clouds.
    within_m : float
        Distance up to which a point counts as near, included. [m]

    References
    ----------
    .. [1] A. Knapitsch et al., "Tanks and temples: benchmarking large-scale scene
       reconstruction", ACM Transactions on Graphics 36, 2017.
    """
    recall = mean(np.asarray(found.real_to_sim_m <= within_m, np.float64))
    precision = mean(np.asarray(found.sim_to_real_m <= within_m, np.float64))
    return 0.0 if precision + recall == 0 else share(2 * precision * recall, precision + recall)


def hausdorff_m(found: Neighbours, portion: float = 1.0) -> float:
    """Return the Hausdorff distance: the largest distance of a point to the other cloud [m].

    Both directions count, real to simulated and the reverse. Trap: a single stray point determines
    the result.

    Parameters
    ----------
    found : Neighbours
        Neighbours of both clouds, from `neighbours`. The result is NaN if a cloud is empty.
    portion : float
        Quantile of the distances of each direction that is used, from 0 to 1; 1 for the largest
        distance. With 0.99, the 99th percentile of each direction replaces its maximum.

    References
    ----------
    .. [1] D. Huttenlocher, G. Klanderman, W. Rucklidge, "Comparing images using the Hausdorff
       distance", IEEE PAMI 15, 1993: the portion ("partial distance").
    """
    ways = (found.real_to_sim_m, found.sim_to_real_m)
    return float(np.max([quantile(way, portion) for way in ways]))


def density_aware_chamfer(found: Neighbours, per_m: float = 20.0) -> float:
    """Return the density-aware Chamfer distance, DCD, from 0 to 1.

    For each point of one cloud, 1 - exp(-a d) / n is computed, where d is the distance to its
    nearest neighbour in the other cloud, and n is the number of points with this same neighbour.
    The result is the mean over the points of each cloud, averaged over the two clouds. Trap: the
    result depends on a; always report a with it.

    Parameters
    ----------
    found : Neighbours
        Neighbours of both clouds.
    per_m : float
        The rate a in 1 - exp(-a d). [1/m]

    References
    ----------
    .. [1] T. Wu et al., "Density-aware Chamfer distance as a comprehensive metric for point cloud
       completion", NeurIPS 2021.
    """
    ways = (
        (found.real_to_sim_m, found.nearest_sim),
        (found.sim_to_real_m, found.nearest_real),
    )
    return sum(_dissimilarity(*way, per_m) for way in ways) / 2


def _dissimilarity(
    distance_m: NDArray[np.float64], nearest: NDArray[np.int64], per_m: float
) -> float:
    """Return the mean of 1 - exp(-a d) / n, one way."""
    n_sharing = np.bincount(nearest)[nearest]
    return mean(1 - np.exp(-per_m * distance_m) / n_sharing)


def earth_movers_m(
    real_m: NDArray[np.float64],
    sim_m: NDArray[np.float64],
    *,
    n_sample: int = 1000,
    seed: int = 0,
) -> float:
    """Return the earth mover's distance: the mean distance of the best one-to-one matching [m].

    The matching needs equal numbers of points, and its time grows with the cube of that number. So
    only random samples of the two clouds are matched. Trap: two samples of one cloud also have a
    distance above 0; compare with the distance of two real scans at the same ``n_sample``.

    Parameters
    ----------
    real_m, sim_m : float64 (n_point, 3)
        The points of both clouds, in the same coordinate frame. [m]
    n_sample : int
        Number of points of each sample, limited to the size of the smaller cloud.
    seed : int
        Seed of the samples.

    References
    ----------
    .. [1] Y. Rubner, C. Tomasi, L. Guibas, "The earth mover's distance as a metric for image
       retrieval", International Journal of Computer Vision 40, 2000.
    """
    n = min(n_sample, len(real_m), len(sim_m))
    generator = np.random.default_rng(seed)
    samples = [each[generator.permutation(len(each))[:n]] for each in (real_m, sim_m)]
    distance_m = cdist(*samples)
    return mean(distance_m[linear_sum_assignment(distance_m)])
