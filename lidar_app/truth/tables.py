# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The tables of ground truth: boxes.parquet (a row for each box in each scan), scans.parquet."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lidar_base.columns import rows_of
from osi_bridge import NO_OBJECT, ObjectKind
from osi_lidar.clouds.pcd import pose_row
from osi_lidar.output.parquet_file import ParquetFile, TableColumn
from osi_lidar.output.point_clouds import cloud_name
from osi_lidar.output.writer import list_files
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_app.truth.scan import ScanTruth
    from osi_bridge import Frame
    from osi_lidar.config import Config
    from osi_lidar.scan.step import Scan, Step

BOXES, SCANS = "boxes.parquet", "scans.parquet"
"""Names of the tables."""
_POSE = (("x", "m"), ("y", "m"), ("z", "m"), ("qw", ""), ("qx", ""), ("qy", ""), ("qz", ""))
BOX_COLUMNS = (
    TableColumn("scan", "int32"),
    TableColumn("sensor", "string"),
    TableColumn("time_ns", "int64", "ns"),
    TableColumn("object_id", "uint64"),
    TableColumn("kind", "string"),
    TableColumn("osi_type", "string"),
    TableColumn("osi_class", "string"),
    *(TableColumn(name, "float64", "m") for name in ("x", "y", "z", "length", "width", "height")),
    *(TableColumn(name, "float64", "rad") for name in ("roll", "pitch", "yaw")),
    *(TableColumn(name, "float64", "m/s") for name in ("vx", "vy", "vz")),
    *(TableColumn(f"begin_{name}", "float64", "m") for name in ("x", "y", "z")),
    *(TableColumn(f"begin_{name}", "float64", "rad") for name in ("roll", "pitch", "yaw")),
    TableColumn("points", "uint32"),
    TableColumn("points_alone", "uint32"),
    TableColumn("visibility", "float32"),
    TableColumn("occlusion", "uint8"),
    TableColumn("truncation", "float32"),
    TableColumn("track", "int32"),
    TableColumn("is_host", "bool"),
)
"""Columns of boxes.parquet, which has a row for each object in each scan: name, dtype and unit."""
SCAN_COLUMNS = (
    TableColumn("scan", "int32"),
    TableColumn("frame", "int32"),
    TableColumn("sensor", "string"),
    TableColumn("time_ns", "int64", "ns"),
    TableColumn("file", "string"),
    *(TableColumn(name, "float64", unit) for name, unit in _POSE),
    *(TableColumn(f"host_{name}", "float64", unit) for name, unit in _POSE),
    TableColumn("points", "uint32"),
    TableColumn("labelled", "uint32"),
)
"""Columns of scans.parquet, which has a row for each scan: name, dtype and unit."""
_ROWS_OF_GROUP, _SCANS_OF_GROUP = 1 << 14, 1 << 9
"""A row group ends when it has this many rows, or this many scans."""
_UPRIGHT = 1e-9

Columns: TypeAlias = "dict[str, NDArray[np.generic] | list[str]]"


