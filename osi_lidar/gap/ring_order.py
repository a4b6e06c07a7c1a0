# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The rings of a cloud whose rows are ring after ring, as in the files of KITTI."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST_RINGS, _MOST_RINGS = 4, 512
_SPREAD_DEG = 0.5  # half the points of a ring lie within it, or the rows are in another order


def rings_in_order(points_m: NDArray[np.float64]) -> NDArray[np.int32] | None:
    """Return the ring of each point, where a ring ends as its azimuth wraps; None if none do.

    Parameters
    ----------
    points_m : float64 (n_point, 3)
        In the order of the file. [m]

    Returns
    -------
    int32 (n_point,) or None
        Counted in the order of the file; None where the rows are in another order, which shows in
        elevations that are not those of rings.
    """
    if len(points_m) < 2 * _LEAST_RINGS:
        return None
    azimuth = np.arctan2(points_m[:, 1], points_m[:, 0]) % (2.0 * np.pi)
    step = np.diff(azimuth)
    near = np.abs(step) < np.pi
    if np.median(step[near]) < 0.0:
        step = -step
    # a point that jitters about azimuth 0 passes it forth and back
    turns = np.cumsum(np.concatenate([[0], (step < -np.pi).astype(int) - (step > np.pi)]))
    ring = np.maximum.accumulate(turns)
    n_ring = int(ring[-1]) + 1
    if not _LEAST_RINGS <= n_ring <= _MOST_RINGS:
        return None
    return ring.astype(np.int32) if _are_rings(points_m, ring, n_ring) else None


def _are_rings(points_m: NDArray[np.float64], ring: NDArray[np.int64], n_ring: int) -> bool:
    """Return whether elevations spread little within rings, and go one way from ring to ring."""
    across = np.hypot(points_m[:, 0], points_m[:, 1])
    elevation_deg = np.degrees(np.arctan2(points_m[:, 2], across))
    ends = np.searchsorted(ring, np.arange(n_ring + 1))
    parts = [elevation_deg[a:b] for a, b in pairwise(ends) if b > a]
    middle = np.array([np.median(part) for part in parts])
    spread = np.array([np.median(np.abs(part - m)) for part, m in zip(parts, middle, strict=True)])
    falls = np.diff(middle) < 0.0
    one_way = max(falls.mean(), 1.0 - falls.mean())
    return bool(np.median(spread) < _SPREAD_DEG and one_way > 0.8)
