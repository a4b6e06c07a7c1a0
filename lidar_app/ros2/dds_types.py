# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 message types for DDS: names, fields, and type hashes.

Definitions follow the .msg files of ROS 2 Humble to Kilted. In DDS, the type ``p/msg/T`` has the
name ``p::msg::dds_::T_``. The bytes of messages come from `lidar_app.exports.ros2_messages`;
Cyclone DDS uses these types to announce topics to other nodes, and to match their types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.exports.export_run import library
from lidar_app.exports.ros2_messages import CLOCK, CLOUD, TRANSFORMS

if TYPE_CHECKING:
    from cyclonedds.idl import IdlStruct

EXTRA = "ros2-live"
"""The extra of osi-lidar that installs Cyclone DDS and rosbags."""
DEFINITIONS = {
    "builtin_interfaces/msg/Time": {"sec": "int32", "nanosec": "uint32"},
    "std_msgs/msg/Header": {"stamp": "builtin_interfaces/msg/Time", "frame_id": "string"},
    "sensor_msgs/msg/PointField": {
        "name": "string",
        "offset": "uint32",
        "datatype": "uint8",
        "count": "uint32",
    },
    CLOUD: {
        "header": "std_msgs/msg/Header",
        "height": "uint32",
        "width": "uint32",
        "fields": "sensor_msgs/msg/PointField[]",
        "is_bigendian": "bool",
        "point_step": "uint32",
        "row_step": "uint32",
        "data": "uint8[]",
        "is_dense": "bool",
    },
    "geometry_msgs/msg/Vector3": dict.fromkeys("xyz", "float64"),
    "geometry_msgs/msg/Quaternion": dict.fromkeys("xyzw", "float64"),
    "geometry_msgs/msg/Transform": {
        "translation": "geometry_msgs/msg/Vector3",
        "rotation": "geometry_msgs/msg/Quaternion",
    },
    "geometry_msgs/msg/TransformStamped": {
        "header": "std_msgs/msg/Header",
        "child_frame_id": "string",
        "transform": "geometry_msgs/msg/Transform",
    },
    TRANSFORMS: {"transforms": "geometry_msgs/msg/TransformStamped[]"},
    CLOCK: {"clock": "builtin_interfaces/msg/Time"},
}
"""Type of each field, by name of the ROS 2 message type and then by name of the field.

A message type that is nested in another one comes before it.
"""
TYPE_HASHES = {
    CLOUD: "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5",
    TRANSFORMS: "RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087",
    CLOCK: "RIHS01_692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564",
}
"""Hashes of the definitions (REP 2011); writers announce them from ROS 2 Iron on (REP 2016).

Sources: ros2/rcl, rcl/test/rcl/test_type_hash.cpp, for PointCloud2; CARLA,
carla/ros2/types/CdrTopicInfo.h, for all three; `ros2 topic info --verbose` shows them, too.
"""


def message_classes() -> dict[str, type[IdlStruct]]:
    """Return a Cyclone DDS class for each type in `DEFINITIONS`, by its name in ROS.

    Raises
    ------
    OutputError
        If Cyclone DDS is not installed.
    """
    make = library("cyclonedds.idl", EXTRA).make_idl_struct
    primitives = library("cyclonedds.idl.types", EXTRA)
    made: dict[str, type] = {"string": str, "bool": bool}
    for name, fields in DEFINITIONS.items():
        package, _, last = name.split("/")
        columns = {}
        for field, kind in fields.items():
            one = kind.removesuffix("[]")
            of = made.get(one) or getattr(primitives, one)
            columns[field] = primitives.sequence[of] if one != kind else of
        made[name] = make(last, f"{package}.msg.dds_.{last}_", columns)
    return {name: made[name] for name in DEFINITIONS}


def prepared(kind: type[IdlStruct], data: bytes) -> IdlStruct:
    """Wrap a serialised message in an object that a writer of Cyclone DDS accepts.

    Parameters
    ----------
    kind : type
        The class of the message, from `message_classes`.
    data : bytes
        The message in CDR with the CDR header, padded to a multiple of 4 bytes.
    """
    message = object.__new__(kind)
    message.serialize = lambda **_: data
    return message
