# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Journals: rows and messages from each process of a run, for the process that joins the parts.

The clouds are in the folder of the run already. A journal holds three records for each step: the
time and the rows of frames.csv as JSON, the SensorData message, and the tables (see `step_tables`).
Each record follows its length (uint32, little-endian).
"""

from __future__ import annotations

import json
import struct
from contextlib import nullcontext, suppress
from typing import IO, TYPE_CHECKING, NamedTuple

from lidar_base.process.background import Background
from osi_bridge import framed
from osi_lidar.output.frame_table import frame_rows
from osi_lidar.output.step_tables import packed, unpacked
from osi_lidar.output.writer import Destination
from osi_lidar.output.writers import make_writers, take_tables, write_scans

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from osi_lidar.config import Config
    from osi_lidar.output.frame_table import FrameRows
    from osi_lidar.output.step_tables import StepTable
    from osi_lidar.scan.step import Step

_LENGTH = struct.Struct("<I")


class Journal:
    """Writes the results of one process of a run: a journal, and clouds into the folder of the run.

    A journal is a file of steps (answers to OSI messages), which the process that joins the parts
    of the run reads with `read_journal`. A background thread writes. Use it in a ``with`` block:
    leaving the block completes the journal, and raises an error if a step could not be written.

    Parameters
    ----------
    file : binary stream
        The journal, open for writing.
    out : Path
        The folder of the run.
    config : Config
        The configuration; its section ``output`` says what to write.
    """

    def __init__(self, file: IO[bytes], out: Path, config: Config) -> None:
        self._file, self._output = file, config.output
        self._writers = make_writers(Destination(folder=out), config)
        self._writing = Background(self._write)

    @property
    def unwritten(self) -> tuple[Step, ...]:
        """The given steps that are not written yet; after an error, the failed one is first."""
        return self._writing.undone

    def write(self, step: Step) -> None:
        """Hand a step to the background thread, which writes its clouds and its journal entry.

        ``step`` is the answer to one OSI message; do not change it afterwards. The call waits while
        too many steps are not written yet.

        Raises
        ------
        OutputError, OSError
            If this step, or an earlier one, cannot be written.
        """
        self._writing.give(step)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with suppress(BaseException) if exc_type is not None else nullcontext():
            self._writing.close()

    def _write(self, step: Step) -> None:
        write_scans(self._writers, step)
        rows = frame_rows(step, self._output)
        data = b"" if self._output.sensor_data == "none" else step.sensor_data
        tables = packed(take_tables(self._writers, step))
        head = json.dumps([step.time_ns, rows]).encode()
        self._file.write(b"".join(map(framed, (head, data, tables))))


class Entry(NamedTuple):
    """The results of one step: the answer to one OSI message, as one process of a run wrote it.

    Attributes
    ----------
    time_ns : int
        Timestamp of the answer. [ns]
    rows : list of sequence
        Rows of frames.csv, one for each scan: the values of the columns in `FRAME_COLUMNS`.
    sensor_data : bytes
        The serialized SensorData message; empty if the configuration wants none.
    tables : list of StepTable
        Rows that the step adds to files of other output formats.
    """

    time_ns: int
    rows: FrameRows
    sensor_data: bytes
    tables: list[StepTable]


def read_journal(path: Path) -> Iterator[Entry]:
    """Yield an `Entry` for each complete step in a journal, the file of one process of a run.

    The file may end within a step, because the process was killed; the incomplete step is left out.
    A missing file yields nothing: the process that should write it never started.

    Parameters
    ----------
    path : Path
        The journal.
    """
    found = records(path)
    for head, message, tables in zip(found, found, found, strict=False):
        time_ns, rows = json.loads(head)
        yield Entry(time_ns, rows, message, unpacked(tables))


def records(path: Path) -> Iterator[bytes]:
    """Yield the bytes of each complete record of a file; nothing if the file is missing.

    A record is its length (uint32, little-endian) and so many bytes. Only these bytes are yielded.
    An incomplete record at the end of the file is left out.

    Parameters
    ----------
    path : Path
        The file.
    """
    with suppress(FileNotFoundError), path.open("rb") as file:
        while (record := _record(file)) is not None:
            yield record


def _record(file: IO[bytes]) -> bytes | None:
    """Return the next record; None if the file ends before the end of the record."""
    prefix = file.read(_LENGTH.size)
    if len(prefix) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(prefix)
    data = file.read(length)
    return data if len(data) == length else None
