# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages on a TCP connection: each after its length, as in an `.osi` file.

offset  0          4                      4 + n
        ├──────────┼──────────────────────┤
        │ n        │ n bytes              │ next message ..
        ├──────────┼──────────────────────┤
        uint32     OSI message,
        little-    protobuf
        endian
"""

from __future__ import annotations

import asyncio
import struct

from osi_bridge.errors import BrokenFraming

__all__ = ["ConnectionReader", "frame_prefix", "framed", "read_message"]

_LENGTH = struct.Struct("<I")


def frame_prefix(data: bytes) -> bytes:
    """Return what comes before a message."""
    return _LENGTH.pack(len(data))


def framed(data: bytes) -> bytes:
    """Return a message with its length before it."""
    return frame_prefix(data) + data


class ConnectionReader(asyncio.StreamReader):
    """A stream that gives all that had come before its connection was lost.

    asyncio's own forgets it when the connection is reset, which a crash of the other side does.

    Attributes
    ----------
    lost : Exception or None
        Why the connection ended, if it did not end in good order.
    """

    lost: Exception | None = None

    def set_exception(self, exc: Exception) -> None:
        """Note the loss, and let reading come to an end."""
        self.lost = exc
        self.feed_eof()


async def read_message(reader: asyncio.StreamReader, max_bytes: int) -> bytes | None:
    """Read the next message of a connection.

    Parameters
    ----------
    reader : asyncio.StreamReader
        The connection. Memory is taken as bytes arrive, not as a length announces them.
    max_bytes : int
        Longest message that is taken.

    Returns
    -------
    bytes or None
        The message; None where the connection ends between two messages.

    Raises
    ------
    BrokenFraming
        A length of 0 or above the limit, or the connection ends within a length or a message.
    """
    prefix = await _read(reader, _LENGTH.size, "the length of a message")
    if not prefix:
        return None
    (size,) = _LENGTH.unpack(prefix)
    if not 1 <= size <= max_bytes:
        raise BrokenFraming(f"a message of {size} bytes, expected 1 to {max_bytes}")
    data = await _read(reader, size, "a message")
    if not data:
        raise BrokenFraming(f"the connection ends before a message of {size} bytes")
    return data


async def _read(reader: asyncio.StreamReader, size: int, what: str) -> bytes:
    """Read that many bytes; none where the connection ends before them."""
    try:
        return await reader.readexactly(size)
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return b""
        got = len(error.partial)
        raise BrokenFraming(
            f"the connection ends within {what}, after {got} of {size} bytes"
        ) from error
