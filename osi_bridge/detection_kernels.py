# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels that write detections in the wire format of protobuf.

Numbers are written as whole little-endian words, by loops that the compiler turns into one store.
Indices are unsigned: a negative signed index would count from the end, and this possibility would
keep the compiler from doing so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from osi3.osi_featuredata_pb2 import LidarDetection, LidarDetectionData

from lidar_base.block_kernels import in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.memory_kernels import (
    copy_memory,
    float32_at,
    prefetch_to_write,
    running_total,
    seen_as,
)

WIRE_VARINT, WIRE_FIXED64, WIRE_LENGTH = 0, 1, 2


def tag_of(field_number: int, wire_type: int) -> int:
    """Return the number that precedes a field's value in protobuf wire format, its tag.

    ``field_number`` is the field's number in its message; ``wire_type`` is one of `WIRE_..`.
    """
    return field_number << 3 | wire_type


NUMBER = {field.name: field.number for field in LidarDetection.DESCRIPTOR.fields}
# Tags as bytes. All are below 128, so each is one byte: field numbers below 16.
DETECTION = tag_of(LidarDetectionData.DESCRIPTOR.fields_by_name["detection"].number, WIRE_LENGTH)
EXISTENCE = tag_of(NUMBER["existence_probability"], WIRE_FIXED64)
_OBJECT_ID = tag_of(NUMBER["object_id"], WIRE_LENGTH)
_POSITION = tag_of(NUMBER["position"], WIRE_LENGTH)
INTENSITY = tag_of(NUMBER["intensity"], WIRE_FIXED64)
REFLECTIVITY = tag_of(NUMBER["reflectivity"], WIRE_FIXED64)
RADIAL_VELOCITY = tag_of(NUMBER["radial_velocity"], WIRE_FIXED64)
_BEAM_ID = tag_of(NUMBER["beam_id"], WIRE_LENGTH)
_IDENTIFIER_VALUE = tag_of(1, WIRE_VARINT)  # osi3.Identifier.value, a varint
DISTANCE, _AZIMUTH, _ELEVATION = (tag_of(number, WIRE_FIXED64) for number in (1, 2, 3))
_POSITION_BYTES = 3 * 9
# All bytes of a detection except its two varints: 3 doubles with tags, the position with its head,
# and two identifiers with 3 bytes of head each.
FIXED_BYTES = 3 * 9 + 2 + _POSITION_BYTES + 2 * 3
VELOCITY_BYTES = 9
"""Number of bytes of a radial velocity: tag and value."""
_ONE = np.float64(1.0).view(np.uint64)


@njit(cache=True, nogil=True)
def _varint_bytes(value):
    n = 1
    rest = value >> np.uint64(7)
    while rest:
        n += 1
        rest >>= np.uint64(7)
    return n


@njit(cache=True, nogil=True, inline="always")
def small_varint_bytes(value):
    """Return how many bytes, 1 to 5, the 32-bit number ``value`` takes as a protobuf varint."""
    return 1 + (value >= 1 << 7) + (value >= 1 << 14) + (value >= 1 << 21) + (value >= 1 << 28)


@njit(cache=True, nogil=True)
def put_varint(value, at, bytes_out):
    """Write the uint64 ``value`` as a protobuf varint; return the offset behind it.

    It is written into ``bytes_out`` (uint8) from the offset ``at`` (uint64) on, up to 10 bytes.
    """
    while value >= np.uint64(128):
        bytes_out[at] = np.uint8((value & np.uint64(127)) | np.uint64(128))
        value >>= np.uint64(7)
        at += np.uint64(1)
    bytes_out[at] = np.uint8(value)
    return at + np.uint64(1)


@njit(cache=True, nogil=True, inline="always")
def put_double(tag, bits, at, bytes_out):
    """Write a tag and a double, 9 bytes, into ``bytes_out`` (uint8); return the offset behind them.

    ``tag`` is the tag of one byte, ``bits`` are the bits of the double as uint64, and ``at``
    (uint64) is the offset of the first byte.
    """
    bytes_out[at] = tag
    for k in range(8):
        bytes_out[at + np.uint64(k + 1)] = np.uint8((bits >> np.uint64(8 * k)) & np.uint64(255))
    return at + np.uint64(9)


