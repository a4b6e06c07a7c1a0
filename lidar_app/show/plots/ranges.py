# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A picture of range limits and detection probabilities, with the pairs of data sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_app.show.range_report import CONFIGURATION, PRESET, SHOWN_PERCENT
from lidar_gap.pictures.figures import (
    COLOURS,
    FAINT,
    INK,
    Axes,
    Figure,
    dark_figure,
    dark_panel,
    grid,
    headline,
    legend,
    logarithmic,
    save,
)
from material_mapping.detection_range.range_equation import EXPONENTS
from osi_lidar.errors import InputError
from osi_lidar.world.fallbacks import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

    from lidar_app.show.range_report import RangeReport
    from material_mapping.detection_range.range_equation import EquationFit
    from material_mapping.detection_range.signal_scale import SignalScale

ROW_PX = (1500, 560)
MOST_SENSORS = 12
N_DRAWN = 400
DRAWN_PERCENT = (1e-3, 1e5)
"""Least and greatest reflectivity that is drawn. [%]"""
FARTHEST_M = 1e6
"""Greatest range that is drawn. [m]"""
MARGIN = 1.06
WIDE_SPAN = 1e4
MARKERS = {PRESET: "o", CONFIGURATION: "s"}
NOT_STATED = ("recordings", "estimate")
"""Values of `PairReport.basis` that are drawn as hollow marks: no data sheet states these pairs."""
DETECTED_PERCENT = (10.0, 80.0)
"""Reflectivities whose probability of detection is always drawn. Reflectivities for which a
detection range is given are drawn, too; if there are too many for the colours, only some. [%]"""
FINEST_M = 0.001
"""Step to which drawn residuals are rounded. The axis extends to at least ten steps on each side of
0. [m]"""
LEAST_DRAWN = 0.002
"""The axis of ranges ends where the detection probability of the brightest target is this low."""
TARGET_COLOURS = dict(zip(EXPONENTS, COLOURS[1:], strict=False))


def range_picture(reports: Sequence[RangeReport], path: Path) -> Path:
    """Draw the range limits of sensors, compared with given detection ranges; return ``path``.

    Each sensor has a row with two panels: the maximum range over the reflectivity of the target,
    and the residuals, which are the model's range minus each given detection range. A sensor with
    a noisy receiver gets a second row, with the detection probability over range.

    Parameters
    ----------
    reports : sequence of RangeReport
        A report for each sensor.
    path : Path
        The picture (PNG) to write.

    Raises
    ------
    InputError
        If there are more than `MOST_SENSORS` sensors.
    OutputError
        If the picture cannot be written.
    """
    if len(reports) > MOST_SENSORS:
        raise InputError(
            f"--plot: got {len(reports)} sensors, expected at most {MOST_SENSORS}; "
            "choose one with --sensor"
        )
    width, height = ROW_PX
    n_rows = sum(1 if report.scale is None else 2 for report in reports)
    figure = dark_figure((width, height * n_rows))
    share, row = 1.0 / n_rows, 0
    for report in reports:
        row += 1
        _draw(figure, report, bottom=1.0 - row * share, share=share)
        if report.scale is not None:
            row += 1
            floor = 1.0 - row * share
            box = (0.045, floor + 0.13 * share, 0.935, 0.75 * share)
            _detection(dark_panel(figure, box, "detection over range"), report, report.scale)
    return save(figure, path)


def _draw(figure: Figure, report: RangeReport, *, bottom: float, share: float) -> None:
    """Draw one sensor in a strip of the figure."""
    name, facts = printable(report.sensor, limit=60), printable(report.words, limit=150)
    headline(figure, name, facts, bottom=bottom, share=share)
    floor, height = bottom + 0.13 * share, 0.66 * share
    ranges = dark_panel(figure, (0.045, floor, 0.55, height), "maximum range")
    title = "residuals: seen farther than the pairs say"
    residuals = dark_panel(figure, (0.65, floor, 0.33, height), title)
    percent = _drawn_percent(report)
    for axes in (ranges, residuals):
        grid(axes)
        logarithmic(axes, _marks(percent))
        axes.set_xlim(percent[0] / MARGIN, percent[-1] * MARGIN)
        axes.set_xlabel("reflectivity [%]", color=FAINT)
    _ranges(ranges, report, percent)
    _residuals(residuals, report)


