# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How a message says that the wheels of a vehicle stand and roll."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from osi_bridge.description.limits import MAX_ANGLE_RAD, MAX_DIMENSION_M, are_within

if TYPE_CHECKING:
    from osi_bridge.records import Frame

__all__ = ["WheelMotion", "wheel_motions"]


FASTEST_RAD_S = 2000.0
"""Greatest rate that is taken: of a wheel of 0.1 m at 200 m/s; a greater one is garbage. [rad/s]"""


class WheelMotion(NamedTuple):
    """A wheel whose message says how it stands or rolls.

    Attributes
    ----------
    center_m : (float, float)
        Its centre from the bounding box's, along x and y of the vehicle. [m]
    orientation_rad : (float, float, float) or None
        Roll, pitch and yaw in the vehicle's frame; None if not stated. [rad]
    rotation_rate_rad_s : float or None
        About the wheel's y axis, positive forwards; None if not stated. [rad/s]
    """

    center_m: tuple[float, float]
    orientation_rad: tuple[float, float, float] | None
    rotation_rate_rad_s: float | None


def wheel_motions(frame: Frame, row: int) -> tuple[WheelMotion, ...]:
    """Return what a message says of the wheels of a moving object; impossible values are left out.

    Parameters
    ----------
    frame : Frame
        The frame.
    row : int
        Row of the object in its `moving`.
    """
    found = []
    for wheel in frame.moving[row].vehicle_attributes.wheel_data:
        turn, rate, place = wheel.orientation, wheel.rotation_rate, wheel.position
        turns = turn.roll, turn.pitch, turn.yaw
        stands = wheel.HasField("orientation") and are_within(turns, MAX_ANGLE_RAD)
        rolls = wheel.HasField("rotation_rate") and abs(rate) <= FASTEST_RAD_S  # NaN is not
        center_m = place.x, place.y
        if not wheel.HasField("position") or not are_within(center_m, MAX_DIMENSION_M):
            continue
        if stands or rolls:
            found.append(WheelMotion(center_m, turns if stands else None, rate if rolls else None))
    return tuple(found)
