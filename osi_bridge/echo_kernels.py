# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels that write detections with `EchoFields`; see also `detection_kernels`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from osi3.osi_featuredata_pb2 import LidarDetection

from lidar_base.block_kernels import in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.memory_kernels import copy_memory, prefetch_to_write, seen_as
from osi_bridge import detection_kernels as plain
from osi_bridge.detection_kernels import (
    DETECTION,
    DISTANCE,
    EXISTENCE,
    INTENSITY,
    NUMBER,
    RADIAL_VELOCITY,
    REFLECTIVITY,
    VELOCITY_BYTES,
    Column,
    number_of,
    put_beam,
    put_double,
    put_object,
    put_position,
    put_varint,
    small_varint_bytes,
)

# Tags as bytes; all are below 128, so each is one byte.
_POSITION_RMSE = plain.tag_of(NUMBER["position_rmse"], plain.WIRE_LENGTH)
_CLASSIFICATION = plain.tag_of(NUMBER["classification"], plain.WIRE_VARINT)
_PULSE_WIDTH = plain.tag_of(NUMBER["echo_pulse_width"], plain.WIRE_FIXED64)
_RMSE_BYTES = 9  # only its distance
FIXED_BYTES = plain.FIXED_BYTES + 2 + _RMSE_BYTES + 9
"""Number of bytes of a detection with `EchoFields`, without its parts of variable size.

Left out are its tag and length, the varints of object id and beam id, its classification and its
radial velocity.
"""
CLASSIFICATION_BYTES = 2
"""Number of bytes of a classification: tag and value."""
LAST_CLASSIFICATION: int = max(
    LidarDetection.DESCRIPTOR.fields_by_name["classification"].enum_type.values_by_number
)
"""Largest member of OSI's enumeration; below 128, so that its varint is one byte."""


class EchoArrays(NamedTuple):
    """The columns of `records.EchoFields` for n detections, as kernels take them.

    Attributes
    ----------
    existence_probability : Column
        Probability that each detection is a real surface, n float32 numbers. [1]
    range_rmse_m, echo_pulse_width_m : Column
        Standard deviation of the distance, and width of the echo in range, n float32 numbers each.
        [m]
    classification : uint8 (n,) or (0,)
        Members of OSI's enumeration DetectionClassification; empty if the scan has none.
    classified : bool
        Whether each detection has a classification.
    """

    existence_probability: Column  # this and the next two: of n float32 numbers
    range_rmse_m: Column
    echo_pulse_width_m: Column
    classification: np.ndarray  # uint8 (n | 0,)
    classified: bool  # whether each detection has a classification


