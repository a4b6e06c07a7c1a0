# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Images of point clouds, as plain arrays of pixels without axes or labels."""

import numpy as np
from numpy.typing import NDArray

from lidar_gap.pictures.figures import PANEL, Colormap, colormaps, to_rgb
from lidar_gap.pictures.image_grid import Array, ImagePoints, Indices
from osi_lidar.clouds.origins import IS_OF_AIR, ORIGINS

Image = NDArray[np.float64]  # (height, width, 3), 0..1

RETRO_COLOUR, RETRO_PERCENT = "#35f2ff", 100.0  # only retroreflectors are above
VIEW_DEG = 62.0
"""Horizontal angle of view of the camera. [deg]"""
MARKS = (
    ("2nd echo", "#d633ff"),
    ("3rd echo and later", "#ff9ec4"),
    ("ghost", "#ffffff"),
    ("weather", "#7fb2ff"),
    ("false alarm", "#ff1078"),
)
"""Kinds of points with a fixed colour instead of the colour of their height; the last is on top."""


def marks_of(cloud: ImagePoints) -> Indices:
    """Return the index into `MARKS` of each point, int64 (n_point,); -1 for an ordinary point.

    ``cloud`` (`ImagePoints`) has the points. The origin of a point, such as ghost or weather, goes
    before its number of the echo. Fields that the cloud lacks (None) are not used.
    """
    marks = np.full(len(cloud.points_m), -1, np.int64)
    if cloud.echo is not None:
        marks = np.minimum(cloud.echo, 2) - 1
    if cloud.origin is not None:
        marks[cloud.origin == ORIGINS.index("ghost")] = 2
        marks[IS_OF_AIR[cloud.origin]] = 3
        marks[cloud.origin == ORIGINS.index("false_alarm")] = 4
    return marks


