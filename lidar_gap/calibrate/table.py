# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of a calibration on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_base.tables import table
from lidar_gap.calibrate.findings import Absent, Figure, Series
from lidar_gap.calibrate.noise import SIGMAS_TOGETHER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lidar_base.tables import Table
    from lidar_gap.calibrate import Calibrated
    from lidar_gap.calibrate.findings import Finding

_MOST_ROWS = 10  # rows of a series; a longer series, such as one of lasers, is summarised


def calibration_table(calibrated: Calibrated) -> Table:
    """Return the findings of a calibration and the confused effects as a table for the terminal.

    ``calibrated`` (`Calibrated`) is the result of the calibration. A figure has one row. A series
    has one row for each value that is not NaN, or one row in all if it has more than 10 values. A
    finding that is `Absent` has a row with the reason.
    """
    name = "" if calibrated.preset is None else f"{calibrated.preset.name}, "
    headings = ("Figure", "Value", "95 % interval", "Samples", "Fitted on")
    told = [each for each in calibrated.findings.values() if each.name != SIGMAS_TOGETHER]
    rows = [row for finding in told for row in _rows(finding)]
    rows += [("not told apart", "", "", "", pair) for pair in calibrated.confused]
    return table(f"Calibration: {name}{calibrated.recording}", headings, rows)


def _rows(finding: Finding) -> Iterator[tuple[str, ...]]:
    if isinstance(finding, Absent):
        yield finding.name, "not found", "", "", finding.reason
    elif isinstance(finding, Figure):
        bounds = f"{finding.low:.4g} to {finding.high:.4g}"
        yield finding.name, f"{finding.value:.5g}", bounds, f"{finding.n}", finding.fitted_on
    elif len(finding.labels) > _MOST_ROWS:
        yield _summed_up(finding)
    else:
        rows = zip(
            finding.labels, finding.values, finding.low, finding.high, finding.n, strict=True
        )
        for label, value, low, high, n in rows:
            if np.isfinite(value):
                bounds = f"{low:.4g} to {high:.4g}"
                yield f"{finding.name} {label}", f"{value:.5g}", bounds, f"{n}", finding.fitted_on


def _summed_up(series: Series) -> tuple[str, ...]:
    """Return one table row for a long series: lowest to highest value, and the widest interval."""
    known = np.isfinite(series.values)
    values = series.values[known]
    span = f"{values.min():.5g} to {values.max():.5g}" if known.any() else "not found"
    half = np.nanmax((series.high - series.low)[known] / 2.0) if known.any() else 0.0
    name = f"{series.name}, {int(known.sum())} lasers"
    return name, span, f"up to ±{half:.2g}", f"{int(series.n.sum())}", series.fitted_on
