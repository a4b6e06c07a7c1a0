# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packed blocks of recordings, unpacked up to the bound that their size sets."""

from __future__ import annotations

import bz2

import lz4.frame  # type: ignore[import-untyped]
import zstandard

from lidar_base.errors import BoundError
from lidar_base.files.bounds import check_at_most, most_in_block

_PLAIN = ("", "none")
_PIECE_BYTES = 2**22


def unpacked(kind: str, data: bytes, n_stated: int | None = None) -> bytes:
    """Return what a packed block stands for.

    Parameters
    ----------
    kind : {"", "none", "zstd", "lz4", "bz2"}
        How it is packed.
    data : bytes
        The block; it may be cut short, if no size is stated.
    n_stated : int, optional
        Bytes that it stands for, as the file says.

    Raises
    ------
    BoundError
        It stands for more bytes than its size allows, for more or fewer than stated, or is packed
        in an unknown way.
    Exception
        Whatever the unpacker raises for a damaged block.
    """
    most = most_in_block(len(data)) if kind not in _PLAIN else len(data)
    if n_stated is not None:
        check_at_most(n_stated, most, f"bytes that {len(data)} packed bytes stand for")
        most = n_stated
    content = data if kind in _PLAIN else _start_of(kind, data, most + 1)
    check_at_most(len(content), most, f"bytes that {len(data)} packed bytes stand for")
    if n_stated is not None and len(content) < n_stated:
        raise BoundError(f"a block of {len(content)} bytes, expected {n_stated}")
    return content


def _start_of(kind: str, data: bytes, n_most: int) -> bytes:
    """Return at most so many bytes of what a block stands for."""
    if kind == "bz2":
        return bz2.BZ2Decompressor().decompress(data, n_most)
    if kind == "lz4":
        return _of_lz4(data, n_most)
    if kind == "zstd":
        with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(data) as reader:
            return reader.read(n_most)
    raise BoundError(f"packed as {kind!r:.20}, expected zstd, lz4 or nothing")


def _of_lz4(data: bytes, n_most: int) -> bytes:
    """Return at most so many bytes, by pieces: lz4 doubles its memory until a whole one fits."""
    unpacker = lz4.frame.LZ4FrameDecompressor()
    content = bytearray()
    while not unpacker.eof and len(content) < n_most:
        piece = unpacker.decompress(data, min(n_most - len(content), _PIECE_BYTES))
        if not piece and unpacker.needs_input:
            break
        content += piece
        data = b""
    return bytes(content)
