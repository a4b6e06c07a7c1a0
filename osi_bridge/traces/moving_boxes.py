# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Writing GroundTruth messages of a host and objects that move around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MovingBox", "encode_ground_truth"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MovingBox:
    """A moving object of a message.

    Attributes
    ----------
    object_id : int
        OSI id.
    type_name : str
        Member of OSI's enumeration of types, such as "TYPE_VEHICLE".
    subtype_name : str
        Type of a vehicle, such as "TYPE_CAR"; "" for other objects.
    position_m, orientation_rad : (float, float, float)
        Centre of its box in the world, and its roll, pitch and yaw. [m], [rad]
    dimension_m : (float, float, float)
        Length, width and height. [m]
    model_reference : str
        Mesh of the object, "" for none.
    color : (float, float, float) or None
        Red, green and blue of its paint, 0 to 1; None: not stated.
    rear_axle_from_center_m : (float, float, float)
        Rear axle of the host, from the centre of its box; not written for other objects. [m]
    """

    object_id: int
    type_name: str
    subtype_name: str = ""
    position_m: tuple[float, float, float]
    orientation_rad: tuple[float, float, float]
    dimension_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    model_reference: str = ""
    color: tuple[float, float, float] | None = None
    rear_axle_from_center_m: tuple[float, float, float] = (0.0, 0.0, 0.0)


def encode_ground_truth(time_ns: int, host: MovingBox, objects: Sequence[MovingBox]) -> bytes:
    """Return a serialised GroundTruth message.

    Parameters
    ----------
    time_ns : int
        Time of the message. [ns]
    host : MovingBox
        The host vehicle; by default, its rear axle is at the centre of its box.
    objects : sequence of MovingBox
        The other moving objects.
    """
    message = GroundTruth()
    message.timestamp.seconds, message.timestamp.nanos = divmod(time_ns, 1_000_000_000)
    message.host_vehicle_id.value = host.object_id
    carrier = _added(message, host)
    axle = carrier.vehicle_attributes.bbcenter_to_rear
    axle.x, axle.y, axle.z = host.rear_axle_from_center_m
    for each in objects:
        _added(message, each)
    data: bytes = message.SerializeToString()
    return data


def _added(message: GroundTruth, box: MovingBox) -> MovingObject:
    one = message.moving_object.add()
    one.id.value = box.object_id
    one.type = MovingObject.Type.Value(box.type_name)
    if box.subtype_name:
        kinds = MovingObject.VehicleClassification.Type
        one.vehicle_classification.type = kinds.Value(box.subtype_name)
    place, turn, size = one.base.position, one.base.orientation, one.base.dimension
    place.x, place.y, place.z = box.position_m
    turn.roll, turn.pitch, turn.yaw = box.orientation_rad
    if any(box.dimension_m):
        size.length, size.width, size.height = box.dimension_m
    if box.color is not None:
        paint = one.color_description.rgb
        paint.red, paint.green, paint.blue = box.color
    if box.model_reference:
        one.model_reference = box.model_reference
    return one
