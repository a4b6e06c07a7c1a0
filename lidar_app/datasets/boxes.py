# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes of the scans of a run: from its tables of ground truth, or from messages and clouds."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

import numpy as np

from lidar_app.exports.boxes import MessageBoxes, ScanBoxes, tuples
from lidar_app.exports.export_run import library
from lidar_app.truth.tables import BOXES, SCANS
from lidar_scenery.classes import named_types, plain_names
from osi_lidar.errors import InputError
from osi_lidar.output.stored import input_messages
from osi_lidar.scan.from_config import pose_matrix

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.stored import StoredRun, StoredScan

logger = logging.getLogger(__name__)

_NUMBERS = (
    *("x", "y", "z", "length", "width", "height", "roll", "pitch", "yaw", "vx", "vy", "vz"),
    *("scan", "object_id", "points", "points_alone", "is_host"),
)
_TEXTS = ("sensor", "kind", "osi_type", "osi_class")
_BEGINS = tuple(f"begin_{name}" for name in ("x", "y", "z", "roll", "pitch", "yaw"))


class Truth(Protocol):
    """Interface of a source of boxes: the boxes of each scan of a run."""

    @property
    def types(self) -> dict[int, tuple[str, ...]]:
        """Names of each object's type, by OSI id: the subtype, if stated, then the type.

        See `named_types`.
        """

    def of(self, scan: StoredScan, points: Rows, /) -> ScanBoxes:
        """Return the boxes of the objects in a scan, without the host.

        `points` are the points of the scan, in the sensor frame at its end.
        """


def stored_truth(run: StoredRun, tables: Path | None) -> Truth:
    """Return the source of the boxes of a run: its tables of ground truth, else its messages.

    Visibility of boxes is exact if it comes from tables, else it is estimated.

    Parameters
    ----------
    run : StoredRun
        The run.
    tables : Path or None
        Folder of its tables of ground truth; None if there are none.

    Raises
    ------
    InputError
        If a table cannot be used, or there are no tables and the trace is gone.
    """
    return MessageBoxes(run) if tables is None else TableBoxes(run, tables)


class TableBoxes:
    """Boxes from the tables of ground truth of a run; implements `Truth`.

    Parameters
    ----------
    run : StoredRun
        The run.
    folder : Path
        The folder with its boxes.parquet and scans.parquet.

    Raises
    ------
    InputError
        If a table cannot be read or lacks a column.
    """

    def __init__(self, run: StoredRun, folder: Path) -> None:
        scans = _columns(folder / SCANS, ("scan",), ("sensor", "file"))
        named = zip(scans["sensor"], scans["file"], scans["scan"].tolist(), strict=True)
        self._path = folder / SCANS
        self._numbers: dict[tuple[str, str], int] = {}
        for sensor, file, scan in named:  # several scans may repeat a cloud: the first one counts
            self._numbers.setdefault((sensor, file.rpartition("/")[2]), scan)
        table = _columns(folder / BOXES, _NUMBERS, _TEXTS)
        rows: dict[tuple[str, int], list[int]] = {}
        for row, key in enumerate(zip(table["sensor"], table["scan"].tolist(), strict=True)):
            rows.setdefault(key, []).append(row)
        self._rows = rows
        self._boxes = _boxes(table, _begins(folder / BOXES, table))
        self._is_host = table["is_host"].astype(bool)
        self._run = run

    @property
    def types(self) -> dict[int, tuple[str, ...]]:
        """Names of each object's type, by OSI id: the subtype, if stated, then the type.

        Each access reads the whole trace. If the trace cannot be read, a warning says so, and only
        objects in the table of boxes are included.
        """
        try:
            frames = (message.frame for message in input_messages(self._run))
            return {each: names for frame in frames for each, names in named_types(frame.objects)}
        except InputError as error:
            logger.warning(
                "traffic signs and lights: their points get no class, because the trace cannot be "
                "read: %s",
                error,
            )
            return dict(zip(self._boxes.object_id.tolist(), self._boxes.names, strict=True))

    def of(self, scan: StoredScan, _points: Rows, /) -> ScanBoxes:
        """Return the boxes of the objects in a scan, without the host; points are not used.

        Raises
        ------
        InputError
            If the table of scans lacks this scan.
        """
        sensor, file = scan.row.sensor, scan.path.name
        if (sensor, file) not in self._numbers:
            raise InputError(
                f"{self._path}: has no row for the scan {sensor}/{file}, which frames.csv lists; "
                "write it again with --truth"
            )
        rows = self._rows.get((sensor, self._numbers[sensor, file]), [])
        chosen = np.array([row for row in rows if not self._is_host[row]], np.intp)
        return self._boxes.chosen(chosen)


def _columns(
    path: Path, numbers: tuple[str, ...], texts: tuple[str, ...]
) -> dict[str, NDArray[np.generic]]:
    """Read columns of a Parquet table; raise InputError if one is missing."""
    parquet = library("pyarrow.parquet", "parquet")
    try:
        table = parquet.read_table(path, columns=[*numbers, *texts])
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{path}: cannot be read: {reason}") from error
    lacking = {*numbers, *texts} - set(table.column_names)
    if lacking:
        raise InputError(
            f"{path}: has no column {min(lacking)}, expected a table that --truth writes"
        )
    return {name: table[name].to_numpy() for name in (*numbers, *texts)}


def _begins(path: Path, table: dict[str, NDArray[np.generic]]) -> dict[str, NDArray[np.generic]]:
    """Return the poses at the begins of scans; older tables have only poses at the ends."""
    if set(_BEGINS) <= set(library("pyarrow.parquet", "parquet").read_schema(path).names):
        return _columns(path, _BEGINS, ())
    logger.warning(
        "%s: has no column begin_x (older version), so boxes hold for the end of each scan; delete "
        "the file to have it written again",
        path,
    )
    return {name: table[name.removeprefix("begin_")] for name in _BEGINS}


def _boxes(
    table: dict[str, NDArray[np.generic]], begins: dict[str, NDArray[np.generic]]
) -> ScanBoxes:
    """Return all rows of the table of boxes as records."""

    def stacked(*names: str) -> NDArray[np.float64]:
        return np.stack([(table | begins)[name].astype(np.float64) for name in names], axis=1)

    names = zip(table["osi_class"], table["osi_type"], strict=True)

    def poses(prefix: str) -> NDArray[np.float64]:
        places = stacked(*(prefix + name for name in ("x", "y", "z")))
        turns = stacked(*(prefix + name for name in ("roll", "pitch", "yaw")))
        each = [pose_matrix(place, turn) for place, turn in zip(places, turns, strict=True)]
        return np.array(each, np.float64).reshape(-1, 4, 4)

    return ScanBoxes(
        object_id=table["object_id"].astype(np.uint64),
        names=tuples([plain_names(special, general) for special, general in names]),
        moves=table["kind"] == "moving",
        world_from_box=poses(""),
        world_from_box_begin=poses("begin_"),
        size_m=stacked("length", "width", "height"),
        velocity_m_s=stacked("vx", "vy", "vz"),
        points=table["points"].astype(np.int64),
        alone=table["points_alone"].astype(np.float64),
    )
