# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The materials of surfaces, by the material slots of all meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.built_in import BUILT_IN
from lidar_scenery.shapes.meshes import visual

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from material_mapping import MaterialResolver, Rule
    from raycore.mesh.mesh import Mesh
    from raycore.scene.records import SceneTables


class SlotMaterials:
    """The infrared materials of the slots of all meshes, in the order of the meshes' indices.

    A slot is a set of triangles of a mesh that have the same material.

    Parameters
    ----------
    materials : MaterialResolver
        Gives the infrared material of each visual material.

    Attributes
    ----------
    has_panes, has_mirrors : bool
        Whether any face that rays can meet has a material that lets light pass, or mirrors it.
    """

    def __init__(self, materials: MaterialResolver) -> None:
        self._materials = materials
        self.has_panes = False
        self.has_mirrors = False
        self._first_slot: list[int] = []
        self._material_of_slot: list[int] = []
        self._variants: dict[tuple[int, int, int], int] = {}
        self._rows_are_for = 0, 0
        self._material_of_row = np.empty(0, np.uint16)
        self._first_of_variant = np.empty(0, np.int64)

    def add(self, materials: Sequence[int], transparent: Collection[int]) -> None:
        """Add the materials of the mesh with the next index.

        Parameters
        ----------
        materials : sequence of int
            For each slot, the row of its material in the material tables.
        transparent : collection of int
            The slots whose faces let all light pass, so that rays do not meet them.
        """
        for slot, each in enumerate(materials):
            if slot not in transparent:
                self._mind(each)
        self._first_slot.append(len(self._material_of_slot))
        self._material_of_slot.extend(materials)

    def of_mesh(self, index: int, n: int) -> list[int]:
        """Return the material of each of a mesh's n slots, as a row of the material tables.

        ``index`` is the index of the mesh, in the order of `add`.
        """
        return self._material_of_slot[self._first_slot[index] :][:n]

    def variant(
        self, index: int, mesh: Mesh, part: str, surface: str, own: tuple[Rule, ...] = ()
    ) -> int | None:
        """Return the number of a variant of a mesh in which the slot ``part`` has another material.

        ``index`` is the index of ``mesh``, ``part`` the name of the slot, and ``surface`` the
        built-in visual material. ``own`` are the material rules of the objects that use the mesh.
        Variants are numbered apart from meshes, and share the mesh's BVH. None: the mesh has no
        slot ``part``.
        """
        names = mesh.slot_names
        if part not in names:
            return None
        material = self._materials.material_id(
            visual(surface), mesh=mesh.name, own=own, asset=BUILT_IN
        )
        self._mind(material)
        key = index, names.index(part), material
        return self._variants.setdefault(key, len(self._variants))

    def of_rows(self, tables: SceneTables) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """Return the material of each row of the look-up tables, and each variant's first row.

        First there is a row for each primitive (triangle that rays can meet), as in the scene's
        tables. Then each variant, a mesh with another material in one slot, has a row for each
        primitive of its mesh.

        Parameters
        ----------
        tables : SceneTables
            Slots of the scene's primitives.

        Returns
        -------
        material : uint16 (n_row,)
            Rows of the material tables.
        first_row : int64 (n_variant,)
            First row of each variant, in ``material``.
        """
        n = len(tables.slot_of_primitive)
        if (n, len(self._variants)) != self._rows_are_for:
            first_slot = np.array(self._first_slot, np.int64)
            n_row = np.diff(tables.first_row, append=n)
            slot = np.repeat(first_slot, n_row) + tables.slot_of_primitive
            rows = [np.array(self._material_of_slot, np.uint16)[slot]]
            for mesh, part, material in self._variants:
                begin = tables.first_row[mesh]
                mine = slice(begin, begin + n_row[mesh])
                here = tables.slot_of_primitive[mine] == part
                rows.append(np.where(here, material, rows[0][mine]).astype(np.uint16))
            self._material_of_row = np.concatenate(rows)
            self._first_of_variant = np.cumsum([0, *map(len, rows)])[1:-1]
            self._rows_are_for = n, len(self._variants)
        return self._material_of_row, self._first_of_variant

    def _mind(self, material: int) -> None:
        """Update ``has_panes`` and ``has_mirrors`` for a material of an opaque face."""
        self.has_panes |= self._materials.lets_some_pass(material)
        self.has_mirrors |= self._materials.mirrors_some(material)
