# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The folder that a run writes: point clouds, frames.csv, SensorData trace, run.json."""

from __future__ import annotations

import csv
import json
import os
import re
from typing import IO, TYPE_CHECKING, Any, TypeAlias, get_args

from osi_bridge import TraceError, TraceWriter, open_trace_writer
from osi_lidar.config.models import DepthFormat
from osi_lidar.errors import OutputError
from osi_lidar.output.background import Background
from osi_lidar.output.depth_image import missing_library, write_depth
from osi_lidar.output.files import TEMPORARY, remove, replacing
from osi_lidar.output.motion_export import MotionExport
from osi_lidar.output.parquet_file import NO_PARQUET, is_parquet_missing
from osi_lidar.output.pcd import write_pcd
from osi_lidar.output.truth_export import FILE_NAME, GroundTruthExport, points_with_truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from osi_lidar.config import Config, Output, Sensor
    from osi_lidar.scan.step import Scan, Step

DESKEWED = "deskewed"
"""Folder, in that of a sensor, of clouds without the sensor's own motion."""
TABLE_PART = ".frames.csv.part"
JOURNALS = r"\.interval-\d+\.part|\.stop\.part"
"""What the processes of a run have for each other, see `parallel`."""
IDENTITY = ".run.json.part"
"""What tells an unfinished run from others."""
FRAME_COLUMNS = (
    "frame", "time_ns", "sensor", "traced", "points", "file", "scan_begin_ns", "scan_end_ns"
)  # fmt: skip
Rows: TypeAlias = "list[Sequence[object]]"
_OURS = re.compile(
    r"frames\.csv|run\.json|preview\.png|motion\.(txt|parquet)"
    r"|.*_sd_\d+_\d+_\d+_.*\.(osi|mcap)|.*\.part|\.earlier\..*"
)
_UNFINISHED = re.compile(rf"{TEMPORARY.pattern}|{JOURNALS}")
_CLOUD = re.compile(rf"\d{{6,}}\.(pcd|png|pfm|exr|npy)|{re.escape(FILE_NAME)}|\..*\.part")


