# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Picture of a compared frame: both range images, their difference, and which side returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.compare.pictures import REAL, SIM
from lidar_gap.pictures.cloud_image import limits, painted
from lidar_gap.pictures.figures import (
    FAINT,
    INK,
    PANEL,
    RANGE_COLOURS,
    Axes,
    Figure,
    ListedColormap,
    MaxNLocator,
    MultipleLocator,
    Patch,
    colormaps,
    colour_bar,
    dark_figure,
    dark_panel,
    headline,
    save,
    to_rgb,
)
from lidar_gap.pictures.image_grid import AZIMUTH_LABEL
from lidar_gap.records import NO_POINT

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.compare.pair_measures import Measures
    from lidar_gap.records import Pair, RangeImage, ScanCloud

BOTH_COLOUR, LEFT_OUT = "#5c6773", "#30363d"
"""Colours of pixels that return on both sides, and of pixels that are not compared."""
DIFFERENCE_M = 0.25
"""Range differences of at least this size have the most intense colour [m]."""
_DIFFERENCES = colormaps["coolwarm"]
_SIZE_PX = (1800, 1000)
_STRIP = (0.045, 0.895, 0.165)  # left, width and height of an image, in shares of the figure
_BAR = (0.947, 0.009)  # left and width of the colour bar beside it
_FULL_TURN_DEG = 355.0  # images with fewer degrees of columns are not full turns


def frame_picture(
    pair: Pair,
    kept: NDArray[np.bool_],
    measures: Measures,
    path: Path,
    ring_number: NDArray[np.int32] | None = None,
) -> Path:
    """Draw four images of a frame below each other, and return ``path``.

    They show the real ranges, the simulated ranges, their difference, and which side returns. The
    compared images have one column per firing. For the picture of a full turn, each ring is shifted
    to the azimuth of its laser, so that vertical edges look vertical.

    Parameters
    ----------
    pair : Pair
        The real and the simulated cloud of the frame, with their range images.
    kept : bool (n_ring, n_column)
        Pixels that were compared; the other pixels are drawn in the colour `LEFT_OUT`.
    measures : Measures
        Measures of the frame, for the line below the title.
    path : Path
        The picture to write.
    ring_number : int32 (n_ring,), optional
        Numbers of the rings from the top, to label the rows; by default, rows are counted from 0.

    Raises
    ------
    OutputError
        If the picture cannot be written, or its name does not end in ``.png``.
    """
    figure = dark_figure(_SIZE_PX)
    headline(figure, _frame_title(pair), _facts(measures), bottom=0.45, share=0.55)
    pixels, extent = _places(pair)
    shown = np.take_along_axis(kept, pixels, axis=1)
    real_m, sim_m = (
        np.where(shown, np.take_along_axis(image.range_m, pixels, axis=1), np.nan)
        for image in (pair.real_image, pair.sim_image)
    )
    known_m = np.concatenate([real_m[~np.isnan(real_m)], sim_m[~np.isnan(sim_m)]])
    near_far = limits(known_m, 1, 98)
    far = (-DIFFERENCE_M, DIFFERENCE_M)
    strips = (
        ("range, real", real_m, RANGE_COLOURS, near_far),
        ("range, simulated", sim_m, RANGE_COLOURS, near_far),
        ("simulated minus real range, where both return", sim_m - real_m, _DIFFERENCES, far),
    )
    left, width = _BAR
    drawn: list[Axes] = []
    for number, (title, values, colours, ends) in enumerate(strips):
        image = painted(values, colours=colours, limits=ends)
        image[~shown] = to_rgb(LEFT_OUT)
        drawn.append(_strip(figure, number, title, image, extent))
        beside = dark_panel(figure, (left, _bottom(number), width, _STRIP[2]), "m")
        colour_bar(beside, colours, ends, values)
    returns = _returns_image(~np.isnan(real_m), ~np.isnan(sim_m))
    returns[~shown] = to_rgb(LEFT_OUT)
    last = _strip(figure, len(strips), "which side returns", returns, extent)
    last.set_xlabel(AZIMUTH_LABEL, color=FAINT)
    if ring_number is not None:
        for axes in (*drawn, last):
            axes.yaxis.set_major_formatter(lambda row, _: _number_at(row, ring_number))
    _legend_of_returns(last, with_left_out=not bool(kept.all()))
    return save(figure, path)


