# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of STL and PLY, and the parts that all mesh readers share.

A reader takes the bytes of a file and its MeshSource and returns a Surface. It may raise any
exception; ``load_mesh`` turns it into a one-line MeshError.
"""

from __future__ import annotations

import hashlib
import io
import logging
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np

from lidar_base.errors import BoundError
from lidar_base.files.ply_headers import check_ply_header
from lidar_base.unfollowed import Unfollowed
from raycore.errors import MeshError
from raycore.mesh.bones import Bone, Bound, unbound
from raycore.mesh.materials import (
    VisualMaterial,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import trimesh
    from numpy.typing import ArrayLike, NDArray

_logger = logging.getLogger(__name__)

_MOST_PLY_HEADER = 2**16
_MOST_LETTERS = 40
# Normals are silent: a surface is where its corners are.
_PLY_READ = {
    "vertex": {"x", "y", "z", "nx", "ny", "nz"},
    "face": {"vertex_indices", "vertex_index"},
}
_STL_HEADER_BYTES, _STL_TRIANGLE_BYTES = 84, 50


class FaceGroup(NamedTuple):
    """Faces that the file draws in one or more poses.

    Attributes
    ----------
    n_face : int
        Number of faces.
    places : float64 (n_place, 4, 4)
        Transform of each pose from the frame of the faces into the frame of the file. [m]
    """

    n_face: int
    places: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """The triangles that a reader has read from a mesh file, with their materials and bones.

    ``vertices``, float64 (n_vertex, 3), are in the frame of the file; ``faces``, int64 (n_face, 3),
    has valid indices of them. ``material`` (n_face,) has each face's index into ``materials``,
    which have unique names ("" = no material). ``uv``, float64 (n_vertex, 2) or None, is the place
    of each vertex in the base colour's image. ``bones`` are wheels and joints; ``bound`` holds the
    bones that each vertex follows, None without bones. ``groups`` divides the faces into successive
    groups with poses of their own; without groups, the file draws all faces once, as they are.
    """

    vertices: NDArray[np.float64]  # (n_vertex, 3) [m]
    faces: NDArray[np.int64]  # (n_face, 3)
    material: NDArray[np.intp]  # (n_face,) index into materials
    materials: Sequence[VisualMaterial]  # "" = no material; names are unique; some may be unused
    uv: NDArray[np.float64] | None = None  # (n_vertex, 2) see mesh.Mesh
    bones: Sequence[Bone] = ()
    bound: Bound | None = None  # of the vertices; None if there are no bones
    groups: Sequence[FaceGroup] = ()  # of successive faces; empty: all faces are drawn as they are


class MeshPart(NamedTuple):
    """Triangles of one material, as read from a file.

    ``vertices`` (n_vertex, 3) are positions, and ``faces`` (n_face, 3) vertex indices. ``material``
    is the name of the material. ``uv`` (n_vertex, 2) and ``bound`` are the texture coordinates and
    the bones of each vertex, None without any.
    """

    vertices: Any  # (n_vertex, 3)
    faces: Any  # (n_face, 3)
    material: str  # name
    uv: NDArray[np.float64] | None = None  # (n_vertex, 2) see mesh.Mesh
    bound: Bound | None = None  # of the vertices


class Companion(NamedTuple):
    """A file that a mesh file names: its bytes ``content``, and their hexadecimal ``sha256``."""

    content: bytes
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshSource:
    """A mesh file on disk, and a record of the files that are read for it.

    ``path`` is the mesh file. ``roots`` are folders that reading is confined to; None: anywhere.
    """

    path: Path
    roots: Sequence[str | os.PathLike[str]] | None
    companions: dict[str, Companion | None] = field(default_factory=dict)
    """The companion files read so far, by the names asked for; None: not readable."""
    digests: dict[Path, str] = field(default_factory=dict)
    """SHA-256 of all files read so far, hexadecimal, as they were when they were read."""
    notes: list[tuple[int, str]] = field(default_factory=list)
    """Messages logged about the file's content: logging level and text."""
    unfollowed: Unfollowed = field(default_factory=Unfollowed)
    """Contents that the reader does not support, and ignores."""

    def __post_init__(self) -> None:
        if isinstance(self.roots, str):  # it would pass for a list of one-letter folders, "/" too
            raise TypeError(f"roots is the string {self.roots!r}, expected a sequence of folders")

    def __str__(self) -> str:
        return f"mesh file {self.path}"

    def read(self) -> bytes:
        """Return the bytes of the mesh file itself; MeshError if it cannot be read."""
        return self._read([self.path], str(self)).content

    def read_uri(self, uri: str) -> bytes:
        """Return the bytes of a file that the mesh file names by ``uri``, a relative URI.

        Raise MeshError for other URIs, and if the file cannot be read.
        """
        if len(urlsplit(uri).scheme) > 1:  # one letter is a Windows drive
            raise MeshError(f"{self}: refers to {uri!r}, expected the path of a file")
        return self.read_beside(unquote(uri))

    def read_beside(self, name: str) -> bytes:
        """Return the bytes of a file that the mesh file names by ``name``, relative to its folder.

        If the file does not exist, backslashes in its path are tried as slashes. Then a file of the
        same name beside the mesh file is tried: models are often passed on without their folders.
        Raise MeshError if none of them exists, the first one that exists cannot be read, or one
        that is tried lies outside the allowed folders.
        """
        places = [self.path.parent / each for each in places_beside(name)]
        self.companions[name] = None
        found = self._read(places, f"{self}: needs {places[0]}, which")
        self.companions[name] = found
        return found.content

    def forget_companions(self) -> None:
        """Forget the companion files read so far, as if none had been."""
        self.companions.clear()
        for path in [*self.digests]:
            if path != self.path:
                del self.digests[path]

    def note(self, level: int, text: str) -> None:
        """Log ``text`` about the content at the logging level ``level``; add both to `notes`."""
        self.notes.append((level, text))
        _logger.log(level, "%s: %s", self, text)

    def _read(self, places: Sequence[Path], subject: str) -> Companion:
        """Read the first of these paths that exists; all tried paths must be in allowed folders.

        ``subject`` begins the messages of errors.
        """
        try:
            for path in places:
                self.confine(path, subject)
                if path.exists():
                    break
            if not path.exists():
                raise MeshError(f"{subject} does not exist")
            if not path.is_file():
                raise MeshError(f"{subject} is not a file")
            content = path.read_bytes()
        except (OSError, ValueError, RuntimeError) as err:  # of resolve: a null byte, a link loop
            cause = getattr(err, "strerror", None) or str(err)
            raise MeshError(f"{subject} cannot be read: {cause}") from err
        self.digests[path] = hashlib.sha256(content).hexdigest()
        return Companion(content, self.digests[path])

    def confine(self, path: Path, subject: str) -> None:
        """Raise MeshError if a path leaves the allowed folders; ``subject`` begins its text."""
        if self.roots is None:
            return
        resolved = path.resolve()
        if not any(resolved.is_relative_to(Path(root).resolve()) for root in self.roots):
            allowed = ", ".join(str(root) for root in self.roots) or "none"
            raise MeshError(f"{subject} lies outside the allowed folders ({allowed})")


