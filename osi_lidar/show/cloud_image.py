# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Images of point clouds from PCD files, as plain arrays of pixels without axes or labels."""

from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

from osi_lidar.errors import InputError
from osi_lidar.output.numpy_clouds import read_points
from osi_lidar.scan.records import ORIGINS
from osi_lidar.show.figures import PANEL

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Image = NDArray[np.float64]  # (height, width, 3), 0..1

RETRO_COLOUR, RETRO_PERCENT = "#35f2ff", 100.0  # only retroreflectors are above
N_COLUMNS = 1024  # of a full turn, if no ring has two points
BIN_LIMITS_RAD = (np.deg2rad(0.05), np.deg2rad(1.0))  # of the range image without rings
SAME_ROW_RAD = np.deg2rad(1.0)  # a ring with a larger spread of elevation is not one row
EVEN_PART = 0.3  # of the width of a column: tolerance for evenly spaced points
AZIMUTH_LABEL = "azimuth [deg]"
MAX_NUMBERS = 65_536  # of rows or columns; a field with more has another meaning
MARKS = (
    ("2nd echo", "#d633ff"),
    ("3rd echo and later", "#ff9ec4"),
    ("ghost", "#ffffff"),
    ("false alarm", "#ff1078"),
)
"""Points that stand out by a colour that heights do not have; the last is drawn on top."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePoints:
    """The fields of a point cloud for pictures: arrays of n_point, None if the file lacks them."""

    name: str
    points_m: Array  # (n_point, 3) in the sensor frame: x forward, y left, z up
    reflectivity_percent: Array | None
    ring: NDArray[np.int64] | None
    column: NDArray[np.int64] | None
    echo: NDArray[np.int64] | None = None  # 0 is the nearest of its beam
    origin: NDArray[np.int64] | None = None  # rows of ORIGINS

    @property
    def range_m(self) -> Array:
        """Distance of each point from the sensor, in metres."""
        distance: Array = np.linalg.norm(self.points_m, axis=1)
        return distance


def read_cloud(path: Path) -> ImagePoints:
    """Read the fields of a cloud for pictures, without rows that are not points.

    Raises
    ------
    InputError
        If the file is absent, holds no points, or has no x, y, z.
    """
    data = read_points(path)
    names = data.dtype.names or ()
    missing = [name for name in "xyz" if name not in names]
    if missing:
        raise InputError(f"{path} has no field {', '.join(missing)}; it has {', '.join(names)}")
    return image_points(path.name, data)


def image_points(name: str, data: NDArray[np.void]) -> ImagePoints:
    """Return the fields of points for pictures, without rows that are not points."""
    names = data.dtype.names or ()
    points = np.stack([data[name].astype(np.float64) for name in "xyz"], axis=1)
    keep = np.isfinite(points).all(axis=1) & points.any(axis=1)  # 0 0 0 means: no return
    data, points = data[keep], points[keep]
    return ImagePoints(
        name=name,
        points_m=points,
        reflectivity_percent=_reflectivity(data),
        ring=_numbers(data, "ring") if "ring" in names else _numbers(data, "channel"),
        column=_numbers(data, "column"),
        echo=_bytes(data, "echo"),
        origin=_bytes(data, "origin"),
    )


def _numbers(data: NDArray[np.void], name: str) -> Indices | None:
    """Return a field of row or column numbers; None if it is absent or has other values."""
    if name not in (data.dtype.names or ()) or data.dtype[name].kind not in "iu":
        return None
    numbers: Indices = data[name].astype(np.int64)
    return numbers if len(numbers) and np.ptp(numbers) < MAX_NUMBERS else None


def _bytes(data: NDArray[np.void], name: str) -> Indices | None:
    """Return a field of uint8; None if it is absent or of another type: then it is not ours."""
    if name not in (data.dtype.names or ()) or data.dtype[name] != np.uint8:
        return None
    return data[name].astype(np.int64)


def _reflectivity(data: NDArray[np.void]) -> Array | None:
    """Return percent, from `reflectivity` (a fraction) or the `intensity` of other programs."""
    names = data.dtype.names or ()
    if "reflectivity" in names and np.issubdtype(data.dtype["reflectivity"], np.floating):
        return 100 * np.nan_to_num(data["reflectivity"].astype(np.float64))
    if "intensity" not in names:
        return None
    intensity = np.nan_to_num(data["intensity"].astype(np.float64))
    top = float(np.percentile(intensity, 99)) if len(intensity) else 0.0
    if top <= 1.0:
        return 100 * intensity
    return intensity if top <= 100.0 else intensity * 100.0 / top


def marks_of(cloud: ImagePoints) -> Indices:
    """Return each point's row of `MARKS`, or -1: by its origin, or else by its echo."""
    marks = np.full(len(cloud.points_m), -1, np.int64)
    if cloud.echo is not None:
        marks = np.minimum(cloud.echo, 2) - 1
    if cloud.origin is not None:
        marks[cloud.origin == ORIGINS.index("ghost")] = 2
        marks[cloud.origin == ORIGINS.index("false_alarm")] = 3
    return marks


