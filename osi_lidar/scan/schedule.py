# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""When a sensor scans: once for each message, or at a rate of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from osi_lidar.world.history import History, Shutter


class Schedule:
    """The scans of one sensor.

    Parameters
    ----------
    period_ns : int or None
        Time from scan to scan, which each one fills; None: a scan for each message, over the time
        since the one before. [ns]

    Attributes
    ----------
    number : int
        How many scans were complete before the last one; -1 before the first.
    """

    def __init__(self, period_ns: int | None) -> None:
        self._period_ns = period_ns
        self._next_ns: int | None = None
        self.number = -1

    @property
    def needs_from_ns(self) -> int | None:
        """Beginning of the next scan, as far as it is known. [ns]."""
        return self._next_ns

    def due(self, history: History, *, goes_on: bool) -> Iterator[Shutter]:
        """Yield the scans that the last message completes, in their order.

        Parameters
        ----------
        history : History
            The messages.
        goes_on : bool
            Whether the last message continues the ones before. If it does not, the scan in
            progress is discarded and a new one starts here.
        """
        last = history.last()
        if self._period_ns is None:
            self.number += 1
            yield last
            return
        if self._next_ns is None or not goes_on:
            self._next_ns = last.end_ns
        while self._next_ns + self._period_ns <= last.end_ns:
            begin_ns = self._next_ns
            self._next_ns += self._period_ns
            self.number += 1
            yield history.between(begin_ns, self._next_ns)


def needed_from_ns(schedules: Sequence[Schedule], now_ns: int) -> int:
    """Return the time from which on sensors may still need the messages that have come. [ns]."""
    begin_ns = [schedule.needs_from_ns for schedule in schedules]
    return min((each for each in begin_ns if each is not None), default=now_ns)
