# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Interface of executors, which run the stages of a scan after tracing, and their receiver."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from material_mapping import RangeLimit
    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.scan.noise.point_rows import PointRows
    from osi_lidar.scan.records import Exposure, Paths, Returns, ScanHits
    from raycore.records import Shots

E = TypeVar("E")

NONE_LOST = np.zeros(1, np.bool_)
"""Mask of lost beams for a sensor without dropouts: a single False, which stands for all beams."""


class Receiver(NamedTuple):
    """The ranges at which a sensor detects surfaces.

    Attributes
    ----------
    min_range_m : float
        Nearest range that the sensor reports. [m]
    range_limit : RangeLimit
        Farthest range that the sensor reports, by reflectivity.
    """

    min_range_m: float
    range_limit: RangeLimit


class Executor(Protocol[E]):
    """Turns the paths of light into echoes, a record of its own type E, and echoes into points.

    If beams are lines, a hit is reported if its range r satisfies min_range <= r <= r_L(R). r_L is
    the range limit, R the reflectivity of the material at the angle of incidence (Rott et al.
    2024, LiMOX, 4.2). A surface that is absorbent or nearer than min_range also ends the beam.
    Intensity is 100 R, at most 100 %, like the range-corrected intensity of a sensor.
    """

    @property
    def differs_by_scan(self) -> bool:
        """Whether two scans of the same scene differ, because the receiver is noisy."""

    def echoes(self, exposure: Exposure, shots: Shots, paths: Paths) -> E:
        """Return the echoes that the receiver detects in the light that comes back.

        Parameters
        ----------
        exposure : Exposure
            The scan: world, beams and poses of the sensor.
        shots : Shots
            The rays of all beams.
        paths : Paths
            The surface at which each ray ends, and how much of its light comes back.
        """

    def points(self, exposure: Exposure, echoes: E) -> tuple[Cloud, PointRows]:
        """Return a point for each echo, and what later errors of the points are computed from.

        ``exposure`` is the scan, and ``echoes`` a result of `echoes` for it. The cloud has no
        errors yet except the errors of the receiver. The second result has, for each point, the
        index of its random numbers, and its cosine of incidence.
        """

    def scan_hits(self, shots: Shots, echoes: E) -> ScanHits:
        """Return the surfaces that the rays of the beams have met, to measure velocities.

        ``shots`` has the rays of all beams, and ``echoes`` is a result of `echoes` for them.
        """

    def returns_of(self, echoes: E) -> Returns:
        """Return the light that came back, before any receiver: a row for each return.

        ``echoes`` is a result of `echoes`.
        """


def first_of_block(beam: NDArray[np.uint32], n_beams: int, block: int) -> NDArray[np.int64]:
    """Return the first row of each block of beams, then the number of rows, int64 (n_block + 1,).

    Parameters
    ----------
    beam : uint32 (n,)
        Beam of each row, ascending.
    n_beams : int
        Number of beams.
    block : int
        Number of beams in a block.
    """
    edges = np.append(np.arange(0, n_beams, block), n_beams)
    return np.searchsorted(beam, edges).astype(np.int64)
