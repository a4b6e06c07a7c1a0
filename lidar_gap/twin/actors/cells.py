# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Cells of beams: the cell of a beam reaches half way to the neighbouring beams on each side.

If the clouds have ring numbers, cells follow from the elevations of the rings and the median
azimuth step of each ring. Missing returns then do not enlarge the cells beside them. Without ring
numbers, cells reach half way to the next returns. The same is done if rings are not cones about the
origin, because the clouds are of several sensors, or in a vehicle frame. Such cells are wrong, and
a warning is logged.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import KDTree

from lidar_gap.metrics.summaries import grouped_median

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.records import ScanCloud

logger = logging.getLogger(__name__)

_BESIDE = 24  # number of nearest directions in which the neighbouring beams are searched
_ROW_WEIGHT = 6.0  # elevation differences count this many times in the search for neighbours
_ONE_SIDED = 1.5  # without rings: largest ratio of a cell's extents to opposite sides
_LEAST_STEP = 0.6  # smallest step, relative to the usual step: nearer beams are from two turns
_FEWEST = 100  # a ring with fewer steps takes the usual step of all rings
_SAME_RING_RAD = 2e-4  # nearer elevations belong to one ring
_MOST_M = 0.6  # largest extent of a cell to one side


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Cells of beams: extent across each beam, at the distance of its point.

    Attributes
    ----------
    beam : float64 (n, 3)
        Direction of each beam. [1]
    half_m : float64 (n, 4)
        Extent from the beam to the left, right, down and up. [m]
    """

    beam: NDArray[np.float64]
    half_m: NDArray[np.float64]

    def rows(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> Cells:
        """Return some of the cells, chosen by their indices or by a mask."""
        return Cells(beam=self.beam[chosen], half_m=self.half_m[chosen])

    def turned(self, rotation: NDArray[np.float64]) -> Cells:
        """Return the cells in another frame; its axes are the rows of ``rotation``, (3, 3)."""
        return Cells(beam=self.beam @ rotation.T, half_m=self.half_m)

    def mirrored(self) -> Cells:
        """Return the cells mirrored at the plane y = 0, which also swaps left and right."""
        return Cells(beam=self.beam * (1.0, -1.0, 1.0), half_m=self.half_m[:, [1, 0, 2, 3]])


def together(parts: Sequence[Cells]) -> Cells:
    """Join several sets of cells to one, in the order of ``parts``."""
    return Cells(
        beam=np.concatenate([np.zeros((0, 3)), *(part.beam for part in parts)]),
        half_m=np.concatenate([np.zeros((0, 4)), *(part.half_m for part in parts)]),
    )


def beam_cells(cloud: ScanCloud, chosen: NDArray[np.intp]) -> Cells:
    """Return the cells of some points of a cloud.

    Parameters
    ----------
    cloud : ScanCloud
        All points of a turn, in the sensor's frame.
    chosen : intp (n,)
        Rows of the points whose cells are returned.
    """
    places = _places(cloud.points_m)
    rings = _rings(cloud, places[:, 1])
    steps = (
        _next_returns(places, chosen) if rings is None else _of_rings(places, rings)[rings[chosen]]
    )
    steps[:, :2] *= np.cos(places[chosen, 1])[:, None]
    range_m = np.maximum(np.linalg.norm(cloud.points_m[chosen], axis=1), 1e-6)[:, None]
    half_m = np.minimum(0.5 * steps * range_m, _MOST_M)
    return Cells(beam=cloud.points_m[chosen] / range_m, half_m=half_m)


def ring_steps(cloud: ScanCloud) -> tuple[NDArray[np.float64], float] | None:
    """Return the elevation of each ring of a cloud, (n_ring,), and the median azimuth step, in rad.

    Elevations are in the order of the ring numbers, without rings that have no points. Return None
    if the cloud has no ring numbers, or if the rings are not cones about the origin.
    """
    places = _places(cloud.points_m)
    if cloud.ring is None or not _are_cones(places[:, 1], cloud.ring.astype(np.int64)):
        return None
    elevation, turn = _rings_of(places, cloud.ring.astype(np.int64))
    return elevation[np.isfinite(elevation)], float(np.nanmedian(turn))


def sides(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    scale: tuple[NDArray[np.float64] | float, NDArray[np.float64] | float] = (1.0, 1.0),
) -> NDArray[np.float64]:
    """Return the distance of each point to its nearest neighbour on each of four sides.

    Each of the k neighbours of a point is on one side only. Its offsets are first divided by
    ``scale``. If its offset to the left or right is then larger than its offset up or down, the
    neighbour is to the left or right; otherwise it is above or below. Its distance is its offset
    towards this side, without the other offset.

    Parameters
    ----------
    a, b : float64 (n, k)
        Offsets of the k neighbours of each of n points: to the left (a) and upwards (b). A
        neighbour with an infinite offset is left out.
    scale : (float64 (n, 1) or float, float64 (n, 1) or float)
        Divisors of a and of b, only to choose the side.

    Returns
    -------
    float64 (n, 4)
        Distance on the left, right, lower and upper side, in the unit of a and b; infinite if no
        neighbour is there.
    """
    known = np.isfinite(a) & np.isfinite(b)
    a, b = np.where(known, a, 0.0), np.where(known, b, 0.0)
    sideways = np.abs(a) / scale[0] > np.abs(b) / scale[1]
    found = [
        np.where(there & (reach > 0), reach, np.inf).min(axis=1, initial=np.inf)
        for reach, there in ((a, sideways), (-a, sideways), (-b, ~sideways), (b, ~sideways))
    ]
    return np.stack(found, axis=1)


def _rings(cloud: ScanCloud, elevation: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return the ring of each point; None if rings are not known, or are not cones."""
    if cloud.ring is None:
        return None
    ring = cloud.ring.astype(np.int64)
    if _are_cones(elevation, ring):
        return ring
    logger.warning(
        "twin: %s: rings are not cones about the origin, so bodies of actors may be wrong; "
        "expected clouds of one sensor in the sensor's own frame",
        cloud.name,
    )
    return None