def _drawn_percent(report: RangeReport) -> NDArray[np.float64]:
    """Return the reflectivities at which curves are drawn, including those of the pairs [%]."""
    given = [pair.percent for pair in report.pairs]
    low = max(min([SHOWN_PERCENT[0], *given]), DRAWN_PERCENT[0])
    high = min(max([SHOWN_PERCENT[-1], *given]), DRAWN_PERCENT[1])
    ends = np.array([*given, *(piece.until_percent for piece in report.limit.pieces)])
    ends = ends[(low < ends) & (ends < high)]
    beyond = np.nextafter(ends, np.inf)  # there may be steps between pieces
    return np.unique(np.concatenate([np.geomspace(low, high, N_DRAWN), ends, beyond]))


def _marks(percent: NDArray[np.float64]) -> list[float]:
    """Return the reflectivities of the tick labels [%]."""
    low, high = float(percent[0]), float(percent[-1])
    if high / low > WIDE_SPAN:
        return [10.0**power for power in range(-3, 6) if low <= 10.0**power <= high]
    decades = [10.0**power * step for power in range(-3, 6) for step in (1, 2, 5)]
    return [mark for mark in decades if low <= mark <= high]


def _ranges(axes: Axes, report: RangeReport, percent: NDArray[np.float64]) -> None:
    reflectivity = percent / 100.0
    limit_m = report.limit.max_range_m(reflectivity)
    given_m = [pair.range_m for pair in report.pairs]
    top_m = min(1.12 * max([float(limit_m.max()), *given_m, report.min_range_m]), FARTHEST_M)
    for fit in report.comparisons:
        colour = TARGET_COLOURS[fit.equation.target]
        label = _fit_label(fit)
        drawn_m = fit.equation.max_range_m(reflectivity)
        _line(axes, percent, drawn_m, color=colour, lw=1.0, label=label)
    if report.kind != "constant":
        drawn_m = report.curve.max_range_m(reflectivity)
        _line(axes, percent, drawn_m, color=COLOURS[0], lw=1.4, ls=":")
    if report.max_range_m < top_m:
        label = f"max_range_m {report.max_range_m:g} m"
        axes.axhline(report.max_range_m, color=FAINT, lw=1.0, ls="--", label=label)
    _line(axes, percent, limit_m, color=COLOURS[0], lw=2.4, label="the sensor's limit")
    for given_by, marker in MARKERS.items():
        pairs = [pair for pair in report.pairs if pair.given_by == given_by]
        if pairs:
            given, pairs_m = zip(*((pair.percent, pair.range_m) for pair in pairs), strict=True)
            off = _worst([pair.residual_m for pair in pairs])
            label = f"pairs of {pairs[0].origin}; the limit is {off}"
            fill = "none" if pairs[0].basis in NOT_STATED else "full"
            style = {"marker": marker, "fillstyle": fill, "ls": "", "color": INK, "ms": 7}
            _line(axes, given, pairs_m, label=label, **style)
    axes.axhspan(0.0, min(report.min_range_m, FARTHEST_M), color="white", alpha=0.08, lw=0)
    axes.set_ylim(0.0, top_m)
    axes.set_ylabel("range [m]", color=FAINT)
    legend(axes)


def _residuals(axes: Axes, report: RangeReport) -> None:
    if not report.pairs:
        axes.set_title("no pairs are given", color=FAINT, size=13, loc="left", pad=6)
        axes.set_yticks([])
        return
    axes.axhline(0.0, color=FAINT, lw=1.0)
    for fit in report.comparisons:
        given = [percent for percent, _ in fit.pairs]
        colour = TARGET_COLOURS[fit.equation.target]
        _line(axes, given, _rounded(fit.residual_m), marker="o", color=colour, lw=0.8, ms=4)
    for given_by, marker in MARKERS.items():
        pairs = [pair for pair in report.pairs if pair.given_by == given_by]
        given, off_m = [pair.percent for pair in pairs], [pair.residual_m for pair in pairs]
        _line(axes, given, _rounded(off_m), marker=marker, color=COLOURS[0], lw=1.6, ms=7)
    axes.margins(y=0.15)
    low_m, high_m = axes.get_ylim()
    axes.set_ylim(min(low_m, -10.0 * FINEST_M), max(high_m, 10.0 * FINEST_M))
    axes.set_ylabel("residual [m]", color=FAINT)


