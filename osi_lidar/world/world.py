# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The world of a run: a scene graph that follows OSI ground truth, and its look-up tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from osi_bridge import NO_OBJECT, ObjectKind
from osi_lidar.world.assets.resolver import AssetResolver
from osi_lidar.world.cache import mesh_cache
from osi_lidar.world.fallbacks import Fallbacks
from osi_lidar.world.ground import GroundPlane
from osi_lidar.world.history import object_poses
from osi_lidar.world.jumps import JumpLimits
from osi_lidar.world.mesh_library import MeshLibrary
from osi_lidar.world.object_changes import NOT_PLACED, Changed, PlacedRows, follow, no_rows
from osi_lidar.world.object_shapes import ObjectShapes
from osi_lidar.world.placed import ObjectInScene, Placed, PlacedMesh, bounds
from osi_lidar.world.placement import environment_transform
from osi_lidar.world.road_world import RoadWorld
from osi_lidar.world.surfaces import Surfaces
from raycore.errors import MeshError
from raycore.scene.graph import SceneGraph

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from material_mapping import MaterialResolver, MaterialTable
    from osi_bridge import Frame
    from osi_lidar.config import SceneSection
    from osi_lidar.world.shutter import Shutter
    from raycore.mesh.mesh import Mesh

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
        Folder in which files that the trace names are looked for first.
    earlier : World, optional
        World that this one replaces: its mesh files are not read again, its fallbacks stay listed.
    seed : int
        Of what is drawn for objects, such as the paint of cars.

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
        self._config = config
        self._materials = materials
        loaded = {} if earlier is None else earlier.mesh_files
        self._assets = AssetResolver(config, trace_folder)
        cache = mesh_cache() if config.mesh_cache else None
        self._library = MeshLibrary(self.scene, materials, loaded, self._assets.roots, cache=cache)
        self._shapes = ObjectShapes(
            self._library,
            self._assets,
            self.fallbacks,
            typed=config.shapes == "auto",
            seed=seed,
        )
        self._placed: dict[int, Placed] = {}
        self._rows = self._no_rows = no_rows()
        self._shown: tuple[int, int, Frame, bool] | None = None
        self._environment_reference = ""
        self._ground = GroundPlane(self.scene, self._library, config.ground)
        self._roads = RoadWorld(config, self.scene, self._library, self._assets, self.fallbacks)
        self._environment: list[tuple[int, NDArray[np.float64]]] = []
        self._surfaces: Surfaces | None = None
        for asset in self._assets.rule_assets:  # unusable files are reported before the run
            assert asset.path is not None  # noqa: S101  those without are left out
            self._library.from_file(asset.path, own=asset.rules, asset=asset.asset_file)
        for entry in config.environment:
            mesh = self._library.from_file(entry.mesh_file, asset=entry.asset_file)
            self._add_environment(mesh, environment_transform(entry))

    @property
    def mesh_files(self) -> dict[Path, Mesh]:
        """All mesh files that were read, by path."""
        return self._library.loaded

    @property
    def environment(self) -> tuple[tuple[Mesh, NDArray[np.float64]], ...]:
        """The static meshes, each with its bounds in the world, (2, 3) in metres."""
        return tuple(
            (self.scene.mesh(mesh), bounds(self.scene.mesh(mesh), pose))
            for mesh, pose in self._environment
        )

    @property
    def host_visible(self) -> bool:
        """Whether the host vehicle is in the scene."""
        return self._config.host_visible

    @property
    def road_lines(self) -> tuple[str, ...]:
        """What roads were drawn from, in words; none where there are none."""
        return self._roads.lines

    def static_meshes(self, *, objects: bool) -> tuple[PlacedMesh, ...]:
        """Return environment, roads and ground, with their poses.

        Parameters
        ----------
        objects : bool
            Whether the static objects that messages list are among them.
        """
        instances = [*self._roads.instances, *self._ground.instances]
        if objects:
            still = (each for each in self._placed.values() if each.kind != ObjectKind.MOVING)
            instances += [each.instance for each in still]
        placed = [PlacedMesh(self.scene.mesh(mesh), pose) for mesh, pose in self._environment]
        placed += [PlacedMesh(self.scene.mesh_of(i), self.scene.pose(i)) for i in instances]
        return tuple(placed)

    @property
    def ground_words(self) -> str:
        """What replaces the environment, in words."""
        return self._ground.words

    @property
    def ground_z_m(self) -> float | None:
        """Height of the ground plane in metres, None where there is none."""
        return self._ground.z_m

    @property
    def unused_rules(self) -> tuple[str, ...]:
        """Rules of the configuration that have matched no object yet."""
        return self._assets.unused_rules

    @property
    def unused_material_rules(self) -> tuple[str, ...]:
        """Material rules of object rules that have decided nothing, for objects seen so far."""
        return self._materials.unused(self._assets.material_rules)

    @property
    def objects(self) -> tuple[ObjectInScene, ...]:
        """The objects in the scene, by OSI id."""
        return tuple(
            ObjectInScene(
                object_id=object_id,
                type_name=placed.type_name,
                mesh=placed.shape.name,
                reason=placed.shape.reason,
                size_m=np.ptp(
                    bounds(self.scene.mesh(placed.shape.mesh), placed.shape.object_from_mesh),
                    axis=0,
                ),
            )
            for object_id, placed in sorted(self._placed.items())
        )

    def update(self, frame: Frame) -> None:
        """Set the scene's objects to the state of an OSI message, all at rest."""
        self._shown = None
        self._update(frame, object_poses(frame.objects)[:, None])

    def show(self, shutter: Shutter, *, blur: bool) -> None:
        """Set the scene's objects to their poses during a scan.

        Parameters
        ----------
        shutter : Shutter
            Time interval of the scan.
        blur : bool
            Whether objects move during the scan; else they rest in their poses at its end.
        """
        shown = (shutter.begin_ns, shutter.end_ns, shutter.frame, blur)
        if self._shown == shown:
            return
        steps, jumped = shutter.object_steps(blur=blur)
        for row in jumped:
            self.note_jump(shutter.frame, row)
        self._update(shutter.frame, steps)
        self._shown = shown

    def note_jump(self, frame: Frame, row: int) -> None:
        """List an object of a message that was put elsewhere, and did not move there."""
        objects, limits = frame.objects, JumpLimits.of(self._config.teleport)
        self.fallbacks.note(
            "object",
            objects.subtype_name[row] or objects.type_name[row],
            used="no motion",
            reason=f"its pose jumps, faster than scene.teleport allows: {limits.words}",
            object_id=int(objects.object_id[row]),
        )

    def _update(self, frame: Frame, steps: NDArray[np.float64]) -> None:
        self.fallbacks.note_skipped(frame.skipped)
        self._follow_reference(frame)
        if self._roads.follow(frame, environment=bool(self._environment)):
            self._surfaces = None
            if self._roads.ground is not None:
                self._ground.lie_under_roads(*self._roads.ground)
            elif self._roads.parts is None and not self._environment:
                self._ground.begin_again()
        hidden = None
        if frame.host is not None and not self._config.host_visible:
            hidden = frame.host.object_id
        rows, changed = follow(self._rows, frame.objects, hidden, steps)
        self._rows = self._no_rows  # stays so if opening a mesh fails below
        if changed.listed:
            self._remove_all_but({i for i in frame.objects.object_id.tolist() if i != hidden})
        for row in np.flatnonzero(changed.new).tolist():
            self._place_one(frame, rows, row)
        self._move(rows, changed)
        self._rows = rows
        if self._ground.waits:  # for what is drawn
            self._ground.lay(frame.ground_m(rows.instance != NOT_PLACED))

    def place(
        self, mesh_file: Path, world_from_mesh: NDArray[np.float64], *, asset: Path | None = None
    ) -> int:
        """Place a mesh file that no message names, and return its instance.

        `asset` is the OpenMATERIAL 3D asset that names it, if any.

        Raises
        ------
        MeshError
            If the file is not a usable mesh.
        """
        self._surfaces = None
        return self.scene.add(self._library.from_file(mesh_file, asset=asset), world_from_mesh)

    def lay_ground(self) -> None:
        """Place the ground plane of a world that no message describes."""
        self._ground.lay(None)

    def commit(self, sensor_position_m: NDArray[np.float64]) -> bool:
        """Make all changes visible to rays and return whether there were any.

        Parameters
        ----------
        sensor_position_m : float64 (3,)
            Position in the world frame near which the rays start. [m]
        """
        self._ground.follow(np.asarray(sensor_position_m))
        return self.scene.commit(sensor_position_m)

    @property
    def surfaces(self) -> Surfaces:
        """The look-up tables of the scene in its current state."""
        if self._surfaces is None:
            tables = self.scene.tables
            object_of_instance = np.full(self.scene.instance_limit, NO_OBJECT, np.uint64)
            for object_id, placed in self._placed.items():
                object_of_instance[placed.instance] = object_id
            material_of_row, first_of_dress = self._library.material_of_row(tables)
            first_row = tables.first_row[tables.mesh_of_instance]
            for placed in self._placed.values():
                if placed.shape.dress is not None:
                    first_row[placed.instance] = first_of_dress[placed.shape.dress]
            self._surfaces = Surfaces(
                object_of_instance=object_of_instance,
                first_row_of_instance=first_row,
                material_of_row=material_of_row,
                wide_ids=any(_NO_NARROW_ID <= each < NO_OBJECT for each in self._placed),
            )
        return self._surfaces

    def material_table(self, wavelength_nm: float) -> MaterialTable:
        """Return the materials at a sensor's wavelength [nm]."""
        return self._materials.table(wavelength_nm)

    @property
    def has_panes(self) -> bool:
        """Whether a surface of the scene may transmit beams at some angles of incidence."""
        return self._library.has_panes

    @property
    def has_mirrors(self) -> bool:
        """Whether a surface of the scene may reflect beams specularly."""
        return self._library.has_mirrors

    def _add_environment(self, mesh: int, world_from_mesh: NDArray[np.float64]) -> None:
        self._ground.give_way()
        self.scene.add(mesh, world_from_mesh)
        self._environment.append((mesh, world_from_mesh))
        self._surfaces = None

    def _follow_reference(self, frame: Frame) -> None:
        """Place the environment that the trace names when a message first names it."""
        environment = frame.environment_reference
        if environment == self._environment_reference:
            return
        self._environment_reference = environment
        if environment and not self._environment:
            found = self._assets.resolve_environment(environment)
            if found.path is None:
                self._note_environment(environment, found.reason)
            else:
                try:
                    mesh = self._library.from_file(
                        found.path, roots=self._assets.roots, asset=found.asset_file
                    )
                    self._add_environment(mesh, found.world_from_mesh)
                except MeshError as error:
                    self._note_environment(environment, str(error))

    def _note_environment(self, reference: str, reason: str) -> None:
        self.fallbacks.note("environment", reference, used=self._ground.words, reason=reason)

    def _place_one(self, frame: Frame, rows: PlacedRows, row: int) -> None:
        """Place an object in its pose at the end of the scan, if there is a shape for it."""
        objects = rows.objects
        object_id = int(objects.object_id[row])
        if object_id in self._placed:
            self._remove(object_id)
        shape = self._shapes.shape_of(frame, row)
        if shape is None:
            return
        rows.instance[row] = self.scene.add(
            shape.mesh, rows.steps[row, -1] @ shape.object_from_mesh
        )
        rows.object_from_mesh[row] = shape.object_from_mesh
        type_name = objects.subtype_name[row] or objects.type_name[row]
        kind = ObjectKind(objects.kind[row])
        self._placed[object_id] = Placed(kind, type_name, int(rows.instance[row]), shape)
        self._surfaces = None

    def _move(self, rows: PlacedRows, changed: Changed) -> None:
        """Move all objects whose pose changed, or that move during the scan."""
        rest = np.flatnonzero(changed.moved & rows.rests)
        if len(rest):
            world_from_mesh = rows.steps[rest, -1] @ rows.object_from_mesh[rest]
            self.scene.set_poses(rows.instance[rest], world_from_mesh)
        placed = changed.new & (rows.instance != NOT_PLACED)
        moving = np.flatnonzero((changed.moved | placed) & ~rows.rests)
        if len(moving):
            self.scene.set_motions(
                rows.instance[moving], rows.steps[moving], rows.object_from_mesh[moving]
            )

    def _remove(self, object_id: int) -> None:
        self.scene.remove(self._placed.pop(object_id).instance)
        self._surfaces = None

    def _remove_all_but(self, kept: set[int]) -> None:
        for object_id in [i for i in self._placed if i not in kept]:
            self._remove(object_id)
