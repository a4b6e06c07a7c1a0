# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of a range limit on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich.console import Group
from rich.table import Table
from rich.text import Text

from lidar_app.show.range_report import (
    SHOWN_PERCENT,
    SHOWN_PROBABILITIES,
    detection_ranges_m,
    equation_words,
)
from osi_lidar.world.fallbacks import printable

if TYPE_CHECKING:
    from lidar_app.show.range_report import RangeReport
    from material_mapping.detection_range.signal_scale import SignalScale

UNIT = "r in m, R in percent"
MOST_FORMULAS = 8


def range_tables(report: RangeReport) -> Group:
    """Return tables of a range limit: its description, values, detection, residuals of pairs."""
    tables: list[Table | Group | Text] = [_facts(report), _limits(report)]
    if report.scale is not None:
        tables.append(_detection(report, report.scale))
    if report.pairs:
        tables.append(_pairs(report))
    if report.comparisons:
        tables.append(_comparisons(report))
    if report.no_comparison:
        tables.append(Text(f"No equation to compare with: {report.no_comparison}"))
    return Group(*tables)


def _facts(report: RangeReport) -> Table:
    table = Table(title=Text(printable(report.sensor)), title_justify="left", show_header=False)
    table.add_column()
    table.add_column(overflow="fold")
    formulas = report.formulas()
    if len(formulas) > MOST_FORMULAS:
        more = len(formulas) - MOST_FORMULAS + 1
        formulas = [*formulas[: MOST_FORMULAS - 1], f"and {more} more"]
    rows = {
        "preset": report.preset,
        "range limit": report.words,
        UNIT: "\n".join(formulas),
        "pairs of the preset": report.pairs_source,
        "range": f"{report.min_range_m:g} to {report.max_range_m:g} m",
        **({} if report.scale is None else _receiver(report.scale)),
    }
    for name, value in rows.items():
        if value:
            table.add_row(name, Text(value))
    return table


def _receiver(scale: SignalScale) -> dict[str, str]:
    """Return descriptions of a receiver's threshold and signal."""
    alarms = f"noise alone reaches it in {scale.false_alarm_probability:g} of the beams"
    at_limit = f"detected with probability {scale.probability_at_limit:g}"
    noise = "" if scale.noise == 1.0 else f", of which there is {scale.noise:.3g} times as much"
    return {
        "threshold": f"{scale.threshold:.3f} times the noise; {alarms}",
        "signal at the limit": f"{scale.snr_at_limit:.3f} times the noise at 100 klx{noise};"
        f" {at_limit}",
    }


def _limits(report: RangeReport) -> Table:
    table = Table("Reflectivity", "Maximum range", "Note")
    for column in table.columns[:2]:
        column.justify = "right"
    reflectivity = np.array(SHOWN_PERCENT) / 100.0
    limits_m = report.limit.max_range_m(reflectivity).tolist()
    curves_m = report.curve.max_range_m(reflectivity).tolist()
    for percent, limit_m, curve_m in zip(SHOWN_PERCENT, limits_m, curves_m, strict=True):
        note = ""
        if limit_m < report.min_range_m:
            note = f"not seen: min_range_m is {report.min_range_m:g}"
        elif limit_m < curve_m and report.kind != "constant":
            note = f"max_range_m; the curve goes on to {curve_m:.2f} m"
        table.add_row(f"{percent:g} %", f"{limit_m:.2f} m", note)
    return table


def _detection(report: RangeReport, scale: SignalScale) -> Table:
    chances = (f"{100 * probability:g} % detected" for probability in SHOWN_PROBABILITIES)
    table = Table("Reflectivity", *chances)
    for column in table.columns:
        column.justify = "right"
    for percent, ranges_m in zip(SHOWN_PERCENT, detection_ranges_m(scale), strict=True):
        table.add_row(f"{percent:g} %", *(_reach(range_m, report) for range_m in ranges_m))
    return table


def _reach(range_m: float, report: RangeReport) -> str:
    if range_m < report.min_range_m:
        return "nowhere"
    return "max_range_m" if range_m >= report.max_range_m else f"{range_m:.2f} m"


def _pairs(report: RangeReport) -> Table:
    table = Table("Pair of", "Reflectivity", "Its range", "Maximum range", "Residual")
    for column in table.columns[1:]:
        column.justify = "right"
    for pair in report.pairs:
        table.add_row(
            pair.origin,
            f"{pair.percent:g} %",
            f"{pair.range_m:.2f} m",
            f"{pair.limit_m:.2f} m",
            signed(pair.residual_m),
        )
    return table


def _comparisons(report: RangeReport) -> Group:
    first, *_ = report.comparisons
    table = Table("Reflectivity", "Its range", *(f.equation.target for f in report.comparisons))
    for column in table.columns:
        column.justify = "right"
    for row, (percent, range_m) in enumerate(first.pairs):
        residuals = [signed(fit.residual_m[row]) for fit in report.comparisons]
        table.add_row(f"{percent:g} %", f"{range_m:.2f} m", *residuals)
    title = f"For comparison, range equations fitted to the pairs of the {report.fitted_to}:"
    lines = [Text(equation_words(fit.equation)) for fit in report.comparisons]
    return Group(Text(title), *lines, table)


def signed(residual_m: float) -> str:
    """Return a residual as text, without a sign if it is zero."""
    return "0.00 m" if abs(residual_m) < 0.005 else f"{residual_m:+.2f} m"
