# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the results: a row for each run, and a row for each scenario and variant."""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from drive import SENSOR, Outcome

from lidar_base.files.whole_files import replacing

__all__ = ["Row", "printed", "rows_of", "write_tables"]

UNSEEN_EVENTS = 3.0
"""Upper limit (95 %) of the expected number of events if none happened: if 3 are expected, the
probability that none happens is 5 %."""
HOUR_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Statistics over the runs of a scenario and a variant.

    Each mean and spread (standard deviation) is over the runs in which the event happened. A mean
    without such runs is None; so is a spread with fewer than two.

    Attributes
    ----------
    scenario, variant : str
        Names of the scenario and the variant.
    runs, detected, braked, collisions, false_brakes : int
        Number of runs, and of runs with each event.
    detected_m, detected_spread_m : float or None
        Gap at the detection. [m]
    braked_s, braked_spread_s, braked_m, braked_spread_m : float or None
        Time and gap at the onset of the brake. [s], [m]
    least_m, least_spread_m : float or None
        Least distance; 0 in a collision. [m]
    collision_m_s : float or None
        Mean speed in collisions. [m/s]
    driven_h : float
        Time in all runs in which a false brake could happen. [h]
    false_brakes_per_h : float
        Rate of false brakes. [1/h]
    false_brakes_below_per_h : float or None
        Upper limit (95 %) of that rate, if there was no false brake; otherwise None. [1/h]
    """

    scenario: str
    variant: str
    runs: int
    detected: int
    braked: int
    collisions: int
    false_brakes: int
    detected_m: float | None
    detected_spread_m: float | None
    braked_s: float | None
    braked_spread_s: float | None
    braked_m: float | None
    braked_spread_m: float | None
    least_m: float | None
    least_spread_m: float | None
    collision_m_s: float | None
    driven_h: float
    false_brakes_per_h: float
    false_brakes_below_per_h: float | None


def rows_of(outcomes: Sequence[Outcome]) -> list[Row]:
    """Return a row for each scenario and variant, in the order of their first outcomes."""
    cells = dict.fromkeys((each.scenario, each.variant) for each in outcomes)
    return [
        _row([each for each in outcomes if (each.scenario, each.variant) == cell]) for cell in cells
    ]


def _row(runs: Sequence[Outcome]) -> Row:
    detected, braked_s, braked_m, least, crash = (
        _known(getattr(each, name) for each in runs)
        for name in ("detected_m", "braked_s", "braked_m", "least_m", "collision_m_s")
    )
    n_false = sum(each.is_false_brake for each in runs)
    driven_h = sum(each.driven_s for each in runs) / HOUR_S
    return Row(
        scenario=runs[0].scenario,
        variant=runs[0].variant,
        runs=len(runs),
        detected=len(detected),
        braked=len(braked_s),
        collisions=len(crash),
        false_brakes=n_false,
        detected_m=_mean(detected),
        detected_spread_m=_spread(detected),
        braked_s=_mean(braked_s),
        braked_spread_s=_spread(braked_s),
        braked_m=_mean(braked_m),
        braked_spread_m=_spread(braked_m),
        least_m=_mean(least),
        least_spread_m=_spread(least),
        collision_m_s=_mean(crash),
        driven_h=round(driven_h, 6),
        false_brakes_per_h=round(n_false / driven_h, 1),
        false_brakes_below_per_h=None if n_false else round(UNSEEN_EVENTS / driven_h, 1),
    )


def _known(values: Iterable[float | None]) -> list[float]:
    return [each for each in values if each is not None]


def _mean(values: Sequence[float]) -> float | None:
    return round(mean(values), 3) if values else None


def _spread(values: Sequence[float]) -> float | None:
    return round(stdev(values), 3) if len(values) > 1 else None


def write_tables(folder: Path, outcomes: Sequence[Outcome], rows: Sequence[Row]) -> None:
    """Write `runs.csv`, `table.csv` and `table.json`.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    _write_csv(folder / "runs.csv", [each.row() for each in outcomes])
    _write_csv(folder / "table.csv", [asdict(each) for each in rows])
    table = {"sensor": SENSOR, "rows": [asdict(each) for each in rows]}
    with replacing(folder / "table.json") as temporary:
        temporary.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def _write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


COLUMNS = (
    "scenario",
    "variant",
    "detected, m",
    "brake on, s",
    "at, m",
    "least, m",
    "hit",
    "false/h",
)


def printed(rows: Sequence[Row]) -> str:
    """Return the table as text in columns."""
    lines = [COLUMNS, *(_cells(each) for each in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    limit = row.false_brakes_below_per_h
    return (
        row.scenario,
        row.variant,
        _with_spread(row.detected_m, row.detected_spread_m),
        _with_spread(row.braked_s, row.braked_spread_s),
        _with_spread(row.braked_m, row.braked_spread_m),
        _with_spread(row.least_m, row.least_spread_m),
        f"{row.collisions}/{row.runs}",
        f"{row.false_brakes_per_h:.0f}" if limit is None else f"0 (< {limit:.0f})",
    )


def _with_spread(value: float | None, spread: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if spread is None else f"{value:.2f} +- {spread:.2f}"
