# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pixel of each point in a range image: rings as rows, columns of equal azimuth."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from osi_lidar.clouds.npy import read_points
from osi_lidar.errors import InputError

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

N_COLUMNS = 1024  # of a full turn, if no ring has two points
BIN_LIMITS_RAD = (np.deg2rad(0.05), np.deg2rad(1.0))  # of the range image without rings
SAME_ROW_RAD = np.deg2rad(1.0)  # a ring with a larger spread of elevation is not one row
EVEN_PART = 0.3  # of the width of a column: tolerance for evenly spaced points
AZIMUTH_LABEL = "azimuth [deg]"
_LARGEST = 1e30
_FARTHEST_M = 1e12
MAX_NUMBERS = 65_536  # of rows or columns; a field with more has another meaning


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePoints:
    """The fields of a cloud that pictures use.

    A field is None if the file lacks it.

    Attributes
    ----------
    name : str
        Name of the cloud, for messages.
    points_m : float64 (n_point, 3)
        Points in the sensor frame: x forward, y left, z up. [m]
    reflectivity_percent : float64 (n_point,) or None
        Reflectivity, which may exceed 100. Without one, the intensity: times 100 if its 99th
        percentile is at most 1; as it is if that is at most 100; else scaled so that it is 100. [%]
    ring, column : int64 (n_point,) or None
        Number of the laser, and number of the firing.
    echo : int64 (n_point,) or None
        Number of the echo in its beam, 0 for the nearest.
    origin : int64 (n_point,) or None
        Index into ``ORIGINS``: what made the point, such as a surface, ghost or weather.
    """

    name: str
    points_m: Array  # (n_point, 3) in the sensor frame: x forward, y left, z up
    reflectivity_percent: Array | None
    ring: NDArray[np.int64] | None
    column: NDArray[np.int64] | None
    echo: NDArray[np.int64] | None = None  # 0 is the nearest of its beam
    origin: NDArray[np.int64] | None = None  # rows of ORIGINS

    @property
    def range_m(self) -> Array:
        """Distance of each point from the origin of the sensor frame, float64 (n_point,) [m]."""
        distance: Array = np.linalg.norm(self.points_m, axis=1)
        return distance


def read_cloud(path: Path) -> ImagePoints:
    """Read the fields of a cloud file that pictures use, without rows that are not points.

    ``path`` is a PCD file, or a ``.npy`` file with a structured array. Rows are left out if a
    coordinate is not finite, or if x, y and z are all 0, which marks a beam without a return.

    Raises
    ------
    InputError
        If the file is absent or damaged, has no x, y or z, or a coordinate is too large to be in
        metres.
    """
    data = read_points(path)
    names = data.dtype.names or ()
    missing = [name for name in "xyz" if name not in names]
    if missing:
        raise InputError(f"{path}: has no field {', '.join(missing)}; it has {', '.join(names)}")
    return image_points(path.name, data)


def places_m(data: NDArray[np.void]) -> Array:
    """Return x, y and z of all rows of a cloud, float64 (n_row, 3), as in the file [m].

    ``data`` is a structured array (n_row,) with the fields x, y and z. Rows that are not points are
    included.
    """
    with np.errstate(invalid="ignore"):  # a signalling NaN would warn
        return np.stack([data[name].astype(np.float64) for name in "xyz"], axis=1)


def is_point(data: NDArray[np.void]) -> NDArray[np.bool_]:
    """Return whether each row of a cloud is a point, bool (n_row,).

    ``data`` is a structured array (n_row,) with the fields x, y and z. A row is a point if all
    three are finite, and not all are 0, which marks a beam without a return.
    """
    points = places_m(data)
    # 0, 0, 0 marks a beam without a return
    return np.asarray(np.isfinite(points).all(axis=1) & points.any(axis=1))


def points_only(name: str, data: NDArray[np.void]) -> NDArray[np.void]:
    """Return those rows of a cloud that are points, as a structured array (n_point,).

    A row is a point if x, y and z are finite, and not all are 0.

    Parameters
    ----------
    name : str
        What to call the cloud in an error.
    data : structured (n_row,)
        Rows with x, y and z.

    Raises
    ------
    InputError
        If a coordinate is too large to be in metres, even in the coordinates of a map.
    """
    data = data[is_point(data)]
    farthest = np.abs(places_m(data)).max(initial=0.0)
    if farthest > _FARTHEST_M:
        raise InputError(
            f"{name}: a coordinate is {farthest:.3g}, expected metres, at most {_FARTHEST_M:g}"
        )
    return data


