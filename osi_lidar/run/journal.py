# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What one process writes of a run, for the process that joins the parts: rows and messages.

The clouds lie in the run's folder already. A journal holds, for each step, its time and rows of
frames.csv as JSON and its SensorData message, each after its length (uint32, little-endian).
"""

from __future__ import annotations

import json
import struct
from contextlib import nullcontext, suppress
from typing import IO, TYPE_CHECKING

from osi_bridge import framed
from osi_lidar.output.background import Background
from osi_lidar.output.run_folder import write_scans

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

    from osi_lidar.config import Config
    from osi_lidar.output.run_folder import Rows
    from osi_lidar.scan.step import Step

_LENGTH = struct.Struct("<I")


class Journal:
    """Writes steps to a file, their clouds into the folder of the run, on a thread of its own.

    All is written when its ``with`` block is left, which raises what ``write`` would have.

    Parameters
    ----------
    file : binary stream
        The journal.
    out : Path
        The run's folder.
    config : Config
        What to write.
    """

    def __init__(self, file: IO[bytes], out: Path, config: Config) -> None:
        self._file, self._out, self._config = file, out, config
        self._writing = Background(self._write)

    @property
    def unwritten(self) -> tuple[Step, ...]:
        """The steps that were not written, after an error."""
        return self._writing.undone

    def write(self, step: Step) -> None:
        """Let a step be written.

        Raises
        ------
        OutputError, OSError
            If it, or an earlier one, cannot be written.
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
        rows = write_scans(self._out, step, self._config)
        data = b"" if self._config.output.sensor_data == "none" else step.sensor_data
        self._file.write(framed(json.dumps([step.time_ns, rows]).encode()) + framed(data))


def read_journal(path: Path) -> Iterator[tuple[int, Rows, bytes]]:
    """Give the time [ns], the rows and the message of each step that a journal holds whole.

    That of a process that has not come to begin it is not there, and holds none.
    """
    with suppress(FileNotFoundError), path.open("rb") as file:
        while (step := _record(file)) is not None and (message := _record(file)) is not None:
            time_ns, rows = json.loads(step)
            yield time_ns, rows, message


def _record(file: IO[bytes]) -> bytes | None:
    """Return what stands after a length, None where the file ends before."""
    prefix = file.read(_LENGTH.size)
    if len(prefix) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(prefix)
    data = file.read(length)
    return data if len(data) == length else None
