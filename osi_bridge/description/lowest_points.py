# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowest points of objects, on which a ground plane can be laid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from osi_bridge.description.limits import MOST_WHEELS
from osi_bridge.rotation import rotation_from_orientation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray
    from osi3.osi_object_pb2 import MovingObject

    Floats: TypeAlias = NDArray[np.float64]

GROUND_DEPTH_M = 100.0
"""Objects and wheels that are farther below others, or below their box, do not count. [m]"""


def lowest_points_m(
    position_m: Floats, orientation_rad: Floats, dimension_m: Floats, moving: Sequence[MovingObject]
) -> Floats:
    """Return the height of the lowest point of each object's box and wheels, float64 (n,) [m].

    Heights are along z of the world. A wheel that is more than 100 m below its box, or whose height
    is not finite, is ignored, and so are wheels after the first `MOST_WHEELS` of an object.

    Parameters
    ----------
    position_m, dimension_m : float64 (n, 3)
        Centres of the boxes, in the world; lengths, widths and heights. [m]
    orientation_rad : float64 (n, 3)
        Roll, pitch and yaw of the boxes. [rad]
    moving : sequence of MovingObject
        Messages of the moving objects, which are the first of the n objects; they state wheels.
    """
    up = rotation_from_orientation(orientation_rad)[:, 2, :]
    lowest_m: Floats = position_m[:, 2] - 0.5 * (np.abs(up) * dimension_m).sum(axis=1)
    row, wheels_m = _wheel_bottoms_m(position_m, moving, up)
    possible = wheels_m >= lowest_m[row] - GROUND_DEPTH_M
    np.minimum.at(lowest_m, row[possible], wheels_m[possible])
    lowest_m.flags.writeable = False
    return lowest_m


def _wheel_bottoms_m(
    position_m: Floats, moving: Sequence[MovingObject], up: Floats
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the object's row and the lowest height of each wheel; a height may be not finite."""
    numbers = [
        number
        for row, message in enumerate(moving)
        for wheel in message.vehicle_attributes.wheel_data[:MOST_WHEELS]
        for p in (wheel.position,)
        for number in (row, p.x, p.y, p.z, wheel.wheel_radius)
    ]
    wheels = np.array(numbers, np.float64).reshape(-1, 5)
    row = wheels[:, 0].astype(np.intp)
    with np.errstate(invalid="ignore", over="ignore"):
        above_center_m = (up[row] * wheels[:, 1:4]).sum(axis=1) - wheels[:, 4]
        return row, np.asarray(position_m[row, 2] + above_center_m)
