# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts of a road world as meshes, in tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.shapes.meshes import visual
from raycore.mesh.mesh import Mesh

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_scenery.roads.parts import Patch, RoadParts, Strip

TILE_M = 128.0
"""Edge length of a tile: single precision is 8 um at 128 m. [m]"""
MOST_TILES = 2000
"""Largest number of tiles, since each is a separate mesh; larger worlds have larger tiles."""
LEAST_AREA_M2 = 1e-9
"""Least area of a triangle of a road world; smaller ones are left out of its meshes. [m2]"""


def road_meshes(parts: RoadParts, name: str = "road") -> list[Mesh]:
    """Return the strips and patches of a road world as meshes, one for each tile that is not empty.

    Tiles are squares of `TILE_M` in the horizontal plane, or more in large worlds. A triangle
    belongs to the tile that holds its centre. The origin of a mesh is the lowest corner of its
    bounds, rounded to whole metres, so that its vertices are small numbers.

    Parameters
    ----------
    parts : RoadParts
        The road world.
    name : str
        Name of the meshes; each gets it with its number, such as "road 0".
    """
    names, points_m, faces, material = triangles_of(parts)
    if not len(faces):
        return []
    corners_m = points_m[faces]
    number = _tiles(corners_m[:, :, :2].mean(axis=1))
    order = np.argsort(number, kind="stable")
    ends = np.flatnonzero(np.diff(number[order])) + 1
    return [
        _mesh(f"{name} {k}", names, points_m, faces[rows], material[rows])
        for k, rows in enumerate(np.split(order, ends))
    ]


def _tiles(centre_m: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the index of the tile that each centre lies in."""
    tile_m = TILE_M
    while True:
        tile = np.floor(centre_m / tile_m).astype(np.int64)
        tile -= tile.min(axis=0)
        number: NDArray[np.int64] = tile[:, 0] * (int(tile[:, 1].max()) + 1) + tile[:, 1]
        if len(number) <= MOST_TILES or len(np.unique(number)) <= MOST_TILES:
            return number
        tile_m *= 2.0


def triangles_of(
    parts: RoadParts,
) -> tuple[list[str], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return all triangles of strips and patches that are larger than `LEAST_AREA_M2`.

    Parameters
    ----------
    parts : RoadParts
        The road world, with the strips and patches.

    Returns
    -------
    names : list of str
        Names of visual materials, each once.
    points_m : float64 (n_point, 3)
        Points of the strips and patches, in the world. [m]
    faces : int64 (n, 3)
        Triangles, as rows of `points_m`, counter-clockwise as seen from the front.
    material : int64 (n,)
        Material of each triangle, as an index into `names`.
    """
    strips = [strip for strip in parts.strips if len(strip.left_m) > 1]
    surfaces: list[Strip | Patch] = [*strips, *parts.patches]
    names = list(dict.fromkeys(each.material for each in surfaces))
    index = {each: k for k, each in enumerate(names)}
    points = [line_m for strip in strips for line_m in (strip.left_m, strip.right_m)]
    points_m = np.concatenate([*points, *(p.points_m for p in parts.patches), np.empty((0, 3))])
    lengths = np.array([len(strip.left_m) for strip in strips], np.int64)
    first = np.concatenate([[0], np.cumsum([len(patch.points_m) for patch in parts.patches])])
    first += 2 * int(lengths.sum())
    shifted = [p.triangles + k for p, k in zip(parts.patches, first[:-1].astype(int), strict=True)]
    faces = np.concatenate([_strip_faces(lengths), *shifted])
    counts = [*(2 * (lengths - 1)), *(len(patch.triangles) for patch in parts.patches)]
    which = np.array([index[each.material] for each in surfaces], np.int64)
    material = np.repeat(which, np.array(counts, np.int64))
    a, b, c = (points_m[faces[:, k]] for k in range(3))
    solid = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 2.0 * LEAST_AREA_M2
    return names, points_m, faces[solid], material[solid]


def _strip_faces(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the triangles of strips, two for each quad between consecutive pairs of points.

    Points are numbered strip by strip, the left points of a strip before its right points.
    """
    if not len(lengths):
        return np.empty((0, 3), np.int64)
    n_quads = lengths - 1
    strip = np.repeat(np.arange(len(lengths)), n_quads)
    start = np.concatenate([[0], 2 * np.cumsum(lengths)[:-1]]).astype(np.int64)
    before = np.concatenate([[0], np.cumsum(n_quads)[:-1]]).astype(np.int64)
    a = start[strip] + np.arange(len(strip)) - before[strip]
    c = a + lengths[strip]
    return np.stack([a, c, a + 1, c + 1, a + 1, c], axis=1).reshape(-1, 3)


def _mesh(
    name: str,
    names: Sequence[str],
    points_m: NDArray[np.float64],
    faces: NDArray[np.int64],
    material: NDArray[np.int64],
) -> Mesh:
    """Return triangles as a mesh with its own origin; `points_m` may hold further points."""
    own, vertices = np.unique(faces, return_inverse=True)
    origin_m = np.floor(points_m[own].min(axis=0))
    used, slot = np.unique(material, return_inverse=True)
    return Mesh(
        name=name,
        vertices_m=(points_m[own] - origin_m).astype(np.float32),
        faces=vertices.reshape(-1, 3).astype(np.uint32),
        slot=slot.ravel().astype(np.uint16),
        materials=tuple(visual(names[k]) for k in used),
        origin_m=origin_m,
    )