def _facts(measures: Measures) -> str:
    """Return the line below the title: how many pixels return, and how well they agree."""
    returns, median_mm = measures.returns, 1e3 * measures.errors.median_m
    return (
        f"{returns.n_real:_} real and {returns.n_sim:_} simulated pixels   "
        f"IoU {returns.iou:.3f}   median error {median_mm:.1f} mm"
    ).replace("_", " ")


def _frame_title(pair: Pair) -> str:
    """Return the title with the frame's name, or with both clouds' names if they differ."""
    if pair.sim.name == pair.real.name:
        return f"{pair.real.name}: simulated and real"
    return f"simulated {pair.sim.name} and real {pair.real.name}"


def _places(pair: Pair) -> tuple[NDArray[np.int64], tuple[float, float]]:
    """Return the image column to draw at each pixel of the picture, and the border azimuths.

    Returns
    -------
    int64 (n_ring, n_column)
        Columns of the image from left to right, ring by ring.
    tuple of float
        Azimuths of the left and the right border. [deg]
    """
    azimuth_deg = _turned_deg(pair.real_image.azimuth_deg)
    order = np.argsort(-azimuth_deg, kind="stable")
    sorted_deg = azimuth_deg[order]
    step_deg = float(np.median(-np.diff(sorted_deg))) if len(order) > 1 else 1.0
    n_ring, n_column = pair.real_image.point.shape
    place = np.tile(np.arange(n_column), (n_ring, 1))
    if n_column * step_deg > _FULL_TURN_DEG:
        shift = np.rint(_offset_deg(pair.real, pair.real_image) / step_deg).astype(np.int64)
        place = (place + shift[:, np.newaxis]) % n_column
    borders_deg = float(sorted_deg[0]) + step_deg / 2, float(sorted_deg[-1]) - step_deg / 2
    return order[place], borders_deg


def _offset_deg(cloud: ScanCloud, image: RangeImage) -> NDArray[np.float64]:
    """Return each ring's median azimuth offset from its columns' headings, (n_ring,) [deg]."""
    found = np.zeros(len(image.point))
    for ring, point in enumerate(image.point):
        column = np.flatnonzero(point != NO_POINT)
        x_m, y_m, _ = cloud.points_m[point[column]].T
        off_deg = _turned_deg(np.degrees(np.arctan2(y_m, x_m)) - image.azimuth_deg[column])
        found[ring] = np.median(off_deg) if len(column) else 0.0
    return found


def _turned_deg(angle_deg: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return angles from -180 to 180 deg."""
    return np.asarray((angle_deg + 180.0) % 360.0 - 180.0)


def _strip(
    figure: Figure,
    number: int,
    title: str,
    image: NDArray[np.float64],
    across: tuple[float, float],
) -> Axes:
    """Draw an image, stretched over the width of the figure."""
    left, width, height = _STRIP
    axes = dark_panel(figure, (left, _bottom(number), width, height), title)
    n_ring = len(image)
    axes.imshow(image, aspect="auto", interpolation="nearest", extent=(*across, n_ring - 0.5, -0.5))
    axes.set_ylabel("ring", color=FAINT)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    if across[0] - across[1] > _FULL_TURN_DEG:
        axes.set_xlim(180.0, -180.0)
    if across[0] - across[1] > 180.0:
        axes.xaxis.set_major_locator(MultipleLocator(45))
    return axes


def _number_at(row: float, ring_number: NDArray[np.int32]) -> str:
    """Return the ring number at a position of the row axis; empty outside the rings."""
    place = round(row)
    return str(ring_number[place]) if 0 <= place < len(ring_number) else ""


def _bottom(number: int) -> float:
    """Return the lower border of image `number`, counted from the top, as a share of the figure."""
    return 0.72 - 0.222 * number


def _legend_of_returns(axes: Axes, *, with_left_out: bool) -> None:
    """Draw a legend above the image: which colour stands for a return on which side."""
    names = {"both": BOTH_COLOUR, "simulated only": SIM, "real only": REAL, "neither": PANEL}
    if with_left_out:
        names["not compared"] = LEFT_OUT
    patches = [
        Patch(facecolor=colour, edgecolor=FAINT, lw=0.6, label=name)
        for name, colour in names.items()
    ]
    axes.legend(
        handles=patches,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=len(patches),
        frameon=False,
        labelcolor=INK,
        fontsize=11,
        borderaxespad=0.2,
        handlelength=1.2,
    )


def _returns_image(real: NDArray[np.bool_], sim: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return a colour for each pixel: neither returns, real only, simulated only, both."""
    colours = ListedColormap([PANEL, REAL, SIM, BOTH_COLOUR])
    return np.asarray(colours(real + 2 * sim.astype(np.int64))[..., :3])
