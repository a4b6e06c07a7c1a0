# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of an FMU before they are zipped: folders that are laid over each other."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from typing import TYPE_CHECKING

from fmu_src.errors import BuildError
from lidar_base.files.own_files import check_claim, note_claim
from lidar_base.files.unfinished import remove_left, unfinished_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

RESOURCES, BINARIES = "resources", "binaries"
DOCUMENTATION = "documentation"
"""Suffix of a file that is being written; a build that was killed leaves it behind."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX, _MODE = 3, 0o644 << 16
_PACKED = (".whl", ".png", ".zip")
"""Files that are compressed already."""


def put(root: Path, name: str, content: bytes | str) -> None:
    """Write a file of the tree; folders are created."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def copy(source: Path, root: Path, name: str) -> None:
    """Copy a file into the tree; folders are created."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, path)


def files_of(roots: Iterable[Path]) -> dict[str, Path]:
    """Return the files of several trees by their names in the FMU, sorted.

    Raises
    ------
    BuildError
        Two files have the same name.
    """
    found: dict[str, Path] = {}
    for root in roots:
        for path in root.rglob("*"):
            if path.is_file():
                name = path.relative_to(root).as_posix()
                if name in found:
                    raise BuildError(f"{name}: two files of that name in the FMU")
                found[name] = path
    return dict(sorted(found.items()))


def digest_of(files: dict[str, Path], *texts: bytes) -> str:
    """Return a hash of files, their names, and texts that belong to them."""
    digest = hashlib.sha256()
    contents = ((name, path.read_bytes()) for name, path in files.items())
    for name, content in (*(("", text) for text in texts), *contents):
        digest.update(f"{name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


def write_archive(files: dict[str, Path], target: Path) -> None:
    """Zip files so that the same content gives the same bytes; an older archive is replaced.

    Parameters
    ----------
    files : dict of str to Path
        The files by their names in the archive, in the order in which they are written.
    target : Path
        The archive. It is written under another name and then renamed, so that it is complete.

    Raises
    ------
    OSError
        A file cannot be read, or the archive cannot be written.
    """
    check_claim(target)
    remove_left(target.parent, target.name)
    unfinished = target.with_name(unfinished_name(target.name))
    try:
        with zipfile.ZipFile(unfinished, "w") as archive:
            for name, path in files.items():
                entry = zipfile.ZipInfo(name, _EPOCH)
                entry.create_system, entry.external_attr = _UNIX, _MODE
                stored = path.suffix in _PACKED
                entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
                entry.file_size = path.stat().st_size
                with path.open("rb") as source, archive.open(entry, "w") as inside:
                    shutil.copyfileobj(source, inside)
        unfinished.replace(target)
        note_claim(target)
    finally:
        unfinished.unlink(missing_ok=True)
