# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A scene of the bench: its messages, and the oracle that judges the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lidar_app.conformance.judged import Judged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.judging import Finding
    from lidar_app.conformance.sheet import Claim, DataSheet
    from osi_bridge.bench import Answer

    Oracle = Callable[["Replies"], Iterable[Finding | None]]


@dataclass(frozen=True, kw_only=True)
class BenchScene:
    """A scene: the moments to send, and the closed form to judge the answers by.

    Attributes
    ----------
    name, title : str
        Short name, and a description in a few words.
    heading : str
        Heading in reports, with the wording of ISO/DIS 13228.
    clauses : tuple of str
        Clauses of ISO/DIS 13228:2026 that name the tested quantity.
    formula : str
        The closed form.
    moments : callable
        Takes a data sheet, returns the moments to send.
    oracle : callable
        Takes the answers (`Replies`), yields a `Finding` for each judgement. It may also yield
        None for a judgement that is not made, which is skipped.
    needs : tuple of str
        Claims that a data sheet must make; else the scene is not applicable.
    is_live : bool
        Whether the scene needs a subject that receives messages one by one.
    """

    name: str
    title: str
    heading: str
    formula: str
    moments: Callable[[DataSheet], Sequence[BenchMoment]]
    oracle: Oracle
    needs: tuple[Claim, ...] = ("detections",)
    is_live: bool = False
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replies:
    """The answers of a subject to the messages of a scene.

    Attributes
    ----------
    sheet : DataSheet
        Data sheet of the subject.
    moments : sequence of BenchMoment
        The moments that were sent as messages.
    answers : sequence of Answer or None
        Answer to each moment; None: no answer.
    """

    sheet: DataSheet
    moments: Sequence[BenchMoment]
    answers: Sequence[Answer | None]

    def judged(self, index: int = -1) -> Judged:
        """Return an answer with the values of the closed forms, by the index of its moment.

        Raise NoScanError if the answer is missing or has no scan.
        """
        index %= len(self.moments)
        answer = self.answers[index]
        if answer is None or not answer.scans:
            raise NoScanError(index)
        known = [each for each in self.moments[: index + 1] if each.raw is None]
        end_ns = self.moments[index].time_ns
        past = [each for each in known if each.time_ns <= end_ns]
        return Judged(self.sheet, sorted(past, key=lambda each: each.time_ns), answer)


class NoScanError(Exception):
    """The tested subject did not answer a message, or its answer has no lidar detections.

    Parameters
    ----------
    index : int
        Index of the message among the messages of the scene.
    """

    def __init__(self, index: int) -> None:
        super().__init__(f"message {index} has no answer with lidar detections")
