# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The static meshes of a world: the configuration's, or else the one that a trace names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from osi_lidar.world.placement import environment_transform
from raycore.errors import MeshError
from raycore.mesh.parts import bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from osi_bridge import Frame
    from osi_lidar.config import EnvironmentMesh
    from osi_lidar.world.assets.resolver import AssetResolver
    from osi_lidar.world.fallbacks import Fallbacks
    from osi_lidar.world.ground import GroundPlane
    from osi_lidar.world.mesh_library import MeshLibrary
    from raycore.scene.graph import SceneGraph


class BoundedFile(NamedTuple):
    """A mesh file of the environment.

    Attributes
    ----------
    name : str
        Name of the file.
    n_triangles : int
        Number of its triangles in the scene.
    bounds_m : float64 (2, 3)
        Lowest and highest corner of the box around its meshes, in the world. [m]
    """

    name: str
    n_triangles: int
    bounds_m: NDArray[np.float64]


class Environment:
    """Static meshes in the scene; an "auto" ground plane is removed when the first one is placed.

    Parameters
    ----------
    scene : SceneGraph
        Scene graph in which the meshes are placed.
    library : MeshLibrary
        Reads the meshes.
    ground : GroundPlane
        The ground plane.
    assets : AssetResolver
        Finds the environment that a trace names.
    fallbacks : Fallbacks
        Lists an environment that cannot be used.

    Attributes
    ----------
    instances : list of int
        The instances of the meshes.
    files : list of list of int
        The same instances, a list for each file: a file may have meshes in several places.
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
        self.files: list[list[int]] = []
        self._reference = ""
        self._is_configured = False

    def __bool__(self) -> bool:
        return bool(self.instances)

    @property
    def bounded(self) -> tuple[BoundedFile, ...]:
        """The mesh files with their bounds, in the order in which they were placed."""
        found = []
        for instances in self.files:
            placed = [(self._scene.mesh_of(i), self._scene.pose(i)) for i in instances]
            boxes = np.array([bounds(*each) for each in placed])
            found.append(
                BoundedFile(
                    name=placed[0][0].name,
                    n_triangles=sum(len(mesh.faces) for mesh, _ in placed),
                    bounds_m=np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)]),
                )
            )
        return tuple(found)

    def place(self, entries: Sequence[EnvironmentMesh]) -> None:
        """Add the meshes that the configuration names to the scene.

        ``entries`` are the entries of the configuration's ``scene.environment``: files with their
        poses.

        Raises
        ------
        MeshError
            If a file is not a usable mesh.
        ConfigurationError
            If a material of a mesh is not mapped, and there is no default.
        """
        self._is_configured = bool(entries)
        for entry in entries:
            copies = self._library.copies_of_file(entry.mesh_file, asset=entry.asset_file)
            self._add(copies, environment_transform(entry))

    def follow(self, frame: Frame) -> bool:
        """Place the environment that a message names, unless the configuration names one.

        ``frame`` is the message. Its environment replaces the one that an earlier message has
        named; a message that names none changes nothing. If the mesh cannot be used, a fallback is
        listed, and there is no environment. Return whether meshes were placed or removed.
        """
        environment = frame.environment_reference
        if self._is_configured or environment in {"", self._reference}:
            return False
        self._reference = environment
        found = self._assets.resolve_environment(environment)
        copies: list[tuple[int, NDArray[np.float64]]] = []
        problem = found.reason
        if found.path is not None:
            try:
                copies = self._library.copies_of_file(
                    found.path, roots=self._assets.roots, asset=found.asset_file
                )
            except MeshError as error:
                problem = str(error)
        before = self.instances
        for instance in before:
            self._scene.remove(instance)
        self.instances, self.files = [], []
        if copies:
            self._add(copies, found.world_from_mesh)
        else:
            self._note(environment, problem)
        return bool(before or copies)

    def _note(self, reference: str, reason: str) -> None:
        self._fallbacks.note("environment", reference, used=self._ground.words, reason=reason)

    def _add(
        self,
        copies: Sequence[tuple[int, NDArray[np.float64]]],
        world_from_file: NDArray[np.float64],
    ) -> None:
        self._ground.give_way()
        self.files.append(
            [
                self._scene.add(mesh, world_from_file @ place)
                for mesh, places in copies
                for place in places
            ]
        )
        self.instances += self.files[-1]