def _are_cones(elevation: NDArray[np.float64], ring: NDArray[np.int64]) -> bool:
    """Return whether most points are nearer to their ring's elevation than to the next ring's."""
    usual = grouped_median(elevation, ring, int(ring.max(initial=-1)) + 1)
    steps = np.diff(np.sort(usual[np.isfinite(usual)]))
    return bool(len(steps) and np.median(np.abs(elevation - usual[ring])) < 0.5 * np.median(steps))


def _places(points_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return azimuth and elevation of points, float64 (n, 2) [rad]."""
    level_m = np.hypot(points_m[:, 0], points_m[:, 1])
    azimuth = np.arctan2(points_m[:, 1], points_m[:, 0])
    return np.stack([azimuth, np.arctan2(points_m[:, 2], level_m)], axis=1)


def _rings_of(
    places: NDArray[np.float64], ring: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the elevation and the azimuth step of each ring, each float64 (n_ring,) [rad]."""
    n_ring = int(ring.max(initial=-1)) + 1
    order = np.lexsort((places[:, 0], ring))
    apart = np.diff(places[order, 0])
    same = np.diff(ring[order]) == 0
    of_ring = ring[order][1:][same]
    turn = grouped_median(apart[same], of_ring, n_ring)
    turn[np.bincount(of_ring, minlength=n_ring) < _FEWEST] = np.median(apart[same])
    return grouped_median(places[:, 1], ring, n_ring), turn


def _of_rings(places: NDArray[np.float64], ring: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the angles from a ring's beams to the next on four sides, float64 (n_ring, 4) [rad].

    ``places`` holds azimuth and elevation of all points.
    """
    elevation, turn = _rings_of(places, ring)
    steps = np.tile(turn[:, None], (1, 4))
    there = np.unique(elevation[np.isfinite(elevation)])
    there = there[np.append(True, np.diff(there) > _SAME_RING_RAD)]
    if len(there) > 1:
        gaps = np.diff(there)
        number = np.abs(elevation[:, None] - there).argmin(axis=1)
        steps[:, 2] = np.append(gaps[0], gaps)[number]
        steps[:, 3] = np.append(gaps, gaps[-1])[number]
    return np.where(np.isfinite(steps), steps, np.nanmedian(turn))


def _next_returns(places: NDArray[np.float64], chosen: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the angles from points to the next returns on four sides, float64 (n, 4) [rad]."""
    scaled = places * (_ROW_WEIGHT, 1.0)
    _, near = KDTree(scaled).query(scaled[chosen], k=min(_BESIDE, len(places)))
    offset = places[near.reshape(len(chosen), -1)] - places[chosen, None]
    steps = sides(offset[..., 0], offset[..., 1])
    for pair in (steps[:, :2], steps[:, 2:]):
        _balance(pair)
    steps[:, :2] = steps[:, :2].mean(axis=1, keepdims=True)  # firings are evenly spaced
    return steps


def _balance(pair: NDArray[np.float64]) -> None:
    """Limit both steps of a pair, (n, 2): above by the other step, below by the usual step."""
    known = pair[np.isfinite(pair)]
    usual = float(np.median(known)) if len(known) else 0.0
    nearer = pair.min(axis=1, keepdims=True)
    nearer = np.where(np.isfinite(nearer), nearer, usual)
    pair[...] = np.minimum(pair, _ONE_SIDED * nearer)
    np.maximum(pair, _LEAST_STEP * usual, out=pair)
