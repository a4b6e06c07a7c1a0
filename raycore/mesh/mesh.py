# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Meshes: vertices, triangles and the visual material of each triangle.

``box`` and ``plane`` return shapes that replace a missing file; `loading` reads files.
Units and axes are the file's. But COLLADA and OpenUSD, which state their unit, are scaled to
metres, and OpenUSD is turned to z up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray  # noqa: TC002 - check_columns evaluates annotations

from lidar_base.columns import Column, check_columns
from lidar_base.unfollowed import ALL_FOLLOWED, NotFollowed
from raycore.errors import MeshError
from raycore.mesh.bones import N_BONE, Bone
from raycore.mesh.materials import VisualMaterial

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mesh:
    """A mesh: triangles, each with the index of its material.

    Meshes compare by identity, so a mesh can be a dictionary key. Its arrays become read-only. A
    mesh without faces, or with an index or vertex that is not usable, raises MeshError.

    Attributes
    ----------
    name : str
        Name for messages, such as the file name.
    vertices_m : float32 (n_vertex, 3)
        Positions relative to ``origin_m``, so that single precision is enough. [m]
    faces : uint32 (n_face, 3)
        Vertex indices of each triangle.
    slot : uint16 (n_face,)
        Index into ``materials`` for each triangle.
    materials : tuple of VisualMaterial
        The materials.
    origin_m : float64 (3,)
        Point of the mesh frame at which ``vertices_m`` are 0. [m]
    uv : float32 (n_vertex, 2) or (0, 2)
        Place of each vertex in the base colour's image, NaN where there is none; no rows if the
        file gives no vertex a place in an image.
    bones : tuple of Bone
        Parts of the file that can move by themselves: wheels, and joints of skeletons.
    bone : uint16 (n_vertex, 4) or (0, 4)
        Indices in ``bones`` of the bones that each vertex follows; no rows if the file has no
        bones.
    weight : float32 (n_vertex, 4) or (0, 4)
        Share of each of these bones in the motion of the vertex; 0 = not at all.
    not_followed : tuple of NotFollowed
        Contents of the file that are not supported and were ignored.
    """

    name: str
    vertices_m: Annotated[
        NDArray[np.float32], Column("f4", ("n_vertex", 3), "m", "position relative to origin_m")
    ]
    faces: Annotated[
        NDArray[np.uint32], Column("u4", ("n_face", 3), "", "vertices of each triangle")
    ]
    slot: Annotated[NDArray[np.uint16], Column("u2", ("n_face",), "", "index into materials")]
    materials: tuple[VisualMaterial, ...]
    origin_m: Annotated[
        NDArray[np.float64], Column("f8", (3,), "m", "mesh frame position of the local origin")
    ]
    uv: Annotated[
        NDArray[np.float32],
        Column("f4", ("n_uv", 2), "1", "place in the base colour's image, NaN where there is none"),
    ] = field(default_factory=lambda: np.empty((0, 2), np.float32))
    bones: tuple[Bone, ...] = ()
    bone: Annotated[
        NDArray[np.uint16], Column("u2", ("n_bound", N_BONE), "", "bones that a vertex follows")
    ] = field(default_factory=lambda: np.empty((0, N_BONE), np.uint16))
    weight: Annotated[
        NDArray[np.float32], Column("f4", ("n_bound", N_BONE), "1", "their shares, 0 = not at all")
    ] = field(default_factory=lambda: np.empty((0, N_BONE), np.float32))
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED

    def __post_init__(self) -> None:
        lengths = check_columns(self)
        if lengths["n_uv"] not in {0, lengths["n_vertex"]}:
            raise MeshError(
                f"{self.name}: n_uv = {lengths['n_uv']}, expected 0 or n_vertex = "
                f"{lengths['n_vertex']}"
            )
        if lengths["n_bound"] not in {0, lengths["n_vertex"]} or (
            self.weight.any() and self.bone.max() >= len(self.bones)
        ):
            raise MeshError(f"{self.name}: vertices refer to bones that do not exist")
        if len(self.faces) == 0:
            raise MeshError(f"{self.name}: has no faces, expected at least one triangle")
        if self.faces.max() >= len(self.vertices_m):
            raise MeshError(
                f"{self.name}: a face refers to vertex {self.faces.max()}, "
                f"expected 0 to {len(self.vertices_m) - 1}"
            )
        if self.slot.max() >= len(self.materials):
            raise MeshError(
                f"{self.name}: a face refers to material slot {self.slot.max()}, "
                f"expected 0 to {len(self.materials) - 1}"
            )
        if not (np.isfinite(self.vertices_m).all() and np.isfinite(self.origin_m).all()):
            raise MeshError(f"{self.name}: vertices are not finite in single precision")
        columns = self.vertices_m, self.faces, self.slot, self.origin_m, self.uv
        for column in (*columns, self.bone, self.weight):
            column.flags.writeable = False

    @property
    def slot_names(self) -> tuple[str, ...]:
        """Names of the materials by slot; "" for faces without a material."""
        return tuple(material.name for material in self.materials)

    @property
    def bounds_m(self) -> NDArray[np.float64]:
        """Lowest and highest corner of the vertices in the mesh frame, (2, 3) [m]."""
        local = np.stack([self.vertices_m.min(axis=0), self.vertices_m.max(axis=0)])
        return local + self.origin_m

    def faces_of(self, slots: Collection[int], *, inverse: bool = False) -> NDArray[np.intp]:
        """Return the indices of the faces whose material slot is in ``slots``, in rising order.

        If ``inverse`` is True, return the indices of all other faces.
        """
        chosen = np.isin(self.slot, np.fromiter(slots, dtype=np.int64), invert=inverse)
        return np.flatnonzero(chosen)