def perspective(
    cloud: ImagePoints,
    *,
    size_px: tuple[int, int],
    eye_m: tuple[float, float, float] | None = None,
    target_m: tuple[float, float, float] | None = None,
    view_angle_deg: float = 62.0,
) -> Image:
    """Return a perspective image of the points: near ones are larger and hide far ones.

    Parameters
    ----------
    cloud : ImagePoints
        Points in the sensor frame.
    size_px : tuple of int
        Width and height of the image. [px]
    eye_m, target_m : tuple of float, optional
        Position of the camera and the point it looks at, in the sensor frame. [m]
    view_angle_deg : float
        Horizontal angle of view. [deg]

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
    seen = depth > (0.1 if eye_m else 9.0 * scale)  # nearer points would only hide the others
    relative, depth = relative[seen], depth[seen]
    focal = width / 2 / np.tan(np.deg2rad(view_angle_deg) / 2)
    u = width / 2 + focal * (relative @ right) / depth
    v = height / 2 - focal * (relative @ np.cross(right, axis)) / depth
    fade = np.clip(1.25 - depth / (110.0 * scale), 0.45, 1.0)
    colour = _scene_colour(cloud)[seen] * fade[:, None]
    dots = np.clip(np.rint(0.075 * scale * focal / depth), 2, 4).astype(np.int64)
    image = blank(size_px)
    paint(image, np.stack([u, v], axis=1), colour, order=-depth, dots=dots)
    return image


def _view_scale(cloud: ImagePoints) -> float:
    """Return the relative size of the scene, 1 for a street."""
    if not len(cloud.points_m):
        return 1.0
    return float(np.clip(np.percentile(cloud.range_m, 75) / 22.0, 0.2, 20.0))


def _scene_colour(cloud: ImagePoints) -> Image:
    """Return colours by height, brighter for a higher reflectivity, cyan above 100 %."""
    z = cloud.points_m[:, 2]
    colour: Image = mpl.colormaps["turbo"](0.12 + 0.78 * unit(z, *limits(z, 1, 98)))
    colour = colour[:, :3]
    if cloud.reflectivity_percent is not None:
        strength = np.clip(cloud.reflectivity_percent / 60.0, 0, 1) ** 0.5
        colour = colour * (0.55 + 0.45 * strength)[:, None]
        colour[cloud.reflectivity_percent > RETRO_PERCENT] = mpl.colors.to_rgb(RETRO_COLOUR)
    return colour


def limits(values: Array, low_percent: float, high_percent: float) -> tuple[float, float]:
    """Return two percentiles, forced to be different."""
    low, high = np.percentile(values, (low_percent, high_percent))
    return float(low), float(max(high, low + 1e-3))


def blank(size_px: tuple[int, int]) -> Image:
    """Return an empty image of the given width and height."""
    image: Image = np.full((size_px[1], size_px[0], 3), mpl.colors.to_rgb(PANEL))
    return image


def paint(image: Image, uv: Array, colour: Image, *, order: Array, dots: NDArray[np.int64]) -> None:
    """Draw points as squares of pixels; where they overlap, the greatest order wins."""
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
    """Return values scaled to 0 at the low limit and 1 at the high one."""
    scaled: Array = np.clip((values - low) / (high - low), 0, 1)
    return scaled


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Pixels of the points in a range image, from left to right and from top to bottom."""

    row: Indices
    column: Indices
    extent: tuple[float, float, float, float]  # left, right, bottom, top in the units of the labels
    labels: tuple[str, str]

    def image(self, values: Array, *, first: Array) -> Array:
        """Return values as an image, nan without a point; the least `first` wins a pixel."""
        image = np.full((self.row.max() + 1, self.column.max() + 1), np.nan)
        order = np.argsort(-first, kind="stable")  # numpy keeps the last of repeated indices
        image[self.row[order], self.column[order]] = values[order]
        return image