def image_points(name: str, data: NDArray[np.void]) -> ImagePoints:
    """Return the fields of a cloud that pictures use, without rows that are not points.

    A row is a point if x, y and z are finite, and not all are 0.

    Parameters
    ----------
    name : str
        Name of the cloud in the result and in errors.
    data : structured (n_row,)
        Rows with the fields x, y and z [m], and any others.

    Raises
    ------
    InputError
        If a coordinate is too large to be in metres, even in the coordinates of a map.
    """
    names = data.dtype.names or ()
    data = points_only(name, data)
    points = places_m(data)
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
    """Return a field of row or column numbers; None if it is absent or has no such numbers."""
    if name not in (data.dtype.names or ()) or data.dtype[name].kind not in "iu":
        return None
    numbers: Indices = data[name].astype(np.int64)
    if not len(numbers):
        return None
    between = int(numbers.max()) - int(numbers.min())  # Python integers, because 64 bits may wrap
    return numbers if between < MAX_NUMBERS else None


def _bytes(data: NDArray[np.void], name: str) -> Indices | None:
    """Return a uint8 field of osi-lidar's clouds; None if it is absent or has another type."""
    if name not in (data.dtype.names or ()) or data.dtype[name] != np.uint8:
        return None
    return data[name].astype(np.int64)


def _reflectivity(data: NDArray[np.void]) -> Array | None:
    """Return reflectivities in percent: from `reflectivity` (a fraction), or else `intensity`."""
    names = data.dtype.names or ()
    if "reflectivity" in names and np.issubdtype(data.dtype["reflectivity"], np.floating):
        return 100 * _measured(data, "reflectivity")
    if "intensity" not in names:
        return None
    intensity = _measured(data, "intensity")
    top = float(np.percentile(intensity, 99)) if len(intensity) else 0.0
    if top <= 1.0:
        return 100 * intensity
    return intensity if top <= 100.0 else intensity * 100.0 / top


def _measured(data: NDArray[np.void], name: str) -> Array:
    """Return a field as finite numbers: NaN becomes 0, and large numbers are clipped."""
    with np.errstate(invalid="ignore"):
        numbers = np.nan_to_num(data[name].astype(np.float64))
    return np.clip(numbers, -_LARGEST, _LARGEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Pixel of each point of a cloud in a range image, and labels for the axes of a picture.

    Attributes
    ----------
    row, column : int64 (n_point,)
        Row from the top and column from the left, both from 0.
    extent : tuple of 4 float
        Left, right, bottom and top border of the image, in the units of the labels.
    labels : (str, str)
        Labels of the horizontal and the vertical axis, such as "azimuth [deg]" and "ring".
    """

    row: Indices
    column: Indices
    extent: tuple[float, float, float, float]  # left, right, bottom, top in the units of the labels
    labels: tuple[str, str]

    def image(self, values: Array, *, first: Array) -> Array:
        """Return values of the points as an image, float64 (n_row, n_column).

        Pixels without a point are NaN.

        Parameters
        ----------
        values : float64 (n_point,)
            Value of each point.
        first : float64 (n_point,)
            Number of each point, such as its range. If several points share a pixel, the pixel has
            the value of the point with the smallest number.
        """
        image = np.full((self.row.max() + 1, self.column.max() + 1), np.nan)
        order = np.argsort(-first, kind="stable")  # numpy keeps the last of repeated indices
        image[self.row[order], self.column[order]] = values[order]
        return image


def range_grid(cloud: ImagePoints) -> Grid:
    """Return the pixel of each point in a range image with columns of equal azimuth.

    ``cloud`` (`ImagePoints`) has the points, at least one. Rows are the rings from top to bottom.
    Columns are computed from x and y, because the column numbers in a file count firings, and in
    many sensors the lasers of a firing point to different azimuths. If azimuths are unevenly
    spaced, the column numbers of the file are used. If rings are not usable, pixels are square bins
    of azimuth and elevation. This is so without ring numbers, or if all points have the same number
    but different elevations.
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
    """Return column numbers from +180 deg clockwise, column width [rad], and whether they fit.

    Each ring is shifted by a fraction of a column, so that its points are near the centres of
    columns. Equal azimuths are then always rounded to the same column.
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
    """Return the number of columns per turn, from neighbours in a ring; a default without any."""
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
