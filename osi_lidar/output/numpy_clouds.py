# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Point clouds as numpy files: structured arrays with the fields of the PCD files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from osi_lidar.clouds.npy import write_npy
from osi_lidar.output.point_clouds import DESKEWED, reported_points
from osi_lidar.output.writer import Writer

if TYPE_CHECKING:
    from osi_lidar.scan.step import Step

SUFFIX = ".points.npy"
"""Ending of the file names; plain ``.npy`` files in the same folder may be depth images."""


class NumpyClouds(Writer):
    """Writes the points of each scan, and the deskewed points if the scan has them.

    Parameters
    ----------
    destination : Destination
        The folder of the run.
    config : Config
        The configuration; ``output.ground_truth`` adds fields of the ground truth.
    """

    key = "npy"
    scan_suffixes = (SUFFIX,)

    def write_scans(self, step: Step) -> None:
        """Write a numpy file for each scan of ``step``, a `Step`, that repeats no earlier scan.

        A scan with deskewed points gets a second file for them. Raise OutputError if a file cannot
        be written.
        """
        for scan in step.scans:
            if scan.traced:
                folder, name = self.folder / scan.sensor, f"{scan.number:06d}{SUFFIX}"
                write_npy(folder / name, reported_points(scan, self.config.output))
                if scan.deskewed is not None:
                    write_npy(folder / DESKEWED / name, scan.deskewed)
