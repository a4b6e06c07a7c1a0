# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of the objects in the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lidar_scenery.articulation.records import Assembly
    from osi_bridge import ObjectKind
    from raycore.mesh.mesh import Mesh


@dataclass(slots=True)
class Placed:
    """An object in the scene: its kind and type in OSI, its shape, its moving parts.

    Attributes
    ----------
    kind : ObjectKind
        Kind of OSI object, such as moving or stationary.
    type_name : str
        OSI's name of its subtype, or else of its type.
    instance : int
        The scene's instance of its body.
    shape : Shape
        Its mesh, and the pose of the mesh.
    assembly : Assembly or None
        How its parts move; None if none does.
    parts : tuple of int
        The scene's instances of its moving parts; empty if none moves.
    """

    kind: ObjectKind
    type_name: str
    instance: int
    shape: Shape
    assembly: Assembly | None = None
    parts: tuple[int, ...] = ()

    @property
    def instances(self) -> tuple[int, ...]:
        """Instances of the object: first of its body, then of its moving parts."""
        return self.instance, *self.parts


class PlacedMesh(NamedTuple):
    """A mesh and its pose in the world.

    Attributes
    ----------
    mesh : Mesh
        The mesh, in the frame and unit of its file.
    world_from_mesh : float64 (4, 4)
        Transform from the mesh to the world, with its scale. [m]
    """

    mesh: Mesh
    world_from_mesh: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Shape:
    """The mesh of an object, and its pose in the object's frame.

    Attributes
    ----------
    mesh : int
        Index of the mesh in the `MeshLibrary`.
    object_from_mesh : float64 (4, 4)
        Transform from the mesh to the object's frame, with its scale. [m]
    name, reason : str
        What the shape is, such as the name of the mesh file, and why it is this one.
    variant : int or None
        Number of the mesh's material variant; None: the mesh as it is.
    parts : tuple of (int, int or None)
        Index of the mesh, and number of its variant or None, of each moving part.
    """

    mesh: int
    object_from_mesh: NDArray[np.float64]
    name: str
    reason: str
    variant: int | None = None
    parts: tuple[tuple[int, int | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectInScene:
    """An OSI object as shown in the scene.

    Attributes
    ----------
    object_id : int
        OSI id.
    type_name : str
        OSI's subtype, or else its type.
    mesh, reason : str
        Name of the mesh file, or name and size of the shape in its place; and why it is this one.
    size_m : float64 (3,)
        Length, width and height of the placed mesh, without moving parts. [m]
    """

    object_id: int
    type_name: str
    mesh: str
    reason: str
    size_m: NDArray[np.float64]
