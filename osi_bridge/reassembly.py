# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages in UDP datagrams, as esmini sends them (``esmini --osi_receiver_ip ADDRESS``).

A message is cut into pieces of at most 8192 bytes; each datagram carries one of them:

    offset  0           4           8                8 + n
            ├───────────┼───────────┼────────────────┤
            │ counter   │ n         │ n bytes        │
            ├───────────┼───────────┼────────────────┤
            int32       uint32      piece of the
            little-     little-     message
            endian      endian

The counter is 1 for the first piece of a message, 2 for the second, and so on; that of the last
piece is negative. So a message of one piece has the counter -1.

Nothing in a datagram says which message it belongs to. Pieces are therefore taken in their order
only: a message of which one is missing or late is given up, because a piece of another message
could take its place. If the end of one message and the beginning of the next are lost so that the
numbers fit, the two are joined unnoticed; and the loss of a whole message leaves no trace.

Source: esmini, EnvironmentSimulator/Modules/ScenarioEngine/SourceFiles/OSIReporter.cpp, 2026.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MessageAssembler", "datagrams"]

PIECE_BYTES = 8192
_HEADER = struct.Struct("<iI")


class MessageAssembler:
    """Puts the messages of one sender together again.

    Parameters
    ----------
    max_bytes : int
        Longest message that is taken.

    Attributes
    ----------
    n_gaps : int
        Messages of which a piece is missing or late, and messages beyond the limit. One whose
        pieces come in another order may count more than once.
    n_malformed : int
        Datagrams that are none of esmini's.
    n_repeated : int
        Datagrams that came twice in a row; the second one is ignored.
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
        """Take a datagram; return the message that it completes, if it does."""
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
        """Count what is missing before a piece of this number."""
        if number <= self._number:  # of another message: the end of the one before never came
            if not self._skipping:
                self._give_up()
            self._number, self._skipping = 0, False
        if number != self._number + 1 and not self._skipping:
            self._give_up()
        self._number = number

    def _take(self) -> bytes | None:
        """Return the pieces as one, None where one is missing, and start anew."""
        message = None if self._skipping else bytes(self._message)
        self._message.clear()
        self._number, self._skipping = 0, False
        return message

    def _give_up(self) -> None:
        """Lose the message at hand."""
        self.n_gaps += 1
        self._skipping = True
        self._message.clear()


def datagrams(message: bytes) -> Iterator[bytes]:
    """Cut a message into datagrams."""
    pieces = [message[at : at + PIECE_BYTES] for at in range(0, len(message), PIECE_BYTES)]
    for number, piece in enumerate(pieces, start=1):
        counter = -number if number == len(pieces) else number
        yield _HEADER.pack(counter, len(piece)) + piece


def _read(datagram: bytes) -> tuple[int, bytes]:
    """Return the counter and the piece; an empty one for what is no datagram of esmini."""
    if len(datagram) <= _HEADER.size:
        return 0, b""
    counter, size = _HEADER.unpack_from(datagram)
    piece = datagram[_HEADER.size :]
    return counter, piece if counter and len(piece) == size else b""
