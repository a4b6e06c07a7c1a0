# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Mountings of nuScenes' sensors: lidars, and six virtual cameras at the first lidar.

The cameras share one black picture.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.datasets.formats.nuscenes_tables import Row, listed, token
from lidar_app.exports.kitti_files import CAMERA_FROM_LIDAR
from osi_lidar.clouds.pcd import pose_row
from osi_lidar.scan.from_config import pose_matrix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

LIDARS = "LIDAR_"
"""Beginning of the channels of lidars."""
CAMERAS = {
    "CAM_FRONT": 0.0,
    "CAM_FRONT_RIGHT": -55.0,
    "CAM_BACK_RIGHT": -110.0,
    "CAM_BACK": 180.0,
    "CAM_BACK_LEFT": 110.0,
    "CAM_FRONT_LEFT": 55.0,
}
"""Direction of each channel, counter-clockwise from forward. [deg]"""
IMAGE = "black.png"
IMAGE_SIZE = (1600, 900)
"""Width and height of images, as in nuScenes. [pixel]"""
FOCAL = 1142.5
"""Focal length for a width of 70 degrees, as nuScenes states for its cameras. [pixel]"""


def intrinsic() -> list[list[float]]:
    """Return the intrinsic matrix that all virtual cameras share, 3 rows of 3 [pixel]."""
    width, height = IMAGE_SIZE
    return [[FOCAL, 0.0, width / 2], [0.0, FOCAL, height / 2], [0.0, 0.0, 1.0]]


def base_from_camera(channel: str, base_from_lidar: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pose of a virtual camera on the vehicle, float64 (4, 4) [m].

    The camera looks along its z axis; its y axis points down.

    Parameters
    ----------
    channel : str
        Channel of the camera, one of `CAMERAS`.
    base_from_lidar : float64 (4, 4)
        Pose of the first lidar on the vehicle. [m]
    """
    pose = pose_matrix(base_from_lidar[:3, 3], (0.0, 0.0, math.radians(CAMERAS[channel])))
    turned: NDArray[np.float64] = pose @ np.linalg.inv(CAMERA_FROM_LIDAR)
    return turned


def calibration(key: str, channel: str) -> str:
    """Return the token of a sensor's row in calibrated_sensor.json, by scene key and channel."""
    return token(key, "calibrated_sensor", channel)


def calibrated_rows(key: str, lidars: Mapping[str, NDArray[np.float64]]) -> Iterator[Row]:
    """Yield the rows of calibrated_sensor.json: the mountings of lidars, then of virtual cameras.

    The cameras are level, at the position of the first lidar, and face the directions in `CAMERAS`.

    Parameters
    ----------
    key : str
        Unique key of the scene.
    lidars : mapping of str to float64 (4, 4)
        Pose of each lidar on the vehicle, by channel. [m]
    """
    first = next(iter(lidars.values()))
    for channel in (*lidars, *CAMERAS):
        is_camera = channel in CAMERAS
        pose = base_from_camera(channel, first) if is_camera else lidars[channel]
        yield {
            "token": calibration(key, channel),
            "sensor_token": token("sensor", channel),
            "translation": listed(pose[:3, 3]),
            "rotation": list(pose_row(pose)[3:]),
            "camera_intrinsic": intrinsic() if is_camera else [],
        }


def camera_rows(lidar: Iterable[Row], key: str) -> dict[str, list[Row]]:
    """Return the rows of each virtual camera in sample_data.json, by channel.

    A camera has a row for each key frame, all with the same black picture.

    Parameters
    ----------
    lidar : iterable of dict
        The rows of the first lidar in sample_data.json, from which times and poses are copied.
    key : str
        Unique key of the scene.
    """
    frames = [row for row in lidar if row["is_key_frame"]]
    width, height = IMAGE_SIZE
    return {
        channel: [
            {
                **row,
                "token": token(row["token"], channel),
                "calibrated_sensor_token": calibration(key, channel),
                "fileformat": "png",
                "height": height,
                "width": width,
                "filename": f"samples/{channel}/{IMAGE}",
            }
            for row in frames
        ]
        for channel in CAMERAS
    }
