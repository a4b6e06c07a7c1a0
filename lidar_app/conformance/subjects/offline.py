# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Subjects that answer offline: a command that is run for each trace, or a folder of answers."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.conformance.subjects.subject import SubjectError, TroubleKind
from lidar_base.files.whole_files import replacing
from osi_bridge import OsiError, UndecodableMessage, framed, open_trace
from osi_bridge.bench import decode_answer
from osi_lidar.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_app.conformance.asking import Question
    from lidar_app.conformance.subjects.subject import Replied

TRACE, OUT = "{trace}", "{out}"
_SUFFIXES = (".osi", ".mcap")


class CommandSubject:
    """A command that turns a SensorView trace into a SensorData trace, run once for each scene.

    Parameters
    ----------
    command : str
        The command line with ``{trace}`` for the trace of the scene, and ``{out}`` for the answers
        (an .osi file or a folder).
    timeout_s : float
        Longest time that the command may take for a scene. [s]

    Raises
    ------
    InputError
        If ``{trace}`` or ``{out}`` is missing, or there is no such program.
    """

    is_live = False

    def __init__(self, command: str, timeout_s: float) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise InputError(f"cmd: {error}, got {command!r}") from error
        for name in (TRACE, OUT):
            if name not in command:
                raise InputError(f"cmd: got {command!r}, expected a command that contains {name}")
        if shutil.which(self._words[0]) is None:
            raise InputError(
                f"cmd: no program {self._words[0]!r} in PATH, expected an installed program"
            )
        self._timeout_s = timeout_s

    def ask(self, scene: str, questions: Sequence[Question], /) -> Replied:
        """Run the command on a trace of the messages of a scene, and return the answers it wrote.

        Parameters
        ----------
        scene : str
            Name of the scene, which also names the trace.
        questions : sequence of Question
            The messages of the scene.

        Returns
        -------
        list of (bytes or None)
            The encoded SensorData message for each message, None for no answer.

        Raises
        ------
        SubjectError
            If the command is ended by a signal, takes too long, or writes no usable trace.
        """
        with tempfile.TemporaryDirectory(prefix="osi_lidar_bench_") as name:
            trace, out = Path(name) / f"{scene}.osi", Path(name) / "answers"
            write_questions(trace, questions)
            words = [each.replace(TRACE, str(trace)).replace(OUT, str(out)) for each in self._words]
            code, words_of_error = asyncio.run(self._run(words))
            if code < 0:
                raise SubjectError(TroubleKind.CRASH, f"the subject was ended by signal {-code}")
            found = answer_files(out.rename(out.with_suffix(".osi")) if out.is_file() else out)
            if code and not found:
                lines = words_of_error.decode("utf-8", "replace").strip().splitlines()
                last = lines[-1] if lines else "no message"
                raise SubjectError(
                    TroubleKind.ERROR, f"the subject ended with exit code {code}: {last}"
                )
            return read_replies(found, questions)

    async def _run(self, words: Sequence[str]) -> tuple[int, bytes]:
        """Run the command; return its exit code and what it wrote to stderr."""
        pipe, none = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            *words, stdin=none, stdout=none, stderr=pipe, start_new_session=True
        )
        try:
            _, text = await asyncio.wait_for(process.communicate(), self._timeout_s)
        except (TimeoutError, asyncio.TimeoutError):
            with suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    os.killpg(process.pid, signal.SIGKILL)  # also kills child processes
                else:
                    process.kill()
            await process.wait()
            told = f"the subject did not end within {self._timeout_s:g} s"
            raise SubjectError(TroubleKind.TIMEOUT, told) from None
        return process.returncode or 0, text

    def close(self) -> None:
        """Do nothing."""


class FolderSubject:
    """A folder of answers to the traces that ``osi-lidar conformance --write`` wrote.

    Parameters
    ----------
    folder : Path
        For each scene, holds the answers as ``SCENE.osi`` (or .mcap) or as a trace in a subfolder
        ``SCENE``.
    """

    is_live = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ask(self, scene: str, questions: Sequence[Question], /) -> Replied:
        """Return the answers to a scene from its file or, without one, its subfolder.

        `scene` is the name of the scene, and `questions` are its messages (a sequence of Question).
        The result is a list with the encoded SensorData message for each of them, None for no
        answer. Raise SubjectError unless there is exactly one trace, which can be read. A subfolder
        beside a file does not count.
        """
        files = [self._folder / f"{scene}{each}" for each in _SUFFIXES]
        found = [each for each in files if each.is_file()]
        return read_replies(found or answer_files(self._folder / scene), questions)

    def close(self) -> None:
        """Do nothing."""


def write_questions(file: Path, questions: Sequence[Question]) -> None:
    """Write the messages of a scene, also damaged ones, as a binary OSI trace.

    Parameters
    ----------
    file : Path
        File to write (.osi), which is replaced if it exists.
    questions : sequence of Question
        The messages, written in this order: each one is its length and its bytes (`Question.data`).
    """
    with replacing(file) as temporary:
        temporary.write_bytes(b"".join(framed(each.data) for each in questions))


def answer_files(path: Path) -> list[Path]:
    """Return the traces (.osi, .mcap) at a path: the file itself, or all files below a folder.

    `path` is the file, whatever its suffix, or the folder. The list is sorted, and empty if the
    path does not exist.
    """
    if path.is_file():
        return [path]
    return sorted(each for each in path.rglob("*") if each.suffix in _SUFFIXES and each.is_file())


def read_replies(files: Sequence[Path], questions: Sequence[Question]) -> Replied:
    """Return the answers to the messages of a scene, from a SensorData trace.

    If there are as many answers as messages, they are matched in order, else by equal times.

    Parameters
    ----------
    files : sequence of Path
        Traces that were found; exactly one is expected.
    questions : sequence of Question
        The messages of the scene.

    Returns
    -------
    list of (bytes or None)
        The encoded SensorData message for each message, None for no answer.

    Raises
    ------
    SubjectError
        If `files` has no trace or several, or the trace cannot be read.
    """
    if not files:
        raise SubjectError(TroubleKind.MISSING, "the subject wrote no trace of answers")
    if len(files) > 1:
        names = ", ".join(each.name for each in files[:3])
        raise SubjectError(
            TroubleKind.MISSING,
            f"the subject wrote {len(files)} traces of answers, expected one: {names}",
        )
    try:
        data = [raw.data for raw in open_trace(files[0], message_type="SensorData")]
    except (OsiError, InputError, OutputError) as error:
        raise SubjectError(TroubleKind.GARBAGE, str(error)) from error
    if len(data) == len(questions):
        return list(data)
    of_time = {_time_ns(each): each for each in data}
    return [of_time.get(each.time_ns) for each in questions]


def _time_ns(data: bytes) -> int | None:
    """Return the time of an answer, None if it is missing or invalid."""
    with suppress(UndecodableMessage):
        return decode_answer(data).time_ns
    return None
