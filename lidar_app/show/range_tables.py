# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of a range limit on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.range_report import (
    SHOWN_PERCENT,
    SHOWN_PROBABILITIES,
    detection_ranges_m,
    equation_words,
)
from lidar_base.tables import facts, of_records, table
from osi_lidar.world.fallbacks import printable

if TYPE_CHECKING:
    from lidar_app.show.range_report import RangeReport
    from lidar_base.tables import Table
    from material_mapping.detection_range.signal_scale import SignalScale

UNIT = "r in m, R in percent"
MOST_FORMULAS = 8


def range_tables(report: RangeReport) -> list[Table | str]:
    """Return what the command line shows of a range limit: tables, and lines of text.

    `report` has the range limit of one sensor. First comes the description of the limit, then the
    maximum range by reflectivity. If the receiver has noise, the ranges at some probabilities of
    detection follow. If there are given pairs (reflectivity, detection range), the residuals of the
    model at the pairs follow, then range equations fitted to the pairs, or the reason why none
    could be fitted.
    """
    tables: list[Table | str] = [_facts(report), _limits(report)]
    if report.scale is not None:
        tables.append(_detection(report, report.scale))
    if report.pairs:
        tables.append(_pairs(report))
    if report.comparisons:
        tables += _comparisons(report)
    if report.no_comparison:
        tables.append(f"No equation to compare with: {report.no_comparison}")
    return tables


def _facts(report: RangeReport) -> Table:
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
    return facts(printable(report.sensor), {name: each for name, each in rows.items() if each})


def _receiver(scale: SignalScale) -> dict[str, str]:
    """Return descriptions of a receiver's threshold and signal."""
    alarms = f"noise alone reaches it in {scale.false_alarm_probability:g} of the beams"
    at_limit = f"detected with probability {scale.probability_at_limit:g}"
    noise = "" if scale.noise == 1.0 else f"; noise is {scale.noise:.3g} times as strong"
    return {
        "threshold": f"{scale.threshold:.3f} times the noise; {alarms}",
        "signal at the limit": f"{scale.snr_at_limit:.3f} times the noise at 100 klx{noise};"
        f" {at_limit}",
    }


def _limits(report: RangeReport) -> Table:
    rows = []
    reflectivity = np.array(SHOWN_PERCENT) / 100.0
    limits_m = report.limit.max_range_m(reflectivity).tolist()
    curves_m = report.curve.max_range_m(reflectivity).tolist()
    for percent, limit_m, curve_m in zip(SHOWN_PERCENT, limits_m, curves_m, strict=True):
        note = ""
        if limit_m < report.min_range_m:
            note = f"not seen: min_range_m is {report.min_range_m:g}"
        elif limit_m < curve_m and report.kind != "constant":
            note = f"max_range_m; the curve goes on to {curve_m:.2f} m"
        rows.append((f"{percent:g} %", f"{limit_m:.2f} m", note))
    return table("", ("Reflectivity", "Maximum range", "Note"), rows, right=(0, 1))


def _detection(report: RangeReport, scale: SignalScale) -> Table:
    chances = [f"{100 * probability:g} % detected" for probability in SHOWN_PROBABILITIES]
    rows = (
        (f"{percent:g} %", *(_reach(range_m, report) for range_m in ranges_m))
        for percent, ranges_m in zip(SHOWN_PERCENT, detection_ranges_m(scale), strict=True)
    )
    return table("", ("Reflectivity", *chances), rows, right=range(1 + len(chances)))


def _reach(range_m: float, report: RangeReport) -> str:
    if range_m < report.min_range_m:
        return "nowhere"
    return "max_range_m" if range_m >= report.max_range_m else f"{range_m:.2f} m"


def _pairs(report: RangeReport) -> Table:
    rows = (
        {
            "Pair of": pair.origin,
            "Reflectivity": f"{pair.percent:g} %",
            "Its range": f"{pair.range_m:.2f} m",
            "Maximum range": f"{pair.limit_m:.2f} m",
            "Residual": signed(pair.residual_m),
        }
        for pair in report.pairs
    )
    return of_records("", rows, right=range(1, 5))


def _comparisons(report: RangeReport) -> list[Table | str]:
    first, *_ = report.comparisons
    headings = ["Reflectivity", "Its range", *(f.equation.target for f in report.comparisons)]
    rows = []
    for row, (percent, range_m) in enumerate(first.pairs):
        residuals = [signed(fit.residual_m[row]) for fit in report.comparisons]
        rows.append((f"{percent:g} %", f"{range_m:.2f} m", *residuals))
    title = f"For comparison, range equations fitted to the pairs of the {report.fitted_to}:"
    lines = [equation_words(fit.equation) for fit in report.comparisons]
    return [title, *lines, table("", headings, rows, right=range(len(headings)))]


def signed(residual_m: float) -> str:
    """Return a difference of ranges as text with a sign, such as "+0.52 m".

    `residual_m` is the difference [m]; "0.00 m" if it rounds to zero.
    """
    return "0.00 m" if abs(residual_m) < 0.005 else f"{residual_m:+.2f} m"
