# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Backlogs: bounded buffers of messages for the model.

When full, ``latest`` skips old messages and ``queue`` makes the source wait.
"""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from osi_lidar.live.answers_to_source import WayBack
    from osi_lidar.live.counters import Counters

QUEUE_LENGTH = 16
_KINDS = re.compile(r"(latest)|queue(?::([1-9]\d{0,5}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message received from a source.

    Attributes
    ----------
    number : int
        Number of the message, from 0, counted over all sources.
    connection : int
        Number of its source, from 1.
    opens : bool
        Whether it is the first message of its source, and may be the only one with static objects.
    arrived_s : float
        Arrival time of its last byte, by ``time.perf_counter``. [s]
    data : bytes
        The message; empty if the source has nothing to say yet, but waits for an answer.
    way_back : WayBack or None
        Where the answer goes besides the subscribers; None: only they get it.
    """

    number: int
    connection: int
    opens: bool
    arrived_s: float
    data: bytes
    way_back: WayBack | None = None


class Backlog(ABC):
    """Ordered buffer of messages that wait for the model.

    Its methods run in the event loop; only ``len`` of the object may be called in any thread.

    Parameters
    ----------
    counters : Counters
        Counters of the stream; the backlog counts in them the messages that are never answered.
    """

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._waiting: deque[Message] = deque()
        self._changed = asyncio.Event()
        self._ended = False

    def __len__(self) -> int:
        return len(self._waiting)

    def offer(self, message: Message) -> bool:
        """Add a message unless the backlog is full; return whether it was added.

        ``message`` is the received `Message`. `Latest` discards messages to make room, so that it
        is never full.
        """
        if not self._make_room(message):
            return False
        self._waiting.append(message)
        self._changed.set()
        return True

    async def put(self, message: Message) -> None:
        """Wait until there is room for a message, and add it.

        ``message`` is the received `Message`. If the call is cancelled before, the message counts
        as unprocessed, unless it is empty.
        """
        try:
            while not self.offer(message):
                self._changed.clear()
                await self._changed.wait()
        except asyncio.CancelledError:
            self._counters.unprocessed += bool(message.data)
            raise

    async def get(self) -> Message | None:
        """Remove the oldest message and return it; wait for one while the backlog is empty.

        Return None if the backlog is empty after `finish`.
        """
        while not self._waiting:
            if self._ended:
                return None
            self._changed.clear()
            await self._changed.wait()
        self._changed.set()
        return self._waiting.popleft()

    def finish(self) -> None:
        """Declare that no message will be added: once the backlog is empty, `get` returns None."""
        self._ended = True
        self._changed.set()

    def close(self) -> None:
        """Discard the messages in the backlog, count them as unprocessed, and call `finish`."""
        self._counters.unprocessed += sum(bool(message.data) for message in self._waiting)
        self._waiting.clear()
        self.finish()

    @abstractmethod
    def _make_room(self, message: Message) -> bool:
        """Return whether a message can be added, after removing others where necessary."""


class Latest(Backlog):
    """Backlog of at most two messages: the newest one, and the first one of the present source.

    The first message of a source is never skipped in favour of a later one, because it may be the
    only one with static objects. It replaces all messages of earlier sources.
    """

    def _make_room(self, message: Message) -> bool:
        if message.opens:  # messages of an earlier source are obsolete
            self._skip_all()
        elif self._waiting and not self._waiting[-1].opens:
            self._waiting.pop()
            self._counters.skipped += 1
        return True

    def _skip_all(self) -> None:
        self._counters.skipped += len(self._waiting)
        self._waiting.clear()


class Queue(Backlog):
    """Backlog of a fixed number of messages; the source waits while it is full.

    Parameters
    ----------
    counters : Counters
        Counters of the stream.
    length : int
        Largest number of messages.
    """

    def __init__(self, counters: Counters, length: int) -> None:
        super().__init__(counters)
        self._length = length

    def _make_room(self, message: Message) -> bool:  # noqa: ARG002  the same for every message
        return len(self._waiting) < self._length


def make_backlog(kind: str, counters: Counters) -> Backlog:
    """Return a new, empty backlog of the kind that a text names.

    Parameters
    ----------
    kind : str
        ``latest`` for a `Latest`, ``queue:N`` for a `Queue` of N messages (1 to 999 999), or
        ``queue`` for a `Queue` of 16 messages.
    counters : Counters
        Counters of the stream; the backlog counts in them what it skips and discards.

    Raises
    ------
    InputError
        The text has none of these forms.
    """
    match = _KINDS.fullmatch(kind)
    if match is None:
        raise InputError(f"--backlog: got {kind!r}, expected latest, queue or queue:N")
    return Latest(counters) if match[1] else Queue(counters, int(match[2] or QUEUE_LENGTH))
