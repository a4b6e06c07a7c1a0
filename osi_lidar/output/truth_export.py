# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground truth of the points: the values that a sensor without errors would measure.

The fields follow BlenSor (Gschwandtner et al., BlenSor: Blender Sensor Simulation Toolbox,
2011), with OSI ids for objects, plus ring, time and infrared material.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from osi_lidar.clouds.cloud import spherical
from osi_lidar.output.parquet_file import (
    NO_PARQUET,
    Labels,
    ParquetFile,
    TableColumn,
    is_parquet_missing,
)
from osi_lidar.output.step_tables import StepTable
from osi_lidar.output.writer import Writer
from osi_lidar.scan.records import NO_MATERIAL
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from osi_lidar.config import Config, Output
    from osi_lidar.output.writer import Destination
    from osi_lidar.scan.step import Scan, Step

FILE_NAME = "ground_truth.parquet"
COLUMNS = (
    TableColumn("timestamp_ns", "int64", "ns"),
    TableColumn("yaw_rad", "float32", "rad"),
    TableColumn("pitch_rad", "float32", "rad"),
    TableColumn("distance_m", "float32", "m"),
    TableColumn("noisy_distance_m", "float32", "m"),
    *(TableColumn(f"{axis}_m", "float32", "m") for axis in "xyz"),
    *(TableColumn(f"noisy_{axis}_m", "float32", "m") for axis in "xyz"),
    TableColumn("object_id", "uint64"),
    TableColumn("scan", "uint32"),
    TableColumn("ring", "uint16"),
    TableColumn("column", "uint32"),
    TableColumn("time_ns", "uint32", "ns"),
    TableColumn("material", "label"),
)
"""Columns of the Parquet file, see docs/reference/outputs.md."""
_MATERIAL = ("material.names", "material.row")
_TRUTH = (
    *((name, "<f4") for name in ("true_x", "true_y", "true_z", "true_range", "yaw", "pitch")),
    ("timestamp", "<f8"),
)


def true_xyz_m(scan: Scan) -> NDArray[np.float32]:
    """Return where the points of a scan would be without the sensor's errors.

    ``scan`` is the `Scan`. The result is x y z, float32 (n_point, 3) [m, sensor frame]. For a
    sensor without errors it is the reported position.
    """
    cloud = scan.cloud
    if cloud.true_xyz_m is not None:
        return cloud.true_xyz_m
    return np.stack([cloud.points[axis] for axis in "xyz"], axis=1)


def true_range_m(scan: Scan) -> NDArray[np.float32]:
    """Return the range that each point of a scan would have without the sensor's errors.

    ``scan`` is the `Scan`. The result is float32 (n_point,) [m]. For a sensor without errors it is
    the reported range.
    """
    true: NDArray[np.float32] | None = scan.cloud.true_range_m
    return scan.cloud.points["range"] if true is None else true


def timestamps_ns(scan: Scan) -> NDArray[np.int64]:
    """Return the time at which each point of a scan was measured, int64 (n_point,) [ns].

    ``scan`` is the `Scan`. The beam sees the scene in its state at this time. The time is never
    later than the end of the scan. It is the end of the scan for all points if all beams see the
    same instant.
    """
    points = scan.cloud.points
    if "time_ns" not in (points.dtype.names or ()):
        return np.full(len(points), scan.end_ns, np.int64)
    return np.minimum(scan.begin_ns + points["time_ns"].astype(np.int64), scan.end_ns)


