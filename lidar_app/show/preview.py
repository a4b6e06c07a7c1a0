# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of one point cloud: a preview with four panels, and a view of the scene.

numpy turns the points into pixels, and matplotlib only adds axes and labels: 100 000 points take a
second or two. Clouds of osi-lidar fill all panels; other PCD files need only x, y and z. If a cloud
has the columns echo or origin, the bird's-eye view marks later echoes, ghosts and false alarms.
"""

from pathlib import Path

import numpy as np

from lidar_gap.pictures.cloud_image import (
    MARKS,
    RETRO_COLOUR,
    RETRO_PERCENT,
    Image,
    blank,
    limits,
    marks_of,
    paint,
    painted,
    perspective,
    unit,
)
from lidar_gap.pictures.figures import (
    FAINT,
    INK,
    PANEL,
    RANGE_COLOURS,
    Axes,
    Colorbar,
    Colormap,
    Figure,
    MultipleLocator,
    colormaps,
    colour_bar,
    dark_figure,
    dark_panel,
    part_of,
    save,
    to_rgb,
)
from lidar_gap.pictures.image_grid import Array, Grid, ImagePoints, Indices, range_grid, read_cloud
from osi_lidar.errors import OutputError

Box = tuple[int, int, int, int]  # left, bottom, width, height [px]

SIZE_PX = (1800, 1200)
BIRDS_EYE: Box = (70, 545, 850, 545)
SCENE: Box = (960, 545, 820, 545)
UPPER: Box = (70, 305, 1640, 170)
LOWER: Box = (70, 65, 1640, 170)
BOTH: Box = (70, 65, 1640, 410)


REFLECTIVITY_COLOURS = part_of("inferno", 0.12, 1.0)


def preview(cloud_path: str | Path, out_png: str | Path | None = None) -> Path:
    """Draw a cloud in four panels: from above, in perspective, and range and reflectivity images.

    Parameters
    ----------
    cloud_path : str or Path
        PCD file with at least the fields x, y, z.
    out_png : str or Path, optional
        The picture to write; default: beside the cloud, with the suffix ``.png``.

    Returns
    -------
    Path
        The picture, 1800 x 1200 pixels; for an empty cloud it says "no points".

    Raises
    ------
    InputError
        If the file is absent, not a PCD file, or has no x, y, z.
    OutputError
        If the picture cannot be written.
    """
    picture = Path(out_png) if out_png else Path(cloud_path).with_suffix(".png")
    if picture.resolve() == Path(cloud_path).resolve():
        raise OutputError(f"{picture}: the picture would overwrite the cloud")
    cloud = read_cloud(Path(cloud_path))
    figure = dark_figure(SIZE_PX)
    _headline(figure, cloud)
    if len(cloud.points_m):
        _birds_eye(figure, cloud)
        _scene_panel(figure, cloud)
        _image_strips(figure, cloud)
    else:
        figure.text(0.5, 0.5, "no points", color=FAINT, size=40, ha="center", va="center")
    return save(figure, picture)


def scene_picture(
    cloud_path: str | Path,
    out_png: str | Path | None = None,
    *,
    size_px: tuple[int, int] = (1600, 720),
    eye_m: tuple[float, float, float] | None = None,
    target_m: tuple[float, float, float] | None = None,
) -> Path:
    """Draw a perspective view of a cloud, from above and behind the sensor.

    Parameters
    ----------
    cloud_path : str or Path
        PCD file with at least the fields x, y, z.
    out_png : str or Path, optional
        The picture to write; default: beside the cloud, named ``<cloud>_scene.png``.
    size_px : tuple of int
        Width and height of the picture. [px]
    eye_m, target_m : tuple of float, optional
        Position of the camera and the point it looks at, in the sensor frame. [m]

    Returns
    -------
    Path
        The picture.

    Raises
    ------
    InputError
        If the file is absent, not a PCD file, or has no x, y, z.
    OutputError
        If the picture cannot be written.
    """
    path = Path(cloud_path)
    cloud = read_cloud(path)
    figure = dark_figure(size_px, background=PANEL)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.imshow(perspective(cloud, size_px=size_px, eye_m=eye_m, target_m=target_m), aspect="auto")
    return save(figure, Path(out_png) if out_png else path.with_name(f"{path.stem}_scene.png"))


def _headline(figure: Figure, cloud: ImagePoints) -> None:
    figure.text(
        0.039, 0.965, cloud.name, color=INK, size=20, weight="bold", va="center", parse_math=False
    )
    facts = f"{grouped(len(cloud.points_m))} points"
    n_later = 0 if cloud.echo is None else int(np.count_nonzero(cloud.echo))
    if n_later:
        facts += f", {grouped(n_later)} beyond the first echo"
    if len(cloud.points_m):
        distance = cloud.range_m
        facts += f"   range {distance.min():.1f} to {distance.max():.1f} m"
        low, high = cloud.points_m[:, 2].min(), cloud.points_m[:, 2].max()
        facts += f"   height {low:+.1f} to {high:+.1f} m above the sensor"
    figure.text(0.989, 0.965, facts, color=FAINT, size=14, ha="right", va="center")


def grouped(count: int) -> str:
    """Return a number as text with spaces between thousands; `count` is an integer."""
    return f"{count:,}".replace(",", " ")


def panel(figure: Figure, box_px: Box, title: str) -> Axes:
    """Add dark axes to a figure, and return them.

    Parameters
    ----------
    figure : Figure
        A figure of size `SIZE_PX`.
    box_px : (int, int, int, int)
        Place of the axes: left, bottom, width and height. [px]
    title : str
        Title above the axes.
    """
    left, bottom, width, height = box_px
    across, up = SIZE_PX
    box = (left / across, bottom / up, width / across, height / up)
    return dark_panel(figure, box, title)


def _birds_eye(figure: Figure, cloud: ImagePoints) -> None:
    """Draw the points from above, with x to the right, marked ones on top, and range circles."""
    width, height = BIRDS_EYE[2:]
    xy, z = cloud.points_m[:, :2], cloud.points_m[:, 2]
    corner, step = fitted(xy, (width, height))
    image = blank((width, height))
    dots = np.full(len(xy), 1 if len(xy) > 200_000 else 2)
    paint(image, (xy - corner) / step, height_colours(cloud), order=z, dots=dots)
    marks = marks_of(cloud)
    _paint_marks(image, (xy - corner) / step, marks, dots)
    axes = panel(figure, BIRDS_EYE, "bird's-eye view, coloured by height")
    _mark_legend(axes, marks)
    far = corner + step * np.array([width, height])
    extent = (corner[0], far[0], corner[1], far[1])
    axes.imshow(image, origin="lower", extent=extent, interpolation="nearest")
    turn = np.linspace(0, 2 * np.pi, 181)
    spacing = _round_step(float(np.abs([corner, far]).max()) / 4)
    for radius in spacing * np.arange(1, 9):
        axes.plot(radius * np.cos(turn), radius * np.sin(turn), color="white", lw=0.6, alpha=0.28)
        if corner[1] < radius < far[1] or corner[0] < radius < far[0]:
            at = (radius, 0.0) if radius < far[0] else (0.0, radius)
            axes.annotate(f"{radius:g} m", at, color=INK, size=9, alpha=0.8, clip_on=True)
    axes.plot([0], [0], marker=(3, 0, -90), ms=13, color="white", mec="black", mew=1.2)
    axes.set_xlim(extent[:2])
    axes.set_ylim(extent[2:])
    axes.set_xlabel("x forward [m]", color=FAINT)
    axes.set_ylabel("y left [m]", color=FAINT)


def fitted(xy: Array, size_px: tuple[int, int]) -> tuple[Array, float]:
    """Return the section of the ground plane that a bird's-eye view of a cloud should show.

    It contains the points between the 1st and the 99th percentile of x, and of y, with a margin.

    Parameters
    ----------
    xy : float (n_point, 2)
        Positions of the points. [m]
    size_px : (int, int)
        Width and height of the picture. [px]

    Returns
    -------
    corner_m : float (2,)
        Lower left corner of the section. [m]
    step : float
        Size of a pixel. [m/px]
    """
    low, high = (np.percentile(xy, p, axis=0) for p in (1, 99))
    step = max(float(np.max((high - low) * 1.04 / size_px)), 1e-3)
    return (low + high) / 2 - step * np.array(size_px) / 2, step


def height_colours(cloud: ImagePoints) -> Image:
    """Return the colour of each point of a cloud by its height, darker for low reflectivity.

    `cloud` has the points in the sensor frame, and perhaps their reflectivity; without it, no point
    is darker. The result is float64 (n_point, 3): red, green and blue, 0 to 1.
    """
    z = cloud.points_m[:, 2]
    colour: Image = colormaps["turbo"](0.1 + 0.85 * unit(z, *limits(z, 1, 97)))[:, :3]
    if cloud.reflectivity_percent is not None:
        colour = colour * (0.6 + 0.4 * np.clip(cloud.reflectivity_percent[:, None] / 50, 0, 1))
    return colour


def _paint_marks(image: Image, uv: Array, marks: Indices, dots: Indices) -> None:
    """Draw the marked points over the others, in the order of `MARKS`."""
    colours = np.array([to_rgb(colour) for _, colour in MARKS])
    use = marks >= 0
    order = marks[use].astype(np.float64)
    paint(image, uv[use], colours[marks[use]], order=order, dots=dots[use] + (marks[use] > 1))


def _mark_legend(axes: Axes, marks: Indices) -> None:
    """Add a legend of marked points with their counts above the panel, if there are any."""
    counts = np.bincount(marks[marks >= 0], minlength=len(MARKS)).tolist()
    for (name, colour), count in zip(MARKS, counts, strict=True):
        if count:
            label = f"{name}: {grouped(count)}"
            axes.plot([], [], ls="none", marker="s", ms=6, color=colour, label=label)
    if any(counts):
        axes.legend(
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncols=2,  # beside the title, below the headline
            frameon=False,
            labelcolor=INK,
            fontsize=9,
            handletextpad=0.1,
            columnspacing=1.0,
            labelspacing=0.2,
            borderpad=0.2,
            borderaxespad=0.0,
        )


def _round_step(step: float) -> float:
    """Round a step down to 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(max(step, 1e-3)))
    return float(power * max(f for f in (1, 2, 5) if f * power <= step * 1.001 or f == 1))


