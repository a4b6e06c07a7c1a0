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

__all__ = ["ConnectionReader", "other_protocol", "read_message"]

_HTTP = (b"GET ", b"HEAD", b"POST", b"PUT ", b"DELE", b"OPTI", b"PATC", b"CONN", b"TRAC", b"PRI ")
_HTTP_ANSWER = b"HTTP"
_PIECE_BYTES = 2**20
_TLS_HANDSHAKE = b"\x16\x03"
_TLS_BYTES = 9
"""Number of first bytes that distinguish a TLS client hello from a message of this protocol."""


class ConnectionReader(asyncio.StreamReader):
    """Stream reader that still returns the buffered bytes after the connection is lost.

    asyncio's own reader discards the buffered bytes when the connection is reset, for instance
    because the peer crashed.

    Attributes
    ----------
    lost : Exception or None
        Why the connection was lost; None if it was closed cleanly.
    n_bytes : int
        Number of bytes that have arrived.
    """

    lost: Exception | None = None

    def __init__(self, limit: int = 2**16) -> None:
        super().__init__(limit=limit)
        self.n_bytes = 0
        self._begun = asyncio.Event()

    def feed_data(self, data: bytes) -> None:  # type: ignore[override]  # as a transport gives
        """Append ``data``, bytes that have arrived, to the buffer; asyncio calls it."""
        super().feed_data(data)
        self.n_bytes += len(data)
        self._begun.set()

    def feed_eof(self) -> None:
        """Tell all readers that the input has ended."""
        super().feed_eof()
        self._begun.set()

    async def has_begun(self, timeout_s: float) -> bool:
        """Wait for the first bytes without reading them; return whether any have arrived.

        It returns False after `timeout_s`, or if the input ends before any byte.
        """
        try:
            await asyncio.wait_for(self._begun.wait(), timeout_s)
        except asyncio.TimeoutError:
            return False
        return self.n_bytes > 0

    def set_exception(self, exc: Exception) -> None:
        """Record the loss of the connection in `lost`, and end the input as `feed_eof` does.

        ``exc`` is the reason of the loss; unlike asyncio's own reader, it is not raised on reading.
        Its traceback is removed: a failed write puts its caller there, and thereby the message that
        was to be sent, which asyncio would keep until Python looks for reference cycles.
        """
        self.lost = exc.with_traceback(None)
        self.feed_eof()


async def read_message(reader: asyncio.StreamReader, max_bytes: int) -> bytes | None:
    """Read the next message of a connection.

    Parameters
    ----------
    reader : asyncio.StreamReader
        The connection. Memory is allocated as bytes arrive, not by the announced length.
    max_bytes : int
        Longest message that is accepted.

    Returns
    -------
    bytes or None
        The message, which may be empty; None if the connection ends between two messages.

    Raises
    ------
    BrokenFraming
        The peer speaks another protocol, such as HTTP, the length is above the limit, or the
        connection ends within a length or a message.
    """
    prefix = await _read(reader, LENGTH.size, "the length of a message")
    if not prefix:
        return None
    (size,) = LENGTH.unpack(prefix)
    _refuse_other(prefix)
    if size > max_bytes:
        raise BrokenFraming(f"got a message of {size} bytes, expected at most {max_bytes}")
    begin = b""
    if prefix.startswith(_TLS_HANDSHAKE):
        begin = await _read(reader, min(size, _TLS_BYTES - LENGTH.size), "a message")
        _refuse_other(prefix + begin)
    data = begin + await _read(reader, size - len(begin), "a message")
    if len(data) < size:
        raise BrokenFraming(f"the connection ends before a message of {size} bytes")
    return data


def other_protocol(begin: bytes) -> str | None:
    """Return the protocol that a connection speaks, "HTTP" or "TLS", by its first bytes; else None.

    ``begin`` are the first bytes, as many as have arrived. Four bytes identify HTTP: as a message
    length, they would be 542 MB or more. Nine bytes identify TLS: record type and version, length
    of the record, type and length of the client hello (RFC 8446, sections 4 and 5.1). With fewer
    bytes the result is None.
    """
    if begin.startswith((*_HTTP, _HTTP_ANSWER)):
        return "HTTP"
    if len(begin) < _TLS_BYTES or not begin.startswith(_TLS_HANDSHAKE):
        return None
    record_bytes = int.from_bytes(begin[3:5], "big")
    hello_bytes = int.from_bytes(begin[6:9], "big")
    return "TLS" if begin[5] == 1 and hello_bytes + 4 == record_bytes else None


def _refuse_other(begin: bytes) -> None:
    other = other_protocol(begin)
    if other is not None:
        raise BrokenFraming(f"the peer speaks {other}, expected messages that follow their length")


async def _read(reader: asyncio.StreamReader, size: int, what: str) -> bytes:
    """Read exactly `size` bytes; return no bytes if the connection ends before the first byte.

    The pieces are joined only at the end: a growing buffer would take twice the memory.
    """
    pieces, left = [], size
    while left and (piece := await reader.read(min(left, _PIECE_BYTES))):
        pieces.append(piece)
        left -= len(piece)
    if not left or not pieces:
        return b"".join(pieces)
    raise BrokenFraming(f"the connection ends within {what}, after {size - left} of {size} bytes")
