# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Poisson surface through the points of a map, cut where no point is near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import KDTree

from lidar_gap.twin.normals import open3d

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class MapSurface:
    """A triangle mesh, and for each corner the nearest point of the map.

    Attributes
    ----------
    vertices_m : float64 (n_vertex, 3)
        Corners. [m]
    faces : int64 (n_face, 3)
        Triangles, as indices of their corners.
    nearest : int64 (n_vertex,)
        Index of the map point that is nearest to each corner.
    """

    vertices_m: NDArray[np.float64]
    faces: NDArray[np.int64]
    nearest: NDArray[np.int64]


def poisson(
    points_m: NDArray[np.float64], normals: NDArray[np.float64], *, depth: int, cut_m: float
) -> MapSurface:
    """Return the Poisson surface [1]_, without parts farther than ``cut_m`` from all points.

    Open3D computes the surface with one thread. With several threads, its result differs from call
    to call, is not faster, and once crashed on a busy machine.

    Parameters
    ----------
    points_m, normals : float64 (n_point, 3)
        Points [m], and their normals, which point towards the sensor [1].
    depth : int
        Depth of the octree: the size of a cell is the size of the map divided by 2^depth.
    cut_m : float
        Largest distance of a corner from its nearest point. Without this cut, the Poisson surface
        closes holes by balloon-like surfaces. [m]

    References
    ----------
    .. [1] M. Kazhdan, H. Hoppe, "Screened Poisson surface reconstruction", ACM Transactions on
       Graphics 32(3), 2013, doi:10.1145/2487228.2487237. Computed by Open3D.
    """
    library = open3d()
    cloud = library.geometry.PointCloud(library.utility.Vector3dVector(points_m))
    cloud.normals = library.utility.Vector3dVector(normals)
    mesh, _ = library.geometry.TriangleMesh.create_from_point_cloud_poisson(
        cloud, depth=depth, n_threads=1
    )
    vertices, faces = np.asarray(mesh.vertices).copy(), np.asarray(mesh.triangles).astype(np.int64)
    del mesh, cloud
    _, nearest = KDTree(points_m).query(vertices, distance_upper_bound=cut_m, workers=-1)
    kept = nearest < len(points_m)
    faces = faces[kept[faces].all(axis=1)]
    used, faces = np.unique(faces, return_inverse=True)
    return MapSurface(vertices_m=vertices[used], faces=faces.reshape(-1, 3), nearest=nearest[used])