def places_beside(name: str) -> tuple[str, ...]:
    """Return the paths at which to look for a companion file, relative to the mesh file's folder.

    They are, in order: ``name`` as the mesh file states it, the same with slashes for backslashes,
    and the bare file name.
    """
    of_windows = name.replace("\\", "/")
    return tuple(dict.fromkeys((name, of_windows, Path(of_windows).name)))


def check_faces(faces: NDArray[np.int64], n_vertex: int, source: MeshSource) -> None:
    """Raise MeshError if a face refers to a vertex that does not exist.

    ``faces``, int64 (n_face, 3), has indices of ``n_vertex`` vertices; ``source`` is the file.
    """
    bad = np.flatnonzero(((faces < 0) | (faces >= n_vertex)).any(axis=1))
    if len(bad):
        raise MeshError(
            f"{source}: face {bad[0]} refers to vertices {faces[bad[0]].tolist()}, expected "
            f"0 to {n_vertex - 1} ({len(bad)} such faces)"
        )


def join(
    parts: Iterable[MeshPart],
    source: MeshSource,
    looks: Mapping[str, VisualMaterial],
    bones: Sequence[Bone] = (),
) -> Surface:
    """Concatenate mesh parts, each of one material, into one surface.

    Parameters
    ----------
    parts : iterable of MeshPart
        The parts.
    source : MeshSource
        The file, for messages.
    looks : mapping of str to VisualMaterial
        The materials by name. A name that is not in it becomes a material with all other fields
        unset.
    bones : sequence of Bone
        The bones of the surface.

    Raises
    ------
    MeshError
        A face refers to a vertex that does not exist.
    """
    vertices = [np.empty((0, 3))]
    faces = [np.empty((0, 3), dtype=np.int64)]
    material = [np.empty(0, dtype=np.intp)]
    uv: list[NDArray[np.float64]] = []
    bound = [unbound(0)]
    names: dict[str, int] = {}
    offset, has_uv = 0, False
    for part_vertices, of_corners, name, part_uv, part_bound in parts:
        part_faces = np.asarray(of_corners, dtype=np.int64).reshape(-1, 3)
        check_faces(part_faces, len(part_vertices), source)
        vertices.append(np.asarray(part_vertices, dtype=np.float64))
        faces.append(part_faces + offset)
        material.append(np.full(len(part_faces), names.setdefault(name, len(names))))
        offset += len(part_vertices)
        has_uv |= part_uv is not None
        uv.append(np.full((len(part_vertices), 2), np.nan) if part_uv is None else part_uv)
        bound.append(part_bound or unbound(len(part_vertices)))
    return Surface(
        vertices=np.concatenate(vertices),
        faces=np.concatenate(faces),
        material=np.concatenate(material),
        materials=materials_of(names, looks),
        uv=np.concatenate(uv) if has_uv else None,
        bones=bones,
        bound=Bound(*map(np.concatenate, zip(*bound, strict=True))) if bones else None,
    )


