# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Details of objects in messages, besides pose, size and type."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ObjectDetails", "Wheel"]

Point3 = tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A wheel of a vehicle.

    Attributes
    ----------
    center_m : (float, float, float)
        Vector from the bounding box's centre to the wheel's centre, in the vehicle's axes. [m]
    radius_m, width_m : float or None
        Radius and width; None if not stated. [m]
    """

    center_m: Point3
    radius_m: float | None = None
    width_m: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectDetails:
    """Details of one object; objects with equal details get equal shapes.

    Vectors are in the object's axes. A value that the message does not state, or that is
    impossible, is None, "", False, 0 or empty.

    Attributes
    ----------
    wheels : tuple of Wheel
        Wheels of a vehicle; empty if not stated.
    wheel_radius_m, ground_clearance_m : float or None
        Wheel radius and ground clearance of a vehicle. [m]
    front_axle_m, rear_axle_m : (float, float, float) or None
        Vectors from the centre of the bounding box to the centres of the axles. [m]
    has_trailer : bool
        Whether a vehicle pulls a trailer.
    role : str
        Role of a vehicle, such as "AMBULANCE"; "" = not stated.
    color : (float, float, float) or None
        Red, green and blue of the object, or of the light of a traffic light, 0 to 1.
    material : str
        Material of a stationary object, such as "CONCRETE"; "" = not stated.
    outline_m : tuple of (float, float)
        Corners of the base polygon relative to the centre of the bounding box, counter-clockwise.
        [m]
    speed_m_s : float
        Speed that the message states. [m/s]
    sign_value : float or None
        Number on a traffic sign, such as a speed limit in the unit of the sign.
    """

    wheels: tuple[Wheel, ...] = ()
    wheel_radius_m: float | None = None
    ground_clearance_m: float | None = None
    front_axle_m: Point3 | None = None
    rear_axle_m: Point3 | None = None
    has_trailer: bool = False
    role: str = ""
    color: Point3 | None = None
    material: str = ""
    outline_m: tuple[tuple[float, float], ...] = ()
    speed_m_s: float = 0.0
    sign_value: float | None = None
