# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages split into UDP datagrams, as esmini sends them (``esmini --osi_receiver_ip ADDRESS``).

A message is split into pieces of at most 8192 bytes; each datagram carries one piece:

    offset  0           4           8                8 + n
            ├───────────┼───────────┼────────────────┤
            │ counter   │ n         │ n bytes        │
            ├───────────┼───────────┼────────────────┤
            int32       uint32      piece of the
            little-     little-     message
            endian      endian

The counter is 1 for the first piece of a message, 2 for the second, and so on; the counter of the
last piece is negated. A message of a single piece therefore has the counter -1.

Nothing in a datagram identifies the message it belongs to. Pieces are therefore accepted in order
only: a message with a missing or late piece is discarded, because a piece of another message could
be mistaken for it. Two losses go unnoticed. If the end of one message and the beginning of the next
are lost and the counters happen to fit, the two are joined. A message lost as a whole leaves no
trace.

Source: esmini, EnvironmentSimulator/Modules/ScenarioEngine/SourceFiles/OSIReporter.cpp, 2026.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MessageAssembler", "begins_message", "datagrams"]

PIECE_BYTES = 8192
_HEADER = struct.Struct("<iI")


class MessageAssembler:
    """Joins the datagrams of one sender into messages.

    Parameters
    ----------
    max_bytes : int
        Longest message that is accepted.

    Attributes
    ----------
    n_gaps : int
        Number of messages that were discarded because a piece is missing or late, or because they
        are longer than `max_bytes`. A message whose pieces arrive out of order may be counted more
        than once.
    n_malformed : int
        Number of datagrams that are not in esmini's format.
    n_repeated : int
        Number of datagrams that are equal to the one before; they are ignored.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._message = bytearray()
        self._number = 0
        self._skipping = False
        self._last = b""
        self.n_gaps = 0
        self.n_malformed = 0
        self.n_repeated = 0

    def feed(self, datagram: bytes) -> bytes | None:
        """Add a datagram; return the message that it completes, or None.

        The result is also None for the last piece of a message that lacks a piece or has more than
        `max_bytes`, and for a malformed or repeated datagram.
        """
        if datagram == self._last:
            self.n_repeated += 1
            return None
        counter, piece = _read(datagram)
        if not piece:
            self.n_malformed += 1
            return None
        self._last = datagram
        self._follow(abs(counter))
        if not self._skipping:
            self._message += piece
            if len(self._message) > self._max_bytes:
                self._give_up()
        return self._take() if counter < 0 else None

    def _follow(self, number: int) -> None:
        """Record the number of a piece; discard the message if an earlier piece is missing."""
        if number <= self._number:  # a new message: the end of the previous one never arrived
            if not self._skipping:
                self._give_up()
            self._number, self._skipping = 0, False
        if number != self._number + 1 and not self._skipping:
            self._give_up()
        self._number = number

    def _take(self) -> bytes | None:
        """Return the joined pieces, None if one is missing, and start the next message."""
        message = None if self._skipping else bytes(self._message)
        self._message.clear()
        self._number, self._skipping = 0, False
        return message

    def _give_up(self) -> None:
        """Discard the current message."""
        self.n_gaps += 1
        self._skipping = True
        self._message.clear()


def begins_message(datagram: bytes) -> bool:
    """Return whether a datagram carries the first piece of a message."""
    counter, piece = _read(datagram)
    return abs(counter) == 1 and bool(piece)


def datagrams(message: bytes) -> Iterator[bytes]:
    """Yield a message as datagrams, each with up to `PIECE_BYTES`; none for an empty message."""
    pieces = [message[at : at + PIECE_BYTES] for at in range(0, len(message), PIECE_BYTES)]
    for number, piece in enumerate(pieces, start=1):
        counter = -number if number == len(pieces) else number
        yield _HEADER.pack(counter, len(piece)) + piece


def _read(datagram: bytes) -> tuple[int, bytes]:
    """Return the counter and the piece; the piece is empty if this is not an esmini datagram."""
    if len(datagram) <= _HEADER.size:
        return 0, b""
    counter, size = _HEADER.unpack_from(datagram)
    piece = datagram[_HEADER.size :]
    return counter, piece if counter and len(piece) == size else b""
