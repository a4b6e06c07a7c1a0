# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion export: the poses of the objects in each message, as text and as Parquet.

The text has the line format of BlenSor's motion export (Gschwandtner et al., BlenSor: Blender
Sensor Simulation Toolbox, 2011), with OSI ids as names.
"""

from __future__ import annotations

import logging
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from lidar_base.files.whole_files import cause_of, remove
from lidar_base.given import given
from osi_lidar.errors import OutputError
from osi_lidar.output.parquet_file import NO_PARQUET, ParquetFile, TableColumn, is_parquet_missing
from osi_lidar.output.step_tables import StepTable
from osi_lidar.output.writer import Writer
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from osi_bridge import ObjectStates
    from osi_lidar.config import Config, Output
    from osi_lidar.output.writer import Destination
    from osi_lidar.scan.step import Step

TEXT_NAME, PARQUET_NAME = "motion.txt", "motion.parquet"
COLUMNS = (
    TableColumn("frame", "uint32"),
    TableColumn("timestamp_ns", "int64", "ns"),
    TableColumn("object_id", "uint64"),
    TableColumn("type", "string"),
    TableColumn("subtype", "string"),
    TableColumn("model_reference", "string"),
    *(TableColumn(f"{axis}_m", "float64", "m") for axis in "xyz"),
    *(TableColumn(f"r{axis}_rad", "float64", "rad") for axis in "xyz"),
)
"""Columns of the Parquet file, see docs/reference/outputs.md."""
_POSE = ("x", "y", "z", "rx", "ry", "rz")
_FIRST_OF_POSE = len(COLUMNS) - len(_POSE)
_MANY_ROWS = 1 << 16
_PART = f".{TEXT_NAME}.part"

logger = logging.getLogger(__name__)


class MotionExport(Writer):
    """Writes the poses of all objects, or of selected ones, in the configured formats.

    Parameters
    ----------
    destination : Destination
        The folder of the run.
    config : Config
        The configuration; ``output.motion`` is the format, ``output.motion_objects`` the selection.
    """

    key = "motion"
    has_tables = True
    names = (TEXT_NAME, PARQUET_NAME, _PART)

    def __init__(self, destination: Destination, config: Config) -> None:
        super().__init__(destination, config)
        self._kind = config.output.motion
        self._wanted = config.output.motion_objects
        self._seen: set[int] = set()
        self._n_messages = 0
        self._text: IO[str] | None = None
        self._parquet: ParquetFile | None = None
        self._pending: dict[str, list[Any]] = {column.name: [] for column in COLUMNS}

    @classmethod
    def missing_library(cls, output: Output) -> str:
        """Return how to install pyarrow if it is needed and missing, else an empty text.

        ``output`` is the section of the configuration; ``motion: parquet`` and ``both`` need
        pyarrow.
        """
        needs_parquet = output.motion in {"parquet", "both"}
        return NO_PARQUET if needs_parquet and is_parquet_missing() else ""

    def open(self) -> None:
        """Begin the files; raise OutputError if one cannot be written."""
        if self._kind in {"text", "both"}:
            try:
                self._text = (self.folder / _PART).open("w", encoding="ascii", newline="\n")
            except OSError as error:
                raise self._failure(error) from error
        if self._kind in {"parquet", "both"}:
            words = {"version": __version__, "frame": "world"}
            self._parquet = ParquetFile(self.folder / PARQUET_NAME, COLUMNS, words)

    def take(self, step: Step) -> list[StepTable]:
        """Return a list of one table, with a row for the pose of each selected object in a message.

        ``step`` is the `Step` that answers the message. The table has the columns `COLUMNS`. It may
        have no rows.
        """
        objects = step.objects
        rows = self._rows(objects)
        texts = ("type_name", "subtype_name", "model_reference")
        names = [np.array([getattr(objects, each)[row] for row in rows], str) for each in texts]
        columns = (
            np.full(len(rows), step.index, np.uint32),
            np.full(len(rows), step.time_ns, np.int64),
            objects.object_id[rows],
            *names,
            *objects.position_m[rows].T,
            *objects.orientation_rad[rows].T,
        )
        named = {column.name: each for column, each in zip(COLUMNS, columns, strict=True)}
        return [StepTable(self.key, "", named)]

    def write(self, table: StepTable) -> None:
        """Write the objects' poses of a message; raise OutputError if a file cannot be written.

        ``table`` is a `StepTable` that `take` has returned.
        """
        columns = {name: values.tolist() for name, values in table.columns.items()}
        self._n_messages += 1
        self._seen.update(columns["object_id"])
        if self._text is not None:
            try:
                self._text.writelines(motion_lines(columns))
            except OSError as error:
                raise self._failure(error) from error
        if self._parquet is not None:
            for name, values in columns.items():
                self._pending[name] += values
            if len(self._pending["frame"]) >= _MANY_ROWS:
                self._flush()

    def close(self) -> None:
        """Complete the files; warn about selected objects that no message contained."""
        if self._wanted is not None and self._n_messages:
            for object_id in sorted({*self._wanted} - self._seen):
                logger.warning(
                    "output.motion_objects: no message contained the object %d", object_id
                )
        try:
            self._close_text()
        finally:
            if self._parquet is not None:
                self._flush()
                self._parquet.close()

    def _rows(self, objects: ObjectStates) -> list[int]:
        """Return the rows of the selected objects, in the order of the message."""
        if self._wanted is None:
            return list(range(len(objects)))
        ids = objects.object_id.tolist()
        return [row for row, object_id in enumerate(ids) if object_id in self._wanted]

    def _flush(self) -> None:
        if self._pending["frame"]:
            given(self._parquet).write(self._pending)
            self._pending = {name: [] for name in self._pending}

    def _close_text(self) -> None:
        part = self.folder / _PART
        try:
            if self._text is not None:
                self._text.close()
                part.replace(self.folder / TEXT_NAME)
        except OSError as error:
            raise self._failure(error) from error
        finally:
            remove(part)

    def _failure(self, error: OSError) -> OutputError:
        return OutputError(f"{self.folder / TEXT_NAME}: cannot be written: {cause_of(error)}")


def motion_lines(columns: Mapping[str, list[Any]]) -> Iterator[str]:
    """Yield the pose of each object in each message as a line of text.

    A line has the time, the object's id, and the centre [m] and the rotation [rad] of its box.

    Parameters
    ----------
    columns : mapping of str to list
        Values of the columns `COLUMNS`, by name, all of the same length: an entry for each line.
    """
    poses = zip(*(columns[column.name] for column in COLUMNS[_FIRST_OF_POSE:]), strict=True)
    heads = zip(columns["timestamp_ns"], columns["object_id"], strict=True)
    for (time_ns, object_id), values in zip(heads, poses, strict=True):
        pose = " ".join(f"{name}: {value:.10f}" for name, value in zip(_POSE, values, strict=True))
        yield f"timestamp: {time_ns / 1e9:.4f} object: {object_id} {pose}\n"
