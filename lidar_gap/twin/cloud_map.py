# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Points of many clouds as one map: mixed pixels are removed, points are averaged in voxels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import KDTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROW_WEIGHT = 4.0  # elevation differences count this many times in the search for neighbours
_STEPS = 2.5  # neighbours in the ring are nearer than this many usual steps
_STEP_M, _STEP_SHARE = 0.1, 0.05  # limits for a lone neighbour: metres, and share of the range


@dataclass(frozen=True, slots=True, kw_only=True)
class Voxels:
    """The voxels that hold points, and the mean of the points in each of them.

    Attributes
    ----------
    mean_m : float64 (n_voxel, 3)
        Mean of the points in each voxel. [m]
    of_point : int64 (n_point,)
        Index of the voxel that holds each point.
    n_points : int64 (n_voxel,)
        Number of points in each voxel.
    """

    mean_m: NDArray[np.float64]
    of_point: NDArray[np.int64]
    n_points: NDArray[np.int64]


def voxels(points_m: NDArray[np.float64], size_m: float) -> Voxels:
    """Sort points into voxels; return the voxels that hold points.

    Parameters
    ----------
    points_m : float64 (n_point, 3)
        The points. [m]
    size_m : float
        Edge of a voxel. [m]
    """
    cell = np.floor(points_m / size_m).astype(np.int64)
    cell -= cell.min(axis=0, initial=0)
    n_cell = cell.max(axis=0, initial=0) + 1
    _, of_point, count = np.unique(
        (cell[:, 0] * n_cell[1] + cell[:, 1]) * n_cell[2] + cell[:, 2],
        return_inverse=True,
        return_counts=True,
    )
    mean = np.stack(
        [np.bincount(of_point, weights=points_m[:, axis]) / count for axis in range(3)], axis=1
    )
    return Voxels(mean_m=mean, of_point=of_point, n_points=count)


def smooth(points_m: NDArray[np.float64], *, step_m: float = _STEP_M) -> NDArray[np.bool_]:
    """Return which points of a cloud are not at depth jumps, bool (n_point,).

    A point with two neighbours in its ring is kept if it lies within ``step_m`` of the line through
    them (1/r is linear in azimuth on a plane). Neighbours are found by direction, so rings need not
    be known. A point with only one neighbour is compared with this neighbour. A point without
    neighbours is not kept.

    Parameters
    ----------
    points_m : float64 (n_point, 3)
        Points in the sensor's frame. [m]
    step_m : float
        Largest distance from the line through the neighbours, along the beam. [m]
    """
    if not len(points_m):
        return np.zeros(0, dtype=bool)
    range_m = np.linalg.norm(points_m, axis=1)
    azimuth = np.degrees(np.arctan2(points_m[:, 1], points_m[:, 0]))
    elevation = np.degrees(np.arcsin(points_m[:, 2] / np.maximum(range_m, 1e-9)))
    places = np.stack((azimuth, _ROW_WEIGHT * elevation), axis=1)
    distance, near = KDTree(places).query(places, k=range(2, 7), workers=-1)
    there = distance < _STEPS * np.median(distance[:, 0])
    safe = np.where(there, near, 0)
    aside = azimuth[safe] - azimuth[:, None]
    inverse = 1.0 / np.maximum(range_m, 1e-9)
    left, d_left = _nearest(aside, there & (aside > 0))
    right, d_right = _nearest(-aside, there & (aside < 0))
    rows = np.arange(len(points_m))
    i_left, i_right = inverse[safe[rows, left]], inverse[safe[rows, right]]
    with np.errstate(invalid="ignore", divide="ignore"):
        between = (i_left * d_right + i_right * d_left) / (d_left + d_right)
        both = np.abs(1.0 / between - range_m) < step_m
        lone = np.where(np.isfinite(d_left), i_left, i_right)
        single = np.abs(1.0 / lone - range_m) < step_m + _STEP_SHARE * range_m
    n_sides = np.isfinite(d_left).astype(int) + np.isfinite(d_right)
    kept: NDArray[np.bool_] = np.where(n_sides == 2, both, single & (n_sides == 1))
    return kept


def _nearest(
    aside_deg: NDArray[np.float64], usable: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return column and distance of the nearest usable neighbour; infinite if there is none."""
    distance = np.where(usable, aside_deg, np.inf)
    column = distance.argmin(axis=1)
    return column, distance[np.arange(len(distance)), column]


def moved(
    points_m: NDArray[np.float64], world_from_sensor: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Transform points from the sensor's frame to the world frame, float64 (n_point, 3) [m].

    ``points_m`` has the points in the sensor's frame, float64 (n_point, 3) [m].
    ``world_from_sensor`` is the pose of the sensor in the world, float64 (4, 4).
    """
    result: NDArray[np.float64] = points_m @ world_from_sensor[:3, :3].T + world_from_sensor[:3, 3]
    return result
