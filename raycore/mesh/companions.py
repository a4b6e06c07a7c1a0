# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Companion files of a mesh file: the other files that its reader opens, for copying a mesh."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from raycore.mesh.gltf.materials import base_color_files
from raycore.mesh.gltf.reading import header_of_glb, header_of_gltf
from raycore.mesh.obj import library_names
from raycore.mesh.readers import MeshSource, places_beside
from raycore.mesh.suffixes import USD_SUFFIXES
from raycore.mesh.usd.reading import layer_names

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence


def companion_files(
    path: str | os.PathLike[str],
    *,
    roots: Sequence[str | os.PathLike[str]] | None = None,
    images: bool = False,
) -> dict[str, Path]:
    """Return the companion files of a mesh file: material libraries, glTF buffers, USD layers.

    Parameters
    ----------
    path : path
        The mesh file.
    roots : sequence of paths, optional
        Folders in which files may lie; others are left out. None means any folder.
    images : bool
        Whether to include the images that ``base_color_images`` reads.

    Returns
    -------
    dict of str to Path
        The files that exist, keyed by the paths at which ``load_mesh`` looks for them, relative to
        the mesh file's folder. If the mesh file names a companion by an absolute path, the key is
        the bare file name, because ``load_mesh`` also looks right beside the mesh file. Empty if
        the mesh file cannot be read.
    """
    path = Path(path)
    found: dict[str, Path] = {}
    for name in _names(MeshSource(path=path, roots=roots), images=images):
        for tried in map(Path, places_beside(name)):
            file = path.parent / tried
            place = tried.name if tried.is_absolute() else tried.as_posix()
            if _is_allowed(file, roots):
                found.setdefault(place, file)
    return found


def _is_allowed(file: Path, roots: Sequence[str | os.PathLike[str]] | None) -> bool:
    try:
        real = file.resolve(strict=True)
        allowed = roots is None or any(real.is_relative_to(Path(root).resolve()) for root in roots)
        return allowed and real.is_file()
    except (OSError, ValueError, RuntimeError):  # absent, a null byte, a loop of links
        return False


def _names(source: MeshSource, *, images: bool) -> list[str]:
    """Return the paths that a mesh file names; none if it is unreadable, as ``load_mesh`` says."""
    suffix = source.path.suffix.lower()
    try:
        if suffix == ".obj":
            return library_names(source.read())
        if suffix == ".gltf":
            return _names_in(header_of_gltf(source.read()), images=images)
        if suffix == ".glb":
            return _names_in(header_of_glb(source.read(), source)[0], images=images)
        if suffix in USD_SUFFIXES:
            return layer_names(source)
    except Exception:  # noqa: BLE001  a damaged file may raise anything
        return []
    return []


def _names_in(header: dict[str, Any], *, images: bool) -> list[str]:
    named = [*header.get("buffers", []), *(base_color_files(header) if images else [])]
    uris = [each["uri"] for each in named if "uri" in each]
    return [unquote(uri) for uri in uris if len(urlsplit(uri).scheme) <= 1]
