# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A bytes object that is filled in place, without a copy."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_make = ctypes.pythonapi.PyBytes_FromStringAndSize
_make.restype, _make.argtypes = ctypes.py_object, (ctypes.c_char_p, ctypes.c_ssize_t)
_address = ctypes.pythonapi.PyBytes_AsString
_address.restype, _address.argtypes = ctypes.c_void_p, (ctypes.py_object,)


class _Content:
    """Array interface of a bytes object, which it keeps alive."""

    def __init__(self, owner: bytes) -> None:
        self._owner = owner
        self.__array_interface__: dict[str, Any] = {
            "data": (_address(owner), False),
            "shape": (len(owner),),
            "typestr": "|u1",
            "version": 3,
        }


def new_bytes(size: int) -> tuple[bytes, NDArray[np.uint8]]:
    """Return a bytes object of undefined content, and an array over it to write that content.

    CPython allows this as long as no other reference exists: by its C API, a bytes object that was
    created without content is filled in afterwards.

    Parameters
    ----------
    size : int
        Number of bytes.
    """
    made: bytes = _make(None, size)
    if not size:
        return made, np.empty(0, np.uint8)  # the empty bytes object is shared
    return made, np.asarray(_Content(made))
