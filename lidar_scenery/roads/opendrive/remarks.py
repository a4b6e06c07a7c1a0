# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Notes on guesses and omissions, one for all parts with the same cause."""

from __future__ import annotations

from lidar_scenery.roads.parts import Note


class MapRemarks:
    """Collects notes on guesses and omissions; parts with equal guess and reason share a note."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], list[str]] = {}

    def add(self, name: str, used: str, reason: str) -> None:
        """Note that a part of a map was not used as it is.

        Parameters
        ----------
        name : str
            Name of the part, such as "road 5, object 3".
        used : str
            What was used in its place, in words.
        reason : str
            Why, in words.
        """
        names = self._names.setdefault((used, reason), [])
        if name not in names[-1:]:
            names.append(name)

    @property
    def notes(self) -> tuple[Note, ...]:
        """All notes, in order; each names its first part and says how many more it has."""
        return tuple(
            Note(_joined(names), used, reason) for (used, reason), names in self._names.items()
        )


def _joined(names: list[str]) -> str:
    more = len(names) - 1
    return names[0] + (f" and {more} more" if more else "")
