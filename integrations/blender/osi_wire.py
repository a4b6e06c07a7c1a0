# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""OSI GroundTruth in protobuf's wire format [1]_, without protobuf, which Blender's Python lacks.

Only the fields for objects with boxes and meshes are written, by their numbers in OSI 3.8. An
`.osi` trace holds each message behind its length (uint32, little-endian).

.. [1] https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Vector = tuple[float, float, float]

VERSION = (3, 8, 0)
OTHER = 1
"""TYPE_OTHER of moving and of stationary objects."""
VEHICLE = 2
VEHICLES = {
    "car": 4, "van": 6, "truck": 7, "motorbike": 10, "bicycle": 11, "bus": 12, "tram": 13,
    "train": 14,
}  # fmt: skip
"""MovingObject.VehicleClassification.Type, by the value of the custom property `osi_type`."""
BEINGS = {"pedestrian": 3, "animal": 4}
"""MovingObject.Type of objects that are not vehicles."""
STRUCTURES = {
    "bridge": 2, "building": 3, "pole": 4, "tree": 7, "barrier": 8, "vegetation": 9,
    "curbstone": 10, "wall": 11,
}  # fmt: skip
"""StationaryObject.Classification.Type."""
KNOWN_TYPES = (*VEHICLES, *BEINGS, *STRUCTURES)


@dataclass(frozen=True)
class Box:
    """The box of an object in the world.

    Attributes
    ----------
    center_m : (3,) float
        Centre. [m]
    angles_rad : (3,) float
        Roll, pitch and yaw. [rad]
    size_m : (3,) float
        Length, width and height. [m]
    """

    center_m: Vector
    angles_rad: Vector
    size_m: Vector


State = tuple[str, Box]
"""Mesh and box of an object."""


def varint(value: int) -> bytes:
    """Return an integer of 0 or more as a protobuf varint."""
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)


def integer(number: int, value: int) -> bytes:
    """Return field `number` with an integer or an enumeration value, encoded."""
    return varint(number << 3) + varint(value)


def message(number: int, content: bytes) -> bytes:
    """Return field `number` with an encoded message or UTF-8 text, encoded."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def vector(xyz: Vector) -> bytes:
    """Return a message with three doubles as its fields 1 to 3, encoded."""
    return b"".join(struct.pack("<Bd", i << 3 | 1, value) for i, value in enumerate(xyz, 1))


def base_of(box: Box) -> bytes:
    """Return a box as OSI BaseMoving or BaseStationary: size, position, angles (fields 1 to 3)."""
    parts = (box.size_m, box.center_m, box.angles_rad)
    return b"".join(message(number, vector(part)) for number, part in enumerate(parts, 1))


def moving_object(object_id: int, state: State, osi_type: str) -> bytes:
    """Return a moving object, as a field of GroundTruth.

    Parameters
    ----------
    object_id : int
        OSI id.
    state : (str, Box)
        The object's model_reference, which is the mesh file, and its box.
    osi_type : str
        A key of `VEHICLES` or `BEINGS`; any other text gives TYPE_OTHER.
    """
    reference, box = state
    is_vehicle = osi_type in VEHICLES
    parts = [
        message(1, integer(1, object_id)),
        message(2, base_of(box)),
        integer(3, VEHICLE if is_vehicle else BEINGS.get(osi_type, OTHER)),
    ]
    if is_vehicle:
        parts.append(message(6, integer(1, VEHICLES[osi_type])))
    parts.append(message(7, reference.encode()))
    return message(5, b"".join(parts))


def stationary_object(object_id: int, state: State, osi_type: str) -> bytes:
    """Return a stationary object, as a field of GroundTruth; see `moving_object`."""
    reference, box = state
    parts = (
        message(1, integer(1, object_id)),
        message(2, base_of(box)),
        message(3, integer(1, STRUCTURES.get(osi_type, OTHER))),
        message(4, reference.encode()),
    )
    return message(4, b"".join(parts))


def host_vehicle(object_id: int, box: Box) -> bytes:
    """Return the host vehicle as a field of GroundTruth; its rear axle is the centre of its box."""
    parts = (
        message(1, integer(1, object_id)),
        message(2, base_of(box)),
        integer(3, VEHICLE),
        message(5, message(4, vector((0.0, 0.0, 0.0)))),  # bbcenter_to_rear
        message(6, integer(1, OTHER)),
    )
    return message(5, b"".join(parts))


def ground_truth(time_ns: int, host_id: int, objects: Iterable[bytes]) -> bytes:
    """Return a message as an entry of an `.osi` trace.

    Parameters
    ----------
    time_ns : int
        Time, not negative. [ns]
    host_id : int
        OSI id of the host vehicle.
    objects : iterable of bytes
        Fields of the objects.
    """
    seconds, nanos = divmod(time_ns, 1_000_000_000)
    version = b"".join(integer(number, part) for number, part in enumerate(VERSION, 1))
    head = (
        message(1, version),
        message(2, integer(1, seconds) + integer(2, nanos)),
        message(3, integer(1, host_id)),
    )
    content = b"".join((*head, *objects))
    return struct.pack("<I", len(content)) + content
