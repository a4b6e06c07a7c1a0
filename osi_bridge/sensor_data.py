# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Detections out: OSI SensorData messages, their long part written straight as protobuf bytes.

A protobuf object per detection would take tens of milliseconds per scan. A kernel writes the
detections instead, in the order of their field numbers as protobuf does, and they are put behind
the rest of the message, which protobuf serialises as usual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numba
import numpy as np
from osi3.osi_common_pb2 import MountingPosition as OsiMountingPosition
from osi3.osi_common_pb2 import Timestamp
from osi3.osi_featuredata_pb2 import LidarDetection, LidarDetectionData, SensorDetectionHeader
from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge.records import MountingPosition
from osi_bridge.trace_names import OSI_VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from osi_bridge.records import Detections

__all__ = ["LidarBlock", "encode_detections", "encode_sensor_data"]

_BLOCK = 4096  # detections per block: enough work for a thread, and blocks for all threads
_WIRE_FIXED64, _WIRE_LENGTH = 1, 2


def _tag(field_number: int, wire_type: int) -> int:
    return field_number << 3 | wire_type


_NUMBER = {field.name: field.number for field in LidarDetection.DESCRIPTOR.fields}
# Tags as bytes. All are below 128, so each is one byte: field numbers below 16.
_DETECTION = _tag(LidarDetectionData.DESCRIPTOR.fields_by_name["detection"].number, _WIRE_LENGTH)
_EXISTENCE = _tag(_NUMBER["existence_probability"], _WIRE_FIXED64)
_OBJECT_ID = _tag(_NUMBER["object_id"], _WIRE_LENGTH)
_POSITION = _tag(_NUMBER["position"], _WIRE_LENGTH)
_INTENSITY = _tag(_NUMBER["intensity"], _WIRE_FIXED64)
_REFLECTIVITY = _tag(_NUMBER["reflectivity"], _WIRE_FIXED64)
_BEAM_ID = _tag(_NUMBER["beam_id"], _WIRE_LENGTH)
_IDENTIFIER_VALUE = _tag(1, 0)  # osi3.Identifier.value, a varint
_DISTANCE, _AZIMUTH, _ELEVATION = (_tag(number, _WIRE_FIXED64) for number in (1, 2, 3))
_POSITION_BYTES = 3 * 9
# Everything of one detection but its two varints: 3 doubles with tags, the position with its head,
# and two identifiers with 3 bytes of head each.
_FIXED_BYTES = 3 * 9 + 2 + _POSITION_BYTES + 2 * 3
_ONE = np.float64(1.0).view(np.uint64)


@numba.njit(cache=True, nogil=True)
def _varint_bytes(value: int) -> int:
    n = 1
    rest = value >> np.uint64(7)
    while rest:
        n += 1
        rest >>= np.uint64(7)
    return n


@numba.njit(cache=True, nogil=True)
def _put_varint(out: NDArray[np.uint8], at: int, value: int) -> int:
    while value >= np.uint64(128):
        out[at] = np.uint8((value & np.uint64(127)) | np.uint64(128))
        value >>= np.uint64(7)
        at += 1
    out[at] = np.uint8(value)
    return at + 1


@numba.njit(cache=True, nogil=True)
def _put_double(out: NDArray[np.uint8], at: int, tag: int, bits: int) -> int:
    # Little-endian; the compiler makes one store of the eight. An unsigned index, because a signed
    # one might be negative and count from the end, which would keep it from doing so.
    start = np.uint64(at)
    out[start] = tag
    for k in range(8):
        out[start + np.uint64(k + 1)] = np.uint8((bits >> np.uint64(8 * k)) & np.uint64(255))
    return at + 9


@numba.njit(cache=True, nogil=True)
def _put_identifier(out: NDArray[np.uint8], at: int, tag: int, value: int, size: int) -> int:
    out[at] = tag
    out[at + 1] = 1 + size
    out[at + 2] = _IDENTIFIER_VALUE
    return _put_varint(out, at + 3, value)


@numba.njit(cache=True, nogil=True, parallel=True)
def _block_sizes(
    object_id: NDArray[np.uint64], beam_index: NDArray[np.uint32], size_out: NDArray[np.int64]
) -> None:
    for block in numba.prange(len(size_out)):
        total = 0
        for i in range(block * _BLOCK, min((block + 1) * _BLOCK, len(object_id))):
            total += 2 + _FIXED_BYTES + _varint_bytes(object_id[i])
            total += _varint_bytes(np.uint64(beam_index[i]))
        size_out[block] = total