class TruthTables:
    """Writes boxes.parquet and scans.parquet; they have temporary names until `close`.

    Parameters
    ----------
    folder : Path
        The folder of the tables.
    config : Config
        The configuration of the run.

    Raises
    ------
    OutputError
        If pyarrow is not installed, or a table cannot be written; also raised by the methods.
    """

    def __init__(self, folder: Path, config: Config) -> None:
        words = {"version": __version__, "host": "origin at the middle of the rear axle"}
        self._boxes = _Table(folder / BOXES, BOX_COLUMNS, words)
        self._scans = _Table(folder / SCANS, SCAN_COLUMNS, words)
        self._has_clouds = config.output.pcd != "none"
        self._velocities = Velocities(config.scene.teleport.speed_m_s)
        self._tracks: dict[int, int] = {}
        self._n_scans = 0

    def add(
        self,
        step: Step,
        frame: Frame,
        truths: Iterable[ScanTruth],
        vehicle_from_sensor: dict[str, NDArray[np.float64]],
    ) -> None:
        """Append the scans of a step, and the boxes in them, to the tables.

        Parameters
        ----------
        step : Step
            The step.
        frame : Frame
            OSI message of the step.
        truths : iterable of ScanTruth
            Ground truth of each scan of the step, in the same order.
        vehicle_from_sensor : dict of str to float64 (4, 4)
            Pose of each sensor on the vehicle, by the name of the sensor. [m]
        """
        for scan, truth in zip(step.scans, truths, strict=True):
            rear_axle = scan.world_from_sensor @ np.linalg.inv(vehicle_from_sensor[scan.sensor])
            self._boxes.add(self._box_columns(scan, frame, truth))
            self._scans.add(self._scan_columns(step, scan, rear_axle))
            self._n_scans += 1

    def close(self) -> None:
        """Complete the tables and rename them to their final names; further calls do nothing."""
        try:
            self._boxes.close()
        finally:
            self._scans.close()

    def _box_columns(self, scan: Scan, frame: Frame, truth: ScanTruth) -> Columns:
        """Return the rows of all boxes of a scan, as columns."""
        objects, row, n = truth.objects, truth.row, len(truth.row)
        object_id, pose = objects.object_id[row], truth.world_from_object[row]
        host_id = NO_OBJECT if truth.host_id is None else truth.host_id
        velocity = self._velocities.of(scan, frame, truth)
        subtypes = [objects.subtype_name[each] or objects.type_name[each] for each in row.tolist()]
        return {
            "scan": np.full(n, self._n_scans, np.int32),
            "sensor": [scan.sensor] * n,
            "time_ns": np.full(n, scan.end_ns, np.int64),
            "object_id": object_id,
            "kind": [ObjectKind(each).name.lower() for each in objects.kind[row].tolist()],
            "osi_type": [objects.type_name[each] for each in row.tolist()],
            "osi_class": subtypes,
            **_pose_columns("", pose),
            **dict(zip(("length", "width", "height"), truth.size_m.T, strict=True)),
            **dict(zip(("vx", "vy", "vz"), velocity.T, strict=True)),
            **_pose_columns("begin_", truth.world_from_object_begin[row]),
            "points": truth.points,
            "points_alone": truth.points_alone,
            "visibility": truth.visibility,
            "occlusion": truth.occlusion,
            "truncation": truth.truncation,
            "track": np.array([self._track(each) for each in object_id.tolist()], np.int32),
            "is_host": object_id == np.uint64(host_id),
        }

    def _scan_columns(self, step: Step, scan: Scan, rear_axle: NDArray[np.float64]) -> Columns:
        """Return the row of a scan, as columns of length 1."""
        poses = (("", scan.world_from_sensor), ("host_", rear_axle))
        of_poses = {
            prefix + name: np.array([value])
            for prefix, pose in poses
            for (name, _), value in zip(_POSE, pose_row(pose), strict=True)
        }
        labelled = np.count_nonzero(scan.cloud.object_id != NO_OBJECT)
        return {
            "scan": np.array([self._n_scans], np.int32),
            "frame": np.array([step.index], np.int32),
            "sensor": [scan.sensor],
            "time_ns": np.array([scan.end_ns], np.int64),
            "file": [cloud_name(scan.sensor, scan.cloud_number) if self._has_clouds else ""],
            **of_poses,
            "points": np.array([len(scan.cloud)], np.uint32),
            "labelled": np.array([labelled], np.uint32),
        }

    def _track(self, object_id: int) -> int:
        return self._tracks.setdefault(object_id, len(self._tracks))


def _pose_columns(prefix: str, pose: NDArray[np.float64]) -> Columns:
    """Return positions [m] and angles [rad] of poses (n, 4, 4) as columns."""
    angles_rad = zip(("roll", "pitch", "yaw"), _angles_rad(pose[:, :3, :3]), strict=True)
    places_m = zip("xyz", pose[:, :3, 3].T, strict=True)
    return {f"{prefix}{name}": values for name, values in (*places_m, *angles_rad)}


