# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels for compressed PCD files: rows to columns, and LZF compression.

LZF is the format of M. Lehmann's liblzf, which PCL and pypcd4 read. A byte below 32 is the number
of literal bytes that follow, minus 1. Any other byte begins a match: its upper three bits are the
length minus 2 (7: add the next byte), its lower five bits and a last byte the distance minus 1. As
in LZ4, the search takes longer strides where nothing has matched for a while: this takes a third
of liblzf's time, for files that are 3 % larger. The kernels release the GIL.
"""

from __future__ import annotations

import numpy as np

from lidar_base.compiled import njit

HASH_BITS = 14
_SEED = np.uint64(2654435761)  # 2**32 over the golden ratio: Knuth's multiplicative hash
_SHIFT, _MASK = np.uint64(32 - HASH_BITS), np.uint64((1 << HASH_BITS) - 1)
_BLOCK = 256  # rows that stay in the cache while all their fields are copied
# unsigned: indices that cannot be negative need no check of their sign
_0, _1, _2, _3, _4, _5, _7, _8 = (np.uint64(n) for n in (0, 1, 2, 3, 4, 5, 7, 8))
_LITERALS, _LONGEST, _FARTHEST = np.uint64(32), np.uint64(264), np.uint64(8192)
_BYTE, _LONG = np.uint64(255), np.uint64(7 << 5)


@njit(cache=True, nogil=True)
def take_columns(
    # In:
    rows,  # uint8 (n_row * n_byte of a row,)
    n_bytes,
    starts,  # uint64 (n_field,) first byte of each field in a row
    sizes,  # uint64 (n_field,) its bytes
    # Out:
    columns_out,  # uint8 (n_row * n_byte of all fields,)
):
    """Copy structured rows field by field, so that the values of each field are contiguous.

    ``rows`` are the bytes of all rows, uint8, of ``n_bytes`` each. ``starts`` and ``sizes``,
    uint64 (n_field,), are the place and the size of each field in a row. ``columns_out``, uint8,
    gets the values of the first field, then of the second field, and so on.
    """
    row_bytes = np.uint64(n_bytes)
    n_rows = len(rows) // n_bytes
    for first in range(0, n_rows, _BLOCK):
        n_here = min(_BLOCK, n_rows - first)
        begin = _0
        for field in range(len(starts)):
            size = sizes[field]
            here = np.uint64(first) * row_bytes + starts[field]
            there = begin + np.uint64(first) * size
            if size == _4:  # most are
                for _ in range(n_here):
                    word = _word(rows, here)
                    for byte in range(4):
                        columns_out[there + np.uint64(byte)] = np.uint8(word >> np.uint64(8 * byte))
                    here += row_bytes
                    there += _4
            else:
                for _ in range(n_here):
                    for byte in range(size):
                        columns_out[there + np.uint64(byte)] = rows[here + np.uint64(byte)]
                    here += row_bytes
                    there += size
            begin += np.uint64(n_rows) * size


@njit(cache=True, nogil=True)
def compress(
    # In:
    data,  # uint8 (n_byte,) fewer than 2**32
    # Work:
    place,  # uint32 (2**HASH_BITS,)
    # Out:
    packed_out,  # uint8 (n_packed,)
):
    """Compress bytes to LZF; return the number of bytes written, 0 if the output is too short.

    ``data`` is uint8 (n_byte,), of fewer than 2**32 bytes. ``packed_out``, uint8, gets the
    compressed bytes. ``place``, uint32 (2**HASH_BITS,), is working memory of any content.
    """
    n_bytes, room = np.uint64(len(data)), np.uint64(len(packed_out))
    place[:] = 0
    here, pending, end, misses = _1, _0, _0, _0
    while here + _8 <= n_bytes:
        word = _word(data, here)
        row = (word * _SEED >> _SHIFT) & _MASK
        match = np.uint64(place[row])
        place[row] = np.uint32(here)
        if here - match > _FARTHEST or _word(data, match) != word:
            here += _1 + (misses >> _3)
            misses += _1
            continue
        if end + _bytes_of_literals(here - pending) + _3 > room:
            return _0
        end = _write_literals(data, pending, here, end, packed_out)
        length = _match_length(data, match, here, min(n_bytes - here, _LONGEST))
        end = _write_match(length - _2, here - match - _1, end, packed_out)
        here += length
        pending, misses = here, _0
    if end + _bytes_of_literals(n_bytes - pending) > room:
        return _0
    return _write_literals(data, pending, n_bytes, end, packed_out)


@njit(cache=True, nogil=True)
def _word(data, at):
    """Return the four bytes at an index as one number; the compiler makes it a single load."""
    word = _0
    for byte in range(4):
        word |= np.uint64(data[at + np.uint64(byte)]) << np.uint64(8 * byte)
    return word


@njit(cache=True, nogil=True)
def _two_words(data, at):
    return _word(data, at) | (_word(data, at + _4) << np.uint64(32))


@njit(cache=True, nogil=True)
def _match_length(data, match, here, most):
    """Return how many bytes from ``match`` and ``here`` on are equal; the first four are."""
    length = _4
    while length + _8 <= most and _two_words(data, match + length) == _two_words(
        data, here + length
    ):
        length += _8
    while length < most and data[match + length] == data[here + length]:
        length += _1
    return length


@njit(cache=True, nogil=True)
def _bytes_of_literals(n_bytes):
    return n_bytes + (n_bytes + _LITERALS - _1) // _LITERALS


@njit(cache=True, nogil=True)
def _write_literals(data, here, until, end, packed_out):
    """Write the bytes from ``here`` to ``until`` as literals; return the new end of the output."""
    while here + _LITERALS <= until:
        packed_out[end] = np.uint8(_LITERALS - _1)
        end += _1
        for byte in range(32):  # a constant number: one wide copy
            packed_out[end + np.uint64(byte)] = data[here + np.uint64(byte)]
        here += _LITERALS
        end += _LITERALS
    if here < until:
        packed_out[end] = np.uint8(until - here - _1)
        end += _1
        while here < until:
            packed_out[end] = data[here]
            here += _1
            end += _1
    return end


@njit(cache=True, nogil=True)
def _write_match(length, distance, end, packed_out):
    """Write a match, given its length - 2 and distance - 1; return the new end of the output."""
    if length < _7:
        packed_out[end] = np.uint8((length << _5) | (distance >> _8))
    else:
        packed_out[end] = np.uint8(_LONG | (distance >> _8))
        end += _1
        packed_out[end] = np.uint8(length - _7)
    packed_out[end + _1] = np.uint8(distance & _BYTE)
    return end + _2
