# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ground truth beside the points: what each of them would be if the sensor had no errors.

The fields are those of BlenSor (Gschwandtner et al., BlenSor: Blender Sensor Simulation Toolbox,
2011), with OSI ids for objects, and ring, time and infrared material besides.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from osi_lidar.output.parquet_file import Column, Labels, ParquetFile
from osi_lidar.scan.cloud import spherical
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.config import Config
    from osi_lidar.scan.step import Scan, Step

FILE_NAME = "ground_truth.parquet"
COLUMNS = (
    Column("timestamp_ns", "int64", "ns"),
    Column("yaw_rad", "float32", "rad"),
    Column("pitch_rad", "float32", "rad"),
    Column("distance_m", "float32", "m"),
    Column("noisy_distance_m", "float32", "m"),
    *(Column(f"{axis}_m", "float32", "m") for axis in "xyz"),
    *(Column(f"noisy_{axis}_m", "float32", "m") for axis in "xyz"),
    Column("object_id", "uint64"),
    Column("scan", "uint32"),
    Column("ring", "uint16"),
    Column("column", "uint32"),
    Column("time_ns", "uint32", "ns"),
    Column("material", "label"),
)
"""Columns of the Parquet file, see docs/get-started.md."""
_TRUTH = (
    *((name, "<f4") for name in ("true_x", "true_y", "true_z", "true_range", "yaw", "pitch")),
    ("timestamp", "<f8"),
)


def true_xyz_m(scan: Scan) -> NDArray[np.float32]:
    """Return where the points would be without errors, float32 (n_point, 3), sensor frame [m]."""
    cloud = scan.cloud
    if cloud.true_xyz_m is not None:
        return cloud.true_xyz_m
    return np.stack([cloud.points[axis] for axis in "xyz"], axis=1)


def true_range_m(scan: Scan) -> NDArray[np.float32]:
    """Return the ranges without errors, float32 (n_point,). [m]."""
    true: NDArray[np.float32] | None = scan.cloud.true_range_m
    return scan.cloud.points["range"] if true is None else true


def timestamps_ns(scan: Scan) -> NDArray[np.int64]:
    """Return when each point was measured, int64 (n_point,). [ns].

    The moment whose world its beam met: after the scan's end never, and at it where all beams
    see one instant.
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
    """Return the points of a scan with the fields of their ground truth.

    Returns
    -------
    structured (n_point,)
        Rows of ``response.point_type``, then true_x true_y true_z true_range [m], yaw pitch [rad]
        of the true point as seen from the sensor's origin, and timestamp [s].
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


def truth_columns(scan: Scan, materials: Sequence[str]) -> dict[str, Any]:
    """Return the points of a scan as columns.

    Parameters
    ----------
    scan : Scan
        With n_point points.
    materials : sequence of str
        The list that ``material_id`` counts in.

    Returns
    -------
    dict of str to array (n_point,), Labels or None
        See ``COLUMNS``; the time in the scan is None of beams that all see one instant.
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
        "material": Labels([materials[each] for each in found], row),
    }


class GroundTruthExport:
    """Writes a Parquet file per sensor if the configuration asks for it; a row group per scan.

    Parameters
    ----------
    folder : Path
        Of the run; the sensors' folders are in it.
    config : Config
        Says what is asked for.
    """

    def __init__(self, folder: Path, config: Config) -> None:
        wanted = config.sensors if config.output.ground_truth else ()
        self._paths = {each.name: folder / each.name / FILE_NAME for each in wanted}
        self._seed = config.seed
        self._files: dict[str, ParquetFile] = {}

    def open(self) -> None:
        """Begin the files.

        Raises
        ------
        OutputError
            If a file cannot be written, as below.
        """
        for sensor, path in self._paths.items():
            words = {
                "version": __version__,
                "sensor": sensor,
                "seed": str(self._seed),
                "frame": "sensor: x forward, y left, z up",
            }
            self._files[sensor] = ParquetFile(path, COLUMNS, words)

    def write(self, step: Step) -> None:
        """Write the scans that were traced anew."""
        for scan in step.scans if self._files else ():
            if scan.traced:
                self._files[scan.sensor].write(truth_columns(scan, step.materials))

    def close(self) -> None:
        """Complete the files; if one cannot be, the others are, all the same."""
        with ExitStack() as stack:
            for file in self._files.values():
                stack.callback(file.close)
