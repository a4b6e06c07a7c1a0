# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of a stream, in memory of fixed size: counters, latencies and rates."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

_LATENCIES = 10_000
_RATE_WINDOW_S = 2.0


def _count(meaning: str) -> int:
    return field(default=0, metadata={"meaning": meaning})


@dataclass(slots=True)
class Counters:
    """Counters of a live stream, all int and 0 at first. Each is written by one thread only.

    Every message that is counted in ``received`` is also counted by its outcome: received =
    answered + skipped + late + rejected + unprocessed + dropped, once no message is waiting. The
    ``metadata`` of each field has its meaning as text.

    Attributes
    ----------
    connections, connections_refused : int
        Sources accepted, and sources refused because another one was connected. While a source is
        connected, only the first refusal counts.
    connections_broken : int
        Sources lost within a message or by broken framing.
    received, received_bytes : int
        Whole messages received that are not empty, and their total size without framing [bytes].
    empty : int
        Messages of length 0: the source has nothing yet.
    answered : int
        Messages that the model has answered.
    skipped : int
        Messages replaced by a newer one because the model was slower.
    late : int
        Messages older than their predecessor.
    rejected : int
        Messages that cannot be used.
    unprocessed : int
        Messages still waiting when the stream ended.
    dropped : int
        Messages from UDP for which the queue had no room.
    gaps, malformed, repeated : int
        UDP: breaks in the order of pieces, each of which loses at most one message; datagrams that
        are not in esmini's format; and datagrams received twice in a row.
    changes, changes_refused : int
        Changes of sensors by a command or a signal, and commands and signals that changed nothing.
    subscribers, subscribers_seen : int
        Subscribers connected now, and subscribers since the start.
    sent, sent_back : int
        SensorData messages sent to subscribers, and answers sent to the source itself.
    sent_dropped : int
        SensorData messages lost by slow or disconnected subscribers.
    """

    connections: int = _count("Sources accepted.")
    connections_refused: int = _count("Sources refused because another one was connected.")
    connections_broken: int = _count("Sources lost within a message or by broken framing.")
    received: int = _count("Whole messages received.")
    empty: int = _count("Messages of length 0: the source has nothing yet; not in received.")
    received_bytes: int = _count("Size of the received messages, without framing.")
    answered: int = _count("Messages that the model has answered.")
    skipped: int = _count("Messages replaced by a newer one because the model was slower.")
    late: int = _count("Messages older than their predecessor.")
    rejected: int = _count("Messages that cannot be used.")
    unprocessed: int = _count("Messages still waiting when the stream ended.")
    dropped: int = _count("Messages from UDP for which the queue had no room.")
    gaps: int = _count("Breaks in the order of UDP pieces; each loses at most one message.")
    malformed: int = _count("UDP datagrams that are not in esmini's format.")
    repeated: int = _count("UDP datagrams received twice in a row.")
    changes: int = _count("Changes of sensors by a command or a signal.")
    changes_refused: int = _count("Commands and signals that changed nothing.")
    subscribers: int = _count("Subscribers connected now.")
    subscribers_seen: int = _count("Subscribers since the start.")
    sent: int = _count("SensorData messages sent to subscribers.")
    sent_back: int = _count("Answers sent to the source itself.")
    sent_dropped: int = _count("SensorData messages lost by slow or disconnected subscribers.")


class Latencies:
    """Latencies of the last 10 000 answers, each from the message to the answer's publication."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=_LATENCIES)

    def note(self, seconds: float) -> None:
        """Add the latency of one answer, in seconds."""
        self._last.append(seconds)

    def percentile_s(self, percent: float) -> float | None:
        """Return a percentile of the latencies in seconds; None if there is no answer yet.

        ``percent``, from 0 to 100, is the percentage of latencies that are at most the result.
        """
        last = tuple(self._last)  # copied: another thread may add one
        return float(np.percentile(last, percent)) if last else None

    @property
    def recent_s(self) -> float | None:
        """Median latency of the last 50 answers in seconds; None if there is no answer yet."""
        recent = tuple(islice(reversed(self._last), 50))
        return float(np.median(recent)) if recent else None

    def as_dict(self) -> dict[str, float | None]:
        """Return a summary of the latencies: a dict with the keys ``median``, ``p99`` and ``max``.

        The values are in milliseconds, to 3 decimals; each is None if there is no answer yet.
        """
        shares = {"median": 50.0, "p99": 99.0, "max": 100.0}
        found = {name: self.percentile_s(percent) for name, percent in shares.items()}
        return {name: None if s is None else round(1e3 * s, 3) for name, s in found.items()}


@dataclass(slots=True)
class Rates:
    """Growth of counters per second: a mean over two seconds, or since the last call if longer."""

    _samples: deque[tuple[float, tuple[int, ...]]] = field(default_factory=deque)

    def sample(self, *counts: int) -> tuple[float, ...]:
        """Take the present values of some counters; return the growth of each one per second.

        ``counts`` are the values; pass the same counters, in the same order, each time. The result
        is a tuple of floats [1/s], one for each counter. The first call returns zeros.
        """
        now = time.monotonic()
        self._samples.append((now, counts))
        while len(self._samples) > 2 and now - self._samples[0][0] > _RATE_WINDOW_S:
            self._samples.popleft()
        then, before = self._samples[0]
        elapsed_s = max(now - then, 1e-3)
        return tuple((new - old) / elapsed_s for new, old in zip(counts, before, strict=True))
