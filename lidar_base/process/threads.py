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
    """Set up a process of osi-lidar: freed memory is kept, waiting threads sleep soon.

    Both settings hold for all that runs in the process, so other programs choose them themselves.
    Call it before the first kernel runs.
    """
    keep_memory()
    sleep_soon()


def threading_layer() -> str:
    """Return the threading layer of the kernels, by its name in numba.

    A layer stays for as long as the process runs: this call starts it, unless a kernel has. Which
    one numba takes, see `lidar_base.compiled.choose_layer`.
    """
    # the help of the command line does without them
    from lidar_base.compiled import choose_layer  # noqa: PLC0415
    from lidar_base.dispatchers.serial_calls import running_layer  # noqa: PLC0415

    choose_layer()
    return running_layer()


def threads_in_words() -> str:
    """Return number and layer of the threads of kernels, such as "8 threads of omp".

    As `threading_layer`, this starts the threads.
    """
    import numba  # noqa: PLC0415  the help of the command line does without it

    layer = threading_layer()
    number = int(numba.get_num_threads())
    return f"{number} thread{'s' if number > 1 else ''} of {layer}"


def sleep_soon() -> None:
    """Let threads that wait for the next kernel release their core soon.

    GNU OpenMP lets them spin for some 5 ms, half a step, after each kernel. They keep their cores
    from the other programs of a co-simulation, and a thread that is needed has to wait for those.
    The library takes its settings when it is loaded, so it is loaded here; the environment stays as
    it was. If either variable is set already, nothing is changed.

    The setting is that of the layer ``omp`` on Linux. Threads of ``workqueue`` sleep at once, and
    those of ``tbb`` after a short search of their own, which has no setting. LLVM's OpenMP (macOS)
    takes ``KMP_BLOCKTIME`` from the environment, in milliseconds.
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
