# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Writing SensorView messages of a small scene of boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge.traces.names import OSI_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from google.protobuf.message import Message

    from osi_bridge.records import MountingPosition

    Vector = tuple[float, float, float]

__all__ = [
    "PEDESTRIAN",
    "VEHICLE",
    "BoxObject",
    "StatedWeather",
    "ViewHead",
    "sensor_view_message",
]

VEHICLE, PEDESTRIAN = 2, 3
"""Members of OSI's MovingObject.Type."""


class StatedWeather(NamedTuple):
    """Fog and precipitation in the environmental conditions of a message.

    Attributes
    ----------
    fog, precipitation : int
        Numbers of members of OSI's enumerations Fog and Precipitation.
    """

    fog: int = 2  # FOG_EXCELLENT_VISIBILITY
    precipitation: int = 2  # PRECIPITATION_NONE


@dataclass
class BoxObject:
    """An object that `sensor_view_message` writes into a SensorView.

    Attributes
    ----------
    object_id : int
        OSI id.
    position_m : tuple of float
        Centre of the bounding box in the world. [m]
    yaw_rad, pitch_rad, roll_rad : float
        Orientation in the world. [rad]
    dimension_m : tuple of float
        Length, width and height. [m]
    kind : str
        GroundTruth list that contains the object, such as "moving_object".
    model_reference : str
        Reference to the mesh; "" = none.
    osi_type : int, optional
        Number of the OSI type of a moving object (default: vehicle) or of a stationary object
        (default: not stated).
    vehicle_type : str
        Name of a vehicle's OSI type, such as "TYPE_BICYCLE".
    material : int
        Number of the OSI material of a stationary object; 0: not stated.
    velocity_m_s : tuple of float, optional
        Velocity; None: not stated. [m/s]
    rear_axle_m : tuple of float, optional
        Vector from the centre of the box to the centre of the rear axle; None: not stated. [m]
    """

    object_id: int
    position_m: Vector
    yaw_rad: float = 0.0
    dimension_m: Vector = (4.0, 2.0, 1.5)
    kind: str = "moving_object"
    model_reference: str = ""
    pitch_rad: float = 0.0
    roll_rad: float = 0.0
    osi_type: int | None = None
    velocity_m_s: Vector | None = None
    rear_axle_m: Vector | None = None
    material: int = 0
    vehicle_type: str = "TYPE_CAR"


class ViewHead(NamedTuple):
    """Content of a SensorView besides its objects; None: not stated.

    Attributes
    ----------
    host_id : int or None
        Id of the host vehicle.
    sensor_id : int
        Id of the sensor.
    environment : str
        Reference to the mesh of the environment; "" = none.
    mounting : MountingPosition or None
        Pose of the sensor in the vehicle frame.
    air : StatedWeather or None
        Weather.
    """

    host_id: int | None
    sensor_id: int = 7
    environment: str = ""
    mounting: MountingPosition | None = None
    air: StatedWeather | None = None


def sensor_view_message(things: Iterable[BoxObject], time_ns: int, head: ViewHead) -> bytes:
    """Return a serialised SensorView of the time ``time_ns`` [ns] with the objects ``things``.

    The host vehicle, which ``head`` names, must be one of these objects.
    """
    view = SensorView()
    for part in (view, view.global_ground_truth):
        part.timestamp.seconds, part.timestamp.nanos = divmod(time_ns, 1_000_000_000)
        _set(part.version, "version_major version_minor version_patch", OSI_VERSION)
    view.sensor_id.value = head.sensor_id
    truth = view.global_ground_truth
    truth.model_reference = head.environment
    if head.host_id is not None:
        view.host_vehicle_id.value = head.host_id
    if head.mounting is not None:
        _set(view.mounting_position.position, "x y z", head.mounting.position_m)
        _set(view.mounting_position.orientation, "roll pitch yaw", head.mounting.orientation_rad)
    if head.air is not None:
        truth.environmental_conditions.fog = head.air.fog
        truth.environmental_conditions.precipitation = head.air.precipitation
    for thing in things:
        _add(getattr(truth, thing.kind).add(), thing)
    return bytes(view.SerializeToString())


def _add(one: MovingObject, thing: BoxObject) -> None:
    """Fill an object of any list of the ground truth."""
    one.id.value = thing.object_id
    body = one.main_sign if thing.kind == "traffic_sign" else one
    base = body.base
    _set(base.position, "x y z", thing.position_m)
    base.orientation.yaw = thing.yaw_rad
    for name, angle_rad in (("pitch", thing.pitch_rad), ("roll", thing.roll_rad)):
        if angle_rad:
            setattr(base.orientation, name, angle_rad)
    _set(base.dimension, "length width height", thing.dimension_m)
    body.model_reference = thing.model_reference
    if thing.velocity_m_s is not None:
        _set(base.velocity, "x y z", thing.velocity_m_s)
    if thing.kind == "stationary_object":
        for name, value in (("type", thing.osi_type), ("material", thing.material)):
            if value:
                setattr(one.classification, name, value)
    if thing.kind == "moving_object":
        one.type = VEHICLE if thing.osi_type is None else thing.osi_type
        if one.type == VEHICLE:
            kinds = MovingObject.VehicleClassification.Type
            one.vehicle_classification.type = kinds.Value(thing.vehicle_type)
        if thing.rear_axle_m is not None:
            _set(one.vehicle_attributes.bbcenter_to_rear, "x y z", thing.rear_axle_m)


def _set(message: Message, names: str, values: Vector) -> None:
    for name, value in zip(names.split(), values, strict=True):
        setattr(message, name, value)
