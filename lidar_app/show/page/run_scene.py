# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The meshes of a run for its page: the world is rebuilt and updated with the messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pydantic import ValidationError

from lidar_app.show.page.mesh_chunk import ScenePart
from osi_bridge import OsiError
from osi_lidar.config import Config, check_files
from osi_lidar.errors import InputError, OsiLidarError
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import swept_ground_m
from osi_lidar.world.materials import material_resolver
from osi_lidar.world.road_world import wished
from osi_lidar.world.world import World
from raycore.errors import RayCoreError
from raycore.mesh.parts import bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from osi_bridge import Frame
    from osi_lidar.output.stored import StoredRun

LARGE_M = 50.0
"""Size above which a static mesh is cut to the triangles that beams can reach. [m]"""
GROUND = "ground"
"""First word of the name of each ground mesh. The page draws ground behind roads, because ground is
below them by less than the step to which positions are rounded."""
NO_PART = -1
"""Part index of an object without a mesh, or one that no beam reaches."""


class Reach(NamedTuple):
    """The box that the beams of a run can reach, along the axes of the world.

    Attributes
    ----------
    low_m, high_m : float64 (3,)
        Lowest and highest corner of the box. [m]
    """

    low_m: NDArray[np.float64]
    high_m: NDArray[np.float64]

    def holds(self, places_m: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether positions are in this box, bool (..), one for each position.

        `places_m` has the positions in the world, float64 (.., 3) [m]. The border counts as inside.
        """
        inside = (places_m >= self.low_m) & (places_m <= self.high_m)
        return np.asarray(inside.all(axis=-1))

    def meets(self, low_m: NDArray[np.float64], high_m: NDArray[np.float64]) -> bool:
        """Return whether another box overlaps or touches this box.

        `low_m` and `high_m` are its lowest and highest corner in the world, float64 (3,) [m].
        """
        return bool(((low_m <= self.high_m) & (high_m >= self.low_m)).all())


class PlacedPart(NamedTuple):
    """A mesh of the static scene at its place.

    Attributes
    ----------
    part : int
        Index of the triangles in `RunScene.parts`.
    world_from_part : tuple of 16 floats
        Pose of the part in the world, (4, 4) by columns; its rotation is always the identity. [m]
    is_ground : bool
        Whether the mesh is ground, which is drawn behind roads.
    """

    part: int
    world_from_part: tuple[float, ...]  # (16,) by columns
    is_ground: bool


class RunScene:
    """The scene of a run, rebuilt from its configuration and messages, for the page.

    It has only surfaces that rays could hit: fully transparent ones are left out.

    Parameters
    ----------
    run : StoredRun
        The run, with poses of its sensors.

    Attributes
    ----------
    parts : list of ScenePart
        Triangles of the meshes so far. The methods `objects` and `still` return indices into this
        list, and append the parts that are missing. Triangles of objects are in the object's frame.
        Triangles of static meshes are relative to the mesh's origin, along the axes of the world,
        so a mesh that is placed with several rotations has a part for each of them.

    Raises
    ------
    InputError
        If the configuration of the run cannot be used any more.
    """

    def __init__(self, run: StoredRun) -> None:
        self._config = _config_of(run)
        self._reach = _reach(run, self._config)
        folder = None if run.trace is None else run.trace.parent
        try:
            resolver = material_resolver(self._config)
            self._world = World(
                self._config.scene, resolver, trace_folder=folder, seed=self._config.seed
            )
            swept_m = swept_ground_m(self._config, _source_of(run))
            self._world.roads.surroundings = wished(self._config, swept_m)
        except (OsiError, OsiLidarError, RayCoreError) as error:
            raise InputError(str(error)) from error
        self.parts: list[ScenePart] = []
        self._place_of_key: dict[tuple[int, int | None, bytes], int] = {}

    def follow(self, frame: Frame) -> None:
        """Update the scene to the state in `frame`, a decoded message of the run.

        Raises
        ------
        InputError
            If a file of the scene cannot be used any more.
        """
        try:
            self._world.update(frame)
        except (OsiLidarError, RayCoreError) as error:
            raise InputError(str(error)) from error

    def objects(self, frame: Frame) -> NDArray[np.int64]:
        """Return the index in `parts` of each object in a message, int64 (n_object,).

        The index is `NO_PART` for an object without a mesh, or out of reach of the beams. New
        meshes are appended to `parts`. `frame` is the decoded message; call `follow` with it
        before.
        """
        placed = self._world.objects.placed
        parts = np.full(len(frame.objects), NO_PART)
        for row in np.flatnonzero(self._reach.holds(frame.objects.position_m)).tolist():
            each = placed.get(int(frame.objects.object_id[row]))
            if each is not None:
                shape = each.shape
                key = shape.mesh, shape.variant, shape.object_from_mesh.tobytes()
                parts[row] = self._part(key, each.instance, shape.object_from_mesh)
        return parts

    def still(self) -> tuple[PlacedPart, ...]:
        """Return the meshes of environment, roads and ground that beams can reach, with poses.

        The result has a `PlacedPart` for each, whose index refers to `parts`. New triangles are
        appended to `parts`. The state is from the last call of `follow`.
        """
        found = []
        world = self._world
        still = (*world.environment.instances, *world.roads.instances, *world.ground.instances)
        for instance in still:
            pose = world.scene.pose(instance)
            part = self._still_part(instance, pose)
            if part != NO_PART:
                shift = np.eye(4)
                shift[:3, 3] = pose[:3, 3]
                is_ground = world.scene.mesh_of(instance).name.split()[0] == GROUND
                found.append(PlacedPart(part, tuple(shift.T.reshape(-1).tolist()), is_ground))
        return tuple(found)

    def _still_part(self, instance: int, pose: NDArray[np.float64]) -> int:
        """Return the part index of a static instance, rotated as placed; large ones are cut."""
        place_m, turned = pose[:3, 3], pose.copy()
        turned[:3, 3] = 0.0
        scene = self._world.scene
        mesh = int(scene.tables.mesh_of_instance[instance])
        low_m, high_m = bounds(scene.mesh(mesh), pose)
        if not self._reach.meets(low_m, high_m):
            return NO_PART
        if (high_m - low_m).max() <= LARGE_M:
            return self._part((mesh, None, turned.tobytes()), instance, turned)
        reach = Reach(self._reach.low_m - place_m, self._reach.high_m - place_m)
        return self._part((mesh, None, pose.tobytes()), instance, turned, reach)

    def _part(
        self,
        key: tuple[int, int | None, bytes],
        instance: int,
        target_from_mesh: NDArray[np.float64],
        reach: Reach | None = None,
    ) -> int:
        """Return the part index of an instance; the part is made on the first call."""
        if key not in self._place_of_key:
            part = self._made(instance, target_from_mesh)
            if reach is not None:
                part = part.within(*reach)
            self._place_of_key[key] = len(self.parts) if len(part.corners_m) else NO_PART
            if len(part.corners_m):
                self.parts.append(part)
        return self._place_of_key[key]

    def _made(self, instance: int, target_from_mesh: NDArray[np.float64]) -> ScenePart:
        """Return the triangles of an instance that rays can meet, with their materials."""
        scene, surfaces = self._world.scene, self._world.surfaces
        mesh, tables = scene.mesh_of(instance), scene.tables
        begins = [*tables.first_row.tolist(), len(tables.slot_of_primitive)]
        index = int(tables.mesh_of_instance[instance])
        slots = np.unique(tables.slot_of_primitive[begins[index] : begins[index + 1]])
        faces = mesh.faces[mesh.faces_of(slots.tolist())]
        first = int(surfaces.first_row_of_instance[instance])
        vertices_m = mesh.vertices_m.astype(np.float64) + mesh.origin_m
        placed_m = vertices_m @ target_from_mesh[:3, :3].T + target_from_mesh[:3, 3]
        names = self._world.materials.table(self._config.sensors[0].wavelength_nm).names
        return ScenePart(
            corners_m=placed_m[faces],
            material=surfaces.material_of_row[first : first + len(faces)],
            materials=names,
        )


def _config_of(run: StoredRun) -> Config:
    """Return the configuration of a run."""
    try:
        config = Config.model_validate(run.report.get("config"))
    except ValidationError as error:
        raise InputError(
            f"{run.folder}: its configuration is from another version of osi-lidar and cannot be "
            "read; run again"
        ) from error
    problems = check_files(config)
    if problems:
        raise InputError(problems[0])
    return config


def _source_of(run: StoredRun) -> FrameSource | None:
    """Return the messages that a run was made from; None without a trace, or if it is gone."""
    if run.trace is None or not run.trace.is_file():
        return None
    told = run.report["input"]
    return FrameSource(run.trace, message_type=told["message_type"], source=told.get("source"))


def _reach(run: StoredRun, config: Config) -> Reach:
    """Return the box around all positions of the sensors, extended by the maximum range."""
    places_m = np.array([row.end_pose[:3] for row in run.rows if row.end_pose is not None])
    farthest_m = max(each.max_range_m for each in config.sensors)
    return Reach(places_m.min(axis=0) - farthest_m, places_m.max(axis=0) + farthest_m)


def used_materials(parts: Sequence[ScenePart]) -> tuple[str, ...]:
    """Return the names of the infrared materials that occur in some meshes, each once.

    `parts` are the triangles of the meshes, with a material for each triangle. The names are in the
    order of the parts, and within a part in the order of its ``materials``.
    """
    return tuple(
        dict.fromkeys(
            part.materials[each] for part in parts for each in np.unique(part.material).tolist()
        )
    )
