# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Calibration: parameters of one sensor unit, such as beam angles and noise, from a recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lidar_gap.calibrate.beams import Beams, find_beams
from lidar_gap.calibrate.biases import find_biases
from lidar_gap.calibrate.confusion import confused
from lidar_gap.calibrate.echoes import find_echoes
from lidar_gap.calibrate.findings import Absent, Figure, Finding, Findings, Series
from lidar_gap.calibrate.misses import find_misses
from lidar_gap.calibrate.noise import find_noise
from lidar_gap.calibrate.quantum import find_quantum
from lidar_gap.calibrate.recording import on_grid, record
from lidar_gap.calibrate.turning import find_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_gap.calibrate.recording import Recording
    from lidar_gap.records import ScanCloud
    from osi_lidar.sensors.presets import SensorPreset

__all__ = [
    "Absent",
    "Beams",
    "Calibrated",
    "Figure",
    "Finding",
    "Findings",
    "Series",
    "calibrate",
]


@dataclass(frozen=True, kw_only=True)
class Calibrated:
    """Result of a calibration.

    Attributes
    ----------
    preset : SensorPreset or None
        The known sensor (preset) that was recorded; None if unknown.
    recording : str
        Number of frames, and whether the sensor stood still, in words, such as "12 frames at rest".
    beams : Beams
        Angles and origins of the lasers.
    findings : Findings
        All estimated parameters by name. A parameter that could not be found is `Absent`, with the
        reason.
    confused : tuple of str
        A phrase for each pair of effects that the recording cannot separate.
    """

    preset: SensorPreset | None
    recording: str
    beams: Beams
    findings: Findings
    confused: tuple[str, ...] = ()


def calibrate(clouds: Sequence[ScanCloud], preset: SensorPreset | None = None) -> Calibrated:
    """Find the parameters of a sensor in its point clouds.

    Parameters
    ----------
    clouds : sequence of ScanCloud
        Successive frames. With optional columns, such as times and headings, more parameters can
        be found.
    preset : SensorPreset, optional
        The known sensor that was recorded; its firing clock gives the rotation rate of clouds
        without headings or firing numbers.

    Raises
    ------
    InputError
        If no rings are found, or the clouds have too few points.
    """
    recording = record(clouds)
    beams, found = find_beams(recording)
    cycle_us = getattr(preset.scan, "firing_cycle_us", None) if preset is not None else None
    found += find_turn(recording, None if cycle_us is None else 1e-6 * cycle_us)
    quantum = find_quantum(recording, beams)
    found.append(quantum)
    found += find_noise(recording, quantum.value if isinstance(quantum, Figure) else 0.0)
    found += find_biases(recording, beams)
    found += find_echoes(recording)
    findings = Findings.of(found)
    found += find_misses(_with_columns(recording, findings))
    findings = Findings.of(found)
    return Calibrated(
        preset=preset,
        recording=recording.what,
        beams=beams,
        findings=findings,
        confused=confused(findings),
    )


def _with_columns(recording: Recording, findings: Findings) -> Recording:
    """Add columns from azimuths, unless the recording has columns or an encoder rounds azimuths."""
    columns, encoder = findings.figure("columns"), findings.figure("encoder_step_deg")
    if recording.column is not None or columns is None or encoder is not None:
        return recording
    return on_grid(recording, round(columns.value))
