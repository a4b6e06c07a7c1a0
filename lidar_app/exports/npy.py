# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Export of clouds as structured NumPy arrays, with a table of the scans."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.output.frame_table import BEGIN, POSE_COLUMNS

if TYPE_CHECKING:
    from lidar_app.exports.export_run import Export

INDEX = "index.csv"
COLUMNS = ("frame", "time_ns", "sensor", "points", "file", "begin_ns", "end_ns")


def write_npy(export: Export) -> None:
    """Write each cloud as .npy with unchanged fields and types, and index.csv of all scans.

    Parameters
    ----------
    export : Export
        The run, and the folder to write, with a subfolder for each sensor. If several scans share a
        cloud, their rows in index.csv name the same file.

    Raises
    ------
    InputError
        If a cloud cannot be read.
    """
    export.path.mkdir()
    for scan in export.scans:
        path = export.path / scan.row.sensor / f"{scan.path.stem}.npy"
        path.parent.mkdir(exist_ok=True)
        np.save(path, scan.points())
    poses = (*POSE_COLUMNS, *(BEGIN + name for name in POSE_COLUMNS))
    with (export.path / INDEX).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow((*COLUMNS, *poses))
        for scan in export.run.scans:
            row = scan.row
            name = f"{row.sensor}/{scan.path.stem}.npy"
            known = [each for each in (row.end_pose, row.begin_pose) if each is not None]
            numbers = [f"{number:.17g}" for pose in known for number in pose]
            scanned = (row.frame, row.time_ns, row.sensor, row.points, name)
            table.writerow((*scanned, row.begin_ns, row.end_ns, *numbers))
