# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The number of threads that kernels use."""

from collections.abc import Iterator
from contextlib import contextmanager

import numba


@contextmanager
def kernel_threads(n_threads: int) -> Iterator[None]:
    """Let kernels use so many threads, or all that the process has if these are fewer."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(n_threads, numba.config.NUMBA_NUM_THREADS))
    try:
        yield
    finally:
        numba.set_num_threads(before)
