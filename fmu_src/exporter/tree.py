# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of an FMU before zipping: several folders whose contents are merged in the FMU."""

from __future__ import annotations

import hashlib
import shutil
from typing import TYPE_CHECKING

from fmu_src.errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

RESOURCES, BINARIES = "resources", "binaries"
DOCUMENTATION = "documentation"


def put(root: Path, name: str, content: bytes | str) -> None:
    """Write one file of an FMU; missing folders are created, and an existing file is replaced.

    ``root`` is the folder with the FMU's files, and ``name`` the path of the file in it, with "/".
    ``content`` is the whole content; a text is written in UTF-8.
    """
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def copy(source: Path, root: Path, name: str) -> None:
    """Copy a file into an FMU; missing folders are created, and an existing file is replaced.

    ``source`` is the file. ``root`` is the folder with the FMU's files, and ``name`` the path of
    the copy in it, with "/".
    """
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, path)


def files_of(roots: Iterable[Path]) -> dict[str, Path]:
    """Return the files in several folders whose contents together make an FMU.

    ``roots`` are the folders, each searched with its sub-folders.

    Returns
    -------
    dict of str to Path
        The existing file by its path in the FMU (relative to its folder, with "/"), sorted by it.

    Raises
    ------
    BuildError
        Two files have the same path in the FMU.
    """
    found: dict[str, Path] = {}
    for root in roots:
        for path in root.rglob("*"):
            if path.is_file():
                name = path.relative_to(root).as_posix()
                if name in found:
                    raise BuildError(f"{name}: the FMU would contain two files of this name")
                found[name] = path
    return dict(sorted(found.items()))


def digest_of(files: dict[str, Path], *texts: bytes) -> str:
    """Return the SHA-256, hexadecimal, of files with their names, and of further texts.

    ``files`` has the files by their paths in the FMU. The result depends on the order of files and
    of texts.
    """
    digest = hashlib.sha256()
    contents = ((name, path.read_bytes()) for name, path in files.items())
    for name, content in (*(("", text) for text in texts), *contents):
        digest.update(f"{name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()
