# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What all pictures share: dark panels, and files that are whole or not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator, ScalarFormatter

from osi_lidar.errors import OutputError
from osi_lidar.output.files import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

DPI = 100
BACKGROUND, INK, FAINT, EDGE = "#0d1117", "#e6edf3", "#8b949e", "#30363d"
PANEL = "#05070a"
COLOURS = ("#ffb454", "#59c2ff", "#aad94c", "#f07178", "#d2a6ff", "#95e6cb")
"""Of curves that are to be told apart."""


def dark_figure(size_px: tuple[int, int], background: str = BACKGROUND) -> Figure:
    """Return an empty figure of so many pixels."""
    return Figure(figsize=(size_px[0] / DPI, size_px[1] / DPI), dpi=DPI, facecolor=background)


def headline(
    figure: Figure, title: str, facts: str, *, bottom: float = 0.0, share: float = 1.0
) -> None:
    """Write two lines at the top of a figure, or of a strip of it; they may hold any character."""
    lines = ((title, 0.945, INK, 17, "bold"), (facts, 0.885, FAINT, 11, "normal"))
    for text, height, colour, size, weight in lines:
        line = figure.text(0.045, bottom + height * share, text, color=colour, size=size)
        line.set(va="center", weight=weight, parse_math=False)


def dark_panel(figure: Figure, box: tuple[float, float, float, float], title: str) -> Axes:
    """Add axes; left, bottom, width and height of their box are shares of the figure."""
    axes = figure.add_axes(box)
    axes.set_facecolor(PANEL)
    axes.tick_params(colors=FAINT, labelsize=10, which="both")
    for spine in axes.spines.values():
        spine.set_color(EDGE)
    axes.set_title(title, color=INK, size=13, loc="left", pad=6)
    return axes


def grid(axes: Axes) -> None:
    """Draw lines behind curves, to read values off."""
    axes.grid(color="white", alpha=0.10, lw=0.6)


def legend(axes: Axes) -> None:
    """Explain the labelled curves."""
    axes.legend(facecolor=BACKGROUND, edgecolor=EDGE, labelcolor=INK, fontsize=9)


def logarithmic(axes: Axes, marks: Sequence[float]) -> None:
    """Make the axis across logarithmic, with plain numbers at the marks."""
    axes.set_xscale("log")
    axes.set_xticks(marks)
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())


def save(figure: Figure, path: Path) -> Path:
    """Write a picture (PNG), whole or not at all.

    Raises
    ------
    OutputError
        If it cannot be written, or its name does not end in ``.png``.
    """
    if path.suffix.lower() != ".png":  # what is called otherwise may be somebody's configuration
        raise OutputError(f"{path}: expected the name of a picture, ending in .png")
    FigureCanvasAgg(figure)
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", facecolor=figure.get_facecolor())
    return path
