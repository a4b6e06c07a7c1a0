# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds: the points of a scan, in the fields of a PCD file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from html import escape
from importlib.metadata import entry_points
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.block_kernels import BLOCK, workers
from osi_lidar import clouds
from osi_lidar.clouds import cloud_kernels
from osi_lidar.clouds.row_kernels import (
    ECHO,
    HEAD,
    IDS,
    RECEIVED,
    SPEED,
    TIME,
    WIDE_IDS,
    row_bytes,
)

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray
    from open3d.geometry import PointCloud
    from pandas import DataFrame


@cache
def point_type(
    object_id: str = "<u4",
    *,
    timed: bool = False,
    several: bool = False,
    received: bool = False,
    moving: bool = False,
) -> np.dtype[np.void]:
    """Return the numpy type of a point: the fields of a PCD file, in their order.

    Every point has the fields x y z [m, sensor frame], intensity [%, 0..100], reflectivity [1],
    normal_x normal_y normal_z [1, sensor frame, towards the sensor], range [m], ring, column,
    object_id and material_id (row of the material table). object_id has the type ``object_id``; its
    largest value stands for surfaces that are no OSI object.

    The flags add fields. ``timed`` adds time_ns [ns after the start of the scan]. ``several``
    echoes per beam add echo (0 is the nearest of the beam) and n_echoes. ``received``, for sensors
    with a receiver, adds snr [multiples of the rms noise], width_m [m of range, between rise and
    fall through the threshold] and origin (row of ``origins.ORIGINS``). ``moving``, for sensors
    that measure velocities, adds radial_velocity [m/s, towards the sensor]. `with_near_ir` adds a
    last field.
    """
    parts = [HEAD, {"<u4": IDS, "<u8": WIDE_IDS}[object_id]]
    parts += compress((TIME, ECHO, RECEIVED, SPEED), (timed, several, received, moving))
    return np.dtype([field for each in parts for field in each.descr])


NEAR_IR = "near_ir"
"""Field for the ambient light, of sensors that measure it; the last field. [W/(m^2 sr nm)]"""


def with_near_ir(points: NDArray[np.void]) -> NDArray[np.void]:
    """Return a copy of points with the added last field ``near_ir``, whose values are undefined."""
    names = points.dtype.names or ()
    kinds = [(name, points.dtype[name]) for name in names]
    both = np.empty(len(points), [*kinds, (NEAR_IR, "<f4")])
    for name in names:
        both[name] = points[name]
    return both


FIELD_UNITS = {
    **dict.fromkeys(("x", "y", "z", "range", "width_m"), "m"),
    **dict.fromkeys(("true_x", "true_y", "true_z", "true_range"), "m"),
    **dict.fromkeys(("yaw", "pitch"), "rad"),
    **dict.fromkeys(("reflectivity", "snr", "normal_x", "normal_y", "normal_z"), "1"),
    "intensity": "%",
    "time_ns": "ns",
    "timestamp": "s",
    "radial_velocity": "m/s",
    NEAR_IR: "W/(m^2 sr nm)",
}
"""Unit of each field of ``points`` and of its ground truth, by the field's name.

Indices and ids have no unit and are left out.
"""

POINT = point_type()


POINT_WITH_WIDE_ID = point_type("<u8")
"""Type of a point if an OSI id does not fit into 32 bits (PCL reads it from version 1.13 on)."""


HTML_VIEWERS = "osi_lidar.cloud_html"
"""Group of entry points: functions that turn a `Cloud` into HTML for a notebook."""

