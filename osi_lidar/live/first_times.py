# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Problems that a server logs: each one once, and only a limited number in all."""

from __future__ import annotations

MOST = 20
"""Number of different problems that are logged."""


class FirstTimes:
    """Remembers problems, up to `MOST`, so that whoever repeats or varies one fills no log."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    @property
    def is_full(self) -> bool:
        """Whether no further problem is logged."""
        return len(self._texts) >= MOST

    def is_first(self, text: str) -> bool:
        """Return whether to log a problem: it is new, and fewer than `MOST` were before it."""
        if self.is_full or text in self._texts:
            return False
        self._texts.add(text)
        return True
