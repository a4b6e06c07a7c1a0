# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Encoding of reflections: a SensorView with `lidar_sensor_view`, one reflection for every ray.

All reflections have the same number of bytes, so that numpy can write them as rows of a table. For
this, object ids are always padded to varints of ten bytes, which protobuf reads as usual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from google.protobuf.message import DecodeError
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensorview_pb2 import LidarSensorView, SensorView
from osi3.osi_sensorviewconfiguration_pb2 import LidarSensorViewConfiguration

from osi_bridge.errors import UndecodableMessage
from osi_bridge.records import NO_OBJECT, MountingPosition
from osi_bridge.sensor_data import length_prefix, mounting_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from osi_bridge.records import MessageType

__all__ = ["NO_SIGNAL_DB", "LidarView", "Reflections", "encode_sensor_view"]

NO_SIGNAL_DB = -300.0
"""Signal strength of a ray without a reflection; its time of flight is 0. [dB]"""

_VARINT_BYTES = 10
_NORMAL = [(name, kind) for axis in "xyz" for name, kind in ((f"t{axis}", "u1"), (axis, "<f8"))]
# Each value follows its tag, as in protobuf: field number << 3 | wire type.
_SIGNAL = [("head", "u1", 2), ("t_strength", "u1"), ("strength_db", "<f8")]
_SIGNAL += [("t_time", "u1"), ("time_s", "<f8")]
_DOPPLER = [("t_doppler", "u1"), ("doppler_hz", "<f8")]
_SURFACE = [("t_normal", "u1", 2), *_NORMAL, ("t_object", "u1", 3)]
_SURFACE += [("object_id", "u1", _VARINT_BYTES)]
_ROW = np.dtype([*_SIGNAL, *_SURFACE])
_ROW_WITH_DOPPLER = np.dtype([*_SIGNAL, *_DOPPLER, *_SURFACE])
_DIRECTION_ROW = np.dtype([("head", "u1", 2), *_NORMAL])
_VECTOR_TAGS = {"tx": 0x09, "ty": 0x11, "tz": 0x19}
_VECTOR_BYTES = 27


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reflections:
    """Columns of n reflections. In the message, rays without a reflection get a placeholder.

    Attributes
    ----------
    beam_index : uint32 (n,)
        Index of the ray, a row of `LidarView.direction`.
    strength_db : float64 (n,)
        Received power relative to the emitted power. [dB]
    time_s : float64 (n,)
        Time of flight, there and back. [s]
    normal : float32 (n, 3)
        Unit normal of the surface in the sensor frame.
    object_id : uint64 (n,)
        OSI id of the object hit, `NO_OBJECT` if the surface belongs to no OSI object.
    doppler_hz : float64 (n,) or None
        Doppler shift of the emitter's frequency, positive for approaching surfaces; None: not
        stated. [Hz]
    """

    beam_index: NDArray[np.uint32]
    strength_db: NDArray[np.float64]
    time_s: NDArray[np.float64]
    normal: NDArray[np.float32]
    object_id: NDArray[np.uint64]
    doppler_hz: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LidarView:
    """One physical lidar's part of a SensorView.

    Attributes
    ----------
    sensor_id : int
        Id of the physical sensor.
    mounting : MountingPosition
        Pose of the sensor in the host vehicle frame.
    direction : float32 (n_beam, 3)
        Unit vectors of all rays in the sensor frame, in OSI's order: left to right, top to bottom.
    reflections : Reflections
        Reflections of these rays.
    emitter_hz : float or None
        Frequency of the emitted light; None: not stated. [Hz]
    """

    sensor_id: int
    mounting: MountingPosition
    direction: NDArray[np.float32]
    reflections: Reflections
    emitter_hz: float | None = None


