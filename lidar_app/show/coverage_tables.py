# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables, JSON and CSV of a survey of sensors on a vehicle."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

from lidar_app.coverage.blind_zones import ALL
from lidar_base.files.whole_files import replacing
from lidar_base.tables import Table, facts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lidar_app.coverage.blind_zones import PlaneCoverage
    from lidar_app.coverage.survey import Survey
    from lidar_app.coverage.targets import RoadUserCoverage

NEVER = "-"
"""Text for a direction in which nothing is seen."""


def coverage_tables(survey: Survey) -> list[Table]:
    """Return three tables of a survey: assumptions, blind zones, and results by direction."""
    noted = dict(note.split(": ", 1) for note in survey.notes)
    return [facts("Coverage", noted), _blind_table(survey), _direction_table(survey)]


def coverage_dict(survey: Survey) -> dict[str, object]:
    """Return settings and results of a survey as plain values for JSON."""
    vehicle, settings = survey.vehicle, survey.settings
    return {
        "vehicle": {
            "dimension_m": vehicle.dimension_m,
            "rear_axle_from_center_m": vehicle.rear_axle_from_center_m,
            "ground_m": vehicle.ground_m,
            "source": vehicle.source,
            "body": survey.body,
        },
        "sensors": [
            {
                "name": each.sensor,
                "position_m": each.position_m.tolist(),
                "hidden_share": each.hidden_share,
            }
            for each in survey.sensors
        ],
        "cell_m": settings.cell_m,
        "extent_m": settings.extent_m,
        "within_m": settings.within_m,
        "directions_deg": settings.directions_deg,
        "enough_points": settings.n_points,
        "planes": [_plane_dict(survey, plane) for plane in survey.planes],
        "road_users": [_road_user_dict(survey, name) for name in settings.road_users],
    }


def write_cells(survey: Survey, path: Path) -> Path:
    """Write a CSV table with the position and points of each cell of each plane; return ``path``.

    A survey counts the points of each sensor in the square cells of horizontal planes around a
    vehicle. A row of the table is one cell: height of the plane, x and y of the cell's centre,
    distance of the centre from the vehicle's outline [m], then the number of points of each sensor.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    names = [each.sensor for each in survey.sensors]
    heading = ["height_m", "x_m", "y_m", "distance_m", *(f"points_{name}" for name in names)]
    with (
        replacing(path) as temporary,
        temporary.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heading)
        writer.writerows(_cell_rows(survey))
    return path


def _cell_rows(survey: Survey) -> Iterator[list[object]]:
    grid = survey.grid
    n_x, n_y = grid.shape
    distance_m = grid.distance_m
    for plane in survey.planes:
        for column in range(n_x):
            x_m = (grid.first[0] + column + 0.5) * grid.cell_m
            for row in range(n_y):
                y_m = (grid.first[1] + row + 0.5) * grid.cell_m
                points = plane.points[:, column, row].tolist()
                away_m = distance_m[column, row]
                place = [f"{each:.6g}" for each in (plane.height_m, x_m, y_m, away_m)]
                yield [*place, *points]


def _rows_of(survey: Survey) -> list[tuple[str, int | None]]:
    """Return sensor names with their index, and a last entry with None for all together."""
    rows: list[tuple[str, int | None]] = [
        (each.sensor, number) for number, each in enumerate(survey.sensors)
    ]
    return [*rows, (ALL, None)] if len(rows) > 1 else rows


def _blind_table(survey: Survey) -> Table:
    grid, within_m = survey.grid, survey.settings.within_m
    parts = []
    for plane in survey.planes:
        rows = []
        for name, row in _rows_of(survey):
            blind = plane.is_blind(row)
            cells = [name]
            for each_m in within_m:
                beside = grid.beside(each_m)
                whole_m2 = grid.area_m2(beside)
                area_m2 = grid.area_m2(blind & beside)
                cells.append(f"{area_m2:.1f} ({100.0 * area_m2 / max(whole_m2, 1e-9):.0f} %)")
            rows.append(tuple(cells))
        parts.append((_plane_words(plane), tuple(rows)))
    return Table(
        title=f"Blind zones: area without a point, in cells of {grid.cell_m:g} m [m2]",
        headings=("sensor", *(f"within {each_m:g} m" for each_m in within_m)),
        parts=tuple(parts),
    )


def _direction_table(survey: Survey) -> Table:
    """Return nearest points and ranges of road users by direction, one part per sensor."""
    settings = survey.settings
    parts = []
    for name, row in _rows_of(survey):
        column = -1 if row is None else row
        rows = []
        for number, direction in enumerate(settings.direction_names):
            nearest = [_metres(float(each.nearest_m[column, number])) for each in survey.planes]
            spans = [
                _span(survey.coverage_of(each)[number], column) for each in settings.road_users
            ]
            rows.append((direction, *nearest, *spans))
        parts.append((name, tuple(rows)))
    title = "By direction, degrees to the left: nearest point beside the vehicle"
    if settings.road_users:
        title += (
            f"; distances at which road users have {settings.n_points} points or more, *: with gaps"
        )
    heights = (f"{each.height_m:g} m" if each.height_m else "ground" for each in survey.planes)
    headings = ("towards", *heights, *settings.road_users)
    return Table(
        title=f"{title} [m]",
        headings=headings,
        parts=tuple(parts),
        right=range(1, len(headings)),
        n_whole=len(headings),
    )


def _span(seen: RoadUserCoverage, column: int) -> str:
    """Return the distances at which a road user is seen, as text."""
    near_m, far_m = float(seen.nearest_m[column]), float(seen.farthest_m[column])
    if not math.isfinite(near_m):
        return NEVER
    gaps = "*" if seen.unbroken_m[column] < far_m else ""
    return f"{_metres(near_m)} to {_metres(far_m)}{gaps}"


def _metres(distance_m: float) -> str:
    if not math.isfinite(distance_m):
        return NEVER
    return f"{distance_m:.1f}" if distance_m < 10.0 else f"{distance_m:.0f}"


def _plane_words(plane: PlaneCoverage) -> str:
    return f"{plane.height_m:g} m above the ground" if plane.height_m else "on the ground"


def _plane_dict(survey: Survey, plane: PlaneCoverage) -> dict[str, object]:
    grid, within_m = survey.grid, survey.settings.within_m
    beside = [grid.beside(each_m) for each_m in within_m]
    return {
        "height_m": plane.height_m,
        "area_m2": [grid.area_m2(each) for each in beside],
        "seen_by": [
            {
                "sensor": name,
                "blind_m2": [grid.area_m2(plane.is_blind(row) & each) for each in beside],
                "nearest_m": [
                    _number(each) for each in plane.nearest_m[-1 if row is None else row]
                ],
            }
            for name, row in _rows_of(survey)
        ],
    }


def _road_user_dict(survey: Survey, user: str) -> dict[str, object]:
    seen = survey.coverage_of(user)
    return {
        "name": user,
        "dimension_m": seen[0].user.dimension_m,
        "seen_by": [
            {
                "sensor": name,
                "nearest_m": [_number(each.nearest_m[column]) for each in seen],
                "farthest_m": [_number(each.farthest_m[column]) for each in seen],
                "unbroken_to_m": [_number(each.unbroken_m[column]) for each in seen],
            }
            for name, column in ((n, -1 if row is None else row) for n, row in _rows_of(survey))
        ],
    }


def _number(value: float) -> float | None:
    """Return a number for JSON, None if it is not finite (nothing is seen)."""
    return float(value) if math.isfinite(value) else None
