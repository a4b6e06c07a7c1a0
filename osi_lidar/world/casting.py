# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Single rays through a scene, without messages and without a sensor.

scene = Scene("lidar.yaml")
hits = scene.cast([0, 0, 2], [[1, 0, 0], [1, 0, -0.1]])
print(hits.range_m, hits.material)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from lidar_base.sections import first_problem
from material_mapping.bands import WAVELENGTHS_NM
from osi_lidar.config import Config, default_config, load_config
from osi_lidar.config.scene import EnvironmentMesh, SceneSection
from osi_lidar.config.sensor import DEFAULT_WAVELENGTH_NM
from osi_lidar.errors import InputError
from osi_lidar.world.materials import material_resolver
from osi_lidar.world.placement import environment_transform
from osi_lidar.world.world import World
from raycore.records import ALL_OF_IT, NOTHING, Shots
from raycore.scene.motion import Trajectory
from raycore.trace.tracer import new_tracer

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

_RIGID = 1e-6
"""Largest error of an entry of R R', up to which a matrix R is accepted as a rotation."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RayHits:
    """The first hit of each ray, as arrays with a row for each ray, in the world frame.

    If a ray meets nothing, its numbers are NaN and its names are None.

    Attributes
    ----------
    is_hit : bool (n_ray,)
        Whether the ray meets a surface.
    range_m : float64 (n_ray,)
        Distance from the ray's origin. [m]
    point_m : float64 (n_ray, 3)
        Place of the hit. [m]
    normal : float64 (n_ray, 3)
        Geometric unit normal of the surface, on the side of the ray's origin.
    cos_incidence : float64 (n_ray,)
        Cosine of the angle of incidence, 0 to 1. [1]
    object_name : object (n_ray,)
        Name given to `Scene.add`, else the name of the mesh file; "ground" for the ground plane.
    material : object (n_ray,)
        Name of the infrared material.
    reflectivity : float64 (n_ray,)
        Power that returns at this incidence, relative to a perpendicular, white, matt surface. [1]

    Examples
    --------
    >>> hits = osi_lidar.Scene("config.yaml").cast([[0.0, 0.0, 1.8]], [[0.0, 0.0, -1.0]])
    >>> hits.is_hit.tolist(), hits.object_name.tolist()
    ([True], ['street.obj'])
    """

    is_hit: NDArray[np.bool_]
    range_m: NDArray[np.float64]
    point_m: NDArray[np.float64]
    normal: NDArray[np.float64]
    cos_incidence: NDArray[np.float64]
    object_name: NDArray[np.object_]
    material: NDArray[np.object_]
    reflectivity: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.is_hit)

    def __repr__(self) -> str:
        return f"RayHits({int(self.is_hit.sum())} of {len(self)} rays hit)"

    @property
    def incidence_deg(self) -> NDArray[np.float64]:
        """Angle of incidence, from the normal, float64 (n_ray,) [deg]."""
        return np.degrees(np.arccos(np.minimum(self.cos_incidence, 1.0)))


class Scene:
    """Meshes with their materials, through which rays can be cast.

    Parameters
    ----------
    config : path or Config, optional
        Configuration whose ``scene.environment``, ``scene.ground`` and ``materials`` are used. With
        ``ground: auto`` and no environment, the ground is at z = 0. Default: an empty scene, in
        which materials are guessed from their names and colours.

    Raises
    ------
    ConfigurationError, MeshError
        If the configuration, or a file that it names, cannot be used.

    Examples
    --------
    >>> scene = osi_lidar.Scene()
    >>> scene.add("car.obj", position_m=[10.0, 0.0, 0.0])
    >>> scene.cast([[0.0, 0.0, 0.5]], [[1.0, 0.0, 0.0]]).is_hit
    array([ True])
    """

    def __init__(self, config: Config | str | os.PathLike[str] | None = None) -> None:
        if config is None:
            config = default_config().model_copy(update={"scene": SceneSection(ground="none")})
        elif not isinstance(config, Config):
            config = load_config(config)
        self._world = World(config.scene, material_resolver(config))
        self._world.ground.lay(None)
        self._tracer = new_tracer(incremental=False)
        self._names: dict[int, str] = {}
        self._moving: list[_Moving] = []

    def add(
        self,
        mesh: str | os.PathLike[str],
        world_from_object: ArrayLike | None = None,
        times_s: ArrayLike | None = None,
        *,
        name: str | None = None,
        **placing: Any,  # noqa: ANN401  values as in a configuration
    ) -> None:
        """Add a mesh file, at rest or in motion.

        Parameters
        ----------
        mesh : path
            The file.
        world_from_object : float (4, 4) or (n_time, 4, 4), optional
            Pose of the object, or its poses at the given times: rotations and translations. Between
            two poses the object moves evenly and turns about its origin; before the first and after
            the last pose it rests. Default: the world's origin. [m]
        times_s : float (n_time,), optional
            Increasing times of the poses. [s]
        name : str, optional
            Name of the object in the hits; default: the name of the file.
        **placing
            Pose of the mesh in the object: ``up``, ``forward``, ``scale``, ``position_m`` ..,
            the keys of ``scene.environment``.

        Raises
        ------
        InputError
            If a pose, a time or a key cannot be used.
        MeshError
            If the file is not a usable mesh.
        """
        poses = _poses(np.eye(4) if world_from_object is None else world_from_object, times_s)
        file = Path(mesh)
        keys = {"mesh": file, **placing}
        try:
            entry = EnvironmentMesh.model_validate(keys, context={"folder": Path.cwd()})
        except ValidationError as error:
            raise InputError(f"{file}: {first_problem(error, keys)}") from None
        object_from_mesh = environment_transform(entry)
        instance = self._world.place(
            entry.mesh_file, poses.world_from_body[0] @ object_from_mesh, asset=entry.asset_file
        )
        self._names[instance] = file.name if name is None else name
        if len(poses.time) > 1:
            self._moving.append(_Moving(instance, poses, object_from_mesh))

    def cast(
        self,
        origins_m: ArrayLike,
        directions: ArrayLike,
        times_s: ArrayLike | None = None,
        *,
        wavelength_nm: float = DEFAULT_WAVELENGTH_NM,
        max_range_m: float = math.inf,
    ) -> RayHits:
        """Return the first surface that each ray meets.

        Parameters
        ----------
        origins_m : float (3,) or (n_ray, 3)
            Where rays start, in the world; a single origin holds for all rays. [m]
        directions : float (3,) or (n_ray, 3)
            Directions of the rays, of any length except 0; a single one holds for all rays.
        times_s : float or float (n_ray,), optional
            Time at which each ray meets the moving objects. Default: 0. [s]
        wavelength_nm : float
            Wavelength at which materials are looked up. [nm]
        max_range_m : float
            Largest range of a hit. [m]

        Returns
        -------
        RayHits
            A row for each ray. Rays end at panes and mirrors as at all other surfaces; only
            materials that let all light pass give no hits.

        Raises
        ------
        InputError
            If an array has a wrong shape or value.

        Notes
        -----
        The scene is updated once for each distinct time; every object is exactly at its pose at
        that time. Rays of one time are traced in single precision about the middle of their
        origins: ranges are accurate to about 1e-7 of the range and of the extent of the origins.
        """
        if not max_range_m > 0.0:
            raise InputError(f"max_range_m is {max_range_m}, expected above 0")
        low, high = WAVELENGTHS_NM
        if not low <= wavelength_nm <= high:
            raise InputError(f"wavelength_nm is {wavelength_nm}, expected {low:g} to {high:g}")
        rays = _Rays.of(origins_m, directions, times_s)
        found = _nothing(len(rays.time_s))
        times = np.unique(rays.time_s) if self._moving else np.zeros(1)
        for time_s in times:
            rows = np.arange(len(rays.time_s))
            if self._moving:
                rows = np.flatnonzero(rays.time_s == time_s)
                self._show(time_s)
            self._cast(rays, rows, wavelength_nm, max_range_m, found)
        return found

    def _show(self, time_s: float) -> None:
        """Set the moving objects to their poses at a time [s]."""
        for each in self._moving:
            (pose,) = each.poses.at(time_s)
            self._world.scene.set_pose(each.instance, pose @ each.object_from_mesh)

    def _cast(
        self,
        rays: _Rays,
        rows: NDArray[np.int64],
        wavelength_nm: float,
        max_range_m: float,
        found: RayHits,
    ) -> None:
        """Write the hits of some rays in the current state of the scene."""
        if not len(rows):
            return
        origin_m, direction = rays.origin_m[rows], rays.direction[rows]
        middle = np.eye(4)
        middle[:3, 3] = 0.5 * (origin_m.min(axis=0) + origin_m.max(axis=0))
        self._world.commit(middle[:3, 3])
        shots = _shots(origin_m - middle[:3, 3], direction, max_range_m)
        hits = self._tracer.trace(self._world.scene, shots, middle)
        met = np.flatnonzero(hits.instance != NOTHING)
        instance, cosine = hits.instance[met], hits.cos_incidence[met].astype(np.float64)
        surfaces, table = self._world.surfaces, self._world.materials.table(wavelength_nm)
        material = surfaces.material_of_row[
            surfaces.first_row_of_instance[instance] + hits.primitive[met]
        ]
        range_m = hits.range_m[met].astype(np.float64)
        at = rows[met]
        found.is_hit[at] = True
        found.range_m[at] = range_m
        found.point_m[at] = origin_m[met] + range_m[:, None] * direction[met]
        found.normal[at] = hits.normal.T[met]
        found.cos_incidence[at] = cosine
        found.object_name[at] = [self._name(each) for each in instance.tolist()]
        found.material[at] = [table.names[each] for each in material.tolist()]
        found.reflectivity[at] = table.reflectivity(material, cosine)

    def _name(self, instance: int) -> str:
        return self._names.get(instance) or self._world.scene.mesh_of(instance).name


@dataclass(frozen=True, slots=True)
class _Moving:
    """An object in motion: its instance, its poses, and the pose of its mesh in the object."""

    instance: int
    poses: Trajectory
    object_from_mesh: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Rays:
    """Rays in the world, float64: origin and direction (n_ray, 3), time (n_ray,)."""

    origin_m: NDArray[np.float64]
    direction: NDArray[np.float64]
    time_s: NDArray[np.float64]

    @classmethod
    def of(cls, origins_m: ArrayLike, directions: ArrayLike, times_s: ArrayLike | None) -> _Rays:
        """Return checked rays, one row each, with unit directions."""
        origin_m, direction = _vectors("origins_m", origins_m), _vectors("directions", directions)
        time_s = np.atleast_1d(_numbers("times_s", 0.0 if times_s is None else times_s))
        if time_s.ndim > 1:
            raise InputError(f"times_s has the shape {time_s.shape}, expected () or (n,)")
        counts = {"origins_m": len(origin_m), "directions": len(direction), "times_s": len(time_s)}
        n_ray = next((n for n in counts.values() if n != 1), 1)
        if any(n not in (1, n_ray) for n in counts.values()):
            got = ", ".join(f"{n} {name}" for name, n in counts.items())
            raise InputError(
                f"got {got}, expected equal numbers of them, or a single one for all rays"
            )
        length = np.linalg.norm(direction, axis=1, keepdims=True)
        if not length.all():
            raise InputError(
                f"direction {np.argmin(length)} is 0 0 0, expected a vector with a length above 0"
            )
        return cls(
            np.broadcast_to(origin_m, (n_ray, 3)),
            np.broadcast_to(direction / length, (n_ray, 3)),
            np.broadcast_to(time_s, n_ray),
        )


def _numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected an array of numbers") from None
    wrong = np.flatnonzero(~np.isfinite(array))
    if wrong.size:
        raise InputError(f"{name}: contains {array.flat[wrong[0]]}, expected finite numbers")
    return array


def _vectors(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = _numbers(name, values)
    if array.ndim not in (1, 2) or array.shape[-1] != 3:
        raise InputError(f"{name} has the shape {array.shape}, expected (3,) or (n, 3)")
    return array.reshape(-1, 3)


def _poses(world_from_object: ArrayLike, times_s: ArrayLike | None) -> Trajectory:
    """Return the checked poses of an object."""
    poses = _numbers("world_from_object", world_from_object)
    if times_s is None:
        times, expected = np.zeros(1), "(4, 4) without times_s"
        poses = poses[None] if poses.ndim == 2 else poses
    else:
        times = _numbers("times_s", times_s)
        expected = "(n, 4, 4) and (n,) times_s"
    if times.ndim != 1 or len(times) == 0 or poses.shape != (len(times), 4, 4):
        raise InputError(
            f"world_from_object has the shape {np.shape(world_from_object)}, expected {expected}"
        )
    if (np.diff(times) <= 0.0).any():
        raise InputError("times_s do not increase, expected a later time for each pose")
    turned = poses[:, :3, :3]
    off = np.abs(turned @ np.swapaxes(turned, 1, 2) - np.eye(3)).max()
    if off > _RIGID or (np.linalg.det(turned) < 0.0).any():
        raise InputError(
            "world_from_object: got a pose with a scale or shear, expected rotation and translation"
        )
    return Trajectory(time=times, world_from_body=poses)


def _nothing(n_ray: int) -> RayHits:
    """Return the hits of rays that meet nothing."""
    columns: dict[str, NDArray[Any]] = {
        each.name: np.full(n_ray, np.nan) for each in fields(RayHits)
    }
    columns["is_hit"] = np.zeros(n_ray, np.bool_)
    for name in ("point_m", "normal"):
        columns[name] = np.full((n_ray, 3), np.nan)
    for name in ("object_name", "material"):
        columns[name] = np.full(n_ray, None, np.object_)
    return RayHits(**columns)


def _shots(
    origin_m: NDArray[np.float64], direction: NDArray[np.float64], max_range_m: float
) -> Shots:
    """Return rays with an origin each, all shot at the same time."""
    return Shots(
        origin_m=origin_m.astype(np.float32),
        direction=np.ascontiguousarray(direction.T, np.float32),
        time=np.zeros(1, np.float32),
        start_m=np.zeros(1, np.float32),
        moment=np.zeros(1, np.uint32),
        weight=ALL_OF_IT,
        max_range_m=max_range_m,
        coherent=False,
    )