def materials_of(
    names: Iterable[str], looks: Mapping[str, VisualMaterial]
) -> tuple[VisualMaterial, ...]:
    """Return the material of each name, in the order of ``names``.

    ``looks`` has materials by name. A name that is not in it gives a material with only that name.
    """
    return tuple(looks.get(name) or VisualMaterial(name=name) for name in names)


def placed_meshes(scene: trimesh.Scene) -> Iterator[tuple[NDArray[np.float64], Any, str]]:
    """Yield pose (4, 4) in the scene, mesh and node name of each triangle mesh of a scene."""
    from trimesh import Trimesh  # noqa: PLC0415 - slow to import, and OBJ files need none of it

    for node in scene.graph.nodes_geometry:
        scene_from_mesh, name = scene.graph[node]
        mesh = scene.geometry[name]
        if isinstance(mesh, Trimesh) and len(mesh.faces):
            yield scene_from_mesh, mesh, node


def transform(vertices: ArrayLike, matrix: ArrayLike) -> NDArray[np.float64]:
    """Return points after a transform, float64 (n, 3), with equal bits on every machine.

    ``vertices`` are the points (n, 3), and ``matrix`` is the transform (4, 4), for column vectors.
    """
    x, y, z = np.asarray(vertices, dtype=np.float64).T[..., None]
    columns = np.asarray(matrix, dtype=np.float64)[:3].T
    moved: NDArray[np.float64] = x * columns[0] + y * columns[1] + z * columns[2] + columns[3]
    return moved


