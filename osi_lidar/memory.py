# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How a process of ours asks the system for memory."""

from __future__ import annotations

import ctypes
import platform

# of mallopt(3)
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST_KEPT = 2**25  # glibc allows no more
_MOST_KEPT = 2**29


def keep_memory() -> None:
    """Let this process keep the memory of arrays that it frees, for the next ones (glibc only).

    A scan's arrays have some megabytes each. glibc would give such memory back and ask for new
    pages in the next step, and the system would clear them: half of a step on some machines.
    Only for processes of our own: the setting holds for all that runs in one.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    libc = ctypes.CDLL(None)
    libc.mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT)
    libc.mallopt(_TRIM_THRESHOLD, _MOST_KEPT)
