# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages that wait for a slow client: the newest, in order, of bounded number and size."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from osi_lidar.live.ports.policy import BUFFERED_BYTES, BUFFERED_MESSAGES

Item = TypeVar("Item")


class Waiting(Generic[Item]):
    """Queue of messages for one client; if it is full, the oldest messages are dropped.

    Parameters
    ----------
    most, most_bytes : int
        Largest number and largest total size of the messages. The newest message is kept even if
        it alone is larger.
    """

    def __init__(self, most: int = BUFFERED_MESSAGES, most_bytes: int = BUFFERED_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._messages: deque[tuple[Item, int]] = deque()
        self._n_bytes = 0

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, message: Item, n_bytes: int) -> int:
        """Add a message of ``n_bytes``; return how many old messages were dropped to make room."""
        n_lost = 0
        self._n_bytes += n_bytes
        while self._messages and (
            len(self._messages) >= self._most or self._n_bytes > self._most_bytes
        ):
            self._n_bytes -= self._messages.popleft()[1]
            n_lost += 1
        self._messages.append((message, n_bytes))
        return n_lost

    def take(self) -> Item:
        """Remove the oldest message, and return it; raise IndexError if there is none."""
        message, n_bytes = self._messages.popleft()
        self._n_bytes -= n_bytes
        return message

    def clear(self) -> int:
        """Remove all messages; return how many there were."""
        n_lost = len(self._messages)
        self._messages.clear()
        self._n_bytes = 0
        return n_lost
