# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The answer to a moment, with ranges and objects from the closed forms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.asking import Track
from lidar_app.conformance.oracle import expected, sensor_rays, unit_vectors
from osi_bridge import rotation_from_orientation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.oracle import Expected
    from lidar_app.conformance.sheet import DataSheet
    from osi_bridge.bench import Answer, AnsweredScan

MOST_JUDGED = 4000
"""Greatest number of detections of a scan to compare; of more, every n-th is taken."""


@dataclass(frozen=True)
class Judged:
    """The answer of a tested model (subject) to one message, with values of exact geometry for it.

    The values are called closed forms: ranges and objects follow from formulas for boxes and
    planes.

    Parameters
    ----------
    sheet : DataSheet
        Data sheet of the subject.
    moments : sequence of BenchMoment
        Moments up to the one that is judged, in the order of their times.
    answer : Answer
        Answer of the subject.
    """

    sheet: DataSheet
    moments: Sequence[BenchMoment]
    answer: Answer

    @cached_property
    def track(self) -> Track:
        """Poses of host and objects during the scene, from `moments`."""
        return Track(self.moments)

    @cached_property
    def scan(self) -> AnsweredScan:
        """All detections of the first lidar scan of the answer."""
        (scan, *_) = self.answer.scans
        return scan

    @cached_property
    def kept(self) -> slice:
        """Slice of the judged detections: every n-th one, so that at most `MOST_JUDGED` remain."""
        return slice(None, None, max(1, -(-len(self.scan) // MOST_JUDGED)))

    @cached_property
    def expected(self) -> Expected:
        """Surfaces that closed forms give in the directions of the judged detections (`kept`)."""
        azimuth, elevation, _ = spherical(self.scan, self.sheet)
        return expected(self.sheet, self.track, azimuth[self.kept], elevation[self.kept])

    @cached_property
    def range_m(self) -> NDArray[np.float64]:
        """Ranges of the judged detections (`kept`), float64 (n,) [m]."""
        return spherical(self.scan, self.sheet)[2][self.kept]

    @cached_property
    def object_id(self) -> NDArray[np.uint64]:
        """Object ids that the judged detections (`kept`) state, uint64 (n,)."""
        return self.scan.object_id[self.kept]

    @cached_property
    def off_m(self) -> NDArray[np.float64]:
        """Distance of each range in `range_m` from the interval of its closed form, (n,) [m].

        It is 0 inside of the interval, infinite if no ray of the beam meets anything, else NaN if
        the range is NaN.
        """
        return self.expected.off_m(self.range_m)

    def rays(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the rays of the judged detections (`kept`) in the world, float64 arrays.

        Origins [m] have the shape (n, 3), or (1, 3) if the host rests; unit vectors (n, 3).
        """
        azimuth, elevation, _ = spherical(self.scan, self.sheet)
        return sensor_rays(self.sheet, self.track, azimuth[self.kept], elevation[self.kept])

    def points_m(self) -> NDArray[np.float64]:
        """Return positions of the judged detections (`kept`) in the world, float64 (n, 3) [m]."""
        origin_m, along = self.rays()
        return np.asarray(origin_m + along * self.range_m[:, None])

    def on_object(self, object_id: int) -> NDArray[np.bool_]:
        """Return which of the judged detections (`kept`) lie on an object with their whole beam.

        Parameters
        ----------
        object_id : int
            OSI id of the object.

        Returns
        -------
        bool (n,)
            True where all rays of the beam meet this object, by exact geometry.
        """
        on: NDArray[np.bool_] = self.expected.hits[0].object_id == object_id
        return on & self.expected.is_sure()


def spherical(
    scan: AnsweredScan, sheet: DataSheet
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the directions and ranges of a scan's detections in the sensor frame.

    If the detections are OSI's logical detections, they are assumed to be in the vehicle frame, and
    are transformed.

    Parameters
    ----------
    scan : AnsweredScan
        The n detections.
    sheet : DataSheet
        Data sheet of the tested model, whose mounting is used for logical detections.

    Returns
    -------
    azimuth_rad, elevation_rad : float64 (n,)
        Directions; 0 if either of the two is NaN in a detection that is not logical. [rad]
    range_m : float64 (n,)
        Ranges; NaN if the direction is NaN. [m]
    """
    if not scan.is_logical:
        known = np.isfinite(scan.azimuth_rad) & np.isfinite(scan.elevation_rad)
        azimuth = np.where(known, scan.azimuth_rad, 0.0)
        elevation = np.where(known, scan.elevation_rad, 0.0)
        return azimuth, elevation, np.where(known, scan.range_m, np.nan)
    point = unit_vectors(scan.azimuth_rad, scan.elevation_rad) * scan.range_m[:, None]
    own = (point - np.asarray(sheet.position_m)) @ rotation_from_orientation(sheet.orientation_rad)
    flat = np.hypot(own[:, 0], own[:, 1])
    azimuth, elevation = np.arctan2(own[:, 1], own[:, 0]), np.arctan2(own[:, 2], flat)
    return azimuth, elevation, np.hypot(flat, own[:, 2])
