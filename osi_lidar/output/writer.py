# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The base class of all output formats, with the stages of a run that call it.

A format is a subclass of `Writer` in a file of its own, and one line in `writers.FORMATS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lidar_base.files.own_files import LIST, note
from lidar_base.files.whole_files import cause_of
from osi_lidar.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from osi_lidar.config import Config, Output
    from osi_lidar.output.step_tables import StepTable
    from osi_lidar.scan.step import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where a run writes.

    Attributes
    ----------
    folder : Path
        The folder of the run.
    custom_name : str
        Free part of the name of an OSI trace.
    start : datetime or None
        Time in the name of an OSI trace; None: now.
    """

    folder: Path
    custom_name: str = ""
    start: datetime | None = None


RUN = "run"
"""Marks the files of a run in a folder's list of files, see `lidar_base.files.own_files`."""


def list_files(folder: Path, names: Iterable[str]) -> None:
    """Add names to the folder's list of files that runs have written.

    Call it before the files are written: a later run with ``--overwrite`` removes only listed ones.

    Parameters
    ----------
    folder : Path
        The folder of the run; the list is a file in it.
    names : iterable of str
        Names of the files, relative to the folder.

    Raises
    ------
    OutputError
        If the list cannot be written.
    """
    try:
        note(folder, names, RUN)
    except OSError as error:
        raise OutputError(f"{folder / LIST}: cannot be written: {cause_of(error)}") from error


class Writer:
    """Writes one format of a run's results.

    The life of a writer, in the order of the calls:

    1. ``is_wanted`` and ``missing_library``, before anything is written;
    2. the constructor, which touches no file;
    3. ``open``, once the folder and the folders of the sensors exist;
    4. for each step, on one thread: ``write_scans`` and ``take``, then ``add``, then ``write`` for
       each table that ``take`` gave;
    5. ``close``, whatever the end of the run was.

    In a run with several processes, the process that traces a step calls ``write_scans`` and
    ``take``, without ``open``; the process that joins the parts calls ``add`` and ``write``.
    A resumed run calls only ``add`` and ``write`` for the steps that it keeps.

    Only ``key`` is required: by default each stage does nothing.

    Parameters
    ----------
    destination : Destination
        Where to write.
    config : Config
        The configuration; its section ``output`` says what to write.

    Attributes
    ----------
    key : str
        The key of the format in the section ``output`` of the configuration.
    has_tables : bool
        Whether the format appends rows to a file of the run, see ``take``.
    in_report : bool
        Whether run.json has an entry ``key`` with the name of the file, null if there is none.
    names, sensor_names : tuple of str
        Names of all files that the format has in the folder of the run and in the folder of a
        sensor, under any configuration.
    files : str
        Regular expression of further names in the folder of the run.
    scan_suffixes : tuple of str
        Suffixes of the files ``NNNNNN.suffix`` in the folder of a sensor, one for each scan. A step
        that could not be written removes them.

    A run lists all these names before it writes. A later run with ``--overwrite`` removes the
    listed files; it ends with an error if a file that is not listed has such a name.
    """

    key: ClassVar[str]
    has_tables: ClassVar[bool] = False
    in_report: ClassVar[bool] = False
    files: ClassVar[str] = ""
    names: ClassVar[tuple[str, ...]] = ()
    sensor_names: ClassVar[tuple[str, ...]] = ()
    scan_suffixes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, destination: Destination, config: Config) -> None:
        self.folder = destination.folder
        self.config = config

    @classmethod
    def is_wanted(cls, output: Output) -> bool:
        """Return whether the configuration asks for the format: its key is neither false nor none.

        ``output`` is the section of the configuration that has the key.
        """
        return getattr(output, cls.key) not in {False, "none"}

    @classmethod
    def missing_library(cls, _output: Output) -> str:
        """Return how to install the library that a wanted format lacks; empty if none is missing.

        ``_output`` is the section output of the configuration, which may decide what is needed.
        The library itself is imported where it is first used, so that other runs do not load it.
        """
        return ""

    def open(self) -> None:
        """Begin the files that the format has for the whole run, under temporary names.

        `close` gives them their names. By default, nothing is done.

        Raises
        ------
        OutputError, TraceError
            If a file cannot be written.
        """

    def write_scans(self, step: Step) -> None:
        """Write the files of each scan of a step, but not of scans that repeat an earlier one.

        ``step`` is the `Step` that answers a message.

        Raises
        ------
        OutputError
            If a file cannot be written.
        """

    def take(self, _step: Step) -> list[StepTable]:
        """Return the tables, a list of `StepTable`, that `write` is to append to files of the run.

        ``_step`` is the step, a `Step`, that the tables describe. By default there are none.
        """
        return []

    def add(self, sensor_data: bytes, time_ns: int) -> None:
        """Append the OSI SensorData message of a step to a file of the run.

        Parameters
        ----------
        sensor_data : bytes
            The message, serialised.
        time_ns : int
            Time of the message. [ns]

        Raises
        ------
        OutputError, TraceError
            If the file cannot be written.
        """

    def write(self, table: StepTable) -> None:
        """Append a table to a file of the run.

        ``table`` is a `StepTable` that `take` has returned, here or in another process.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """

    def close(self) -> Path | None:
        """Complete the files of the run and give them their names; also called without ``open``.

        Returns
        -------
        Path or None
            The file that run.json names, see ``in_report``.

        Raises
        ------
        OutputError, TraceError
            If a file cannot be completed.
        """
