# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What could not be had as the input names it, and what was taken in its place."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from osi_bridge import ObjectStates, SkippedObject

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Fallback:
    """One cause, listed once.

    Attributes
    ----------
    subject : str
        What it is about, such as "object TYPE_CAR" or "material Paint_Red".
    used : str
        What was taken instead, such as "box 4.50 x 1.80 x 1.40 m"; "nothing" if it was left out.
    reason : str
        Why.
    object_ids : list of int
        OSI ids that this concerns.
    times : int
        How often it came up.
    """

    subject: str
    used: str
    reason: str
    object_ids: list[int]
    times: int = 0

    def __str__(self) -> str:
        return f"{self.subject}: {self.reason}; used: {self.used}"


class Fallbacks:
    """The fallbacks of a run. Each cause is logged as a warning when it first comes up."""

    def __init__(self) -> None:
        self._by_cause: dict[tuple[str, str, str], Fallback] = {}

    def __iter__(self) -> Iterator[Fallback]:
        return iter(self._by_cause.values())

    def __len__(self) -> int:
        return len(self._by_cause)

    def note(self, subject: str, *, used: str, reason: str, object_id: int | None = None) -> None:
        """Note that a cause came up."""
        cause = (subject, used, reason)
        fallback = self._by_cause.get(cause)
        if fallback is None:
            fallback = self._by_cause[cause] = Fallback(subject, used, reason, [])
            logger.info("%s", fallback)
        fallback.times += 1
        if object_id is not None and object_id not in fallback.object_ids:
            fallback.object_ids.append(object_id)

    def note_object(self, objects: ObjectStates, row: int, *, used: str, reason: str) -> None:
        """Note an object that has no mesh of its own."""
        name = objects.subtype_name[row] or objects.type_name[row] or "without a type"
        subject = f"object {name}"
        self.note(subject, used=used, reason=reason, object_id=int(objects.object_id[row]))

    def note_skipped(self, skipped: Iterable[SkippedObject]) -> None:
        """Note objects that a message describes in an impossible way."""
        for one in skipped:
            subject = f"{one.kind.name.lower().replace('_', ' ')} object"
            self.note(subject, used="nothing", reason=one.reason, object_id=one.object_id)
