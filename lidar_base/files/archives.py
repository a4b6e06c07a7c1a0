# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Zip archives whose bytes depend on their content alone."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from typing import TYPE_CHECKING

from lidar_base.files.bounds import FREE_UNPACKED_BYTES, most_unpacked
from lidar_base.files.own_files import check_claim, note_claim
from lidar_base.files.unfinished import remove_left, unfinished_name

if TYPE_CHECKING:
    from pathlib import Path

_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX, _MODE = 3, 0o644 << 16
_PACKED = (".gz", ".jpeg", ".jpg", ".png", ".whl", ".xz", ".zip")
"""Files that are compressed already."""
_BLOCK_BYTES = 2**20


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
    OutputError
        The target exists and an earlier run has not written it, see `own_files.claimed`.
    """
    check_claim(target)
    remove_left(target.parent, target.name)
    unfinished = target.with_name(unfinished_name(target.name))
    try:
        with zipfile.ZipFile(unfinished, "w") as archive:
            for name, path in files.items():
                entry = zipfile.ZipInfo(name, _EPOCH)
                entry.create_system, entry.external_attr = _UNIX, _MODE
                stored = path.suffix in _PACKED or _is_beyond_bounds(path)
                entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
                entry.file_size = path.stat().st_size
                with path.open("rb") as source, archive.open(entry, "w") as inside:
                    shutil.copyfileobj(source, inside)
        unfinished.replace(target)
        note_claim(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _is_beyond_bounds(path: Path) -> bool:
    """Return whether compressing a file would make it so small that our reader refuses it.

    The reader bounds how many bytes a packed byte may stand for, see `bounds`.
    """
    if path.stat().st_size <= FREE_UNPACKED_BYTES:
        return False
    packer = zlib.compressobj()
    n_packed = 0
    with path.open("rb") as source:
        while block := source.read(_BLOCK_BYTES):
            n_packed += len(packer.compress(block))
    return path.stat().st_size > most_unpacked(n_packed)
