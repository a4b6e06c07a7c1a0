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
from osi_bridge import detection_kernels as kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_bridge.records import Detections

__all__ = ["EncodedDetections", "encode_detections"]

_BLOCK = 1024  # detections per block: enough work for a thread, and blocks for all threads


class EncodedDetections:
    """The detections of a scan as bytes of known length, encoded on the first write.

    Later writes copy the bytes of the first one, because an unchanged scan is sent again.

    Attributes
    ----------
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
        self._angles = azimuth_rad.view(np.uint64), elevation_rad.view(np.uint64)
        self._start, self._changed, self._before = start_of_block, changed, before
        self.size_of_block: NDArray[np.int64] = (
            np.zeros(len(changed), np.int64) if before is None else before.size_of_block.copy()
        )
        self.first_byte = np.empty(len(changed) + 1, np.int64)
        kernels.block_sizes(
            detections.object_id,
            detections.beam_index,
            start_of_block,
            changed,
            workers(),
            self.size_of_block,
            self.first_byte,
        )
        self.written = np.empty(0, np.uint8)

    def __len__(self) -> int:
        return int(self.first_byte[-1])

    @property
    def is_written(self) -> bool:
        """Whether the bytes have been written."""
        return self._detections is None

    def write_to(self, out: NDArray[np.uint8]) -> None:
        """Write the bytes to an array of exactly their length, which must not change afterwards."""
        if self._detections is None:
            out[:] = self.written
            return
        detections, self._detections = self._detections, None
        before, self._before = self._before or self, None
        kernels.write_detections(
            kernels.DetectionArrays(
                detections.range_m,
                detections.intensity_percent,
                detections.reflectivity,
                detections.object_id,
                detections.beam_index,
            ),
            kernels.AngleArrays(*self._angles, own=self._own_angles),
            kernels.BlockArrays(self._start, self.first_byte, self._changed),
            before.first_byte,
            before.written,
            workers(),
            out,
        )
        self.written = out

    def tobytes(self) -> bytes:
        """Return the repeated field LidarDetectionData.detection."""
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

    Every detection has existence_probability 1, object_id (2**64 - 1 if it belongs to no object),
    position, intensity, reflectivity and beam_id; its classification stays unknown.

    Parameters
    ----------
    detections : Detections
        n detections.
    azimuth_rad, elevation_rad : float64 (n_beam,)
        Direction of each beam of the scan pattern in the sensor frame; azimuth counter-clockwise
        from x, elevation positive up. Not used for detections with their own angles. [rad]
    start_of_block : int64 (n_block + 1,), optional
        Index of the first detection of each block, followed by n. A block is encoded as a whole.
    changed : bool (n_block,), optional
        Whether each block differs from the same block of an earlier scan.
    before : EncodedDetections, optional
        That earlier scan, which must have been written; without it all blocks are encoded.

    Returns
    -------
    EncodedDetections
        Protobuf wire format, the same on any number of threads.

    Raises
    ------
    ValueError
        The angles are not one per beam, or a detection refers to a beam that does not exist.
    """
    n_beams = len(azimuth_rad)
    if azimuth_rad.shape != (n_beams,) or elevation_rad.shape != (n_beams,):
        raise ValueError(
            f"azimuth_rad, elevation_rad: expected one value per beam, "
            f"got shapes {azimuth_rad.shape}, {elevation_rad.shape}"
        )
    if len(detections) and int(detections.beam_index.max()) >= n_beams:
        raise ValueError(f"beam_index {detections.beam_index.max()}: expected 0 to {n_beams - 1}")
    n = len(detections)
    if start_of_block is None:
        start_of_block = np.append(np.arange(0, n, _BLOCK), n)
    if changed is None or before is None or not before.is_written:
        changed, before = np.ones(len(start_of_block) - 1, np.bool_), None
    return EncodedDetections(
        detections, azimuth_rad, elevation_rad, start_of_block, changed, before
    )
