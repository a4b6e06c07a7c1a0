# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Message framing on a TCP connection: each message follows its length, as in an `.osi` file.

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

from osi_bridge.errors import BrokenFraming
from osi_bridge.length_prefix import LENGTH

__all__ = ["ConnectionReader", "read_message"]


class ConnectionReader(asyncio.StreamReader):
    """Stream reader that still returns the buffered bytes after the connection is lost.

    asyncio's own reader discards them when the connection is reset, for instance because the peer
    crashed.

    Attributes
    ----------
    lost : Exception or None
        Why the connection was lost; None if it was closed cleanly.
    """

    lost: Exception | None = None

    def set_exception(self, exc: Exception) -> None:
        """Record the loss and signal the end of the input."""
        self.lost = exc
        self.feed_eof()


async def read_message(reader: asyncio.StreamReader, max_bytes: int) -> bytes | None:
    """Read the next message of a connection.

    Parameters
    ----------
    reader : asyncio.StreamReader
        The connection. Memory grows as bytes arrive, not by the announced length.
    max_bytes : int
        Longest message that is accepted.

    Returns
    -------
    bytes or None
        The message, which may be empty; None if the connection ends between two messages.

    Raises
    ------
    BrokenFraming
        The length is above the limit, or the connection ends within a length or a message.
    """
    prefix = await _read(reader, LENGTH.size, "the length of a message")
    if not prefix:
        return None
    (size,) = LENGTH.unpack(prefix)
    if size > max_bytes:
        raise BrokenFraming(f"a message of {size} bytes, expected at most {max_bytes}")
    data = await _read(reader, size, "a message")
    if len(data) < size:
        raise BrokenFraming(f"the connection ends before a message of {size} bytes")
    return data


async def _read(reader: asyncio.StreamReader, size: int, what: str) -> bytes:
    """Read exactly `size` bytes; return no bytes if the connection ends before the first."""
    try:
        return await reader.readexactly(size)
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return b""
        got = len(error.partial)
        raise BrokenFraming(
            f"the connection ends within {what}, after {got} of {size} bytes"
        ) from error
