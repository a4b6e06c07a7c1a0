# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A picture of a coverage survey from above: blind zones, and ranges of road users."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.pictures.figures import (
    COLOURS,
    EDGE,
    FAINT,
    INK,
    PANEL,
    Axes,
    Figure,
    ListedColormap,
    Patch,
    colormaps,
    dark_figure,
    dark_panel,
    dark_polar,
    grid,
    headline,
    save,
)
from osi_lidar.errors import InputError
from osi_lidar.world.fallbacks import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_app.coverage.blind_zones import PlaneCoverage
    from lidar_app.coverage.outline import VehicleOutline
    from lidar_app.coverage.survey import Survey
    from lidar_app.coverage.targets import RoadUserCoverage

PANEL_PX, TOP_PX = 560, 110
"""Side of a panel, and height of the headline. [px]"""
HEADLINE_PX = 617
"""Height of the strip at the top of a figure that `headline` gets, to place the title. [px]"""
MOST_PLANES = 4
BLIND_COLOUR = "#8c2f39"
POINT_CLASSES = (1, 2, 5, 10, 50)
"""Least number of points in a cell for each colour, in a survey of a single sensor."""
VEHICLE_COLOUR, PALE_COLOUR = "#c9d1d9", "#4b5f2a"


def coverage_picture(survey: Survey, path: Path) -> Path:
    """Draw a coverage survey: each plane from above, and ranges of road users; return ``path``.

    The front of the vehicle points up. With one sensor, the colour of a plane's cell shows the
    number of points in it; with several, the number of sensors with points in it.

    Raises
    ------
    InputError
        If there are more than `MOST_PLANES` planes.
    OutputError
        If the picture cannot be written.
    """
    n_planes = len(survey.planes)
    if n_planes > MOST_PLANES:
        raise InputError(
            f"--plot: got {n_planes} heights (--height), expected at most {MOST_PLANES}"
        )
    users = survey.settings.road_users
    size_px = (
        PANEL_PX * max(n_planes, len(users)),
        TOP_PX + PANEL_PX + (PANEL_PX if users else 0),
    )
    figure = dark_figure(size_px)
    _title(figure, survey, size_px[1])
    colours, labels = _scale(survey)
    above_px = size_px[1] - TOP_PX - PANEL_PX
    for number, plane in enumerate(survey.planes):
        corner_px = number * PANEL_PX + 60, above_px + 45
        box = _box(size_px, corner_px, PANEL_PX - 80)
        axes = dark_panel(figure, box, _plane_title(survey, plane))
        _draw_plane(axes, survey, plane, colours)
        if not number:
            _legend(axes, colours, labels)
    for number, name in enumerate(users):
        box = _box(size_px, (number * PANEL_PX + 85, 60), PANEL_PX - 170)
        _draw_road_user(figure, box, survey, name)
    return save(figure, path)


def _box(
    size_px: tuple[int, int], corner_px: tuple[int, int], side_px: int
) -> tuple[float, float, float, float]:
    """Return a square as fractions of the figure: left, bottom, width and height."""
    (width, height), (left, bottom) = size_px, corner_px
    return left / width, bottom / height, side_px / width, side_px / height


def _title(figure: Figure, survey: Survey, height_px: int) -> None:
    names = ", ".join(each.sensor for each in survey.sensors)
    title = f"Seen by {printable(names, limit=60)}"
    facts = f"vehicle: {survey.vehicle.words}; cells of {survey.settings.cell_m:g} m"
    if survey.settings.road_users:
        facts += (
            f"; road users are seen with {survey.settings.n_points} points or more, dark: with gaps"
        )
    share = HEADLINE_PX / height_px
    headline(figure, title, printable(facts, limit=200), bottom=1.0 - share, share=share)


def _scale(survey: Survey) -> tuple[ListedColormap, list[str]]:
    """Return the colours of cells, blind cells first, and a label for each colour."""
    n_sensors = len(survey.sensors)
    if n_sensors == 1:
        ends = [f"{high - 1}" for high in POINT_CLASSES[1:]]
        spans = zip(POINT_CLASSES, [*ends, ""], strict=True)
        seen = [_span(str(low), high) for low, high in spans]
    else:
        seen = [f"{n} sensor{'s' if n > 1 else ''}" for n in range(1, n_sensors + 1)]
    shades = colormaps["viridis"](np.linspace(0.35, 0.95, len(seen)))
    return ListedColormap([BLIND_COLOUR, *map(tuple, shades)]), ["blind", *seen]


def _span(low: str, high: str) -> str:
    if not high:
        return f"{low} points or more, dark: with gaps"
    return f"{low} point{'s' if low != '1' else ''}" if low == high else f"{low} to {high} points"


def _classes(plane: PlaneCoverage) -> NDArray[np.int64]:
    """Return the colour index of each cell, int64 (n_x, n_y)."""
    if len(plane.points) == 1:
        classes = np.digitize(plane.points[0], POINT_CLASSES)
    else:
        classes = np.count_nonzero(plane.points, axis=0)
    return np.asarray(classes, np.int64)


def _plane_title(survey: Survey, plane: PlaneCoverage) -> str:
    where = f"{plane.height_m:g} m above the ground" if plane.height_m else "on the ground"
    within_m = survey.settings.within_m[min(1, len(survey.settings.within_m) - 1)]
    area_m2 = survey.grid.area_m2(plane.is_blind() & survey.grid.beside(within_m))
    return f"{where}: {area_m2:.0f} m² blind within {within_m:g} m"


