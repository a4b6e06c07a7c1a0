# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages that wait for the model. Both kinds are bounded; they differ in what gives way."""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from osi_lidar.live.counters import Counters

QUEUE_LENGTH = 16
_KINDS = re.compile(r"(latest)|queue(?::([1-9]\d{0,5}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message of a source.

    Attributes
    ----------
    number : int
        How many came before it, from all sources together.
    connection : int
        Which source it is from, counted from 1.
    opens : bool
        Whether it is the first of its source: it may hold what comes only once.
    arrived_s : float
        When its last byte had come, by ``time.perf_counter``. [s]
    data : bytes
        The message.
    """

    number: int
    connection: int
    opens: bool
    arrived_s: float
    data: bytes


class Backlog(ABC):
    """Messages in their order, from the event loop to the model."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._waiting: deque[Message] = deque()
        self._changed = asyncio.Event()
        self._ended = False

    def __len__(self) -> int:
        return len(self._waiting)

    def offer(self, message: Message) -> bool:
        """Take a message if there is room for it."""
        if not self._make_room(message):
            return False
        self._waiting.append(message)
        self._changed.set()
        return True

    async def put(self, message: Message) -> None:
        """Take a message as soon as there is room for it."""
        try:
            while not self.offer(message):
                self._changed.clear()
                await self._changed.wait()
        except asyncio.CancelledError:
            self._counters.unprocessed += 1
            raise

    async def get(self) -> Message | None:
        """Return the next message as soon as there is one; None after the last one."""
        while not self._waiting:
            if self._ended:
                return None
            self._changed.clear()
            await self._changed.wait()
        self._changed.set()
        return self._waiting.popleft()

    def finish(self) -> None:
        """Let what waits be the last messages."""
        self._ended = True
        self._changed.set()

    def close(self) -> None:
        """Give no more messages."""
        self._counters.unprocessed += len(self._waiting)
        self._waiting.clear()
        self.finish()

    @abstractmethod
    def _make_room(self, message: Message) -> bool:
        """Return whether a message can be taken."""


class Latest(Backlog):
    """Holds the newest message, and the first one of its source if that has not been taken yet.

    Static objects may come in the first message only, so it is never skipped.
    """

    def _make_room(self, message: Message) -> bool:
        if message.opens:  # what an earlier source has left counts no more
            self._skip_all()
        elif self._waiting and not self._waiting[-1].opens:
            self._waiting.pop()
            self._counters.skipped += 1
        return True

    def _skip_all(self) -> None:
        self._counters.skipped += len(self._waiting)
        self._waiting.clear()


class Queue(Backlog):
    """Holds up to a number of messages; a source has to wait while there is no room."""

    def __init__(self, counters: Counters, length: int) -> None:
        super().__init__(counters)
        self._length = length

    def _make_room(self, message: Message) -> bool:  # noqa: ARG002  all are alike
        return len(self._waiting) < self._length


def make_backlog(kind: str, counters: Counters) -> Backlog:
    """Return the backlog that a text such as ``queue:4`` asks for.

    Raises
    ------
    InputError
        Another text than ``latest``, ``queue`` or ``queue:N``.
    """
    match = _KINDS.fullmatch(kind)
    if match is None:
        raise InputError(f"--backlog: got {kind!r}, expected latest, queue or queue:N, as queue:4")
    return Latest(counters) if match[1] else Queue(counters, int(match[2] or QUEUE_LENGTH))
