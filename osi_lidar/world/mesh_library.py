# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The meshes of a run, each loaded and built once, with the infrared material of each slot."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import material_mapping
from lidar_scenery.shapes.built_in import BUILT_IN
from lidar_scenery.shapes.meshes import visual
from material_mapping import MaterialError, UnmappedMaterialError
from osi_lidar.errors import ConfigurationError
from osi_lidar.world.assets.images import MeshImages
from osi_lidar.world.surfaces import SlotMaterials
from raycore.mesh.loading import load_copies, load_mesh
from raycore.mesh.mesh import box, plane

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from material_mapping import MaterialResolver, OpenMaterials, Rule
    from material_mapping.mapping.resolver import Source
    from raycore.mesh.cache import MeshCache
    from raycore.mesh.copies import MeshCopies
    from raycore.mesh.mesh import Mesh
    from raycore.scene.graph import SceneGraph


logger = logging.getLogger(__name__)
_BUILT_IN = BUILT_IN, ""


class MeshLibrary:
    """Makes meshes and returns their indices in the scene graph; each mesh is made only once.

    Parameters
    ----------
    scene : SceneGraph
        Scene graph in which meshes are built.
    materials : MaterialResolver
        Gives the infrared material of each visual material.
    loaded : dict of Path to Mesh
        Mesh files that were read before and are not read again; newly read files are added.
    asset_roots : sequence of Path
        Folders that assets of the configuration may take materials from, besides their own.
    cache : MeshCache, optional
        Cache of meshes that were parsed in earlier runs.

    Attributes
    ----------
    slots : SlotMaterials
        The infrared materials of the meshes' slots.
    images : MeshImages
        The base-colour images of the meshes.
    digests : dict of Path to str
        SHA-256, hexadecimal, of all files that meshes were read from: the mesh files, and all files
        that they name, such as images.
    loaded : dict of Path to Mesh
        The files that were read as one mesh.
    copies : dict of Path to tuple of MeshCopies
        The files that were read as several meshes, each with its places.
    asset_materials : dict of Path to (OpenMaterials or None, str)
        Material mapping of each OpenMATERIAL 3D asset, or None and the reason why it has none.
    """

    def __init__(
        self,
        scene: SceneGraph,
        materials: MaterialResolver,
        loaded: dict[Path, Mesh],
        asset_roots: Sequence[Path] = (),
        *,
        cache: MeshCache | None = None,
    ) -> None:
        self._scene = scene
        self._materials = materials
        self.loaded = loaded
        self.digests: dict[Path, str] = {}
        self.copies: dict[Path, tuple[MeshCopies, ...]] = {}
        self._asset_roots = asset_roots
        self._cache = cache
        self.slots = SlotMaterials(materials)
        self.images = MeshImages()
        self._index_of_key: dict[object, int] = {}
        self.asset_materials: dict[Path, tuple[OpenMaterials | None, str]] = {}

    def from_file(
        self,
        path: Path,
        *,
        roots: Sequence[Path] | None = None,
        own: tuple[Rule, ...] = (),
        asset: Path | None = None,
    ) -> int:
        """Return the index of a file's mesh; the first call loads and builds it.

        Parameters
        ----------
        path : Path
            The mesh file.
        roots : sequence of Path, optional
            Folders that the mesh may read files from; default: any.
        own : tuple of Rule
            Material rules of the objects that use the mesh. With other rules it is another mesh.
        asset : Path, optional
            OpenMATERIAL 3D asset that names the mesh and may have a mapping of its own.

        Raises
        ------
        MeshError
            If the file is not a usable mesh.
        ConfigurationError
            If a material of the mesh is not mapped, and there is no default.
        """
        key = path, own, asset
        index = self._index_of_key.get(key)
        if index is not None:
            return index
        if path not in self.loaded:
            self.loaded[path] = load_mesh(
                path, roots=roots, cache=self._cache, digests=self.digests
            )
        self.images.read(path, self.loaded[path], roots, self.digests)
        source = _source(self.asset_materials, asset, roots, self._asset_roots)
        return self._add(key, self.loaded[path], own=own, source=source)

    def copies_of_file(
        self, path: Path, *, roots: Sequence[Path] | None = None, asset: Path | None = None
    ) -> list[tuple[int, NDArray[np.float64]]]:
        """Return the meshes of a static file; a mesh that stands in several places is listed once.

        ``path`` is the mesh file, ``roots`` the folders that it may read files from (None: any),
        and ``asset`` the OpenMATERIAL 3D asset that names it (None: none). Errors are as for
        `from_file`.

        Returns
        -------
        list of (int, float64 (n_place, 4, 4))
            Index of each mesh, and its poses file_from_mesh. [m]
        """
        if path not in self.loaded and path not in self.copies:
            copies = load_copies(path, roots=roots, cache=self._cache, digests=self.digests)
            if len(copies) == 1 and copies[0].stands_as_it_is:
                self.loaded[path] = copies[0].mesh
            else:
                self.copies[path] = copies
        if path not in self.copies:
            return [(self.from_file(path, roots=roots, asset=asset), np.eye(4)[None])]
        source = _source(self.asset_materials, asset, roots, self._asset_roots)
        found = []
        for number, (mesh, places) in enumerate(self.copies[path]):
            key = "copies", path, asset, number
            index = self._index_of_key.get(key)
            if index is None:
                index = self._add(key, mesh, source=source)
            found.append((index, places))
        return found

    def unit_box(self, own: tuple[Rule, ...] = ()) -> int:
        """Return the index of a cube with edges of 1 m around its origin; all boxes scale it.

        `own` are the material rules of the objects that use the cube.
        """
        key = "box", own
        index = self._index_of_key.get(key)
        return self._add(key, box(np.ones(3)), own=own) if index is None else index

    def built_in(self, key: Hashable, make: Callable[[], Mesh], own: tuple[Rule, ...] = ()) -> int:
        """Return the index of the built-in mesh with a key; the first call makes it by ``make()``.

        ``own`` are the material rules of the objects that use the mesh; other rules make it anew.
        """
        whole = "built-in", key, own
        index = self._index_of_key.get(whole)
        return self._add(whole, make(), own=own, source=_BUILT_IN) if index is None else index

    def release(self, key: Hashable) -> None:
        """Free the mesh that `built_in` made for a key without ``own``; it must be unused."""
        self._scene.release(self._index_of_key.pop(("built-in", key, ())))

    def variant(self, mesh: int, part: str, surface: str, own: tuple[Rule, ...] = ()) -> int | None:
        """Return the number of a variant of a mesh in which one slot has another material.

        A slot is the set of triangles with the same material in the mesh's file. ``part`` is the
        name of the slot, ``mesh`` the index of the mesh, and ``surface`` the built-in visual
        material. ``own`` are the material rules of the objects that use the mesh. Variants are
        numbered apart from meshes, and share the mesh's BVH. None: the mesh has no slot ``part``.
        """
        return self.slots.variant(mesh, self._scene.mesh(mesh), part, surface, own)

    def part(self, mesh: Mesh, of: int) -> int:
        """Return the index of ``mesh``, a piece of the mesh with index ``of``, such as a wheel.

        The piece has the materials and images of the whole mesh.
        """
        index = self._index_of_key.get((mesh, of))
        if index is None:
            self.images.share(self._scene.mesh(of), mesh)
            ids = self.slots.of_mesh(of, len(mesh.materials))
            index = self._add((mesh, of), mesh, ids=ids)
        return index

    def ground(self, half_extent_m: float, surface: str = "ground") -> int:
        """Return the index of a square plane at z = 0 with a built-in visual material, ``surface``.

        ``half_extent_m`` (half of its edge) only counts at the first call for a material. [m]
        """
        key = "ground", surface
        index = self._index_of_key.get(key)
        if index is not None:
            return index
        bare = plane(half_extent_m)
        mesh = bare if surface == "ground" else replace(bare, materials=(visual(surface),))
        return self._add(key, mesh, source=_BUILT_IN)

    def _add(
        self,
        key: object,
        mesh: Mesh,
        *,
        own: tuple[Rule, ...] = (),
        source: tuple[Source | None, str] = (None, ""),
        ids: list[int] | None = None,
    ) -> int:
        try:
            ids = ids or [
                self._materials.material_id(
                    visual, mesh=mesh.name, own=own, asset=source[0], remark=source[1]
                )
                for visual in mesh.materials
            ]
        except UnmappedMaterialError as error:
            raise ConfigurationError(str(error)) from error
        transparent = [slot for slot, each in enumerate(ids) if self._materials.lets_all_pass(each)]
        index = self._scene.add_mesh(mesh, transparent_slots=transparent)
        self._index_of_key[key] = index
        self.slots.add(ids, transparent)
        self.images.add(mesh, transparent)
        return index


def meshes_by_file(library: MeshLibrary) -> dict[Path, Mesh]:
    """Return a mesh of each file that a library has read, by path of the file.

    For a file that was read as several meshes, it is the first one.
    """
    in_copies = {path: copies[0].mesh for path, copies in library.copies.items()}
    return library.loaded | in_copies


def _source(
    known: dict[Path, tuple[OpenMaterials | None, str]],
    asset: Path | None,
    roots: Sequence[Path] | None,
    asset_roots: Sequence[Path],
) -> tuple[OpenMaterials | None, str]:
    """Return the materials of an asset, or the reason why it has none; add them to ``known``.

    Problems in the files of the asset are logged once.
    """
    if asset is None:
        return None, ""
    if asset not in known:
        source, why = None, f"{asset.name} brings no mapping table"
        try:
            within = roots or [asset.parent, *asset_roots]
            source = material_mapping.OpenMaterials.of_asset(asset, within)
        except MaterialError as error:
            logger.warning("%s; the materials of this asset are not used", error)
            why = str(error)
        for problem in () if source is None else source.problems:
            logger.warning("%s", problem)
        known[asset] = source, "" if source else f"no rule matches it, and {why}"
    return known[asset]
