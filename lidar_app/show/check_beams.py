# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Doubts about the beams of a sensor, for the check of a configuration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.config.calibration import survey_scanner
from osi_lidar.sensors.presets import load_preset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from osi_lidar.config import Sensor
    from raycore.pattern.scan_pattern import ScanPattern

_GUESSED = {
    "divergence_deg": " (full width at 1/e², a guess)",
    "fwhm_ns": " (full width at half maximum, a guess)",
}
SAME_RAD = 1e-6  # rows nearer than this are one row, and beams one beam


def beam_doubts(sensor: Sensor, pattern: ScanPattern) -> Iterator[str]:
    """Yield a line for each doubtful setting of a sensor's beams, such as beams wider than gaps.

    Parameters
    ----------
    sensor : Sensor
        Configuration of a sensor.
    pattern : ScanPattern
        Beams of the sensor.
    """
    left_out = sensor.beam is None and "beam" not in sensor.model_fields_set
    if sensor.fidelity == "physical" and left_out:
        yield f"sensor {sensor.name}: fidelity physical, but no beam is known: its beams are lines"
    yield from _not_calibrated(sensor)
    yield from _taken_from_file(sensor)
    if sensor.beam is None:
        return
    if sensor.beam.refine and not any((*sensor.beam.sigma_rad, *sensor.beam.window_sigma_m)):
        yield f"sensor {sensor.name}: beam.refine has no effect, as its beams have no width"
    widths_rad = sensor.beam.full_width_rad
    steps_rad = neighbour_steps_rad(pattern)
    known = [pair for pair in zip(widths_rad, steps_rad, strict=True) if math.isfinite(pair[1])]
    if known and all(width_rad > step_rad for width_rad, step_rad in known):
        wide = " x ".join(f"{math.degrees(width_rad):.3g}°" for width_rad in widths_rad)
        apart = " x ".join(f"{math.degrees(step_rad):.3g}°" for _, step_rad in known)
        yield f"sensor {sensor.name}: beams {wide} wide reach their neighbours, {apart} apart"


def _not_calibrated(sensor: Sensor) -> Iterator[str]:
    """Yield a line if a sensor requests the angles of a unit, but no unit is known."""
    if sensor.preset is None or sensor.calibration is not None:
        return
    preset = load_preset(sensor.preset)
    if sensor.intrinsics == "calibrated" and preset.unit_channels is None:
        yield (
            f"sensor {sensor.name}: intrinsics calibrated, but no unit of the {preset.name} is "
            "known: its angles are nominal"
        )


def _taken_from_file(sensor: Sensor) -> Iterator[str]:
    """Yield a line with the values that a physical sensor takes from a survey scanner file."""
    scanner = survey_scanner(sensor.calibration, None) if sensor.fidelity == "physical" else None
    if scanner is None:
        return
    taken = [
        f"{section}.{key}{_GUESSED.get(key, '')}"
        for section, keys in scanner.physical().items()
        for key, value in keys.items()
        if key != "width" and getattr(getattr(sensor, section), key, None) == value
    ]
    if taken:
        yield f"sensor {sensor.name}: taken from {scanner.values.place}: {', '.join(taken)}"


def neighbour_steps_rad(pattern: ScanPattern) -> tuple[float, float]:
    """Return the spacing of a pattern's beams along its rows, and the spacing of the rows [rad].

    The first angle is the mean angle between neighbouring beams of a row, in the row where it is
    least. The second angle is the least difference between the mean elevations of two rows. Angles
    up to `SAME_RAD` do not count. The first angle is infinite if no row has two beams, the second
    one if there is only one row; both are infinite if the beams do not form rows.
    """
    if not pattern.coherent:
        return math.inf, math.inf
    ring = pattern.ring.astype(np.int64)
    within_row = np.diff(ring) == 0
    chords = np.linalg.norm(np.diff(pattern.direction.astype(np.float64), axis=0), axis=1)
    gaps_rad = 2.0 * np.arcsin(np.minimum(chords[within_row] / 2.0, 1.0))
    along_rad = _means(gaps_rad, ring[1:][within_row])
    between_rad = np.diff(np.sort(_means(pattern.elevation_rad, ring)))
    return _least(along_rad), _least(between_rad)


def _means(values: NDArray[np.float64], row: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the mean of the values of each row with values."""
    count = np.bincount(row)
    sums = np.bincount(row, weights=values)
    return sums[count > 0] / count[count > 0]


def _least(steps_rad: NDArray[np.float64]) -> float:
    return float(np.min(steps_rad[steps_rad > SAME_RAD], initial=math.inf))
