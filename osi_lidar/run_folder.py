# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The folder that a run writes: point clouds, frames.csv, SensorData trace, run.json."""

from __future__ import annotations

import csv
import json
import re
from typing import IO, TYPE_CHECKING, Any

from osi_bridge import TraceWriter, open_trace_writer
from osi_lidar.errors import OutputError
from osi_lidar.files import replacing
from osi_lidar.pcd import write_pcd

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from osi_lidar.config import Config
    from osi_lidar.model import Step

FRAME_COLUMNS = ("frame", "time_ns", "sensor", "traced", "points", "file")
_OURS = re.compile(r"frames\.csv|run\.json|preview\.png|.*_sd_\d+_\d+_\d+_.*\.(osi|mcap)|.*\.part")
_CLOUD = re.compile(r"\d{6,}\.(pcd|png)|\..*\.part")


class RunFolder:
    """Writes the results of a run; every file is whole or not there.

    Nothing is written before the first step. ``finish`` completes the folder, whatever the run's
    end was.

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

    Raises
    ------
    OutputError
        If the folder is not empty, or is a file.
    """

    def __init__(
        self,
        path: Path,
        config: Config,
        *,
        custom_name: str,
        start: datetime | None = None,
        overwrite: bool = False,
    ) -> None:
        self.path = path
        self._output = config.output
        self._sensors = tuple(sensor.name for sensor in config.sensors)
        self._custom_name, self._start = custom_name, start
        self._overwrite = overwrite
        self._table: IO[str] | None = None
        self._trace: TraceWriter | None = None
        self._last_file: dict[str, str] = {}
        check_folder(path, overwrite=overwrite)

    def write(self, step: Step) -> None:
        """Write the clouds that were traced anew, a row per sensor, and the SensorData message."""
        if self._table is None:
            self._open()
        assert self._table is not None  # noqa: S101  _open has just made it
        rows = csv.writer(self._table)
        for scan in step.scans:
            points = scan.cloud.points
            if scan.traced and self._output.pcd != "none":
                name = f"{scan.sensor}/{step.index:06d}.pcd"
                write_pcd(self.path / name, points, self._output.pcd)
                self._last_file[scan.sensor] = name
            file = self._last_file.get(scan.sensor, "")
            rows.writerow(
                (step.index, step.time_ns, scan.sensor, int(scan.traced), len(points), file)
            )
        if self._trace is not None:
            self._trace.write(step.sensor_data, step.time_ns)

    def finish(self, content: dict[str, Any]) -> None:
        """Complete the files and write run.json; does nothing if no step was written.

        Adds the name of the SensorData trace, which tells its number of frames, to the content.
        """
        if self._table is None:
            return
        self._table.close()
        (self.path / "frames.csv.part").replace(self.path / "frames.csv")
        trace = self._trace.close() if self._trace is not None else None
        content["sensor_data"] = trace.name if trace is not None else None
        with replacing(self.path / "run.json") as temporary:
            temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")

    def _open(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if self._overwrite:
                _remove_earlier_run(self.path, self._sensors)
            for sensor in self._sensors:
                (self.path / sensor).mkdir(exist_ok=True)
            self._table = (self.path / "frames.csv.part").open("w", newline="", encoding="utf-8")
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


def check_folder(path: Path, *, overwrite: bool) -> None:
    """Refuse an output folder that holds something, or is none.

    Raises
    ------
    OutputError
        With what to do about it.
    """
    if path.exists() and not path.is_dir():
        raise OutputError(f"{path}: is a file, expected a folder for the output")
    if path.is_dir() and not overwrite and any(path.iterdir()):
        raise OutputError(
            f"{path}: the output folder is not empty; choose another, or give --overwrite"
        )


def _remove_earlier_run(path: Path, sensors: tuple[str, ...]) -> None:
    """Remove what an earlier run has written, so that no old cloud is taken for a new one."""
    for file in path.iterdir():
        if file.is_file() and _OURS.fullmatch(file.name):
            file.unlink()
    for folder in [path / sensor for sensor in sensors]:
        for file in folder.iterdir() if folder.is_dir() else ():
            if file.is_file() and _CLOUD.fullmatch(file.name):
                file.unlink()
