# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records at the interface of this package: plain values and columns of arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from lidar_base.tables import table
from osi_bridge.description.limits import MAX_SPEED_M_S, checked_time_ns
from osi_bridge.description.lowest_points import GROUND_DEPTH_M, lowest_points_m
from osi_bridge.description.unused_fields import NOT_SEARCHED, UnusedFields
from osi_bridge.order import Place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_bridge.description.conditions import Conditions
    from osi_bridge.description.lanes import LaneNetwork

__all__ = [
    "NO_OBJECT",
    "DetectionClass",
    "Detections",
    "EchoFields",
    "Frame",
    "HostVehicle",
    "MessageType",
    "MountingPosition",
    "ObjectKind",
    "ObjectStates",
    "SkippedObject",
    "Sun",
]

MessageType: TypeAlias = Literal["SensorView", "GroundTruth", "SensorData"]

NO_OBJECT = 2**64 - 1
"""Object id of a detection that belongs to no OSI object, as OSI defines it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sun:
    """The sun, as a message states it.

    Attributes
    ----------
    direction : (float, float, float)
        Unit vector towards the sun, in the world.
    lux : float
        Illuminance by the sun. [lx]
    """

    direction: tuple[float, float, float]
    lux: float


class ObjectKind(IntEnum):
    """The list of OSI's GroundTruth that an object comes from."""

    MOVING = 0
    STATIONARY = 1
    TRAFFIC_SIGN = 2
    TRAFFIC_LIGHT = 3