def read_stl(data: bytes, source: MeshSource) -> Surface:
    """Read an ASCII or binary STL file, without materials; MeshError if it is truncated.

    ``data`` is the content of the file ``source``.
    """
    count = int.from_bytes(data[80:84], "little")
    length = _STL_HEADER_BYTES + _STL_TRIANGLE_BYTES * count
    if len(data) != length:
        # Binary files may start with "solid" too, but only they have null bytes.
        if b"\0" in data or not data.lstrip().lower().startswith(b"solid"):
            raise MeshError(
                f"{source}: has {len(data)} bytes, expected {length} for the {count} triangles "
                "that a binary STL file states, or the word 'solid' of an ASCII one"
            )
        count = data.lower().count(b"outer loop")
    surface = _read_without_material(data, source, file_type="stl", options={})
    if len(surface.faces) != count:
        raise MeshError(
            f"{source}: is cut short: got {len(surface.faces)} whole triangles, expected {count}"
        )
    if len(data) == length:
        _list_attributes(data, source)
    return surface


def _list_attributes(data: bytes, source: MeshSource) -> None:
    """List attribute bytes of triangles, and colours in the header, of a binary STL file."""
    rows = np.frombuffer(data, np.uint8, offset=_STL_HEADER_BYTES).reshape(-1, _STL_TRIANGLE_BYTES)
    colored = np.flatnonzero(rows[:, -2:].any(axis=1))
    if len(colored):
        what = "attribute bytes, such as colours"
        source.unfollowed.add(what, f"triangle {colored[0] + 1}", len(colored))
    for word in (b"COLOR=", b"MATERIAL="):
        if word in data[:80]:
            source.unfollowed.add(f"{word.decode()} of the header")


def read_ply(data: bytes, source: MeshSource) -> Surface:
    """Read an ASCII or binary PLY file, whose faces have no material.

    ``data`` is the content of the file ``source``.

    Raises
    ------
    MeshError
        The file has triangle strips, or its header is too long.
    """
    try:
        check_ply_header(data)
    except BoundError as error:
        raise MeshError(f"{source}: {error}") from None
    _list_properties(data, source)
    options = {"skip_materials": True, "fix_texture": False}
    return _read_without_material(data, source, file_type="ply", options=options)


def _list_properties(data: bytes, source: MeshSource) -> None:
    """List the elements and properties in the header of a PLY file that are not read."""
    element = ""
    head = data[:_MOST_PLY_HEADER].partition(b"end_header")[0].decode("latin-1")
    for number, line in enumerate(head.splitlines(), 1):
        words = line.split() or [""]
        place = f"line {number}"
        if words[0] == "element" and len(words) > 1:
            element = words[1][:_MOST_LETTERS]
            if element == "tristrips":
                raise MeshError(f"{source}: {place}: element tristrips is not supported, use faces")
            if element not in _PLY_READ:
                source.unfollowed.add(f"element {element}", place)
        elif words[0] == "property" and words[-1] not in _PLY_READ.get(element, {words[-1]}):
            source.unfollowed.add(f"property {words[-1][:_MOST_LETTERS]} of {element}", place)
        elif words[:2] == ["comment", "TextureFile"]:
            source.unfollowed.add("comment TextureFile", place)


def _read_without_material(
    data: bytes, source: MeshSource, *, file_type: str, options: dict[str, Any]
) -> Surface:
    from trimesh import load_scene  # noqa: PLC0415 - slow to import, and OBJ files need none of it

    with warnings.catch_warnings():
        # numpy stops at the first word that is not a number, and only warns.
        warnings.filterwarnings("error", message="string or file could not be read")
        scene = load_scene(io.BytesIO(data), file_type=file_type, process=False, **options)
    parts = (
        MeshPart(transform(mesh.vertices, pose), mesh.faces, "")
        for pose, mesh, _ in placed_meshes(scene)
    )
    return join(parts, source, {})
