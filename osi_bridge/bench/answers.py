# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The lidar content of a SensorData message, read by protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from google.protobuf.message import DecodeError
from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge.errors import UndecodableMessage
from osi_bridge.records import MountingPosition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from google.protobuf.message import Message
    from numpy.typing import NDArray
    from osi3.osi_featuredata_pb2 import LidarDetection, LidarDetectionData, SensorDetectionHeader
    from osi3.osi_logicaldetectiondata_pb2 import LogicalDetectionData

__all__ = ["Answer", "AnsweredScan", "decode_answer"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnsweredScan:
    """The n detections of one sensor in a SensorData message, as columns.

    An intensity or radial velocity that a detection does not state is NaN; a position or object id
    that it does not state is 0.

    Attributes
    ----------
    range_m, azimuth_rad, elevation_rad : float64 (n,)
        Position in the frame of the sensor. [m], [rad]
    intensity_percent, radial_velocity_m_s : float64 (n,)
        Intensity and radial velocity as in the message. [%], [m/s]
    object_id : uint64 (n,)
        OSI id of the object that was hit.
    has_object_id : bool (n,)
        Whether the detection states an object id.
    n_stated : int or None
        Number of valid detections, as the header states it; None: not stated.
    measured_ns : int or None
        Time of the measurement, as the header states it; None: not stated. [ns]
    mounting : MountingPosition or None
        Pose of the sensor, as the header states it; None if not stated, and for logical detections.
    is_logical : bool
        Whether these are logical detections; their positions are in the virtual sensor's frame.
    """

    range_m: NDArray[np.float64]
    azimuth_rad: NDArray[np.float64]
    elevation_rad: NDArray[np.float64]
    intensity_percent: NDArray[np.float64]
    radial_velocity_m_s: NDArray[np.float64]
    object_id: NDArray[np.uint64]
    has_object_id: NDArray[np.bool_]
    n_stated: int | None
    measured_ns: int | None
    mounting: MountingPosition | None
    is_logical: bool = False

    def __len__(self) -> int:
        return len(self.range_m)


class _Common(TypedDict):
    """Columns that both kinds of detections have."""

    intensity_percent: NDArray[np.float64]
    object_id: NDArray[np.uint64]
    has_object_id: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Answer:
    """A decoded SensorData message; values that the message does not state are None.

    Attributes
    ----------
    message : SensorData
        The message itself.
    time_ns, last_measurement_ns : int or None
        Timestamp, and time of the last measurement. [ns]
    osi_major : int or None
        Major version of OSI.
    sensor_id : int or None
        Id of the sensor.
    n_objects : int
        Number of moving and stationary objects in the message; only object-level sensor models
        list objects.
    """

    message: SensorData
    time_ns: int | None
    last_measurement_ns: int | None
    osi_major: int | None
    sensor_id: int | None
    n_objects: int

    @cached_property
    def scans(self) -> tuple[AnsweredScan, ...]:
        """A scan for each lidar of FeatureData, or else a single one of LogicalDetectionData.

        Empty if the message has neither. The detections are read on first use.
        """
        logical = self.message.logical_detection_data
        scans = tuple(_scan(each) for each in self.message.feature_data.lidar_sensor)
        return scans or ((_logical(logical),) if logical.logical_detection else ())


def decode_answer(data: bytes) -> Answer:
    """Decode a SensorData message; ``data`` are its bytes in protobuf wire format.

    Raises
    ------
    UndecodableMessage
        If the bytes are not a SensorData message.
    """
    try:
        message = SensorData.FromString(data)
    except DecodeError as error:
        raise UndecodableMessage(f"not a SensorData message ({error})") from error
    return Answer(
        message=message,
        time_ns=_time_ns(message, "timestamp"),
        last_measurement_ns=_time_ns(message, "last_measurement_time"),
        osi_major=int(message.version.version_major) if message.HasField("version") else None,
        sensor_id=int(message.sensor_id.value) if message.HasField("sensor_id") else None,
        n_objects=len(message.moving_object) + len(message.stationary_object),
    )


def _scan(sensor: LidarDetectionData) -> AnsweredScan:
    header, detections = sensor.header, sensor.detection
    places = [each.position for each in detections]
    return AnsweredScan(
        range_m=np.array([each.distance for each in places], np.float64),
        azimuth_rad=np.array([each.azimuth for each in places], np.float64),
        elevation_rad=np.array([each.elevation for each in places], np.float64),
        radial_velocity_m_s=_stated(detections, "radial_velocity"),
        n_stated=_number(header, "number_of_valid_detections"),
        measured_ns=_time_ns(header, "measurement_time"),
        mounting=_mounting(header),
        **_common(detections),
    )


def _logical(part: LogicalDetectionData) -> AnsweredScan:
    detections, header = part.logical_detection, part.header
    x, y, z = (
        np.array([getattr(each.position, axis) for each in detections], np.float64)
        for axis in "xyz"
    )
    across = np.hypot(x, y)
    return AnsweredScan(
        range_m=np.hypot(across, z),
        azimuth_rad=np.arctan2(y, x),
        elevation_rad=np.arctan2(z, across),
        radial_velocity_m_s=np.full(len(detections), np.nan),
        n_stated=_number(header, "number_of_valid_logical_detections"),
        measured_ns=_time_ns(header, "logical_detection_time"),
        mounting=None,
        is_logical=True,
        **_common(detections),
    )


def _common(detections: Sequence[Message]) -> _Common:
    return {
        "intensity_percent": _stated(detections, "intensity"),
        "object_id": np.array([_id(each) for each in detections], np.uint64),
        "has_object_id": np.array([each.HasField("object_id") for each in detections], np.bool_),
    }


def _id(detection: LidarDetection) -> int:
    return int(detection.object_id.value)


def _stated(detections: Sequence[Message], name: str) -> NDArray[np.float64]:
    """Return a field of all detections, NaN where it is not stated."""
    values = [getattr(each, name) if each.HasField(name) else np.nan for each in detections]
    return np.array(values, np.float64)


def _number(message: Message, name: str) -> int | None:
    return int(getattr(message, name)) if message.HasField(name) else None


def _time_ns(message: Message, name: str) -> int | None:
    if not message.HasField(name):
        return None
    stated = getattr(message, name)
    return int(stated.seconds) * 1_000_000_000 + int(stated.nanos)


def _mounting(header: SensorDetectionHeader) -> MountingPosition | None:
    if not header.HasField("mounting_position"):
        return None
    place, turn = header.mounting_position.position, header.mounting_position.orientation
    return MountingPosition(
        position_m=(place.x, place.y, place.z), orientation_rad=(turn.roll, turn.pitch, turn.yaw)
    )
