# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of unfinished files, and which of them a killed process has left.

The name of an unfinished file identifies the process that writes it: by a hash of the machine, its
boot and the process's namespace, by the process number, and by the time at which the process
started. So no other process is taken for the writer: neither one with the same number, nor one in a
container with the same host name, nor one on another host. Files of other machines or containers
count as left behind after a week without a change. Locks would be more reliable, but not every
network file system has them.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

UNFINISHED = re.compile(
    r"\.(?P<name>.+)\.(?P<machine>[0-9a-f]{8})-(?P<process>\d+)-(?P<start>\d+)\.part", re.DOTALL
)
"""Pattern of the names of unfinished files, such as `unfinished_name` returns: the final name, and
the machine, number and start of the process that writes the file."""
OLD_S = 7 * 86400.0
"""Age from which an unfinished file of an unknown process counts as left behind. [s]"""
_ENDED = "ZX"  # states of Linux: a zombie, dead


def unfinished_name(name: str) -> str:
    """Return the temporary name under which this process writes a file or a folder.

    ``name`` is the final name, which the file gets once it is complete.
    """
    return f".{name}.{_writer(os.getpid())}.part"


def left_behind(folder: Path, name: str | None = None) -> Iterator[Path]:
    """Yield the unfinished files and folders of killed processes in a folder.

    Parameters
    ----------
    folder : Path
        The folder; folders below it are not searched.
    name : str, optional
        Final name of the files to find; default: all names.

    Raises
    ------
    OSError
        If the folder cannot be read.
    """
    for path in sorted(folder.iterdir()):
        found = UNFINISHED.fullmatch(path.name)
        if (
            found
            and name in {None, found["name"]}
            and not path.is_symlink()
            and _is_dead(path, found)
        ):
            yield path


def remove_left(folder: Path, name: str | None = None) -> None:
    """Remove the unfinished files and folders of killed processes in a folder.

    ``name`` is the final name of the files to remove; default: all names. Errors are ignored.
    """
    with suppress(OSError):
        for path in left_behind(folder, name):
            remove_tree(path)


def remove_tree(path: Path) -> None:
    """Remove the file or folder at ``path`` with all that is in it, if it exists.

    Links are removed, but not followed. Errors are ignored, so that something may be left.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink()


@cache
def _writer(process: int) -> str:
    """Return the text in `unfinished_name` that identifies a process; a fork has another number."""
    return f"{machine()}-{process}-{_start_of(process) or 0}"


@cache
def machine() -> str:
    """Return eight hexadecimal digits that identify this machine, its boot and this container."""
    words = [socket.gethostname()]
    with suppress(OSError):
        words.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
    with suppress(OSError):
        words.append(str(Path("/proc/self/ns/pid").readlink()))
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:8]


def _is_dead(path: Path, found: re.Match[str]) -> bool:
    """Return whether the process that wrote under a name has certainly ended."""
    if found["machine"] == machine():
        return not _is_alive(int(found["process"]), int(found["start"]))
    return time.time() - _last_change_s(path) > OLD_S


def _is_alive(process: int, start: int) -> bool:
    """Return whether a process of this machine runs; always True on Windows."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    started = _start_of(process)
    return started is None or not start or started == start


def _start_of(process: int) -> int | None:
    """Return the start time of a process, in clock ticks since boot; 0: ended, None: unknown."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()  # man 5 proc: the third field, and the rest
    return 0 if state in _ENDED else int(fields[18])


def _last_change_s(path: Path) -> float:
    """Return the time of the last change in a file or folder [s]; now if it is not known."""
    try:
        inner = path.rglob("*") if path.is_dir() else ()
        return float(max(each.lstat().st_mtime for each in (path, *inner)))
    except OSError:
        return time.time()
