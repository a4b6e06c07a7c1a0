# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A subject in a child process: an FMU, or this package's model with a configuration."""

from __future__ import annotations

import multiprocessing
from contextlib import suppress
from typing import TYPE_CHECKING

from lidar_app.conformance.subjects.subject import SubjectError, TroubleKind
from osi_lidar.run.fmu import Fmu

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from lidar_app.conformance.asking import Question
    from lidar_app.conformance.sheet import DataSheet
    from lidar_app.conformance.subjects.subject import Replied
    from osi_lidar.run.fmu.instance import Value

    Answerer = Callable[[Path, "DataSheet", Sequence[Question]], "Replied"]

_GRACE_S = 5.0
_START_S = 120.0
"""Time that a process may take to start: libraries load, kernels compile. [s]"""


class ChildSubject:
    """A subject (tested model) in a child process, so that its crash does not end the bench.

    If the process ends or is too slow, the next scene gets a new process.

    Parameters
    ----------
    answer : callable
        Function at module level that the child calls with `path`, `sheet` and the messages of a
        scene (a sequence of Question). It returns a list with the answer to each message (bytes),
        None for no answer.
    path : Path
        File of the subject.
    sheet : DataSheet
        Its data sheet; `sheet.timeout_s` limits the time for the answers to a scene. A new process
        has `_START_S` more.
    is_kept : bool
        Whether one process answers all scenes, else each scene has its own. False for FMUs: a
        library that is loaded twice may end its process, as protobuf for C++ refuses to register
        messages again.
    """

    is_live = True

    def __init__(
        self, answer: Answerer, path: Path, sheet: DataSheet, *, is_kept: bool = True
    ) -> None:
        self._answer, self._path, self._sheet = answer, path, sheet
        self._is_kept = is_kept
        self._child: tuple[BaseProcess, Connection] | None = None

    def ask(self, _scene: str, questions: Sequence[Question], /) -> Replied:
        """Return the child's answers to a scene; SubjectError if it fails, crashes or is too slow.

        The child is started if necessary; one that crashed or was too slow is ended. `questions`
        are the messages of the scene (a sequence of Question). The result is a list with the
        encoded SensorData message for each of them, None for no answer. The name of the scene is
        not used.
        """
        limit_s = self._sheet.timeout_s + (0.0 if self._child else _START_S)
        process, pipe = self._child or self._started()
        try:
            pipe.send(list(questions))
            if not pipe.poll(limit_s):
                self._end()
                raise SubjectError(
                    TroubleKind.TIMEOUT, f"the subject gave no answers within {limit_s:g} s"
                )
            replies, problem = pipe.recv()
        except (EOFError, OSError):
            process.join(_GRACE_S)
            code = process.exitcode
            self._end()
            raise SubjectError(
                TroubleKind.CRASH, f"the process of the subject ended with exit code {code}"
            ) from None
        if not self._is_kept:
            self.close()
        if problem:
            raise SubjectError(TroubleKind.ERROR, problem)
        return list(replies)

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            with suppress(OSError):
                self._child[1].send(None)
            self._child[0].join(_GRACE_S)
        self._end()

    def _started(self) -> tuple[BaseProcess, Connection]:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        arguments = (theirs, self._answer, self._path, self._sheet)
        process = context.Process(target=_serve, args=arguments, daemon=True)
        process.start()
        theirs.close()
        self._child = process, ours
        return self._child

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        process, pipe = child
        pipe.close()
        process.kill()
        process.join(_GRACE_S)


def _serve(pipe: Connection, answer: Answerer, path: Path, sheet: DataSheet) -> None:
    """Answer scenes until None arrives; send an exception as one line."""
    while True:
        questions = pipe.recv()
        if questions is None:
            return
        try:
            pipe.send((_answered(answer, path, sheet, questions), ""))
        except SubjectError as error:
            pipe.send(([], str(error)))


def _answered(
    answer: Answerer, path: Path, sheet: DataSheet, questions: Sequence[Question]
) -> Replied:
    """Return the answers; raise any exception of the subject as SubjectError in one line."""
    try:
        return answer(path, sheet, questions)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        raise SubjectError(TroubleKind.ERROR, text) from error


def answer_by_fmu(path: Path, sheet: DataSheet, questions: Sequence[Question]) -> Replied:
    """Run a new instance of an FMU with the messages of a scene; return its answer to each.

    Each message is the input of a step that ends at the time of the next message. The time of an
    FMU cannot go back: late messages are left out, and of messages with equal times only the last
    is used.

    Parameters
    ----------
    path : Path
        The FMU.
    sheet : DataSheet
        Data sheet of the FMU; it has the FMU's parameters and the duration of the last step.
    questions : sequence of Question
        The messages of the scene, at least one.

    Returns
    -------
    list of (bytes or None)
        The encoded SensorData message for each message; None if the message was left out or has no
        answer.
    """
    replies: Replied = [None] * len(questions)
    parameters: Mapping[str, Value] = sheet.parameters
    with Fmu(path) as fmu:
        port = "OSMPSensorViewIn"
        fmu.initialize(parameters, 1e-9 * questions[0].time_ns)
        for index, end_ns in _in_order(questions, sheet.period_ns):
            begin_ns = questions[index].time_ns
            fmu.put(port, questions[index].data)
            try:
                fmu.step(1e-9 * begin_ns, 1e-9 * (end_ns - begin_ns))
            except Exception:
                if questions[index].may_be_silent:
                    continue
                raise
            replies[index] = fmu.message("OSMPSensorDataOut") or None
    return replies


def _in_order(questions: Sequence[Question], last_ns: int) -> list[tuple[int, int]]:
    """Return the indices of messages in ascending time, each with the end of its step [ns]."""
    kept: list[int] = []
    for index, question in enumerate(questions):
        if kept and question.time_ns < questions[kept[-1]].time_ns:
            continue
        if kept and question.time_ns == questions[kept[-1]].time_ns:
            kept.pop()
        kept.append(index)
    ends = [questions[each].time_ns for each in kept[1:]]
    ends.append(questions[kept[-1]].time_ns + last_ns)
    return list(zip(kept, ends, strict=True))
