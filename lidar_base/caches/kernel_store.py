# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A folder of compiled kernels, a file for each.

The name of a file has a digest of all from which, and for which, its kernel was compiled. The file
begins with a digest of the same and of the file's content. So a name never stands for two different
kernels, and a file that is damaged, cut short or renamed is not used. But anyone can compute such a
digest, and a kernel is code. So folders and files that others may write are not read, see `trust`.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from lidar_base.caches.trust import make_own_folder, own_folder, read_own

SUFFIX = ".kernel"
_DIGEST_BYTES = 32
_KEPT_S = 30 * 86_400.0
"""Storing a version of a kernel deletes its versions that nobody has loaded for this time [s]."""


class Key(NamedTuple):
    """The key of a compiled kernel.

    Attributes
    ----------
    kernel : str
        Module and name of the kernel.
    made_of : str
        All that the compiled kernel depends on, as JSON: versions and settings, processor, digest
        of the source, types of the arguments.
    """

    kernel: str
    made_of: str

    @property
    def file(self) -> str:
        """Name of the file in a store: the kernel's name and a digest of the key."""
        return f"{self.kernel}-{hashlib.sha256(self.made_of.encode()).hexdigest()[:32]}{SUFFIX}"


class KernelStore:
    """A folder of compiled kernels.

    Parameters
    ----------
    folder : Path
        The folder, which `keep` creates with the first kernel.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __contains__(self, key: Key) -> bool:
        """Return whether the folder has a file for a key; the file may be damaged."""
        return (self.folder / key.file).is_file()

    def load(self, key: Key) -> bytes | None:
        """Return a stored kernel as bytes; None if absent, damaged, or writeable by other users.

        `key` is the key of the kernel. Loading sets the time of the file to now.
        """
        try:
            file = own_folder(self.folder) / key.file
            content = read_own(file)
        except OSError:
            return None
        compiled = content[_DIGEST_BYTES:]
        if content[:_DIGEST_BYTES] != _digest(key, compiled):
            return None
        with suppress(OSError):  # a folder that cannot be written
            os.utime(file)
        return compiled

    def keep(self, key: Key, compiled: bytes) -> None:
        """Store a compiled kernel. Other processes see the complete file or none.

        Versions of the same kernel that nobody has loaded for 30 days are deleted.

        Parameters
        ----------
        key : Key
            Key of the kernel; an earlier file with the same key is replaced.
        compiled : bytes
            The compiled kernel.

        Raises
        ------
        OSError
            The folder cannot be written, or others may write it.
        """
        folder = make_own_folder(self.folder)
        number, name = tempfile.mkstemp(prefix=f"{key.kernel}-", suffix=".new", dir=folder)
        work = Path(name)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(_digest(key, compiled) + compiled)
            work.chmod(0o644)
            work.replace(folder / key.file)
        finally:
            work.unlink(missing_ok=True)
        self._forget_old(key.kernel)

    def files(self) -> list[Path]:
        """Return the paths of all kernels in the folder, sorted; none without the folder."""
        return sorted(self.folder.glob(f"*{SUFFIX}"))

    def _forget_old(self, kernel: str) -> None:
        """Delete the versions of a kernel that nobody has loaded for `_KEPT_S`."""
        before = time.time() - _KEPT_S
        for file in self.folder.glob(f"{kernel}-*"):
            with suppress(OSError):
                if file.stat().st_mtime < before:
                    file.unlink()


def _digest(key: Key, compiled: bytes) -> bytes:
    return hashlib.sha256(key.made_of.encode() + b"\n" + compiled).digest()
