# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Encoding of points as the detections of an OSI message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from osi_bridge import DetectionClass, Detections, EchoFields, encode_detections
from osi_lidar.clouds.block_cloud import BlockCloud
from osi_lidar.clouds.cloud import spherical
from osi_lidar.clouds.origins import TABLE

if TYPE_CHECKING:
    from osi_bridge.detections import EncodedDetections
    from osi_lidar.clouds.cloud import Cloud
    from raycore.pattern.scan_pattern import ScanPattern


_CLASS_OF_ORIGIN = np.array([DetectionClass[origin.detection_class] for origin in TABLE], np.uint8)


class DetectionEncoder:
    """Encodes clouds of one sensor, one after the other, as OSI detections.

    If a `BlockCloud` follows the cloud encoded before, its unchanged blocks are copied from there.
    """

    def __init__(self) -> None:
        self._last: tuple[int, EncodedDetections] | None = None

    def encode(
        self, cloud: Cloud, pattern: ScanPattern, *, classified: bool = False
    ) -> EncodedDetections:
        """Return the detections of a cloud, encoded as in an OSI message.

        Parameters
        ----------
        cloud : Cloud
            The points that the sensor reports.
        pattern : ScanPattern
            Beams of the sensor.
        classified : bool
            Whether detections have their true class, see `detections_of`.
        """
        blocks = cloud if isinstance(cloud, BlockCloud) else None
        before = None
        if blocks is not None and self._last is not None and blocks.dirty.after == self._last[0]:
            before = self._last[1]
        encoded = encode_detections(
            detections_of(cloud, classified=classified),
            azimuth_rad=pattern.azimuth_rad,
            elevation_rad=pattern.elevation_rad,
            start_of_block=None if blocks is None else blocks.start_of_block,
            changed=None if blocks is None else blocks.dirty.changed,
            before=before,
        )
        self._last = None if blocks is None else (blocks.dirty.number, encoded)
        return encoded


def detections_of(cloud: Cloud, *, classified: bool = False) -> Detections:
    """Return the detections of a cloud's points.

    Azimuths and elevations are None if all points lie along their beams: the encoder then writes
    the beams' angles. With ``classified``, detections of a sensor with a receiver model get a
    class: clutter for points from the air, invalid for noise and for surfaces seen in a mirror,
    else unknown.
    """
    distance_m, azimuth_rad, elevation_rad = (
        (cloud.points["range"], None, None) if cloud.along_beams else spherical(cloud.points)
    )
    return Detections(
        beam_index=cloud.beam,
        azimuth_rad=azimuth_rad,
        elevation_rad=elevation_rad,
        range_m=distance_m.astype(np.float32, copy=False),
        intensity_percent=cloud.points["intensity"],
        reflectivity=cloud.points["reflectivity"],
        object_id=cloud.object_id,
        radial_velocity_m_s=cloud.velocity_m_s,
        echo=_echo_fields(cloud, classified=classified),
    )


def _echo_fields(cloud: Cloud, *, classified: bool) -> EchoFields | None:
    """Return the receiver's values for each point; None if the sensor has no receiver."""
    if cloud.existence is None or cloud.rmse_m is None:
        return None
    return EchoFields(
        existence_probability=cloud.existence,
        range_rmse_m=cloud.rmse_m,
        echo_pulse_width_m=np.ascontiguousarray(cloud.points["width_m"]),
        classification=_CLASS_OF_ORIGIN[cloud.points["origin"]] if classified else None,
    )
