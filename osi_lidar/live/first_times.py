# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Problems that a server logs: each one once, and only a limited number in all."""

from __future__ import annotations

MOST = 20
"""Number of different problems that are logged."""


class FirstTimes:
    """Decides which problems are logged: each text once, and at most `MOST` texts.

    So a client that repeats or varies a problem cannot fill the log.
    """

    def __init__(self) -> None:
        self._texts: set[str] = set()

    @property
    def is_full(self) -> bool:
        """Whether `MOST` problems have been logged, so that no further one will be."""
        return len(self._texts) >= MOST

    def is_first(self, text: str) -> bool:
        """Return whether to log a problem, and remember the problem.

        ``text`` describes the problem. True: this text is new, and `is_full` is False.
        """
        if self.is_full or text in self._texts:
            return False
        self._texts.add(text)
        return True
