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
from numba.core import cgutils
from numba.extending import intrinsic

from lidar_base.compiled import njit
from lidar_base.memory_kernels import without_owner

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK = 1024
"""Rows of one block: the unit of work that a thread takes, a multiple of every packet width."""


workers: Callable[[], int] = numba.get_num_threads
"""Function that returns the number of threads for kernels: numba's current setting."""


@intrinsic
def _take_and_add(_typing_context, _address, _n):
    """Add n to the 64 bit integer at an address, atomically; return the integer before."""

    def generate(_context, builder, _signature, arguments):
        number = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw("add", number, arguments[1], "monotonic")

    return types.int64(types.intp, types.int64), generate


@njit(cache=True, nogil=True, inline="always")
def new_deal():
    """Return a new work queue: int64 (1,), the index of the next block, which is 0."""
    return np.zeros(1, np.int64)


@njit(cache=True, nogil=True, inline="always")
def take_block(deal):
    """Take the next block off a work queue and return its index.

    ``deal`` is the queue from `new_deal`, which all threads share; its number grows by one. The
    queue does not know how many blocks there are: the caller compares the index with the number.
    """
    return _take_and_add(deal.ctypes.data, np.int64(1))


@njit(cache=True, nogil=True, inline="always")
def take_rows(taken, n):
    """Reserve n rows of a table that several threads fill; return the index of the first one.

    ``taken``, int64 (1,), is the number of rows reserved so far, by all threads; it grows by n.
    """
    return _take_and_add(taken.ctypes.data, np.int64(n))


@intrinsic
def in_threads(typing_context, work, n_workers, arguments):
    """Call a kernel once in each of several threads, and return when all calls have ended.

    It is called within a kernel. Each call gets the same arguments; the threads share the work by a
    queue among the arguments, see `take_block`. A loop over ``prange(n_workers)`` does the same.
    But numba would then search the kernel for other code to run in parallel, which takes longer
    than compiling the kernel. The kernel does not count references to the arguments, see
    `memory_kernels.borrowed`.

    Parameters
    ----------
    typing_context
        From numba; the caller does not pass it.
    work : kernel
        The kernel to call.
    n_workers : int
        Number of calls.
    arguments : tuple
        Arguments of each call.

    Raises
    ------
    MemoryError
        The kernel failed in a thread.
    """
    kind = work.get_call_type(typing_context, tuple(arguments), {})

    def generate(context, builder, _signature, values):
        compiled = work.dispatcher.overloads[kind.args]
        context.add_linking_libs([compiled.library])
        uncounted = without_owner(context, builder, arguments, values[2])
        place = _work_and_failed(builder, uncounted)
        function = _thread_function(context, builder, compiled.fndesc, place.type)
        _run(builder, function, place, values[1])
        failed = builder.load(cgutils.gep_inbounds(builder, place, 0, 1))
        with cgutils.if_unlikely(builder, cgutils.is_true(builder, failed)):
            context.call_conv.return_user_exc(
                builder, MemoryError, ("a thread of a kernel failed",)
            )
        return context.get_dummy_value()

    return types.none(work, n_workers, arguments), generate


_BYTES, _SIZE = ir.IntType(8).as_pointer(), ir.IntType(64)
_SIZES = _SIZE.as_pointer()


def _work_and_failed(builder, arguments):
    """Return the address of a structure: the arguments, and a flag that is 1 if a thread failed."""
    place = cgutils.alloca_once(builder, ir.LiteralStructType([arguments.type, _SIZE]))
    builder.store(arguments, cgutils.gep_inbounds(builder, place, 0, 0))
    builder.store(_SIZE(0), cgutils.gep_inbounds(builder, place, 0, 1))
    return place


def _thread_function(context, builder, description, kind):
    """Return the function for numba's scheduler: it loads the arguments and calls the kernel."""
    outer = ir.FunctionType(ir.VoidType(), [_BYTES.as_pointer(), _SIZES, _SIZES, _BYTES])
    name = builder.module.get_unique_name(f"in_threads.{description.llvm_func_name}")
    function = ir.Function(builder.module, outer, name)
    function.linkage = "internal"
    inner = ir.IRBuilder(function.append_basic_block())
    place = inner.bitcast(function.args[3], kind)
    arguments = cgutils.unpack_tuple(inner, inner.load(cgutils.gep_inbounds(inner, place, 0, 0)))
    kernel = context.declare_function(builder.module, description)
    status, _ = context.call_conv.call_function(
        inner, kernel, description.restype, description.argtypes, arguments
    )
    with cgutils.if_unlikely(inner, status.is_error):
        inner.store(_SIZE(1), cgutils.gep_inbounds(inner, place, 0, 1))
    inner.ret_void()
    return function


def _run(builder, function, place, n_workers):
    """Let numba's scheduler call a function once for each worker."""
    sizes = [builder.module, ir.FunctionType(_SIZE, []), "get_num_threads"]
    n_threads = builder.call(cgutils.get_or_insert_function(*sizes), [])
    scheduler = ir.FunctionType(ir.VoidType(), [_BYTES] * 5 + [_SIZE] * 3)
    call = cgutils.get_or_insert_function(builder.module, scheduler, "numba_parallel_for")
    arrays = cgutils.alloca_once_value(builder, ir.Constant(_BYTES, None))
    count = cgutils.alloca_once_value(builder, n_workers)
    step = cgutils.alloca_once_value(builder, _SIZE(0))
    places = [builder.bitcast(each, _BYTES) for each in (function, arrays, count, step, place)]
    builder.call(call, [*places, _SIZE(0), _SIZE(1), n_threads])
