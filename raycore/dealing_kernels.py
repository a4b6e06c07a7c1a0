# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How threads share the blocks of a kernel: who is done takes the next one.

If blocks were dealt out beforehand, a thread that another process or the writing of files keeps
from its core would let all others wait for its share.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from raycore.compiled import njit


@intrinsic
def _take_and_add_one(_typing_context, _address):
    """Return the 64 bit number at an address and add one to it, as one step for all threads."""

    def generate(_context, builder, _signature, arguments):
        word = ir.IntType(64)
        number = builder.inttoptr(arguments[0], word.as_pointer())
        return builder.atomic_rmw("add", number, word(1), "monotonic")

    return types.int64(types.intp), generate


@njit(cache=True, nogil=True, inline="always")
def new_deal():
    """Return what threads take blocks from."""
    return np.zeros(1, np.int64)


@njit(cache=True, nogil=True, inline="always")
def take_block(deal):
    """Return the next block that no thread has taken, counted from 0 without an end."""
    return _take_and_add_one(deal.ctypes.data)
