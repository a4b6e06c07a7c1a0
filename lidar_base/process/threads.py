# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of a process: how its threads run and wait, and how it keeps memory."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import threading
from contextlib import suppress

LOOKS = 10_000
"""How often a waiting thread looks for work before it sleeps: for a few tenths of a millisecond."""
LESS_URGENT = 5
"""Increase of the niceness of threads that can wait."""
_OPENMP = "libgomp.so.1"  # GNU OpenMP, which numba's layer "omp" uses on Linux
_SPINNING = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")

# of mallopt(3)
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGEST_KEPT = 2**25  # glibc allows no more
_MOST_KEPT = 2**29


def set_up_process() -> None:
    """Let a process keep freed memory, and let its waiting threads release their cores soon.

    This calls `keep_memory` and `sleep_soon`. Call it before the first kernel runs, in a process
    that runs only osi-lidar: both settings affect all code in the process. A program that uses
    osi-lidar as a library decides for itself whether to call this.
    """
    keep_memory()
    sleep_soon()


def threading_layer() -> str:
    """Return the threading layer of the kernels, by its name in numba.

    This call starts the layer, unless a kernel has already done so. The layer of a process never
    changes. `lidar_base.compiled.choose_layer` says which layer numba takes.
    """
    # the help of the command line does without them
    from lidar_base.compiled import choose_layer  # noqa: PLC0415
    from lidar_base.dispatchers.serial_calls import running_layer  # noqa: PLC0415

    choose_layer()
    return running_layer()


def threads_in_words() -> str:
    """Return number and layer of the threads of kernels, such as "8 threads of omp".

    This call starts the threads, as `threading_layer` does.
    """
    import numba  # noqa: PLC0415  the help of the command line does without it

    layer = threading_layer()
    number = int(numba.get_num_threads())
    return f"{number} thread{'s' if number > 1 else ''} of {layer}"


def sleep_soon() -> None:
    """Let threads that wait for the next kernel release their core soon (layer ``omp``, Linux).

    By default, threads of GNU OpenMP spin for some 5 ms after each kernel, which is half a step.
    Meanwhile they keep their cores from the other programs of a co-simulation. GNU OpenMP reads
    its settings when it is loaded, so this function sets ``GOMP_SPINCOUNT``, loads it, and restores
    the environment. If ``GOMP_SPINCOUNT`` or ``OMP_WAIT_POLICY`` is already set, nothing changes.

    Other layers have no such setting: threads of ``workqueue`` sleep at once, and threads of
    ``tbb`` after a short search for work. LLVM's OpenMP (macOS) reads ``KMP_BLOCKTIME`` [ms] from
    the environment.
    """
    if any(name in os.environ for name in _SPINNING):
        return
    os.environ[_SPINNING[0]] = str(LOOKS)
    try:
        with suppress(OSError):  # there is none: other systems, other libraries
            ctypes.CDLL(_OPENMP)
    finally:
        del os.environ[_SPINNING[0]]


def give_way() -> None:
    """Lower the priority of the calling thread (Linux only)."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        nice = os.getpriority(os.PRIO_PROCESS, thread)
        os.setpriority(os.PRIO_PROCESS, thread, nice + LESS_URGENT)


def keep_memory() -> None:
    """Let this process keep the memory of freed arrays for later arrays (glibc only).

    A scan's arrays have some megabytes each. By default, glibc returns such memory to the system
    and requests new pages in the next step. The system clears these pages, which takes half of a
    step on some machines. Call this only in a process that runs osi-lidar alone.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    libc = ctypes.CDLL(None)
    libc.mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT)
    libc.mallopt(_TRIM_THRESHOLD, _MOST_KEPT)
