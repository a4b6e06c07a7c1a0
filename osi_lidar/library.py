# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The meshes of a run, each loaded and built once, with the infrared material of every slot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from material_mapping import MaterialClass
from raycore.mesh import box, load_mesh, plane

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from material_mapping import MaterialResolver
    from raycore.mesh import Mesh
    from raycore.scene import SceneGraph


class MeshLibrary:
    """Gives the scene graph's index of a mesh, loading and building it at the first request.

    Parameters
    ----------
    scene : SceneGraph
        Where meshes are built.
    materials : MaterialResolver
        Gives the infrared material of each visual one.
    loaded : dict of Path to Mesh
        Mesh files that were read before; what is read now is added.
    """

    def __init__(
        self, scene: SceneGraph, materials: MaterialResolver, loaded: dict[Path, Mesh]
    ) -> None:
        self._scene = scene
        self._materials = materials
        self.loaded = loaded
        self._index_of_key: dict[object, int] = {}
        self._first_slot: list[int] = []
        self._material_of_slot: list[int] = []

    def from_file(self, path: Path, *, roots: Sequence[Path] | None = None) -> int:
        """Return the mesh of a file; with roots, it may read no file outside these folders.

        Raises
        ------
        MeshError
            If the file is no usable mesh.
        """
        index = self._index_of_key.get(path)
        if index is not None:
            return index
        if path not in self.loaded:
            self.loaded[path] = load_mesh(path, roots=roots)
        return self._add(path, self.loaded[path])

    def unit_box(self) -> int:
        """Return the cube of 1 m edges around its origin, which every box is scaled from."""
        index = self._index_of_key.get("box")
        return self._add("box", box(np.ones(3))) if index is None else index

    def ground(self, half_extent_m: float) -> int:
        """Return a square plane at z = 0."""
        return self._add("ground", plane(half_extent_m))

    def slot_tables(self) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
        """Return where each mesh's slots start, and the material of every slot."""
        return (
            np.array(self._first_slot, np.int64),
            np.array(self._material_of_slot, np.uint16),
        )

    def _add(self, key: object, mesh: Mesh) -> int:
        ids = [self._materials.material_id(name) for name in mesh.slot_names]
        transparent = np.flatnonzero(
            self._materials.table.material_class[ids] == MaterialClass.TRANSPARENT
        )
        index = self._scene.add_mesh(mesh, transparent_slots=transparent.tolist())
        self._index_of_key[key] = index
        self._first_slot.append(len(self._material_of_slot))
        self._material_of_slot.extend(ids)
        return index
