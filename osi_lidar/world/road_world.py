# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The roads of a run: from an OpenDRIVE map, else from the lanes of the trace."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery import roads, shapes, surroundings
from osi_lidar.errors import ConfigurationError
from raycore.mesh.finder import names_map

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_scenery.roads import Ground, RoadParts
    from lidar_scenery.roads.opendrive.header import Offset
    from lidar_scenery.surroundings import Roadside, Surroundings
    from osi_bridge import Frame, LaneNetwork
    from osi_lidar.config import Config, SceneSection
    from osi_lidar.world.assets.resolver import AssetResolver
    from osi_lidar.world.fallbacks import Fallbacks
    from osi_lidar.world.mesh_library import MeshLibrary
    from raycore.mesh.mesh import Mesh
    from raycore.scene.graph import SceneGraph


class _Source(NamedTuple):
    """The source of roads: a map file, or the lanes of messages."""

    map_file: Path | None
    lanes: LaneNetwork | None


BURIED_M = 0.5
"""If an object is deeper than this below the ground of the roads, a plane replaces it. [m]"""

_NO_OFFSET = 0.0, 0.0, 0.0
_NO_SURROUNDINGS = "no surroundings: neither lanes nor a map are drawn; --map FILE.xodr draws one"
_NOTHING = _Source(None, None)


