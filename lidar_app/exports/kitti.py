# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Export in the layout of KITTI's object data set: points, calibrations, and boxes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.exports.boxes import MessageBoxes, occlusions
from lidar_app.exports.export_run import Export, only_sensor
from lidar_app.exports.kitti_camera import PROJECTION, image_box
from lidar_app.exports.kitti_files import CAMERA_FROM_LIDAR, calibration, write_points
from lidar_app.exports.scan_points import deskewed_scans, end_pose
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_app.exports.boxes import ScanBoxes
    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.stored import StoredRun

logger = logging.getLogger(__name__)

TYPES = {
    **dict.fromkeys(("small_car", "compact_car", "car", "medium_car", "luxury_car"), "Car"),
    **dict.fromkeys(("van", "delivery_van"), "Van"),
    **dict.fromkeys(("heavy_truck", "semitractor", "semitrailer"), "Truck"),
    "bicycle": "Cyclist",
    "tram": "Tram",
    "pedestrian": "Pedestrian",
}
"""KITTI's type of object, by OSI type; other moving objects are Misc."""


def write_kitti(export: Export) -> None:
    """Write the scans of a sensor as samples of KITTI's object data set, numbered from 0.

    Points are in the sensor frame at the end of the scan. Moving objects except the host have boxes
    if they have points and are in the image of the virtual camera. Boxes hold for the end of the
    scan; poses are interpolated between messages. If the trace is gone or has changed, there are no
    boxes, and a warning says so.

    Parameters
    ----------
    export : Export
        The run, and the folder to write.

    Raises
    ------
    InputError
        If the run has several sensors, or a cloud cannot be read.
    """
    only_sensor(export.run, "the data set")
    truth = _truth(export.run)
    place = export.path / "training"
    for number, (scan, points) in enumerate(deskewed_scans(export.run, export.scans)):
        write_sample(place, f"{number:06d}", points)
        if truth is not None:
            boxes = truth.of(scan, points)
            boxes = boxes.chosen(boxes.moves & (boxes.points > 0))
            kinds = [_kind(names) for names in boxes.names]
            write_label(place, f"{number:06d}", label_lines(kinds, boxes, end_pose(scan)))


def write_sample(place: Path, name: str, points: Rows) -> None:
    """Write points and calibration of a sample: velodyne/NAME.bin and calib/NAME.txt.

    Parameters
    ----------
    place : Path
        Folder above velodyne and calib; all are made if necessary.
    name : str
        Name of the sample, without a suffix. Files of an older sample of this name are replaced.
    points : structured (n_point,)
        Points with the fields x, y, z [m] and reflectivity.
    """
    for folder in ("velodyne", "calib"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    write_points(place / "velodyne" / f"{name}.bin", points)
    text = calibration(
        **dict.fromkeys(("P0", "P1", "P2", "P3"), PROJECTION),
        R0_rect=np.eye(3),
        Tr_velo_to_cam=CAMERA_FROM_LIDAR,
        Tr_imu_to_velo=np.eye(4),
    )
    (place / "calib" / f"{name}.txt").write_text(text, encoding="ascii")


def write_label(place: Path, name: str, lines: Iterable[str]) -> None:
    """Write the label file of a sample, label_2/NAME.txt.

    Parameters
    ----------
    place : Path
        Folder above label_2; both are made if necessary.
    name : str
        Name of the sample, without a suffix. A file of this name is replaced.
    lines : iterable of str
        A line for each box, without line breaks, as `label_lines` yields them.
    """
    (place / "label_2").mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line}\n" for line in lines)
    (place / "label_2" / f"{name}.txt").write_text(text, encoding="ascii")


def _truth(run: StoredRun) -> MessageBoxes | None:
    """Return the boxes of a run; warn and return None if the trace is gone or has changed."""
    try:
        return MessageBoxes(run)
    except InputError as error:
        logger.warning("the export has no boxes: %s", error)
        return None


def _kind(names: Sequence[str]) -> str:
    """Return KITTI's type for the names of an OSI type."""
    return next((TYPES[name] for name in names if name in TYPES), "Misc")


def label_lines(
    kinds: Sequence[str], boxes: ScanBoxes, world_from_lidar: NDArray[np.float64]
) -> Iterator[str]:
    """Yield a line of a label file for each box that is in the image of the virtual camera.

    Parameters
    ----------
    kinds : sequence of str (n,)
        KITTI's type of each box.
    boxes : ScanBoxes (n,)
        The boxes.
    world_from_lidar : float64 (4, 4)
        Pose of the lidar in the world; the camera is at the same place. [m]
    """
    states = occlusions(boxes.visibility)
    camera_from_world = CAMERA_FROM_LIDAR @ np.linalg.inv(world_from_lidar)
    for row, camera_from_box in enumerate(camera_from_world @ boxes.world_from_box):
        length_m, width_m, height_m = boxes.size_m[row]
        shown = image_box(camera_from_box, boxes.size_m[row])
        if shown is None:
            continue
        floor = camera_from_box[:3, 3] - 0.5 * height_m * camera_from_box[:3, 2]
        x, y, z = floor  # the middle of the box's floor
        heading = np.arctan2(-camera_from_box[2, 0], camera_from_box[0, 0])
        alpha = (heading - np.arctan2(x, z) + np.pi) % (2.0 * np.pi) - np.pi
        numbers = (alpha, *shown[:4], height_m, width_m, length_m, x, y, z, heading)
        text = " ".join(f"{number:.6f}" for number in numbers)
        yield f"{kinds[row]} {shown.truncation:.6f} {states[row]} {text}"