@numba.njit(cache=True, nogil=True, parallel=True)
def _write_detections(  # noqa: PLR0913, PLR0917 (a kernel)
    # In:
    range_m: NDArray[np.float32],
    intensity_percent: NDArray[np.float32],
    reflectivity: NDArray[np.float32],
    object_id: NDArray[np.uint64],
    beam_index: NDArray[np.uint32],
    angle_index: NDArray[np.uint32],  # row in the two tables of angles
    azimuth_bits: NDArray[np.uint64],
    elevation_bits: NDArray[np.uint64],
    block_start: NDArray[np.int64],
    # Out:
    bytes_out: NDArray[np.uint8],
) -> None:
    for block in numba.prange(len(block_start)):
        at = block_start[block]
        double = np.empty(3, np.float64)
        bits = double.view(np.uint64)
        for i in range(block * _BLOCK, min((block + 1) * _BLOCK, len(object_id))):
            beam = beam_index[i]
            double[0], double[1], double[2] = range_m[i], intensity_percent[i], reflectivity[i]
            object_size = _varint_bytes(object_id[i])
            beam_size = _varint_bytes(np.uint64(beam))
            bytes_out[at] = _DETECTION
            bytes_out[at + 1] = _FIXED_BYTES + object_size + beam_size  # at most 77: one byte
            at = _put_double(bytes_out, at + 2, _EXISTENCE, _ONE)
            at = _put_identifier(bytes_out, at, _OBJECT_ID, object_id[i], object_size)
            bytes_out[at] = _POSITION
            bytes_out[at + 1] = _POSITION_BYTES
            at = _put_double(bytes_out, at + 2, _DISTANCE, bits[0])
            at = _put_double(bytes_out, at, _AZIMUTH, azimuth_bits[angle_index[i]])
            at = _put_double(bytes_out, at, _ELEVATION, elevation_bits[angle_index[i]])
            at = _put_double(bytes_out, at, _INTENSITY, bits[1])
            at = _put_double(bytes_out, at, _REFLECTIVITY, bits[2])
            at = _put_identifier(bytes_out, at, _BEAM_ID, np.uint64(beam), beam_size)


