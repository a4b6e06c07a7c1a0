# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The records that this package gives and takes: columns of arrays, by value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "NO_OBJECT",
    "Detections",
    "Frame",
    "HostVehicle",
    "MessageType",
    "MountingPosition",
    "ObjectKind",
    "ObjectStates",
    "SkippedObject",
]

MessageType: TypeAlias = Literal["SensorView", "GroundTruth", "SensorData"]

NO_OBJECT = 2**64 - 1
"""Object id of a detection that belongs to no OSI object, as OSI defines it."""


class ObjectKind(IntEnum):
    """Which list of OSI's GroundTruth an object comes from."""

    MOVING = 0
    STATIONARY = 1
    TRAFFIC_SIGN = 2
    TRAFFIC_LIGHT = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ObjectStates:
    """All objects of one message, column by column; row order is that of the message.

    Attributes
    ----------
    object_id : uint64 (n,)
        OSI ids, each one once.
    kind : uint8 (n,)
        `ObjectKind` of each object.
    type_name, subtype_name : tuple of str (n,)
        Names of OSI's enumerations, such as "TYPE_VEHICLE" and "TYPE_CAR"; a type that OSI gives
        two names has the older one. Moving: type, and vehicle type if there is one. Stationary:
        its classification. Sign: type of the main sign. Light: its icon. "" = none.
    model_reference : tuple of str (n,)
        As in the message, "" = none.
    position_m : float64 (n, 3)
        Centre of the bounding box in the world frame. [m]
    orientation_rad : float64 (n, 3)
        Roll, pitch, yaw. [rad]
    dimension_m : float64 (n, 3)
        Length, width, height as given; 0 where the message does not say (fine for an object with
        a mesh of its own size). [m]
    rear_axle_from_center_m : float64 (n, 3)
        As the message gives it for vehicles (bbcenter_to_rear); NaN where it does not, or gives
        what cannot be (not finite, beyond 10 km). [m]
    """

    object_id: NDArray[np.uint64]
    kind: NDArray[np.uint8]
    type_name: tuple[str, ...]
    subtype_name: tuple[str, ...]
    model_reference: tuple[str, ...]
    position_m: NDArray[np.float64]
    orientation_rad: NDArray[np.float64]
    dimension_m: NDArray[np.float64]
    rear_axle_from_center_m: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.type_name)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedObject:
    """An object that was left out of a frame, and why."""

    object_id: int | None
    """OSI id, None where the message has none."""
    kind: ObjectKind
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HostVehicle:
    """The vehicle that carries the sensor.

    Attributes
    ----------
    object_id : int
        OSI id.
    index : int
        Row of the host in the frame's objects.
    rear_axle_from_center_m : float64 (3,)
        From the centre of the bounding box to the centre of the rear axle, which is the origin of
        the host vehicle frame, along the host's axes. [m]
    source : str
        Where that vector comes from: "bbcenter_to_rear", "wheel_data" or "dimension" (fallback).
    """

    object_id: int
    index: int
    rear_axle_from_center_m: NDArray[np.float64]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MountingPosition:
    """Pose of a sensor in the host vehicle frame (origin: rear axle; x forward, y left, z up)."""

    position_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    orientation_rad: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Roll, pitch, yaw. [rad]"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """One decoded OSI message.

    Attributes
    ----------
    index : int
        Number of the message in its trace, from 0.
    time_ns : int
        Timestamp of the message. [ns]
    message_type : str
        "SensorView" or "GroundTruth".
    objects : ObjectStates
        All usable objects: moving, stationary, traffic signs, traffic lights, in this order.
    skipped : tuple of SkippedObject
        Objects that were left out, with the reason.
    host : HostVehicle or None
        None if no moving object can be the host.
    environment_reference, map_reference : str
        GroundTruth's model_reference and map_reference, "" = none.
    sensor_id : int or None
        Id of the virtual sensor that a SensorView is for.
    virtual_mounting : MountingPosition or None
        Pose of that virtual sensor.
    ground_z_m : float or None
        Lowest box bottom or wheel bottom, leaving out what is more than 100 m below the host's box
        (without a host, below the median box); None without objects. [m]
    """

    index: int
    time_ns: int
    message_type: MessageType
    objects: ObjectStates
    skipped: tuple[SkippedObject, ...]
    host: HostVehicle | None
    environment_reference: str
    map_reference: str
    sensor_id: int | None
    virtual_mounting: MountingPosition | None
    ground_z_m: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Detections:
    """What is written per detection.

    Attributes
    ----------
    beam_index : uint32 (n,)
        Which beam of the scan pattern, OSI's beam_id.
    range_m : float32 (n,)
        Distance from the sensor. [m]
    intensity_percent : float32 (n,)
        0..100. [%]
    reflectivity : float32 (n,)
        Relative to a perpendicular 100 % Lambertian target, as a fraction.
    object_id : uint64 (n,)
        OSI id of the object hit, `NO_OBJECT` where there is none.
    azimuth_rad, elevation_rad : float64 (n,), optional
        Direction of each detection; None where it is that of its beam. [rad]
    """

    beam_index: NDArray[np.uint32]
    range_m: NDArray[np.float32]
    intensity_percent: NDArray[np.float32]
    reflectivity: NDArray[np.float32]
    object_id: NDArray[np.uint64]
    azimuth_rad: NDArray[np.float64] | None = None
    elevation_rad: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        n = self.beam_index.shape
        if len(n) != 1:
            raise ValueError(f"beam_index: expected shape (n,), got {n}")
        names = ["range_m", "intensity_percent", "reflectivity", "object_id"]
        if self.azimuth_rad is not None or self.elevation_rad is not None:
            names += ["azimuth_rad", "elevation_rad"]
        for name in names:
            shape = getattr(getattr(self, name), "shape", None)
            if shape != n:
                raise ValueError(f"{name}: expected shape {n} as beam_index, got {shape}")

    def __len__(self) -> int:
        return len(self.beam_index)
