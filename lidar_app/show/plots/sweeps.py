# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A picture of a sweep: the objective over the varied keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.sweep_report import best_words, number_words
from lidar_gap.pictures.figures import (
    COLOURS,
    FAINT,
    Axes,
    dark_figure,
    dark_panel,
    grid,
    headline,
    save,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_app.batch.sweep_records import Sweep
    from lidar_app.batch.variation import Variation

_SIZE_PX = (1200, 720)
_BOX = (0.09, 0.12, 0.86, 0.68)
_MOST_TICKS = 12
_UNITS = ("mm_h", "m_s", "hz", "deg", "rad", "nm", "mm", "us", "ms", "m", "s")
"""Units at the end of names of keys; a unit comes before units that are its ending."""


def sweep_picture(sweep: Sweep, path: Path) -> Path:
    """Draw the objective of a sweep, a line over one varied key or an image over two; return path.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    figure = dark_figure(_SIZE_PX)
    headline(figure, sweep.objective.text, f"best: {best_words(sweep)}")
    axes = dark_panel(figure, _BOX, "")
    shape = tuple(len(each.values) for each in sweep.variations)
    numbers = [np.nan if row.objective is None else row.objective for row in sweep.rows]
    values = np.array(numbers, np.float64).reshape(shape)
    best = np.unravel_index(sweep.rows.index(sweep.best or sweep.rows[0]), shape)
    across = sweep.variations[-1]
    if len(shape) == 1:
        _line(axes, across, values, int(best[0]), _measure(sweep))
    else:
        _image(axes, sweep.variations[0], values, best)
    x = _places(across)
    _label(axes, "x", across, x if len(shape) == 1 else np.arange(len(x), dtype=np.float64))
    return save(figure, path)


def with_unit(key: str) -> str:
    """Return a key with the unit that its name ends with: "range_m [m]"; without one, the key."""
    unit = next((each for each in _UNITS if key.endswith(f"_{each}")), None)
    if unit is None:
        return key
    return f"{key} [{'Hz' if unit == 'hz' else unit.replace('_', '/')}]"


def _measure(sweep: Sweep) -> str:
    """Return the kind of the objective with its unit."""
    kind = sweep.objective.kind
    unit = {"coverage": "1", "blind": "m²", "nearest": "m", "farthest": "m"}.get(kind, "points")
    return f"{kind} [{unit}]"


def _line(
    axes: Axes, across: Variation, values: NDArray[np.float64], best: int, label: str
) -> None:
    x = _places(across)
    axes.plot(x, values, color=COLOURS[1], marker="o", ms=3, lw=1.4)
    axes.plot(x[best], values[best], "o", ms=9, mfc="none", mec=COLOURS[0], mew=2)
    axes.set_ylabel(label, color=FAINT, parse_math=False)
    grid(axes)


def _image(
    axes: Axes, down: Variation, values: NDArray[np.float64], best: Sequence[np.intp]
) -> None:
    image = axes.imshow(values, origin="lower", aspect="auto", cmap="viridis")
    axes.plot(best[1], best[0], "o", ms=9, mfc="none", mec=COLOURS[0], mew=2)
    bar = axes.figure.colorbar(image, ax=axes)
    bar.ax.tick_params(colors=FAINT)
    _label(axes, "y", down, np.arange(len(down.values), dtype=np.float64))


def _places(variation: Variation) -> NDArray[np.float64]:
    """Return the positions of values on an axis: numbers as they are, others by their index."""
    if _numeric(variation):
        return np.array(variation.values, np.float64)
    return np.arange(len(variation.values), dtype=np.float64)


def _label(axes: Axes, side: str, variation: Variation, places: NDArray[np.float64]) -> None:
    """Label an axis, and its ticks if positions differ from values."""
    axis = axes.xaxis if side == "x" else axes.yaxis
    axis.set_label_text(with_unit(variation.name), color=FAINT, parse_math=False)
    numbers = np.array(variation.values) if _numeric(variation) else None
    if numbers is not None and np.array_equal(numbers, places):
        return
    shown = range(0, len(places), -(-len(places) // _MOST_TICKS))
    axis.set_ticks(
        [float(places[n]) for n in shown], [number_words(variation.values[n]) for n in shown]
    )


def _numeric(variation: Variation) -> bool:
    return all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in variation.values
    )