def encode_detections(
    detections: Detections,
    *,
    azimuth_rad: NDArray[np.float64],
    elevation_rad: NDArray[np.float64],
) -> NDArray[np.uint8]:
    """Return the detections as the repeated field LidarDetectionData.detection.

    Every detection has existence_probability 1, object_id (2**64 - 1 where there is none),
    position, intensity, reflectivity and beam_id; its classification stays unknown.

    Parameters
    ----------
    detections : Detections
        n detections.
    azimuth_rad, elevation_rad : float64 (n_beam,)
        Direction of each beam of the scan pattern in the sensor frame; azimuth counter-clockwise
        from x, elevation positive up. Detections with angles of their own keep those. [rad]

    Returns
    -------
    uint8 (n_bytes,)
        Protobuf wire format, the same on any number of threads.

    Raises
    ------
    ValueError
        The angles are not one each per beam, or a detection is of a beam that does not exist.
    """
    n, n_beams = len(detections), len(azimuth_rad)
    if azimuth_rad.shape != (n_beams,) or elevation_rad.shape != (n_beams,):
        raise ValueError(
            f"azimuth_rad, elevation_rad: expected one each per beam, "
            f"got shapes {azimuth_rad.shape}, {elevation_rad.shape}"
        )
    if n and int(detections.beam_index.max()) >= n_beams:
        raise ValueError(f"beam_index {detections.beam_index.max()}: expected 0 to {n_beams - 1}")
    angle_index = detections.beam_index
    if detections.azimuth_rad is not None and detections.elevation_rad is not None:
        angle_index = np.arange(n, dtype=np.uint32)
        azimuth_rad, elevation_rad = detections.azimuth_rad, detections.elevation_rad
    sizes = np.zeros(-(-n // _BLOCK), np.int64)
    _block_sizes(detections.object_id, detections.beam_index, sizes)
    ends = np.cumsum(sizes)
    encoded = np.empty(int(ends[-1]) if n else 0, np.uint8)
    _write_detections(
        detections.range_m,
        detections.intensity_percent,
        detections.reflectivity,
        detections.object_id,
        detections.beam_index,
        angle_index,
        azimuth_rad.view(np.uint64),
        elevation_rad.view(np.uint64),
        ends - sizes,
        encoded,
    )
    return encoded


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LidarBlock:
    """One physical lidar's part of a SensorData message.

    The detections are encoded once: an unchanged scan is sent again with the same encoded bytes,
    a new measurement time and a new cycle counter.

    Attributes
    ----------
    sensor_id : int
        Id of the physical sensor.
    mounting : MountingPosition
        Its pose in the host vehicle frame.
    measurement_time_ns : int
        Time of the scan. [ns]
    cycle_counter : int
        Number of the message, from 0.
    n_detections : int
        Number of detections in `encoded`.
    encoded : uint8 (n_bytes,)
        What `encode_detections` returns.
    """

    sensor_id: int
    mounting: MountingPosition
    measurement_time_ns: int
    cycle_counter: int
    n_detections: int
    encoded: NDArray[np.uint8]


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
        When the data is available. [ns]
    last_measurement_time_ns : int
        Time of the ground truth; no detection is younger. [ns]
    sensors : sequence of LidarBlock
        One `feature_data.lidar_sensor` each.
    sensor_id : int
        Id of the virtual sensor that all of them belong to.
    mounting : MountingPosition, optional
        Pose of the virtual sensor; default: the origin of the host vehicle frame.
    """
    head = SensorData(
        timestamp=_timestamp(time_ns),
        mounting_position=mounting_message(mounting or MountingPosition()),
        last_measurement_time=_timestamp(last_measurement_time_ns),
    )
    head.version.version_major, head.version.version_minor, head.version.version_patch = OSI_VERSION
    head.sensor_id.value = sensor_id
    features: list[bytes | memoryview] = []
    for sensor in sensors:
        header = _header(sensor).SerializeToString(deterministic=True)
        header_prefix = length_prefix(_HEADER, len(header))
        size = len(header_prefix) + len(header) + sensor.encoded.size
        features += [length_prefix(_LIDAR_SENSOR, size), header_prefix, header]
        features.append(sensor.encoded.data)
    prefix = length_prefix(_FEATURE_DATA, sum(map(len, features)))
    # All fields of the head have lower numbers than feature_data, so it may simply follow. join
    # makes the buffer at its size at once, the only copy of the detections.
    return b"".join([head.SerializeToString(deterministic=True), prefix, *features])


_FEATURE_DATA = SensorData.DESCRIPTOR.fields_by_name["feature_data"].number
_LIDAR_SENSOR = SensorData().feature_data.DESCRIPTOR.fields_by_name["lidar_sensor"].number
_HEADER = LidarDetectionData.DESCRIPTOR.fields_by_name["header"].number


def _header(sensor: LidarBlock) -> SensorDetectionHeader:
    header = SensorDetectionHeader(
        measurement_time=_timestamp(sensor.measurement_time_ns),
        cycle_counter=sensor.cycle_counter,
        mounting_position=mounting_message(sensor.mounting),
        data_qualifier=SensorDetectionHeader.DATA_QUALIFIER_AVAILABLE,
        number_of_valid_detections=sensor.n_detections,
    )
    header.sensor_id.value = sensor.sensor_id
    return header


def _timestamp(time_ns: int) -> Timestamp:
    seconds, nanos = divmod(time_ns, 1_000_000_000)
    # Nanos of garbage may have been more than a second.
    return Timestamp(seconds=min(seconds, 2**63 - 1), nanos=nanos)


def mounting_message(mounting: MountingPosition) -> OsiMountingPosition:
    """Return a pose as OSI's message."""
    message = OsiMountingPosition()
    position, orientation = message.position, message.orientation
    position.x, position.y, position.z = mounting.position_m
    orientation.roll, orientation.pitch, orientation.yaw = mounting.orientation_rad
    return message


def length_prefix(field_number: int, size: int) -> bytes:
    """Return tag and length of a field that holds `size` bytes."""
    return _varint(_tag(field_number, _WIRE_LENGTH)) + _varint(size)


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value >= 128:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
