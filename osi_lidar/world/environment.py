# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The static meshes of a world: the configuration's, or else the one that a trace names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from osi_lidar.world.object_records import PlacedMesh
from osi_lidar.world.placement import environment_transform
from raycore.errors import MeshError
from raycore.mesh.parts import bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from osi_bridge import Frame
    from osi_lidar.config import EnvironmentMesh
    from osi_lidar.world.assets.resolver import AssetResolver
    from osi_lidar.world.fallbacks import Fallbacks
    from osi_lidar.world.ground import GroundPlane
    from osi_lidar.world.mesh_library import MeshLibrary
    from raycore.mesh.mesh import Mesh
    from raycore.scene.graph import SceneGraph


class Environment:
    """Static meshes in the scene, in place of the ground plane.

    Parameters
    ----------
    scene : SceneGraph
        Scene graph in which the meshes are placed.
    library : MeshLibrary
        Reads the meshes.
    ground : GroundPlane
        Gives way to the first mesh.
    assets : AssetResolver
        Finds what a trace names.
    fallbacks : Fallbacks
        Where an environment that cannot be used is listed.

    Attributes
    ----------
    instances : list of int
        The instances of the meshes.
    """

    def __init__(
        self,
        scene: SceneGraph,
        library: MeshLibrary,
        ground: GroundPlane,
        *,
        assets: AssetResolver,
        fallbacks: Fallbacks,
    ) -> None:
        self._scene, self._library, self._ground = scene, library, ground
        self._assets, self._fallbacks = assets, fallbacks
        self.instances: list[int] = []
        self._reference = ""

    def __bool__(self) -> bool:
        return bool(self.instances)

    @property
    def meshes(self) -> tuple[PlacedMesh, ...]:
        """The meshes, each with its pose in the world."""
        return tuple(
            PlacedMesh(self._scene.mesh_of(i), self._scene.pose(i)) for i in self.instances
        )

    @property
    def bounded(self) -> tuple[tuple[Mesh, NDArray[np.float64]], ...]:
        """The meshes, each with its bounds in the world, (2, 3) in metres."""
        return tuple((mesh, bounds(mesh, pose)) for mesh, pose in self.meshes)

    def place(self, entries: Sequence[EnvironmentMesh]) -> None:
        """Place the meshes that the configuration names.

        Raises
        ------
        MeshError
            If a file is not a usable mesh.
        """
        for entry in entries:
            mesh = self._library.from_file(entry.mesh_file, asset=entry.asset_file)
            self._add(mesh, environment_transform(entry))

    def follow(self, frame: Frame) -> None:
        """Place the environment that the trace names when a message first names it."""
        environment = frame.environment_reference
        if environment == self._reference:
            return
        self._reference = environment
        if environment and not self.instances:
            found = self._assets.resolve_environment(environment)
            if found.path is None:
                self._note(environment, found.reason)
            else:
                try:
                    mesh = self._library.from_file(
                        found.path, roots=self._assets.roots, asset=found.asset_file
                    )
                    self._add(mesh, found.world_from_mesh)
                except MeshError as error:
                    self._note(environment, str(error))

    def _note(self, reference: str, reason: str) -> None:
        self._fallbacks.note("environment", reference, used=self._ground.words, reason=reason)

    def _add(self, mesh: int, world_from_mesh: NDArray[np.float64]) -> None:
        self._ground.give_way()
        self.instances.append(self._scene.add(mesh, world_from_mesh))
