# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A subject, and what can become of it: every failure is a verdict."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_app.conformance.asking import Question

    Replied = list[bytes | None]


class TroubleKind(Enum):
    """Why a scene has no answers."""

    CRASH = "crash"
    TIMEOUT = "timeout"
    ERROR = "error"
    GARBAGE = "garbage"
    MISSING = "no answer"


class SubjectError(Exception):
    """A subject does not answer a scene.

    Parameters
    ----------
    kind : TroubleKind
        What became of it.
    text : str
        One line.
    """

    def __init__(self, kind: TroubleKind, text: str) -> None:
        super().__init__(" ".join(text.split())[:300])
        self.kind = kind


class BenchSubject(Protocol):
    """Something that answers the messages of a scene.

    Attributes
    ----------
    is_live : bool
        Whether it gets messages one by one, and not as a trace.
    """

    is_live: bool

    def ask(self, scene: str, questions: Sequence[Question], /) -> Replied:
        """Return the answer to each message of a scene, from a subject as at its start.

        Raises
        ------
        SubjectError
            If it does not answer.
        """

    def close(self) -> None:
        """End it."""
