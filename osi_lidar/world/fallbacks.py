# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fallbacks: inputs that could not be used as given, and what replaced them."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lidar_base.tables import Table, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from osi_bridge import ObjectStates, SkippedObject

logger = logging.getLogger(__name__)

MOST_CAUSES, MOST_IDS = 1000, 1000
"""Limits on stored causes and ids; a stream may run for weeks, so any more are only counted."""
_FURTHER = ("further", "causes", "as with those", f"more than {MOST_CAUSES} causes")


@dataclass(slots=True)
class Fallback:
    """An input that could not be used for one reason, and what replaced it; listed once.

    Attributes
    ----------
    kind : str
        "object", "material", "image", "environment", "map", "road", "weather", "message" or
        "sensor"; "further" for all causes beyond the limit.
    name : str
        Name of the object, material or other input, such as "TYPE_CAR" or "Paint_Red".
    used : str
        The replacement, such as "box 4.50 x 1.80 x 1.40 m"; "nothing" if it was left out.
    reason : str
        Why the input could not be used.
    object_ids : list of int
        OSI ids of the objects concerned, at most the first thousand.
    times : int
        How often this occurred.

    Examples
    --------
    >>> config = osi_lidar.default_config("VLP-16")
    >>> report = osi_lidar.replay(osi_lidar.FrameSource("drive.osi"), config, Path("out"))
    >>> report.fallbacks[0].subject, report.fallbacks[0].used
    ('material Plastic_Black', 'plastic_black')
    """

    kind: str
    name: str
    used: str
    reason: str
    object_ids: list[int] = field(default_factory=list)
    times: int = 1

    @property
    def subject(self) -> str:
        """Kind and name as text, such as "material Paint_Red"."""
        return f"{self.kind} {self.name}"

    def __str__(self) -> str:
        return f"{self.subject}: {self.reason}; used: {self.used}"

    def __repr__(self) -> str:
        return f"Fallback({self}; times: {self.times})"

    def _repr_html_(self) -> str:
        return fallback_table("Fallback", [self]).html()


def fallback_table(title: str, fallbacks: Iterable[Fallback]) -> Table:
    """Return a table with a row for each of ``fallbacks``: input, reason, replacement and count.

    ``title`` is the heading of the table.
    """
    rows = ((one.subject, one.reason, one.used, one.times) for one in fallbacks)
    return table(title, ("what", "reason", "used", "times"), rows)


def printable(text: str, limit: int = 300) -> str:
    """Return ``text`` cut to ``limit`` characters, with ``?`` in place of control characters."""
    shown = text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


def no_scan(sensor: str, period_s: float) -> Fallback:
    """Return the `Fallback` of a sensor that completed no scan, which takes ``period_s`` [s]."""
    reason = f"a scan takes {period_s:g} s, and the messages cover less"
    return Fallback("sensor", sensor, "no scan", reason)


class Fallbacks:
    """Iterable of the fallbacks of a run; a repeated fallback is counted, not listed again."""

    def __init__(self) -> None:
        self._by_cause: dict[tuple[str, ...], Fallback] = {}

    def __iter__(self) -> Iterator[Fallback]:
        return iter(self._by_cause.values())

    def __len__(self) -> int:
        return len(self._by_cause)

    def note(
        self, kind: str, name: str, *, used: str, reason: str, object_id: int | None = None
    ) -> None:
        """Count a fallback; list and log it if it is new.

        ``kind``, ``name``, ``used`` and ``reason`` are as in `Fallback`. The fallback is not new if
        these four are as before. Fallbacks beyond the first `MOST_CAUSES` count as one.
        ``object_id`` is the OSI id of the object concerned; None without an object.
        """
        name, reason = printable(name), printable(reason)
        cause = (kind, name, used, reason)
        if cause not in self._by_cause and len(self._by_cause) >= MOST_CAUSES:
            cause = _FURTHER
        fallback = self._by_cause.get(cause)
        if fallback is None:
            fallback = self._by_cause[cause] = Fallback(*cause)
            logger.info("%s", fallback)
        else:
            fallback.times += 1
        ids = fallback.object_ids
        if object_id is not None and len(ids) < MOST_IDS and object_id not in ids:
            ids.append(object_id)

    def note_object(self, objects: ObjectStates, row: int, *, used: str, reason: str) -> None:
        """Record that an object of a message is not shown by a mesh of its own.

        ``row`` is the row of the object in ``objects``, the objects of the message. ``used`` is
        what is shown in its place, ``reason`` why.
        """
        name = objects.subtype_name[row] or objects.type_name[row] or "without a type"
        object_id = int(objects.object_id[row])
        self.note("object", name, used=used, reason=reason, object_id=object_id)

    def note_skipped(self, skipped: Iterable[SkippedObject]) -> None:
        """Record objects of messages, or single values of objects, that were ignored as invalid.

        ``skipped`` has these objects and values, each with the reason.
        """
        by_cause: dict[tuple[str, str, str], list[int | None]] = {}
        for one in skipped:
            cause = one.kind.name, one.reason, one.used or "nothing"
            by_cause.setdefault(cause, []).append(one.object_id)
        for (kind, reason, used), ids in by_cause.items():
            name = kind.lower().replace("_", " ")
            for object_id in dict.fromkeys(ids[:MOST_IDS]):
                self.note("object", name, used=used, reason=reason, object_id=object_id)
