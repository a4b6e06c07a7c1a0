# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Locks for processes that need the same kernel: one compiles it, the others wait and load it."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

from lidar_base.caches.trust import make_own_folder

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from pathlib import Path

LONGEST_S = 300.0
"""How long a process waits for another one, before it compiles the kernel itself. [s]"""
_LOOK_S = 0.05
_held: dict[Path, BinaryIO] = {}


def take_turn(file: Path) -> None:
    """Wait until no other process holds the lock on a file, and take the lock.

    The end of a process releases its locks. If files cannot be locked, or the wait exceeds
    `LONGEST_S`, the process goes on without the lock. Then several processes compile the same
    kernel, with the same result.
    """
    if sys.platform == "win32" or file in _held:
        return
    until = time.monotonic() + LONGEST_S
    with suppress(OSError):
        make_own_folder(file.parent)
        lock = file.open("wb")
        try:
            while not _is_taken(lock):
                if time.monotonic() > until:
                    return
                time.sleep(_LOOK_S)
            _held[file] = lock
        finally:
            if file not in _held:
                lock.close()


def end_turn(file: Path) -> None:
    """Release the lock on a file; do nothing if this process does not hold it."""
    lock = _held.pop(file, None)
    if lock is not None:
        with suppress(OSError):
            file.unlink()
        lock.close()


def _is_taken(lock: BinaryIO) -> bool:
    """Try to lock a file; return False while another process holds the lock."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
