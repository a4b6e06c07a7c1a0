# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The bench: send the messages of each scene to a subject, and judge the answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from lidar_app.conformance.scene import NoScanError, Replies
from lidar_app.conformance.scenes import SCENES
from lidar_app.conformance.subjects.offline import write_questions
from lidar_app.conformance.subjects.subject import SubjectError, TroubleKind
from lidar_base.files.whole_files import make_folder
from osi_bridge import UndecodableMessage
from osi_bridge.bench import decode_answer
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from lidar_app.conformance.asking import BenchMoment, Question
    from lidar_app.conformance.judged import Judged
    from lidar_app.conformance.judging import Finding
    from lidar_app.conformance.reflections import ReflectionTracer
    from lidar_app.conformance.scene import BenchScene
    from lidar_app.conformance.sheet import DataSheet
    from lidar_app.conformance.subjects.subject import BenchSubject, Replied
    from osi_bridge.bench import Answer

BETWEEN_NS = 1_000_000_000_000
"""Time between the starts of two scenes, so that time never goes back for a subject. [ns]"""


class Verdict(Enum):
    """Whether the tested model (subject) passes a scene; values are the words in reports."""

    PASSED = "pass"
    FAILED = "fail"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, kw_only=True)
class SceneResult:
    """The result of a scene.

    Attributes
    ----------
    scene : BenchScene
        The scene.
    verdict : Verdict
        Whether the subject passes the scene.
    findings : tuple of Finding
        The judgements of the answers; the subject passes if all hold.
    note : str
        Why the scene is not applicable, or why there is no answer; else empty.
    moments : tuple of BenchMoment
        The moments that were sent as messages.
    judged : Judged or None
        The answer to the last message, with the values of the closed forms; None without it.
    """

    scene: BenchScene
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    note: str = ""
    moments: tuple[BenchMoment, ...] = ()
    judged: Judged | None = None


def chosen(only: Collection[str] = ()) -> list[BenchScene]:
    """Return the test scenes with the given names, in the order of `SCENES`.

    Parameters
    ----------
    only : collection of str
        Names of scenes; if it is empty, all scenes are returned.

    Raises
    ------
    InputError
        If a name belongs to no scene.
    """
    names = [each.name for each in SCENES]
    for each in only:
        if each not in names:
            raise InputError(f"--only: got {each!r}, expected {', '.join(names)}")
    return [each for each in SCENES if not only or each.name in only]


def run_bench(
    subject: BenchSubject,
    sheet: DataSheet,
    scenes: Sequence[BenchScene],
    on_scene: Callable[[int], bool] = lambda _: True,
) -> list[SceneResult]:
    """Test a sensor model (the subject) on scenes; return the result of each scene, in order.

    A subject that does not answer gets the verdict FAILED for the scene; no exception is raised. A
    scene that needs what the subject does not claim or offer gets the verdict NOT_APPLICABLE.

    Parameters
    ----------
    subject : BenchSubject
        The tested model, which answers the messages of a scene.
    sheet : DataSheet
        Properties that the subject claims to have; answers are judged by them.
    scenes : sequence of BenchScene
        The scenes, in the order in which they are run.
    on_scene : callable
        Called after each scene, with the number of finished scenes. If it returns False, the
        remaining scenes are left out, and have no result.
    """
    results = []
    for index, scene in enumerate(scenes):
        results.append(judge_scene(subject, sheet, scene))
        if not on_scene(index + 1):
            break
    return results


