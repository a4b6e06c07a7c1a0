# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Point clouds as BlenSor's .evd files, with true and reported values side by side.

A file is the number of points (int32), then 120 bytes for each point: 14 doubles and the id of the
object (uint64), little-endian. This is what ``evd_file.writeEvdFile`` of BlenSor [1]_ writes and
its ``evd_reader`` reads.

.. [1] M. Gschwandtner et al., BlenSor: Blender Sensor Simulation Toolbox, 2011; file evd.py of
   https://github.com/mgschwan/blensor
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.files.whole_files import replacing
from osi_lidar.output.truth_export import points_with_truth
from osi_lidar.output.writer import Writer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.scan.step import Scan, Step

_OURS = {
    "timestamp": "timestamp",
    "yaw": "yaw",
    "pitch": "pitch",
    "distance": "true_range",
    "noisy_distance": "range",
    **{axis: f"true_{axis}" for axis in "xyz"},
    **{f"noisy_{axis}": axis for axis in "xyz"},
}
"""Columns of the file, each with the field of `points_with_truth` that it contains."""
COLOURS = ("red", "green", "blue")
EVD_POINT = np.dtype([*((name, "<f8") for name in (*_OURS, *COLOURS)), ("object_id", "<u8")])
"""The row of a point: time [s], angles [rad], positions [m, sensor frame], colours 0 to 255."""
_COUNT = struct.Struct("<i")


class EvdClouds(Writer):
    """Writes an .evd file, the format of BlenSor, for each scan.

    Parameters
    ----------
    destination : Destination
        The folder of the run.
    config : Config
        The configuration.
    """

    key = "evd"
    scan_suffixes = (".evd",)

    def write_scans(self, step: Step) -> None:
        """Write an .evd file for each scan of ``step``, a `Step`, that repeats no earlier scan.

        Raise OutputError if a file cannot be written.
        """
        for scan in step.scans:
            if scan.traced:
                rows = evd_rows(scan)
                path = self.folder / scan.sensor / f"{scan.number:06d}.evd"
                with replacing(path) as temporary, temporary.open("wb") as file:
                    file.write(_COUNT.pack(len(rows)) + rows.tobytes())


def evd_rows(scan: Scan) -> NDArray[Any]:
    """Return the points of a scan as BlenSor writes them.

    BlenSor writes the colour of the surface. Here the colour is a grey of 255 times the
    reflectivity, rounded down, at most 255.

    Parameters
    ----------
    scan : Scan
        The scan, with n_point points.

    Returns
    -------
    structured (n_point,)
        Rows of the type `EVD_POINT`.
    """
    points = points_with_truth(scan)
    rows = np.empty(len(points), EVD_POINT)
    for name, ours in _OURS.items():
        rows[name] = points[ours]
    grey = np.floor(255.0 * np.minimum(points["reflectivity"], 1.0))
    for name in COLOURS:
        rows[name] = grey
    rows["object_id"] = scan.cloud.object_id
    return rows
