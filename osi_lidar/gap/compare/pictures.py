# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a comparison: images of a frame, the gap budget, P(return), noise, and echoes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.colors import ListedColormap

from osi_lidar.gap.metrics.ranges import APART_M
from osi_lidar.show.cloud_image import painted
from osi_lidar.show.figures import (
    BACKGROUND,
    COLOURS,
    FAINT,
    INK,
    PANEL,
    dark_figure,
    dark_panel,
    grid,
    headline,
    legend,
    save,
)

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from osi_lidar.gap.compare import Comparison
    from osi_lidar.gap.compare.pair_measures import Measures
    from osi_lidar.gap.metrics.probability import ProbabilityCurve
    from osi_lidar.gap.metrics.ring_noise import NoiseCurve
    from osi_lidar.gap.records import Pair

REAL, SIM = COLOURS[1], COLOURS[0]
"""Colours of both sides."""
BOTH_COLOUR = "#5c6773"
APART_COLOURS = ("#2d6a4f", "#74a57f", "#e9c46a", "#e76f51", "#9d0208")
"""Colours of the classes of the gap budget."""
DIFFERENCE_M = 0.25
"""Differences of this and more have the fullest colour [m]."""
_FRAME_PX = (1800, 1000)
_BUDGET_PX = (1300, 420)
_CURVES_PX = (1500, 560)
_STRIP = (0.045, 0.9, 0.165)  # left, width and height of an image, in shares of the figure
_LEFT_PANEL, _RIGHT_PANEL = (0.06, 0.12, 0.42, 0.66), (0.55, 0.12, 0.42, 0.66)
_BINS_OF_SEPARATION = 60


def frame_picture(pair: Pair, kept: NDArray[np.bool_], measures: Measures, path: Path) -> Path:
    """Draw both range images of a frame, their difference, and which pixels return.

    Parameters
    ----------
    pair : Pair
        The frame.
    kept : bool (n_ring, n_column)
        Pixels that were compared; the others are left empty.
    measures : Measures
        Those of the frame.
    path : Path
        The picture to write.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    figure = dark_figure(_FRAME_PX)
    facts = (
        f"{measures.returns.n_real} real and {measures.returns.n_sim} simulated pixels   "
        f"IoU {measures.returns.iou:.3f}   median error {1e3 * measures.errors.median_m:.1f} mm"
    )
    title = f"{pair.sim.name} against {pair.real.name}"
    headline(figure, title, facts, bottom=0.45, share=0.55)
    order = np.argsort(-((pair.real_image.azimuth_deg + 180.0) % 360.0), kind="stable")
    real_m, sim_m = (
        np.where(kept, image.range_m, np.nan)[:, order]
        for image in (pair.real_image, pair.sim_image)
    )
    known_m = np.concatenate([real_m[~np.isnan(real_m)], sim_m[~np.isnan(sim_m)]])
    low_m, high_m = np.quantile(known_m, (0.01, 0.98))
    limits = (float(low_m), float(max(high_m, low_m + 1e-3)))
    near_far = mpl.colormaps["turbo_r"]
    cold_hot = mpl.colormaps["coolwarm"]
    strips = (
        (f"range, real: {limits[0]:.1f} m (red) to {limits[1]:.1f} m (blue)", real_m, limits),
        ("range, simulated", sim_m, limits),
        (
            f"simulated minus real, -{DIFFERENCE_M:g} m (blue) to +{DIFFERENCE_M:g} m (red)",
            sim_m - real_m,
            (-DIFFERENCE_M, DIFFERENCE_M),
        ),
    )
    for number, (title, values, ends) in enumerate(strips):
        colours = cold_hot if ends[0] < 0 else near_far
        _strip(figure, number, title, painted(values, colours=colours, limits=ends))
    _strip(figure, 3, "", _returns_image(~np.isnan(real_m), ~np.isnan(sim_m)))
    left, _, _ = _STRIP
    words = (("both return", BOTH_COLOUR), ("simulated only", SIM), ("real only", REAL))
    for place, (text, colour) in enumerate(words):
        figure.text(left + 0.1 * place, 0.242, text, color=colour, size=13, va="center")
    return save(figure, path)


def budget_picture(comparison: Comparison, path: Path) -> Path:
    """Draw the gap budget as bars: simulated against real, and what else was compared.

    Raises
    ------
    OutputError
        If the picture cannot be written.
    """
    figure = dark_figure(_BUDGET_PX)
    headline(figure, "Gap budget", "shares of the pixels that return in either cloud")
    axes = dark_panel(figure, (0.16, 0.30, 0.80, 0.50), "")
    names = [_class_words(*ends) for ends in pairwise(APART_M)]
    parts = [*zip(names, APART_COLOURS, strict=True), ("simulated only", SIM), ("real only", REAL)]
    for row, each in enumerate(comparison.all_series):
        budget, start = each.total.budget, 0.0
        shares = (*budget.apart, budget.sim_only, budget.real_only)
        for (name, colour), share in zip(parts, shares, strict=True):
            axes.barh(row, share, left=start, color=colour, label=None if row else name)
            if share > 0.03:
                text = axes.text(start + share / 2, row, f"{100 * share:.1f} %", size=9)
                text.set(ha="center", va="center", color=_ink_on(colour))
            start += share
    axes.set_yticks(
        range(len(comparison.all_series)), [each.name for each in comparison.all_series]
    )
    axes.set_xlim(0, 1)
    axes.invert_yaxis()
    axes.legend(
        facecolor=BACKGROUND,
        edgecolor=BACKGROUND,
        labelcolor=INK,
        fontsize=9,
        ncols=len(parts),
        loc="upper center",
        bbox_to_anchor=(0.44, -0.2),
    )
    return save(figure, path)


def returns_picture(comparison: Comparison, path: Path) -> Path:
    """Draw P(return) of each side where the other returns, over range and incidence.

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
    """Draw the noise of the range within rings, over range and signal.

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
    over_signal = dark_panel(figure, _RIGHT_PANEL, "over signal, in steps of equal numbers")
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
    """Draw mixed pixels, edges and holes of each side, and how far its echoes are apart.

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
    bars = dark_panel(figure, _LEFT_PANEL, "shares [%]")
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


