# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a run: frames.csv, run.json, and the files of all output formats."""

from __future__ import annotations

import json
import re
from typing import IO, TYPE_CHECKING, Any

from lidar_base.files.own_files import check_names, remove_own
from lidar_base.files.unfinished import remove_left
from lidar_base.files.whole_files import cause_of, remove, replacing
from lidar_base.given import given
from lidar_base.process.background import Background
from osi_bridge import TraceError, framed, unfinished_trace
from osi_lidar.errors import OutputError
from osi_lidar.output.folder_check import check_folder
from osi_lidar.output.frame_table import TABLE_NAME, TABLE_PART, FrameTable, frame_rows
from osi_lidar.output.point_clouds import sensor_folders
from osi_lidar.output.step_tables import packed
from osi_lidar.output.writer import RUN, Destination, list_files
from osi_lidar.output.writers import (
    make_writers,
    missing_libraries,
    names_of_run,
    names_to_write,
    remove_scans,
    reported_keys,
    take_tables,
    write_scans,
    write_tables,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from osi_lidar.config import Config
    from osi_lidar.output.frame_table import FrameRows
    from osi_lidar.output.step_tables import StepTable
    from osi_lidar.scan.step import Step

REPORT_NAME = "run.json"
IDENTITY = ".run.json.part"
"""The file that identifies an unfinished run."""
TABLES_NAME = ".tables"
"""File of an unfinished run that holds, for each step, a length and the step's tables as bytes."""
_OWN = (TABLE_NAME, TABLE_PART, REPORT_NAME, IDENTITY, TABLES_NAME)
_FIXED = "|".join(map(re.escape, _OWN))
_VIEWS = {"view": ("view.html",), "preview": ("preview.png", "accumulated.png")}
"""Pictures and pages that commands put into the folder of a run, by command."""


class RunFolder:
    """Writes the results of a run; every file is complete or absent.

    Nothing is written before ``open`` or the first step. A background thread writes the steps in
    their order. ``finish`` completes the folder, whatever the end of the run was.

    Parameters
    ----------
    path : Path
        The folder; it must be empty or absent unless overwrite is set.
    config : Config
        The configuration; its section ``output`` says what to write.
    custom_name : str
        Free part of the name of the SensorData trace.
    start : datetime or None
        Time in the name of the SensorData trace; None: now.
    overwrite : bool
        Replace the files that earlier runs have listed as theirs; other files are left alone.
    identity : mapping, optional
        Values by which a later process recognises this run, to resume it if it is unfinished.
    keep : bool
        Keep the files that an earlier process of the same run has written.

    Raises
    ------
    OutputError
        If the folder is not empty, or is a file; if files of another origin have names that the
        run needs; or if a library is missing.
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
        self._clear = overwrite and not keep
        self._identity = identity
        self._table: FrameTable | None = None
        self._spool: IO[bytes] | None = None
        check_folder(path, overwrite=overwrite or keep)
        self._keep = keep
        self._config = config
        if not keep:
            _check_names(path, config)
        if missing := missing_libraries(self._output):
            raise OutputError(missing[0])
        destination = Destination(folder=path, custom_name=custom_name, start=start)
        self._writers = make_writers(destination, config)
        self._writing = Background(self._write)

    @property
    def unwritten(self) -> tuple[Step, ...]:
        """The steps that are not written yet, in order; after an error, the failed one is first."""
        return self._writing.undone

    def write(self, step: Step) -> None:
        """Hand a step to the background thread, which writes it in all formats.

        Raises
        ------
        OutputError, TraceError
            If this step, or an earlier one, cannot be written to the folder.
        """
        self.open()
        self._writing.give(step)

    def flush(self) -> None:
        """Wait until all steps are written.

        Raises
        ------
        OutputError, TraceError
            If a step could not be written, unless ``write`` has raised that error already.
        """
        self._writing.flush()

    def _write(self, step: Step) -> None:
        try:
            write_scans(self._writers, step)
            tables = take_tables(self._writers, step)
            self.add(frame_rows(step, self._output), step.sensor_data, tables, step.time_ns)
        except (OutputError, TraceError):
            traced = [scan for scan in step.scans if scan.traced]
            remove_scans(self.path, [(scan.sensor, scan.number) for scan in traced])
            raise

    def add(
        self, rows: FrameRows, sensor_data: bytes, tables: Sequence[StepTable], time_ns: int
    ) -> None:
        """Append a step to the files of the run; its clouds must have been written already.

        The folder must be open. The rows of frames.csv are written last, so that a step with rows
        in frames.csv is complete.

        Parameters
        ----------
        rows : sequence of tuple
            The rows of frames.csv for this step, see `frame_rows`.
        sensor_data : bytes
            The SensorData message of this step.
        tables : sequence of StepTable
            Rows for further files, as the writers' ``take`` returned them.
        time_ns : int
            Time of the SensorData message. [ns]

        Raises
        ------
        OutputError, TraceError
            If the folder cannot be written to.
        """
        table = given(self._table)
        for writer in self._writers:
            writer.add(sensor_data, time_ns)
        write_tables(self._writers, tables)
        try:
            if self._spool is not None:
                self._spool.write(framed(packed(tables)))
                self._spool.flush()
            table.add(rows)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {cause_of(error)}") from error

    def finish(self, content: Mapping[str, Any]) -> dict[str, str | None]:
        """Complete the files and write run.json; if the folder was not opened, only return {}.

        Parameters
        ----------
        content : mapping
            The content of run.json, without the names of files.

        Returns
        -------
        dict of str to str or None
            Names of the files that run.json lists after ``content``, by key; None: no such file.

        Raises
        ------
        OutputError
            If a file cannot be completed; all others are completed nevertheless.
        """
        if self._table is None:
            return {}
        names: dict[str, str | None] = dict.fromkeys(reported_keys())
        problems: list[Exception] = []

        def attempt(complete: Callable[[], Path | None]) -> Path | None:
            try:
                return complete()
            except (OSError, TraceError, OutputError) as error:
                problems.append(error)
                return None

        attempt(self._writing.close)
        for writer in self._writers:
            if (file := attempt(writer.close)) is not None and writer.in_report:
                names[writer.key] = file.name
        attempt(self._table.close)
        attempt(lambda: self._close_spool(keep=not content.get("complete")))
        attempt(lambda: _write_report(self.path, {**content, **names}))
        if problems:
            raise OutputError(f"{self.path}: not all files could be completed: {problems[0]}")
        return names

    def _close_spool(self, *, keep: bool) -> None:
        """Close the file of tables that a resumed run needs; remove it if the run is complete."""
        if self._spool is not None:
            self._spool.close()
            if not keep:
                remove(self.path / TABLES_NAME)

    def open(self) -> None:
        """Create the folder and begin the files of the run; a second call does nothing.

        With ``overwrite`` and without ``keep``, the files of earlier runs are removed first.

        Raises
        ------
        OutputError, TraceError
            If the folder cannot be written to.
        """
        if self._table is not None:
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if self._keep:
                _check_names(self.path, self._config)
            if self._clear:
                _remove_run(self.path)
            self.remove_unfinished()  # of runs that were killed
            unfinished = unfinished_trace(self._output.sensor_data)
            list_files(self.path, [*_OWN, unfinished, *names_of_run(self._writers)])
            if self._identity is not None:
                with replacing(self.path / IDENTITY) as temporary:
                    temporary.write_text(json.dumps(self._identity), encoding="utf-8")
            for sensor in self._sensors:
                for name in sensor_folders(sensor, self._output):
                    (self.path / name).mkdir(parents=True, exist_ok=True)
            self._table = FrameTable(self.path)
            self._table.begin()
            if self._identity is not None and any(each.has_tables for each in self._writers):
                self._spool = (self.path / TABLES_NAME).open("wb")
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written: {cause_of(error)}") from error
        for writer in self._writers:
            writer.open()

    def remove_unfinished(self) -> None:
        """Remove the unfinished files of killed processes from the folders of run and sensors."""
        within = [name for each in self._sensors for name in sensor_folders(each, self._output)]
        for name in [".", *within]:
            if not (self.path / name).is_symlink():
                remove_left(self.path / name)


def _remove_run(folder: Path) -> None:
    """Remove an earlier run, with the page and the pictures that show it."""
    remove_own(folder, RUN)
    for command, views in _VIEWS.items():
        remove_own(folder, command, *views)


def _check_names(folder: Path, config: Config) -> None:
    """Check that no links, and no files of another origin, have the names of the run's files."""
    names = names_to_write(config.output, config.sensors)
    check_names(folder, re.compile(f"{_FIXED}|{names}"), RUN)


def _write_report(folder: Path, content: Mapping[str, Any]) -> None:
    with replacing(folder / REPORT_NAME) as temporary:
        temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    remove(folder / IDENTITY)
