# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion export: the poses of the objects in each message, as text and as Parquet.

The text has the line format of BlenSor's motion export (Gschwandtner et al., BlenSor: Blender
Sensor Simulation Toolbox, 2011), with OSI ids as names.
"""

from __future__ import annotations

import logging
from typing import IO, TYPE_CHECKING, Any

from osi_lidar.errors import OutputError
from osi_lidar.output.files import remove
from osi_lidar.output.parquet_file import NO_PARQUET, ParquetFile, TableColumn, is_parquet_missing
from osi_lidar.output.writer import Writer
from osi_lidar.version import __version__

if TYPE_CHECKING:
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
"""Columns of the Parquet file, see docs/get-started.md."""
_MANY_ROWS = 1 << 16
_PART = f".{TEXT_NAME}.part"

logger = logging.getLogger(__name__)


class MotionExport(Writer):
    """Writes the poses of all objects, or of selected ones, in the configured formats.

    Parameters are those of `Writer`.
    """

    key = "motion"
    files = r"motion\.(txt|parquet)"

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
        """Return how to install pyarrow if it is needed and missing, else an empty text."""
        needs_parquet = output.motion in {"parquet", "both"}
        return NO_PARQUET if needs_parquet and is_parquet_missing() else ""

    def open(self) -> None:
        """Begin the files; errors as of `Writer`."""
        if self._kind in {"text", "both"}:
            try:
                self._text = (self.folder / _PART).open("w", encoding="ascii", newline="\n")
            except OSError as error:
                raise self._failure(error) from error
        if self._kind in {"parquet", "both"}:
            words = {"version": __version__, "frame": "world"}
            self._parquet = ParquetFile(self.folder / PARQUET_NAME, COLUMNS, words)

    def write(self, step: Step) -> None:
        """Write the poses of the objects in a message; errors as of `Writer`."""
        chosen = self._rows(step.objects)
        self._n_messages += 1
        if self._text is not None:
            try:
                self._text.writelines(motion_line(step, row) for row in chosen)
            except OSError as error:
                raise self._failure(error) from error
        if self._parquet is not None:
            self._take(step, chosen)

    def close(self) -> None:
        """Complete the files; warn about selected objects that no message contained."""
        if self._wanted is not None and self._n_messages:
            for object_id in sorted({*self._wanted} - self._seen):
                logger.warning("output.motion_objects: %d was in no message", object_id)
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
        chosen = [row for row, object_id in enumerate(ids) if object_id in self._wanted]
        self._seen.update(ids[row] for row in chosen)
        return chosen

    def _take(self, step: Step, chosen: list[int]) -> None:
        """Collect rows until there are enough for a row group."""
        objects, pending = step.objects, self._pending
        pending["frame"] += [step.index] * len(chosen)
        pending["timestamp_ns"] += [step.time_ns] * len(chosen)
        pending["object_id"] += objects.object_id[chosen].tolist()
        pending["type"] += [objects.type_name[row] for row in chosen]
        pending["subtype"] += [objects.subtype_name[row] for row in chosen]
        pending["model_reference"] += [objects.model_reference[row] for row in chosen]
        for place, axis in enumerate("xyz"):
            pending[f"{axis}_m"] += objects.position_m[chosen, place].tolist()
            pending[f"r{axis}_rad"] += objects.orientation_rad[chosen, place].tolist()
        if len(pending["frame"]) >= _MANY_ROWS:
            self._flush()

    def _flush(self) -> None:
        assert self._parquet is not None  # noqa: S101  the callers have checked
        if self._pending["frame"]:
            self._parquet.write(self._pending)
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
        return OutputError(f"{self.folder / TEXT_NAME}: cannot be written: {error.strerror}")


def motion_line(step: Step, row: int) -> str:
    """Return the text line of one object: centre of its box [m], orientation [rad], world frame."""
    objects = step.objects
    values = (*objects.position_m[row], *objects.orientation_rad[row])
    names = ("x", "y", "z", "rx", "ry", "rz")
    pose = " ".join(f"{name}: {value:.10f}" for name, value in zip(names, values, strict=True))
    return f"timestamp: {step.time_ns / 1e9:.4f} object: {objects.object_id[row]} {pose}\n"
