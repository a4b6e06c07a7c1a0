# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The layout of KITTI's object data set: points, calibrations, and boxes of the objects."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_app.exports.export_run import Export, only_sensor
from lidar_app.exports.kitti_files import CAMERA_FROM_LIDAR, calibration, write_points
from lidar_app.exports.scan_points import deskewed_scans, end_pose
from osi_bridge import ObjectKind
from osi_lidar.errors import InputError
from osi_lidar.output.stored import input_messages
from osi_lidar.scan.from_config import pose_matrix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from osi_bridge import ObjectStates
    from osi_lidar.output.stored import StoredRun

logger = logging.getLogger(__name__)

TYPES = {
    **dict.fromkeys(("SMALL_CAR", "COMPACT_CAR", "CAR", "MEDIUM_CAR", "LUXURY_CAR"), "Car"),
    "VAN": "Van",
    "DELIVERY_VAN": "Van",
    "HEAVY_TRUCK": "Truck",
    "SEMITRACTOR": "Truck",
    "SEMITRAILER": "Truck",
    "BICYCLE": "Cyclist",
    "TRAM": "Tram",
    "PEDESTRIAN": "Pedestrian",
}
"""KITTI's types of objects by OSI's; other moving objects are Misc."""


def write_kitti(export: Export) -> None:
    """Write the scans of a sensor as samples, numbered from 0.

    Points are as seen from the end of the scan, and boxes are those of its message; of an object
    without a point, there is none. Without the trace, a warning says so, and there are no boxes.

    Parameters
    ----------
    export : Export
        What is written, and where: a folder.

    Raises
    ------
    InputError
        If the run has several sensors, or a cloud cannot be read.
    """
    only_sensor(export.run, "the data set")
    objects = _objects(export.run)
    folders = ("velodyne", "calib", *(["label_2"] if objects else []))
    for folder in folders:
        (export.path / "training" / folder).mkdir(parents=True)
    calib = calibration(
        ("P0", "P1", "P2", "P3"),
        R0_rect=np.eye(3),
        Tr_velo_to_cam=CAMERA_FROM_LIDAR,
        Tr_imu_to_velo=np.eye(4),
    )
    for number, (scan, points) in enumerate(deskewed_scans(export.run, export.scans)):
        place = {each: export.path / "training" / each / f"{number:06d}" for each in folders}
        write_points(place["velodyne"].with_suffix(".bin"), points)
        place["calib"].with_suffix(".txt").write_text(calib, encoding="ascii")
        if objects:
            seen = set(np.unique(points["object_id"]).tolist()) - {export.run.host_object_id}
            camera_from_world = CAMERA_FROM_LIDAR @ np.linalg.inv(end_pose(scan))
            lines = boxes(objects[scan.row.frame], seen, camera_from_world)
            text = "".join(f"{line}\n" for line in lines)
            place["label_2"].with_suffix(".txt").write_text(text, encoding="ascii")


def _objects(run: StoredRun) -> dict[int, ObjectStates]:
    """Return the objects of each frame, none where the trace is gone."""
    try:
        return {message.frame.index: message.frame.objects for message in input_messages(run)}
    except InputError as error:
        logger.warning("no boxes: %s", error)
        return {}


def boxes(
    objects: ObjectStates, seen: set[Any], camera_from_world: NDArray[np.float64]
) -> Iterator[str]:
    """Yield a line of a label file for each moving object of some ids.

    Truncation, occlusion and the box in the image are those of what is not known: -1, 3, and -1.

    Parameters
    ----------
    objects : ObjectStates
        The objects of a message.
    seen : set of int
        Ids of those that get a box.
    camera_from_world : float64 (4, 4)
        Pose of the world in the frame of KITTI's camera. [m]
    """
    for row, object_id in enumerate(objects.object_id.tolist()):
        length_m, width_m, height_m = objects.dimension_m[row]
        moves = objects.kind[row] == ObjectKind.MOVING
        if object_id not in seen or not moves or not height_m > 0:
            continue
        names = (objects.subtype_name[row], objects.type_name[row])
        plain = [name.removeprefix("TYPE_") for name in names]
        kind = next((TYPES[name] for name in plain if name in TYPES), "Misc")
        pose = pose_matrix(objects.position_m[row], objects.orientation_rad[row])
        pose = camera_from_world @ pose
        x, y, z = pose[:3, 3] - 0.5 * height_m * pose[:3, 2]  # the middle of the box's floor
        heading = np.arctan2(-pose[2, 0], pose[0, 0])
        alpha = (heading - np.arctan2(x, z) + np.pi) % (2.0 * np.pi) - np.pi
        numbers = (height_m, width_m, length_m, x, y, z, heading)
        shown = " ".join(f"{number:.6f}" for number in numbers)
        yield f"{kind} -1 3 {alpha:.6f} -1 -1 -1 -1 {shown}"
