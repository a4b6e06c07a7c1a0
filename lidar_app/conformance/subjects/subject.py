# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The interface of a subject (the tested model), and the kinds of its failures."""

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
    """A subject (the tested model) does not answer a scene.

    Parameters
    ----------
    kind : TroubleKind
        Kind of the failure.
    text : str
        Description in one line.
    """

    def __init__(self, kind: TroubleKind, text: str) -> None:
        super().__init__(" ".join(text.split())[:300])
        self.kind = kind


class BenchSubject(Protocol):
    """Interface of a subject, the tested model that answers the messages of a scene.

    Attributes
    ----------
    is_live : bool
        Whether the subject receives messages one by one, not as a trace.
    """

    is_live: bool

    def ask(self, scene: str, questions: Sequence[Question], /) -> Replied:
        """Reset the subject, and return its answer to each message of a scene, None for no answer.

        Raises
        ------
        SubjectError
            If the subject does not answer.
        """

    def close(self) -> None:
        """End the subject, and free what it uses."""
