# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays whose memory is reused once no other reference to it exists."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_SPARE = 1.125
"""Factor by which memory is larger than requested: most scans are about as large as the last."""


class Buffers:
    """Provides arrays, as ``numpy.empty`` does, in memory that is reused.

    A scan's arrays have some megabytes each. For new arrays the system would have to find and clear
    pages in each step, which takes as long as tracing some of the rays. Keep an array for as long
    as needed: its memory is reused only when no array and no view refers to it any more.
    """

    def __init__(self) -> None:
        self._memory: list[NDArray[np.uint8]] = []

    def empty(self, n: int, dtype: DTypeLike) -> NDArray[Any]:
        """Return an array of n undefined elements."""
        size = n * np.dtype(dtype).itemsize
        free = [i for i in range(len(self._memory)) if _references(self._memory, i) == _UNUSED]
        fitting = [i for i in free if self._memory[i].size >= size]
        if fitting:
            chosen = min(fitting, key=lambda i: self._memory[i].size)
        else:
            for i in reversed(free):  # too small for this request
                del self._memory[i]
            self._memory.append(np.empty(int(size * _SPARE), np.uint8))
            chosen = -1
        return self._memory[chosen][:size].view(dtype)


def _references(memory: list[NDArray[np.uint8]], index: int) -> int:
    return sys.getrefcount(memory[index])


_UNUSED = _references([np.empty(0, np.uint8)], 0)
"""Reference count of memory that only its list refers to."""
