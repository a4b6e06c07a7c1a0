# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Encoding of OSI SensorData messages.

The protobuf library serialises the head of the message. The detections, which are nearly all of
its bytes, are written directly in the wire format (see `detections`) and follow the head.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from osi3.osi_common_pb2 import MountingPosition as OsiMountingPosition
from osi3.osi_common_pb2 import Timestamp
from osi3.osi_featuredata_pb2 import LidarDetectionData, SensorDetectionHeader
from osi3.osi_sensordata_pb2 import SensorData

from lidar_base.buffers import new_bytes
from osi_bridge.description.limits import checked_time_ns
from osi_bridge.detections import EncodedDetections
from osi_bridge.records import MountingPosition
from osi_bridge.traces.names import OSI_VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DataQualifier", "LidarBlock", "encode_sensor_data", "qualifier_of"]

_WIRE_LENGTH = 2
REDUCED_ABOVE = 0.1
"""Share of a sensor's beams that its window blocks above which the detections get the qualifier
AVAILABLE_REDUCED; our estimate. [1]"""


class DataQualifier(IntEnum):
    """The qualifiers of detections that the model uses, with the numbers of OSI's enumeration.

    OSI defines them as SensorDetectionHeader.DataQualifier. The model never writes its other
    members.
    """

    AVAILABLE = SensorDetectionHeader.DATA_QUALIFIER_AVAILABLE
    AVAILABLE_REDUCED = SensorDetectionHeader.DATA_QUALIFIER_AVAILABLE_REDUCED
    BLINDNESS = SensorDetectionHeader.DATA_QUALIFIER_BLINDNESS


def qualifier_of(blocked_share: float) -> DataQualifier:
    """Return OSI's data qualifier for a sensor whose window is partly or wholly blocked.

    The qualifier is BLINDNESS for a share of 1, AVAILABLE_REDUCED for a share above 0.1, and else
    AVAILABLE.

    Parameters
    ----------
    blocked_share : float
        Share of the sensor's beams that its window blocks, 0..1. [1]
    """
    if blocked_share >= 1.0:
        return DataQualifier.BLINDNESS
    reduced = blocked_share > REDUCED_ABOVE
    return DataQualifier.AVAILABLE_REDUCED if reduced else DataQualifier.AVAILABLE


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LidarBlock:
    """One physical lidar's part of a SensorData message.

    The detections are encoded once: an unchanged scan is sent again with the same encoded bytes
    and with a new measurement time and cycle counter.

    Attributes
    ----------
    sensor_id : int
        Id of the physical sensor.
    mounting : MountingPosition
        Pose of the sensor in the host vehicle frame.
    measurement_time_ns : int
        Time of the scan. [ns]
    cycle_counter : int
        Number of the message, from 0.
    n_detections : int
        Number of detections in `encoded`.
    encoded : EncodedDetections
        The detections, from `encode_detections`.
    blocked_share : float
        Share of the sensor's beams that its window blocks, see `qualifier_of`. [1]
    """

    sensor_id: int
    mounting: MountingPosition
    measurement_time_ns: int
    cycle_counter: int
    n_detections: int
    encoded: EncodedDetections
    blocked_share: float = 0.0


def encode_sensor_data(
    *,
    time_ns: int,
    last_measurement_time_ns: int,
    sensors: Sequence[LidarBlock],
    sensor_id: int = 0,
    mounting: MountingPosition | None = None,
) -> bytes:
    """Return a serialised SensorData message.

    Parameters
    ----------
    time_ns : int
        Time at which the data is available. [ns]
    last_measurement_time_ns : int
        Time of the ground truth; all detections are from this time or earlier. [ns]
    sensors : sequence of LidarBlock
        Content of each `feature_data.lidar_sensor`.
    sensor_id : int
        Id of the virtual sensor that all physical sensors belong to.
    mounting : MountingPosition, optional
        Pose of the virtual sensor; default: the origin of the host vehicle frame.

    Raises
    ------
    MissingTimestamp
        A time is beyond 64 bits.
    """
    head = SensorData(
        timestamp=_timestamp(time_ns),
        mounting_position=mounting_message(mounting or MountingPosition()),
        last_measurement_time=_timestamp(last_measurement_time_ns),
    )
    head.version.version_major, head.version.version_minor, head.version.version_patch = OSI_VERSION
    head.sensor_id.value = sensor_id
    parts = [part for sensor in sensors for part in _parts(sensor)]
    n_bytes = sum(map(len, parts))
    # All fields of the head have lower numbers than feature_data, so it may simply follow.
    before = head.SerializeToString(deterministic=True)
    return _joined([before, length_prefix(_FEATURE_DATA, n_bytes), *parts])


def _parts(sensor: LidarBlock) -> tuple[bytes | EncodedDetections, ...]:
    """Return the bytes of one `lidar_sensor`, as successive parts."""
    header = _header(sensor).SerializeToString(deterministic=True)
    header_prefix = length_prefix(_HEADER, len(header))
    size = len(header_prefix) + len(header) + len(sensor.encoded)
    return length_prefix(_LIDAR_SENSOR, size), header_prefix, header, sensor.encoded


def _joined(parts: Sequence[bytes | EncodedDetections]) -> bytes:
    """Return the joined parts; detections are encoded directly into the result."""
    ends = np.cumsum([len(part) for part in parts]).tolist()
    message, out = new_bytes(ends[-1])
    for part, begin, end in zip(parts, [0, *ends], ends, strict=False):
        place = out[begin:end]
        if isinstance(part, EncodedDetections):
            part.write_to(place)
        else:
            place[:] = np.frombuffer(part, np.uint8)
    return message


_FEATURE_DATA = SensorData.DESCRIPTOR.fields_by_name["feature_data"].number
_LIDAR_SENSOR = SensorData().feature_data.DESCRIPTOR.fields_by_name["lidar_sensor"].number
_HEADER = LidarDetectionData.DESCRIPTOR.fields_by_name["header"].number


def _header(sensor: LidarBlock) -> SensorDetectionHeader:
    header = SensorDetectionHeader(
        measurement_time=_timestamp(sensor.measurement_time_ns),
        cycle_counter=sensor.cycle_counter,
        mounting_position=mounting_message(sensor.mounting),
        data_qualifier=qualifier_of(sensor.blocked_share),
        number_of_valid_detections=sensor.n_detections,
    )
    header.sensor_id.value = sensor.sensor_id
    return header


def _timestamp(time_ns: int) -> Timestamp:
    seconds, nanos = divmod(checked_time_ns(time_ns), 1_000_000_000)
    return Timestamp(seconds=seconds, nanos=nanos)


def mounting_message(mounting: MountingPosition) -> OsiMountingPosition:
    """Return a pose in the host vehicle frame as an OSI MountingPosition message, not serialised.

    ``mounting`` is the pose. Its position [m] and its roll, pitch and yaw [rad] are copied.
    """
    message = OsiMountingPosition()
    position, orientation = message.position, message.orientation
    position.x, position.y, position.z = mounting.position_m
    orientation.roll, orientation.pitch, orientation.yaw = mounting.orientation_rad
    return message


def length_prefix(field_number: int, size: int) -> bytes:
    """Return the bytes that precede the content of a length-delimited field in a protobuf message.

    They are the tag of the field ``field_number``, then the length of the content, which is
    ``size`` in bytes, both as varints.
    """
    return _varint(field_number << 3 | _WIRE_LENGTH) + _varint(size)


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value >= 128:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
