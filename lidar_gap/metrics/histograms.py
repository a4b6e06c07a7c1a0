# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds as histograms seen from above: Jensen-Shannon divergence, maximum mean discrepancy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist

if TYPE_CHECKING:
    from numpy.typing import NDArray


def birds_eye_counts(
    points_m: NDArray[np.float64], *, half_width_m: float = 50.0, cell_m: float = 1.0
) -> NDArray[np.int64]:
    """Count the points of a cloud in square cells, seen from above.

    To compare two sets of frames, first add the counts of all frames of each set, as the literature
    does [1]_. Trap: the sum loses the order of the frames. Indoors, cells of 1 m hardly show errors
    of beam angles.

    Parameters
    ----------
    points_m : float64 (n_point, 2 or 3)
        The points; those outside the square are left out. [m]
    half_width_m, cell_m : float
        The square reaches from minus to plus ``half_width_m`` along x and y; a cell is ``cell_m``
        wide. [m]

    Returns
    -------
    int64 (n_cell, n_cell)
        Number of points; the first axis is x, and each cell includes its lower limits.

    References
    ----------
    .. [1] V. Zyrianov et al., "LidarDM: generative LiDAR simulation in a generated world", 2024:
       100 x 100 cells of 1 m.
    """
    n_cells = round(2 * half_width_m / cell_m)
    cell = np.floor((points_m[:, :2] + half_width_m) / cell_m).astype(np.int64)
    inside = np.all((cell >= 0) & (cell < n_cells), axis=1)
    number = cell[inside, 0] * n_cells + cell[inside, 1]
    return np.bincount(number, minlength=n_cells**2).reshape(n_cells, n_cells)


def jensen_shannon(
    real: NDArray[np.int64], sim: NDArray[np.int64], *, base: float = math.e, root: bool = False
) -> float:
    """Return the Jensen-Shannon divergence of two histograms, 0 to log(2); NaN if one is empty.

    It is (KL(p, m) + KL(q, m)) / 2 with m = (p + q) / 2. Trap: papers differ in the base, and in
    taking the square root; LidarDM reports the square root of the divergence to the base e.

    Parameters
    ----------
    real, sim : int64, of equal shape
        Counts; they are divided by their sums.
    base : float
        Base of the logarithm.
    root : bool
        Take the square root, the Jensen-Shannon distance.

    References
    ----------
    .. [1] J. Lin, "Divergence measures based on the Shannon entropy", IEEE Transactions on
       Information Theory 37, 1991.
    """
    if not (np.any(real) and np.any(sim)):
        return math.nan
    p, q = (each.ravel() / each.sum() for each in (real, sim))
    middle = (p + q) / 2
    divergence = (_kullback_leibler(p, middle) + _kullback_leibler(q, middle)) / 2
    divergence = max(divergence, 0.0) / math.log(base)  # rounding may leave -1e-17
    return math.sqrt(divergence) if root else divergence


def _kullback_leibler(p: NDArray[np.float64], q: NDArray[np.float64]) -> float:
    """Return KL(p, q) to the base e; q is positive wherever p is."""
    some = p > 0
    return float(np.sum(p[some] * np.log(p[some] / q[some])))


def mean_discrepancy_squared(
    real: NDArray[np.int64], sim: NDArray[np.int64], *, sigma: float = 0.5
) -> float:
    """Return the squared maximum mean discrepancy of two sets of histograms (biased estimator).

    It measures how much the real and the simulated frames differ; equal sets give 0. Each histogram
    is divided by its sum, and a Gaussian kernel compares the histograms. Trap: such histograms are
    so similar that values are only 1e-5 to 1e-2 and hardly differ between models.

    Parameters
    ----------
    real, sim : int64 (n_frame, ...)
        A histogram for each frame, such as `birds_eye_counts`; the numbers of frames may differ.
    sigma : float
        Standard deviation of the Gaussian kernel; 0.5 in LidarDM. [1]

    References
    ----------
    .. [1] A. Gretton et al., "A kernel two-sample test", Journal of Machine Learning Research 13,
       2012, equation 5.
    """
    p, q = (_normalised(each) for each in (real, sim))
    return _similarity(p, p, sigma) + _similarity(q, q, sigma) - 2 * _similarity(p, q, sigma)


def _normalised(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the histograms as rows with a sum of 1; an empty one stays zero."""
    rows = counts.reshape(len(counts), -1)
    return np.asarray(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1))


def _similarity(p: NDArray[np.float64], q: NDArray[np.float64], sigma: float) -> float:
    """Return the mean of the kernel over all pairs."""
    return float(np.mean(np.exp(-cdist(p, q, "sqeuclidean") / (2 * sigma**2))))