def _scene_panel(figure: Figure, cloud: ImagePoints) -> None:
    axes = panel(figure, SCENE, "scene, seen from behind the sensor")
    axes.imshow(perspective(cloud, size_px=(SCENE[2], SCENE[3])), interpolation="nearest")
    axes.set_xticks([])
    axes.set_yticks([])


def _image_strips(figure: Figure, cloud: ImagePoints) -> None:
    """Draw the range image and, if there is reflectivity, its image below."""
    grid, distance = range_grid(cloud), cloud.range_m
    percent = cloud.reflectivity_percent
    box_px = BOTH if percent is None else UPPER
    span = limits(distance, 1, 98)
    image = painted(grid.image(distance, first=distance), colours=RANGE_COLOURS, limits=span)
    axes = _strip(figure, box_px, "range", image, grid)
    bar_beside(figure, box_px, RANGE_COLOURS, span, "m", distance)
    if percent is not None:
        span = (0.0, min(RETRO_PERCENT, limits(percent, 0, 99)[1]))
        values = grid.image(percent, first=distance)
        image = painted(values, colours=REFLECTIVITY_COLOURS, limits=span)
        image[values > RETRO_PERCENT] = to_rgb(RETRO_COLOUR)
        axes = _strip(figure, LOWER, "reflectivity (cyan: above 100 %)", image, grid)
        bar_beside(figure, LOWER, REFLECTIVITY_COLOURS, span, "%", percent)
    axes.set_xlabel(grid.labels[0], color=FAINT)


