# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Encoding of a scan's detections as protobuf bytes.

A protobuf object per detection would take tens of milliseconds per scan. Compiled kernels write the
bytes instead, directly into the message and, like protobuf, in the order of the field numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_base.block_kernels import workers
from lidar_base.compiled import read_only
from osi_bridge import detection_kernels as kernels
from osi_bridge import echo_kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_bridge.records import Detections, EchoFields

__all__ = ["EncodedDetections", "encode_detections"]

_NOWHERE = kernels.Column(0, 0)
_BLOCK = 1024  # detections per block: enough work for a thread, and blocks for all threads


class EncodedDetections:
    """The detections of a scan as bytes of known length, encoded on the first write.

    Later writes copy the bytes of the first one, because an unchanged scan is sent again.

    Attributes
    ----------
    fixed_bytes : int
        Number of bytes of each detection, without the tag and length before it, and without the
        varints of its object id and beam id. It depends only on which fields the scan has.
    size_of_block : int64 (n_block,)
        Number of bytes of each block of detections.
    first_byte : int64 (n_block + 1,)
        Offset of the first byte of each block, followed by the total length.
    written : uint8 (n_bytes,)
        The encoded bytes; empty before the first write.
    """

    def __init__(  # noqa: PLR0913, PLR0917  as encode_detections
        self,
        detections: Detections,
        azimuth_rad: NDArray[np.float64],
        elevation_rad: NDArray[np.float64],
        start_of_block: NDArray[np.int64],
        changed: NDArray[np.bool_],
        before: EncodedDetections | None,
    ) -> None:
        self._detections: Detections | None = detections
        self._own_angles = detections.azimuth_rad is not None
        if detections.azimuth_rad is not None and detections.elevation_rad is not None:
            azimuth_rad, elevation_rad = detections.azimuth_rad, detections.elevation_rad
        self._angles = (
            read_only(azimuth_rad.view(np.uint64)),
            read_only(elevation_rad.view(np.uint64)),
        )
        self._start, self._changed, self._before = start_of_block, changed, before
        self.fixed_bytes = _fixed_bytes(detections)
        self.size_of_block: NDArray[np.int64] = (
            np.zeros(len(changed), np.int64) if before is None else before.size_of_block.copy()
        )
        self.first_byte = np.empty(len(changed) + 1, np.int64)
        kernels.block_sizes(
            detections.object_id,
            detections.beam_index,
            start_of_block,
            changed,
            self.fixed_bytes,
            workers(),
            self.size_of_block,
            self.first_byte,
        )
        self.written = np.empty(0, np.uint8)

    def __len__(self) -> int:
        return int(self.first_byte[-1])

    @property
    def is_written(self) -> bool:
        """Whether the bytes have been written once, so that `written` holds them."""
        return self._detections is None

    def write_to(self, out: NDArray[np.uint8]) -> None:
        """Write the encoded detections into ``out``, uint8 (len(self),), filling it.

        The array of the first call is kept as `written`: do not change it afterwards. Later calls
        copy it.
        """
        if self._detections is None:
            out[:] = self.written
            return
        detections, self._detections = self._detections, None
        before, self._before = self._before or self, None
        columns = _detection_arrays(detections)
        angles = kernels.AngleArrays(*self._angles, own=self._own_angles)
        blocks = kernels.BlockArrays(self._start, self.first_byte, self._changed)
        old = before.first_byte, before.written
        if detections.echo is None:
            kernels.write_detections(columns, angles, blocks, *old, workers(), out)
        else:
            echoes = _echo_arrays(detections.echo)
            echo_kernels.write_echoes(columns, echoes, angles, blocks, *old, workers(), out)
        self.written = out

    def tobytes(self) -> bytes:
        """Return the bytes of the repeated field LidarDetectionData.detection.

        The first call encodes the detections, like the first call of `write_to`.
        """
        out = np.empty(len(self), np.uint8)
        self.write_to(out)
        return out.tobytes()


