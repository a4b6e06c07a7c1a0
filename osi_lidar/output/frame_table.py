# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The table frames.csv of a run: a row for each message and sensor."""

from __future__ import annotations

import csv
from typing import IO, TYPE_CHECKING, TypeAlias

from osi_lidar.output.files import remove
from osi_lidar.output.point_clouds import cloud_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from osi_lidar.config import Output
    from osi_lidar.scan.step import Step

TABLE_NAME, TABLE_PART = "frames.csv", ".frames.csv.part"
FRAME_COLUMNS = (
    "frame", "time_ns", "sensor", "traced", "points", "file", "scan_begin_ns", "scan_end_ns"
)  # fmt: skip
FrameRows: TypeAlias = "list[Sequence[object]]"


class FrameTable:
    """Writes the table, under a temporary name until it is closed.

    It is written line by line, so that a run that is killed leaves the rows of what it finished.

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
        """Write the names of the columns."""
        self.add([FRAME_COLUMNS])

    def add(self, rows: FrameRows) -> None:
        """Append rows."""
        csv.writer(self._file).writerows(rows)

    def close(self) -> None:
        """Complete the table and give it its name."""
        part = self._folder / TABLE_PART
        try:
            self._file.close()
            part.replace(self._folder / TABLE_NAME)
        finally:
            remove(part)


def frame_rows(step: Step, output: Output) -> FrameRows:
    """Return the rows of a step, one for each scan."""
    rows: FrameRows = []
    for scan in step.scans:
        file = "" if output.pcd == "none" else cloud_name(scan.sensor, scan.cloud_number)
        scanned = (scan.sensor, int(scan.traced), len(scan.cloud.points), file)
        rows.append((step.index, step.time_ns, *scanned, scan.begin_ns, scan.end_ns))
    return rows