@njit(cache=True, nogil=True, inline="always")
def put_object(
    # In:
    low,  # uint64 bytes 1 to 8 of the id as a varint
    high,  # uint64 bytes 9 and 10
    size,  # uint64 number of bytes of the varint
    at,  # uint64 offset of the field
    # Out:
    bytes_out,
):
    """Write the field object_id of a detection; return the offset behind it.

    ``low`` and ``high`` are the 10 possible bytes of the id as a varint (8 and 2, in uint64), and
    ``size`` is how many of them it has. The field is written into ``bytes_out`` (uint8) from the
    offset ``at`` on. All 10 bytes are written, so up to 9 bytes behind the field are overwritten.
    """
    bytes_out[at] = _OBJECT_ID
    bytes_out[at + np.uint64(1)] = np.uint64(1) + size
    bytes_out[at + np.uint64(2)] = _IDENTIFIER_VALUE
    at += np.uint64(3)
    for k in range(8):  # the whole word: excess bytes are overwritten by the next field
        bytes_out[at + np.uint64(k)] = np.uint8((low >> np.uint64(8 * k)) & np.uint64(255))
    bytes_out[at + np.uint64(8)] = np.uint8(high & np.uint64(255))
    bytes_out[at + np.uint64(9)] = np.uint8((high >> np.uint64(8)) & np.uint64(255))
    return at + size


@njit(cache=True, nogil=True, inline="always")
def put_position(distance, azimuth, elevation, at, bytes_out):
    """Write the field position of a detection; return the offset behind it.

    ``distance`` [m], ``azimuth`` and ``elevation`` [rad] are the bits of doubles, as uint64. The
    field is written into ``bytes_out`` (uint8) from the offset ``at`` (uint64) on.
    """
    bytes_out[at] = _POSITION
    bytes_out[at + np.uint64(1)] = _POSITION_BYTES
    at = put_double(DISTANCE, distance, at + np.uint64(2), bytes_out)
    at = put_double(_AZIMUTH, azimuth, at, bytes_out)
    return put_double(_ELEVATION, elevation, at, bytes_out)


@njit(cache=True, nogil=True, inline="always")
def put_beam(beam, size, at, bytes_out):
    """Write the field beam_id of a detection; return the offset behind it.

    ``beam`` is the index of the beam, and ``size`` the number of bytes of its varint. The field is
    written into ``bytes_out`` (uint8) from the offset ``at`` (uint64) on.
    """
    bytes_out[at] = _BEAM_ID
    bytes_out[at + np.uint64(1)] = 1 + size
    bytes_out[at + np.uint64(2)] = _IDENTIFIER_VALUE
    return put_varint(np.uint64(beam), at + np.uint64(3), bytes_out)


class Column(NamedTuple):
    """Place in memory of a column of float32 numbers.

    A column is an array of its own, or a field of a structured array. Numba would compile a kernel
    for each combination of these two kinds; with addresses, one kernel serves all of them.

    ``address`` is the address of the first number. ``stride`` is the number of bytes from the start
    of each number to the next one. The memory must be kept alive.
    """

    address: int  # of the first number
    stride: int  # bytes from the start of each number to the next one


@njit(cache=True, nogil=True, inline="always")
def number_of(column, row):
    """Return the float32 number in row ``row`` (int64, from 0) of ``column``, a `Column`."""
    return float32_at(column.address + row * column.stride)


class DetectionArrays(NamedTuple):
    """The columns of `records.Detections` for n detections, as kernels take them.

    ``range_m`` [m], ``intensity_percent`` [%], ``reflectivity`` [1] and ``velocity_m_s``, the
    radial velocity [m/s], are a `Column` of n float32 numbers each. ``object_id`` is uint64 (n,),
    OSI's ids. ``beam_index`` is uint32 (n,), indices into the scan pattern. ``has_velocity`` is
    False if no detection has a velocity; ``velocity_m_s`` is then not read.
    """

    range_m: object  # Column
    intensity_percent: object  # Column
    reflectivity: object  # Column
    object_id: object  # uint64 (n,)
    beam_index: object  # uint32 (n,)
    velocity_m_s: object  # Column
    has_velocity: bool  # whether each detection has a velocity


