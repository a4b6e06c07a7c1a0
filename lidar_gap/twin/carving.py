# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Removal of moving objects: map points that beams of other frames have passed through.

A voxel of the map was empty in a frame if a beam went through it, and this beam and all its
neighbouring beams ended behind the voxel. Beams without a return are not used, because dark
surfaces return nothing, either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import KDTree

from lidar_gap.twin.cloud_map import voxels
from lidar_gap.twin.normals import normals_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_LEAST_COS = 0.05  # cosine of incidence at 87 degrees, the limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Carving:
    """Rules for when a voxel counts as empty, because beams of many frames passed through it.

    Attributes
    ----------
    voxel_m : float
        Edge of the voxels. [m]
    n_beams : int
        Number of beams of a frame that are tested: the nearest ones to the direction of the voxel.
        The frame passed through the voxel only if all of them ended behind it.
    behind_m : float
        Distance by which these beams must end behind the voxel, in addition to its depth along the
        beam. [m]
    at_least : int
        A voxel is empty only if at least this many frames passed through it.
    per_hit : float
        A voxel is empty only if the number of frames that passed through it, divided by the number
        of frames with a point in it, is larger than this. [1]
    """

    voxel_m: float = 0.15
    n_beams: int = 8
    behind_m: float = 0.3
    at_least: int = 3
    per_hit: float = 0.5


def static(
    clouds: Sequence[NDArray[np.float64]],
    world_from_sensor: NDArray[np.float64],
    points_world_m: NDArray[np.float64],
    frame_of_point: NDArray[np.int64],
    carving: Carving,
) -> NDArray[np.bool_]:
    """Return which points of a map are static: their voxel never counts as empty, bool (n_point,).

    Parameters
    ----------
    clouds : sequence of float64 (n, 3)
        All returns of each frame, in the sensor's frame. [m]
    world_from_sensor : float64 (n_frame, 4, 4)
        Poses of the frames.
    points_world_m : float64 (n_point, 3)
        Points of the map. [m]
    frame_of_point : int64 (n_point,)
        Frame that each point of the map comes from.
    carving : Carving
        Rules for when a voxel counts as empty.
    """
    cells = voxels(points_world_m, carving.voxel_m)
    pair = np.unique(cells.of_point * len(clouds) + frame_of_point)
    n_hit = np.bincount(pair // len(clouds), minlength=len(cells.mean_m))
    normal = normals_of(cells.mean_m, radius_m=3 * carving.voxel_m)
    n_through = np.zeros(len(cells.mean_m), dtype=np.int64)
    for cloud, pose in zip(clouds, world_from_sensor, strict=True):
        n_through += _passed(cloud, pose, cells.mean_m, normal, carving)
    empty = (n_through >= carving.at_least) & (n_through > carving.per_hit * n_hit)
    kept: NDArray[np.bool_] = ~empty[cells.of_point]
    return kept


def _passed(
    cloud_m: NDArray[np.float64],
    pose: NDArray[np.float64],
    places_m: NDArray[np.float64],
    normal: NDArray[np.float64],
    carving: Carving,
) -> NDArray[np.bool_]:
    """Return which voxels the beams of a cloud passed through, bool (n_place,)."""
    direction, beam_m = _directions(cloud_m)
    if len(cloud_m) < carving.n_beams:
        return np.zeros(len(places_m), dtype=bool)
    seen_m = places_m - pose[:3, 3]
    towards, range_m = _directions(seen_m @ pose[:3, :3])
    # distances of unit vectors are used as angles; they differ by less than 1 % here
    aside, near = KDTree(direction).query(towards, k=carving.n_beams, workers=-1)
    cos = np.abs(np.einsum("ij,ij->i", normal, seen_m)) / range_m
    behind_m = range_m + carving.behind_m + carving.voxel_m / np.maximum(cos, _LEAST_COS)
    hit = aside[:, 0] * range_m < carving.voxel_m / 2
    passed: NDArray[np.bool_] = hit & (beam_m[near].min(axis=1) > behind_m)
    return passed


def _directions(
    points_m: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return unit vectors to points, and their distances [m]."""
    range_m = np.maximum(np.linalg.norm(points_m, axis=1), 1e-9)
    return points_m / range_m[:, None], range_m
