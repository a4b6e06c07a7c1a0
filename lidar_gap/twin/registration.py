# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Refinement of poses: each cloud is registered to the map of all clouds, point to plane.

The method is linearised least squares [1]_ with Cauchy weights. The search tree of the map is built
once per round; a general library would build it once per cloud.

References
----------
.. [1] K.-L. Low, "Linear least-squares optimization for point-to-plane ICP surface registration",
   University of North Carolina, TR04-004, 2004.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial import KDTree
from scipy.spatial.transform import Rotation

from lidar_gap.twin.cloud_map import moved, voxels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_ITERATIONS = 8
_WEIGHT_M = 0.02  # residual at which a pair's weight is half
# most and fewest points of a plane; their largest distance, in voxels
_NEIGHBOURS, _FEWEST, _RADIUS = 24, 8, 4.0
_BLOCK = 100_000  # points at a time
_PLANARITY = 0.25  # largest ratio of the smallest to the middle spread of a plane's points


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Settings for the refinement of poses.

    Attributes
    ----------
    reach_m : tuple of float
        Largest distance of a point from the map point that it is paired with, for each round. [m]
    voxel_m : float
        Edge of the map's voxels. [m]
    sample_m : float
        Edge of the voxels in which a cloud keeps one point. [m]
    """

    reach_m: tuple[float, ...] = (0.5, 0.3, 0.2, 0.15)
    voxel_m: float = 0.06
    sample_m: float = 0.2


def refined(
    clouds: Sequence[NDArray[np.float64]],
    world_from_sensor: NDArray[np.float64],
    in_map: NDArray[np.bool_],
    rounds: Rounds,
) -> NDArray[np.float64]:
    """Refine poses so that the clouds fit their common map; return them, float64 (n_cloud, 4, 4).

    Parameters
    ----------
    clouds : sequence of float64 (n_point, 3)
        Points to use, in the sensor's frame. [m]
    world_from_sensor : float64 (n_cloud, 4, 4)
        Poses to start from.
    in_map : bool (n_cloud,)
        Which clouds form the map; the others are registered to it.
    rounds : Rounds
        Number of rounds, and distances.
    """
    poses: NDArray[np.float64] = world_from_sensor.copy()
    samples = [_sample(cloud, rounds.sample_m) for cloud in clouds]
    for reach_m in rounds.reach_m:
        parts = [
            moved(cloud, pose)
            for cloud, pose, used in zip(clouds, poses, in_map, strict=True)
            if used
        ]
        planes = _planes(voxels(np.concatenate(parts), rounds.voxel_m).mean_m, rounds.voxel_m)
        tree = KDTree(planes.centre_m)
        for index, sample in enumerate(samples):
            poses[index] = _registered(sample, poses[index], tree, planes.normal, reach_m=reach_m)
    return poses


class _Planes(NamedTuple):
    """Planes through the points of a map where the map is flat."""

    centre_m: NDArray[np.float64]  # (n, 3), on the plane
    normal: NDArray[np.float64]  # (n, 3), with arbitrary sign


def _planes(surface_m: NDArray[np.float64], voxel_m: float) -> _Planes:
    """Return the planes of a map: each point is moved onto the plane of its neighbours.

    Clouds that are not registered yet give a thick surface. If a boundary between voxels runs
    through it, the averaged map has two layers there; the plane lies between the layers.
    """
    tree = KDTree(surface_m)
    centres, normals = [], []
    for rows in np.array_split(np.arange(len(surface_m)), 1 + len(surface_m) // _BLOCK):
        place = surface_m[rows]
        distance, near = tree.query(
            place, k=_NEIGHBOURS, distance_upper_bound=_RADIUS * voxel_m, workers=-1
        )
        there = np.isfinite(distance)
        count = there.sum(axis=1)
        offset = np.where(
            there[:, :, None], surface_m[np.where(there, near, 0)] - place[:, None], 0.0
        )
        middle = offset.sum(axis=1) / count[:, None]
        offset = np.where(there[:, :, None], offset - middle[:, None], 0.0)
        spread, axes = np.linalg.eigh(np.einsum("nki,nkj->nij", offset, offset))
        flat = (count >= _FEWEST) & (spread[:, 0] < _PLANARITY**2 * spread[:, 1])
        normal = axes[flat][:, :, 0]
        aside = np.einsum("ij,ij->i", normal, middle[flat])
        centres.append(place[flat] + aside[:, None] * normal)
        normals.append(normal)
    return _Planes(np.concatenate(centres), np.concatenate(normals))


def _sample(points_m: NDArray[np.float64], size_m: float) -> NDArray[np.float64]:
    """Return one point of each voxel, so that dense near surfaces do not outweigh far surfaces."""
    _, first = np.unique(voxels(points_m, size_m).of_point, return_index=True)
    sampled: NDArray[np.float64] = points_m[first]
    return sampled


def _registered(
    points_m: NDArray[np.float64],
    pose: NDArray[np.float64],
    tree: KDTree,
    normal: NDArray[np.float64],
    *,
    reach_m: float,
) -> NDArray[np.float64]:
    """Return the pose at which the points lie on the planes next to them."""
    surface = np.asarray(tree.data)
    for _ in range(_ITERATIONS):
        place = moved(points_m, pose)
        _, near = tree.query(place, distance_upper_bound=reach_m, workers=-1)
        paired = near < len(surface)
        if paired.sum() < 6:  # a pose has 6 unknowns
            return pose
        place, near = place[paired], near[paired]
        n = normal[near]
        residual = np.einsum("ij,ij->i", n, surface[near] - place)
        weight = 1.0 / (1.0 + (residual / _WEIGHT_M) ** 2)
        centre = pose[:3, 3]
        slopes = np.concatenate((np.cross(place - centre, n), n), axis=1)
        turned = slopes * weight[:, None]
        step = np.linalg.lstsq(turned.T @ slopes, turned.T @ residual, rcond=None)[0]
        change = Rotation.from_rotvec(step[:3]).as_matrix()
        pose = pose.copy()
        pose[:3, :3] = change @ pose[:3, :3]
        pose[:3, 3] += step[3:]
        if np.abs(step).max() < 1e-5:  # 10 um, 0.6 mdeg
            break
    return pose
