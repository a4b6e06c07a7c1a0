# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Meshes that a file draws in several places, and their conversion into a single mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from raycore.mesh.mesh import Mesh
from raycore.mesh.parts import bounds, vertices_m

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class MeshCopies(NamedTuple):
    """A mesh, and the poses at which the file draws it.

    Attributes
    ----------
    mesh : Mesh
        The mesh. All meshes of a file have the same materials and slots.
    places : float64 (n_place, 4, 4)
        Transform of each copy from the frame of the mesh into the frame of the file. [m]
    """

    mesh: Mesh
    places: NDArray[np.float64]

    @property
    def stands_as_it_is(self) -> bool:
        """Whether the file draws the mesh once, and without a transform."""
        return len(self.places) == 1 and np.array_equal(self.places[0], np.eye(4))

    @property
    def n_triangles(self) -> int:
        """Number of triangles of all copies."""
        return len(self.mesh.faces) * len(self.places)

    @property
    def n_vertices(self) -> int:
        """Number of vertices of all copies."""
        return len(self.mesh.vertices_m) * len(self.places)


def bounds_m(copies: Sequence[MeshCopies]) -> NDArray[np.float64]:
    """Return the lowest and highest corner of all vertices in the frame of the file, (2, 3) [m].

    ``copies`` are all meshes of the file with the poses at which it draws them, at least one.
    """
    found = [each.mesh.bounds_m for each in copies if each.stands_as_it_is]
    for each in copies:
        if not each.stands_as_it_is:
            placed = (vertices_m(each.mesh, place) for place in each.places)
            found += [np.stack([one.min(axis=0), one.max(axis=0)]) for one in placed]
    return np.stack([np.min(found, axis=0)[0], np.max(found, axis=0)[1]])


def outer_bounds_m(copies: Sequence[MeshCopies]) -> NDArray[np.float64]:
    """Return bounds around the transformed bounding boxes of all copies, float64 (2, 3) [m].

    The rows are the lowest and the highest corner in the frame of the file. They are quicker to
    compute than `bounds_m`, and may enclose more. ``copies`` are all meshes of the file with the
    poses at which it draws them, at least one.
    """
    found = [bounds(each.mesh, place) for each in copies for place in each.places]
    return np.stack([np.min(found, axis=0)[0], np.max(found, axis=0)[1]])


def written_out(copies: Sequence[MeshCopies]) -> Mesh:
    """Return all copies of a file's meshes as one mesh in the frame of the file.

    ``copies`` are all meshes of the file with the poses at which it draws them, at least one. A
    single mesh that is drawn once, without a transform, is returned as it is. Otherwise, bones and
    texture coordinates are dropped.
    """
    if len(copies) == 1 and copies[0].stands_as_it_is:
        return copies[0].mesh
    vertices = []
    faces = []
    slot = []
    n_vertex = 0
    for mesh, places in copies:
        for place in places:
            vertices.append(vertices_m(mesh, place))
            faces.append(mesh.faces + np.uint32(n_vertex))
            n_vertex += len(mesh.vertices_m)
        slot.append(np.tile(mesh.slot, len(places)))
    of_file = np.concatenate(vertices)
    lowest, highest = of_file.min(axis=0), of_file.max(axis=0)
    origin_m = lowest + 0.5 * (highest - lowest)
    return Mesh(
        name=copies[0].mesh.name,
        vertices_m=(of_file - origin_m).astype(np.float32),
        faces=np.concatenate(faces),
        slot=np.concatenate(slot),
        materials=copies[0].mesh.materials,
        origin_m=origin_m,
        not_followed=copies[0].mesh.not_followed,
    )
