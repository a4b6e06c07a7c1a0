# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of sensors and host, as transforms between the frames of `osi_bridge.viewers.frames`.

A transform holds the pose of its child frame in its parent frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from osi_bridge import (
    BB_CENTER_FRAME,
    GLOBAL_FRAME,
    REAR_AXLE_FRAME,
    Transform,
    rotation_from_orientation,
)
from osi_lidar.scan.from_config import mounting_position
from raycore.scene.motion import quaternions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from osi_bridge import Frame
    from osi_lidar.config.sensor import Mounting

_NOT_TURNED = (1.0, 0.0, 0.0, 0.0)


def host_transforms(frame: Frame) -> list[Transform]:
    """Return two transforms of the host vehicle, or an empty list if the message has no host.

    The first has the pose of its box in the world, the second the pose of its rear axle in the
    frame of the box. Lichtblick's converter makes the same two transforms from OSI messages. A file
    may hold both pairs, because a viewer keeps only one of two equal transforms.
    """
    if frame.host is None:
        return []
    objects, row = frame.objects, frame.host.index
    centre = _pose(objects.position_m[row], objects.orientation_rad[row])
    axle = (*frame.host.rear_axle_from_center_m.tolist(), *_NOT_TURNED)
    return [
        Transform(GLOBAL_FRAME, BB_CENTER_FRAME, frame.time_ns, centre),
        Transform(BB_CENTER_FRAME, REAR_AXLE_FRAME, frame.time_ns, axle),
    ]


def mounted(sensor: str, mounting: Mounting, time_ns: int) -> Transform:
    """Return the constant pose of a sensor in the rear axle's frame, stamped with ``time_ns`` [ns].

    ``sensor`` is the name of the sensor, which is also the name of its frame. ``mounting`` is its
    configured position [m] and orientation.
    """
    position = mounting_position(mounting)
    pose = _pose(np.array(position.position_m), np.array(position.orientation_rad))
    return Transform(REAR_AXLE_FRAME, sensor, time_ns, pose)


def image_plane(sensor: Transform) -> Transform:
    """Return a transform from the frame of a sensor to the frame of its images: the identity.

    ``sensor`` is any transform whose child is the sensor. Rerun puts a sensor's images into a frame
    of their own, named as here. If no transform connected this frame to the others, Rerun would
    find several roots, and show none.
    """
    plane = f"{sensor.child}_image_plane"
    return Transform(sensor.child, plane, sensor.time_ns, (0.0, 0.0, 0.0, *_NOT_TURNED))


def in_world(sensor: str, pose: Sequence[float], time_ns: int) -> Transform:
    """Return the pose of a sensor in the world as a transform, for runs without a known vehicle.

    ``sensor`` is the name of the sensor, which is also the name of its frame. ``pose`` is x y z [m]
    and the unit quaternion qw qx qy qz of the sensor. The transform is stamped with ``time_ns``
    [ns].
    """
    return Transform(GLOBAL_FRAME, sensor, time_ns, pose)


def _pose(position_m: NDArray[np.float64], orientation_rad: NDArray[np.float64]) -> list[float]:
    return [*position_m.tolist(), *quaternions(rotation_from_orientation(orientation_rad)).tolist()]
