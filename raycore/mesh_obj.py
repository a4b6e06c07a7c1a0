# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of Wavefront OBJ files.

trimesh reads OBJ too, but resolves negative indices from the end of the file instead of from the
face (wrong where vertices and faces alternate), misreads polygons beside faces of other corner
counts, takes index 0 for vertex 1, and knows only materials of the first library that it finds.

The names of materials stand in the OBJ file itself (``usemtl``); the MTL libraries hold colours
and textures, which a lidar does not see, and are not opened. So they may be missing.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from raycore.errors import MeshError
from raycore.mesh_files import MeshSource, Surface

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CONTINUED_LINE = re.compile(r"\\[ \t]*\n")
_TEXTURE_AND_NORMAL = re.compile(r"/\S*")


def read_obj(data: bytes, source: MeshSource) -> Surface:
    """Read vertices, polygons and the material in force at each polygon.

    Polygons become fans of triangles about their first corner, as convex ones may. Groups,
    objects, normals, texture coordinates, lines, points and curves are passed over.

    Raises
    ------
    MeshError
        If a line of a vertex or face is malformed or a face's vertex does not exist.
    """
    vertex_rows: list[str] = []
    face_rows: list[str] = []
    vertices_before: list[int] = []  # what negative indices count back from
    material: list[int] = []
    names = {"": 0}
    current = 0
    for line in _lines(data):
        words = line.split(None, 1)
        if not words:
            continue
        keyword = words[0]
        rest = words[1] if len(words) == 2 else ""
        if keyword == "v":
            vertex_rows.append(rest)
        elif keyword == "f":
            face_rows.append(rest.partition("#")[0])
            vertices_before.append(len(vertex_rows))
            material.append(current)
        elif keyword == "usemtl":
            current = names.setdefault(rest.strip(), len(names))
    corners, counts = _corners(face_rows, np.array(vertices_before, dtype=np.int64))
    _check_corners(corners, counts, face_rows, len(vertex_rows), source)
    faces, polygon = _fans(corners, counts)
    return Surface(
        vertices=_vertices(vertex_rows, source),
        faces=faces,
        material=np.array(material, dtype=np.intp)[polygon],
        material_names=tuple(names),
    )


def _lines(data: bytes) -> list[str]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\\" in text:
        text = _CONTINUED_LINE.sub(" ", text)
    return text.split("\n")


def _vertices(rows: list[str], source: MeshSource) -> NDArray[np.float64]:
    words = [row.split(None, 3)[:3] for row in rows]  # weights or colours may follow
    short = next((i for i, row in enumerate(words) if len(row) < 3), None)
    if short is not None:
        raise MeshError(f"{source}: vertex {short + 1} is {rows[short]!r}, expected 3 numbers")
    return np.array(list(map(float, chain.from_iterable(words)))).reshape(-1, 3)


def _corners(
    rows: list[str], vertices_before: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the vertex index, from 0, of all corners, and how many corners each face has."""
    counts = np.array([len(row.split()) for row in rows], dtype=np.int64)
    text = _TEXTURE_AND_NORMAL.sub("", " ".join(rows))
    corners = np.array(list(map(int, text.split())), dtype=np.int64)
    before = np.repeat(vertices_before, counts)
    return np.where(corners < 0, before + corners, corners - 1), counts


def _check_corners(
    corners: NDArray[np.int64],
    counts: NDArray[np.int64],
    rows: list[str],
    n_vertex: int,
    source: MeshSource,
) -> None:
    bad = np.flatnonzero((corners < 0) | (corners >= n_vertex))
    if len(bad):
        face = int(np.searchsorted(np.cumsum(counts), bad[0], side="right"))
        raise MeshError(
            f"{source}: face {face + 1} is {rows[face].strip()!r}, expected vertices within "
            f"1 to {n_vertex}, or negative ones within those before the face"
        )


def _fans(
    corners: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the triangles (n, 3) of polygons, and the polygon that each comes from."""
    n_triangle = np.maximum(counts - 2, 0)
    polygon = np.repeat(np.arange(len(counts)), n_triangle)
    first = (np.cumsum(counts) - counts)[polygon]
    step = np.arange(len(polygon)) - (np.cumsum(n_triangle) - n_triangle)[polygon]
    faces = corners[np.stack([first, first + step + 1, first + step + 2], axis=1)]
    return faces, polygon
