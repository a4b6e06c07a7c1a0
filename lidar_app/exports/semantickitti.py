# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A sequence of SemanticKITTI: points, labels, poses, times and calibration."""

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


def write_semantickitti(export: Export, *, labels: Path | None = None) -> None:
    """Write the scans of a sensor as a sequence, numbered from 0.

    Parameters
    ----------
    export : Export
        What is written, and where: a folder.
    labels : Path, optional
        A map of one's own, see `labels.read_classes`; default: the classes of SemanticKITTI.

    Raises
    ------
    InputError
        If the run has several sensors, or a cloud or the map cannot be read.
    """
    only_sensor(export.run, "a sequence")
    labelling = Labelling(export.run, labels)
    for folder in ("velodyne", "labels"):
        (export.path / folder).mkdir(parents=True)
    poses, times_s = [], []
    for number, (scan, points) in enumerate(deskewed_scans(export.run, export.scans)):
        write_points(export.path / "velodyne" / f"{number:06d}.bin", points)
        label = labelling.of(points)
        (export.path / "labels" / f"{number:06d}.label").write_bytes(label.tobytes())
        poses.append(end_pose(scan))
        times_s.append(1e-9 * scan.row.end_ns)
    _write_texts(export.path, poses, times_s)
    text = yaml.safe_dump(labelling.description(), sort_keys=False)
    (export.path / "labels.yaml").write_text(text, encoding="utf-8")


def _write_texts(folder: Path, poses: list[NDArray[np.float64]], times_s: list[float]) -> None:
    """Write poses.txt, of the camera in its frame of the first scan, times.txt and calib.txt."""
    lidar_from_camera = np.linalg.inv(CAMERA_FROM_LIDAR)
    first_from_world = CAMERA_FROM_LIDAR @ np.linalg.inv(poses[0])
    lines = [matrix_line(first_from_world @ pose @ lidar_from_camera) for pose in poses]
    unit = dict.fromkeys(("P0", "P1", "P2", "P3"), np.eye(4))
    calib = calibration(**unit, Tr=CAMERA_FROM_LIDAR)
    texts = {
        "poses.txt": "".join(f"{line}\n" for line in lines),
        "times.txt": "".join(f"{time_s - times_s[0]:.9e}\n" for time_s in times_s),
        "calib.txt": calib,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="ascii")
