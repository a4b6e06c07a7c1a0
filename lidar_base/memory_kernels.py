# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled memory primitives: copies, rows, views, prefetches, totals, uncounted references."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic

from lidar_base.compiled import njit

_AHEAD = 1024  # bytes: distance of the prefetch, written while a line is loaded
_TO_WRITE, _KEEP_NEAR, _DATA = 1, 3, 1  # LLVM's llvm.prefetch: access, locality, cache
copy_memory = types.ExternalFunction("memcpy", types.intp(types.intp, types.intp, types.intp))
"""C's memcpy: target address, source address, number of bytes."""


@intrinsic
def prefetch_to_write(_typing_context, _address):
    """Prefetch the cache line that a loop will soon write.

    ``_address`` is the address, an integer, that the loop writes now; the prefetched line is 1024
    bytes further on. Without this, a loop waits for each cache line of an output that is larger
    than the caches: processors prefetch by themselves only within a page of memory. A prefetch
    beyond the end of an array has no effect. numba passes ``_typing_context``.
    """

    def generate(context, builder, _signature, arguments):
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        prefetch = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        )
        ahead = builder.add(arguments[0], arguments[0].type(_AHEAD))
        how = (word(number) for number in (_TO_WRITE, _KEEP_NEAR, _DATA))
        builder.call(prefetch, [builder.inttoptr(ahead, byte), *how])
        return context.get_dummy_value()

    return types.void(types.intp), generate


@intrinsic
def seen_as(_typing_context, array, number):
    """Return a view of a one-dimensional array as numbers of another type.

    ``array`` is C-contiguous. ``number`` is the type, such as np.uint32; the view has as many
    elements as fit. It is ``array.view(number)`` without numba's check of the size. The error
    message of that check alone takes more than a second to compile. numba passes
    ``_typing_context``.
    """
    kind = types.Array(number.instance_type, 1, "C")

    def generate(context, builder, _signature, arguments):
        source = context.make_array(array)(context, builder, arguments[0])
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        n_bytes = builder.mul(cgutils.unpack_tuple(builder, source.shape)[0], source.itemsize)
        count = builder.udiv(n_bytes, n_bytes.type(size))
        seen = context.make_array(kind)(context, builder)
        # what numba's populate_array does, whose file takes 40 ms to import
        seen.data = builder.bitcast(source.data, seen.data.type)
        seen.nitems, seen.itemsize = count, count.type(size)
        seen.shape = cgutils.pack_array(builder, [count])
        seen.strides = cgutils.pack_array(builder, [count.type(size)])
        seen.meminfo, seen.parent = source.meminfo, source.parent
        return impl_ret_borrowed(context, builder, kind, _value(seen))

    return kind(array, number), generate


@intrinsic
def record_at(_typing_context, address, row):
    """Return the memory at an address as a record, whose fields can be read and set.

    ``address`` is an integer. ``row`` is the dtype of the record, for example a global np.dtype.
    Setting a field writes to the memory. The caller must keep the memory alive meanwhile. numba
    passes ``_typing_context``.
    """
    kind = row.dtype

    def generate(context, builder, _signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(kind))

    return kind(address, row), generate


@intrinsic
def float32_at(_typing_context, address):
    """Return the float32 at an address, which is an integer and may be any byte.

    The caller must keep the memory at ``address`` alive meanwhile. numba passes
    ``_typing_context``.
    """

    def generate(_context, builder, _signature, arguments):
        place = builder.inttoptr(arguments[0], ir.FloatType().as_pointer())
        return builder.load(place, align=1)  # a field of a row may lie at any byte

    return types.float32(address), generate


@njit(cache=True, nogil=True, inline="always")
def running_total(
    size,  # int64 (n,)
    # Out:
    start_out,  # int64 (n + 1,) sum of all sizes before each, and of all
):
    """Write the first index of each part of a sequence, given the sizes of its parts.

    ``size`` has the sizes, int64 (n,). Output: ``start_out``, int64 (n + 1,), all of which is
    written. Each element is the sum of all sizes before it, and the last one is the total.
    """
    total = 0
    for part in range(len(size)):
        start_out[part] = total
        total += size[part]
    start_out[len(size)] = total


@njit(cache=True, nogil=True, inline="always")
def copy_rows(to, to_row, from_, from_row, n_rows):
    """Copy some rows of an array to another array of the same dtype and row shape.

    Both arrays, ``from_`` (n, ..) and ``to`` (m, ..), are C-contiguous and do not overlap. Rows
    ``from_row`` to ``from_row + n_rows - 1`` replace as many rows of ``to``, from ``to_row`` on.
    Indices are not checked.
    """
    size = to.strides[0]
    target, source = to.ctypes.data + to_row * size, from_.ctypes.data + from_row * size
    copy_memory(target, source, n_rows * size)


@intrinsic
def borrowed(_typing, arrays):
    """Return an array, or a tuple of arrays and other values, whose references are not counted.

    ``arrays`` is the array or tuple; numba passes ``_typing``. numba counts references at each
    assignment of an array, also to the arguments of inlined functions. In a loop over beams this
    takes longer than the computation: all threads change the same counters in memory, one after the
    other.

    The original must live as long as the result is used; the arguments of a kernel do, as its
    caller holds them. Never return the result to Python.
    """

    def generate(context, builder, _signature, arguments):
        return without_owner(context, builder, arrays, arguments[0])

    return arrays(arrays), generate


def without_owner(context, builder, kind, value):
    """Return the LLVM value of an array, or of a tuple of arrays, without the array's owner.

    numba then counts no references to the array. It is for the ``generate`` function of an
    intrinsic.

    Parameters
    ----------
    context, builder
        numba's target context and LLVM's builder, as ``generate`` gets them.
    kind : numba type
        Type of the value. Values of other types than arrays and tuples are returned unchanged.
    value : LLVM value
        The array or tuple.
    """
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return _value(array)
    if isinstance(kind, types.BaseTuple):
        each = [
            without_owner(context, builder, of, one)
            for of, one in zip(kind, cgutils.unpack_tuple(builder, value), strict=True)
        ]
        return context.make_tuple(builder, kind, each)
    return value


def _value(array):
    """Return the LLVM value of an array, given numba's array structure."""
    return array._getvalue()  # noqa: SLF001  the way of numba's own code
