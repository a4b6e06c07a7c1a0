# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sensor model with ground truth for each scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.truth.scan import ScanTruth, truth_of
from lidar_app.truth.visibility import AloneScans
from osi_lidar.config.models import wavelengths_of
from osi_lidar.model import LidarModel
from osi_lidar.scan.media.windows import sensor_windows

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from lidar_app.truth.tables import TruthTables
    from osi_bridge import Frame
    from osi_lidar.config import Config
    from osi_lidar.scan.lidar import Lidar
    from osi_lidar.scan.step import LastScan, Step


class TruthModel(LidarModel):
    """A sensor model that also computes ground truth: the objects in each scan, their visibility.

    It scans as `LidarModel` does. Right after each scan, a second set of sensors scans each
    object alone, in the same state of the world, to find its points without occlusion.

    Parameters
    ----------
    config : Config
        Configuration of the sensors and the scene.
    trace_folder : Path, optional
        Folder that is searched first for files that messages name.
    swept_m : float64 (n, 3, 2), optional
        Triangles on the ground, corners x and y in the world, which objects pass over during the
        recording; no surroundings are placed in them. [m]

    Attributes
    ----------
    tables : TruthTables or None
        Tables to which each step appends its rows; None: no tables are written.
    """

    def __init__(
        self,
        config: Config,
        *,
        trace_folder: Path | None = None,
        swept_m: NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__(config, trace_folder=trace_folder, swept_m=swept_m)
        wavelengths, seed = wavelengths_of(config), config.seed
        windows = sensor_windows(config.weather.window, wavelengths, seed)
        self._alone = {
            each.name: AloneScans(each, seed, windows.get(each.name)) for each in config.sensors
        }
        self._truths: dict[str, dict[int, ScanTruth]] = {name: {} for name in wavelengths}
        self.tables: TruthTables | None = None

    def step(self, frame: Frame, *, time_ns: int | None = None) -> Step:
        """Process one OSI message as `LidarModel.step` does, and record the truth of its scans.

        For each scan, its pose, the boxes of its objects and their visibility are appended to
        `tables`; nothing is appended if `tables` is None.

        Parameters
        ----------
        frame : Frame
            The message.
        time_ns : int, optional
            Timestamp of the answer; default: the time of the message. [ns]

        Returns
        -------
        Step
            The answer: scans, and the encoded SensorData message.
        """
        step = super().step(frame, time_ns=time_ns)
        if self.tables is not None:
            mountings = {lidar.name: lidar.vehicle_from_sensor for lidar in self.lidars}
            self.tables.add(step, frame, self.truths_of(step), mountings)
        for scan in step.scans:  # a later step may repeat only the last scan
            truths = self._truths[scan.sensor]
            self._truths[scan.sensor] = {scan.cloud_number: truths[scan.cloud_number]}
        return step

    def truths_of(self, step: Step) -> list[ScanTruth]:
        """Return the ground truth of each scan in `step.scans`, in the same order.

        `step` must be the latest that this model has made: truth of older scans is dropped.
        """
        return [self._truths[scan.sensor][scan.cloud_number] for scan in step.scans]

    def _trace(self, lidar: Lidar, last: LastScan) -> None:
        """Scan the world, and then its objects alone, in the same state of the world."""
        if last.scanned is not None:
            return
        super()._trace(lidar, last)
        alone = self._alone[lidar.name].points(self.world, last)
        truth = truth_of(self.world, last, lidar.pattern, alone, blurs=lidar.timing.blurs)
        self._truths[lidar.name][last.number] = truth
