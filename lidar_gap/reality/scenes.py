# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulated scenes for the places of recordings: labelled objects, an office, or walls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lidar_gap.reality import simulated, target_scene
from lidar_gap.reality.labels import read_labels
from lidar_gap.reality.measuring import clouds_of, measure
from lidar_gap.reality.targets import count_targets
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lidar_gap.calibrate.findings import Findings
    from lidar_gap.reality.labels import LabelledObjects
    from lidar_gap.reality.recordings import PublicRecording
    from lidar_gap.records import ScanCloud
    from osi_lidar.config import Config


class RecordedPlace(NamedTuple):
    """A recording with the content of its files.

    Attributes
    ----------
    recording : PublicRecording
        Description of the recording.
    clouds : list of ScanCloud
        Recorded clouds.
    objects : LabelledObjects or None
        Labelled objects; None if the recording has no labels.
    """

    recording: PublicRecording
    clouds: list[ScanCloud]
    objects: LabelledObjects | None

    def figures(self, simulated: Sequence[ScanCloud] | None = None) -> Findings:
        """Return the figures of the recorded clouds, or of ``simulated`` clouds of the same place.

        If the recording has labelled objects, figures are the numbers of points on these objects
        (`count_targets`); otherwise, they are the figures of `measure`.

        Raises
        ------
        InputError
            If the clouds have too few points, or no rings are found in them.
        """
        clouds, side = (self.clouds, "recorded") if simulated is None else (simulated, "simulated")
        if self.objects is not None:
            return count_targets(clouds, self.objects)
        try:
            return measure(clouds, self.recording.sensor, simulated=simulated is not None)
        except InputError as error:
            raise InputError(f"{self.recording.name}, {side}: {error}") from error

    def write_scene(self, folder: Path) -> Config:
        """Write the files of the simulated scene of this recording; return its configuration.

        The files are mesh, materials and configuration. For labelled objects, there is also an OSI
        trace of them.

        Parameters
        ----------
        folder : Path
            Folder for the files; it is created if needed.

        Raises
        ------
        OutputError, TraceError
            If a file cannot be written.
        """
        if self.objects is not None:
            return target_scene.write_target_scene(
                self.recording, self.objects, self.clouds, folder
            )
        return simulated.write_scene_of(self.recording, self.clouds, folder)

    def scans(self, folder: Path) -> list[ScanCloud]:
        """Write the simulated scene into a folder, and return scans of it by the recorded sensor.

        Labelled objects give 8 scans. Other scenes give as many scans as recorded, but 3 to 12.

        Raises
        ------
        OutputError, TraceError
            If a file cannot be written.
        """
        if self.objects is not None:
            return target_scene.target_scans(self.recording, self.objects, self.clouds, folder)
        return simulated.scans(self.recording, self.clouds, folder)


def read_recorded(recording: PublicRecording, pack: Path) -> RecordedPlace:
    """Read the clouds and labels of a recording from ``pack``, the folder of all recordings.

    Raises
    ------
    InputError
        If a file cannot be read, or its labels have no object.
    """
    objects = None
    if recording.labels is not None and recording.calibration is not None:
        folder = recording.folder(pack)
        objects = read_labels(folder / recording.labels, folder / recording.calibration)
        if not len(objects):
            raise InputError(
                f"{folder / recording.labels}: has no labelled object, expected at least one"
            )
    return RecordedPlace(recording, clouds_of(recording, pack), objects)