def encode_detections(  # noqa: PLR0913  as many inputs
    detections: Detections,
    *,
    azimuth_rad: NDArray[np.float64],
    elevation_rad: NDArray[np.float64],
    start_of_block: NDArray[np.int64] | None = None,
    changed: NDArray[np.bool_] | None = None,
    before: EncodedDetections | None = None,
) -> EncodedDetections:
    """Return the detections as the repeated field LidarDetectionData.detection.

    Every detection has existence_probability, object_id (2**64 - 1 if it belongs to no object),
    position, intensity, reflectivity and beam_id. With `EchoFields`, it also has the distance of
    position_rmse, echo_pulse_width and, if given, classification. Without `EchoFields`,
    existence_probability is 1. If given, radial_velocity is written, too.

    Parameters
    ----------
    detections : Detections
        n detections.
    azimuth_rad, elevation_rad : float64 (n_beam,)
        Direction of each beam of the scan pattern in the sensor frame; azimuth counter-clockwise
        from x, elevation positive up. Not used for detections with their own angles. [rad]
    start_of_block : int64 (n_block + 1,), optional
        Index of the first detection of each block, followed by n. A block is encoded or copied as a
        whole. Default: blocks of 1024 detections.
    changed : bool (n_block,), optional
        Whether each block differs from the same block of the scan ``before``. Default: all do.
    before : EncodedDetections, optional
        An earlier scan, from which unchanged blocks are copied. It must have been written, and must
        have the same fields; otherwise, all blocks are encoded.

    Returns
    -------
    EncodedDetections
        Detections in protobuf wire format; the bytes do not depend on the number of threads.

    Raises
    ------
    ValueError
        The angles are not one per beam, or a detection refers to a beam or a classification that
        does not exist.
    """
    n_beams = len(azimuth_rad)
    if azimuth_rad.shape != (n_beams,) or elevation_rad.shape != (n_beams,):
        raise ValueError(
            f"azimuth_rad, elevation_rad: expected one value per beam, "
            f"got shapes {azimuth_rad.shape}, {elevation_rad.shape}"
        )
    if len(detections) and int(detections.beam_index.max()) >= n_beams:
        raise ValueError(f"beam_index {detections.beam_index.max()}: expected 0 to {n_beams - 1}")
    _check_classification(detections.echo)
    n = len(detections)
    if start_of_block is None:
        start_of_block = np.append(np.arange(0, n, _BLOCK), n)
    if before is not None and before.fixed_bytes != _fixed_bytes(detections):
        before = None
    if changed is None or before is None or not before.is_written:
        changed, before = np.ones(len(start_of_block) - 1, np.bool_), None
    return EncodedDetections(
        detections, azimuth_rad, elevation_rad, start_of_block, changed, before
    )


def _check_classification(echo: EchoFields | None) -> None:
    """Raise ValueError if a classification is not in OSI's enumeration."""
    if echo is None or echo.classification is None or not len(echo):
        return
    largest = echo.classification.max()
    if largest > echo_kernels.LAST_CLASSIFICATION:
        raise ValueError(
            f"classification {largest}: expected 0 to {echo_kernels.LAST_CLASSIFICATION}"
        )


def _fixed_bytes(detections: Detections) -> int:
    """Return the number of bytes of each detection without its head and its two varints."""
    echo, moves = detections.echo, detections.radial_velocity_m_s is not None
    of_velocity = moves * kernels.VELOCITY_BYTES
    if echo is None:
        return kernels.FIXED_BYTES + of_velocity
    classified = echo.classification is not None
    return echo_kernels.FIXED_BYTES + classified * echo_kernels.CLASSIFICATION_BYTES + of_velocity


def _column(values: NDArray[np.float32]) -> kernels.Column:
    """Return where the numbers of a column lie, which must be kept alive meanwhile."""
    return kernels.Column(values.__array_interface__["data"][0], values.strides[0])


def _detection_arrays(detections: Detections) -> kernels.DetectionArrays:
    """Return the columns in the form that the kernels need."""
    velocity_m_s = detections.radial_velocity_m_s
    return kernels.DetectionArrays(
        _column(detections.range_m),
        _column(detections.intensity_percent),
        _column(detections.reflectivity),
        detections.object_id,
        detections.beam_index,
        _NOWHERE if velocity_m_s is None else _column(velocity_m_s),
        has_velocity=velocity_m_s is not None,
    )


def _echo_arrays(echo: EchoFields) -> echo_kernels.EchoArrays:
    """Return the columns in the form that the kernel needs."""
    return echo_kernels.EchoArrays(
        _column(echo.existence_probability),
        _column(echo.range_rmse_m),
        _column(echo.echo_pulse_width_m),
        np.empty(0, np.uint8) if echo.classification is None else echo.classification,
        classified=echo.classification is not None,
    )
