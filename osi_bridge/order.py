# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The order of messages by their time: one rule for traces, streams and co-simulation.

Each message is normally later than the previous one. Otherwise:

- a message with the same time replaces the previous message;
- a message that is older by up to ``LATE_NS``, but later than the first of the run, is late: it
  is ignored, and changes nothing;
- any other older message begins a new run, because the simulator has started again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["LATE_NS", "MessageOrder", "Place"]

LATE_NS = 1_000_000_000
"""A message that is older than the last one by more than this begins a new run. [ns]"""


class Place(Enum):
    """Position of a message in time, relative to the messages before it.

    FIRST has no message before it. NEXT is later than the last message, AGAIN has the same time.
    LATE is older by up to a second, and is to be ignored. RESTART begins a new run: it is older by
    more than a second, or not later than the first message of the run.
    """

    FIRST = "the first message"
    NEXT = "after the message before"
    AGAIN = "at the time of the message before"
    LATE = "older than the message before"
    RESTART = "the first message of a new run"


@dataclass(slots=True)
class MessageOrder:
    """Finds the `Place` of each message from its time and the times of earlier messages.

    A new object has no earlier message. It remembers the time of the first message of the run, and
    of the last message that was not late.
    """

    _first_ns: int | None = None
    _last_ns: int = 0

    def place(self, time_ns: int) -> Place:
        """Return the place that a message would have if it came next; record nothing.

        ``time_ns`` is the timestamp of the message. [ns]
        """
        if self._first_ns is None:
            return Place.FIRST
        if time_ns > self._last_ns:
            return Place.NEXT
        if time_ns == self._last_ns:
            return Place.AGAIN
        if time_ns > self._first_ns and self._last_ns - time_ns <= LATE_NS:
            return Place.LATE
        return Place.RESTART

    def take(self, time_ns: int) -> Place:
        """Return the place of the next message, and record its time unless the message is late.

        ``time_ns`` is the timestamp of the message. [ns]
        """
        place = self.place(time_ns)
        if place in {Place.FIRST, Place.RESTART}:
            self._first_ns = time_ns
        if place is not Place.LATE:
            self._last_ns = time_ns
        return place
