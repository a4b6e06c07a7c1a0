# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rings of a cloud that lists its points ring after ring, as KITTI files do."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST_RINGS, _MOST_RINGS = 4, 512
_SPREAD_DEG = 0.5  # a larger spread within rings shows that the points are in another order
_ONE_WAY = 0.8  # least share of rings that lie below (or above) their predecessor


def rings_in_order(
    points_m: NDArray[np.float64], *, seam_is_forward: bool = False
) -> NDArray[np.int32] | None:
    """Return the ring of each point of a cloud that lists its points ring after ring.

    A new ring begins where the azimuth has gone once around.

    Parameters
    ----------
    points_m : float64 (n_point, 3)
        Points in the order of the file. [m]
    seam_is_forward : bool
        Whether rings end only straight ahead, as in KITTI. Otherwise, they may also end at the
        back, or at the azimuth of the first point.

    Returns
    -------
    int32 (n_point,) or None
        Ring numbers in the order of the file, from 0. None if the points are in another order:
        elevations then differ within a ring, or neither rise nor fall from ring to ring. Also None
        for fewer than 8 points, and for fewer than 4 or more than 512 rings.
    """
    if len(points_m) < 2 * _LEAST_RINGS:
        return None
    azimuth = np.arctan2(points_m[:, 1], points_m[:, 0])
    across = np.hypot(points_m[:, 0], points_m[:, 1])
    elevation_deg = np.degrees(np.arctan2(points_m[:, 2], across))
    best, least_deg = None, _SPREAD_DEG
    for seam in (0.0,) if seam_is_forward else (0.0, np.pi, azimuth[0]):
        ring = _between_seams(azimuth - seam)
        if _LEAST_RINGS <= ring[-1] + 1 <= _MOST_RINGS:
            spread_deg = _spread_deg(elevation_deg, ring)
            if spread_deg < least_deg:
                best, least_deg = ring.astype(np.int32), spread_deg
    return best


def _between_seams(azimuth_rad: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of times that the azimuth has passed 0 before each point."""
    step = np.diff(azimuth_rad % (2.0 * np.pi))
    if np.median(step[np.abs(step) < np.pi]) < 0.0:
        step = -step
    # a point that jitters about the seam passes it forwards and back
    turns = np.cumsum(np.concatenate([[0], (step < -np.pi).astype(int) - (step > np.pi)]))
    ring: NDArray[np.int64] = np.maximum.accumulate(turns)
    return ring


def _spread_deg(elevation_deg: NDArray[np.float64], ring: NDArray[np.int64]) -> float:
    """Return the typical deviation of elevations from their ring's median [deg].

    It is infinite if the rings are not in descending or ascending order of elevation.
    """
    ends = np.searchsorted(ring, np.arange(int(ring[-1]) + 2))
    parts = [elevation_deg[a:b] for a, b in pairwise(ends) if b > a]
    middle = np.array([np.median(part) for part in parts])
    falls = np.diff(middle) < 0.0
    if max(falls.mean(), 1.0 - falls.mean()) < _ONE_WAY:
        return np.inf
    apart = [np.abs(part - m).mean() for part, m in zip(parts, middle, strict=True)]
    return float(np.median(apart))
