# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The assemblies of mesh files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lidar_scenery.articulation.mesh_wheels import vehicle_of_mesh
from lidar_scenery.shapes.vehicles import VEHICLES

if TYPE_CHECKING:
    from lidar_scenery.articulation.records import Assembly, Floats
    from raycore.mesh.mesh import Mesh


class MeshAssemblies:
    """The assemblies of a run's mesh files; equal objects have the same one."""

    def __init__(self) -> None:
        self._made: dict[tuple[Mesh, bytes, str], Assembly | None] = {}
        self._bodies: dict[tuple[Mesh, bytes], Mesh] = {}

    def of(self, mesh: Mesh, object_from_mesh: Floats, name: str) -> Assembly | None:
        """Return the assembly of a file's mesh, None for one whose parts do not move.

        Parameters
        ----------
        mesh : Mesh
            The whole object.
        object_from_mesh : float64 (4, 4)
            Its pose in the box of the object. [m]
        name : str
            Name of the built-in shape of such an object.
        """
        if not mesh.bones:
            return None
        key = mesh, object_from_mesh.tobytes(), name
        if key not in self._made:
            self._made[key] = self._vehicle(mesh, name, object_from_mesh)
        return self._made[key]

    def _vehicle(self, mesh: Mesh, name: str, object_from_mesh: Floats) -> Assembly | None:
        """Return a vehicle; all of a file have the same body, whatever their size."""
        made = vehicle_of_mesh(mesh, object_from_mesh, name) if name in VEHICLES else None
        if made is None:
            return None
        body, *wheels = made.parts
        body = self._bodies.setdefault((mesh, body.faces.tobytes()), body)
        return replace(made, parts=(body, *wheels))
