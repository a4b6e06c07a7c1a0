# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From clouds and poses to a twin: the stages in order."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import KDTree

from lidar_gap.twin.albedo import SignalLaw, albedo, classes
from lidar_gap.twin.carving import Carving, static
from lidar_gap.twin.cloud_map import moved, smooth, voxels
from lidar_gap.twin.normals import normals_of
from lidar_gap.twin.registration import Rounds, refined
from lidar_gap.twin.surface import poisson
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.records import ScanCloud
    from lidar_gap.twin.cloud_map import Voxels
    from lidar_gap.twin.surface import MapSurface

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinSettings:
    """How a twin is built.

    Attributes
    ----------
    min_range_m, max_range_m : float
        Returns that are used. [m]
    voxel_m : float
        Voxels in which the map is averaged. [m]
    albedo_voxel_m : float
        Voxels that have one reflectivity. [m]
    depth : int
        Depth of Poisson's octree.
    cut_m : float
        Largest distance of the surface from a point of the map. [m]
    n_class : int
        Number of reflectivities.
    rounds : Rounds or None
        Refinement of the poses; None takes them as they are.
    carving : Carving or None
        Removal of what moved; None keeps it.
    law : SignalLaw
        Law of the sensor's signal.
    """

    min_range_m: float = 0.5
    max_range_m: float = 30.0
    voxel_m: float = 0.02
    albedo_voxel_m: float = 0.15
    depth: int = 11
    cut_m: float = 0.12
    n_class: int = 24
    rounds: Rounds | None = field(default_factory=Rounds)
    carving: Carving | None = field(default_factory=Carving)
    law: SignalLaw = field(default_factory=SignalLaw)


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """A recorded place as a mesh.

    Attributes
    ----------
    mesh : MapSurface
        Its surface.
    class_of_face : int64 (n_face,)
        Class of each face's albedo.
    albedos : float64 (n_class,)
        Albedo of each class. [unit of the signal m^2]; empty where the clouds have no signal
    world_from_sensor : float64 (n_cloud, 4, 4)
        Poses of all clouds, refined.
    counts : dict
        What remained after each stage.
    """

    mesh: MapSurface
    class_of_face: NDArray[np.int64]
    albedos: NDArray[np.float64]
    world_from_sensor: NDArray[np.float64]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Returns:
    """Returns of the map's frames, row by row."""

    points_m: NDArray[np.float64]  # in the world
    frame: NDArray[np.int64]
    signal: NDArray[np.float64] | None

    def rows(self, kept: NDArray[np.bool_]) -> _Returns:
        return _Returns(
            points_m=self.points_m[kept],
            frame=self.frame[kept],
            signal=None if self.signal is None else self.signal[kept],
        )


def build(
    clouds: Sequence[ScanCloud],
    world_from_sensor: NDArray[np.float64],
    settings: TwinSettings,
    *,
    in_map: NDArray[np.bool_] | None = None,
) -> Twin:
    """Return the twin of a recorded place.

    Parameters
    ----------
    clouds : sequence of ScanCloud
        Clouds of one sensor.
    world_from_sensor : float64 (n_cloud, 4, 4)
        Pose of each.
    settings : TwinSettings
        How to build it.
    in_map : bool (n_cloud,), optional
        Which clouds form the map. The poses of the others are refined as well, so that the twin
        can be scanned where they were recorded without having been made of them. Default: all.

    Raises
    ------
    InputError
        If numbers of clouds and poses differ, or no point is left.
    """
    if len(clouds) != len(world_from_sensor):
        raise InputError(f"twin: got {len(clouds)} clouds and {len(world_from_sensor)} poses")
    chosen = np.ones(len(clouds), dtype=bool) if in_map is None else in_map
    if not chosen.any():
        raise InputError(f"twin: all {len(clouds)} clouds are left out of the map, expected some")
    masks = [usable(cloud, settings) for cloud in clouds]
    poses = world_from_sensor
    if settings.rounds is not None:
        logger.info("twin: registering %d clouds", len(clouds))
        points = [cloud.points_m[mask] for cloud, mask in zip(clouds, masks, strict=True)]
        poses = refined(points, poses, chosen, settings.rounds)
    returns = _returns(clouds, masks, poses, np.flatnonzero(chosen), settings.law)
    counts = {"returns": len(returns.points_m)}
    if settings.carving is not None:
        logger.info("twin: carving")
        frames = np.flatnonzero(chosen)
        seen = [clouds[frame].points_m for frame in frames.tolist()]
        of_frame = np.searchsorted(frames, returns.frame)
        kept = static(seen, poses[frames], returns.points_m, of_frame, settings.carving)
        returns = returns.rows(kept)
        counts["static"] = len(returns.points_m)
    if not len(returns.points_m):
        raise InputError("twin: no point is left for the map")
    return _meshed(returns, poses, settings, counts)


