# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Deskewing (motion compensation): the points of a scan, in the sensor frame at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.clouds.cloud import Cloud


def deskewed(
    cloud: Cloud,
    moment: NDArray[np.uint32],
    world_from_sensor: NDArray[np.float64],
    end: NDArray[np.float64],
) -> NDArray[Any]:
    """Return a copy of ``cloud.points``, with positions and normals in the frame of ``end``.

    Parameters
    ----------
    cloud : Cloud
        Points, each in the sensor frame at the moment it was measured.
    moment : uint32 (n_beam,)
        Row of ``world_from_sensor`` for each beam; ignored if there is only one pose.
    world_from_sensor : float64 (n_pose, 4, 4)
        Poses of the sensor during the scan. [m]
    end : float64 (4, 4)
        Pose of the sensor at the end of the scan, which defines the frame of the result. [m]
    """
    end_from_sensor = np.linalg.inv(end) @ world_from_sensor
    points: NDArray[Any] = cloud.points.copy()
    of_point = end_from_sensor
    if len(end_from_sensor) > 1:
        of_point = end_from_sensor[moment[cloud.beam]]
    for names, shifts in ((("x", "y", "z"), 1.0), (("normal_x", "normal_y", "normal_z"), 0.0)):
        vector = np.stack([points[name] for name in names], axis=1).astype(np.float64)
        turned = (of_point[:, :3, :3] @ vector[:, :, None])[:, :, 0]
        turned += shifts * of_point[:, :3, 3]
        for axis, name in enumerate(names):
            points[name] = turned[:, axis]
    return points
