# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts of a mesh as separate meshes, and vertices and bounds of a mesh in other frames."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from raycore.mesh.mesh import Mesh
from raycore.mesh.readers import transform

if TYPE_CHECKING:
    from numpy.typing import NDArray


def part_of(
    mesh: Mesh, faces: NDArray[np.intp], part_from_mesh: NDArray[np.float64] | None = None
) -> Mesh:
    """Return some faces of a mesh as a separate mesh, with the same materials but without bones.

    Parameters
    ----------
    mesh : Mesh
        The whole mesh.
    faces : int64 (n,)
        Indices of the faces to take, at least one.
    part_from_mesh : float64 (4, 4), optional
        Transform from the frame of the whole mesh to the frame of the part; default: the same
        frame. [m]
    """
    used, corners = np.unique(mesh.faces[faces], return_inverse=True)
    vertices, origin = mesh.vertices_m[used], mesh.origin_m
    if part_from_mesh is not None:
        placed = transform(vertices.astype(np.float64) + origin, part_from_mesh)
        origin = 0.5 * (placed.min(axis=0) + placed.max(axis=0))
        vertices = (placed - origin).astype(np.float32)
    return Mesh(
        name=mesh.name,
        vertices_m=vertices,
        faces=corners.reshape(-1, 3).astype(np.uint32),
        slot=mesh.slot[faces],
        materials=mesh.materials,
        origin_m=origin.copy(),
        uv=mesh.uv[used] if len(mesh.uv) else mesh.uv,
    )


def vertices_m(mesh: Mesh, frame_from_mesh: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the vertices of a mesh in another frame, float64 (n_vertex, 3) [m].

    ``frame_from_mesh`` is a transform (4, 4) from the mesh frame to that frame, for column vectors.
    """
    return transform(mesh.vertices_m.astype(np.float64) + mesh.origin_m, frame_from_mesh)


def bounds(mesh: Mesh, target_from_mesh: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return bounds of a mesh in another frame: lowest and highest corner, float64 (2, 3) [m].

    They enclose the transformed corners of the mesh's bounding box, so they may be larger than the
    mesh. ``target_from_mesh`` is a transform (4, 4) from the mesh frame, for column vectors.
    """
    low, high = mesh.bounds_m
    corners = np.array(list(product(*zip(low, high, strict=True))))
    placed = corners @ target_from_mesh[:3, :3].T + target_from_mesh[:3, 3]
    return np.stack([placed.min(axis=0), placed.max(axis=0)])


def bone_of_vertices(mesh: Mesh) -> NDArray[np.int64]:
    """Return the index of the bone that each vertex of a mesh follows most, int64 (n_vertex,).

    The index refers to ``mesh.bones``; it is -1 for a vertex that follows no bone. ``mesh`` is the
    mesh.
    """
    if not len(mesh.bone):
        return np.full(len(mesh.vertices_m), -1)
    most = mesh.weight.argmax(axis=1)
    rows = np.arange(len(most))
    return np.where(mesh.weight[rows, most] > 0.0, mesh.bone[rows, most].astype(np.int64), -1)