class RunFolder:
    """Writes the results of a run; every file is whole or not there.

    Nothing is written before ``open`` or the first step. Steps are written on a thread of its own,
    in their order. ``finish`` completes the folder, whatever the run's end was.

    Parameters
    ----------
    path : Path
        The folder; it must be empty or absent unless overwrite is set.
    config : Config
        What to write.
    custom_name : str
        Free part of the SensorData trace's name.
    start : datetime or None
        Time in the trace's name.
    overwrite : bool
        Take the place of an earlier run's files; other files are left alone.
    identity : mapping, optional
        What tells the run from others, should it be cut and resumed.
    keep : bool
        Leave what an earlier run has written.

    Raises
    ------
    OutputError
        If the folder is not empty, or is a file, or a library is missing.
    """

    def __init__(  # noqa: PLR0913  as many choices
        self,
        path: Path,
        config: Config,
        *,
        custom_name: str,
        start: datetime | None = None,
        overwrite: bool = False,
        identity: Mapping[str, object] | None = None,
        keep: bool = False,
    ) -> None:
        self.path = path
        self._output = config.output
        self._sensors = config.sensors
        self._config = config
        self._custom_name, self._start = custom_name, start
        self._clear = overwrite and not keep
        self._identity = identity
        self._table: IO[str] | None = None
        self._trace: TraceWriter | None = None
        check_folder(path, overwrite=overwrite or keep)
        if lacking := missing_libraries(self._output):
            raise OutputError(lacking[0])
        self._exports = (MotionExport(path, config), GroundTruthExport(path, config))
        self._writing = Background(self._write)

    @property
    def unwritten(self) -> tuple[Step, ...]:
        """The steps that were not written, after an error."""
        return self._writing.undone

    def write(self, step: Step) -> None:
        """Let a step be written: its new clouds, a row per sensor, the SensorData message.

        Raises
        ------
        OutputError, TraceError
            If the folder cannot be written to; it may be an earlier step that could not.
        """
        self.open()
        self._writing.give(step)

    def flush(self) -> None:
        """Return when all steps are written.

        Raises
        ------
        OutputError, TraceError
            If one could not be, unless that has been told already.
        """
        self._writing.flush()

    def _write(self, step: Step) -> None:
        try:
            self.add(write_scans(self.path, step, self._config), step.sensor_data, step.time_ns)
        except (OutputError, TraceError):
            traced = [scan for scan in step.scans if scan.traced]
            remove_clouds(self.path, [cloud_name(scan.sensor, scan.number) for scan in traced])
            raise
        for export in self._exports:
            export.write(step)

    def add(self, rows: Rows, sensor_data: bytes, time_ns: int) -> None:
        """Add the rows and the message of a step whose clouds are there; the folder is open.

        Raises
        ------
        OutputError, TraceError
            If the folder cannot be written to.
        """
        assert self._table is not None  # noqa: S101  it is open
        if self._trace is not None:
            self._trace.write(sensor_data, time_ns)
        try:
            csv.writer(self._table).writerows(rows)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from error

    def finish(self, content: dict[str, Any]) -> None:
        """Complete the files and write run.json; does nothing if the folder was not opened.

        Adds the name of the SensorData trace, which tells its number of frames, to the content.

        Raises
        ------
        OutputError
            If a file cannot be completed; the others are, all the same.
        """
        if self._table is None:
            return
        content["sensor_data"] = None
        problems: list[Exception] = []
        ends = (self._writing.close, *(export.close for export in self._exports))
        writing, *exports = (lambda _content, end=end: end() for end in ends)
        # the trace first: half a message that is cut off makes room on a full disk
        tables = (self._finish_trace, self._finish_table, *exports, self._write_report)
        for complete in (writing, *tables):
            try:
                complete(content)
            except (OSError, TraceError, OutputError) as error:  # noqa: PERF203  a few at most
                problems.append(error)
        if problems:
            raise OutputError(f"{self.path}: cannot be completed: {problems[0]}")

    def _finish_table(self, _content: dict[str, Any]) -> None:
        assert self._table is not None  # noqa: S101  finish has looked
        part = self.path / TABLE_PART
        try:
            self._table.close()
            part.replace(self.path / "frames.csv")
        finally:
            remove(part)

    def _finish_trace(self, content: dict[str, Any]) -> None:
        trace = None if self._trace is None else self._trace.close()
        content["sensor_data"] = None if trace is None else trace.name

    def _write_report(self, content: dict[str, Any]) -> None:
        with replacing(self.path / "run.json") as temporary:
            temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        remove(self.path / IDENTITY)

    def open(self) -> None:
        """Make the folder, without the results of an earlier run; a second call does nothing.

        Raises
        ------
        OutputError, TraceError
            If the folder cannot be written to.
        """
        if self._table is not None:
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if self._clear:
                _remove_earlier(self.path, self._sensors, _OURS, _CLOUD)
            else:  # what a run that is gone on with was writing when it was killed
                self.remove_unfinished()
            if self._identity is not None:
                with replacing(self.path / IDENTITY) as temporary:
                    temporary.write_text(json.dumps(self._identity), encoding="utf-8")
            for sensor in self._sensors:
                (self.path / sensor_folder(sensor)).mkdir(parents=True, exist_ok=True)
            # line by line, so that a run that is killed leaves the rows of what it has finished
            self._table = (self.path / TABLE_PART).open(
                "w", newline="", encoding="utf-8", buffering=1
            )
            csv.writer(self._table).writerow(FRAME_COLUMNS)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {error.strerror}") from error
        if self._output.sensor_data != "none":
            self._trace = open_trace_writer(
                self.path,
                self._output.sensor_data,
                custom_name=self._custom_name,
                start=self._start,
            )
        for export in self._exports:
            export.open()

    def remove_unfinished(self) -> None:
        """Remove what processes that were killed have begun to write.

        Raises
        ------
        OSError
            If it cannot be removed.
        """
        _remove_earlier(self.path, self._sensors, _UNFINISHED, TEMPORARY)


def missing_libraries(output: Output) -> list[str]:
    """Return a line for each key that asks for what no installed library can write."""
    lacking = []
    if words := missing_library(output.depth):
        lacking.append(f"output.depth: {words}")
    if output.ground_truth and is_parquet_missing():
        lacking.append(f"output.ground_truth: {NO_PARQUET}")
    if output.motion in {"parquet", "both"} and is_parquet_missing():
        lacking.append(f"output.motion: {NO_PARQUET}")
    return lacking


