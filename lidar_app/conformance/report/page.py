# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML page to print and sign; it needs no script and no network."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lidar_app.conformance.bench import Verdict
from lidar_app.conformance.report.content import (
    CLAUSES,
    HINT,
    LIMITS,
    sheet_rows,
    tolerance_rows,
)
from lidar_app.conformance.report.pictures import STYLE as PICTURES
from lidar_app.conformance.report.pictures import WIDTH, picture
from lidar_app.conformance.report.rows import asked_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_app.conformance.bench import SceneResult
    from lidar_app.conformance.judging import Finding
    from lidar_app.conformance.report.content import BenchReport

STYLE = f"""
body{{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;
color:#1c2430;background:#fff}}
section{{border-top:1px solid #cdd4dc;padding:1rem 0;display:grid;gap:1rem;
grid-template-columns:minmax(0,1fr) {WIDTH}px;break-inside:avoid}}
section.na{{color:#5f6b78}}
h2{{margin:2rem 0 .3rem;font-size:1.15rem}}h3{{margin:0;font-size:1rem}}
table{{border-collapse:collapse;width:100%}}
td,th{{text-align:left;vertical-align:top;padding:.15rem .6rem .15rem 0;overflow-wrap:break-word}}
.facts td{{overflow-wrap:anywhere}}
.facts th{{width:18rem;font-weight:400;color:#5f6b78}}
.sign td{{border-bottom:1px solid #1c2430;height:2.6rem;vertical-align:bottom}}
.sign th{{width:10rem;vertical-align:bottom;font-weight:400}}.sign{{break-inside:avoid}}
.sum{{font-size:1.15rem;font-weight:600}}
code{{font-size:.92em;overflow-wrap:anywhere}}
.pass{{color:#0b6b3a}}.fail{{color:#a8201a;font-weight:600}}
svg{{border:1px solid #cdd4dc}}
"""
_CLASS = {Verdict.PASSED: "pass", Verdict.FAILED: "fail", Verdict.NOT_APPLICABLE: "na"}
_SIGN = ("Name", "Function", "Date", "Signature")


def html_page(report: BenchReport) -> str:
    """Return the report as the text of an HTML page, which needs no script and no other file.

    Parameters
    ----------
    report : BenchReport
        The results of a run. The page has summary, subject, causes, scenes that were not run, data
        sheet, tolerances, all scenes with pictures, and a place for a signature.
    """
    title = escape(f"{report.sheet.name}: conformance")
    facts, sheet = report.facts, report.sheet
    rows = [("subject", facts.subject), *facts.identity, ("date", facts.date), *facts.versions]
    not_claimed = ", ".join(sheet.not_claimed) or "nothing: all scenes are claimed"
    parts = [
        f'<h1>{title}</h1><p class="sum">{escape(report.sum_line)}</p>',
        _heading("Subject and run") + _facts(rows),
        _causes(report),
        _heading("Not run") + _not_run(report.not_run),
        _heading("Data sheet")
        + _facts([*sheet_rows(sheet), ("reflections sent", report.reflections)]),
        _heading("Tolerances of this sheet") + _facts(tolerance_rows(sheet)),
        _heading("Not claimed") + f"<p>{escape(not_claimed)}</p>",
        *_scenes(report.results),
        _heading("What this report says") + f"<p>{escape(LIMITS)}</p><p>{escape(CLAUSES)}</p>",
        _heading("Signature") + _signature(),
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}{PICTURES}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def _facts(rows: Sequence[tuple[str, str]]) -> str:
    lines = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows
    )
    return f'<table class="facts">{lines}</table>'


def _causes(report: BenchReport) -> str:
    """Return the causes, each with its scenes; an empty text if no scene failed."""
    if not report.counts[Verdict.FAILED.value]:
        return ""
    lines = [
        f"<li><strong>{escape(each.text)}</strong><br>{each.n_scenes}: "
        f"{escape(', '.join(each.scenes))}</li>"
        for each in report.causes
    ]
    told = f"<ul>{''.join(lines)}</ul><p>{escape(HINT)}</p>" if lines else "<p>None is known.</p>"
    return _heading("Causes of what failed") + told


def _not_run(rows: Sequence[tuple[str, str]]) -> str:
    return _facts(rows) if rows else "<p>All scenes of the bench were run.</p>"


def _signature() -> str:
    lines = "".join(f"<tr><th>{each}</th><td></td></tr>" for each in _SIGN)
    return f'<table class="sign">{lines}</table>'


def _scenes(results: Sequence[SceneResult]) -> list[str]:
    parts, heading = [], ""
    for each in results:
        if each.scene.heading != heading:
            heading = each.scene.heading
            parts.append(_heading(heading))
        parts.append(_section(each))
    return parts


def _section(result: SceneResult) -> str:
    kind, scene = _CLASS[result.verdict], result.scene
    note = f"<p>{escape(result.note)}</p>" if result.note else ""
    rows = "".join(_row(each) for each in result.findings)
    head = "<tr><th>judged</th><th>closed form says</th><th>came</th><th></th></tr>"
    table = f"<table>{head}{rows}</table>" if rows else ""
    clauses = f"<br>ISO/DIS 13228: {', '.join(scene.clauses)}" if scene.clauses else ""
    return (
        f'<section class="{kind}-scene {kind if kind == "na" else ""}" id="{scene.name}"><div>'
        f'<h3>{escape(scene.name)}: <span class="{kind}">{escape(result.verdict.value)}</span></h3>'
        f"<p>Asked: {escape(asked_of(result))}<br>Closed form: <code>{escape(scene.formula)}</code>"
        f"{clauses}</p>{note}{table}</div><div>{picture(result)}</div></section>"
    )


def _row(finding: Finding) -> str:
    kind = "pass" if finding.holds else "fail"
    cells = (finding.check, finding.expected, finding.came)
    words = "".join(f"<td>{escape(each)}</td>" for each in cells)
    return f'<tr>{words}<td class="{kind}">{"holds" if finding.holds else "fails"}</td></tr>'
