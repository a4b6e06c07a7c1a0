# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""E57 files: the clouds of a run as scans with poses."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.exports.export_run import Export, failures_as_os_error, library
from lidar_app.exports.scan_points import deskewed_scans
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

MOST_ROWS = 2**16 - 1
"""Largest row and column that pye57 can write."""


def write_e57(export: Export) -> None:
    """Write each cloud of a run as a scan in one E57 file, with the sensor's pose in the world.

    Scans are named SENSOR/FRAME. Points are in the sensor frame at the end of the scan. Empty
    clouds are left out, as the format requires bounds of the points.

    Parameters
    ----------
    export : Export
        The run, and the file to write.

    Raises
    ------
    InputError
        If a cloud cannot be read, frames.csv has no poses, or all clouds are empty.
    OutputError
        If pye57 is not installed.
    """
    n_empty = n_written = 0
    with _new_file(export.path) as file:
        for scan, points in deskewed_scans(export.run, export.scans):
            if not len(points):
                n_empty += 1
                continue
            x, y, z, *quaternion = np.asarray(scan.row.end_pose)
            file.write_scan_raw(
                _columns(points),
                name=f"{scan.row.sensor}/{scan.path.stem}",
                rotation=np.array(quaternion),
                translation=np.array([x, y, z]),
            )
            n_written += 1
    if not n_written:
        raise InputError(f"{export.run.folder}: all clouds are empty, which E57 cannot hold")
    if n_empty:
        logger.warning("clouds without points are left out: %d", n_empty)


@contextmanager
def _new_file(path: Path) -> Iterator[Any]:
    """Yield an open file; close it if the block succeeds, discard it if the block fails."""
    pye57 = library("pye57", "e57")
    with failures_as_os_error(pye57.libe57.E57Exception):
        file = pye57.E57(str(path), mode="w")
        try:
            yield file
            file.close()
        except BaseException:
            del file.image_file  # else its finaliser tries to write again
            raise


def _columns(points: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the columns of a scan: positions [m], reflectivity, ring and column."""
    columns = {f"cartesian{axis.upper()}": np.ascontiguousarray(points[axis]) for axis in "xyz"}
    columns["cartesianInvalidState"] = np.zeros(len(points), np.int8)  # pye57 reads it by default
    columns["intensity"] = np.ascontiguousarray(points["reflectivity"])
    if points["column"].max() <= MOST_ROWS:
        columns["rowIndex"] = points["ring"].astype(np.uint16)
        columns["columnIndex"] = points["column"].astype(np.uint16)
    return columns
