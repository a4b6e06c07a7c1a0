# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A picture of a sensor in weather: range by reflectivity, points from drops by range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.weather_report import WeatherReport
from lidar_gap.pictures.figures import (
    COLOURS,
    FAINT,
    dark_figure,
    dark_panel,
    grid,
    headline,
    legend,
    logarithmic,
    save,
)
from lidar_scenery.weather.state import CLEAR
from osi_lidar.world.fallbacks import printable

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_gap.pictures.figures import Axes

SIZE_PX = (1500, 560)
PERCENT = np.geomspace(1.0, 100.0, 40)
MARKS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
EDGES_M = np.linspace(0.0, 15.0, 61)


def weather_picture(seen: WeatherReport, path: Path) -> Path:
    """Draw a sensor's detection range in weather, and the points that drops cause; return ``path``.

    The left panel shows the range at which half of the beams report a target, over its
    reflectivity, in the weather and in clear air. The right panel shows the number of points per
    beam and metre from drops or flakes in the air, over range, for beams into the sky.

    Parameters
    ----------
    seen : WeatherReport
        The sensor in the weather.
    path : Path
        The picture (PNG) to write.

    Raises
    ------
    OutputError
        If the picture cannot be written.
    """
    figure, weather = dark_figure(SIZE_PX), seen.weather
    words = [f"rain {weather.rain_mm_h:g} mm/h", f"snow {weather.snow_mm_h:g} mm/h"]
    words.append(f"visibility {weather.visibility_m:g} m")
    if seen.transmission < 1.0:
        words.append(f"window {100.0 * seen.transmission:.3g} %")
    headline(figure, printable(seen.sensor.name, limit=60), ", ".join(words))
    ranges = dark_panel(figure, (0.045, 0.13, 0.55, 0.66), "range that half of the beams report")
    _draw_ranges(ranges, seen)
    points = dark_panel(figure, (0.65, 0.13, 0.33, 0.66), "points that drops make in the sky")
    _draw_points(points, seen)
    return save(figure, path)


def _draw_ranges(axes: Axes, seen: WeatherReport) -> None:
    grid(axes)
    logarithmic(axes, MARKS)
    for each, name, colour in (
        (WeatherReport(seen.sensor, CLEAR, signals=seen.signals), "clear air", COLOURS[1]),
        (seen, "this weather", COLOURS[0]),
    ):
        far_m = [each.half_range_m(percent / 100.0) for percent in PERCENT]
        axes.plot(PERCENT, far_m, color=colour, label=name)
    axes.set_xlabel("reflectivity [%]", color=FAINT)
    axes.set_ylabel("range [m]", color=FAINT)
    axes.set_ylim(bottom=0.0)
    legend(axes)


def _draw_points(axes: Axes, seen: WeatherReport) -> None:
    grid(axes)
    step_m = EDGES_M[1] - EDGES_M[0]
    density = seen.points_per_beam(EDGES_M.tolist()) / step_m
    axes.stairs(density, EDGES_M, color=COLOURS[0], fill=True, alpha=0.7)
    axes.set_xlabel("range [m]", color=FAINT)
    axes.set_ylabel("points per beam and metre", color=FAINT)