def encode_sensor_view(data: bytes, message_type: MessageType, views: Sequence[LidarView]) -> bytes:
    """Return a serialised SensorView message with its `lidar_sensor_view` filled.

    Parameters
    ----------
    data : bytes
        Message that the views were made from. A GroundTruth becomes the `global_ground_truth` of a
        new SensorView; an existing `lidar_sensor_view` is replaced.
    message_type : str
        "SensorView" or "GroundTruth".
    views : sequence of LidarView
        Content of each `lidar_sensor_view`.

    Raises
    ------
    UndecodableMessage
        `data` is not a message of this type.
    """
    try:
        view = _sensor_view(data, message_type)
    except DecodeError as error:
        raise UndecodableMessage(f"not a {message_type} message ({error})") from error
    parts: list[bytes] = []
    for lidar in views:
        configuration, reflections = _configuration(lidar), _reflections(lidar)
        prefix = length_prefix(_CONFIGURATION, len(configuration))
        parts.append(
            length_prefix(_LIDAR, len(prefix) + len(configuration) + len(reflections)) + prefix
        )
        parts += [configuration, reflections]
    return b"".join([view.SerializeToString(deterministic=True), *parts])


_LIDAR = SensorView.DESCRIPTOR.fields_by_name["lidar_sensor_view"].number
_CONFIGURATION = LidarSensorView.DESCRIPTOR.fields_by_name["view_configuration"].number


def _sensor_view(data: bytes, message_type: MessageType) -> SensorView:
    if message_type == "SensorView":
        view = SensorView.FromString(data)
        view.ClearField("lidar_sensor_view")
        return view
    truth = GroundTruth.FromString(data)
    view = SensorView(global_ground_truth=truth)
    for field in ("version", "timestamp", "host_vehicle_id"):
        if truth.HasField(field):
            getattr(view, field).CopyFrom(getattr(truth, field))
    view.sensor_id.value = 0
    view.mounting_position.CopyFrom(mounting_message(MountingPosition()))
    return view


def _configuration(lidar: LidarView) -> bytes:
    configuration = LidarSensorViewConfiguration(
        mounting_position=mounting_message(lidar.mounting), max_number_of_interactions=1
    )
    configuration.sensor_id.value = lidar.sensor_id
    if lidar.emitter_hz is not None:
        configuration.emitter_frequency = lidar.emitter_hz
    rows = np.zeros(len(lidar.direction), _DIRECTION_ROW)
    rows["head"] = _DIRECTIONS << 3 | 2, _VECTOR_BYTES
    _put_vectors(rows, lidar.direction)
    head: bytes = configuration.SerializeToString(deterministic=True)
    return head + rows.tobytes()


_DIRECTIONS = LidarSensorViewConfiguration.DESCRIPTOR.fields_by_name["directions"].number


def _reflections(lidar: LidarView) -> bytes:
    found = lidar.reflections
    kind = _ROW if found.doppler_hz is None else _ROW_WITH_DOPPLER
    rows = np.zeros(len(lidar.direction), kind)
    rows["head"] = 2 << 3 | 2, kind.itemsize - 2
    rows["t_strength"], rows["t_time"] = 1 << 3 | 1, 2 << 3 | 1
    rows["t_normal"], rows["t_object"] = (5 << 3 | 2, _VECTOR_BYTES), (6 << 3 | 2, 11, 1 << 3)
    rows["strength_db"] = NO_SIGNAL_DB
    normal = np.zeros((len(rows), 3), np.float32)
    object_id = np.full(len(rows), NO_OBJECT, np.uint64)
    rows["strength_db"][found.beam_index] = found.strength_db
    rows["time_s"][found.beam_index] = found.time_s
    if found.doppler_hz is not None:
        rows["t_doppler"] = 3 << 3 | 1
        rows["doppler_hz"][found.beam_index] = found.doppler_hz
    normal[found.beam_index] = found.normal
    object_id[found.beam_index] = found.object_id
    _put_vectors(rows, normal)
    shifts = np.arange(0, 7 * _VARINT_BYTES, 7, dtype=np.uint64)
    rows["object_id"] = (object_id[:, None] >> shifts & np.uint64(0x7F)) | np.uint64(0x80)
    rows["object_id"][:, -1] &= 0x7F  # the last byte ends the number
    return rows.tobytes()


def _put_vectors(rows: NDArray[np.void], vectors: NDArray[np.float32]) -> None:
    for name, tag in _VECTOR_TAGS.items():
        rows[name] = tag
    for column, axis in enumerate("xyz"):
        rows[axis] = vectors[:, column]
