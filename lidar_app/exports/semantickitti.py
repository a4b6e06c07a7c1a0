# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Export as a sequence of SemanticKITTI: points, labels, poses, times and calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import yaml

from lidar_app.exports.export_run import Export, only_sensor
from lidar_app.exports.kitti_files import (
    CAMERA_FROM_LIDAR,
    calibration,
    matrix_line,
    write_points,
)
from lidar_app.exports.labels import Labelling
from lidar_app.exports.scan_points import deskewed_scans, end_pose

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.stored import StoredScan


def write_semantickitti(export: Export, *, labels: Path | None = None) -> None:
    """Write the scans of a sensor as a sequence of SemanticKITTI; scans are numbered from 0.

    Parameters
    ----------
    export : Export
        The run, and the folder to write.
    labels : Path, optional
        A user-defined class map, see `read_classes`; default: the classes of SemanticKITTI.

    Raises
    ------
    InputError
        If the run has several sensors, or a cloud or the map cannot be read.
    """
    only_sensor(export.run, "a sequence")
    labelling = Labelling(export.run, labels)
    sequence = ScanSequence(export.path)
    for scan, points in deskewed_scans(export.run, export.scans):
        sequence.add(scan, points, labelling.of(points))
    sequence.close()
    text = yaml.safe_dump(labelling.description(), sort_keys=False)
    (export.path / "labels.yaml").write_text(text, encoding="utf-8")


class ScanSequence:
    """Writes scans of a sensor as a sequence of SemanticKITTI.

    Parameters
    ----------
    folder : Path
        Folder of the sequence; it is made, and must not exist.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._poses: list[NDArray[np.float64]] = []
        self._times_s: list[float] = []
        for name in ("velodyne", "labels"):
            (folder / name).mkdir(parents=True)

    def add(self, scan: StoredScan, points: Rows, label: NDArray[np.uint32]) -> str:
        """Write the points and labels of a scan; return its number in the sequence as text.

        Points must be in the sensor frame at the end of the scan. The files are velodyne/NUMBER.bin
        and labels/NUMBER.label; numbers start at 000000.
        """
        number = f"{len(self._poses):06d}"
        write_points(self._folder / "velodyne" / f"{number}.bin", points)
        (self._folder / "labels" / f"{number}.label").write_bytes(label.tobytes())
        self._poses.append(end_pose(scan))
        self._times_s.append(1e-9 * scan.row.end_ns)
        return number

    def close(self) -> None:
        """Write times.txt, calib.txt and poses.txt, after at least one scan was added.

        The camera frame is the lidar frame with x to the right, y down and z forward. A pose is the
        pose of the camera frame at the end of a scan, in the camera frame at the end of the first
        scan. Times are in seconds from the end of the first scan.
        """
        lidar_from_camera = np.linalg.inv(CAMERA_FROM_LIDAR)
        first_from_world = CAMERA_FROM_LIDAR @ np.linalg.inv(self._poses[0])
        lines = [matrix_line(first_from_world @ pose @ lidar_from_camera) for pose in self._poses]
        begin_s, unit = self._times_s[0], dict.fromkeys(("P0", "P1", "P2", "P3"), np.eye(4))
        texts = {
            "poses.txt": "".join(f"{line}\n" for line in lines),
            "times.txt": "".join(f"{time_s - begin_s:.9e}\n" for time_s in self._times_s),
            "calib.txt": calibration(**unit, Tr=CAMERA_FROM_LIDAR),
        }
        for name, text in texts.items():
            (self._folder / name).write_text(text, encoding="ascii")