class RoadWorld:
    """The roads in a scene, updated with the lanes of the messages, or the map that they name.

    If neither has changed, an update costs only a comparison.

    Parameters
    ----------
    config : SceneSection
        Whether roads are drawn, the map, and rules for markings.
    scene : SceneGraph
        Scene graph to which roads are added.
    library : MeshLibrary
        Makes the meshes of roads.
    assets : AssetResolver
        Finds the map that a trace names.
    fallbacks : Fallbacks
        Lists guesses, and contents that were left out.

    Raises
    ------
    ConfigurationError
        If the map that the configuration names cannot be used.

    Attributes
    ----------
    parts : RoadParts or None
        The surfaces and objects of the roads as drawn; None without roads.
    ground : (float or None, str) or None
        Height of the plane under the roads [m], None if roads have their own ground; and visual
        material of the ground. None without roads, or if the ground is configured.
    surroundings, placed : Surroundings or None, Roadside or None
        The generator of what is made up beside the roads, which the caller sets, and what it has
        placed. None: no surroundings.
    instances : list of int
        Instances of the roads in the scene.
    map_read : (Path, offset, RoadParts) or None
        The map file that was read last, its offset in the world [m], and its parts.
    maps : dict of Path to None
        All map files that were read, as keys in order.
    """

    def __init__(
        self,
        config: SceneSection,
        scene: SceneGraph,
        library: MeshLibrary,
        assets: AssetResolver,
        fallbacks: Fallbacks,
    ) -> None:
        self._config = config
        self._scene = scene
        self._library = library
        self._assets = assets
        self._fallbacks = fallbacks
        self.surroundings: Surroundings | None = None
        self._rules = roads.MarkingRules(dash_m=config.markings.dash_m, gap_m=config.markings.gap_m)
        self._source = _NOTHING
        self._named: tuple[str, Path | None] = ("", None)
        self._n_built = 0
        self._keys: list[tuple[str, int, int]] = []
        self.map_read: tuple[Path, Offset, RoadParts] | None = None
        self.maps: dict[Path, None] = {}
        if config.map is not None and config.roads:  # an unusable file is reported before the run
            self._parts_of(config.map, _NO_OFFSET)
        self.parts: RoadParts | None = None
        self.ground: tuple[float | None, str] | None = None
        self.placed: Roadside | None = None
        self.instances: list[int] = []

    def follow(self, frame: Frame, *, environment: bool, afresh: bool = False) -> bool:
        """Build the roads anew if their source has changed or a run begins; return whether so.

        Parameters
        ----------
        frame : Frame
            The message.
        environment : bool
            Whether the scene has an environment mesh.
        afresh : bool
            Whether a new run begins, whose objects decide what is beside the roads.

        Raises
        ------
        ConfigurationError
            If the map that the configuration names states no usable offset.
        """
        source = self._source_of(frame, environment=environment)
        is_same = source.lanes is self._source.lanes and source.map_file == self._source.map_file
        if is_same and not afresh:
            return False
        self._source = source
        for instance in self.instances:
            self._scene.remove(instance)
        for key in self._keys:  # lanes of a stream may change for hours
            self._library.release(key)
        self.instances, self._keys = [], []
        self.parts, self.ground, self.placed = self._parts(source, frame), None, None
        if self.parts is not None:
            self._place(self.parts, frame)
        return True

    @property
    def lines(self) -> tuple[str, ...]:
        """Texts on the source of the roads, and on the surroundings; empty without either."""
        if self.parts is None:
            return () if self.surroundings is None else (_NO_SURROUNDINGS,)
        source = "the trace's lanes" if self._source.map_file is None else self._source.map_file
        drawn = f"roads from {source}: {self.parts.words}"
        return (drawn,) if self.placed is None else (drawn, self.placed.words)

    def _source_of(self, frame: Frame, *, environment: bool) -> _Source:
        if not self._config.roads:
            return _NOTHING
        named = self._config.map or self._named_map(frame.map_reference)
        if self._config.roads == "auto" and environment:
            if named is not None:
                used, reason = "the environment mesh", "scene.roads is auto; true draws both"
                self._fallbacks.note("map", named.name, used=used, reason=reason)
            return _NOTHING
        return _Source(None, frame.lanes) if named is None else _Source(named, None)

    def _named_map(self, reference: str) -> Path | None:
        """Return the map file that a trace names; None if there is no such file."""
        if reference != self._named[0]:
            found = self._assets.resolve_map(reference)
            if found is None and names_map(reference):
                used = "the lanes of the trace"
                reason = "no such .xodr file beside the trace or in scene.search"
                self._fallbacks.note("map", reference, used=used, reason=reason)
            self._named = reference, found
        return self._named[1]

    def _parts(self, source: _Source, frame: Frame) -> RoadParts | None:
        lanes = source.lanes
        if source.map_file is not None:
            try:
                shift_m, turn_rad = roads.map_shift_m(source.map_file, frame.frame_offset_m)
                if turn_rad:
                    reason = f"its header turns it by {turn_rad:g} rad (hdg), which is not applied"
                    used = "the map as it is"
                    self._fallbacks.note("map", source.map_file.name, used=used, reason=reason)
                return self._parts_of(source.map_file, shift_m)
            except ConfigurationError as error:
                if source.map_file == self._config.map:
                    raise
                used = "the lanes of the trace"
                self._fallbacks.note("map", source.map_file.name, used=used, reason=str(error))
                self._named = self._named[0], None
                self._source = _Source(None, frame.lanes)
                lanes = frame.lanes
        return None if lanes is None else roads.road_parts(lanes, self._rules)

    def _parts_of(self, map_file: Path, offset_m: Offset) -> RoadParts:
        """Return the parts of a map, which is read once."""
        if self.map_read is None or self.map_read[:2] != (map_file, offset_m):
            self.map_read = map_file, offset_m, roads.read_map(map_file, offset_m, self._rules)
            self.maps[map_file] = None
        return self.map_read[2]

    def _place(self, parts: RoadParts, frame: Frame) -> None:
        self._n_built += 1
        for note in parts.notes:
            self._fallbacks.note("road", note.name, used=note.used, reason=note.reason)
        self._add("road", parts)
        ground = self._lay_ground(parts, frame)
        standing = [*roads.not_listed(parts.standing, frame.objects)]
        if self.surroundings is not None and ground is not None:
            self.placed = self.surroundings.beside(parts, ground, frame.objects)
            for name, used, reason in self.placed.notes:
                self._fallbacks.note("road", name, used=used, reason=reason)
            standing += self.placed.standing
        for each in standing:
            wanted = shapes.standing_shape(each.shape, each.dimension_m, each.details)
            built = self._library.built_in(wanted, partial(shapes.make_shape, wanted))
            self.instances.append(self._scene.add(built, each.world_from_object))

    def _lay_ground(self, parts: RoadParts, frame: Frame) -> Ground | None:
        """Add the ground of the roads, unless it is configured; return the ground, or None."""
        if not isinstance(self._config.ground, str):
            return roads.Ground(self._config.ground)
        is_none = self._config.ground == "none"
        ground = None if is_none and self.surroundings is None else roads.ground_below(parts)
        if ground is None or is_none:
            return ground
        if ground.patch is not None:
            buried_m = ground.buried_m(frame.objects.position_m, frame.lowest_m)
            if buried_m <= BURIED_M:
                self._add("ground", roads.RoadParts(patches=(ground.patch,)))
                self.ground = None, parts.ground
                return ground
            lowest_m = frame.ground_m()
            level_m = ground.level_m if lowest_m is None else min(ground.level_m, lowest_m)
            reason = f"an object stands {buried_m:.1f} m below what follows the roads"
            self._fallbacks.note("road", "ground", used="a plane below all", reason=reason)
            ground = roads.Ground(level_m)
        self.ground = ground.level_m, parts.ground
        return ground

    def _add(self, name: str, parts: RoadParts) -> None:
        for number, mesh in enumerate(roads.road_meshes(parts, name)):
            key = name, self._n_built, number
            built = self._library.built_in(key, partial(_itself, mesh))
            self.instances.append(self._scene.add(built, np.eye(4)))
            self._keys.append(key)


def _itself(mesh: Mesh) -> Mesh:
    return mesh


def wished(config: Config, swept_m: NDArray[np.float64] | None) -> Surroundings | None:
    """Return the generator of made-up surroundings of roads that a configuration asks for, or None.

    ``config`` is the configuration. ``swept_m`` has triangles on the ground that the generator
    keeps clear, float64 (n, 3, 2) [m]. If it is None, it keeps clear the ground under the objects
    of the message that the roads come from.
    """
    seed = config.scene.surroundings_seed(config.seed)
    return None if seed is None else surroundings.Surroundings(seed=seed, swept_m=swept_m)
