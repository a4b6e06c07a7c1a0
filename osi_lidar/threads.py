# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How the threads of a process share the cores with all else that runs there."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from contextlib import suppress

LOOKS = 10_000
"""How often a waiting thread looks for work before it sleeps: for a few tenths of a millisecond."""
LESS_URGENT = 5
"""By how much the niceness of what can wait is higher."""
_LIBRARY = "libgomp.so.1"  # what numba's threads are made with, on Linux
_CHOSEN = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")


def sleep_soon() -> None:
    """Have threads that wait for a kernel's next part give their core away soon.

    GNU OpenMP lets them look for work for some 5 ms, half a step, after each kernel: they keep
    their cores from whatever else a co-simulation runs, and a thread that is needed waits until
    those have had their turn. The library takes its settings when it is loaded, so it is loaded
    here; the environment stays as it was. Who has chosen in the environment is left alone.
    """
    if any(name in os.environ for name in _CHOSEN):
        return
    os.environ[_CHOSEN[0]] = str(LOOKS)
    try:
        with suppress(OSError):  # there is none: other systems, other libraries
            ctypes.CDLL(_LIBRARY)
    finally:
        del os.environ[_CHOSEN[0]]


def give_way() -> None:
    """Let other threads go before the one that calls this (Linux only)."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        nice = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, nice + LESS_URGENT)
