# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns of processes that need the same kernel: one compiles it, the others wait and load it."""

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
"""How long a process waits for another one, before it compiles for itself."""
_LOOK_S = 0.05
_held: dict[Path, BinaryIO] = {}


def take_turn(file: Path) -> None:
    """Wait until no other process has the turn that a file stands for, and take it.

    The end of a process ends its turns. Where files cannot be locked, or it takes too long, all go
    on at once: a kernel that several compile is the same.
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
    """Let the next process have a turn; nothing is done without one."""
    lock = _held.pop(file, None)
    if lock is not None:
        with suppress(OSError):
            file.unlink()
        lock.close()


def _is_taken(lock: BinaryIO) -> bool:
    """Return whether a file could be locked; False while another process has it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
