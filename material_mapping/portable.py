# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""List of the files that materials are read from, to copy a configuration to another machine.

Every function returns files by the path at which a run looks for them. For a symbolic link this
is the path of the link, not of its target: relative paths in the file start at the link.
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
    """Return the kind of a folder of infrared materials, and the files in it that a run may read.

    Parameters
    ----------
    folder, kind : Path, str
        As for `open_database`.
    names : collection of str
        Materials of this folder that the run uses. Only the files of these materials are
        returned. For OpenMATERIAL 3D, the files of all materials and mapping tables are, since
        meshes may refer to them.

    Returns
    -------
    str, dict of Path to Path
        The kind, never ``auto``; and the files, as a dict from the path at which a run looks for a
        file (links not resolved) to the path of the file itself.

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
    """Return the files that an OpenMATERIAL 3D file refers to, directly or through others.

    The result is a dict from the path at which a run looks for a file (links not resolved) to the
    path of the file itself. ``file`` is not included. Missing files are left out, and so are files
    that only an unreadable file refers to, since the run reports them.

    Parameters
    ----------
    file : Path
        An asset (.xoma), a mapping table (.xomm) or a material (.xomp).
    roots : sequence of Path
        Folders that paths may lead into. A run does not read files elsewhere, so such files are
        left out.
    place : Path, optional
        Path by which a run opens ``file``, such as a link to it; relative paths in it start there.
        Default: `file`.

    Raises
    ------
    DatabaseError
        A path is absolute, and so valid on this machine only.
    """
    found: dict[Path, Path] = {}
    _follow(place or file, file, file.suffix.lower(), roots, found)
    return found


def _follow(
    place: Path, file: Path, suffix: str, roots: Sequence[Path], found: dict[Path, Path]
) -> None:
    """Add the files that a file refers to when it is read at a given place."""
    if suffix == _TABLE:
        return
    try:
        document = read_json(file)
        named = list(_named(document, suffix))
    except DatabaseError:  # reported when the file is used
        return
    for uri, inner_suffix, keys in named:
        try:
            target = document.follow(uri, roots, inner_suffix, *keys)
        except DatabaseError:  # as above
            continue
        written = Path(uri.replace("\\", "/"))
        if written.is_absolute():
            problem = "an absolute path is valid on this machine only"
            raise document.error(f"{shown(uri)}: {problem}, expected a relative one", *keys)
        as_written = (file.parent / written).resolve() == target
        inner = place.parent / (written if as_written else written.name)
        inner = Path(os.path.normpath(inner))
        if inner not in found:
            found[inner] = target
            _follow(inner, target, inner_suffix, roots, found)


def _named(document: JsonFile, suffix: str) -> Iterator[tuple[str, str, tuple[str | int, ...]]]:
    """Yield each path that a file names, the suffix that it must have, and its keys in the file."""
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
