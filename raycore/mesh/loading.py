# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Loading of mesh files: the reader by suffix, the cache, and the checks that all formats share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.errors import BoundError
from lidar_base.files.bounds import FREE_USD_INSTANCES, INSTANCE_RATIO, check_at_most
from lidar_base.unfollowed import log_not_followed
from raycore.errors import MeshError
from raycore.mesh.bones import unbound
from raycore.mesh.collada_files import read_collada
from raycore.mesh.copies import MeshCopies, outer_bounds_m, written_out
from raycore.mesh.gltf.reading import read_glb, read_gltf
from raycore.mesh.mesh import Mesh
from raycore.mesh.obj import read_obj
from raycore.mesh.readers import FaceGroup, MeshSource, Surface, read_ply, read_stl
from raycore.mesh.suffixes import USD_SUFFIXES
from raycore.mesh.usd.reading import read_usd

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from raycore.mesh.cache import MeshCache
    from raycore.mesh.materials import VisualMaterial

_READERS = {
    ".obj": ("Wavefront OBJ", read_obj),
    ".gltf": ("glTF", read_gltf),
    ".glb": ("binary glTF", read_glb),
    ".dae": ("COLLADA", read_collada),
    **dict.fromkeys(USD_SUFFIXES, ("OpenUSD", read_usd)),
    ".stl": ("STL", read_stl),
    ".ply": ("PLY", read_ply),
}

_MAX_SLOTS = 2**16
_MAX_VERTICES = 2**32
_MAX_PLACE = 1e12
"""Largest coordinate of a vertex."""
_MAX_SIZE = 1e9
"""Largest extent of a mesh along an axis: products of four extents must be below float32's maximum,
also if the unit of a file is millimetres."""
_CAUSE_LENGTH = 200


def load_mesh(
    path: str | os.PathLike[str],
    *,
    roots: Sequence[str | os.PathLike[str]] | None = None,
    cache: MeshCache | None = None,
    digests: dict[Path, str] | None = None,
) -> Mesh:
    """Read a mesh file; the same file always gives the same arrays, bit for bit.

    Parameters
    ----------
    path : path
        File whose suffix is one of ``MESH_SUFFIXES``, in any case.
    roots : sequence of paths, optional
        Folders that reading is confined to: the mesh file, and every file that it names, must
        lie inside one of them once symbolic links are followed. None means no confinement.
    cache : MeshCache, optional
        Cache of parsed files. A file found in it is not parsed again; any other file is added,
        unless it is small, see `MeshCache.keep`.
    digests : dict of Path to str, optional
        Dictionary to which the SHA-256, hexadecimal, of each file that was read is added: of the
        mesh file and of the files that it names.

    Returns
    -------
    Mesh
        Triangles in the file's frame and order, with the transforms of its nodes applied.
        Material slots are numbered in order of first appearance. Each holds the appearance that
        the file gives its material; if several materials share a name, the first one counts.
        Images are not opened here. A missing or broken MTL library only leaves appearances unset.

    Raises
    ------
    MeshError
        If the file, or one that it needs, is absent, lies outside `roots`, or cannot be read in
        the format of its suffix; if it has no faces or no area, a face whose vertex does not
        exist, or a vertex that is not finite. The message is one line that names the file.
    """
    copies, source, n_bytes = _load(Path(path), roots, cache, digests)
    n_numbers = sum(each.n_vertices + 3 * each.n_triangles for each in copies)
    if len(copies) > 1 or not copies[0].stands_as_it_is:
        try:
            most = FREE_USD_INSTANCES + INSTANCE_RATIO * n_bytes
            check_at_most(n_numbers, most, "vertices and corners of all instances")
        except BoundError as error:
            raise MeshError(
                f"{source}: {error}; use the file in scene.environment, where instances share one "
                "mesh"
            ) from None
    return written_out(copies)


def load_copies(
    path: str | os.PathLike[str],
    *,
    roots: Sequence[str | os.PathLike[str]] | None = None,
    cache: MeshCache | None = None,
    digests: dict[Path, str] | None = None,
) -> tuple[MeshCopies, ...]:
    """Read a mesh file as meshes with one or more poses each.

    The result is one mesh with one pose, except for large OpenUSD stages that repeat shapes.

    Parameters
    ----------
    path : path
        File whose suffix is one of ``MESH_SUFFIXES``, in any case.
    roots : sequence of paths, optional
        Folders that reading is confined to, including the files that the mesh file names; None
        means no confinement.
    cache : MeshCache, optional
        Cache of parsed files. A file found in it is not parsed again; any other file is added,
        unless it is small, see `MeshCache.keep`.
    digests : dict of Path to str, optional
        Dictionary to which the SHA-256, hexadecimal, of each file that was read is added.

    Raises
    ------
    MeshError
        The file cannot be used, as for `load_mesh`.
    """
    return _load(Path(path), roots, cache, digests)[0]