def write_scans(path: Path, step: Step, config: Config) -> Rows:
    """Write the clouds and images of a step that were traced anew; return its rows of frames.csv.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    output = config.output
    sizes = {sensor.name: sensor.image_size for sensor in config.sensors}
    rows: Rows = []
    for scan in step.scans:
        file = "" if output.pcd == "none" else cloud_name(scan.sensor, scan.cloud_number)
        if scan.traced:
            if output.pcd != "none":
                write_clouds(path, scan, output)
            size = sizes[scan.sensor]
            if scan.depth_m is not None and size is not None:
                image = scan.depth_m.reshape(size[1], size[0])
                write_depth(path / scan.sensor / f"{scan.number:06d}.{output.depth}", image)
        scanned = (scan.sensor, int(scan.traced), len(scan.cloud.points), file)
        rows.append((step.index, step.time_ns, *scanned, scan.begin_ns, scan.end_ns))
    return rows


def cloud_name(sensor: str, number: int) -> str:
    """Return the name of a scan's point cloud, below the run's folder."""
    return f"{sensor}/{number:06d}.pcd"


def remove_clouds(path: Path, names: Iterable[str]) -> None:
    """Remove clouds of a run that has no frames for them, and what lies beside them."""
    for name in names:
        cloud = path / name
        for each in (cloud, cloud.parent / DESKEWED / cloud.name):
            remove(each)
        for kind in get_args(DepthFormat):
            remove(cloud.with_suffix(f".{kind}"))


def write_clouds(path: Path, scan: Scan, output: Output) -> str:
    """Write the clouds of a scan, binary if there is no format for them.

    Returns
    -------
    str
        The name of the point cloud, below the path.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    name = cloud_name(scan.sensor, scan.number)
    encoding = "binary" if output.pcd == "none" else output.pcd
    points = points_with_truth(scan) if output.ground_truth else scan.cloud.points
    write_pcd(path / name, points, encoding)
    if scan.deskewed is not None:
        write_pcd(path / scan.sensor / DESKEWED / f"{scan.number:06d}.pcd", scan.deskewed, encoding)
    return name


def sensor_folder(sensor: Sensor) -> str:
    """Return the deepest folder that a sensor's clouds need."""
    return f"{sensor.name}/{DESKEWED}" if sensor.deskew else sensor.name


def check_folder(path: Path, *, overwrite: bool) -> None:
    """Refuse an output folder that holds something, is none, or cannot be written to.

    Raises
    ------
    OutputError
        With what to do about it.
    """
    # unlike Path's, os.path's questions never raise
    if os.path.isdir(path):  # noqa: PTH112
        if not overwrite and _entries(path):
            raise OutputError(
                f"{path}: the output folder is not empty; choose another, or give --overwrite"
            )
    elif os.path.lexists(path):
        raise OutputError(f"{path}: is no folder, expected one for the output")
    existing = path.absolute()
    while not os.path.lexists(existing) and existing != existing.parent:
        existing = existing.parent
    usable = os.path.isdir(existing) and os.access(existing, os.W_OK | os.X_OK)  # noqa: PTH112
    if not usable:
        raise OutputError(f"{path}: cannot be written, {existing} does not allow it")


def _entries(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except OSError as error:
        raise OutputError(f"{path}: cannot be read: {error.strerror}") from error


def _remove_earlier(
    path: Path, sensors: tuple[Sensor, ...], ours: re.Pattern[str], clouds: re.Pattern[str]
) -> None:
    """Remove files of these names that an earlier run has left, and those in sensors' folders.

    A sensor's folder that is a link leads to somebody else's clouds: those stay.
    """
    for file in path.iterdir():
        if file.is_file() and ours.fullmatch(file.name):
            file.unlink()
    folders = [path / sensor.name for sensor in sensors]
    for folder in [*folders, *(folder / DESKEWED for folder in folders)]:
        own = folder.is_dir() and not (folder.is_symlink() or folder.parent.is_symlink())
        for file in folder.iterdir() if own else ():
            if file.is_file() and clouds.fullmatch(file.name):
                file.unlink()
