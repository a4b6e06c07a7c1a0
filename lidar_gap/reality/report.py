# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures and verdicts as tables, as JSON, and as one page without a script."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.files.whole_files import replacing
from lidar_base.tables import Table, table
from lidar_gap.calibrate.findings import Absent, Figure, Series
from lidar_gap.reality.measuring import CLAUSES, ROWS
from lidar_gap.reality.scoring import spreads
from lidar_gap.reality.targets import target_error
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from lidar_gap.calibrate.findings import Finding, Findings
    from lidar_gap.reality.recordings import PublicRecording
    from lidar_gap.reality.scoring import RealSpread, Score, Verdict

VERDICTS: tuple[Verdict, ...] = ("within", "twice", "beyond", "not told", "not asked")
SCORE_FILE, PAGE_FILE = "score.json", "score.html"
_LARGEST = 10.0  # logarithm of the largest factor that is shown as a number
_STYLE = """
:root{color-scheme:light dark}
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem}
table{border-collapse:collapse;width:100%;font-size:.92em}
td,th{padding:.15rem .6rem .15rem 0;border-bottom:1px solid #8884}
img{max-width:100%}.sum{font-size:1.1rem;font-weight:600}
"""


class Scored(NamedTuple):
    """A recording with the verdicts on its figures.

    Attributes
    ----------
    recording : PublicRecording
        Description of the recording.
    n_frame : int
        Number of recorded frames.
    rows : list of Score
        A verdict for each figure, with the recorded and the simulated value.
    """

    recording: PublicRecording
    n_frame: int
    rows: list[Score]


def measured_dict(measured: Sequence[tuple[PublicRecording, int, Findings]]) -> dict[str, object]:
    """Return the figures of recordings for JSON, with intervals and numbers of samples.

    Parameters
    ----------
    measured : sequence of (PublicRecording, int, Findings)
        Each recording, its number of frames, and its figures.

    Returns
    -------
    dict of str to object
        ``recordings``: facts and figures of each recording, by its name. ``real_against_real``: the
        differences between recordings of one sensor model, see `spreads`. ``osi_lidar_version``.
    """
    return {
        "osi_lidar_version": __version__,
        "recordings": {
            each.name: {
                **_facts(each, n_frame),
                "figures": {name: _finding(found) for name, found in findings.items()},
            }
            for each, n_frame, findings in measured
        },
        "real_against_real": spreads_dict(spreads([(each, found) for each, _, found in measured])),
    }


def score_dict(
    scored: Sequence[Scored], between: Mapping[str, RealSpread], subject: str
) -> dict[str, object]:
    """Return verdicts for JSON, with the recorded and simulated values of every figure.

    Parameters
    ----------
    scored : sequence of Scored
        Each recording with the verdicts on its figures.
    between : mapping of str to RealSpread
        Differences between real recordings by figure, as from `real_against_real`.
    subject : str
        What was scored, in words.
    """
    return {
        "osi_lidar_version": __version__,
        "subject": subject,
        "real_against_real": spreads_dict(between),
        "sum": counted([row for each in scored for row in each.rows]),
        "recordings": {
            each.recording.name: {
                **_facts(each.recording, each.n_frame),
                "rows": {row.name: _score(row) for row in each.rows},
            }
            for each in scored
        },
    }


def spreads_dict(between: Mapping[str, RealSpread]) -> dict[str, object]:
    """Return differences between real recordings as plain values for JSON, by name of the figure.

    ``between`` maps the name of a figure to its `RealSpread`.
    """
    return {
        name: {"rms": _plain(each.rms), "pairs": [list(pair) for pair in each.pairs]}
        for name, each in sorted(between.items())
    }


def counted(rows: Sequence[Score]) -> dict[str, int]:
    """Return the number of rows with each verdict of `VERDICTS`; 0 if it does not occur.

    ``rows`` (sequence of `Score`) are the figures of one or more recordings with their verdicts.
    """
    verdicts = [row.verdict for row in rows]
    return {name: verdicts.count(name) for name in VERDICTS}


def _facts(recording: PublicRecording, n_frame: int) -> dict[str, object]:
    """Return facts about a recording for JSON: source, licence, sensor, scene, tuned kinds."""
    kept = recording.model_dump(include={"title", "sensor", "unit", "place", "repository", "commit",
                                         "licence", "terms", "note", "scene"})  # fmt: skip
    return {**{key: value for key, value in kept.items() if value}, "frames": n_frame,
            "tuned": list(recording.tuned)}  # fmt: skip


