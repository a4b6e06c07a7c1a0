# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Neighbours in a ring: mixed and missing pixels at range steps, holes, pixels beside edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.summaries import count, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP_M = 0.5
"""Neighbouring returns of a ring lie on different surfaces if their ranges differ by more [m]."""
AWAY = 0.15
"""Least distance of a mixed pixel from both neighbours in range, as a share of the range step.

The range step is the difference between the ranges of the two neighbours in the ring. [1]
"""
SMOOTH_M = 0.1
"""A pixel is on a smooth surface if the ranges of its four nearest neighbours in the ring, two on
each side, differ by at most this [m].
"""
MOST_MISSING = 3
"""Most missing pixels between the two returns of an edge; wider gaps do not count as edges."""
BESIDE = 2
"""Pixels up to this far from an edge, in the same ring, count as beside it. [pixels]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """Counts of mixed and missing pixels at range steps, and of holes in smooth surfaces.

    A mixed pixel has a range between two surfaces. Trap: foliage counts as mixed. The smoothed mesh
    of a reconstruction makes mixed pixels even with beams of no divergence; compare on hard edges,
    or with a simulation of the same mesh.

    Attributes
    ----------
    n_steps : int
        Number of returning pixels whose neighbours on both sides in the ring return, too, and whose
        neighbours' ranges differ by more than `STEP_M`.
    mixed : float
        Share of these pixels that are mixed: they differ from both neighbours by at least `AWAY`
        times the step. [1]
    n_edges : int
        Number of pairs of successive returns in a ring whose ranges differ by more than `STEP_M`,
        with at most `MOST_MISSING` missing pixels between them.
    missing : float
        Share of these pairs with one or more missing pixels between them. [1]
    n_smooth : int
        Number of pixels whose four nearest neighbours in the ring, two on each side, return with
        ranges within `SMOOTH_M` of each other.
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
    """Count mixed and missing pixels in a range image.

    Parameters
    ----------
    range_m : float64 (n_ring, n_column)
        Range of each pixel, NaN without a return. Neighbouring columns are neighbours in space; the
        last and the first column do not count as neighbours. [m]
    kept : bool (n_ring, n_column)
        True for the pixels that count; all by default. Other pixels still serve as neighbours. An
        edge, a pair of returns, counts if the return with the lower column number is kept.
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
    """Return which pixels lie at an edge, or up to `BESIDE` pixels from it in the same ring.

    An edge is a pair of successive returns in a ring whose ranges differ by more than `STEP_M`,
    with at most `MOST_MISSING` missing pixels between them. The pixels at the edge are the two
    returns and the missing pixels between them.

    Parameters
    ----------
    range_m : float64 (n_ring, n_column)
        Range of each pixel, NaN without a return. The first and the last column do not count as
        neighbours. [m]

    Returns
    -------
    bool (n_ring, n_column)
        True for pixels at or beside an edge.
    """
    n_column = range_m.shape[1]
    # number of zones that begin at a column, minus the number that end there
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
    """Return which pixels are on a smooth surface by their neighbours, (n_ring, n_column - 4)."""
    neighbours = np.stack([range_m[:, :-4], range_m[:, 1:-3], range_m[:, 3:-1], range_m[:, 4:]])
    smooth: NDArray[np.bool_] = neighbours.max(axis=0) - neighbours.min(axis=0) <= SMOOTH_M
    return smooth  # NaN compares as false