def judge_scene(subject: BenchSubject, sheet: DataSheet, scene: BenchScene) -> SceneResult:
    """Run one test scene on a tested model (subject), and return the result.

    A subject that does not answer fails the scene. A scene is not applicable, and no message is
    sent, if the sheet lacks a claim that the scene needs, or if the scene needs a subject that
    receives messages one by one (`is_live`) and this one does not.

    Parameters
    ----------
    subject : BenchSubject
        The subject, which answers the messages.
    sheet : DataSheet
        Properties that the subject claims to have.
    scene : BenchScene
        The messages to send, and how to judge the answers.
    """
    note = _not_applicable(subject, sheet, scene)
    if note:
        return SceneResult(scene=scene, verdict=Verdict.NOT_APPLICABLE, note=note)
    moments = tuple(moments_of(scene, sheet))
    try:
        replied = subject.ask(scene.name, [each.question(sheet) for each in moments])
        answers = _decoded(moments, replied)
    except SubjectError as trouble:
        note = f"{trouble.kind.value}: {trouble}"
        return SceneResult(scene=scene, verdict=Verdict.FAILED, note=note, moments=moments)
    replies = Replies(sheet, moments, answers)
    try:
        findings = tuple(each for each in scene.oracle(replies) if each)
        judged, note = replies.judged(), ""
    except NoScanError as problem:
        findings, judged, note = (), None, str(problem)
    holds = bool(findings) and all(each.holds for each in findings)
    return SceneResult(
        scene=scene,
        verdict=Verdict.PASSED if holds else Verdict.FAILED,
        findings=findings,
        note=note,
        moments=moments,
        judged=judged,
    )


def _not_applicable(subject: BenchSubject, sheet: DataSheet, scene: BenchScene) -> str:
    """Return why a scene is not applicable to a subject, an empty text if it is."""
    missing = [each for each in scene.needs if not sheet.claims(each)]
    if missing:
        return f"not claimed: {', '.join(missing)}"
    if scene.is_live and not subject.is_live:
        return "needs a subject that gets messages one by one"
    return ""


def moments_of(scene: BenchScene, sheet: DataSheet) -> Iterator[BenchMoment]:
    """Yield the moments of a test scene, with times that differ from the times of other scenes.

    The scene with the index n in `SCENES` starts at n times `BETWEEN_NS`; any other scene starts at
    0. So, time never goes back when scenes are run in the order of `SCENES`.

    Parameters
    ----------
    scene : BenchScene
        The scene.
    sheet : DataSheet
        Data sheet of the tested model, on which the placing of objects depends.

    Yields
    ------
    BenchMoment
        The world at the time of each message, in the order of the messages.
    """
    start_ns = BETWEEN_NS * SCENES.index(scene) if scene in SCENES else 0
    for each in scene.moments(sheet):
        yield each.at(start_ns + each.time_ns)


def write_scenes(
    folder: Path,
    sheet: DataSheet,
    scenes: Sequence[BenchScene],
    tracer: ReflectionTracer | None = None,
) -> list[Path]:
    """Write the messages of each test scene to a trace, and return the paths of the traces.

    Scenes that need messages one by one (`is_live`), or a claim that the sheet lacks, are skipped.

    Parameters
    ----------
    folder : Path
        Folder for the traces, which is created if needed. A trace has the name of its scene, and
        the suffix .osi.
    sheet : DataSheet
        Data sheet of the tested model.
    scenes : sequence of BenchScene
        The scenes.
    tracer : ReflectionTracer, optional
        Adds reflections (hits of rays) to the messages; without it, there are none.
    """
    make_folder(folder)
    files = []
    for scene in scenes:
        if scene.is_live or not all(sheet.claims(each) for each in scene.needs):
            continue
        questions: list[Question] = [each.question(sheet) for each in moments_of(scene, sheet)]
        if tracer is not None:
            questions = list(tracer.filled(questions))
        files.append(folder / f"{scene.name}.osi")
        write_questions(files[-1], questions)
    return files


def _decoded(moments: Sequence[BenchMoment], replied: Replied) -> list[Answer | None]:
    """Decode the answers; raise SubjectError if bytes are no valid answer."""
    pairs = enumerate(zip(moments, replied, strict=True))
    return [_one(index, moment, data) for index, (moment, data) in pairs]


def _one(index: int, moment: BenchMoment, data: bytes | None) -> Answer | None:
    try:
        return None if data is None else decode_answer(data)
    except UndecodableMessage as error:
        if moment.may_be_silent:
            return None
        raise SubjectError(TroubleKind.GARBAGE, f"message {index}: {error}") from error