def _finding(found: Finding | None) -> dict[str, object]:
    """Return a finding for JSON; numbers that are not finite become null."""
    if found is None:
        return {}
    if isinstance(found, Absent):
        return {"absent": found.reason}
    plain = asdict(found)
    del plain["name"]
    return {key: _plain(value) for key, value in plain.items()}


def _plain(value: object) -> object:
    """Return a value for JSON, with six digits."""
    if isinstance(value, np.ndarray | tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def _score(row: Score) -> dict[str, object]:
    """Return a row for JSON."""
    found = {
        "kind": ROWS[row.name].kind,
        "what": ROWS[row.name].what,
        "clauses": list(CLAUSES.get(ROWS[row.name].kind, ())),
        "verdict": row.verdict,
        "tuned": row.tuned,
        "real": _finding(row.real),
        "simulated": _finding(row.sim),
    }
    if row.reason:
        return {**found, "reason": row.reason}
    error = target_error(row.real, row.sim) if ROWS[row.name].limit is not None else None
    measure = "logarithm" if ROWS[row.name].is_ratio else "value"
    if error is not None:
        measure = "mean absolute error of an object, as a share"
        found = {**found, "objects": error.n_object, "mean_ratio": _plain(error.ratio)}
    return {**found, "difference_of": measure, "difference": _plain(row.difference),
            "yardstick": _plain(row.yardstick)}  # fmt: skip


def measured_table(measured: Sequence[tuple[PublicRecording, int, Findings]]) -> Table:
    """Return the figures of all recordings as a table, with one part for each recording.

    ``measured`` is a sequence of tuples: the recording (`PublicRecording`), its number of frames,
    and its figures (`Findings`). Only figures that are in ``ROWS`` are listed.
    """
    parts = tuple(
        (
            f"{each.name}: {each.sensor}, {n_frame} frames",
            tuple((ROWS[name].what, shown(findings[name])) for name in ROWS if name in findings),
        )
        for each, n_frame, findings in measured
    )
    return Table(title="Recordings", headings=("Figure", "Recorded"), parts=parts, n_whole=1)


def sum_table(scored: Sequence[Scored]) -> Table:
    """Return a table with a row per recording: the number of its figures with each verdict.

    ``scored`` (sequence of `Scored`) has the recordings with the verdicts on their figures. The
    last column lists the kinds of figures with the verdict "beyond". The verdict "not asked" has no
    column.
    """
    headings = (
        "Recording", "Sensor", "Frames", "Within", "Twice", "Beyond", "Not told", "What is beyond"
    )  # fmt: skip
    rows = []
    for each in scored:
        sums = counted(each.rows)
        beyond = dict.fromkeys(ROWS[row.name].kind for row in each.rows if row.verdict == "beyond")
        cells = each.recording.name, each.recording.sensor, each.n_frame
        counts = (sums[name] for name in VERDICTS[:4])
        rows.append((*cells, *counts, ", ".join(beyond)))
    return table("Simulated clouds beside recorded ones", headings, rows, right=(2, 3, 4, 5, 6))


def score_table(scored: Scored, *, asked_only: bool = True) -> Table:
    """Return a table with a row per figure of a recording: both values, difference, and verdict.

    ``scored`` (`Scored`) is the recording with the verdicts on its figures. Figures with the
    verdict "not asked" are left out, unless ``asked_only`` is False.
    """
    headings = "Figure", "Recorded", "Simulated", "Differs by (real from real)", "Verdict"
    rows = [_cells(row) for row in scored.rows if row.verdict != "not asked" or not asked_only]
    title = f"{scored.recording.title}: {scored.recording.sensor}, {scored.n_frame} frames"
    return table(title, headings, rows)


def _cells(row: Score) -> tuple[str, ...]:
    """Return the cells of a row."""
    what = ROWS[row.name].what, *sides(row.real, row.sim)
    if row.reason:
        return *what, "", f"{row.verdict}: {row.reason}"
    told = "tuned" if row.tuned else "predicted"
    error = target_error(row.real, row.sim) if ROWS[row.name].limit is not None else None
    if error is not None:
        told += f"; {error.n_object} objects, ratio {error.ratio:.2f}; fixed limit"
    differs = f"{apart(row.name, row.difference)} ({apart(row.name, row.yardstick)})"
    return *what, differs, f"{row.verdict}, {told}"


def apart(name: str, difference: float) -> str:
    """Return the difference of the recorded and the simulated value of a figure as text.

    Parameters
    ----------
    name : str
        Name of the figure, a key of ``ROWS``.
    difference : float
        The difference, as in `Score.difference`. For a figure that is compared by ratio, it is the
        logarithm of the ratio, and the text is a factor, or "no bound" if the logarithm is 10 or
        more. For a figure of objects, it is a share, and the text is in percent. Else it is in the
        unit of the figure.
    """
    if ROWS[name].limit is not None:
        return f"{100 * difference:.0f} %"
    if not ROWS[name].is_ratio:
        return f"{difference:.3g}"
    return f"factor {math.exp(difference):.2f}" if difference < _LARGEST else "no bound"


def sides(real: Finding | None, sim: Finding | None) -> tuple[str, str]:
    """Return two table cells: the recorded and the simulated value of a figure.

    ``real`` and ``sim`` are the recorded and the simulated finding (`Figure`, `Series`, `Absent` or
    None). A missing or `Absent` finding gives "-". If both findings are series over classes, each
    cell has the values of two classes: the first and the last class with a value on both sides.
    """
    if not isinstance(real, Series) or not isinstance(sim, Series):
        return shown(real), shown(sim)
    rows = [
        (row, sim.labels.index(label))
        for row, label in enumerate(real.labels)
        if label in sim.labels
    ]
    ends = [(i, j) for i, j in rows if np.isfinite([real.values[i], sim.values[j]]).all()]
    if not ends:
        return shown(real), shown(sim)
    first, last = ends[0], ends[-1]
    one, other = (
        f"{side.values[first[number]]:.3g} .. {side.values[last[number]]:.3g}"
        for number, side in enumerate((real, sim))
    )
    return one, other


def shown(found: Finding | None) -> str:
    """Return a table cell: the value of a finding, or the first and last value of a series.

    ``found`` is a `Figure`, `Series`, `Absent` or None. Return "-" for the last two, and for a
    series without a finite value.
    """
    if isinstance(found, Figure):
        return f"{found.value:.3g}"
    if isinstance(found, Series):
        values = found.values[np.isfinite(found.values)]
        return f"{values[0]:.3g} .. {values[-1]:.3g}" if len(values) else "-"
    return "-"


def write_json(path: Path, content: Mapping[str, object]) -> None:
    """Write a JSON file, completely or not at all; an existing file is replaced.

    Parameters
    ----------
    path : Path
        The file to write.
    content : mapping of str to object
        Plain values for JSON, without numbers that are not finite.

    Raises
    ------
    OutputError
        If the file cannot be written.
    ValueError
        If a number is not finite.
    """
    with replacing(path) as temporary:
        text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
        temporary.write_text(text + "\n", encoding="utf-8")


def write_page(
    path: Path, scored: Sequence[Scored], subject: str, pictures: Mapping[str, str]
) -> None:
    """Write the verdicts of all recordings as an HTML page.

    Parameters
    ----------
    path : Path
        The page to write; an existing file is replaced.
    scored : sequence of Scored
        Each recording with the verdicts on its figures.
    subject : str
        What was scored, in words.
    pictures : mapping of str to str
        Path of a recording's picture, relative to the page, by name of the recording. A recording
        without an entry has no picture.

    Raises
    ------
    OutputError
        If the page cannot be written.
    """
    sums = counted([row for each in scored for row in each.rows])
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width'>",
        f"<title>Reality pack</title><style>{_STYLE}</style>",
        f"<h1>Simulated clouds beside recorded ones</h1><p>{escape(subject)}</p>",
        f"<p class=sum>{escape(', '.join(f'{n} {name}' for name, n in sums.items()))}</p>",
    ]
    for each in scored:
        recording = each.recording
        told = f"{recording.repository} @ {recording.commit[:12]}, {recording.licence}."
        parts.append(f"<h2>{escape(recording.title)}</h2>")
        parts.append(f"<p>{escape(f'{told} {recording.terms} {recording.note}'.strip())}</p>")
        parts.append(score_table(each, asked_only=False).html())
        if recording.name in pictures:
            name = escape(pictures[recording.name], quote=True)
            parts.append(f"<p><img src='{name}' alt='Recorded and simulated figures'></p>")
    with replacing(path) as temporary:
        temporary.write_text("\n".join(parts) + "</html>\n", encoding="utf-8")