_COLUMNS = (
    *("points", "beam", "object_id", "true_range_m", "true_xyz_m", "existence", "rmse_m"),
    "velocity_m_s",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """The points of one scan, in the order of their beams; all arrays have n_point rows.

    Read-only: later scans may share these arrays. Copy before you modify them.

    Attributes
    ----------
    points : structured (n_point,)
        See ``point_type``.
    beam : uint32 (n_point,)
        Index of the beam in the scan pattern.
    object_id : uint64 (n_point,)
        OSI id of the object that the point is on; ``NO_OBJECT`` if it is on none.
    true_range_m : float32 (n_point,) or None
        Range without the sensor's errors. None if the sensor has no errors and is not physical, see
        `Sensor.is_physical`. [m]
    true_xyz_m : float32 (n_point, 3) or None
        Where the beam hit the surface, in the sensor frame; None if ``true_range_m`` is None. [m]
    along_beams : bool
        True: seen from the sensor's origin, each point lies in the pattern's direction of its beam.
    existence : float32 (n_point,) or None
        Probability that the point is more than noise; None without a receiver. [1]
    rmse_m : float32 (n_point,) or None
        Standard deviation of the point's range; None without a receiver. [m]
    velocity_m_s : float32 (n_point,) or None
        Radial velocity, positive towards the sensor; None if the sensor does not measure it. [m/s]
    sensor : str or None
        Name of the sensor. This and the next three are None unless a `LidarModel` made the cloud.
    time_ns : int or None
        End of the scan, as ``Scan.end_ns``. [ns]
    world_from_sensor : float64 (4, 4) or None
        Pose of the sensor at the end of the scan, in the world of the OSI messages. [m]
    materials : tuple of str or None
        Names of all infrared materials; a point's ``material_id`` is an index into them.

    Examples
    --------
    >>> cloud = next(osi_lidar.scan_trace("drive.osi", sensor="VLP-16"))
    >>> near = cloud.points[cloud.points["range"] < 20.0]
    >>> near.dtype.names[:4], len(near) < len(cloud)
    (('x', 'y', 'z', 'intensity'), True)
    """

    points: NDArray[Any]
    beam: NDArray[np.uint32]
    object_id: NDArray[np.uint64]
    true_range_m: NDArray[np.float32] | None = None
    true_xyz_m: NDArray[np.float32] | None = None
    along_beams: bool = True
    existence: NDArray[np.float32] | None = None
    rmse_m: NDArray[np.float32] | None = None
    velocity_m_s: NDArray[np.float32] | None = None
    sensor: str | None = None
    time_ns: int | None = None
    world_from_sensor: NDArray[np.float64] | None = None
    materials: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        of = "" if self.sensor is None else f" of {self.sensor}"
        at = "" if self.time_ns is None else f" at {self.time_ns / 1e9:.3f} s"
        return f"Cloud({len(self)} points{of}{at}: {' '.join(self.points.dtype.names or ())})"

    def _repr_html_(self) -> str:
        for point in entry_points(group=HTML_VIEWERS):
            return str(point.load()(self))
        return f"<p>{escape(repr(self))}</p>"

    def to_pandas(self) -> DataFrame:
        """Return a table with a row for each point; needs the extra ``pandas``.

        Returns
        -------
        DataFrame
            The fields of ``points`` as columns. If ``materials`` is known, the column
            ``material`` (names, as categories) replaces ``material_id``.

        Raises
        ------
        OutputError
            If pandas is not installed.
        """
        return clouds.to_pandas(self.points, self.materials)

    def to_open3d(self) -> PointCloud:
        """Return a point cloud of Open3D; needs the extra ``twin``.

        Returns
        -------
        open3d.geometry.PointCloud
            Points and normals in the sensor frame, in the order of ``points``. [m] The colour of
            a point is a grey, its intensity.

        Raises
        ------
        OutputError
            If Open3D is not installed.
        """
        return clouds.to_open3d(self.points)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the points to a file, in the format of its ending: ``.pcd``, ``.npy`` or ``.csv``.

        Parameters
        ----------
        path : path
            The file; it is replaced if it exists. A PCD file has ``world_from_sensor`` as its
            VIEWPOINT; a CSV file has a line of field names, then a line for each point.

        Raises
        ------
        OutputError
            If the ending is another one, or the file cannot be written.
        """
        clouds.save(path, self.points, self.world_from_sensor)

    def rows(self, chosen: NDArray[np.bool_]) -> Cloud:
        """Return a cloud of the points for which ``chosen``, bool (n_point,), is True.

        If all are chosen, this is the cloud itself, not a copy.
        """
        start = np.empty(-(-len(chosen) // BLOCK) + 1, np.int64)
        cloud_kernels.count_chosen(chosen, workers(), start)
        if start[-1] == len(chosen):
            return self
        columns: dict[str, Any] = {
            name: _chosen_of(value, chosen, start)
            for name in _COLUMNS
            if (value := getattr(self, name)) is not None
        }
        return with_columns(self, **columns)


def with_columns(cloud: Cloud, chosen: NDArray[np.bool_] | None = None, **columns: object) -> Cloud:
    """Return a copy of a cloud with ``columns`` in place of its attributes of the same names.

    Given ``chosen``, bool (n_point,), only points for which it is True remain. The result is no
    `BlockCloud`: it is not known in which blocks it differs from earlier clouds.
    """
    same = {each.name: getattr(cloud, each.name) for each in fields(Cloud)}
    changed = Cloud(**{**same, **columns})
    return changed if chosen is None else changed.rows(chosen)


def _chosen_of(
    column: NDArray[Any], chosen: NDArray[np.bool_], start: NDArray[np.int64]
) -> NDArray[Any]:
    """Return the chosen rows of a column; ``start`` is as `cloud_kernels.count_chosen` fills it."""
    kept = np.empty((int(start[-1]), *column.shape[1:]), column.dtype)
    rows, rows_out = (
        each.view(np.uint8).reshape(len(each), column.strides[0]) for each in (column, kept)
    )
    cloud_kernels.copy_chosen(chosen, start, rows, workers(), rows_out)
    return kept


def no_points() -> Cloud:
    """Return a cloud without points; its array ``points`` has the type `POINT`."""
    return Cloud(
        points=np.empty(0, POINT), beam=np.empty(0, np.uint32), object_id=np.empty(0, np.uint64)
    )


def spherical(
    points: NDArray[Any],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return distance [m], azimuth and elevation [rad] of points as seen from the sensor.

    All are float64 (n_point,); azimuth is counter-clockwise from x, elevation upwards. The rows of
    ``points`` begin with x y z, float32. [m, sensor frame]
    """
    distance_m, azimuth_rad, elevation_rad = np.empty((3, len(points)))
    cloud_kernels.to_spherical(row_bytes(points), workers(), distance_m, azimuth_rad, elevation_rad)
    return distance_m, azimuth_rad, elevation_rad
