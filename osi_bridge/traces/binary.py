# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading `.osi` trace files: each message follows its length, a 4-byte little-endian integer.

asam-osi-utilities reads this framing as well, but provides neither byte offsets nor the serialised
bytes, takes the message type from the file name only, and reads no compressed files.
"""

from __future__ import annotations

import lzma
import os
import struct
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from lidar_base.errors import BoundError
from lidar_base.files.bounds import MOST_MESSAGE_BYTES, most_message
from lidar_base.files.small_files import is_folder
from lidar_base.files.unpacking import open_unpacked
from osi_bridge.errors import DamagedTrace, TraceError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "READ_ERRORS",
    "RawMessage",
    "binary_messages",
    "check_first_length",
    "count_messages",
    "start_of",
]

READ_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, BoundError)
"""Exceptions that reading a damaged file, compressed or not, can raise."""
_LENGTH = struct.Struct("<I")
_PIECE_BYTES = 2**24


@dataclass(frozen=True, slots=True)
class RawMessage:
    """One message of a trace file, as bytes that are not decoded.

    Attributes
    ----------
    index : int
        Number of the message in the trace, from 0.
    offset : int
        Byte offset of the message in the (decompressed) file. In `.osi` files, it is the offset of
        the length before the message. In MCAP, it is the offset of the message's record, or of the
        chunk if the record is inside one.
    data : bytes
        The serialised protobuf message.
    """

    index: int
    offset: int
    data: bytes


def binary_messages(path: Path) -> Iterator[RawMessage]:
    """Yield the messages of an `.osi` file in order, each as a `RawMessage`.

    ``path`` is the path of the file, which may be compressed. A message that is not complete is
    not yielded; the messages before it are.

    Raises
    ------
    DamagedTrace
        The file ends within a message, contains an impossible length, or cannot be read further.
    OSError
        The file cannot be opened.
    """
    index = offset = 0
    most = most_message(path.stat().st_size)
    with open_unpacked(path) as stream:
        while True:
            try:
                prefix = stream.read(_LENGTH.size)
                if not prefix:
                    return
                data = _body(stream, prefix, most)
            except (_IncompleteError, *READ_ERRORS) as error:
                reason = str(error)
                raise DamagedTrace(path, frame=index, offset=offset, reason=reason) from error
            yield RawMessage(index, offset, data)
            index += 1
            offset += _LENGTH.size + len(data)


class _IncompleteError(Exception):
    """The next message is incomplete."""


def _body(stream: IO[bytes], prefix: bytes, most: int) -> bytes:
    if len(prefix) < _LENGTH.size:
        raise _IncompleteError(
            "the file ends within the 4 bytes that state the length of a message"
        )
    (size,) = _LENGTH.unpack(prefix)
    if not 0 < size <= most:
        raise _IncompleteError(f"got a message of {size} bytes, expected 1 to {most}")
    # In pieces: a wrong length must not allocate memory before the file turns out to be shorter.
    pieces: list[bytes] = []
    missing = size
    while missing:
        piece = stream.read(min(missing, _PIECE_BYTES))
        if not piece:
            raise _IncompleteError(
                f"the file ends within a message, after {size - missing} of {size} bytes"
            )
        pieces.append(piece)
        missing -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def count_messages(path: Path) -> int | None:
    """Return the number of complete messages of an `.osi` file; None for a compressed file.

    Only the lengths are read, not the messages. The count ends at a length of 0 or at a message
    that the file does not hold completely. ``path`` is the path of the file. The result is also
    None if its name does not end in ".osi".
    """
    if path.suffix.lower() != ".osi":
        return None
    count = 0
    with path.open("rb") as stream:
        left = os.fstat(stream.fileno()).st_size
        while left >= _LENGTH.size:
            (size,) = _LENGTH.unpack(stream.read(_LENGTH.size))
            left -= _LENGTH.size + size
            if left < 0 or size == 0:
                break
            stream.seek(size, os.SEEK_CUR)
            count += 1
    return count


def start_of(path: Path, n_bytes: int) -> bytes:
    """Return the first bytes of a trace file, as they are stored.

    Parameters
    ----------
    path : Path
        The file.
    n_bytes : int
        Number of bytes to read; a shorter file gives fewer.

    Raises
    ------
    TraceError
        The path is a folder, or the file does not exist, cannot be read or is empty.
    """
    if is_folder(path):
        raise TraceError(path, "is a folder, expected a trace file")
    try:
        with path.open("rb") as stream:
            start = stream.read(n_bytes)
    except FileNotFoundError as error:
        raise TraceError(path, "no such file") from error
    except OSError as error:
        raise TraceError(path, f"cannot be read: {error.strerror}") from error
    if not start:
        raise TraceError(path, "the file is empty, expected an OSI trace")
    return start


def check_first_length(path: Path) -> None:
    """Raise TraceError for a file whose first bytes cannot begin an `.osi` trace.

    ``path`` is the path of the file, which may be compressed.

    Raises
    ------
    TraceError
        The file is empty or too short for a length, or its first length is 0 or larger than any
        message (as in text and image files).
    DamagedTrace
        The file cannot be read up to the end of the first length.
    """
    try:
        with open_unpacked(path) as stream:
            prefix = stream.read(_LENGTH.size)
    except READ_ERRORS as error:
        raise DamagedTrace(path, frame=0, offset=0, reason=str(error)) from error
    if not prefix:
        raise TraceError(path, "the file is empty, expected an OSI trace")
    if len(prefix) < _LENGTH.size or not 0 < _LENGTH.unpack(prefix)[0] <= MOST_MESSAGE_BYTES:
        raise TraceError(
            path, f"not an OSI trace: it starts with {prefix!r}, expected the length of a message"
        )
