# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Neighbours in a ring: mixed and missing pixels at steps of range, holes, what is at an edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.summaries import count, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP_M = 0.5
"""Returns of a ring that are farther apart stand on two surfaces [m]."""
AWAY = 0.15
"""A mixed pixel is at least this share of the step away from either side."""
SMOOTH_M = 0.1
"""The two neighbours on each side of a pixel of a smooth surface differ by no more [m]."""
MOST_MISSING = 3
"""So many missing pixels may lie at an edge; where there are more, something else is missing."""
BESIDE = 2
"""Pixels that are no farther from an edge, in their ring, are beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """Pixels between two surfaces, and missing pixels within one.

    Trap: foliage counts as mixed, and the smoothed mesh of a reconstruction makes mixed pixels
    without any divergence; compare on hard edges, or with a simulation of the same mesh.

    Attributes
    ----------
    n_steps : int
        Number of pixels that return as do both neighbours in their ring, which are more than
        `STEP_M` apart.
    mixed : float
        Share of them that are at least `AWAY` of the step from both neighbours. [1]
    n_edges : int
        Number of pairs of returns that follow each other in a ring, more than `STEP_M` apart, with
        `MOST_MISSING` pixels between them at most.
    missing : float
        Share of them that do have missing pixels between them. [1]
    n_smooth : int
        Number of pixels whose two neighbours on each side return, within `SMOOTH_M` of each other.
    holes : float
        Share of those pixels that do not return. [1]
    """

    n_steps: int
    mixed: float
    n_edges: int
    missing: float
    n_smooth: int
    holes: float


def edges(range_m: NDArray[np.float64], kept: NDArray[np.bool_] | None = None) -> Edges:
    """Look for mixed and missing pixels in a range image.

    Parameters
    ----------
    range_m : float64 (n_ring, n_column)
        Range of each pixel, NaN where nothing returned; the columns of a ring follow each other,
        without a step from the last to the first. [m]
    kept : bool (n_ring, n_column)
        Pixels to look at, with whatever neighbours they have; all by default. An edge is looked at
        if the first pixel of the pair is.
    """
    looked_at = np.ones(range_m.shape, np.bool_) if kept is None else kept
    before, own, after = range_m[:, :-2], range_m[:, 1:-1], range_m[:, 2:]
    step = np.abs(after - before)
    at_step = (step > STEP_M) & ~np.isnan(own) & looked_at[:, 1:-1]
    away = np.minimum(np.abs(own - before), np.abs(own - after)) >= AWAY * step
    n_missing = _edges_by_missing(range_m, looked_at)
    smooth = _within_smooth_surface(range_m) & looked_at[:, 2:-2]
    return Edges(
        n_steps=count(at_step),
        mixed=share(count(at_step & away), count(at_step)),
        n_edges=sum(n_missing),
        missing=share(sum(n_missing[1:]), sum(n_missing)),
        n_smooth=count(smooth),
        holes=share(count(smooth & np.isnan(range_m[:, 2:-2])), count(smooth)),
    )


def beside_edges(range_m: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which pixels lie at an edge or up to `BESIDE` pixels beside it.

    An edge is a pair of returns as for `Edges.n_edges`; its pixels are the two returns and what is
    missing between them.

    Parameters
    ----------
    range_m : float64 (n_ring, n_column)
        Range of each pixel, NaN where nothing returned, as for `edges`. [m]

    Returns
    -------
    bool (n_ring, n_column)
    """
    n_column = range_m.shape[1]
    # zones that begin at a column, less those that end there
    change = np.zeros((len(range_m), n_column + 1), np.int64)
    unbroken = np.ones(range_m.shape, np.bool_)  # no return since this pixel
    for n_missing in range(min(MOST_MISSING + 1, n_column)):
        ahead = range_m[:, n_missing + 1 :]
        unbroken = unbroken[:, : ahead.shape[1]]
        step = np.abs(ahead - range_m[:, : ahead.shape[1]])
        ring, first = np.nonzero(unbroken & (step > STEP_M))
        np.add.at(change, (ring, np.maximum(first - BESIDE, 0)), 1)
        np.add.at(change, (ring, np.minimum(first + n_missing + 2 + BESIDE, n_column)), -1)
        unbroken = unbroken & np.isnan(ahead)
    beside: NDArray[np.bool_] = np.cumsum(change, axis=1)[:, :-1] > 0
    return beside


def _edges_by_missing(range_m: NDArray[np.float64], looked_at: NDArray[np.bool_]) -> list[int]:
    """Count the edges by the number of pixels that are missing between their two returns."""
    n_edges = []
    unbroken = looked_at  # no return since this pixel
    for n_missing in range(MOST_MISSING + 1):
        ahead = range_m[:, n_missing + 1 :]
        unbroken = unbroken[:, : ahead.shape[1]]
        step = np.abs(ahead - range_m[:, : ahead.shape[1]])
        n_edges.append(count(unbroken & (step > STEP_M)))
        unbroken = unbroken & np.isnan(ahead)
    return n_edges


def _within_smooth_surface(range_m: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which pixels have near neighbours, (n_ring, n_column - 4)."""
    neighbours = np.stack([range_m[:, :-4], range_m[:, 1:-3], range_m[:, 3:-1], range_m[:, 4:]])
    smooth: NDArray[np.bool_] = neighbours.max(axis=0) - neighbours.min(axis=0) <= SMOOTH_M
    return smooth  # NaN compares as false
