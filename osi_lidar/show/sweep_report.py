# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The results of a sweep: a table, a picture, and the best variant."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table
from rich.text import Text

from osi_lidar.errors import OutputError
from osi_lidar.output.files import remove, replacing
from osi_lidar.show import figures
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from osi_lidar.run.sweep import Row, Sweep
    from osi_lidar.run.variation import Variation

TABLE, PICTURE, REPORT = "sweep.csv", "sweep.png", "sweep.json"
_SIZE_PX = (1200, 720)
_BOX = (0.09, 0.12, 0.86, 0.68)
_MOST_TICKS = 12


def write_sweep(sweep: Sweep, out: Path, config: Path, trace: Path | None) -> list[Path]:
    """Write the files of a sweep into a folder, and return their paths.

    Raises
    ------
    OutputError
        If one cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{out}: cannot be written: {error.strerror or error}") from error
    remove(out / PICTURE)  # of an earlier sweep
    files = [out / TABLE, out / REPORT]
    with (
        replacing(out / TABLE) as temporary,
        temporary.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file)
        names = [each.name for each in sweep.variations]
        writer.writerow([*names, sweep.objective.text, "error"])
        for row in sweep.rows:
            writer.writerow([*row.values, row.objective, row.error])
    with replacing(out / REPORT) as temporary:
        content = _content(sweep, config, trace)
        temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    if sweep.best is not None and len(sweep.variations) <= 2:
        files.append(sweep_picture(sweep, out / PICTURE))
    return files


def best_words(sweep: Sweep) -> str:
    """Return a text with the best variant."""
    best = sweep.best
    if best is None:
        return "none"
    return f"{_settings(sweep, best)}: {sweep.objective.text} = {_number(best.objective)}"


def sweep_table(sweep: Sweep) -> Table:
    """Return a table with the outcome of a sweep."""
    table = Table(title="Sweep", show_header=False, title_justify="left")
    table.add_column()
    table.add_column(overflow="fold")
    n_done = sum(row.objective is not None for row in sweep.rows)
    rows = {
        "Variants": f"{len(sweep.rows)}, {n_done} done, {len(sweep.failed)} failed",
        "Smallest" if sweep.objective.sign < 0 else "Largest": best_words(sweep),
    }
    for row in sweep.failed[:3]:
        rows[f"Failed: {_settings(sweep, row)}"] = row.error
    for name, value in rows.items():
        table.add_row(Text(name), Text(value))
    return table


def sweep_picture(sweep: Sweep, path: Path) -> Path:
    """Draw the objective, as a line over one key or an image over two.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    figure = figures.dark_figure(_SIZE_PX)
    figures.headline(figure, sweep.objective.text, f"best: {best_words(sweep)}")
    axes = figures.dark_panel(figure, _BOX, "")
    shape = tuple(len(each.values) for each in sweep.variations)
    numbers = [np.nan if row.objective is None else row.objective for row in sweep.rows]
    values = np.array(numbers, np.float64).reshape(shape)
    best = np.unravel_index(sweep.rows.index(sweep.best or sweep.rows[0]), shape)
    across = sweep.variations[-1]
    if len(shape) == 1:
        _line(axes, across, values, int(best[0]), sweep.objective.text)
    else:
        _image(axes, sweep.variations[0], values, best)
    x = _places(across)
    _label(axes, "x", across, x if len(shape) == 1 else np.arange(len(x), dtype=np.float64))
    return figures.save(figure, path)


def _line(
    axes: Axes, across: Variation, values: NDArray[np.float64], best: int, label: str
) -> None:
    x = _places(across)
    axes.plot(x, values, color=figures.COLOURS[1], marker="o", ms=3, lw=1.4)
    axes.plot(x[best], values[best], "o", ms=9, mfc="none", mec=figures.COLOURS[0], mew=2)
    axes.set_ylabel(label, color=figures.FAINT, parse_math=False)
    figures.grid(axes)


def _image(
    axes: Axes, down: Variation, values: NDArray[np.float64], best: Sequence[np.intp]
) -> None:
    image = axes.imshow(values, origin="lower", aspect="auto", cmap="viridis")
    axes.plot(best[1], best[0], "o", ms=9, mfc="none", mec=figures.COLOURS[0], mew=2)
    bar = axes.figure.colorbar(image, ax=axes)
    bar.ax.tick_params(colors=figures.FAINT)
    _label(axes, "y", down, np.arange(len(down.values), dtype=np.float64))


def _places(variation: Variation) -> NDArray[np.float64]:
    """Return the positions of values on an axis: numbers as they are, others by their index."""
    if _numeric(variation):
        return np.array(variation.values, np.float64)
    return np.arange(len(variation.values), dtype=np.float64)


def _label(axes: Axes, side: str, variation: Variation, places: NDArray[np.float64]) -> None:
    """Label an axis, and its values if their positions differ from them."""
    axis = axes.xaxis if side == "x" else axes.yaxis
    axis.set_label_text(variation.name, color=figures.FAINT, parse_math=False)
    numbers = np.array(variation.values) if _numeric(variation) else None
    if numbers is not None and np.array_equal(numbers, places):
        return
    shown = range(0, len(places), -(-len(places) // _MOST_TICKS))
    axis.set_ticks([float(places[n]) for n in shown], [_number(variation.values[n]) for n in shown])


def _numeric(variation: Variation) -> bool:
    return all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in variation.values
    )


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _settings(sweep: Sweep, row: Row) -> str:
    """Return a text with the keys and values of a variant."""
    pairs = zip(sweep.variations, row.values, strict=True)
    return ", ".join(f"{each.name} = {_number(value)}" for each, value in pairs)


def _content(sweep: Sweep, config: Path, trace: Path | None) -> dict[str, object]:
    best = sweep.best
    return {
        "version": __version__,
        "config": str(config),
        "trace": None if trace is None else str(trace),
        "objective": sweep.objective.text,
        "aim": "minimise" if sweep.objective.sign < 0 else "maximise",
        "vary": {each.name: list(each.values) for each in sweep.variations},
        "variants": len(sweep.rows),
        "not_done": len(sweep.failed),
        "best": None
        if best is None
        else {
            "values": {
                each.name: value for each, value in zip(sweep.variations, best.values, strict=True)
            },
            "objective": best.objective,
        },
    }
