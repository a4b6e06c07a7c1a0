# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of a point file's columns, of any format, to a `ScanCloud`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.unfollowed import NotFollowed
from lidar_gap.reading.times import point_times
from lidar_gap.records import ScanCloud
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from numpy.typing import DTypeLike, NDArray

    from lidar_gap.reading.times import PointTimes

    Rows: TypeAlias = NDArray[Any]  # structured
    Columns: TypeAlias = dict[str, NDArray[Any]]  # by their names in the file

FARTHEST_M = 1e5
"""Farthest plausible coordinate [m]; larger numbers mean another kind of file, unit or frame."""

RING = ("ring", "channel", "laser_number", "laser_id", "laserid")
"""Names of the column of laser numbers, in small letters; the first existing one is taken."""

# names that makers and drivers use, by meaning; the first existing name is taken
_INTENSITY = ("intensity", "i", "reflectivity", "reflectance", "remission", "scalar_intensity")
_SIGNAL = ("snr", "signal")
_COLUMN = ("column", "measurement_id")
_RANGE = ("range", "distance")
_SECONDS = ("time", "timestamp", "gps_time")
_NANOSECONDS = ("time_ns", "t", "offset_ns", "time_stamp")
_NORMAL = ("normal_x", "normal_y", "normal_z")
_ECHOES = (("echo", "n_echoes"), ("return_number", "number_of_returns"))
_NUMBERS = "biuf"  # kinds of numpy's types


def scan_cloud(
    path: Path, name: str, columns: Columns, *, stamp_s: float | None = None
) -> ScanCloud:
    """Return the columns of a file as a cloud.

    These points are left out: points or ranges that are not finite, and points at exactly 0, 0, 0,
    which mark beams without a return. Columns that are not numbers are left out, too.

    Parameters
    ----------
    path : Path
        The file, for messages.
    name : str
        Name of the cloud.
    columns : mapping of (n_point,)
        Columns by their names in the file; case is ignored.
    stamp_s : float, optional
        Time of the ROS message that contains the columns. The unit of a column of times is inferred
        from it. [s]

    Raises
    ------
    InputError
        If x, y or z is missing, or a coordinate is larger than `FARTHEST_M`.
    """
    by_name = {key.lower(): value for key, value in columns.items() if value.dtype.kind in _NUMBERS}
    missing = [key for key in "xyz" if key not in by_name]
    if missing:
        raise InputError(
            f"{path}: has no field {', '.join(missing)}: got {', '.join(by_name) or 'none'}, "
            "expected x, y and z"
        )
    with np.errstate(all="ignore"):  # points that are not finite or too far are left out below
        cloud = _of_numbers(path, name, by_name, stamp_s)
    return with_columns(cloud, not_followed=columns_not_read(list(columns)))


def _of_numbers(path: Path, name: str, by_name: Columns, stamp_s: float | None) -> ScanCloud:
    """Return the cloud for numeric columns; x, y and z are among them."""
    points = np.stack([by_name[key].astype(np.float64) for key in "xyz"], axis=1)
    range_m, states_range = _range_m(by_name, points)
    kept = is_return(points) & np.isfinite(range_m)
    farthest = np.abs(points[kept]).max(initial=0.0)
    if farthest > FARTHEST_M:
        raise InputError(
            f"{path}: a coordinate is {farthest:.3g}, expected metres in the sensor's frame, up to "
            f"{FARTHEST_M:g}"
        )
    cloud = ScanCloud(
        name=name,
        points_m=points,
        range_m=range_m,
        states_range=states_range,
        intensity=_first(by_name, _INTENSITY, np.float32),
        signal=_first(by_name, _SIGNAL, np.float32),
        ring=_first(by_name, RING, np.int32),
        column=_first(by_name, _COLUMN, np.int32),
        normal=_normal(by_name),
    )
    cloud = with_columns(cloud, **_echoes(by_name))
    cloud = cloud if kept.all() else cloud.rows(kept)
    times = _times(by_name, kept, stamp_s)
    if times is None:
        return cloud
    return with_columns(cloud, time_s=times.since_s, assumed=tuple(filter(None, [times.assumed])))


def with_columns(cloud: ScanCloud, **columns: Any) -> ScanCloud:  # noqa: ANN401  any column
    """Return a copy of ``cloud`` (`ScanCloud`) with other values for some of its attributes.

    The keywords in ``columns`` are the names of these attributes, such as ``ring``; their values
    are the new values.
    """
    return replace(cloud, **columns)


