# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""When a sensor scans: one scan that ends with each message, or scans one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lidar_base.given import given

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from osi_lidar.world.history import History
    from osi_lidar.world.shutter import Shutter


class Timing(Protocol):
    """The timing of a sensor that a schedule needs; see `osi_lidar.scan.beam_timing.BeamTiming`."""

    @property
    def period_ns(self) -> int | None:
        """Time that a scan takes [ns]; None: a scan takes the time between two messages."""

    @property
    def free_running(self) -> bool:
        """Whether scans follow each other at the sensor's rate; else one ends with each message."""


class Schedule:
    """The scans of one sensor.

    Parameters
    ----------
    timing : Timing
        Timing of the sensor.

    Attributes
    ----------
    number : int
        Number of the last complete scan, counted from 0; -1 before the first.
    """

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._next_ns: int | None = None
        self.number = -1

    def needs_from_ns(self, now_ns: int) -> int:
        """Return the begin [ns] of the earliest scan that ends after ``now_ns``.

        That scan and all later ones need messages from this time on, and no earlier ones.
        """
        if self._timing.free_running:
            return now_ns if self._next_ns is None else self._next_ns
        return now_ns - (self._timing.period_ns or 0)

    def restart(self) -> None:
        """Discard the scan in progress: the next one begins with the next message."""
        self._next_ns = None

    def due(self, history: History) -> Iterator[Shutter]:
        """Yield the interval of each scan that the last message completes, and count the scans.

        Call this once for each message, after it was added to ``history``. A ``free_running``
        sensor may complete several scans, or none; otherwise exactly one scan ends with the
        message.
        """
        period_ns, now_ns = self._timing.period_ns, history.frame.time_ns
        if not self._timing.free_running:
            self.number += 1
            yield history.until_now(period_ns)
            return
        period_ns = given(period_ns)  # free-running sensors have one of their own
        if self._next_ns is None:
            self._next_ns = now_ns
        while self._next_ns + period_ns <= now_ns:
            begin_ns = self._next_ns
            self._next_ns += period_ns
            self.number += 1
            yield history.between(begin_ns, self._next_ns)


def needed_from_ns(schedules: Sequence[Schedule], now_ns: int) -> int:
    """Return the begin [ns] of the earliest scan of any sensor that ends after ``now_ns`` [ns].

    ``schedules`` has the schedule of each sensor. All scans from now on need messages from this
    time on. Without sensors it is ``now_ns``.
    """
    return min((schedule.needs_from_ns(now_ns) for schedule in schedules), default=now_ns)
