# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Common parts of all pictures: imports of matplotlib, dark panels, atomic writing of the file.

matplotlib comes with the extra ``plot``. Other modules import matplotlib's names only from here. So
all of them give the same error line if the extra is not installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_base.files.whole_files import replacing
from lidar_gap.pictures import NO_PLOT, NOT_A_PICTURE
from osi_lidar.errors import InputError, OutputError

try:
    from matplotlib import colormaps
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.cm import ScalarMappable
    from matplotlib.colorbar import Colorbar
    from matplotlib.colors import Colormap, ListedColormap, Normalize, to_rgb
    from matplotlib.figure import Figure
    from matplotlib.image import imread
    from matplotlib.patches import Patch
    from matplotlib.projections.polar import PolarAxes
    from matplotlib.ticker import (
        MaxNLocator,
        MultipleLocator,
        NullFormatter,
        NullLocator,
        ScalarFormatter,
    )
except ModuleNotFoundError:
    raise InputError(NO_PLOT) from None

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = [
    "Axes",
    "Colorbar",
    "Colormap",
    "Figure",
    "FigureCanvasAgg",
    "ListedColormap",
    "MaxNLocator",
    "MultipleLocator",
    "Patch",
    "PolarAxes",
    "colormaps",
    "imread",
    "to_rgb",
]

DPI = 100
BACKGROUND, INK, FAINT, EDGE = "#0d1117", "#e6edf3", "#8b949e", "#30363d"
PANEL = "#05070a"
COLOURS = ("#ffb454", "#59c2ff", "#aad94c", "#f07178", "#d2a6ff", "#95e6cb")
"""Distinct colours of curves."""


def part_of(map_name: str, first: float, last: float) -> Colormap:
    """Return the section of a colour map between two positions, as a colour map of 256 colours.

    For example, colours that are too dark for the background can be left out.

    Parameters
    ----------
    map_name : str
        Name of a colour map of matplotlib, such as "turbo".
    first, last : float
        Positions in this map, from 0 to 1, of the first and the last colour of the result. If
        ``first`` is larger than ``last``, the order of the colours is reversed.
    """
    colours = colormaps[map_name](np.linspace(first, last, 256))
    return ListedColormap(colours, name=f"part of {map_name}")


RANGE_COLOURS = part_of("turbo", 0.95, 0.1)  # near is red, far is blue


def dark_figure(size_px: tuple[int, int], background: str = BACKGROUND) -> Figure:
    """Return an empty matplotlib figure with a dark background.

    ``size_px`` is its width and height in pixels. ``background`` is the colour of its background, a
    name or hex code of matplotlib.
    """
    return Figure(figsize=(size_px[0] / DPI, size_px[1] / DPI), dpi=DPI, facecolor=background)


def headline(
    figure: Figure, title: str, facts: str, *, bottom: float = 0.0, share: float = 1.0
) -> None:
    """Draw a title, and below it a line of facts, at the top of a horizontal strip of a figure.

    Parameters
    ----------
    figure : Figure
        Figure of matplotlib that is drawn on.
    title, facts : str
        The two texts.
    bottom, share : float
        Lower border and height of the strip, as fractions of the figure's height. By default, the
        strip is the whole figure.
    """
    lines = ((title, 0.945, INK, 17, "bold"), (facts, 0.885, FAINT, 11, "normal"))
    for text, height, colour, size, weight in lines:
        line = figure.text(0.045, bottom + height * share, text, color=colour, size=size)
        line.set(va="center", weight=weight, parse_math=False)


def dark_panel(figure: Figure, box: tuple[float, float, float, float], title: str) -> Axes:
    """Add dark axes to a figure, and return them.

    Parameters
    ----------
    figure : Figure
        Figure of matplotlib, which is changed.
    box : (float, float, float, float)
        Left, bottom, width and height of the axes, as fractions of the figure.
    title : str
        Title above the axes, at the left; empty for none.
    """
    axes = figure.add_axes(box)
    axes.set_facecolor(PANEL)
    axes.tick_params(colors=FAINT, labelsize=10, which="both")
    for spine in axes.spines.values():
        spine.set_color(EDGE)
    axes.set_title(title, color=INK, size=13, loc="left", pad=6)
    return axes


def dark_polar(figure: Figure, box: tuple[float, float, float, float]) -> PolarAxes:
    """Add dark polar axes to ``figure``, and return them: 0 is up, angles increase to the left.

    The axes have no angle labels. ``box`` has left, bottom, width and height as fractions of the
    figure.
    """
    axes = PolarAxes(figure, box)
    figure.add_axes(axes)
    axes.set_facecolor(PANEL)
    axes.set_theta_zero_location("N")
    axes.set_xticks([0.0, 0.5 * np.pi, np.pi, 1.5 * np.pi], ["", "", "", ""])
    axes.tick_params(colors="white", labelsize=8)
    axes.spines["polar"].set_color(EDGE)
    return axes


def grid(axes: Axes) -> None:
    """Draw grid lines into ``axes`` (matplotlib), in a faint white for a dark background."""
    axes.grid(color="white", alpha=0.10, lw=0.6)


def legend(axes: Axes) -> None:
    """Add a dark legend to ``axes`` (matplotlib), with an entry for each labelled curve."""
    axes.legend(facecolor=BACKGROUND, edgecolor=EDGE, labelcolor=INK, fontsize=9)


def colour_bar(
    axes: Axes, colours: Colormap, span: tuple[float, float], values: NDArray[np.float64]
) -> Colorbar:
    """Fill axes with the colour bar of a span of values, and return the colour bar.

    Parameters
    ----------
    axes : Axes
        Axes that the colour bar fills.
    colours : Colormap
        Colour map.
    span : (float, float)
        Values of the first and the last colour.
    values : float64 (...)
        The values that are drawn; not all NaN. An arrow marks each end of the bar that some of them
        exceed.
    """
    below, above = bool(np.nanmin(values) < span[0]), bool(np.nanmax(values) > span[1])
    extend = ("neither", "max", "min", "both")[2 * below + above]
    scale = ScalarMappable(Normalize(*span), colours)
    bar = axes.figure.colorbar(scale, cax=axes, extend=extend, extendfrac=0.07)
    bar.outline.set_edgecolor(EDGE)
    return bar


def logarithmic(axes: Axes, marks: Sequence[float]) -> None:
    """Make the x axis of ``axes`` (matplotlib) logarithmic, with ticks only at ``marks``.

    ``marks`` is a sequence of positions on the x axis; they are labelled with plain numbers.
    """
    axes.set_xscale("log")
    axes.set_xticks(marks)
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())


def save(figure: Figure, path: Path) -> Path:
    """Write a figure of matplotlib (``figure``) as a PNG file, completely or not at all.

    ``path`` is the file to write; an existing file is replaced. The result is ``path``.

    Raises
    ------
    OutputError
        If the picture cannot be written, or its name does not end in ``.png``.
    """
    if path.suffix.lower() != ".png":
        raise OutputError(f"{path}: {NOT_A_PICTURE}")
    FigureCanvasAgg(figure)
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", facecolor=figure.get_facecolor())
    return path
