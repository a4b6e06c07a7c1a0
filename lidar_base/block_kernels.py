# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Blocks of rows, and the work queue from which the threads of a kernel take them.

An idle thread takes the next block. If blocks were assigned beforehand, a thread that another
process keeps from its core would let all other threads wait for its share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from lidar_base.compiled import njit

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK = 1024
"""Rows of one block: the unit of work that a thread takes, a multiple of every packet width."""


workers: Callable[[], int] = numba.get_num_threads
"""Returns how many threads the kernels use, as numba is set."""


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
    """Return a new work queue of blocks."""
    return np.zeros(1, np.int64)


@njit(cache=True, nogil=True, inline="always")
def take_block(deal):
    """Take the next block off a work queue; blocks are counted from 0 without an end."""
    return _take_and_add_one(deal.ctypes.data)