def usable(cloud: ScanCloud, settings: TwinSettings) -> NDArray[np.bool_]:
    """Return which points of a cloud are used, bool (n_point,)."""
    distance = np.linalg.norm(cloud.points_m, axis=1)
    within = (distance >= settings.min_range_m) & (distance <= settings.max_range_m)
    used: NDArray[np.bool_] = smooth(cloud.points_m) & within
    return used


def _returns(
    clouds: Sequence[ScanCloud],
    masks: Sequence[NDArray[np.bool_]],
    poses: NDArray[np.float64],
    frames: NDArray[np.intp],
    law: SignalLaw,
) -> _Returns:
    chosen = [(clouds[frame], masks[frame], poses[frame]) for frame in frames.tolist()]
    strengths = [_strength(cloud, law) for cloud, _, _ in chosen]
    told = [s[mask] for s, (_, mask, _) in zip(strengths, chosen, strict=True) if s is not None]
    points = [moved(cloud.points_m[mask], pose) for cloud, mask, pose in chosen]
    return _Returns(
        points_m=np.concatenate(points),
        frame=np.repeat(frames, [len(part) for part in points]),
        signal=np.concatenate(told) if len(told) == len(frames) else None,
    )


def _strength(cloud: ScanCloud, law: SignalLaw) -> NDArray[np.float64] | None:
    """Return the column of a cloud that follows the law, or else the other one."""
    columns = (cloud.signal, cloud.intensity)
    if law.range_exponent == 0:
        columns = columns[::-1]
    strength = next((column for column in columns if column is not None), None)
    return None if strength is None else strength.astype(np.float64)


def _meshed(
    returns: _Returns, poses: NDArray[np.float64], settings: TwinSettings, counts: dict[str, int]
) -> Twin:
    logger.info("twin: surface of %d returns", len(returns.points_m))
    cells = voxels(returns.points_m, settings.voxel_m)
    beam = returns.points_m - poses[returns.frame, :3, 3]
    range_m = np.linalg.norm(beam, axis=1)
    beam /= range_m[:, None]
    normal = normals_of(cells.mean_m, radius_m=6 * settings.voxel_m)
    sees = np.bincount(cells.of_point, weights=np.einsum("ij,ij->i", normal[cells.of_point], beam))
    normal[sees > 0] *= -1.0
    counts["voxels"] = len(cells.mean_m)
    mesh = poisson(cells.mean_m, normal, depth=settings.depth, cut_m=settings.cut_m)
    counts["triangles"] = len(mesh.faces)
    if not len(mesh.faces):
        raise InputError(
            "twin: no surface was found, expected poses in metres and enough points (see --depth)"
        )
    if returns.signal is None:
        face, values = np.zeros(len(mesh.faces), dtype=np.int64), np.empty(0)
    else:
        cos = np.abs(np.einsum("ij,ij->i", normal[cells.of_point], beam))
        gain = settings.law.gain(range_m, cos)
        gain[cos < np.cos(np.radians(settings.law.at_most_deg))] = 0.0
        coarse = voxels(cells.mean_m, settings.albedo_voxel_m)
        places = coarse.of_point[cells.of_point]
        of_voxel = _filled(albedo(returns.signal, gain, places, settings.law.counts), coarse)
        face, values = classes(of_voxel[mesh.nearest[mesh.faces[:, 0]]], settings.n_class)
    return Twin(
        mesh=mesh, class_of_face=face, albedos=values, world_from_sensor=poses, counts=counts
    )


def _filled(value: NDArray[np.float64], places: Voxels) -> NDArray[np.float64]:
    """Return the value of each point of the places; unknown ones take the next that is known."""
    told = np.isfinite(value)
    if not told.any():
        raise InputError("twin: no return has a strength; expected clouds with intensities")
    _, nearest = KDTree(places.mean_m[told]).query(places.mean_m[~told], workers=-1)
    value[~told] = value[told][nearest]
    filled: NDArray[np.float64] = value[places.of_point]
    return filled