def _rounded(residual_m: Sequence[float]) -> NDArray[np.float64]:
    """Return residuals rounded to a millimetre; smaller ones are rounding errors."""
    return np.asarray(np.rint(np.asarray(residual_m) / FINEST_M) * FINEST_M)


def _detection(axes: Axes, report: RangeReport, scale: SignalScale) -> None:
    """Draw the probability of detection over range, and mark the sharp limits."""
    percent = _detected_percent(report)
    reflectivity = np.array(percent) / 100.0
    limits_m = report.limit.max_range_m(reflectivity).tolist()
    farthest_m = float(scale.detection_range_m(reflectivity, LEAST_DRAWN).max())
    top_m = min(max(1.05 * max(limits_m), farthest_m, report.min_range_m), report.max_range_m)
    range_m = np.linspace(0.0, top_m, N_DRAWN)
    halves_m = scale.detection_range_m(reflectivity, 0.5).tolist()
    rows = zip(percent, limits_m, halves_m, COLOURS, strict=False)
    for row, (shown, limit_m, half_m, colour) in enumerate(rows):
        chance = scale.detection_probability(scale.snr(reflectivity[row], range_m))
        is_inside = report.min_range_m <= half_m < report.max_range_m
        half = f"half of them at {half_m:.4g} m, " if is_inside else ""
        label = f"targets of {shown:g} %: {half}limit {limit_m:.4g} m"
        _line(axes, range_m, 100.0 * chance, color=colour, lw=2.0, label=label)
        axes.axvline(min(limit_m, FARTHEST_M), color=colour, lw=1.2, ls="--")
    level = 100.0 * scale.probability_at_limit
    axes.axhline(
        level, color=FAINT, lw=1.0, ls=":", label=f"{level:g} % at the limit, with 100 klx"
    )
    axes.axvspan(0.0, min(report.min_range_m, FARTHEST_M), color="white", alpha=0.08, lw=0)
    grid(axes)
    axes.set_xlim(0.0, min(top_m, FARTHEST_M))
    axes.set_ylim(0.0, 104.0)
    axes.set_xlabel("range [m]; dashed: the sensor's limit", color=FAINT)
    axes.set_ylabel("detected [%]", color=FAINT)
    legend(axes)


def _detected_percent(report: RangeReport) -> list[float]:
    """Return the reflectivities whose detection is drawn, at most one per colour [%]."""
    given = {pair.percent for pair in report.pairs} - {*DETECTED_PERCENT}
    n_more = len(COLOURS) - len(DETECTED_PERCENT)
    step = -(-len(given) // n_more) or 1
    return sorted({*DETECTED_PERCENT, *sorted(given)[::step]})


def _line(axes: Axes, percent: ArrayLike, metres: ArrayLike, **style: Any) -> None:  # noqa: ANN401
    """Draw metres over reflectivity, clipped, because huge values overflow in matplotlib."""
    axes.plot(percent, np.clip(metres, -FARTHEST_M, FARTHEST_M), **style)


def _fit_label(fit: EquationFit) -> str:
    equation = fit.equation
    per_km = 1000.0 * equation.extinction_per_m
    air = f", {per_km:.3g}/km" if per_km > 0.0 else ""
    constants = f"r_0 {equation.clear_range_m:.4g} m{air}"
    return f"equation 1/r^{equation.exponent}, {constants}; {_worst(fit.residual_m)}"


def _worst(residual_m: Sequence[float]) -> str:
    """Return a text with the largest residual."""
    return f"up to {round(max(map(abs, residual_m)), 2):.6g} m off"
