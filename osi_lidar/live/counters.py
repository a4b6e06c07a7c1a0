# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a stream has done so far, in numbers that take no more memory as they grow."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

import numpy as np

_LATENCIES = 10_000
_RATE_WINDOW_S = 2.0


@dataclass(slots=True)
class Counters:
    """Counters of a stream.

    Every whole message is counted once more, by what became of it: received = answered + skipped +
    late + rejected + unprocessed + dropped.

    Attributes
    ----------
    connections, connections_refused, connections_broken : int
        Sources let in, turned away, and lost within a message or by broken framing.
    received : int
        Whole messages.
    received_bytes : int
        Their size, without framing.
    answered : int
        Messages that the model has answered.
    skipped : int
        Messages that a newer one took the place of, because the model was slower.
    late : int
        Messages older than the one before them.
    rejected : int
        Messages that cannot be used.
    unprocessed : int
        Messages that waited when the stream ended or their source was lost.
    dropped : int
        Messages from UDP for which the queue had no room.
    gaps, malformed, repeated : int
        Of UDP: breaks in the order of the pieces (each loses one message at most), datagrams of
        another format, and datagrams that came twice.
    subscribers, subscribers_seen : int
        Now, and since the start.
    sent, sent_dropped : int
        SensorData messages given to subscribers, and those that a slow one lost.
    """

    connections: int = 0
    connections_refused: int = 0
    connections_broken: int = 0
    received: int = 0
    received_bytes: int = 0
    answered: int = 0
    skipped: int = 0
    late: int = 0
    rejected: int = 0
    unprocessed: int = 0
    dropped: int = 0
    gaps: int = 0
    malformed: int = 0
    repeated: int = 0
    subscribers: int = 0
    subscribers_seen: int = 0
    sent: int = 0
    sent_dropped: int = 0


class Latencies:
    """How long the last answers took."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=_LATENCIES)

    def note(self, seconds: float) -> None:
        """Add one."""
        self._last.append(seconds)

    def percentile_s(self, percent: float) -> float | None:
        """Return a percentile of the last 10 000, None if there is none yet, in seconds."""
        return float(np.percentile(self._last, percent)) if self._last else None

    def as_dict(self) -> dict[str, float | None]:
        """Return median, 99th percentile and maximum, in milliseconds."""
        shares = {"median": 50.0, "p99": 99.0, "max": 100.0}
        found = {name: self.percentile_s(percent) for name, percent in shares.items()}
        return {name: None if s is None else round(1e3 * s, 3) for name, s in found.items()}


@dataclass(slots=True)
class Rates:
    """How fast counters grow, over the last two seconds of looks at them."""

    _looks: deque[tuple[float, tuple[int, ...]]] = field(default_factory=deque)

    def look(self, *counts: int) -> tuple[float, ...]:
        """Return the growth of each count per second."""
        now = time.monotonic()
        self._looks.append((now, counts))
        while now - self._looks[0][0] > _RATE_WINDOW_S:
            self._looks.popleft()
        then, before = self._looks[0]
        elapsed_s = max(now - then, 1e-3)
        return tuple((new - old) / elapsed_s for new, old in zip(counts, before, strict=True))