def _strip(figure: Figure, number: int, title: str, image: NDArray[np.float64]) -> None:
    """Draw an image, stretched over the width of the figure."""
    left, width, height = _STRIP
    axes = dark_panel(figure, (left, 0.72 - 0.22 * number, width, height), title)
    axes.imshow(image, aspect="auto", interpolation="nearest", extent=(180, -180, 0, 1))
    axes.set_yticks([])
    axes.set_xticks(range(-180, 181, 45) if number == 3 else [])
    if number == 3:
        axes.set_xlabel("heading [deg], left is behind", color=FAINT)


def _returns_image(real: NDArray[np.bool_], sim: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return which pixels return: neither, real only, simulated only, both, as colours."""
    colours = ListedColormap([PANEL, REAL, SIM, BOTH_COLOUR])
    return np.asarray(colours(real + 2 * sim.astype(np.int64))[..., :3])


def _ink_on(colour: str) -> str:
    """Return a colour of text that can be read on another one."""
    return BACKGROUND if sum(mpl.colors.to_rgb(colour)) > 1.5 else INK


def _class_words(low: float, high: float) -> str:
    return f"{low:g} m on" if np.isinf(high) else f"{low:g} to {high:g} m"


def _probability(axes: Axes, curve: ProbabilityCurve, colour: str, name: str) -> None:
    """Draw a curve and its interval."""
    middle = (curve.edges[:-1] + curve.edges[1:]) / 2
    told = ~np.isnan(curve.lower)
    axes.fill_between(
        middle, curve.lower, curve.upper, where=told, color=colour, alpha=0.25, linewidth=0
    )
    axes.plot(middle, curve.probability, "o-", color=colour, ms=4, label=name)


def _noise_by_signal(axes: Axes, curve: NoiseCurve, colour: str, name: str, column: str) -> None:
    """Draw the noise by the rank of the signal, with the limits of the bins."""
    place = (np.arange(len(curve.n)) + 0.5) / len(curve.n)
    label = f"{name}: {column} {curve.edges[0]:.3g} to {curve.edges[-1]:.3g}"
    axes.plot(place, 1e3 * curve.sigma_m, "o-", color=colour, ms=4, label=label)


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
