# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sensor view configuration: the request of the model, and the configuration set by the master."""

from __future__ import annotations

import math
from dataclasses import dataclass

from google.protobuf.message import DecodeError
from osi3.osi_sensorviewconfiguration_pb2 import SensorViewConfiguration

from osi_bridge.description.limits import MAX_ANGLE_RAD, MAX_POSITION_M, are_within
from osi_bridge.errors import OsiInputError, UndecodableMessage
from osi_bridge.message_types import check_type
from osi_bridge.traces.names import OSI_VERSION

__all__ = ["ViewConfiguration", "decode_view_configuration", "encode_view_request"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewConfiguration:
    """Properties of the SensorViews that a master will send.

    Attributes
    ----------
    omit_static_information : bool
        Whether the SensorViews lack static content. The master then provides it before the first
        SensorView, or not at all.
    range_m : float or None
        Range up to which objects are included; None if not stated. [m]
    """

    omit_static_information: bool
    range_m: float | None


def encode_view_request(*, range_m: float, period_ns: int) -> bytes:
    """Return a serialised SensorViewConfiguration that requests ground truth in all directions.

    It requests no `lidar_sensor_view`, because the model traces its rays itself.

    Parameters
    ----------
    range_m : float
        Longest range of all sensors. [m]
    period_ns : int
        Time between two messages. [ns]
    """
    request = SensorViewConfiguration(
        field_of_view_horizontal=2.0 * math.pi,
        field_of_view_vertical=math.pi,
        range=range_m,
        omit_static_information=False,
    )
    version, period, mounting = (
        request.version,
        request.update_cycle_time,
        request.mounting_position,
    )
    version.version_major, version.version_minor, version.version_patch = OSI_VERSION
    request.sensor_id.value = 0
    period.seconds, period.nanos = divmod(period_ns, 1_000_000_000)
    # zeros: the origin of the vehicle frame
    for vector in (mounting.position, mounting.orientation):
        vector.SetInParent()
    data: bytes = request.SerializeToString(deterministic=True)
    return data


def decode_view_configuration(data: bytes) -> ViewConfiguration:
    """Decode the configuration set by a master.

    Raises
    ------
    UndecodableMessage
        `data` is not a SensorViewConfiguration, or looks like a message of another type.
    OsiInputError
        The message has another major version of OSI, or its mounting position has impossible
        numbers.
    """
    try:
        message = SensorViewConfiguration.FromString(data)
    except DecodeError as error:
        raise UndecodableMessage(f"not a SensorViewConfiguration message ({error})") from error
    check_type("SensorViewConfiguration", data)
    major = message.version.version_major
    if message.HasField("version") and major != OSI_VERSION[0]:
        raise OsiInputError(f"version.version_major is {major}, expected {OSI_VERSION[0]}")
    position, orientation = (
        message.mounting_position.position,
        message.mounting_position.orientation,
    )
    place = [position.x, position.y, position.z]
    angles = [orientation.roll, orientation.pitch, orientation.yaw]
    if not are_within(place, MAX_POSITION_M) or not are_within(angles, MAX_ANGLE_RAD):
        expected = f"at most {MAX_POSITION_M:g} m and {MAX_ANGLE_RAD:g} rad"
        raise OsiInputError(
            f"mounting_position is {place + angles} (x, y, z in m; roll, pitch, yaw in rad), "
            f"expected {expected}"
        )
    return ViewConfiguration(
        omit_static_information=message.omit_static_information,
        range_m=message.range if message.HasField("range") else None,
    )
