# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Surfels: a parallelogram around each point of a body, as large as the cell of its beam.

The cell of a beam reaches half way to the next beams (see ``cells``). The surfel of a point is the
part of the local plane inside this cell. So a scan from the recording's position returns as many
points as the recording, even if the surface returned only few beams. If points of other frames are
nearer than the edge of the cell, the surfel ends before them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial import KDTree

from lidar_gap.twin.actors.cells import sides
from lidar_gap.twin.cloud_map import voxels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.twin.actors.cells import Cells

_NEIGHBOURS = 16  # number of nearest points in which the neighbours on four sides are searched
_FEWEST = 4  # fewest averaged points of a body
_LEAST_SPACING_M = 0.01
_PLANE = 10  # number of neighbours that define the local plane
_OFF_PLANE = 0.7  # points with more height per distance along the plane lie on another surface
_OVER = 0.75  # part of the way to a point nearer than the cell; half would leave cracks
_LEAST_COS = 0.2  # cosine of incidence; planes at grazing incidence are turned towards the beam


class Surfels(NamedTuple):
    """The surface of a body: a triangle mesh of n parallelograms, each of two triangles.

    The fields are the corners, ``vertices_m``, float64 (4 n, 3) [m], and the triangles as indices
    of corners, ``faces``, int64 (2 n, 3).
    """

    vertices_m: NDArray[np.float64]
    """Corners, four of each parallelogram in succession, float64 (4 n, 3). [m]"""
    faces: NDArray[np.int64]
    """Triangles as indices of corners, int64 (2 n, 3): n first halves, then n second halves."""


def plane_normals(points_m: NDArray[np.float64], spacing_m: float) -> NDArray[np.float64]:
    """Return normals (of arbitrary sign) of local planes through the points, float64 (n, 3).

    Parameters
    ----------
    points_m : float64 (n, 3)
        At least three points. [m]
    spacing_m : float
        Distance between rings on the surface. Points that are nearer to each other are averaged
        first; otherwise, the neighbours could all be of one ring, which defines no plane. [m]
    """
    coarse = voxels(points_m, max(spacing_m, _LEAST_SPACING_M))
    if len(coarse.mean_m) < _FEWEST:
        coarse = voxels(points_m, _LEAST_SPACING_M)
    _, near = KDTree(coarse.mean_m).query(coarse.mean_m, k=min(_PLANE, len(coarse.mean_m)))
    near = near.reshape(len(coarse.mean_m), -1)
    offset = coarse.mean_m[near] - coarse.mean_m[near].mean(axis=1, keepdims=True)
    axes = np.linalg.eigh(np.einsum("nki,nkj->nij", offset, offset))[1]
    normal: NDArray[np.float64] = axes[coarse.of_point, :, 0]
    return normal


def surfels(
    points_m: NDArray[np.float64],
    normal: NDArray[np.float64],
    cells: Cells,
    *,
    closing: float,
) -> Surfels:
    """Return a parallelogram around each point.

    Parameters
    ----------
    points_m, normal : float64 (n, 3)
        Points and normals of the planes that they lie on. [m], 1
    cells : Cells
        Cell of the beam of each point.
    closing : float
        Factor by which a surfel may be larger than its cell, so that irregularly spaced points
        leave no cracks. [1]
    """
    beside = np.cross((0.0, 0.0, 1.0), cells.beam)
    beside /= np.maximum(np.linalg.norm(beside, axis=1), 1e-9)[:, None]
    upwards = np.cross(cells.beam, beside)
    normal = _facing(normal, cells.beam)
    half_m = _half_edges(points_m, (normal, beside, upwards), cells.half_m, closing)
    cos = np.einsum("ij,ij->i", normal, cells.beam)[:, None]
    along, up = np.cross(upwards, normal) / cos, np.cross(normal, beside) / cos
    left, right, down, above = (half_m[:, side, None] for side in range(4))
    corners = np.stack(
        [
            points_m + left * along - down * up,
            points_m - right * along - down * up,
            points_m - right * along + above * up,
            points_m + left * along + above * up,
        ],
        axis=1,
    )
    first = 4 * np.arange(len(points_m), dtype=np.int64)[:, None]
    faces = np.concatenate([first + corner for corner in np.array(((0, 1, 2), (0, 2, 3)))])
    return Surfels(vertices_m=corners.reshape(-1, 3), faces=faces)


def _facing(normal: NDArray[np.float64], beam: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return normals, turned towards the beam if the beam grazes the surface."""
    cos = np.einsum("ij,ij->i", normal, beam)
    sign = np.where(cos < 0, -1.0, 1.0)
    across = normal - cos[:, None] * beam
    across /= np.maximum(np.linalg.norm(across, axis=1), 1e-9)[:, None]
    turned = np.sqrt(1.0 - _LEAST_COS**2) * across + (_LEAST_COS * sign)[:, None] * beam
    facing: NDArray[np.float64] = np.where((np.abs(cos) < _LEAST_COS)[:, None], turned, normal)
    return facing


def _half_edges(
    points_m: NDArray[np.float64],
    axes: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    cell_m: NDArray[np.float64],
    closing: float,
) -> NDArray[np.float64]:
    """Return the extent of surfels to their four sides, float64 (n, 4) [m].

    ``axes`` holds three unit vectors per point: normal, left of the beam, up from the beam.
    """
    _, near = KDTree(points_m).query(points_m, k=min(_NEIGHBOURS + 1, len(points_m)))
    offset = points_m[near[:, 1:]] - points_m[:, None]
    off, a, b = (np.einsum("nki,ni->nk", offset, axis) for axis in axes)
    flat = np.sqrt(np.maximum((offset**2).sum(axis=2) - off**2, 0.0))
    same = np.abs(off) < _OFF_PLANE * flat
    wide, high = (cell_m[:, pair].mean(axis=1, keepdims=True) for pair in ([0, 1], [2, 3]))
    next_m = sides(np.where(same, a, np.inf), np.where(same, b, np.inf), (wide, high))
    half_way = np.maximum(0.5 * next_m, cell_m)
    reach_m = np.minimum(np.minimum(_OVER * next_m, half_way), closing * cell_m)
    return np.where(np.isfinite(next_m), reach_m, cell_m)