def _strip(figure: Figure, box_px: Box, title: str, image: Image, grid: Grid) -> Axes:
    axes = panel(figure, box_px, title)
    axes.imshow(image, aspect="auto", interpolation="nearest", extent=grid.extent)
    axes.set_ylabel(grid.labels[1], color=FAINT)
    if grid.extent[0] - grid.extent[1] > 180:
        axes.xaxis.set_major_locator(MultipleLocator(45))
    return axes


def bar_beside(  # noqa: PLR0913, PLR0917
    figure: Figure,
    box_px: Box,
    colours: Colormap,
    span: tuple[float, float],
    unit_name: str,
    values: Array,
) -> Colorbar:
    """Draw a colour bar to the right of a panel.

    Parameters
    ----------
    figure : Figure
        The figure of the panel.
    box_px : (int, int, int, int)
        The panel: left, bottom, width and height. [px]
    colours : Colormap
        Colours of the bar.
    span : (float, float)
        Least and greatest value that the bar shows.
    unit_name : str
        Unit of the values, written above the bar.
    values : array
        The values drawn in the panel. An end of the bar is an arrow if some are beyond `span`.
    """
    left, bottom, width, height = box_px
    axes = panel(figure, (left + width + 14, bottom, 16, height), unit_name)
    return colour_bar(axes, colours, span, values)