def _angles_rad(xyz_m: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    points = np.ascontiguousarray(xyz_m).view([(axis, xyz_m.dtype) for axis in "xyz"])[:, 0]
    _, yaw_rad, pitch_rad = spherical(points)
    return yaw_rad, pitch_rad


def points_with_truth(scan: Scan) -> NDArray[Any]:
    """Return a copy of the points of a scan with added fields for their ground truth.

    Parameters
    ----------
    scan : Scan
        The scan, with n_point points.

    Returns
    -------
    structured (n_point,)
        Rows of ``cloud.point_type``, then true_x true_y true_z true_range [m], yaw pitch [rad]
        of the true point seen from the origin of the sensor, and timestamp [s].
    """
    xyz_m = true_xyz_m(scan)
    points = scan.cloud.points
    names = points.dtype.names or ()
    both = np.empty(len(points), [*((name, points.dtype[name]) for name in names), *_TRUTH])
    for name in names:
        both[name] = points[name]
    for place, axis in enumerate("xyz"):
        both[f"true_{axis}"] = xyz_m[:, place]
    both["true_range"] = true_range_m(scan)
    both["yaw"], both["pitch"] = _angles_rad(xyz_m)
    both["timestamp"] = timestamps_ns(scan) / 1e9
    return both


def clean_points(scan: Scan) -> NDArray[Any]:
    """Return a copy of the points of a scan at their true places, structured (n_point,).

    ``scan`` is the `Scan`. The rows are of ``cloud.point_type``; x y z and range are without the
    sensor's errors, and all other fields are as reported.
    """
    points: NDArray[Any] = scan.cloud.points.copy()
    xyz_m = true_xyz_m(scan)
    for place, axis in enumerate("xyz"):
        points[axis] = xyz_m[:, place]
    points["range"] = true_range_m(scan)
    return points


def truth_columns(scan: Scan, materials: Sequence[str]) -> dict[str, Any]:
    """Return the points of a scan, with true and reported values, as columns of a table.

    Parameters
    ----------
    scan : Scan
        The scan, with n_point points.
    materials : sequence of str
        Material names, indexed by ``material_id``.

    Returns
    -------
    dict of str to array (n_point,), Labels or None
        The columns `COLUMNS`, by name. ``time_ns`` is None if all beams see the same instant.
    """
    points, xyz_m = scan.cloud.points, true_xyz_m(scan)
    yaw_rad, pitch_rad = _angles_rad(xyz_m)
    timed = "time_ns" in (points.dtype.names or ())
    found, row = np.unique(points["material_id"], return_inverse=True)
    return {
        "timestamp_ns": timestamps_ns(scan),
        "yaw_rad": yaw_rad.astype(np.float32),
        "pitch_rad": pitch_rad.astype(np.float32),
        "distance_m": true_range_m(scan),
        "noisy_distance_m": points["range"],
        **{f"{axis}_m": xyz_m[:, place] for place, axis in enumerate("xyz")},
        **{f"noisy_{axis}_m": points[axis] for axis in "xyz"},
        "object_id": scan.cloud.object_id,
        "scan": np.full(len(points), scan.number, np.uint32),
        "ring": points["ring"],
        "column": points["column"],
        "time_ns": points["time_ns"] if timed else None,
        "material": Labels(["" if each == NO_MATERIAL else materials[each] for each in found], row),
    }


def _arrays(columns: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return columns as arrays: columns that are None are left out; labels become two arrays."""
    labels: Labels = columns["material"]
    parts = dict(zip(_MATERIAL, (np.array(labels.names, str), labels.row), strict=True))
    numbers = {name: values for name, values in columns.items() if isinstance(values, np.ndarray)}
    return numbers | parts


class GroundTruthExport(Writer):
    """Writes a Parquet file with the ground truth of the points for each sensor.

    A file has a row for each point, and a row group for each scan.

    Parameters
    ----------
    destination : Destination
        The folder of the run.
    config : Config
        The configuration with the sensors.
    """

    key = "ground_truth"
    has_tables = True
    sensor_names = (FILE_NAME,)

    def __init__(self, destination: Destination, config: Config) -> None:
        super().__init__(destination, config)
        self._files: dict[str, ParquetFile] = {}

    @classmethod
    def missing_library(cls, _output: Output) -> str:
        """Return how to install pyarrow if it is missing, else an empty text.

        The section output of the configuration, ``_output``, does not matter.
        """
        return NO_PARQUET if is_parquet_missing() else ""

    def open(self) -> None:
        """Begin the files; raise OutputError if one cannot be written."""
        for sensor in (each.name for each in self.config.sensors):
            words = {
                "version": __version__,
                "sensor": sensor,
                "seed": str(self.config.seed),
                "frame": "sensor: x forward, y left, z up",
            }
            path = self.folder / sensor / FILE_NAME
            self._files[sensor] = ParquetFile(path, COLUMNS, words)

    def take(self, step: Step) -> list[StepTable]:
        """Return a `StepTable` for each scan of ``step``, a `Step`, that repeats no earlier scan.

        A table has a row for each point; its ``name`` is the sensor's. It has the columns
        `COLUMNS`, with two arrays for the labels of ``material``. Columns without values are left
        out.
        """
        return [
            StepTable(self.key, scan.sensor, _arrays(truth_columns(scan, step.materials)))
            for scan in step.scans
            if scan.traced
        ]

    def write(self, table: StepTable) -> None:
        """Append a scan's table to its sensor's file; raise OutputError if it cannot be written.

        ``table`` is a `StepTable` that `take` has returned.
        """
        columns: dict[str, Any] = {each.name: table.columns.get(each.name) for each in COLUMNS}
        names, row = (table.columns[name] for name in _MATERIAL)
        self._files[table.name].write(columns | {"material": Labels(names.tolist(), row)})

    def close(self) -> None:
        """Complete all files, even if one of them fails."""
        with ExitStack() as stack:
            for file in self._files.values():
                stack.callback(file.close)
