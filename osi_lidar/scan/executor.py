# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The stages that an executor runs, and the receiver that both executors apply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from material_mapping import RangeLimit
    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.config.noise import DetectionThreshold
    from osi_lidar.scan.records import Exposure, Paths, Returns
    from raycore.records import Hits, Shots

NONE_LOST = np.zeros(1, np.bool_)
"""Drop-outs of a sensor that has none."""


class Receiver(NamedTuple):
    """What a sensor detects.

    Attributes
    ----------
    min_range_m : float
        Nearest range that the sensor reports. [m]
    range_limit : RangeLimit
        Farthest range that the sensor reports, by reflectivity.
    threshold : DetectionThreshold or None
        BlenSor's line of least reflectivity over range, where it is configured.
    """

    min_range_m: float
    range_limit: RangeLimit
    threshold: DetectionThreshold | None


class Executor(Protocol):
    """Runs the stages of a scan; the records between reflect and report are its own.

    Of beams that are lines, a hit is reported where its range r satisfies min_range <= r <= r_L(R),
    with R the reflectivity of its material at its angle of incidence (Rott et al. 2024, LiMOX,
    4.2). A beam that meets an absorbent material, or a surface nearer than min_range, ends there.
    Intensity is 100 R, at most 100 %, as of a sensor whose intensity is corrected for range.
    """

    @property
    def differs_by_scan(self) -> bool:
        """Whether two scans of a world at rest differ, because of a noisy receiver."""

    @property
    def n_traced(self) -> int:
        """Rays traced in the last scan; others kept their hits."""

    def trace(self, exposure: Exposure, shots: Shots) -> Hits:
        """Return the first surface that each ray meets."""

    def trace_on(self, exposure: Exposure, shots: Shots) -> Hits:
        """Return the next surface of rays that go on after a surface."""

    def reflect(self, exposure: Exposure, paths: Paths) -> Any:  # noqa: ANN401
        """Return what comes back from the surfaces, before any receiver."""

    def receive(self, exposure: Exposure, returns: Any) -> Any:  # noqa: ANN401
        """Return the echoes that the receiver detects."""

    def measure(self, exposure: Exposure, shots: Shots, echoes: Any) -> Any:  # noqa: ANN401
        """Return the echoes with the sensor's errors of measurement."""

    def report(self, exposure: Exposure, shots: Shots, echoes: Any) -> Cloud:  # noqa: ANN401
        """Return the points of the echoes."""

    def returns_of(self, returns: Any) -> Returns:  # noqa: ANN401
        """Return what `reflect` gave, as a record of its own."""


def first_of_block(beam: NDArray[np.uint32], n_beams: int, block: int) -> NDArray[np.int64]:
    """Return the first row of each block of beams, and the number of rows, int64 (n_block + 1,).

    Parameters
    ----------
    beam : uint32 (n,)
        Beam of each row, ascending.
    n_beams : int
        Number of beams.
    block : int
        Beams of a block.
    """
    edges = np.append(np.arange(0, n_beams, block), n_beams)
    return np.searchsorted(beam, edges).astype(np.int64)
