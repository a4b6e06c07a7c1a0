# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The world of a run: a scene graph that follows OSI ground truth, and its look-up tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.given import given
from lidar_scenery.surfaces import Surfaces
from osi_bridge import NO_OBJECT, NOT_SEARCHED, ObjectKind
from osi_lidar.config import WeatherSection
from osi_lidar.world.assets.resolver import AssetResolver
from osi_lidar.world.environment import Environment
from osi_lidar.world.fallbacks import Fallbacks
from osi_lidar.world.ground import GroundPlane
from osi_lidar.world.history import object_poses
from osi_lidar.world.mesh_cache import mesh_cache
from osi_lidar.world.mesh_library import MeshLibrary
from osi_lidar.world.object_records import PlacedMesh
from osi_lidar.world.object_shapes import ObjectShapes
from osi_lidar.world.parts import FarObjects, shown_parts
from osi_lidar.world.road_world import RoadWorld
from osi_lidar.world.scene_objects import SceneObjects
from osi_lidar.world.shutter import instants_s
from osi_lidar.world.sky import Sky
from raycore.scene.graph import SceneGraph
from raycore.scene.jumps import JumpLimits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_scenery.articulation.instances import Posed
    from material_mapping import MaterialResolver
    from osi_bridge import Frame, UnusedFields
    from osi_lidar.config import SceneSection
    from osi_lidar.world.shutter import Shutter

_NO_NARROW_ID = 0xFFFFFFFF  # in 32 bits it means "no object"


