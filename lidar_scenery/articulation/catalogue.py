# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The assemblies of built-in shapes and of mesh files."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import osi_bridge
from lidar_scenery import articulation, shapes
from osi_bridge import bones_of, wheel_motions
from raycore.mesh.bones import is_wheel

if TYPE_CHECKING:
    from collections.abc import Callable

    from lidar_scenery.articulation.human.posed import LimbBuild
    from lidar_scenery.articulation.records import Assembly, Floats
    from lidar_scenery.shapes.builder import Size
    from lidar_scenery.shapes.catalogue import Wanted
    from osi_bridge import Frame
    from raycore.mesh.mesh import Mesh

NOT_RECOGNISED = "its joints do not have the names and places of a person who stands and faces x"


def assembly_of(wanted: Wanted, frame: Frame, row: int) -> Assembly | None:
    """Return the moving parts of the built-in shape of a moving object; None if no parts move.

    An `Assembly` holds the meshes of the parts, and computes their poses. Equal objects share one.
    If the message states the bones of a person, the limbs have the lengths of these bones.

    Parameters
    ----------
    wanted : Wanted
        The built-in shape, with its size.
    frame : Frame
        Decoded OSI message with the object.
    row : int
        Row of the object in ``frame.objects``.
    """
    bones = bones_of(frame, row) if wanted.name == "pedestrian" else None
    if wanted.name in shapes.PEOPLE:
        wanted = replace(wanted, details=osi_bridge.ObjectDetails())  # they stand and walk alike
    return _made(wanted, None if bones is None else articulation.limbs_of(bones))


@lru_cache(maxsize=4096)
def _made(wanted: Wanted, limbs: LimbBuild | None) -> Assembly | None:
    size = wanted.dimension_m
    if wanted.name == "pedestrian":
        return (
            articulation.walking_person(size)
            if limbs is None
            else articulation.posed_person(size, limbs)
        )
    if wanted.name == "animal":
        return articulation.walking_animal(size)
    if wanted.name not in shapes.VEHICLES:
        return None
    riding = articulation.riding_model(size, wanted.details) if wanted.name == "bicycle" else None
    vehicle = articulation.wheeled_vehicle(wanted, riding)
    if riding is None or vehicle is None:
        return vehicle
    return articulation.cyclist(size, wanted.details, vehicle)


def states_parts(frame: Frame, row: int) -> bool:
    """Return whether a message states poses of a moving object's parts: bones, or turned wheels.

    Wheels whose angles are all 0 do not count. `row` is the object's row in ``frame.objects``.
    """
    if bones_of(frame, row) is not None:
        return True
    return any(any(wheel.orientation_rad or ()) for wheel in wheel_motions(frame, row))


class MeshAssemblies:
    """The assemblies of objects with mesh files in a run; equal objects share one assembly.

    Parameters
    ----------
    note : callable
        Function that records a substitution. Its arguments are the kind and the name of the missing
        input and, by keyword, what is `used` instead and the `reason`.
    """

    def __init__(self, note: Callable[..., None]) -> None:
        self._note = note
        self._made: dict[tuple[Mesh, bytes, str, Size, bool], Assembly | None] = {}
        self._bodies: dict[tuple[Mesh, bytes], Mesh] = {}

    def of(
        self, mesh: Mesh, object_from_mesh: Floats, wanted: Wanted, *, posed: bool = False
    ) -> Assembly | None:
        """Return the assembly of a file's mesh; None if its parts do not move.

        The result is None for a mesh without bones, for an object that is neither a vehicle nor a
        pedestrian, for a vehicle without wheels, and for a person whose joints are not recognised;
        in the last case, ``note`` is called.

        Parameters
        ----------
        mesh : Mesh
            The whole object.
        object_from_mesh : float64 (4, 4)
            Pose of the mesh in the box of the object. [m]
        wanted : Wanted
            The built-in shape that the object would have without the file.
        posed : bool
            Whether the object follows bones that messages state.
        """
        if not mesh.bones:
            return None
        key = mesh, object_from_mesh.tobytes(), wanted.name, wanted.dimension_m, posed
        if key not in self._made:
            made: Assembly | None = None
            if wanted.name in shapes.VEHICLES:
                made = self._vehicle(mesh, object_from_mesh, wanted.name)
            elif wanted.name == "pedestrian":
                made = self._person(mesh, object_from_mesh, wanted.dimension_m, posed=posed)
            self._made[key] = made
        return self._made[key]

    def _vehicle(self, mesh: Mesh, object_from_mesh: Floats, name: str) -> Assembly | None:
        """Return a vehicle; all vehicles of a file share one body mesh, whatever their size."""
        made = articulation.vehicle_of_mesh(mesh, object_from_mesh, name)
        if made is None:
            return None
        body, *wheels = made.parts
        body = self._bodies.setdefault((mesh, body.faces.tobytes()), body)
        return replace(made, parts=(body, *wheels))

    def _person(
        self, mesh: Mesh, object_from_mesh: Floats, size: Size, *, posed: bool
    ) -> Assembly | None:
        """Return a person; None, with a note, if the joints are not recognised."""
        made = articulation.skinned_person(mesh, object_from_mesh, size)
        if made is None and not all(is_wheel(bone.name) for bone in mesh.bones):
            self._note("skin", f"of {mesh.name}", used="a stiff person", reason=NOT_RECOGNISED)
        return articulation.posed_skin(made) if made is not None and posed else made