def _load(
    path: Path,
    roots: Sequence[str | os.PathLike[str]] | None,
    cache: MeshCache | None,
    digests: dict[Path, str] | None,
) -> tuple[tuple[MeshCopies, ...], MeshSource, int]:
    """Return the meshes of a file, their source, and the size of it and its companions [bytes]."""
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        raise MeshError(
            f"mesh file {path}: suffix {suffix!r} is not known, expected {' '.join(_READERS)}"
        )
    source = MeshSource(path=path, roots=roots)
    data = source.read()
    if not data:
        raise MeshError(f"{source}: is empty (0 bytes), expected {_READERS[suffix][0]}")
    copies = None if cache is None else cache.find(source)
    if copies is None:
        copies = _parsed(source, data)
        if cache is not None:
            cache.keep(copies, source, data)
    if digests is not None:
        digests.update(source.digests)
    log_not_followed(str(source), copies[0].mesh.not_followed)
    n_bytes = len(data) + sum(len(one.content) for one in source.companions.values() if one)
    return copies, source, n_bytes


def _parsed(source: MeshSource, data: bytes) -> tuple[MeshCopies, ...]:
    """Parse the content of a file; any exception of a reader becomes a MeshError of one line."""
    label, reader = _READERS[source.path.suffix.lower()]
    try:
        with np.errstate(all="ignore"):  # _mesh refuses vertices that are not finite
            return _copies(source, reader(data, source))
    except MeshError:
        raise
    except Exception as err:
        # A damaged file may make a third-party reader raise anything: the caller gets one line.
        cause = " ".join(str(err).split())[:_CAUSE_LENGTH] or "no reason given"
        raise MeshError(
            f"{source}: cannot be read as {label}: {cause} ({type(err).__name__})"
        ) from err


def _has_area(surface: Surface) -> bool:
    """Return whether any face has an area; also True if one of its vertices is not finite."""
    first, second, third = (surface.vertices[surface.faces[:, k]] for k in range(3))
    return bool(np.cross(second - first, third - first).any())


def _copies(source: MeshSource, surface: Surface) -> tuple[MeshCopies, ...]:
    """Return a reader's surface as meshes, one for each group of faces."""
    if len(surface.faces) == 0:
        raise MeshError(f"{source}: has no faces, expected at least one triangle")
    if not _has_area(surface):
        raise MeshError(
            f"{source}: has no area: all of its {len(surface.faces)} faces are lines or points"
        )
    slot, materials = _slots_by_first_appearance(surface)
    if len(materials) > _MAX_SLOTS:
        raise MeshError(f"{source}: has {len(materials)} materials, expected <= {_MAX_SLOTS}")
    groups = surface.groups or (FaceGroup(len(surface.faces), np.eye(4)[None]),)
    found = []
    first = 0
    for n_face, places in groups:
        rows = slice(first, first + n_face)
        part = replace(surface, faces=surface.faces[rows], materials=materials)
        if len(groups) > 1:  # each has vertices of its own, one group after the other
            low, high = part.faces.min(), part.faces.max() + 1
            part = replace(part, vertices=part.vertices[low:high], faces=part.faces - low)
        found.append(MeshCopies(_mesh(source, part, slot[rows]), places))
        first += n_face
    if surface.groups:
        _check_places(source, outer_bounds_m(found), np.arange(2))
    return tuple(found)


def _mesh(source: MeshSource, surface: Surface, slot: NDArray[np.intp]) -> Mesh:
    """Return a surface as a Mesh: only the vertices in use, relative to their common centre."""
    used = np.zeros(len(surface.vertices), dtype=bool)
    used[surface.faces] = True
    vertices = surface.vertices[used]
    _check_places(source, vertices, np.flatnonzero(used))
    if len(vertices) >= _MAX_VERTICES:
        raise MeshError(f"{source}: has {len(vertices)} vertices, expected < {_MAX_VERTICES}")
    lowest, highest = vertices.min(axis=0), vertices.max(axis=0)
    origin_m = lowest + 0.5 * (highest - lowest)
    uv = {} if surface.uv is None else {"uv": surface.uv[used].astype(np.float32)}
    bound = surface.bound or unbound(0)
    return Mesh(
        name=source.path.name,
        vertices_m=(vertices - origin_m).astype(np.float32),
        faces=(np.cumsum(used) - 1)[surface.faces].astype(np.uint32),
        slot=slot.astype(np.uint16),
        materials=tuple(surface.materials),
        origin_m=origin_m,
        bones=tuple(surface.bones),
        bone=bound.bone[used[: len(bound.bone)]],
        weight=bound.weight[used[: len(bound.weight)]],
        not_followed=source.unfollowed.kinds,
        **uv,
    )


def _check_places(
    source: MeshSource, vertices: NDArray[np.float64], number: NDArray[np.intp]
) -> None:
    """Check that vertices are finite, not too far away and not too far apart.

    ``number`` has their indices in the file, for messages.
    """
    bad = np.flatnonzero(~(np.abs(vertices) <= _MAX_PLACE).all(axis=1))
    if len(bad):
        raise MeshError(
            f"{source}: vertex {number[bad[0]]} is {vertices[bad[0]].tolist()}, expected finite"
            f" numbers up to {_MAX_PLACE:g} ({len(bad)} such vertices)"
        )
    size = float(np.ptp(vertices, axis=0).max())
    if size > _MAX_SIZE:
        raise MeshError(f"{source}: is {size:g} across, expected at most {_MAX_SIZE:g}")


def _slots_by_first_appearance(
    surface: Surface,
) -> tuple[NDArray[np.intp], tuple[VisualMaterial, ...]]:
    used, first_face, index = np.unique(surface.material, return_index=True, return_inverse=True)
    order = np.argsort(first_face)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[index], tuple(surface.materials[i] for i in used[order])