def box(dimension_m: Sequence[float] | NDArray[np.float64], name: str = "box") -> Mesh:
    """Return a closed box centred on the origin, with outward normals.

    Parameters
    ----------
    dimension_m : (3,)
        Full extent along x, y and z, positive. [m]
    name : str
        Name of the mesh.

    Raises
    ------
    MeshError
        If an extent is not positive and finite.
    """
    dimension = np.asarray(dimension_m, dtype=np.float64)
    if dimension.shape != (3,) or not (np.isfinite(dimension) & (dimension > 0.0)).all():
        raise MeshError(f"{name}: dimension_m is {dimension.tolist()}, expected 3 positive numbers")
    # Corner i has the upper x, y, z where bits 2, 1, 0 of i are set.
    corners = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)]) - 0.5
    # fmt: off
    faces = [
        [0, 1, 3], [0, 3, 2],  [4, 6, 7], [4, 7, 5],  # -x, +x
        [0, 4, 5], [0, 5, 1],  [2, 3, 7], [2, 7, 6],  # -y, +y
        [0, 2, 6], [0, 6, 4],  [1, 5, 7], [1, 7, 3],  # -z, +z
    ]
    # fmt: on
    return _one_material(name, "box", corners * dimension, faces)


def plane(half_extent_m: float, name: str = "ground") -> Mesh:
    """Return a square in the plane z = 0, centred on the origin, normal +z, as two triangles.

    Parameters
    ----------
    half_extent_m : float
        Half the length of a side, positive. [m]
    name : str
        Name of the mesh.

    Raises
    ------
    MeshError
        If the extent is not positive and finite.
    """
    if not (np.isfinite(half_extent_m) and half_extent_m > 0.0):
        raise MeshError(f"{name}: half_extent_m is {half_extent_m}, expected a positive number")
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * float(half_extent_m)
    return _one_material(name, "ground", corners, [[0, 1, 2], [0, 2, 3]])


def _one_material(
    name: str, material: str, vertices_m: NDArray[np.float64], faces: list[list[int]]
) -> Mesh:
    return Mesh(
        name=name,
        vertices_m=vertices_m.astype(np.float32),
        faces=np.array(faces, dtype=np.uint32),
        slot=np.zeros(len(faces), dtype=np.uint16),
        materials=(VisualMaterial(name=material),),
        origin_m=np.zeros(3),
    )