class AngleArrays(NamedTuple):
    """Directions of detections in the sensor frame, as the bits of doubles in radians.

    ``azimuth_bits`` and ``elevation_bits`` are uint64 (n_beam,), a row for each beam; or, if
    ``own`` is True, uint64 (n,), a row for each detection.
    """

    azimuth_bits: object  # uint64 (n_beam | n,)
    elevation_bits: object  # uint64 (n_beam | n,)
    own: bool  # True: a row for each detection; False: a row for each beam


class BlockArrays(NamedTuple):
    """Blocks of successive detections; each block is encoded or copied as a whole.

    ``start``, int64 (n_block + 1,), has the index of each block's first detection, and n.
    ``first_byte``, int64 (n_block + 1,), has the offset of each block's first byte in the output,
    and the total. ``changed``, bool (n_block,), is False for blocks that are copied from an earlier
    scan.
    """

    start: object  # int64 (n_block + 1,) index of each block's first detection, and n
    first_byte: object  # int64 (n_block + 1,) offset of each block's first byte, and the total
    changed: object  # bool (n_block,) which blocks to encode; the others are copied


@njit(cache=True, nogil=True, threads=True)
def block_sizes(
    # In:
    object_id,  # uint64 (n,)
    beam_index,  # uint32 (n,)
    start_of_block,  # int64 (n_block + 1,) index of each block's first detection, and n
    changed,  # bool (n_block,) which blocks to compute
    fixed_bytes,  # of each detection, as `FIXED_BYTES`
    n_workers,
    # Out:
    size_out,  # int64 (n_block,) holds the sizes of unchanged blocks before, which stay [bytes]
    first_byte_out,  # int64 (n_block + 1,) offset of each block's first byte, and the total
):
    """Compute the encoded size of each changed block of detections, and the offsets of all blocks.

    Parameters
    ----------
    object_id, beam_index : uint64 (n,), uint32 (n,)
        OSI id of the object, and index of the beam, for each detection.
    start_of_block : int64 (n_block + 1,)
        Index of each block's first detection, and n.
    changed : bool (n_block,)
        Whether to compute the size of each block.
    fixed_bytes : int
        Bytes of each detection, as in `EncodedDetections`.
    n_workers : int
        Number of threads.
    size_out : int64 (n_block,)
        In and output: sizes of the blocks; only changed ones are written.
    first_byte_out : int64 (n_block + 1,)
        Output: offset of each block's first byte, and the total size; all are written.
    """
    in_threads(
        _size_blocks,
        n_workers,
        (
            new_deal(), object_id, beam_index, start_of_block, changed, fixed_bytes,
            size_out,
        ),
    )  # fmt: skip
    running_total(size_out, first_byte_out)


@njit(cache=True, nogil=True)
def _size_blocks(deal, object_id, beam_index, start_of_block, changed, fixed_bytes, size_out):
    """Compute the size of one block after the other; arguments as for `block_sizes`."""
    while True:
        block = take_block(deal)
        if block >= len(size_out):
            break
        if not changed[block]:
            continue
        first, end = start_of_block[block], start_of_block[block + 1]
        total = (2 + fixed_bytes) * (end - first)
        last, size_of_last = np.uint64(0), 1
        for i in range(first, end):
            if object_id[i] != last:  # successive detections are mostly of one object
                last = object_id[i]
                size_of_last = _varint_bytes(last)
            total += size_of_last + small_varint_bytes(beam_index[i])
        size_out[block] = total


