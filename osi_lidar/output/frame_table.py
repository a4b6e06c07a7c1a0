# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The table frames.csv of a run: a row for each message and sensor."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from lidar_base.files.whole_files import check_regular, remove
from osi_lidar.clouds.pcd import pose_row
from osi_lidar.errors import InputError
from osi_lidar.output.point_clouds import cloud_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from osi_lidar.config import Output
    from osi_lidar.scan.step import Scan, Step

TABLE_NAME, TABLE_PART = "frames.csv", ".frames.csv.part"
SCAN_COLUMNS = (
    "frame", "time_ns", "sensor", "traced", "points", "file", "scan_begin_ns", "scan_end_ns"
)  # fmt: skip
"""Columns of the scan; older versions wrote these columns only."""
POSE_COLUMNS = ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")
"""Pose of the sensor in the world, see `pcd.pose_row`."""
BEGIN = "begin_"
FRAME_COLUMNS = (*SCAN_COLUMNS, *POSE_COLUMNS, *(BEGIN + name for name in POSE_COLUMNS))
_LARGEST_SKEW = 1e-6  # allowed error of a quaternion's length
_LARGEST_PLACE_M = 1e10  # beyond all places of messages and mountings
_LARGEST_FRAME, _LARGEST_NS = 2**32 - 1, 2**63 - 1
FrameRows: TypeAlias = "list[Sequence[object]]"


class FrameRow(NamedTuple):
    """A row of frames.csv: a scan, and the cloud that it has or repeats.

    Attributes
    ----------
    frame : int
        Number of the message.
    time_ns : int
        Timestamp of the message. [ns]
    sensor : str
        Name of the sensor.
    points : int
        Number of points of the cloud.
    file : str
        File of the cloud, relative to the folder of the run; empty if none was written.
    begin_ns, end_ns : int
        Begin and end of the scan. [ns]
    end_pose, begin_pose : float64 (7,) or None
        Poses of the sensor in the world at the end and the begin of the scan: x y z [m] and
        qw qx qy qz. None in tables of older versions.
    """

    frame: int
    time_ns: int
    sensor: str
    points: int
    file: str
    begin_ns: int
    end_ns: int
    end_pose: NDArray[np.float64] | None
    begin_pose: NDArray[np.float64] | None


class FrameTable:
    """Writes frames.csv, under a temporary name until it is closed.

    It writes line by line, so that a killed run leaves the rows of all steps it has finished.

    Parameters
    ----------
    folder : Path
        The folder of the run.

    Raises
    ------
    OSError
        If the table cannot be written, here and in the methods.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[str] = (folder / TABLE_PART).open(
            "w", newline="", encoding="utf-8", buffering=1
        )

    def begin(self) -> None:
        """Write the line with the names of the columns, `FRAME_COLUMNS`; call it first."""
        self.add([FRAME_COLUMNS])

    def add(self, rows: FrameRows) -> None:
        """Append rows to the table; each is a sequence of the values of `FRAME_COLUMNS`, in order.

        ``rows`` is a list of such sequences, as `frame_rows` returns it.
        """
        csv.writer(self._file).writerows(rows)

    def close(self) -> None:
        """Complete the table and give it its name, frames.csv."""
        part = self._folder / TABLE_PART
        try:
            self._file.close()
            part.replace(self._folder / TABLE_NAME)
        finally:
            remove(part)


def frame_rows(step: Step, output: Output) -> FrameRows:
    """Return a row of frames.csv for each scan of a step, also for scans that repeat a cloud.

    Parameters
    ----------
    step : Step
        The answer to a message, with its scans.
    output : Output
        Section of the configuration. With ``pcd: none``, the column ``file`` is empty.

    Returns
    -------
    list of tuple
        The rows, each with the values of the columns `FRAME_COLUMNS`, in their order.
    """
    rows: FrameRows = []
    for scan in step.scans:
        file = "" if output.pcd == "none" else cloud_name(scan.sensor, scan.cloud_number)
        scanned = (scan.sensor, int(scan.traced), len(scan.cloud.points), file)
        poses = scan.world_from_sensor, scan.world_from_sensor_at_begin
        numbers = (number for pose in poses for number in pose_row(pose))
        rows.append((step.index, step.time_ns, *scanned, scan.begin_ns, scan.end_ns, *numbers))
    return rows


def row_of(scan: Scan, *, frame: int, time_ns: int) -> FrameRow:
    """Return the `FrameRow` of a scan whose cloud is not written to a file.

    Parameters
    ----------
    scan : Scan
        The scan.
    frame : int
        Number of its message.
    time_ns : int
        Timestamp of the message. [ns]
    """
    return FrameRow(
        frame=frame,
        time_ns=time_ns,
        sensor=scan.sensor,
        points=len(scan.cloud.points),
        file="",
        begin_ns=scan.begin_ns,
        end_ns=scan.end_ns,
        end_pose=np.asarray(pose_row(scan.world_from_sensor)),
        begin_pose=np.asarray(pose_row(scan.world_from_sensor_at_begin)),
    )


def read_frame_table(folder: Path) -> list[FrameRow]:
    """Read the table frames.csv of a run.

    Parameters
    ----------
    folder : Path
        The folder of the run.

    Returns
    -------
    list of FrameRow
        The rows in the order of the table. They have no poses if an older version wrote the table.

    Raises
    ------
    InputError
        If the table is absent or damaged.
    """
    path = folder / TABLE_NAME
    try:
        check_regular(path)
        with path.open(newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            header = tuple(next(rows, ()))
            if header not in {SCAN_COLUMNS, FRAME_COLUMNS}:
                raise InputError(f"{path}: line 1: expected {','.join(FRAME_COLUMNS)}")
            return [_read_row(f"{path}: line {rows.line_num}", header, row) for row in rows]
    except FileNotFoundError:
        raise InputError(f"{folder}: has no {TABLE_NAME}, the run is damaged") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: is not a CSV file, or is damaged: {error}") from error


def _read_row(place: str, header: tuple[str, ...], row: list[str]) -> FrameRow:
    problem = InputError(f"{place}: got {','.join(row)!r}, expected {','.join(header)}")
    if len(row) != len(header):
        raise problem
    values = dict(zip(header, row, strict=True))
    name = Path(values["file"])
    if name.is_absolute() or ".." in name.parts or "\0" in values["file"]:
        raise InputError(f"{place}: got {values['file']!r}, expected a file of the run's folder")
    whole = ("frame", "time_ns", "points", "scan_begin_ns", "scan_end_ns")
    try:
        frame, time_ns, points, begin_ns, end_ns = (int(values[key]) for key in whole)
        poses = np.array(row[len(SCAN_COLUMNS) :], np.float64).reshape(-1, len(POSE_COLUMNS))
    except ValueError:
        raise problem from None
    if min(frame, points) < 0 or not (np.abs(poses) <= _LARGEST_PLACE_M).all():
        raise problem
    if not (np.abs(np.linalg.norm(poses[:, 3:], axis=1) - 1.0) < _LARGEST_SKEW).all():
        raise problem
    if frame > _LARGEST_FRAME or max(map(abs, (time_ns, begin_ns, end_ns))) > _LARGEST_NS:
        raise problem
    end_pose, begin_pose = poses if len(poses) else (None, None)
    return FrameRow(
        frame=frame,
        time_ns=time_ns,
        sensor=values["sensor"],
        points=points,
        file=values["file"],
        begin_ns=begin_ns,
        end_ns=end_ns,
        end_pose=end_pose,
        begin_pose=begin_pose,
    )