def _angles_rad(rotation: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return roll, pitch and yaw of rotations (n, 3, 3); roll is 0 if the pitch is +-90 deg."""
    level = np.hypot(rotation[:, 0, 0], rotation[:, 1, 0])
    upright = level < _UPRIGHT
    roll = np.arctan2(rotation[:, 2, 1], rotation[:, 2, 2])
    yaw = np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])
    turned = np.arctan2(-rotation[:, 0, 1], rotation[:, 1, 1])
    pitch = np.arctan2(-rotation[:, 2, 0], level)
    return np.where(upright, 0.0, roll), pitch, np.where(upright, turned, yaw)


class Velocities:
    """Finds the velocities of objects: as messages state them, else from positions in two scans.

    Parameters
    ----------
    largest_m_s : float
        Largest velocity from positions. Above it the object has jumped, and its velocity is NaN.
        Velocities that messages state are not limited. [m/s]
    """

    def __init__(self, largest_m_s: float) -> None:
        self._largest_m_s = largest_m_s
        self._before: dict[str, tuple[int, NDArray[np.uint64], NDArray[np.float64]]] = {}

    def of(self, scan: Scan, frame: Frame, truth: ScanTruth) -> NDArray[np.float64]:
        """Return the velocities of a scan's boxes in the world, float64 (n, 3) [m/s].

        Call it once for each scan, in order, as it remembers positions. Stationary objects, signs
        and lights have 0. A moving object whose velocity the message does not state has NaN if the
        previous scan of the sensor lacks it, or if it jumped.

        Parameters
        ----------
        scan : Scan
            The scan, for its sensor and the time of its end.
        frame : Frame
            OSI message of the scan, which may state velocities.
        truth : ScanTruth
            Ground truth of the scan, with n listed objects.
        """
        objects, row = truth.objects, truth.row
        object_id, centre_m = objects.object_id, truth.world_from_object[:, :3, 3]
        velocity = np.full((len(row), 3), np.nan)
        velocity[objects.kind[row] != ObjectKind.MOVING] = 0.0
        moving = np.flatnonzero(objects.kind[row] == ObjectKind.MOVING)
        before = self._before.get(scan.sensor)
        if before is not None and before[0] < scan.end_ns:
            place = rows_of(before[1], object_id[row[moving]])
            known = moving[place >= 0]
            way_m = centre_m[row[known]] - before[2][place[place >= 0]]
            by_way = way_m / (1e-9 * (scan.end_ns - before[0]))
            by_way[np.linalg.norm(by_way, axis=1) > self._largest_m_s] = np.nan
            velocity[known] = by_way
        self._before[scan.sensor] = scan.end_ns, object_id, centre_m
        place = rows_of(frame.objects.object_id, object_id[row])
        for n in moving.tolist():
            stated = frame.stated_velocity_m_s(int(place[n])) if place[n] >= 0 else None
            velocity[n] = velocity[n] if stated is None else stated
        return velocity


class _Table:
    """A Parquet file with row groups of many scans; created by the first row group or `close`."""

    def __init__(self, path: Path, columns: tuple[TableColumn, ...], words: dict[str, str]) -> None:
        self._folder, self._make = path.parent, partial(ParquetFile, path, columns, words)
        self._names = [column.name for column in columns]
        self._file: ParquetFile | None = None
        self._waiting: list[Columns] = []
        self._n_waiting, self._is_closed = 0, False

    def add(self, columns: Columns) -> None:
        """Append rows."""
        self._waiting.append(columns)
        self._n_waiting += len(columns[self._names[0]])
        if self._n_waiting >= _ROWS_OF_GROUP or len(self._waiting) >= _SCANS_OF_GROUP:
            self._flush(self._begun())

    def close(self) -> None:
        """Complete the file; does nothing the second time."""
        if self._is_closed:
            return
        self._is_closed = True
        file = self._begun()
        try:
            if self._n_waiting:
                self._flush(file)
        finally:
            file.close()

    def _begun(self) -> ParquetFile:
        if self._file is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            list_files(self._folder, [BOXES, SCANS])
            self._file = self._make()
        return self._file

    def _flush(self, file: ParquetFile) -> None:
        file.write({name: _joined([each[name] for each in self._waiting]) for name in self._names})
        self._waiting, self._n_waiting = [], 0


def _joined(parts: list[NDArray[np.generic] | list[str]]) -> NDArray[np.generic] | list[str]:
    """Concatenate the values of a column of several scans."""
    if isinstance(parts[0], list):
        return [value for part in parts for value in part]
    return np.concatenate(parts)
