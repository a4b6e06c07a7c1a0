# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Detections of a scan as protobuf bytes.

A protobuf object per detection would take tens of milliseconds per scan. Kernels write the bytes
instead, in the order of the field numbers as protobuf does, straight to their place in a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from osi_bridge import detection_kernels as kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_bridge.records import Detections

__all__ = ["EncodedDetections", "encode_detections"]

_BLOCK = 1024  # detections per block: enough work for a thread, and blocks for all threads


class EncodedDetections:
    """The detections of a scan, of known length in bytes, to be written to their place.

    They are encoded when they are first written. A scan that is sent again is copied from there.
    """

    def __init__(
        self,
        detections: Detections,
        azimuth_rad: NDArray[np.float64],
        elevation_rad: NDArray[np.float64],
    ) -> None:
        n = len(detections)
        self._detections: Detections | None = detections
        self._own_angles = detections.azimuth_rad is not None
        if detections.azimuth_rad is not None and detections.elevation_rad is not None:
            azimuth_rad, elevation_rad = detections.azimuth_rad, detections.elevation_rad
        self._angles = azimuth_rad.view(np.uint64), elevation_rad.view(np.uint64)
        self._start = np.append(np.arange(0, n, _BLOCK), n)
        self._size = np.zeros(len(self._start) - 1, np.int64)
        kernels.block_sizes(detections.object_id, detections.beam_index, self._start, self._size)
        self._n_bytes = int(self._size.sum())
        self._written = np.empty(0, np.uint8)

    def __len__(self) -> int:
        return self._n_bytes

    def write_to(self, out: NDArray[np.uint8]) -> None:
        """Write the bytes to an array that has just room for them and is not changed afterwards."""
        if self._detections is None:
            out[:] = self._written
            return
        detections, self._detections = self._detections, None
        kernels.write_detections(
            detections.range_m,
            detections.intensity_percent,
            detections.reflectivity,
            detections.object_id,
            detections.beam_index,
            *self._angles,
            self._own_angles,
            self._start,
            np.cumsum(self._size) - self._size,
            out,
        )
        self._written = out

    def tobytes(self) -> bytes:
        """Return the repeated field LidarDetectionData.detection."""
        out = np.empty(len(self), np.uint8)
        self.write_to(out)
        return out.tobytes()


def encode_detections(
    detections: Detections,
    *,
    azimuth_rad: NDArray[np.float64],
    elevation_rad: NDArray[np.float64],
) -> EncodedDetections:
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
    EncodedDetections
        Protobuf wire format, the same on any number of threads.

    Raises
    ------
    ValueError
        The angles are not one each per beam, or a detection is of a beam that does not exist.
    """
    n_beams = len(azimuth_rad)
    if azimuth_rad.shape != (n_beams,) or elevation_rad.shape != (n_beams,):
        raise ValueError(
            f"azimuth_rad, elevation_rad: expected one each per beam, "
            f"got shapes {azimuth_rad.shape}, {elevation_rad.shape}"
        )
    if len(detections) and int(detections.beam_index.max()) >= n_beams:
        raise ValueError(f"beam_index {detections.beam_index.max()}: expected 0 to {n_beams - 1}")
    return EncodedDetections(detections, azimuth_rad, elevation_rad)
