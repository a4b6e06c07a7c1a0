# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The rows of a report: asked, closed form, came, verdict, not applicable."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypedDict

from lidar_app.conformance.bench import Verdict
from lidar_base.tables import table
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_app.conformance.bench import SceneResult
    from lidar_app.conformance.judging import Finding
    from lidar_app.conformance.sheet import DataSheet
    from lidar_base.tables import Table

HEADINGS = ("scene", "verdict", "closed form", "came")
LIMITS = (
    "A pass says that a subject answers these scenes as the closed forms do, within the errors of "
    "its data sheet. It says nothing of materials, shapes, weather or noise of a real sensor."
)


class FindingRow(TypedDict):
    """One judgement, in JSON."""

    check: str
    expected: str
    came: str
    holds: bool


class SceneRow(TypedDict):
    """One scene, in JSON."""

    scene: str
    heading: str
    asked: str
    closed_form: str
    verdict: str
    note: str
    findings: list[FindingRow]


class ReportContent(TypedDict):
    """A report, in JSON."""

    subject: str
    sheet: dict[str, object]
    bench: str
    verdicts: dict[str, int]
    scenes: list[SceneRow]
    limits: str


def report_content(subject: str, sheet: DataSheet, results: Sequence[SceneResult]) -> ReportContent:
    """Return a report as it stands in report.json, without anything that differs between runs."""
    return ReportContent(
        subject=subject,
        sheet=sheet.model_dump(mode="json"),
        bench=f"osi-lidar {__version__}",
        verdicts=_counted(results),
        scenes=[_row(each) for each in results],
        limits=LIMITS,
    )


def table_of(sheet: DataSheet, results: Sequence[SceneResult]) -> Table:
    """Return a table of all scenes; where one fails, with each judgement that does not hold."""
    rows = [row for each in results for row in _lines(each)]
    return table(sheet.name, HEADINGS, rows, n_whole=2)


def summary(results: Sequence[SceneResult]) -> str:
    """Return one line: how many scenes have which verdict."""
    return ", ".join(f"{number} {name}" for name, number in _counted(results).items())


def _counted(results: Sequence[SceneResult]) -> dict[str, int]:
    found = Counter(each.verdict for each in results)
    return {each.value: found[each] for each in Verdict}


def _row(result: SceneResult) -> SceneRow:
    scene = result.scene
    return SceneRow(
        scene=scene.name,
        heading=scene.heading,
        asked=asked_of(result),
        closed_form=scene.formula,
        verdict=result.verdict.value,
        note=result.note,
        findings=[_finding(each) for each in result.findings],
    )


def _finding(of: Finding) -> FindingRow:
    return FindingRow(check=of.check, expected=of.expected, came=of.came, holds=bool(of.holds))


def asked_of(result: SceneResult) -> str:
    """Return what a scene asks: its title, and how many messages and objects it has."""
    if not result.moments:
        return result.scene.title
    n_things = len(result.moments[-1].things)
    return f"{result.scene.title}; {len(result.moments)} messages, {n_things} objects"


def _lines(result: SceneResult) -> list[tuple[str, str, str, str]]:
    """Return the lines of a scene: one, and more where more than one judgement fails."""
    name, verdict = result.scene.name, result.verdict.value
    failed = [each for each in result.findings if not each.holds]
    if not failed:
        came = result.note or f"{len(result.findings)} of {len(result.findings)} judgements hold"
        return [(name, verdict, result.scene.formula, came)]
    rows = [(f"{each.check}: {each.expected}", each.came) for each in failed]
    return [(*((name, verdict) if not n else ("", "")), *row) for n, row in enumerate(rows)]
