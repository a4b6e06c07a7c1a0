# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which files materials are read from, for whoever takes a configuration elsewhere.

Every function returns files by the paths at which they are looked for. These are not always the
files' own: what a link leads to is read at the link's place, and its paths count from there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from material_mapping.databases.opening import FileDatabase, kind_of, open_database
from material_mapping.databases.openmaterial.asset import TOP
from material_mapping.databases.openmaterial.json_files import read_json, shown
from material_mapping.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from material_mapping.databases.opening import Kind
    from material_mapping.databases.openmaterial.json_files import JsonFile

_TABLE = ".xompt"


def files_of_database(
    folder: Path, *, kind: Kind = "auto", names: Collection[str]
) -> tuple[Kind, dict[Path, Path]]:
    """Return what a folder of infrared materials holds, and its files that a run may read.

    Parameters
    ----------
    folder, kind : Path, str
        As of `open_database`.
    names : collection of str
        Materials of this folder that the run uses. Of spectra and curves, only their files are
        given; OpenMATERIAL 3D materials are given all, since meshes may name them.

    Returns
    -------
    str, dict of Path to Path
        The kind, never ``auto``, and the files by their places.

    Raises
    ------
    DatabaseError
        See `open_database` and `files_of_material`.
    """
    found = kind_of(folder) if kind == "auto" else kind
    if found != "openmaterial":
        database = open_database(folder, kind=found)
        assert isinstance(database, FileDatabase)  # noqa: S101  the other kinds are
        return found, {file: file for name, file in database.files.items() if name in names}
    files: dict[Path, Path] = {}
    for file in sorted([*folder.rglob("*.xomp"), *folder.rglob("*.xomm")]):
        if file.is_file():
            files |= {file: file, **files_of_material(file, [folder])}
    return found, files


def files_of_material(
    file: Path, roots: Sequence[Path], *, place: Path | None = None
) -> dict[Path, Path]:
    """Return the files that an OpenMATERIAL 3D file leads to, by their places.

    Parameters
    ----------
    file : Path
        An asset (.xoma), a mapping table (.xomm) or a material (.xomp).
    roots : sequence of Path
        Folders that paths may lead into; what leads elsewhere is not read, and left out here.
    place : Path, optional
        Where the file is looked for, by default where it is.

    Raises
    ------
    DatabaseError
        A path is absolute, and so leads to its file on this machine alone.
    """
    found: dict[Path, Path] = {}
    _follow(place or file, file, file.suffix.lower(), roots, found)
    return found


def _follow(
    place: Path, file: Path, suffix: str, roots: Sequence[Path], found: dict[Path, Path]
) -> None:
    """Add what a file leads to, if it is read as if it lay at a place."""
    if suffix == _TABLE:
        return
    try:
        document = read_json(file)
        named = list(_named(document, suffix))
    except DatabaseError:  # said when it is used
        return
    for uri, inner_suffix, keys in named:
        try:
            target = document.follow(uri, roots, inner_suffix, *keys)
        except DatabaseError:  # as above
            continue
        written = Path(uri.replace("\\", "/"))
        if written.is_absolute():
            problem = "an absolute path leads to its file on this machine alone"
            raise document.error(f"{shown(uri)}: {problem}, expected a relative one", *keys)
        as_written = (file.parent / written).resolve() == target
        inner = place.parent / (written if as_written else written.name)
        inner = Path(os.path.normpath(inner))
        if inner not in found:
            found[inner] = target
            _follow(inner, target, inner_suffix, roots, found)


def _named(document: JsonFile, suffix: str) -> Iterator[tuple[str, str, tuple[str | int, ...]]]:
    """Yield the paths that a file names, each with the suffix it must have, and its keys."""
    if suffix == ".xoma":
        uri = document.word("materialMappingUri")
        if uri:
            yield uri, ".xomm", ("materialMappingUri",)
    elif suffix == ".xomm":
        rows = document.texts("materialMapping", width=3, meaning="a row")
        for index, (_, uri, _) in enumerate(rows):
            yield uri, ".xomp", ("materialMapping", index)
    elif suffix == ".xomp":
        for index, uri in enumerate(document.words(TOP, "brdfUris")):
            yield uri, _TABLE, (TOP, "brdfUris", index)
        uri = document.word(TOP, "opticalPropertiesUri")
        if uri:
            yield uri, _TABLE, (TOP, "opticalPropertiesUri")