class DetectionClass(IntEnum):
    """Members of OSI's enumeration DetectionClassification that are written.

    OSI describes INVALID as "not to be used for object tracking, of unspecified type", and CLUTTER
    as noise, clutter and spray; echoes of rain are CLUTTER, too.
    """

    UNKNOWN = 0
    INVALID = 2
    CLUTTER = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ObjectStates:
    """All objects of one message as columns, in the order of the message.

    Attributes
    ----------
    object_id : uint64 (n,)
        OSI ids; within a frame, without duplicates.
    kind : uint8 (n,)
        `ObjectKind` of each object.
    type_name, subtype_name : tuple of str (n,)
        Names from OSI's enumerations, such as "TYPE_VEHICLE", "TYPE_CAR"; "" = none. If a type has
        two names, the older one. Moving object: type, and vehicle type if present. Stationary
        object: classification. Traffic sign: type of the main sign. Traffic light: icon.
    model_reference : tuple of str (n,)
        As in the message, "" = none.
    position_m : float64 (n, 3)
        Centre of the bounding box in the world frame. [m]
    orientation_rad : float64 (n, 3)
        Roll, pitch, yaw. [rad]
    dimension_m : float64 (n, 3)
        Length, width, height as given; 0 if absent (enough if the mesh has its own size). [m]
    rear_axle_from_center_m : float64 (n, 3)
        bbcenter_to_rear of vehicles; NaN if absent, impossible, or unfit for the vehicle. [m]
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

    def __repr__(self) -> str:
        return f"ObjectStates(objects: {len(self)})"

    def _repr_html_(self) -> str:
        columns = (self.object_id, self.type_name, self.subtype_name, self.position_m)
        rows = (
            (number, kind, subtype, ", ".join(f"{each:.2f}" for each in place))
            for number, kind, subtype, place in zip(*columns, strict=True)
        )
        return table(repr(self), ("OSI id", "type", "subtype", "position [m]"), rows).html()


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedObject:
    """An object that was left out of a frame, or a stated detail of an object that is ignored.

    `object_id` is the object's OSI id (None: it has none), and `kind` is the list that it is in.
    `reason` is a text that says why. `used` says what replaces a detail, such as an axle or the
    base polygon; it is "" if the whole object is left out.
    """

    object_id: int | None
    kind: ObjectKind
    reason: str
    used: str = ""


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
        Vector from the centre of the bounding box to the centre of the rear axle, in the host's
        axes. The rear axle is the origin of the host vehicle frame. [m]
    source : str
        Source of this vector: "bbcenter_to_rear", "wheel_data" or "dimension" (fallback).
    """

    object_id: int
    index: int
    rear_axle_from_center_m: NDArray[np.float64]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MountingPosition:
    """Pose of a sensor in the host vehicle frame (origin: rear axle; x forward, y left, z up).

    `position_m` is x, y, z [m]; `orientation_rad` is roll, pitch, yaw [rad].
    """

    position_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    orientation_rad: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """One decoded OSI message; ``FrameSource`` has an example.

    Attributes
    ----------
    index : int
        Number of the message in its trace, from 0.
    time_ns : int
        Timestamp of the message, within 64 bits. [ns]
    message_type : str
        "SensorView" or "GroundTruth".
    objects : ObjectStates
        All usable objects: moving, stationary, traffic signs, traffic lights, in this order.
    skipped : tuple of SkippedObject
        Objects that were left out, with the reason.
    host : HostVehicle or None
        The host vehicle; None without moving objects so far, or if the message lacks the host.
    environment_reference, map_reference : str
        GroundTruth's model_reference and map_reference, "" = none.
    sensor_id : int or None
        Id of the virtual sensor that a SensorView is for.
    virtual_mounting : MountingPosition or None
        Pose of that virtual sensor.
    ambient_lux : float or None
        Illuminance of the scene, stated by this or an earlier message; None: not stated. [lx]
    sun : Sun or None
        The sun, stated by this or an earlier message; None: not stated.
    conditions : Conditions or None
        Weather, each value stated by this or an earlier message; None: not stated. The same object
        as long as no value changes.
    frame_offset_m : (float, float, float) or None
        GroundTruth's proj_frame_offset: coordinates of the map projection are coordinates of
        messages plus this offset. None: not stated. [m]
    osi_version : tuple of int or None
        Version of OSI: major, minor, patch. None: not stated.
    moving : tuple of MovingObject
        Protobuf messages of the moving objects, to decode details on demand.
    static : tuple of tuple
        Protobuf messages of the other objects, a tuple for each list, to decode details on demand.
    place : Place
        Position of the message in time, relative to the messages before it.
    lanes : LaneNetwork or None
        Lanes, boundaries and road markings; the same object as long as none of them changes.
    fields : UnusedFields
        Fields that this and earlier messages set and that are not read.
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
    ambient_lux: float | None = None
    sun: Sun | None = None
    conditions: Conditions | None = None
    frame_offset_m: tuple[float, float, float] | None = None
    osi_version: tuple[int, int, int] | None = None
    moving: tuple[Any, ...] = ()
    static: tuple[tuple[Any, ...], ...] = ()
    place: Place = Place.NEXT
    lanes: LaneNetwork | None = None
    fields: UnusedFields = NOT_SEARCHED

    def __post_init__(self) -> None:
        checked_time_ns(self.time_ns)

    def __repr__(self) -> str:
        host = "no host" if self.host is None else f"host {self.host.object_id}"
        time = f"{self.index} at {self.time_ns / 1e9:.3f} s"
        return f"Frame({time}: {self.message_type}, objects: {len(self.objects)}, {host})"

    def _repr_html_(self) -> str:
        return table(repr(self), (), ()).html() + self.objects._repr_html_()

    @property
    def lowest_m(self) -> NDArray[np.float64]:
        """Height of the lowest point of each object's box and wheels, float64 (n,) [m]."""
        all_ = self.objects
        return lowest_points_m(all_.position_m, all_.orientation_rad, all_.dimension_m, self.moving)

    def stated_speed_m_s(self, row: int) -> float:
        """Return the stated speed [m/s] of a row's object; 0 if `stated_velocity_m_s` is None."""
        velocity_m_s = self.stated_velocity_m_s(row)
        return 0.0 if velocity_m_s is None else math.hypot(*velocity_m_s)

    def stated_velocity_m_s(self, row: int) -> tuple[float, float, float] | None:
        """Return the stated velocity (x, y, z) of the object in a row of `objects` [m/s].

        It is in the world frame. None if not stated, NaN or above 10 km/s, or for a static object.
        """
        if row >= len(self.moving) or not self.moving[row].base.HasField("velocity"):
            return None
        velocity = self.moving[row].base.velocity
        x, y, z = velocity.x, velocity.y, velocity.z
        return (x, y, z) if math.hypot(x, y, z) <= MAX_SPEED_M_S else None

    def ground_m(self, counts: NDArray[np.bool_] | None = None) -> float | None:
        """Return the height of the lowest point of all objects [m]; None if no object counts.

        Objects over 100 m below the lowest point of the host are ignored: some tools park objects
        far below the scene. Without a host, the median of their lowest points takes its place.
        ``counts``, bool (n,), says whether each object counts; the host always does. Default: all.
        """
        all_m = lowest_m = self.lowest_m
        if counts is not None:
            counts = counts.copy()
            if self.host is not None:
                counts[self.host.index] = True
            lowest_m = all_m[counts]
        if not len(lowest_m):
            return None
        level_m = np.median(lowest_m) if self.host is None else all_m[self.host.index]
        return float(lowest_m[lowest_m >= level_m - GROUND_DEPTH_M].min())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EchoFields:
    """Measurements of a receiver for each of n detections, as columns.

    Attributes
    ----------
    existence_probability : float32 (n,)
        Probability that the detection is a real surface, 0..1.
    range_rmse_m : float32 (n,)
        Standard deviation of the distance. [m]
    echo_pulse_width_m : float32 (n,)
        Width of the echo, in range. [m]
    classification : uint8 (n,), optional
        Members of OSI's enumeration of detection classifications; None leaves the field out.
    """

    existence_probability: NDArray[np.float32]
    range_rmse_m: NDArray[np.float32]
    echo_pulse_width_m: NDArray[np.float32]
    classification: NDArray[np.uint8] | None = None

    def __post_init__(self) -> None:
        n = getattr(self.existence_probability, "shape", None)
        if n is None or len(n) != 1:
            raise ValueError(f"existence_probability: expected shape (n,), got {n}")
        types = dict.fromkeys(
            ("existence_probability", "range_rmse_m", "echo_pulse_width_m"), "float32"
        )
        if self.classification is not None:
            types["classification"] = "uint8"
        for name, dtype in types.items():
            column = getattr(self, name)
            got = getattr(column, "dtype", None), getattr(column, "shape", None)
            if got != (dtype, n):
                raise ValueError(f"{name}: expected {dtype} {n}, got {got[0]} {got[1]}")

    def __len__(self) -> int:
        return len(self.existence_probability)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Detections:
    """Detections of one scan as columns.

    Attributes
    ----------
    beam_index : uint32 (n,)
        Index of the beam in the scan pattern, OSI's beam_id. Several detections may have the same.
    range_m : float32 (n,)
        Distance from the sensor. [m]
    intensity_percent : float32 (n,)
        Intensity, 0..100. [%]
    reflectivity : float32 (n,)
        Reflectivity relative to a perpendicular 100 % Lambertian target, as a fraction.
    object_id : uint64 (n,)
        OSI id of the object hit, `NO_OBJECT` if the surface belongs to no OSI object.
    azimuth_rad, elevation_rad : float64 (n,), optional
        Direction of each detection; None if every detection has the direction of its beam. [rad]
    radial_velocity_m_s : float32 (n,), optional
        Radial velocity, positive towards the sensor; None leaves the field out. [m/s]
    echo : EchoFields, optional
        Further fields of each detection; None for a sensor without a receiver model.
    """

    beam_index: NDArray[np.uint32]
    range_m: NDArray[np.float32]
    intensity_percent: NDArray[np.float32]
    reflectivity: NDArray[np.float32]
    object_id: NDArray[np.uint64]
    azimuth_rad: NDArray[np.float64] | None = None
    elevation_rad: NDArray[np.float64] | None = None
    radial_velocity_m_s: NDArray[np.float32] | None = None
    echo: EchoFields | None = None

    def __post_init__(self) -> None:
        n = self.beam_index.shape
        if len(n) != 1:
            raise ValueError(f"beam_index: expected shape (n,), got {n}")
        names = ["range_m", "intensity_percent", "reflectivity", "object_id"]
        if self.azimuth_rad is not None or self.elevation_rad is not None:
            names += ["azimuth_rad", "elevation_rad"]
        if self.radial_velocity_m_s is not None:
            names.append("radial_velocity_m_s")
        for name in names:
            shape = getattr(getattr(self, name), "shape", None)
            if shape != n:
                raise ValueError(f"{name}: expected the shape {n} of beam_index, got {shape}")
        for name in ("range_m", "intensity_percent", "reflectivity", "radial_velocity_m_s"):
            column = getattr(self, name)
            if column is not None and column.dtype != np.float32:  # the encoder reads float32
                object.__setattr__(self, name, column.astype(np.float32))
        if self.echo is not None and len(self.echo) != len(self):
            raise ValueError(f"echo: expected {len(self)} rows as beam_index, got {len(self.echo)}")

    def __len__(self) -> int:
        return len(self.beam_index)
