# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory without copies: arrays in memory that is reused, bytes that are filled in place."""

from __future__ import annotations

import ctypes
import mmap
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_make = ctypes.pythonapi.PyBytes_FromStringAndSize
_make.restype, _make.argtypes = ctypes.py_object, (ctypes.c_char_p, ctypes.c_ssize_t)
_address = ctypes.pythonapi.PyBytes_AsString
_address.restype, _address.argtypes = ctypes.c_void_p, (ctypes.py_object,)

_HUGE_PAGES: int | None = getattr(mmap, "MADV_HUGEPAGE", None)  # of Linux
if _HUGE_PAGES is not None:
    _advise = ctypes.pythonapi.madvise  # of the C library
    _advise.restype = ctypes.c_int
    _advise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_HUGE_FROM = 1 << 22  # bytes, as of numpy's arrays

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
        """Return an array (n,) of undefined elements, in reused memory if there is enough.

        Parameters
        ----------
        n : int
            Number of elements.
        dtype : dtype
            Type of the elements.
        """
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

    def several(self, *arrays: tuple[int, DTypeLike]) -> list[NDArray[Any]]:
        """Return several arrays of undefined elements, in reused memory if there is enough.

        Each of `arrays` is a tuple (number of elements, dtype). The list has an array (n,) for
        each.
        """
        return [self.empty(n, dtype) for n, dtype in arrays]


def _references(memory: list[NDArray[np.uint8]], index: int) -> int:
    return sys.getrefcount(memory[index])


_UNUSED = _references([np.empty(0, np.uint8)], 0)
"""Reference count of memory that only its list refers to."""


class _Content:
    """Gives numpy a writeable array over a bytes object, and keeps that object alive."""

    def __init__(self, owner: bytes) -> None:
        self._owner = owner
        self.__array_interface__: dict[str, Any] = {
            "data": (_address(owner), False),
            "shape": (len(owner),),
            "typestr": "|u1",
            "version": 3,
        }


def new_bytes(size: int) -> tuple[bytes, NDArray[np.uint8]]:
    """Return a bytes object of undefined content, and an array in which to write its content.

    The array and the bytes object share memory, so nothing is copied. CPython allows this while
    nothing else refers to the bytes object: its C API creates one without content, to be filled in.

    Parameters
    ----------
    size : int
        Number of bytes.
    """
    made: bytes = _make(None, size)
    if size >= _HUGE_FROM:
        _ask_for_huge_pages(_address(made), size)
    if not size:
        return made, np.empty(0, np.uint8)  # the empty bytes object is shared
    return made, np.asarray(_Content(made))


def _ask_for_huge_pages(address: int, size: int) -> None:
    """Ask the system for pages of 2 MiB, if it has them: it clears those in a fifth of the time."""
    if _HUGE_PAGES is None:
        return
    first = -(-address // mmap.PAGESIZE) * mmap.PAGESIZE
    whole = (address + size - first) // mmap.PAGESIZE * mmap.PAGESIZE
    _advise(first, whole, _HUGE_PAGES)  # if the system refuses, pages stay small
