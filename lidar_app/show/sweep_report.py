# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The results of a sweep: its table and the best variant."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING

from lidar_base.files.own_files import check_names, remove_own
from lidar_base.files.shown_paths import shown_values
from lidar_base.files.whole_files import cause_of, replacing
from lidar_base.tables import facts
from osi_lidar.errors import OutputError
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_app.batch.sweep_records import Row, Sweep
    from lidar_base.tables import Table

TABLE, PICTURE, REPORT = FILES = "sweep.csv", "sweep.png", "sweep.json"
BY = "sweep"
"""Name of the command in the list of written files that `lidar_base.files.own_files` keeps."""


def check_report(out: Path) -> None:
    """Check that the files of a sweep would replace only files of a sweep in a folder.

    `out` is the folder, which need not exist.

    Raises
    ------
    OutputError
        If another program or user wrote a file of such a name.
    """
    check_names(out, re.compile("|".join(map(re.escape, FILES))), BY)


def write_sweep(sweep: Sweep, out: Path, config: Path, trace: Path | None) -> list[Path]:
    """Write table (CSV) and report (JSON) of a sweep into a folder; return their paths in order.

    The picture of an earlier sweep is removed.

    Parameters
    ----------
    sweep : Sweep
        The outcome of the sweep; the table has a row for each variant.
    out : Path
        The folder, which is made if necessary. Files of an earlier sweep are replaced.
    config : Path
        The configuration, which the report names.
    trace : Path or None
        The trace, which the report names; None for a sweep of a scene.

    Raises
    ------
    OutputError
        If a file cannot be written or removed.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{out}: cannot be written: {cause_of(error)}") from error
    remove_own(out, BY, PICTURE)
    with (
        replacing(out / TABLE) as temporary,
        temporary.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file)
        names = [each.name for each in sweep.variations]
        writer.writerow([*names, sweep.objective.text, "error"])
        for row in sweep.rows:
            writer.writerow([*row.values, row.objective, row.error])
    with replacing(out / REPORT) as temporary:
        content = _content(sweep, config, trace)
        temporary.write_text(json.dumps(shown_values(content), indent=2) + "\n", encoding="utf-8")
    return [out / TABLE, out / REPORT]


def best_words(sweep: Sweep) -> str:
    """Return the best variant of a sweep as text: its varied keys, and the objective.

    `sweep` is the outcome of the sweep. The text is "none" if no variant succeeded.
    """
    best = sweep.best
    if best is None:
        return "none"
    return f"{_settings(sweep, best)}: {sweep.objective.text} = {number_words(best.objective)}"


def sweep_table(sweep: Sweep) -> Table:
    """Return a table with the numbers of variants of a sweep, the best one, and first failures.

    `sweep` is the outcome of the sweep; at most three failures are shown.
    """
    n_not_run = _n_not_done(sweep) - len(sweep.failed)
    n_done = len(sweep.rows) - _n_not_done(sweep)
    counts = f"{len(sweep.rows)}, {n_done} done, {len(sweep.failed)} failed"
    rows = {
        "Variants": f"{counts}, {n_not_run} not run" if n_not_run else counts,
        "Smallest" if sweep.objective.sign < 0 else "Largest": best_words(sweep),
    }
    for row in sweep.failed[:3]:
        rows[f"Failed: {_settings(sweep, row)}"] = row.error
    return facts("Sweep", rows)


def number_words(value: object) -> str:
    """Return a value of a configuration key, or of the objective, as text.

    `value` is of any type; of a float, six significant digits are shown.
    """
    return f"{value:g}" if isinstance(value, float) else str(value)


def _n_not_done(sweep: Sweep) -> int:
    """Return the number of variants that failed or were not run."""
    return sum(bool(row.error) for row in sweep.rows)


def _settings(sweep: Sweep, row: Row) -> str:
    """Return a text with the keys and values of a variant."""
    pairs = zip(sweep.variations, row.values, strict=True)
    return ", ".join(f"{each.name} = {number_words(value)}" for each, value in pairs)


def _content(sweep: Sweep, config: Path, trace: Path | None) -> dict[str, object]:
    best = sweep.best
    return {
        "version": __version__,
        "config": str(config),
        "trace": None if trace is None else str(trace),
        "objective": sweep.objective.text,
        "aim": "minimise" if sweep.objective.sign < 0 else "maximise",
        "vary": {each.name: list(each.values) for each in sweep.variations},
        "variants": len(sweep.rows),
        "not_done": _n_not_done(sweep),
        "best": None
        if best is None
        else {
            "values": {
                each.name: value for each, value in zip(sweep.variations, best.values, strict=True)
            },
            "objective": best.objective,
        },
    }
