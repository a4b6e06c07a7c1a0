# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which folders and files may be read as code: those that only this user, or root, may change.

A cached kernel and an unpacked package run with the rights of the user who loads them, and anyone
can compute a digest beside them. So a folder is trusted only if it and all folders above it belong
to this user, to root, or to the owner of the program, and if neither their group nor others may
write them. A folder above may be open to others if its sticky bit is set, as in /tmp: then only
owners may rename what is inside. OpenSSH checks files of keys likewise (``safe_path`` in misc.c).

A user who may change the program needs no cache to run code. So folders above the program are not
checked, and a file inside the program, such as a shipped kernel, may be as writable as the program.

On Windows, nothing is checked: there, a user's folders are closed to others by default.
An FMU carries a copy of this file, so it imports only the standard library.
"""

from __future__ import annotations

import functools
import logging
import os
import stat
from pathlib import Path

logger = logging.getLogger(__name__)

PROGRAM = Path(__file__).resolve().parents[1]
"""The package of this file; in an FMU, its resources."""
_PROGRAM = PROGRAM.stat()
_ABOVE = frozenset((PROGRAM, *PROGRAM.parents))
_CLOSED = 0o700
_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)  # a pipe is no file, but would be waited for
_ROOT = 0


class UntrustedError(PermissionError):
    """A folder or file that another user may have written."""


def weak_point(folder: Path) -> str:
    """Return which other users may change a folder's content, and the remedy; empty: no others.

    Parameters
    ----------
    folder : Path
        The folder. If it does not exist, only the folders above it are checked.
    """
    return _weak_point(Path(os.path.realpath(folder)))


def _weak_point(folder: Path) -> str:
    """Return the same as `weak_point`, for a path that is free of symbolic links."""
    if not _has_owners():
        return ""
    inside = PROGRAM in folder.parents
    for each in (folder, *folder.parents):
        if each in _ABOVE:
            return ""
        try:
            found = each.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            return f"{each}: {error.strerror}"
        is_sticky = each != folder and bool(found.st_mode & stat.S_ISVTX)
        if why := _weakness(each, found, inside=inside, is_sticky=is_sticky):
            return why
    return ""


def is_own(folder: Path) -> bool:
    """Return whether only this user may change what is in a folder; if not, log it once."""
    try:
        own_folder(folder)
    except UntrustedError:
        return False
    return True


def own_folder(folder: Path) -> Path:
    """Return the real path of a folder that only this user may change: links are resolved.

    Raises
    ------
    UntrustedError
        Others may change the folder; this is also logged, once.
    """
    place = Path(os.path.realpath(folder))
    if why := _weak_point(place):
        _tell_once(f"{folder} is not used as a cache: {why}")
        raise UntrustedError(f"{folder}: {why}")
    return place


def make_own_folder(folder: Path) -> Path:
    """Create a folder, and missing folders above it, that only this user may enter.

    Raises
    ------
    OSError
        The folder cannot be created, or it exists and others may change it.
    """
    for each in reversed((folder, *folder.parents)):
        if not each.is_dir():
            each.mkdir(mode=_CLOSED, exist_ok=True)
    return own_folder(folder)


def read_own(file: Path) -> bytes:
    """Return the content of a file that only this user may change.

    Raises
    ------
    OSError
        The file cannot be read, is not a regular file, or others may write it.
    """
    if not _has_owners():
        return file.read_bytes()
    with os.fdopen(os.open(file, _FLAGS), "rb") as opened:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise UntrustedError(f"{file}: is not a regular file, expected one")
        if why := _weakness(file, found, inside=PROGRAM in file.parents, is_sticky=False):
            _tell_once(f"a cached file is not used: {why}")
            raise UntrustedError(why)
        return opened.read()


def _weakness(path: Path, found: os.stat_result, *, inside: bool, is_sticky: bool) -> str:
    """Return which other users may write a folder or a file, and the remedy; empty: no others."""
    if found.st_uid not in (_ROOT, os.geteuid(), _PROGRAM.st_uid):
        return f"{path} belongs to user {found.st_uid}, this process to user {os.geteuid()}"
    open_to = 0 if is_sticky else found.st_mode & _OTHERS
    if inside:  # as open as the program itself
        same = stat.S_IWGRP if found.st_gid == _PROGRAM.st_gid else 0
        open_to &= ~(_PROGRAM.st_mode & (same | stat.S_IWOTH))
    if open_to:
        who = "others" if open_to & stat.S_IWOTH else "its group"
        mode = f"{found.st_mode & 0o7777:o}"
        return f"{path} has mode {mode}, so that {who} may write it: chmod go-w {path}"
    return ""


def _has_owners() -> bool:
    """Return whether folders have owners and modes, as on all systems but Windows."""
    return hasattr(os, "geteuid")


@functools.cache
def _tell_once(text: str) -> None:
    logger.warning("%s", text)