def perspective(
    cloud: ImagePoints,
    *,
    size_px: tuple[int, int],
    eye_m: tuple[float, float, float] | None = None,
    target_m: tuple[float, float, float] | None = None,
    heights_m: tuple[float, float] | None = None,
) -> Image:
    """Return a perspective image of a cloud; near points are larger, and hide far points.

    Parameters
    ----------
    cloud : ImagePoints
        Points in the sensor frame.
    size_px : tuple of int
        Width and height of the image. [px]
    eye_m, target_m : tuple of float, optional
        Position of the camera and the point it looks at, in the sensor frame. By default, the
        camera is behind and above the sensor, and farther away for larger scenes. [m]
    heights_m : tuple of float, optional
        Heights above the sensor of the lowest and of the highest colour; by default, the 1st and
        the 98th percentile of the points' heights. [m]

    Returns
    -------
    float64 (height, width, 3)
        Colours from 0 to 1.
    """
    width, height = size_px
    scale = _view_scale(cloud)
    eye = np.array(eye_m or (-21.0 * scale, -1.5 * scale, 11.0 * scale))
    target = np.array(target_m or (14.0 * scale, 0.6 * scale, -1.0 * scale))
    axis = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(axis, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    relative = cloud.points_m - eye
    depth = relative @ axis
    seen = depth > (0.1 if eye_m else 9.0 * scale)  # nearer points would hide the others
    relative, depth = relative[seen], depth[seen]
    focal = width / 2 / np.tan(np.deg2rad(VIEW_DEG) / 2)
    u = width / 2 + focal * (relative @ right) / depth
    v = height / 2 - focal * (relative @ np.cross(right, axis)) / depth
    fade = np.clip(1.25 - depth / (110.0 * scale), 0.45, 1.0)
    colour = _scene_colour(cloud, heights_m)[seen] * fade[:, None]
    dots = np.clip(np.rint(0.075 * scale * focal / depth), 2, 4).astype(np.int64)
    image = blank(size_px)
    paint(image, np.stack([u, v], axis=1), colour, order=-depth, dots=dots)
    return image


def _view_scale(cloud: ImagePoints) -> float:
    """Return the size of the scene relative to a street, from the ranges of its points."""
    if not len(cloud.points_m):
        return 1.0
    return float(np.clip(np.percentile(cloud.range_m, 75) / 22.0, 0.2, 20.0))


def height_colours(share: Array) -> Image:
    """Return the colours of heights by the colour map "turbo", float64 (..., 3): RGB from 0 to 1.

    ``share`` is a float64 array of any shape: heights scaled to 0 (lowest) to 1 (highest).
    """
    colours: Image = colormaps["turbo"](0.12 + 0.78 * share)[..., :3]
    return colours


def _scene_colour(cloud: ImagePoints, heights_m: tuple[float, float] | None) -> Image:
    """Return colours by height: brighter for higher reflectivity, cyan for more than 100 %."""
    z = cloud.points_m[:, 2]
    colour = height_colours(unit(z, *(heights_m or limits(z, 1, 98))))
    if cloud.reflectivity_percent is not None:
        strength = np.clip(cloud.reflectivity_percent / 60.0, 0, 1) ** 0.5
        colour = colour * (0.55 + 0.45 * strength)[:, None]
        colour[cloud.reflectivity_percent > RETRO_PERCENT] = to_rgb(RETRO_COLOUR)
    return colour


def limits(values: Array, low_percent: float, high_percent: float) -> tuple[float, float]:
    """Return a low and a high percentile of values, as a pair of floats.

    The high percentile is made at least 0.001 larger than the low one.

    Parameters
    ----------
    values : float64 (...)
        The values; at least one.
    low_percent, high_percent : float
        Which percentiles to return, from 0 to 100. [%]
    """
    low, high = np.percentile(values, (low_percent, high_percent))
    return float(low), float(max(high, low + 1e-3))


def blank(size_px: tuple[int, int]) -> Image:
    """Return an image (height, width, 3) in the background colour; `size_px` is (width, height)."""
    image: Image = np.full((size_px[1], size_px[0], 3), to_rgb(PANEL))
    return image


def paint(image: Image, uv: Array, colour: Image, *, order: Array, dots: NDArray[np.int64]) -> None:
    """Draw points as squares into an image, which is changed in place.

    Parameters
    ----------
    image : float64 (height, width, 3)
        Image with RGB colours from 0 to 1; it is drawn on. Parts of squares outside are cut off.
    uv : float64 (n_point, 2)
        Column and row of the upper left pixel of each square; fractions are rounded down. [px]
    colour : float64 (n_point, 3)
        RGB colour of each point, from 0 to 1.
    order : float64 (n_point,)
        A square with a higher value covers squares with lower values.
    dots : int64 (n_point,)
        Side of each square. [px]
    """
    rank = np.argsort(order, kind="stable")
    uv, colour, dots = np.floor(uv[rank]), colour[rank], dots[rank]
    place, index = [], []
    for dy in range(int(dots.max(initial=0))):
        for dx in range(int(dots.max(initial=0))):
            use = np.flatnonzero(dots > max(dx, dy))
            place.append(uv[use] + (dx, dy))
            index.append(use)
    if not place:
        return
    pixel, point = np.concatenate(place), np.concatenate(index)
    inside = ((pixel >= 0) & (pixel < (image.shape[1], image.shape[0]))).all(axis=1)
    pixel, point = pixel[inside].astype(np.int64), point[inside]
    last = np.argsort(point, kind="stable")  # numpy keeps the last of repeated indices
    image[pixel[last, 1], pixel[last, 0]] = colour[point[last]]


def unit(values: Array, low: float, high: float) -> Array:
    """Return values scaled to 0 at `low` and 1 at `high`, and clipped to this range.

    ``values`` is a float64 array of any shape; the result has the same shape. `low` and `high` are
    two different numbers in the unit of the values.
    """
    scaled: Array = np.clip((values - low) / (high - low), 0, 1)
    return scaled


def painted(values: Array, *, colours: Colormap, limits: tuple[float, float]) -> Image:
    """Return RGB colours for values by a colour map, float64 (..., 3), from 0 to 1.

    Parameters
    ----------
    values : float64 (...)
        Values of any shape; NaN gets the background colour.
    colours : Colormap
        Colour map of matplotlib.
    limits : (float, float)
        Values of the first and the last colour; values beyond them are clipped.
    """
    image: Image = colours(unit(np.nan_to_num(values), *limits))
    image = image[..., :3]
    image[np.isnan(values)] = to_rgb(PANEL)
    return image
