# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A picture of a recording's rows: recorded and simulated values by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.calibrate.findings import Series
from lidar_gap.pictures.figures import (
    COLOURS,
    FAINT,
    INK,
    dark_figure,
    dark_panel,
    grid,
    headline,
    legend,
    save,
)
from lidar_gap.reality.measuring import ROWS

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_gap.pictures.figures import Axes
    from lidar_gap.reality.report import Scored

_WIDE_PX, _HIGH_PX, _MOST = 1400, 420, 3
_FIRST = (
    "temporal_sigma_by_reflectivity_m", "temporal_sigma_by_signal_m", "return_share_by_signal",
    "signal_by_range", "signal_scatter_by_signal", "strength_scatter_by_strength",
    "echo_separation_m",
    "elevation_deg", "points_on_people_free", "points_on_cyclists_free", "points_on_cars_free",
)  # fmt: skip


def draw(scored: Scored, path: Path) -> Path | None:
    """Draw recorded and simulated values by class, for up to three figures; return the path.

    Only figures of the list ``_FIRST`` that were compared are drawn. Return None, and write
    nothing, if none of them has values by class on both sides.

    Parameters
    ----------
    scored : Scored
        A recording, and its figures with recorded and simulated values.
    path : Path
        File to write; its name must end in ``.png``.

    Raises
    ------
    OutputError
        If the picture cannot be written.
    """
    rows = {each.name: each for each in scored.rows if not each.reason}
    sides = [(name, rows[name].real, rows[name].sim) for name in _FIRST if name in rows]
    chosen = [
        (name, real, sim)
        for name, real, sim in sides
        if isinstance(real, Series) and isinstance(sim, Series)
    ][:_MOST]
    if not chosen:
        return None
    figure = dark_figure((_WIDE_PX, _HIGH_PX))
    headline(figure, scored.recording.title, f"{scored.recording.sensor}, {scored.n_frame} frames")
    width = 0.94 / len(chosen)
    for number, (name, real, sim) in enumerate(chosen):
        box = (0.045 + number * width, 0.24, width - 0.05, 0.48)
        what, _, by = ROWS[name].what.partition(", by ")
        axes = dark_panel(figure, box, "")
        axes.set_title(what, color=INK, size=11, loc="left", pad=6)
        of = "by distance" if ROWS[name].limit is not None else "classes"
        axes.set_xlabel(f"{by} ({of})" if by else "", color=FAINT)
        _curves(axes, real, sim)
        axes.set_ylim(bottom=None if name == "elevation_deg" else 0.0)
    return save(figure, path)


def _curves(axes: Axes, real: Series, sim: Series) -> None:
    """Draw recorded and simulated values of a row over its classes, with intervals."""
    labels = [each for each in real.labels if each in sim.labels]
    place = np.arange(len(labels))
    for name, side, colour in (("recorded", real, COLOURS[0]), ("simulated", sim, COLOURS[1])):
        at = [side.labels.index(each) for each in labels]
        axes.plot(place, side.values[at], "o-", color=colour, ms=4, label=name)
        axes.fill_between(place, side.low[at], side.high[at], color=colour, alpha=0.25, lw=0)
    step = max(len(labels) // 8, 1)
    axes.set_xticks(place[::step], [short(each) for each in labels[::step]], rotation=30)
    grid(axes)
    legend(axes)


def short(label: str) -> str:
    """Return the label of a class of a series, shortened for the axis of a plot.

    A label of an object, such as "car 3 at 12.0 m", becomes the distance, "12.0 m".
    """
    return label.rpartition(" at ")[2].replace("1e+09", "").replace(" percentile", " %")
