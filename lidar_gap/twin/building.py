# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Building a twin from clouds and poses: all stages in order."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import KDTree

from lidar_gap.twin.carving import Carving, static
from lidar_gap.twin.cloud_map import moved, smooth, voxels
from lidar_gap.twin.normals import normals_of
from lidar_gap.twin.reflectivity.albedo import SignalLaw, albedo, classes
from lidar_gap.twin.reflectivity.all_beams import MapPoints, Recorded, beams_of
from lidar_gap.twin.reflectivity.censored import PlaceAlbedos, censored_albedos
from lidar_gap.twin.reflectivity.residual import Residual, class_textures, residual
from lidar_gap.twin.registration import Rounds, refined
from lidar_gap.twin.surface import poisson
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.layout import Layout
    from lidar_gap.records import ScanCloud
    from lidar_gap.twin.cloud_map import Voxels
    from lidar_gap.twin.surface import MapSurface
    from material_mapping.texture import Texture

logger = logging.getLogger(__name__)

_LARGE_PLACES = 4  # width of a large place, in widths of a small place
_VIEW_M = 0.5  # positions of the sensor nearer to each other count as one viewpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinSettings:
    """Settings for building a twin.

    Attributes
    ----------
    min_range_m, max_range_m : float
        Range limits of the returns that are used. [m]
    voxel_m : float
        Edge of the voxels in which points of the map are averaged. [m]
    albedo_voxel_m : float
        Edge of the voxels ("places") that have one reflectivity each. [m]
    depth : int
        Octree depth of the Poisson reconstruction.
    cut_m : float
        Largest distance of the surface from a point of the map. [m]
    n_class : int
        Number of reflectivity classes.
    rounds : Rounds or None
        Refinement of the poses; None uses the poses as given.
    carving : Carving or None
        Removal of moving objects; None keeps them.
    law : SignalLaw
        Law of the sensor's signal.
    beams : Layout or None
        Rings and columns of the sensor. With these, and with a law that counts photons,
        reflectivities are also found from beams without a return. None uses only returns.
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
    beams: Layout | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """A recorded place as a mesh.

    Attributes
    ----------
    mesh : MapSurface
        The surface.
    class_of_face : int64 (n_face,)
        Albedo class of each face.
    albedos : float64 (n_class,)
        Albedo of each class, ascending; empty if a cloud of the map has neither signal nor
        intensity. [unit of the signal x m^2]
    world_from_sensor : float64 (n_cloud, 4, 4)
        Poses of all clouds, refined unless the settings say that they are used as given.
    counts : dict of str to int
        Number of elements after each stage of building: ``returns`` (used points), ``static`` (if
        moving objects were removed), ``voxels`` and ``triangles``.
    places : PlaceAlbedos or None
        Albedos of places with their uncertainty; None unless all beams were used.
    textures : tuple of Texture
        For each class, a random variation of the reflectivity over the surface, which stands for
        the uncertainty of the albedos; empty unless all beams were used.
    """

    mesh: MapSurface
    class_of_face: NDArray[np.int64]
    albedos: NDArray[np.float64]
    world_from_sensor: NDArray[np.float64]
    counts: dict[str, int]
    places: PlaceAlbedos | None = None
    textures: tuple[Texture, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Returns:
    """Used returns of the frames that form the map; one row each."""

    points_m: NDArray[np.float64]  # points in the world frame
    frame: NDArray[np.int64]
    signal: NDArray[np.float64] | None

    def rows(self, kept: NDArray[np.bool_]) -> _Returns:
        return _Returns(
            points_m=self.points_m[kept],
            frame=self.frame[kept],
            signal=None if self.signal is None else self.signal[kept],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlaceEstimate:
    """Albedos of places found from all beams, and the correlation of the remaining scatter."""

    places: PlaceAlbedos
    residual: Residual


def build(
    clouds: Sequence[ScanCloud],
    world_from_sensor: NDArray[np.float64],
    settings: TwinSettings,
    *,
    in_map: NDArray[np.bool_] | None = None,
    aside: Sequence[NDArray[np.bool_]] | None = None,
) -> Twin:
    """Return the twin of a recorded place.

    Parameters
    ----------
    clouds : sequence of ScanCloud
        Clouds of one sensor.
    world_from_sensor : float64 (n_cloud, 4, 4)
        Pose of each cloud.
    settings : TwinSettings
        Settings for building.
    in_map : bool (n_cloud,), optional
        Which clouds form the map; by default all. The poses of the other clouds are also refined:
        the twin can then be scanned from these poses, although the clouds are not part of it.
    aside : sequence of bool (n_point,), optional
        For each cloud, which points are not part of the place, such as points on labelled objects.

    Raises
    ------
    InputError
        If the numbers of clouds and poses differ, no cloud is in the map, no point is left, no
        surface is found, or Open3D is not installed.
    """
    if len(clouds) != len(world_from_sensor):
        raise InputError(
            f"twin: got {len(clouds)} clouds and {len(world_from_sensor)} poses, expected a pose "
            "for each"
        )
    chosen = np.ones(len(clouds), dtype=bool) if in_map is None else in_map
    if not chosen.any():
        raise InputError(f"twin: all {len(clouds)} clouds are left out of the map, expected some")
    masks = [usable(cloud, settings) for cloud in clouds]
    if aside is not None:
        masks = [mask & ~other for mask, other in zip(masks, aside, strict=True)]
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
        raise InputError("twin: no point is left for the map; see --max-range and --no-carve")
    recorded = _recorded(clouds, poses, np.flatnonzero(chosen), settings)
    return _meshed(returns, poses, settings, counts, recorded)


def usable(cloud: ScanCloud, settings: TwinSettings) -> NDArray[np.bool_]:
    """Return which points of a cloud are used: within the range limits, and not at depth jumps.

    ``cloud`` (`ScanCloud`) has the points. The limits are ``min_range_m`` and ``max_range_m`` of
    ``settings`` (`TwinSettings`), both included. The result is bool (n_point,).
    """
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
    """Return the strengths of a cloud: the column that fits the law, or else the other column."""
    columns = (cloud.signal, cloud.intensity)
    if law.range_exponent == 0:
        columns = columns[::-1]
    strength = next((column for column in columns if column is not None), None)
    return None if strength is None else strength.astype(np.float64)


def _recorded(
    clouds: Sequence[ScanCloud],
    poses: NDArray[np.float64],
    frames: NDArray[np.intp],
    settings: TwinSettings,
) -> Recorded | None:
    """Return the map's clouds with their beams; None if beams without a return cannot be used."""
    signals = [_strength(clouds[frame], settings.law) for frame in frames.tolist()]
    told = [each for each in signals if each is not None]
    if settings.beams is None or settings.law.counts is None or len(told) < len(signals):
        return None
    return Recorded(
        clouds=[clouds[frame] for frame in frames.tolist()],
        signals=told,
        world_from_sensor=poses[frames],
        layout=settings.beams,
    )