def range_grid(cloud: ImagePoints) -> Grid:
    """Return the pixels of the range image: columns of equal azimuth, and rings from top to bottom.

    The columns of a file count firings, and in many sensors the rows of a firing have different
    azimuths. So columns are computed from x and y; those of the file are used if azimuths are
    uneven. Points without rows (no rings, or single beams that all have one ring number) are put
    into bins of azimuth and elevation.
    """
    x, y, z = cloud.points_m.T
    azimuth, elevation = np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))
    if cloud.ring is None or (np.ptp(cloud.ring) == 0 and np.std(elevation) > SAME_ROW_RAD):
        return _angle_grid(azimuth, elevation)
    column, step, even = _columns(azimuth, cloud.ring, cloud.column)
    if even or cloud.column is None:
        left = np.pi - (column.min() - 0.5) * step
        right = np.pi - (column.max() + 0.5) * step
        across = (float(np.rad2deg(left)), float(np.rad2deg(right)), AZIMUTH_LABEL)
    else:
        column = cloud.column
        across = (float(column.min()) - 0.5, float(column.max()) + 0.5, "column")
    row = cloud.ring - cloud.ring.min()
    first, last = float(cloud.ring.min()), float(cloud.ring.max())
    if _rises(row, elevation):  # some sensors count their rings from the bottom
        row, first, last = row.max() - row, last, first
    half = 0.5 if last >= first else -0.5
    extent = (across[0], across[1], last + half, first - half)
    return Grid(row=row, column=column - column.min(), extent=extent, labels=(across[2], "ring"))


def _angle_grid(azimuth: Array, elevation: Array) -> Grid:
    """Return square bins of azimuth and elevation, with about two points each."""
    left, top = float(azimuth.max()), float(elevation.max())
    area = float(np.ptp(azimuth) * np.ptp(elevation))
    step = float(np.clip(np.sqrt(2 * area / len(azimuth)), *BIN_LIMITS_RAD))
    column = np.rint((left - azimuth) / step).astype(np.int64)
    row = np.rint((top - elevation) / step).astype(np.int64)
    edges_rad = (
        left + step / 2,
        left - (column.max() + 0.5) * step,
        top - (row.max() + 0.5) * step,
        top + step / 2,
    )
    west, east, bottom, upper = np.rad2deg(edges_rad).tolist()
    labels = (AZIMUTH_LABEL, "elevation [deg]")
    return Grid(row=row, column=column, extent=(west, east, bottom, upper), labels=labels)


def _columns(azimuth: Array, ring: Indices, column: Indices | None) -> tuple[Indices, float, bool]:
    """Return column numbers from +180 deg clockwise, their width [rad], and whether they fit.

    Each ring is shifted by its own fraction of a column, so that its points are near the middle of
    columns: equal azimuths are then always rounded the same way.
    """
    n_column = _n_columns(azimuth, ring, column)
    step = 2 * np.pi / n_column
    place = (np.pi - azimuth) / step
    ring = ring - ring.min()
    turn = np.exp(2j * np.pi * place)
    total = np.bincount(ring, turn.real) + 1j * np.bincount(ring, turn.imag)
    shifted = place - (np.angle(total) / (2 * np.pi))[ring]
    number = np.rint(shifted)
    even = float(np.mean(np.abs(shifted - number) < EVEN_PART)) > 0.9
    return number.astype(np.int64) % n_column, step, even


def _n_columns(azimuth: Array, ring: Indices, column: Indices | None) -> int:
    """Return the columns of a full turn, from neighbours in a ring; a default if there are none."""
    order = np.lexsort((-azimuth if column is None else column, ring))
    same_ring = np.diff(ring[order]) == 0
    apart = np.abs(np.diff(azimuth[order]))
    apart = np.minimum(apart, 2 * np.pi - apart)
    steps = np.ones(len(apart)) if column is None else np.diff(column[order])
    use = same_ring & (steps > 0) & (apart > BIN_LIMITS_RAD[0] / 10)
    if not use.any():
        return N_COLUMNS
    return int(np.clip(np.rint(2 * np.pi / np.median(apart[use] / steps[use])), 1, MAX_NUMBERS))


def _rises(row: Indices, elevation: Array) -> bool:
    """Return whether the elevation rises with the row number."""
    centred: Array = row - row.mean()
    return float(centred @ (elevation - elevation.mean())) > 0


def painted(values: Array, *, colours: mpl.colors.Colormap, limits: tuple[float, float]) -> Image:
    """Return an image of values in colours; nan becomes background."""
    image: Image = colours(unit(np.nan_to_num(values), *limits))
    image = image[..., :3]
    image[np.isnan(values)] = mpl.colors.to_rgb(PANEL)
    return image
