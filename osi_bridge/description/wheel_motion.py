# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Steering and rolling of a vehicle's wheels, as a message states them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from osi_bridge.description.limits import (
    MAX_ANGLE_RAD,
    MAX_DIMENSION_M,
    MOST_WHEELS,
    are_within,
)

if TYPE_CHECKING:
    from osi_bridge.records import Frame

__all__ = ["WheelMotion", "wheel_motions"]


FASTEST_RAD_S = 2000.0
"""Largest accepted rotation rate: a wheel of 0.1 m radius at 200 m/s. [rad/s]"""


class WheelMotion(NamedTuple):
    """A wheel with a stated orientation or rotation rate.

    Attributes
    ----------
    center_m : (float, float)
        Vector from the bounding box's centre to the wheel's centre, x and y of the vehicle. [m]
    orientation_rad : (float, float, float) or None
        Roll, pitch and yaw in the vehicle's frame; None if not stated. [rad]
    rotation_rate_rad_s : float or None
        Rotation rate about the wheel's y axis, positive forwards; None if not stated. [rad/s]
    """

    center_m: tuple[float, float]
    orientation_rad: tuple[float, float, float] | None
    rotation_rate_rad_s: float | None


def wheel_motions(frame: Frame, row: int) -> tuple[WheelMotion, ...]:
    """Return the motion of a moving object's wheels, as far as the message states it.

    A wheel is left out if it states no position, or neither an orientation nor a rotation rate;
    impossible values count as not stated. Only the first `MOST_WHEELS` are read.

    Parameters
    ----------
    frame : Frame
        The frame.
    row : int
        Row of the object in `frame.moving`.
    """
    found = []
    for wheel in frame.moving[row].vehicle_attributes.wheel_data[:MOST_WHEELS]:
        turn, rate, place = wheel.orientation, wheel.rotation_rate, wheel.position
        turns = turn.roll, turn.pitch, turn.yaw
        stands = wheel.HasField("orientation") and are_within(turns, MAX_ANGLE_RAD)
        rolls = wheel.HasField("rotation_rate") and abs(rate) <= FASTEST_RAD_S  # false for NaN
        center_m = place.x, place.y
        if not wheel.HasField("position") or not are_within(center_m, MAX_DIMENSION_M):
            continue
        if stands or rolls:
            found.append(WheelMotion(center_m, turns if stands else None, rate if rolls else None))
    return tuple(found)