@njit(cache=True, nogil=True, threads=True)
def write_echoes(
    # In:
    detections: Any,  # see detection_kernels.DetectionArrays
    echoes: Any,  # see EchoArrays
    angles: Any,  # see detection_kernels.AngleArrays
    blocks: Any,  # see detection_kernels.BlockArrays
    old_first_byte: np.ndarray,  # int64 (n_block + 1,) as in `write_detections`
    old_bytes: np.ndarray,  # uint8 (n_old_byte,)
    n_workers: int,
    # Out:
    bytes_out: np.ndarray,  # uint8 (n_byte,)
) -> None:
    """Write all detections with their `EchoFields` in protobuf wire format into ``bytes_out``.

    Parameters
    ----------
    detections : DetectionArrays
        Columns of n detections.
    echoes : EchoArrays
        Further columns of the detections.
    angles : AngleArrays
        Directions of the beams or detections.
    blocks : BlockArrays
        Blocks of detections, and where each goes. Changed ones are encoded, the others are copied.
    old_first_byte : int64 (n_block + 1,)
        Offset of each block in ``old_bytes``, and the total.
    old_bytes : uint8 (n_old_byte,)
        Encoded detections of an earlier scan, from which unchanged blocks are copied.
    n_workers : int
        Number of threads.
    bytes_out : uint8 (n_byte,)
        Output: the encoded detections, all written.
    """
    in_threads(  # type: ignore[call-arg]  # intrinsic
        _write_blocks,
        n_workers,
        (
            new_deal(), detections, echoes, angles, blocks, old_first_byte, old_bytes,
            bytes_out,
        ),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _write_blocks(
    # In:
    deal: np.ndarray,
    detections: Any,
    echoes: Any,
    angles: Any,
    blocks: Any,
    old_first_byte: np.ndarray,
    old_bytes: np.ndarray,
    # Out:
    bytes_out: np.ndarray,
) -> None:
    """Encode or copy one block after the other; arguments as for `write_echoes`."""
    while True:
        block = take_block(deal)
        if block >= len(blocks.changed):
            break
        at = blocks.first_byte[block]
        if blocks.changed[block]:
            first, end = blocks.start[block], blocks.start[block + 1]
            _write_block(detections, echoes, angles, first, end, np.uint64(at), bytes_out)
        else:
            from_ = old_bytes.ctypes.data + old_first_byte[block]
            size = blocks.first_byte[block + 1] - at
            copy_memory(bytes_out.ctypes.data + at, from_, size)


@njit(cache=True, nogil=True, alone=True)
def _write_block(
    # In:
    detections: Any,
    echoes: Any,
    angles: Any,
    first: int,
    end: int,
    at: np.uint64,  # where the first one is written
    # Out:
    bytes_out: np.ndarray,
) -> None:
    """Encode the detections from `first` to before `end`, one after the other."""
    object_id, beam_index = detections.object_id, detections.beam_index
    has_velocity = detections.has_velocity
    classification, classified = echoes.classification, echoes.classified
    azimuth_bits, elevation_bits, own_angles = angles
    fixed_bytes = FIXED_BYTES + (CLASSIFICATION_BYTES if classified else 0)
    fixed_bytes += VELOCITY_BYTES if has_velocity else 0
    out = bytes_out.ctypes.data
    double = np.zeros(7, np.float64)
    bits: np.ndarray = seen_as(double, np.uint64)  # type: ignore[call-arg]  # intrinsic
    varint = np.zeros(16, np.uint8)  # varint of the last object id; `words` are the same bytes
    words: np.ndarray = seen_as(varint, np.uint64)
    last, size_of_last = np.uint64(0), np.uint64(1)
    low, high = words[0], words[1]
    kind = np.uint8(0)
    for row in range(first, end):
        i = np.uint64(row)
        prefetch_to_write(out + np.int64(at))
        prefetch_to_write(out + np.int64(at) + 64)  # the detection extends into a second cache line
        beam = beam_index[i]
        angle = i if own_angles else np.uint64(beam)
        double[0] = number_of(detections.range_m, row)
        double[1] = number_of(detections.intensity_percent, row)
        double[2] = number_of(detections.reflectivity, row)
        double[3] = number_of(echoes.existence_probability, row)
        double[4] = number_of(echoes.range_rmse_m, row)
        double[5] = number_of(echoes.echo_pulse_width_m, row)
        if has_velocity:
            double[6] = number_of(detections.velocity_m_s, row)
        # read before writing: the compiler cannot exclude that both are the same memory
        distance, intensity, reflected = bits[0], bits[1], bits[2]
        existence, rmse, width, velocity = bits[3], bits[4], bits[5], bits[6]
        azimuth, elevation = azimuth_bits[angle], elevation_bits[angle]
        if classified:
            kind = classification[i]
        if object_id[i] != last:
            last = object_id[i]
            size_of_last = put_varint(last, np.uint64(0), varint)
            low, high = words[0], words[1]
        beam_size = small_varint_bytes(beam)
        bytes_out[at] = DETECTION
        # length, at most 108: one byte
        bytes_out[at + np.uint64(1)] = np.uint64(fixed_bytes + beam_size) + size_of_last
        at = put_double(EXISTENCE, existence, at + np.uint64(2), bytes_out)
        at = put_object(low, high, size_of_last, at, bytes_out)
        at = put_position(distance, azimuth, elevation, at, bytes_out)
        bytes_out[at] = _POSITION_RMSE
        bytes_out[at + np.uint64(1)] = _RMSE_BYTES
        at = put_double(DISTANCE, rmse, at + np.uint64(2), bytes_out)
        at = put_double(INTENSITY, intensity, at, bytes_out)
        if classified:
            bytes_out[at] = _CLASSIFICATION
            bytes_out[at + np.uint64(1)] = kind
            at += np.uint64(CLASSIFICATION_BYTES)
        at = put_double(REFLECTIVITY, reflected, at, bytes_out)
        at = put_double(_PULSE_WIDTH, width, at, bytes_out)
        if has_velocity:
            at = put_double(RADIAL_VELOCITY, velocity, at, bytes_out)
        at = put_beam(beam, beam_size, at, bytes_out)
