# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The point clouds of a run: a PCD file for each scan, in the folder of its sensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from osi_lidar.clouds.pcd import write_pcd
from osi_lidar.output.truth_export import clean_points, points_with_truth
from osi_lidar.output.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.config import Output, Sensor
    from osi_lidar.scan.step import Scan, Step

DESKEWED = "deskewed"
"""Subfolder of a sensor's folder: clouds without the motion of the sensor itself."""
CLEAN = "clean"
"""Subfolder of a sensor's folder: clouds without the sensor's errors."""


class PointClouds(Writer):
    """Writes the points of each scan, with their ground truth if the configuration asks for it.

    Parameters
    ----------
    destination : Destination
        The folder of the run.
    config : Config
        The configuration; its section ``output`` has the encoding and which clouds are wanted.
    """

    key = "pcd"
    scan_suffixes = (".pcd",)

    def write_scans(self, step: Step) -> None:
        """Write the PCD files of each scan of ``step``, a `Step`, that repeats no earlier scan.

        Raise OutputError if a file cannot be written.
        """
        for scan in step.scans:
            if scan.traced:
                write_clouds(self.folder, scan, self.config.output)


def write_clouds(folder: Path, scan: Scan, output: Output) -> str:
    """Write the cloud of a scan; its deskewed cloud, if it has one; and a clean one if wanted.

    Parameters
    ----------
    folder : Path
        The folder that has the folders of the sensors.
    scan : Scan
        The scan.
    output : Output
        The encoding ``pcd`` ("none" counts as "binary"), and whether clean clouds are wanted.

    Returns
    -------
    str
        The name of the cloud's file, relative to the folder.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    name = cloud_name(scan.sensor, scan.number)
    encoding, pose = "binary" if output.pcd == "none" else output.pcd, scan.world_from_sensor
    path = folder / name
    write_pcd(path, reported_points(scan, output), encoding, world_from_sensor=pose)
    if scan.deskewed is not None:
        deskewed = path.parent / DESKEWED / path.name
        write_pcd(deskewed, scan.deskewed, encoding, world_from_sensor=pose)
    if output.clean:
        clean = path.parent / CLEAN / path.name
        write_pcd(clean, clean_points(scan), encoding, world_from_sensor=pose)
    return name


def reported_points(scan: Scan, output: Output) -> NDArray[Any]:
    """Return the points of a scan, structured (n_point,), as the sensor reports them.

    ``scan`` is the `Scan`. If ``output.ground_truth`` of ``output``, the section of the
    configuration, is true, the points have the fields of `points_with_truth`.
    """
    return points_with_truth(scan) if output.ground_truth else scan.cloud.points


def cloud_name(sensor: str, number: int) -> str:
    """Return the path of a scan's cloud below the run's folder, such as "roof/000012.pcd".

    ``sensor`` is the name of the sensor, and ``number`` the number of the scan.
    """
    return f"{sensor}/{number:06d}.pcd"


def sensor_folders(sensor: Sensor, output: Output) -> list[str]:
    """Return the folders for the clouds of a sensor, relative to the folder of the run.

    Parameters
    ----------
    sensor : Sensor
        Configuration of the sensor; with ``deskew``, there is a folder for deskewed clouds.
    output : Output
        Section of the configuration; with ``clean``, there is a folder for clouds without errors.

    Returns
    -------
    list of str
        The sensor's folder, whose name is the sensor's, and folders in it, such as "roof/deskewed".
    """
    within = [name for name, needed in ((DESKEWED, sensor.deskew), (CLEAN, output.clean)) if needed]
    return [sensor.name, *(f"{sensor.name}/{name}" for name in within)]
