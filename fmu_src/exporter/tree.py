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
    """Return the files of several folder trees by their paths in the FMU, sorted.

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