def _meshed(
    returns: _Returns,
    poses: NDArray[np.float64],
    settings: TwinSettings,
    counts: dict[str, int],
    recorded: Recorded | None,
) -> Twin:
    logger.info("twin: surface of %d returns", len(returns.points_m))
    cells = voxels(returns.points_m, settings.voxel_m)
    beam = returns.points_m - poses[returns.frame, :3, 3]
    range_m = np.linalg.norm(beam, axis=1)
    beam /= range_m[:, None]
    normal = _towards_sensor(cells, beam, 6 * settings.voxel_m)
    counts["voxels"] = len(cells.mean_m)
    mesh = poisson(cells.mean_m, normal, depth=settings.depth, cut_m=settings.cut_m)
    counts["triangles"] = len(mesh.faces)
    if not len(mesh.faces):
        raise InputError(
            "twin: no surface was found, expected poses in metres and enough points (see --depth)"
        )
    face, values = np.zeros(len(mesh.faces), dtype=np.int64), np.empty(0)
    told: _PlaceEstimate | None = None
    if returns.signal is not None:
        surface = MapPoints(mesh=mesh, points_m=cells.mean_m, normals=normal)
        cos = np.abs(np.einsum("ij,ij->i", normal[cells.of_point], beam))
        gain = settings.law.gain(range_m, cos)
        gain[cos < np.cos(np.radians(settings.law.at_most_deg))] = 0.0
        strengths = (returns.signal, gain, cells.of_point)
        of_point, told = _albedos(strengths, surface, settings, recorded)
        face, values = classes(of_point[mesh.nearest[mesh.faces[:, 0]]], settings.n_class)
    return Twin(
        mesh=mesh,
        class_of_face=face,
        albedos=values,
        world_from_sensor=poses,
        counts=counts,
        places=None if told is None else told.places,
        textures=() if told is None else class_textures(told.places, told.residual, values),
    )


def _towards_sensor(
    cells: Voxels, beam: NDArray[np.float64], radius_m: float
) -> NDArray[np.float64]:
    """Return normals of voxels, turned against most of their beams, float64 (n_voxel, 3)."""
    normal = normals_of(cells.mean_m, radius_m=radius_m)
    sees = np.bincount(cells.of_point, weights=np.einsum("ij,ij->i", normal[cells.of_point], beam))
    normal[sees > 0] *= -1.0
    return normal


def _albedos(
    strengths: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]],
    surface: MapPoints,
    settings: TwinSettings,
    recorded: Recorded | None,
) -> tuple[NDArray[np.float64], _PlaceEstimate | None]:
    """Return the albedo of each point of the map; and the result of all beams, if they are used.

    ``strengths`` holds signal, gain and index of the map point for each return.
    """
    signal, gain, point = strengths
    places = voxels(surface.points_m, settings.albedo_voxel_m)
    of_returns = _filled(albedo(signal, gain, places.of_point[point], settings.law.counts), places)
    if recorded is None or settings.law.counts is None:
        return of_returns, None
    logger.info("twin: tracing all beams of %d clouds", len(recorded.clouds))
    beams = beams_of(recorded, surface, settings.law, of_returns)
    if beams is None:
        return of_returns, None
    view = voxels(recorded.world_from_sensor[:, :3, 3], _VIEW_M).of_point[beams.frame]
    large = voxels(surface.points_m, _LARGE_PLACES * settings.albedo_voxel_m)
    found = censored_albedos(beams, view, (large, places), settings.law.counts)
    expected = found.log_expected(beams, places.of_point[beams.point])
    of_views = residual(beams, expected, surface.points_m, settings.albedo_voxel_m)
    return found.albedo[places.of_point], _PlaceEstimate(places=found, residual=of_views)


def _filled(value: NDArray[np.float64], places: Voxels) -> NDArray[np.float64]:
    """Return a value for each point from its place; unknown places take the nearest known value."""
    told = np.isfinite(value)
    if not told.any():
        raise InputError("twin: no return has an intensity, expected clouds with intensities")
    _, nearest = KDTree(places.mean_m[told]).query(places.mean_m[~told], workers=-1)
    known = value.copy()
    known[~told] = value[told][nearest]
    filled: NDArray[np.float64] = known[places.of_point]
    return filled
