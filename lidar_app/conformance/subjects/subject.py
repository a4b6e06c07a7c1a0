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
    """Why the tested model (the subject) gave no answers to a scene.

    CRASH: its process or connection ended. TIMEOUT: it was too slow. ERROR: it reported an error.
    GARBAGE: its answer cannot be read. MISSING: it wrote no trace of answers, or several.
    """

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
        """Reset the subject, and return its answers to the messages of a scene.

        Parameters
        ----------
        scene : str
            Name of the scene.
        questions : sequence of Question
            The SensorView messages of the scene, in the order in which they are sent.

        Returns
        -------
        list of (bytes or None)
            The encoded SensorData message for each message, None for no answer.

        Raises
        ------
        SubjectError
            If the subject fails, is too slow, or its answers cannot be read.
        """

    def close(self) -> None:
        """End the subject, and free what it uses."""