@njit(cache=True, nogil=True, threads=True)
def write_detections(
    # In:
    detections,  # see DetectionArrays
    angles,  # see AngleArrays
    blocks,  # see BlockArrays
    old_first_byte,  # int64 (n_block + 1,) offset of each block in ``old_bytes``
    old_bytes,  # uint8 (n_old_byte,) encoded detections of an earlier scan
    n_workers,
    # Out:
    bytes_out,  # uint8 (n_byte,)
):
    """Write all detections in protobuf wire format into ``bytes_out``, uint8 (n_byte,).

    Changed blocks are encoded from ``detections`` (`DetectionArrays`) and ``angles``
    (`AngleArrays`). The others are copied from ``old_bytes``, uint8 (n_old_byte,), the encoded
    detections of an earlier scan, whose blocks begin at ``old_first_byte``, int64 (n_block + 1,).
    ``blocks`` (`BlockArrays`) says which blocks changed and where each goes. ``n_workers`` is the
    number of threads.
    """
    in_threads(
        _write_blocks,
        n_workers,
        (
            new_deal(), detections, angles, blocks, old_first_byte, old_bytes,
            bytes_out,
        ),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _write_blocks(deal, detections, angles, blocks, old_first_byte, old_bytes, bytes_out):
    """Encode or copy one block after the other; arguments as for `write_detections`."""
    while True:
        block = take_block(deal)
        if block >= len(blocks.changed):
            break
        at = blocks.first_byte[block]
        if blocks.changed[block]:
            first, end = blocks.start[block], blocks.start[block + 1]
            _write_block(detections, angles, first, end, np.uint64(at), bytes_out)
        else:
            from_ = old_bytes.ctypes.data + old_first_byte[block]
            size = blocks.first_byte[block + 1] - at
            copy_memory(bytes_out.ctypes.data + at, from_, size)


@njit(cache=True, nogil=True, alone=True)
def _write_block(
    # In:
    detections,
    angles,
    first,
    end,
    at,  # uint64 where the first one is written
    # Out:
    bytes_out,
):
    """Encode the detections from `first` to before `end`, one after the other."""
    object_id, beam_index = detections.object_id, detections.beam_index
    has_velocity = detections.has_velocity
    fixed_bytes = FIXED_BYTES + (VELOCITY_BYTES if has_velocity else 0)
    azimuth_bits, elevation_bits, own_angles = angles
    out = bytes_out.ctypes.data
    double = np.zeros(4, np.float64)
    bits = seen_as(double, np.uint64)
    varint = np.zeros(16, np.uint8)  # varint of the last object id; `words` are the same bytes
    words = seen_as(varint, np.uint64)
    last, size_of_last = np.uint64(0), np.uint64(1)
    low, high = words[0], words[1]
    for row in range(first, end):
        i = np.uint64(row)
        prefetch_to_write(out + np.int64(at))
        # the detection may extend into a second cache line
        prefetch_to_write(out + np.int64(at) + 64)
        beam = beam_index[i]
        angle = i if own_angles else np.uint64(beam)
        double[0] = number_of(detections.range_m, row)
        double[1] = number_of(detections.intensity_percent, row)
        double[2] = number_of(detections.reflectivity, row)
        if has_velocity:
            double[3] = number_of(detections.velocity_m_s, row)
        # read before writing: the compiler cannot exclude that both are the same memory
        distance, intensity, reflected, velocity = bits[0], bits[1], bits[2], bits[3]
        azimuth, elevation = azimuth_bits[angle], elevation_bits[angle]
        if object_id[i] != last:
            last = object_id[i]
            size_of_last = put_varint(last, np.uint64(0), varint)
            low, high = words[0], words[1]
        beam_size = small_varint_bytes(beam)
        bytes_out[at] = DETECTION
        # length, at most 86: one byte
        bytes_out[at + np.uint64(1)] = np.uint64(fixed_bytes + beam_size) + size_of_last
        at = put_double(EXISTENCE, _ONE, at + np.uint64(2), bytes_out)
        at = put_object(low, high, size_of_last, at, bytes_out)
        at = put_position(distance, azimuth, elevation, at, bytes_out)
        at = put_double(INTENSITY, intensity, at, bytes_out)
        at = put_double(REFLECTIVITY, reflected, at, bytes_out)
        if has_velocity:
            at = put_double(RADIAL_VELOCITY, velocity, at, bytes_out)
        at = put_beam(beam, beam_size, at, bytes_out)
