# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The report as one page for the browser, without a script and without a network."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from lidar_app.conformance.bench import Verdict
from lidar_app.conformance.report.pictures import STYLE as PICTURES
from lidar_app.conformance.report.pictures import picture
from lidar_app.conformance.report.rows import LIMITS, asked_of, summary
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_app.conformance.bench import SceneResult
    from lidar_app.conformance.judging import Finding
    from lidar_app.conformance.sheet import DataSheet

STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;
color:#1c2430;background:#fff}
section{border-top:1px solid #cdd4dc;padding:1rem 0;display:grid;gap:1rem;
grid-template-columns:minmax(0,1fr) 320px}
section.na{color:#5f6b78}
h2{margin:2rem 0 .3rem;font-size:1.15rem}h3{margin:0;font-size:1rem}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:.15rem .6rem .15rem 0}
code{font-size:.92em}
.pass{color:#0b6b3a}.fail{color:#a8201a;font-weight:600}
svg{border:1px solid #cdd4dc}
"""
_CLASS = {Verdict.PASSED: "pass", Verdict.FAILED: "fail", Verdict.NOT_APPLICABLE: "na"}


def html_page(subject: str, sheet: DataSheet, results: Sequence[SceneResult]) -> str:
    """Return the page: per scene what was asked, the closed form, what came, the verdict."""
    title = escape(f"{sheet.name}: conformance")
    parts, heading = [], ""
    for each in results:
        if each.scene.heading != heading:
            heading = each.scene.heading
            parts.append(f"<h2>{escape(heading)}</h2>")
        parts.append(_section(each))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}{PICTURES}</style></head><body><h1>{title}</h1>"
        f"<p>Subject <code>{escape(subject)}</code>, asked by osi-lidar {escape(__version__)}. "
        f"{escape(summary(results))}.</p><p>{escape(LIMITS)}</p>{''.join(parts)}</body></html>\n"
    )


def _section(result: SceneResult) -> str:
    kind, scene = _CLASS[result.verdict], result.scene
    note = f"<p>{escape(result.note)}</p>" if result.note else ""
    rows = "".join(_row(each) for each in result.findings)
    head = "<tr><th>judged</th><th>closed form says</th><th>came</th><th></th></tr>"
    table = f"<table>{head}{rows}</table>" if rows else ""
    return (
        f'<section class="{kind}-scene {kind if kind == "na" else ""}" id="{scene.name}"><div>'
        f'<h3>{escape(scene.name)}: <span class="{kind}">{escape(result.verdict.value)}</span></h3>'
        f"<p>Asked: {escape(asked_of(result))}<br>Closed form: <code>{escape(scene.formula)}</code>"
        f"</p>{note}{table}</div><div>{picture(result)}</div></section>"
    )


def _row(finding: Finding) -> str:
    kind = "pass" if finding.holds else "fail"
    cells = (finding.check, finding.expected, finding.came)
    words = "".join(f"<td>{escape(each)}</td>" for each in cells)
    return f'<tr>{words}<td class="{kind}">{"holds" if finding.holds else "fails"}</td></tr>'
