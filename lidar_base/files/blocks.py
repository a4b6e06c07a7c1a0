# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Unpacking of compressed blocks of recordings, with a bound that depends on the packed size."""

from __future__ import annotations

import bz2
from typing import TYPE_CHECKING

import lz4.frame  # type: ignore[import-untyped]
import zstandard

from lidar_base.errors import BoundError
from lidar_base.files.bounds import check_at_most, most_in_block

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN = ("", "none")
_PIECE_BYTES = 2**20


def unpacked(kind: str, data: bytes, n_stated: int | None = None) -> bytes:
    """Return the unpacked content of a packed block.

    Parameters
    ----------
    kind : {"", "none", "zstd", "lz4", "bz2"}
        How it is packed.
    data : bytes
        The packed block. It may be cut short if ``n_stated`` is not given.
    n_stated : int, optional
        Unpacked size, as stated in the file. [bytes]

    Raises
    ------
    BoundError
        The unpacked content is larger than the packed size allows, its size is not the stated one,
        or the kind of packing is unknown.
    Exception
        Whatever the unpacker raises for a damaged block.
    """
    most = most_in_block(len(data)) if kind not in _PLAIN else len(data)
    what = f"bytes that {len(data)} packed bytes stand for"
    if n_stated is not None:
        check_at_most(n_stated, most, what)
        most = n_stated
    pieces: list[bytes] = []
    n_bytes = 0
    for piece in [data] if kind in _PLAIN else _pieces(kind, data, most + 1):
        n_bytes += len(piece)
        if n_bytes > most:
            pieces.clear()  # else the error's traceback would keep them in memory
        check_at_most(n_bytes, most, what)
        pieces.append(piece)
    if n_stated is not None and n_bytes < n_stated:
        raise BoundError(f"got a block of {n_bytes} bytes, expected {n_stated} bytes as stated")
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _pieces(kind: str, data: bytes, n_most: int) -> Iterator[bytes]:
    """Yield the unpacked content of a block: all of it, or at least its first n_most bytes."""
    if kind == "bz2":
        yield bz2.BZ2Decompressor().decompress(data, n_most)
    elif kind == "lz4":
        yield from _of_lz4(data)
    elif kind == "zstd":
        with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(data) as reader:
            yield reader.read(n_most)
    else:
        raise BoundError(f"got the compression {kind!r:.20}, expected zstd, lz4 or none")


def _of_lz4(data: bytes) -> Iterator[bytes]:
    """Yield the unpacked content in pieces, as lz4 may take twice the memory for a whole block."""
    unpacker = lz4.frame.LZ4FrameDecompressor()
    while not unpacker.eof:
        piece = unpacker.decompress(data, _PIECE_BYTES)
        if not piece and unpacker.needs_input:
            break
        yield piece
        data = b""
