# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The point clouds of a run: a PCD file for each scan, in the folder of its sensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from osi_lidar.output.pcd import write_pcd
from osi_lidar.output.truth_export import points_with_truth
from osi_lidar.output.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path

    from osi_lidar.config import Output, Sensor
    from osi_lidar.scan.step import Scan, Step

DESKEWED = "deskewed"
"""Folder, in that of a sensor, of the clouds without the motion of the sensor itself."""


class PointClouds(Writer):
    """Writes the points of each scan, with their ground truth if the configuration asks for it.

    Parameters are those of `Writer`.
    """

    key = "pcd"
    scan_suffixes = (".pcd",)

    def write_scans(self, step: Step) -> None:
        """Write the clouds that were traced anew; errors as of `Writer`."""
        for scan in step.scans:
            if scan.traced:
                write_clouds(self.folder, scan, self.config.output)


def write_clouds(folder: Path, scan: Scan, output: Output) -> str:
    """Write the cloud of a scan and, if there is one, the deskewed cloud.

    Parameters
    ----------
    folder : Path
        The folder that has the folders of the sensors.
    scan : Scan
        The scan.
    output : Output
        The encoding; "none" is taken for "binary".

    Returns
    -------
    str
        The name of the point cloud, relative to the folder.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    name = cloud_name(scan.sensor, scan.number)
    encoding = "binary" if output.pcd == "none" else output.pcd
    points = points_with_truth(scan) if output.ground_truth else scan.cloud.points
    write_pcd(folder / name, points, encoding, world_from_sensor=scan.world_from_sensor)
    if scan.deskewed is not None:
        deskewed = folder / scan.sensor / DESKEWED / f"{scan.number:06d}.pcd"
        write_pcd(deskewed, scan.deskewed, encoding, world_from_sensor=scan.world_from_sensor)
    return name


def cloud_name(sensor: str, number: int) -> str:
    """Return the name of a point cloud, relative to the folder of the run."""
    return f"{sensor}/{number:06d}.pcd"


def sensor_folder(sensor: Sensor) -> str:
    """Return the deepest folder that the clouds of a sensor need."""
    return f"{sensor.name}/{DESKEWED}" if sensor.deskew else sensor.name