def is_return(points_m: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which points are finite and not exactly 0, 0, 0, bool (n_point,).

    ``points_m`` has the points, float64 (n_point, 3) [m]. Points at 0, 0, 0 mark beams without a
    return.
    """
    is_finite, is_far = np.isfinite(points_m).all(axis=1), points_m.any(axis=1)
    return np.logical_and(is_finite, is_far)


def number_echoes(
    beam: NDArray[np.int64], range_m: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return which points are distinct echoes, and number the echoes of each beam by range.

    Parameters
    ----------
    beam : int64 (n_point,)
        The same number for all echoes of a beam.
    range_m : float64 (n_point,)
        Range of each echo. [m]

    Returns
    -------
    kept : bool (n_point,)
        False for a point with the same beam and range as an earlier point.
    echo, n_echoes : uint8 (n_point,)
        Number of the echo in its beam, 0 for the nearest, and number of distinct echoes of this
        beam; both at most 255.
    """
    order = np.lexsort((range_m, beam))
    sorted_beam, sorted_range = beam[order], range_m[order]
    is_new_beam = np.ones(beam.size, bool)
    is_new_beam[1:] = sorted_beam[1:] != sorted_beam[:-1]
    is_echo = is_new_beam.copy()
    is_echo[1:] |= sorted_range[1:] != sorted_range[:-1]
    count = np.cumsum(is_echo) - 1
    group = np.cumsum(is_new_beam) - 1
    first = count[is_new_beam]
    echo, n_echoes = np.zeros(beam.size, np.uint8), np.zeros(beam.size, np.uint8)
    echo[order] = np.minimum(count - first[group], 255) if beam.size else 0
    per_beam = np.bincount(group, weights=is_echo) if beam.size else np.zeros(0)
    n_echoes[order] = np.minimum(per_beam[group], 255)
    kept = np.zeros(beam.size, bool)
    kept[order] = is_echo
    return kept, echo, n_echoes


def _range_m(columns: Columns, points_m: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
    """Return ranges [m], and whether they come from a column of the file.

    Integers in the file are millimetres (Ouster's drivers).
    """
    name = next((key for key in _RANGE if key in columns), None)
    if name is None:
        return np.sqrt((points_m**2).sum(axis=1)), False
    scale = 1e-3 if columns[name].dtype.kind in "iu" else 1.0
    return columns[name].astype(np.float64) * scale, True


def _times(columns: Columns, kept: NDArray[np.bool_], stamp_s: float | None) -> PointTimes | None:
    """Return the times after the first point; see `point_times` for their unit."""
    name = _time_column(columns)
    if name is None:
        return None
    return point_times(name, columns[name][kept], stamp_s, in_ns=name in _NANOSECONDS)


def _time_column(columns: Iterable[str]) -> str | None:
    return next((name for name in (*_NANOSECONDS, *_SECONDS) if name in columns), None)


def columns_not_read(names: Sequence[str]) -> tuple[NotFollowed, ...]:
    """Return the columns of a file that `scan_cloud` ignores.

    Parameters
    ----------
    names : sequence of str
        Names of all columns of the file; case is ignored.

    Returns
    -------
    tuple of NotFollowed
        One for each ignored column, to be listed for the user.
    """
    lower = [name.lower() for name in names]
    groups = (_INTENSITY, _SIGNAL, RING, _COLUMN, _RANGE)
    read = {next((name for name in group if name in lower), "") for group in groups}
    read |= {*"xyz", _time_column(lower) or ""}
    for group in (_NORMAL, *_ECHOES):
        read |= set(group) if set(group) <= set(lower) else set()
    return tuple(NotFollowed(f"column {name:.60}") for name in names if name.lower() not in read)


def _normal(columns: Columns) -> NDArray[np.float32] | None:
    """Return the normals of surfaces, (n_point, 3); 0, 0, 0 if a normal is not finite."""
    if not all(name in columns for name in _NORMAL):
        return None
    normal = np.stack([columns[name].astype(np.float32) for name in _NORMAL], axis=1)
    normal[~np.isfinite(normal).all(axis=1)] = 0.0
    return normal


def _echoes(columns: Columns) -> dict[str, NDArray[np.uint8]]:
    """Return the columns echo and n_echoes, if known; echo counts from 0, in LAS files from 1."""
    if "echo" in columns and "n_echoes" in columns:
        return {key: columns[key].astype(np.uint8) for key in ("echo", "n_echoes")}
    if "return_number" in columns and "number_of_returns" in columns:
        number = np.maximum(columns["return_number"].astype(np.int64), 1) - 1
        return {
            "echo": number.astype(np.uint8),
            "n_echoes": columns["number_of_returns"].astype(np.uint8),
        }
    return {}


def _first(columns: Columns, names: tuple[str, ...], dtype: DTypeLike) -> NDArray[Any] | None:
    """Return the first existing column of these names, converted to a type.

    A value that is not finite, or too large for the type, becomes 0 in an integer type and NaN in a
    float type.
    """
    for name in names:
        if name in columns:
            values = columns[name]
            if values.dtype.kind != "f":
                return values.astype(dtype)
            whole = np.dtype(dtype).kind == "i"
            most = np.iinfo(dtype).max if whole else np.finfo(dtype).max
            with np.errstate(invalid="ignore"):
                usable = np.abs(values.astype(np.float64)) <= most
            return np.where(usable, values, 0.0 if whole else np.nan).astype(dtype)
    return None
