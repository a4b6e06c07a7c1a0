# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A picture of all clouds of a run together, in world coordinates."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.preview import (
    BIRDS_EYE,
    SCENE,
    SIZE_PX,
    Box,
    bar_beside,
    fitted,
    grouped,
    height_colours,
    panel,
)
from lidar_gap.pictures.cloud_image import blank, paint, perspective, unit
from lidar_gap.pictures.figures import FAINT, INK, Figure, dark_figure, part_of, save
from lidar_gap.pictures.image_grid import ImagePoints, image_points
from osi_lidar.output.accumulation import Accumulated, accumulated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_gap.pictures.cloud_image import Image
    from lidar_gap.pictures.image_grid import Array

NAME = "accumulated.png"
BY_FRAME: Box = (70, 65, 1640, 410)
FRAME_COLOURS = part_of("turbo", 0.1, 0.95)  # early is blue, late is red


def accumulated_picture(
    run: str | Path,
    out_png: str | Path | None = None,
    *,
    sensors: Sequence[str] | None = None,
    frames: slice = slice(None),
    voxel_m: float | None = None,
) -> Path:
    """Draw all clouds of a run together: from above by height, from above by frame, in perspective.

    Parameters
    ----------
    run : str or Path
        The folder of the run.
    out_png : str or Path, optional
        The picture to write; default: ``accumulated.png`` in the folder.
    sensors : sequence of str, optional
        Names of the sensors; default: all.
    frames : slice
        Frame numbers, as in frames.csv.
    voxel_m : float, optional
        Edge of cubes; only the earliest point in each cube is drawn. [m]

    Returns
    -------
    Path
        The picture, 1800 x 1200 pixels.

    Raises
    ------
    InputError
        If the folder holds no clouds of these sensors and frames.
    OutputError
        If the picture cannot be written.
    """
    found = accumulated(run, sensors=sensors, frames=frames, voxel_m=voxel_m)
    cloud = image_points(Path(run).resolve().name, found.points)
    figure = dark_figure(SIZE_PX)
    _headline(figure, cloud, found)
    if len(cloud.points_m):
        _map(figure, BIRDS_EYE, "from above, coloured by height", cloud, found)
        _scene(figure, cloud, found)
        _map(figure, BY_FRAME, "from above, coloured by frame", cloud, found)
    else:
        figure.text(0.5, 0.5, "no points", color=FAINT, size=40, ha="center", va="center")
    return save(figure, Path(out_png) if out_png else Path(run) / NAME)


def _headline(figure: Figure, cloud: ImagePoints, found: Accumulated) -> None:
    n_clouds = sum(len(way) for way in found.ways_m.values())
    facts = f"{grouped(len(cloud.points_m))} points of {grouped(n_clouds)} clouds"
    facts += f"   {', '.join(found.ways_m)}"
    name = figure.text(0.039, 0.965, cloud.name, color=INK, size=20, weight="bold", va="center")
    name.set_parse_math(False)
    figure.text(0.989, 0.965, facts, color=FAINT, size=14, ha="right", va="center")


def _map(figure: Figure, box_px: Box, title: str, cloud: ImagePoints, found: Accumulated) -> None:
    """Draw the points and the paths of the sensors from above, along the axes of the world."""
    size_px = box_px[2:]
    xy = cloud.points_m[:, :2]
    corner, step = fitted(xy, size_px)
    if box_px is BY_FRAME:
        order = found.points["frame"].astype(np.float64)
        span = (float(order.min()), float(max(order.max(), order.min() + 1.0)))
        colour: Image = FRAME_COLOURS(unit(order, *span))[:, :3]
        bar_beside(figure, box_px, FRAME_COLOURS, span, "frame", order)
    else:
        order, colour = cloud.points_m[:, 2], height_colours(cloud)
    image = blank(size_px)
    dots = np.full(len(xy), 1 if len(xy) > 200_000 else 2)
    paint(image, (xy - corner) / step, colour, order=order, dots=dots)
    axes = panel(figure, box_px, title)
    far = corner + step * np.array(size_px)
    extent = (corner[0], far[0], corner[1], far[1])
    axes.imshow(image, origin="lower", extent=extent, interpolation="nearest")
    for way_m in found.ways_m.values():
        axes.plot(way_m[:, 0], way_m[:, 1], color="white", lw=1.2, alpha=0.9)
        axes.plot(*way_m[-1, :2], marker="o", ms=6, color="white", mec="black", mew=1.0)
    axes.set_xlim(extent[:2])
    axes.set_ylim(extent[2:])
    axes.ticklabel_format(useOffset=False, style="plain")
    axes.set_xlabel("x [m]", color=FAINT)
    axes.set_ylabel("y [m]", color=FAINT)


def _scene(figure: Figure, cloud: ImagePoints, found: Accumulated) -> None:
    """Draw the points in perspective, seen from behind the sensor of the first cloud."""
    axes = panel(figure, SCENE, "scene, seen from behind the first scan")
    levelled = replace(cloud, points_m=_levelled(cloud.points_m, found))
    axes.imshow(perspective(levelled, size_px=(SCENE[2], SCENE[3])), interpolation="nearest")
    axes.set_xticks([])
    axes.set_yticks([])


def _levelled(points_m: Array, found: Accumulated) -> Array:
    """Return points relative to the first pose, rotated only by its yaw [m]."""
    forward = found.start[:3, 0]
    yaw = math.atan2(forward[1], forward[0]) if math.hypot(*forward[:2]) > 0.0 else 0.0
    cosine, sine = math.cos(yaw), math.sin(yaw)
    rotation = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    levelled: Array = (points_m - found.start[:3, 3]) @ rotation
    return levelled