def _draw_plane(axes: Axes, survey: Survey, plane: PlaneCoverage, colours: ListedColormap) -> None:
    """Draw cells, the vehicle and lines of equal distance; x points up, y to the left."""
    low_x, high_x, low_y, high_y = survey.grid.edges_m
    cells = _classes(plane)[:, ::-1]
    axes.imshow(
        cells,
        origin="lower",
        extent=(-high_y, -low_y, low_x, high_x),
        cmap=colours,
        vmin=-0.5,
        vmax=colours.N - 0.5,
        interpolation="nearest",
    )
    outline = survey.vehicle.outline
    for within_m in survey.settings.within_m:
        x_m, y_m = _around(outline, within_m)
        axes.plot(-y_m, x_m, color="white", lw=0.8, ls=":")
        axes.text(
            -outline.middle_m[1],
            outline.high_m[0] + within_m,
            f"{within_m:g} m",
            color="white",
            size=9,
            ha="center",
            va="top",
        )
    _draw_vehicle(axes, outline, survey)
    axes.set_xlim(-high_y, -low_y)
    axes.set_ylim(low_x, high_x)
    axes.xaxis.set_major_formatter(
        lambda value, _: f"{0.0 - value:g}".replace("-", "\N{MINUS SIGN}")
    )
    axes.set_xlabel("y, to the left [m]", color=FAINT)
    axes.set_ylabel("x, forward [m]", color=FAINT)


def _around(
    outline: VehicleOutline, away_m: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return x and y of a closed line at a distance around a rectangle [m]."""
    corners = (
        (outline.high_m[0], outline.high_m[1], 0.0),
        (outline.low_m[0], outline.high_m[1], 0.5 * math.pi),
        (outline.low_m[0], outline.low_m[1], math.pi),
        (outline.high_m[0], outline.low_m[1], 1.5 * math.pi),
    )
    turn = np.linspace(0.0, 0.5 * math.pi, 30)
    x_m = [x + away_m * np.cos(begin + turn) for x, _, begin in corners]
    y_m = [y + away_m * np.sin(begin + turn) for _, y, begin in corners]
    x_m.append(x_m[0][:1])
    y_m.append(y_m[0][:1])
    return np.concatenate(x_m), np.concatenate(y_m)


def _draw_vehicle(axes: Axes, outline: VehicleOutline, survey: Survey) -> None:
    """Draw the vehicle with an arrow that points forward, and the sensors."""
    (low_x, low_y), (high_x, high_y) = outline.low_m, outline.high_m
    middle_x, middle_y = outline.middle_m
    if high_x > low_x:
        axes.fill(
            [-low_y, -high_y, -high_y, -low_y],
            [low_x, low_x, high_x, high_x],
            color=VEHICLE_COLOUR,
            ec=PANEL,
            lw=1.2,
        )
        tip, wide = 0.4 * (high_x - low_x), 0.25 * (high_y - low_y)
        axes.fill(
            [-middle_y - wide, -middle_y, -middle_y + wide],
            [middle_x + 0.5 * tip, middle_x + tip, middle_x + 0.5 * tip],
            color=PANEL,
        )
    for number, beams in enumerate(survey.sensors):
        x_m, y_m, _ = beams.position_m
        colour = COLOURS[number % len(COLOURS)]
        label = printable(beams.sensor, limit=20)
        axes.plot(-y_m, x_m, "o", ms=6, color=colour, mec=PANEL, label=label)


def _legend(axes: Axes, colours: ListedColormap, labels: Sequence[str]) -> None:
    """Add a legend of colours and sensors."""
    patches = [Patch(color=colours(n), label=label) for n, label in enumerate(labels)]
    sensors, _ = axes.get_legend_handles_labels()
    shown = axes.legend(
        handles=[*patches, *sensors],
        loc="upper left",
        facecolor=PANEL,
        edgecolor=EDGE,
        labelcolor=INK,
        fontsize=8,
        framealpha=0.9,
    )
    for text in shown.get_texts():
        text.set_parse_math(False)


def _draw_road_user(
    figure: Figure, box: tuple[float, float, float, float], survey: Survey, name: str
) -> None:
    """Draw the distances at which a road user is seen, by direction; forward points up."""
    seen = survey.coverage_of(name)
    axes = dark_polar(figure, box)
    near_m, far_m, unbroken_m = (np.nan_to_num(each) for each in _limits(seen))
    width = 0.94 * 2.0 * math.pi / len(seen)
    bearings = [each.bearing_rad for each in seen]
    axes.bar(bearings, unbroken_m - near_m, bottom=near_m, width=width, color=COLOURS[2])
    axes.bar(bearings, far_m - unbroken_m, bottom=unbroken_m, width=width, color=PALE_COLOUR)
    top_m = max(1.0, float(far_m.max()))
    for bearing, near, far in zip(bearings, near_m, unbroken_m, strict=True):
        words = f"{near:.1f} to {far:.0f}" if far > 0.0 else "never"
        if not bearing:
            words = f"front: {words}"
        axes.text(bearing, 1.2 * top_m, words, color=INK, size=9, ha="center", va="center")
    axes.set_ylim(0.0, top_m)
    grid(axes)
    size = seen[0].user.words
    axes.set_title(f"{name} ({size}): seen from .. to .. m", color=INK, size=13, pad=42)


def _limits(seen: Sequence[RoadUserCoverage]) -> Iterator[NDArray[np.float64]]:
    """Yield nearest_m, farthest_m and unbroken_m of all sensors together, by direction."""
    for name in ("nearest_m", "farthest_m", "unbroken_m"):
        yield np.array([getattr(each, name)[-1] for each in seen])
