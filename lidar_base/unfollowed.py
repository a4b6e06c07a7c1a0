# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of an input file that its reader does not support, and so ignores ("not followed").

Every reader lists such contents in this form, beside what it has read. `info`, `check`, run.json
and the log show the list. So nothing in a file is ignored in silence.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

logger = logging.getLogger(__name__)

MOST_KINDS = 1000
"""Number of kinds in a list; all further kinds are counted together as one."""
_FURTHER = "further kinds"


class NotFollowed(NamedTuple):
    """A kind of content that a reader ignores, because the model does not support it.

    Attributes
    ----------
    what : str
        The content as the format names it, such as "extension MSFT_lod" or "<sway> of <roadMark>".
    first : str
        First place in the file, such as "line 12" or "node 3"; empty: it concerns the whole file.
    times : int
        How often the file has it.
    """

    what: str
    first: str = ""
    times: int = 1

    def __str__(self) -> str:
        times = f"{self.times} times" if self.times > 1 else ""
        first = f"first at {self.first}" if self.times > 1 and self.first else self.first
        details = ", ".join(filter(None, (times, first)))
        return f"{self.what} ({details})" if details else self.what


ALL_FOLLOWED: tuple[NotFollowed, ...] = ()
"""The list of an input whose whole content is followed."""


class Unfollowed:
    """Collects contents that are not followed: each kind once, with its count."""

    def __init__(self) -> None:
        self._kinds: dict[str, NotFollowed] = {}

    def add(self, what: str, first: str = "", times: int = 1) -> None:
        """Count content of a file that its reader ignores.

        Parameters
        ----------
        what : str
            The content as the format names it, such as "extension MSFT_lod". If `MOST_KINDS` kinds
            are already known, a new kind is counted as "further kinds".
        first : str
            Place of the content in the file, such as "line 12"; only the first place of a kind is
            kept.
        times : int
            Number of times by which the count of this kind grows.
        """
        if what not in self._kinds and len(self._kinds) >= MOST_KINDS:
            what = _FURTHER
            first = ""
        found = self._kinds.get(what, NotFollowed(what, first, 0))
        self._kinds[what] = found._replace(times=found.times + times)

    @property
    def kinds(self) -> tuple[NotFollowed, ...]:
        """All kinds of contents that were not followed, in the order of their first addition."""
        return tuple(self._kinds.values())


def not_followed_rows(inputs: Mapping[str, Iterable[NotFollowed]]) -> list[dict[str, object]]:
    """Return a row for each kind, with the keys input, what, first and times.

    Parameters
    ----------
    inputs : mapping of str to iterable of NotFollowed
        What is not followed, by input; an input is described in words, as in `log_not_followed`.
    """
    return [
        {"input": subject, **kind._asdict()} for subject, kinds in inputs.items() for kind in kinds
    ]


def log_not_followed(subject: str, kinds: Iterable[NotFollowed]) -> None:
    """Log one line about an input, unless all of it is followed.

    Parameters
    ----------
    subject : str
        The input in words, such as "map town.xodr".
    kinds : iterable of NotFollowed
        What is not followed in it.
    """
    words = "; ".join(map(str, kinds))
    if words:
        logger.info("%s: not followed: %s", subject, words)
