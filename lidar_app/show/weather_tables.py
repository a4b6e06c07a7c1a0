# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the ranges of a sensor in weather."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lidar_app.show.weather_report import PLATES_M, PLATES_PERCENT
from lidar_base.tables import facts, table
from osi_lidar.scan.from_config import footprint_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lidar_app.show.weather_report import WeatherReport
    from lidar_base.tables import Table

BINS_M = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 1000.0)
"""Edges of the range intervals in which points from drops are counted. [m]"""


def weather_tables(seen: WeatherReport) -> list[Table]:
    """Return two or three tables that show how a sensor detects targets in weather.

    `seen` has sensor, weather and results. The first table has the weather and its effects, the
    second the detection range for each reflectivity. The third has the points that drops make in
    each range interval; it is absent if there are none.
    """
    tables = [_facts(seen), _ranges(seen)]
    points = seen.points_per_beam(BINS_M)
    if points.any():
        tables.append(_points(points))
    return tables


def weather_dict(seen: WeatherReport) -> dict[str, object]:
    """Return how a sensor detects targets in weather, as numbers for JSON.

    `seen` has sensor, weather and results. Ranges are in m, and an unlimited visibility is None.
    """
    visibility_m = seen.weather.visibility_m
    return {
        "sensor": seen.sensor.name,
        "rain_mm_h": seen.weather.rain_mm_h,
        "snow_mm_h": seen.weather.snow_mm_h,
        "visibility_m": visibility_m if math.isfinite(visibility_m) else None,
        "window_transmission": seen.transmission,
        "extinction_per_m": seen.air.extinction,
        **{f"{name}_echo": echo._asdict() for name, echo in seen.echoes.items()},
        "range_m": [
            {"percent": row.percent, "clear": row.clear_m, "weather": row.weather_m}
            for row in seen.rows
        ],
        "points_per_sky_beam": {
            "edges_m": list(BINS_M),
            "points": seen.points_per_beam(BINS_M).tolist(),
        },
    }


def half_table(sensor: str, halves: NDArray[np.float64]) -> Table:
    """Return a table of the visibility in fog at which half of the beams report a plate.

    Parameters
    ----------
    sensor : str
        Name of the sensor, for the title.
    halves : float64 (3, 3)
        Visibilities, as `half_visibilities` returns them: a row for each reflectivity in
        `PLATES_PERCENT`, a column for each distance in `PLATES_M`. [m]
    """
    header = ("plate", *(f"at {range_m:g} m" for range_m in PLATES_M))
    rows = [
        (f"{percent:g} %", *(f"{each:.1f}" for each in row))
        for percent, row in zip(PLATES_PERCENT, halves, strict=True)
    ]
    return table(
        f"{sensor}: visibility [m] at which half of the beams report a plate", header, rows
    )


def _facts(seen: WeatherReport) -> Table:
    weather, rows = seen.weather, {}
    if weather.rain_mm_h:
        rows["rain"] = f"{weather.rain_mm_h:g} mm/h"
    if weather.snow_mm_h:
        rows["snow"] = f"{weather.snow_mm_h:g} mm/h of water"
    if math.isfinite(weather.visibility_m):
        rows["visibility"] = f"{weather.visibility_m:g} m"
    if seen.transmission < 1.0:
        rows["window"] = f"{100.0 * seen.transmission:.3g} % of the light passes one way"
    if seen.air.drops is not None and footprint_of(seen.sensor) is None:
        rows["drops"] = "none are seen: the beams are lines, the sensor has no `beam`"
    rows["extinction"] = f"{seen.air.extinction:.3g} 1/m"
    for name, echo in seen.echoes.items():
        if echo.snr:
            rows[f"echo of the {name}"] = (
                f"at {echo.range_m:.2f} m, {echo.snr / seen.scale.threshold:.2g} times the "
                f"threshold, reported by {100.0 * echo.probability:.3g} % of the beams into the sky"
            )
    return facts(seen.sensor.name, rows)


def _ranges(seen: WeatherReport) -> Table:
    header = ("reflectivity", "in clear air", "in this weather")
    rows = [
        (f"{row.percent:g} %", f"{row.clear_m:.1f}", f"{row.weather_m:.1f}") for row in seen.rows
    ]
    return table("Range at which half of the beams report a target [m]", header, rows)


def _points(points: NDArray[np.float64]) -> Table:
    rows = [
        (f"{low:g} to {high:g} m" if high < BINS_M[-1] else f"from {low:g} m", f"{each:.3g}")
        for low, high, each in zip(BINS_M[:-1], BINS_M[1:], points, strict=True)
        if each > 0.0
    ]
    rows.append(("all", f"{points.sum():.3g}"))
    return table("Points that drops make, per beam into the sky", ("range", "points"), rows)