class World:
    """A scene graph kept in step with OSI ground truth; only changed objects are touched.

    Parameters
    ----------
    config : SceneSection
        The ``scene`` section of the configuration.
    materials : MaterialResolver
        Gives the infrared material of each visual material.
    trace_folder : Path or None
        Folder that is searched first for files that the trace names.
    earlier : World, optional
        World that this one replaces: its mesh files are not read again, its fallbacks stay listed.
    seed : int
        Seed of random choices for objects, such as the paint of cars.

    Attributes
    ----------
    scene : SceneGraph
        The meshes as Embree sees them.
    materials, library, assets : MaterialResolver, MeshLibrary, AssetResolver
        Sources of materials, of meshes, and of the files that rules and messages name.
    environment, roads, ground, objects : Environment, RoadWorld, GroundPlane, SceneObjects
        The parts of the scene.
    sky : Sky
        The weather, by default from the messages.
    fallbacks : Fallbacks
        Inputs that could not be used, and their replacements.
    fields : UnusedFields
        Fields of messages that the model ignores, up to the last message.

    Raises
    ------
    MeshError
        If a mesh that the configuration names cannot be used.
    ConfigurationError
        If a material of such a mesh is not mapped, and there is no default.
    """

    def __init__(
        self,
        config: SceneSection,
        materials: MaterialResolver,
        *,
        trace_folder: Path | None = None,
        earlier: World | None = None,
        seed: int = 0,
    ) -> None:
        self.scene = SceneGraph()
        self.fallbacks: Fallbacks = Fallbacks() if earlier is None else earlier.fallbacks
        self.fields: UnusedFields = NOT_SEARCHED if earlier is None else earlier.fields
        self.sky = Sky(WeatherSection(), seed)
        self._config = config
        self.materials = materials
        loaded = {} if earlier is None else earlier.library.loaded
        self.assets = AssetResolver(config, trace_folder)
        cache = mesh_cache() if config.mesh_cache else None
        self.library: MeshLibrary = MeshLibrary(
            self.scene, materials, loaded, self.assets.roots, cache=cache
        )
        if earlier is not None:
            self.library.digests.update(earlier.library.digests)
            self.library.copies = earlier.library.copies
        if config.images == "base_color":
            self.library.images.switch_on(self.fallbacks)
        shapes = ObjectShapes(self.library, self.assets, self.fallbacks, config, seed=seed)
        self.objects = SceneObjects(self.scene, shapes)
        self._shown: tuple[int, int, Frame, bool] | None = None
        self._last_ns = -math.inf
        self._far = FarObjects()
        self.ground = GroundPlane(self.scene, self.library, config.ground)
        self.roads = RoadWorld(config, self.scene, self.library, self.assets, self.fallbacks)
        self.environment = Environment(
            self.scene, self.library, self.ground, assets=self.assets, fallbacks=self.fallbacks
        )
        self._surfaces: tuple[tuple[int, ...], Surfaces] | None = None
        for asset in self.assets.rule_assets:  # unusable files are reported before the run
            self.library.from_file(given(asset.path), own=asset.rules, asset=asset.asset_file)
        self.environment.place(config.environment)

    def static_meshes(self, *, objects: bool) -> tuple[PlacedMesh, ...]:
        """Return the meshes of environment, roads and ground, with their poses.

        Parameters
        ----------
        objects : bool
            Whether to include the static objects of the messages.
        """
        instances = [*self.environment.instances, *self.roads.instances, *self.ground.instances]
        if objects:
            still = (
                each for each in self.objects.placed.values() if each.kind != ObjectKind.MOVING
            )
            instances += [each.instance for each in still]
        return tuple(PlacedMesh(self.scene.mesh_of(i), self.scene.pose(i)) for i in instances)

    def update(self, frame: Frame) -> None:
        """Set the scene to a message's state, all objects at rest; rays see it after `commit`.

        ``frame`` is the message.
        """
        self._shown = None
        self._update(frame, object_poses(frame.objects)[:, None], {})

    def show(self, shutter: Shutter, *, blur: bool, range_m: float) -> None:
        """Set the scene to the poses of objects during a scan; rays see them after `commit`.

        Nothing is done if this scan is shown already. Objects that jump are listed as fallbacks.

        Parameters
        ----------
        shutter : Shutter
            Time interval of the scan.
        blur : bool
            Whether objects move during the scan; else they rest in their poses at its end.
        range_m : float
            Largest distance at which rays end, from the vehicle's origin. Parts of farther objects
            rest. [m]
        """
        shown = (shutter.begin_ns, shutter.end_ns, shutter.frame, blur)
        if self._shown == shown:
            return
        parts, finer = shown_parts(shutter, self._far.of(shutter, range_m))
        steps, jumped = shutter.object_steps(blur=blur, n_interval=finer)
        for row in jumped:
            self.note_jump(shutter.frame, row)
        time_s = instants_s(shutter, blur=blur, n_interval=finer)
        self._update(shutter.frame, steps, parts.posed(time_s))
        self._shown = shown

    def note_jump(self, frame: Frame, row: int) -> None:
        """List an object of a message as a fallback: its pose jumped; the jump is not shown.

        ``row`` is the row of the object in ``frame.objects``, ``frame`` the message.
        """
        objects, limits = frame.objects, JumpLimits.of(self._config.teleport)
        self.fallbacks.note(
            "object",
            objects.subtype_name[row] or objects.type_name[row],
            used="no motion",
            reason=f"its pose jumps, faster than scene.teleport allows: {limits.words}",
            object_id=int(objects.object_id[row]),
        )

    def _update(self, frame: Frame, steps: NDArray[np.float64], posed: Mapping[int, Posed]) -> None:
        self.fallbacks.note_skipped(frame.skipped)
        self.fields = frame.fields
        is_new_run = frame.time_ns < self._last_ns
        self._last_ns = frame.time_ns
        if is_new_run:
            self.objects.begin_again()
        is_elsewhere = self.environment.follow(frame)
        has_other_roads = self.roads.follow(
            frame, environment=bool(self.environment), afresh=is_new_run
        )
        if is_elsewhere or has_other_roads:
            if self.roads.ground is not None:
                self.ground.lie_under_roads(*self.roads.ground)
            elif self.roads.parts is None and not self.environment:
                self.ground.begin_again()
        hidden = None
        if frame.host is not None and not self._config.host_visible:
            hidden = frame.host.object_id
        self.objects.follow(frame, hidden, steps, posed)
        if self.ground.waits:  # it waits for the objects that are drawn
            self.ground.lay(self.objects.ground_m(frame))

    def place(
        self, mesh_file: Path, world_from_mesh: NDArray[np.float64], *, asset: Path | None = None
    ) -> int:
        """Place a mesh file that no message names, and return its instance in the scene.

        ``mesh_file`` is the file. ``world_from_mesh`` is its pose, float64 (4, 4) [m]. ``asset`` is
        the OpenMATERIAL 3D asset that names the mesh file, if any. MeshError if the file is not a
        usable mesh.
        """
        return self.scene.add(self.library.from_file(mesh_file, asset=asset), world_from_mesh)

    def commit(self, sensor_position_m: NDArray[np.float64]) -> bool:
        """Move the ground plane with the sensor, and make all changes of the scene visible to rays.

        Return whether there were changes.

        Parameters
        ----------
        sensor_position_m : float64 (3,)
            Position in the world frame; rays start near it. [m]
        """
        self.ground.follow(np.asarray(sensor_position_m))
        return self.scene.commit(sensor_position_m)

    @property
    def surfaces(self) -> Surfaces:
        """The look-up tables of the scene in its current state."""
        counts = self.scene.counts
        state = counts.meshes_built, counts.instances_added, counts.instances_removed
        if self._surfaces is None or self._surfaces[0] != state:
            self._surfaces = state, _surfaces_of(self)
        return self._surfaces[1]


def _surfaces_of(world: World) -> Surfaces:
    """Return the look-up tables of a world's scene in its current state."""
    placed = world.objects.placed
    tables = world.scene.tables
    object_of_instance = np.full(world.scene.instance_limit, NO_OBJECT, np.uint64)
    for object_id, each in placed.items():
        object_of_instance[list(each.instances)] = object_id
    whole_of_instance = np.arange(len(object_of_instance), dtype=np.uint32)
    for instances in world.environment.files:
        whole_of_instance[instances] = instances[0]
    material_of_row, first_of_variant = world.library.slots.of_rows(tables)
    first_row = tables.first_row[tables.mesh_of_instance]
    for each in placed.values():
        variants = each.shape.variant, *(variant for _, variant in each.shape.parts)
        for instance, variant in zip(each.instances, variants, strict=True):
            if variant is not None:
                first_row[instance] = first_of_variant[variant]
    return Surfaces(
        object_of_instance=object_of_instance,
        whole_of_instance=whole_of_instance,
        first_row_of_instance=first_row,
        material_of_row=material_of_row,
        images=world.library.images.of_rows(tables, len(material_of_row)),
        wide_ids=any(_NO_NARROW_ID <= each < NO_OBJECT for each in placed),
    )
