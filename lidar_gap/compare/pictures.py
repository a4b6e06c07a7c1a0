# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a comparison: the gap budget, P(return), noise, and echoes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.ranges import APART_M
from lidar_gap.pictures.figures import (
    BACKGROUND,
    COLOURS,
    FAINT,
    INK,
    Axes,
    dark_figure,
    dark_panel,
    grid,
    headline,
    legend,
    save,
    to_rgb,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lidar_gap.compare import Comparison
    from lidar_gap.compare.side_measures import Echoes
    from lidar_gap.metrics.edges import Edges
    from lidar_gap.metrics.probability import ProbabilityCurve
    from lidar_gap.metrics.ring_noise import NoiseCurve

REAL, SIM = COLOURS[1], COLOURS[0]
"""Colours of the real and of the simulated clouds in pictures."""
APART_COLOURS = ("#2d6a4f", "#74a57f", "#d9e3b4", "#c77dbb", "#7b2d8b")
"""Colours of the classes of range difference in `GapBudget.apart`, from the smallest difference on.

They differ from `REAL` and `SIM`, the colours of the pixels that return on one side only.
"""
_BUDGET_PX = (1300, 420)
_CURVES_PX = (1500, 560)
_LEFT_PANEL, _RIGHT_PANEL = (0.06, 0.12, 0.42, 0.66), (0.55, 0.12, 0.42, 0.66)
_BINS_OF_SEPARATION = 60


def budget_picture(comparison: Comparison, path: Path) -> Path:
    """Draw the gap budget of a comparison as a picture (PNG); return its path.

    Each series (simulated against real, real against real, null test) is one horizontal bar. Its
    parts are shares of the pixels that return in at least one of the two clouds: classes of range
    difference, then pixels that return only in the simulated cloud, then only in the real cloud.

    Parameters
    ----------
    comparison : Comparison
        Result of comparing simulated with real clouds.
    path : Path
        File to write; its name must end in ``.png``.

    Raises
    ------
    OutputError
        If the picture cannot be written.
    """
    figure = dark_figure(_BUDGET_PX)
    headline(figure, "Gap budget", "pixels that return in either cloud, by the difference of range")
    axes = dark_panel(figure, (0.16, 0.29, 0.80, 0.50), "")
    names = [_class_words(*ends) for ends in pairwise(APART_M)]
    parts = [*zip(names, APART_COLOURS, strict=True), ("simulated only", SIM), ("real only", REAL)]
    for row, each in enumerate(comparison.all_series):
        budget, start = each.total.budget, 0.0
        shares = (100 * part for part in (*budget.apart, budget.sim_only, budget.real_only))
        for (name, colour), share in zip(parts, shares, strict=True):
            axes.barh(row, share, left=start, color=colour, label=None if row else name)
            if share > 3.0:
                text = axes.text(start + share / 2, row, f"{share:.1f} %", size=9)
                text.set(ha="center", va="center", color=_ink_on(colour))
            start += share
    axes.set_yticks(
        range(len(comparison.all_series)), [each.name for each in comparison.all_series]
    )
    axes.set_xlim(0, 100)
    axes.set_xlabel("share [%]", color=FAINT)
    axes.invert_yaxis()
    axes.legend(
        facecolor=BACKGROUND,
        edgecolor=BACKGROUND,
        labelcolor=INK,
        fontsize=9,
        ncols=len(parts),
        loc="upper center",
        bbox_to_anchor=(0.44, -0.24),
    )
    return save(figure, path)


def returns_picture(comparison: Comparison, path: Path) -> Path:
    """Draw the probability of a return over range and over incidence (PNG); return its path.

    The curves are `Comparison.curves`: the share of pixels that return in one cloud, real or
    simulated, of the pixels that return in the other cloud. Bands are 95 % intervals.

    Parameters
    ----------
    comparison : Comparison
        Result of comparing simulated with real clouds.
    path : Path
        File to write; its name must end in ``.png``.

    Raises
    ------
    OutputError
        If the picture cannot be written.
    """
    figure = dark_figure(_CURVES_PX)
    several = len(comparison.sim.frames) > 1
    headline(
        figure,
        "P(return) where the other cloud returns",
        "bands: 95 % of draws of the frames" if several else "one frame: no interval",
    )
    found = comparison.curves
    over_range = dark_panel(figure, _LEFT_PANEL, "over range")
    _probability(over_range, found.real_over_range, REAL, "real, over the simulated range")
    _probability(over_range, found.sim_over_range, SIM, "simulated, over the real range")
    _finish(over_range, "range of the other cloud [m]", "P(return)")
    over_angle = dark_panel(figure, _RIGHT_PANEL, "over the angle of incidence")
    if found.real_over_incidence is None:
        _no_data(over_angle, "the simulated clouds have no normals")
    else:
        _probability(over_angle, found.real_over_incidence, REAL, "real, over the simulated angle")
        _finish(over_angle, "angle of incidence [deg]", "P(return)")
    return save(figure, path)


def noise_picture(comparison: Comparison, path: Path) -> Path:
    """Draw the range noise of the real and the simulated clouds (PNG); return the picture's path.

    The left panel shows the noise over range. The right panel shows it over the strength of the
    echo: the signal, or else the intensity.

    Parameters
    ----------
    comparison : Comparison
        Result of comparing simulated with real clouds.
    path : Path
        File to write; its name must end in ``.png``.

    Raises
    ------
    OutputError
        If the picture cannot be written.
    """
    figure = dark_figure(_CURVES_PX)
    sides = (
        ("real", REAL, comparison.real_side),
        ("simulated", SIM, comparison.sim_side),
    )
    facts = ", ".join(f"{name} {1e3 * side.noise_m:.1f} mm" for name, _, side in sides)
    headline(figure, "Noise of the range within rings", facts)
    over_range = dark_panel(figure, _LEFT_PANEL, "over range")
    over_signal = dark_panel(
        figure, _RIGHT_PANEL, "over signal, in bins of equal numbers of pixels"
    )
    for name, colour, side in sides:
        by_range = side.noise_by_range
        middle = (by_range.edges[:-1] + by_range.edges[1:]) / 2
        over_range.plot(middle, 1e3 * by_range.sigma_m, "o-", color=colour, ms=4, label=name)
        if side.noise_by_signal is not None:
            _noise_by_signal(over_signal, side.noise_by_signal, colour, name, side.signal_name)
    _finish(over_range, "range [m]", "noise [mm]", top=None)
    if any(side.noise_by_signal is not None for _, _, side in sides):
        _finish(
            over_signal, "weakest to strongest, in each file's own unit", "noise [mm]", top=None
        )
        over_signal.set_xticks([])
    else:
        _no_data(over_signal, "the clouds have no signal and no intensity")
    return save(figure, path)


def echoes_picture(comparison: Comparison, path: Path) -> Path:
    """Draw statistics of edges, holes and echoes for real and simulated clouds; return the path.

    The picture is a PNG. Bars show the shares, in percent, of mixed pixels (with a range between
    two surfaces), edges with missing pixels, holes in smooth surfaces, and beams with a second
    return. A histogram shows the distances between successive echoes of a beam.

    Parameters
    ----------
    comparison : Comparison
        Result of comparing simulated with real clouds.
    path : Path
        File to write; its name must end in ``.png``.

    Raises
    ------
    OutputError
        If the picture cannot be written.
    """
    figure = dark_figure(_CURVES_PX)
    headline(figure, "Edges, holes and echoes", "shares of the places where each can occur")
    total = comparison.sim.total
    sides = (
        ("real", REAL, total.real_edges, comparison.real_side.echoes),
        ("simulated", SIM, total.sim_edges, comparison.sim_side.echoes),
    )
    _shares(dark_panel(figure, _LEFT_PANEL, "shares [%]"), sides)
    apart = dark_panel(figure, _RIGHT_PANEL, "separation of the echoes of a beam")
    known = [(name, colour, each) for name, colour, _, each in sides if each is not None]
    known = [(name, colour, each) for name, colour, each in known if each.separations_m.size]
    if not known:
        _no_data(apart, "neither cloud tells of second returns")
        return save(figure, path)
    most_m = max(float(np.quantile(each.separations_m, 0.95)) for _, _, each in known)
    bins = np.linspace(0, most_m, _BINS_OF_SEPARATION).tolist()
    for name, colour, each in known:
        apart.hist(
            each.separations_m, bins, density=True, histtype="step", color=colour, lw=2, label=name
        )
    _finish(apart, "separation [m]", "density [1/m]", top=None)
    return save(figure, path)


def _shares(bars: Axes, sides: Sequence[tuple[str, str, Edges, Echoes | None]]) -> None:
    """Draw bars for each side: shares of mixed pixels, missing pixels, holes and second returns."""
    for number, (name, colour, edges, echoes) in enumerate(sides):
        second = np.nan if echoes is None else echoes.second
        heights = 100 * np.array([edges.mixed, edges.missing, edges.holes, second])
        bars.bar(
            np.arange(4) + 0.38 * number, np.nan_to_num(heights), 0.36, color=colour, label=name
        )
        for place, height in enumerate(heights):
            text = "-" if np.isnan(height) else f"{height:.2f}"
            up = float(np.nan_to_num(height))
            label = bars.text(place + 0.38 * number, up, text, color=INK)
            label.set(ha="center", va="bottom")
    words = ["mixed pixels", "missing at edges", "holes in surfaces", "second returns"]
    bars.set_xticks(np.arange(4) + 0.19, words)
    bars.margins(y=0.12)
    legend(bars)


def _ink_on(colour: str) -> str:
    """Return a text colour that can be read on a background of another colour."""
    return BACKGROUND if sum(to_rgb(colour)) > 1.5 else INK


def _class_words(low_m: float, high_m: float) -> str:
    """Return the limits of a class of the gap budget as text; small limits are in centimetres."""
    if np.isinf(high_m):
        return f"from {low_m:g} m on"
    if low_m == 0:
        return f"under {100 * high_m:g} cm"
    scale, unit = (1, "m") if high_m > 1 else (100, "cm")
    return f"{scale * low_m:g} to {scale * high_m:g} {unit}"


def _probability(axes: Axes, curve: ProbabilityCurve, colour: str, name: str) -> None:
    """Draw a probability curve and its confidence interval."""
    middle = (curve.edges[:-1] + curve.edges[1:]) / 2
    told = ~np.isnan(curve.lower)
    axes.fill_between(
        middle, curve.lower, curve.upper, where=told, color=colour, alpha=0.25, linewidth=0
    )
    axes.plot(middle, curve.probability, "o-", color=colour, ms=4, label=name)


def _noise_by_signal(axes: Axes, curve: NoiseCurve, colour: str, name: str, column: str) -> None:
    """Draw the noise over bins of signal, with the limits of the bins as labels."""
    place = (np.arange(len(curve.n)) + 0.5) / len(curve.n)
    least, most = (_three_digits(curve.edges[k]) for k in (0, -1))
    label = f"{name}: {column} {least} to {most}"
    axes.plot(place, 1e3 * curve.sigma_m, "o-", color=colour, ms=4, label=label)


def _three_digits(value: float) -> str:
    """Return a number with three significant digits, without an exponent."""
    return np.format_float_positional(value, 3, fractional=False, trim="-")


def _finish(axes: Axes, across: str, up: str, top: float | None = 1.05) -> None:
    """Label axes that start at zero."""
    axes.set_xlabel(across, color=FAINT)
    axes.set_ylabel(up, color=FAINT)
    axes.set_ylim(0, top)
    axes.set_xlim(0, None)
    grid(axes)
    legend(axes)


def _no_data(axes: Axes, why: str) -> None:
    """Say why a panel is empty."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(0.5, 0.5, why, transform=axes.transAxes, color=FAINT, ha="center", va="center")
