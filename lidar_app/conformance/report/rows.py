# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The rows of a report, for JSON and for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from lidar_app.conformance.report.content import CLAUSES, HINT, LIMITS, tolerance_rows
from lidar_base.tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_app.conformance.bench import SceneResult
    from lidar_app.conformance.judging import Finding
    from lidar_app.conformance.report.content import BenchReport
    from lidar_app.conformance.sheet import DataSheet
    from lidar_base.tables import Table

HEADINGS = ("scene", "verdict", "closed form", "came")


class FindingRow(TypedDict):
    """The judgement of one property of an answer, as an object in report.json.

    Attributes
    ----------
    check : str
        Name of the judgement, such as "range".
    expected, came : str
        What exact geometry (the closed form) gives, and what the answer has, in words.
    holds : bool
        Whether both agree.
    """

    check: str
    expected: str
    came: str
    holds: bool


class SceneRow(TypedDict):
    """The result of one test scene, as an object in report.json.

    Attributes
    ----------
    scene, heading : str
        Name of the scene, and its heading in reports.
    clauses : list of str
        Clauses of ISO/DIS 13228 that name the tested quantity.
    asked : str
        Description of the scene; if it was sent, with the numbers of messages and objects.
    closed_form : str
        Formula of the scene.
    verdict, note : str
        The verdict, such as "pass"; and why the scene is not applicable or has no answer, else "".
    findings : list of FindingRow
        The judgements of the answers.
    """

    scene: str
    heading: str
    clauses: list[str]
    asked: str
    closed_form: str
    verdict: str
    note: str
    findings: list[FindingRow]


class CauseRow(TypedDict):
    """A likely cause of failures, as an object in report.json.

    Attributes
    ----------
    cause : str
        The cause in words.
    scenes : list of str
        Names of the scenes that it explains.
    """

    cause: str
    scenes: list[str]


class ReportContent(TypedDict):
    """The content of report.json: the results of a test of a lidar model (the subject).

    Attributes
    ----------
    subject : str
        The subject, as given on the command line.
    identity : dict of str to str
        Facts on the subject by name, such as the SHA-256 of its files.
    versions : dict of str to str
        Versions of osi-lidar, OSI, Python and the system, by name.
    date : str
        Time at which the run began, in UTC.
    sum : str
        A line of text with the numbers of scenes that passed, failed and were not run.
    verdicts : dict of str to int
        Number of scenes for each verdict, such as "pass".
    causes : list of CauseRow
        Likely causes of failures.
    not_run : dict of str to str
        Why a scene was not run, by its name.
    sheet : dict of str to object
        The data sheet.
    reflections : str
        Description of the reflections that were sent, or "none".
    tolerances : dict of str to str
        Tolerances of judgements, by their names.
    scenes : list of SceneRow
        Result of each scene.
    limits, clauses, hint : str
        Fixed texts on the meaning of verdicts, of clause numbers and of causes.
    """

    subject: str
    identity: dict[str, str]
    versions: dict[str, str]
    date: str
    sum: str
    verdicts: dict[str, int]
    causes: list[CauseRow]
    not_run: dict[str, str]
    sheet: dict[str, object]
    reflections: str
    tolerances: dict[str, str]
    scenes: list[SceneRow]
    limits: str
    clauses: str
    hint: str


def report_content(report: BenchReport) -> ReportContent:
    """Return the content of report.json; for equal runs, it differs only in the date.

    Parameters
    ----------
    report : BenchReport
        The results of a run.
    """
    facts = report.facts
    return ReportContent(
        subject=facts.subject,
        identity=dict(facts.identity),
        versions=dict(facts.versions),
        date=facts.date,
        sum=report.sum_line,
        verdicts=report.counts,
        causes=[CauseRow(cause=each.text, scenes=[*each.scenes]) for each in report.causes],
        not_run=dict(report.not_run),
        sheet=report.sheet.model_dump(mode="json"),
        reflections=report.reflections,
        tolerances=dict(tolerance_rows(report.sheet)),
        scenes=[_row(each) for each in report.results],
        limits=LIMITS,
        clauses=CLAUSES,
        hint=HINT,
    )


def table_of(sheet: DataSheet, results: Sequence[SceneResult]) -> Table:
    """Return the table of all test scenes and their verdicts for the terminal.

    Parameters
    ----------
    sheet : DataSheet
        Data sheet of the tested model, whose name is the title.
    results : sequence of SceneResult
        Results of the scenes. A scene has one row; a failed scene has a row for each failed
        judgement.
    """
    rows = [row for each in results for row in _lines(each)]
    return table(sheet.name, HEADINGS, rows, n_whole=2)


def _row(result: SceneResult) -> SceneRow:
    scene = result.scene
    return SceneRow(
        scene=scene.name,
        heading=scene.heading,
        clauses=[*scene.clauses],
        asked=asked_of(result),
        closed_form=scene.formula,
        verdict=result.verdict.value,
        note=result.note,
        findings=[_finding(each) for each in result.findings],
    )


def _finding(of: Finding) -> FindingRow:
    return FindingRow(check=of.check, expected=of.expected, came=of.came, holds=bool(of.holds))


def asked_of(result: SceneResult) -> str:
    """Return in words what a test scene has sent: its title, and numbers of messages and objects.

    Parameters
    ----------
    result : SceneResult
        Result of the scene. If no message was sent, only the title is returned.
    """
    if not result.moments:
        return result.scene.title
    n_things = len(result.moments[-1].things)
    return f"{result.scene.title}; {len(result.moments)} messages, {n_things} objects"


def _lines(result: SceneResult) -> list[tuple[str, str, str, str]]:
    """Return the rows of a scene: one, or one for each failed judgement."""
    name, verdict = result.scene.name, result.verdict.value
    failed = [each for each in result.findings if not each.holds]
    if not failed:
        came = result.note or f"{len(result.findings)} of {len(result.findings)} judgements hold"
        return [(name, verdict, result.scene.formula, came)]
    rows = [(f"{each.check}: {each.expected}", each.came) for each in failed]
    return [(*((name, verdict) if not n else ("", "")), *row) for n, row in enumerate(rows)]
