# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotation rate, columns per turn, and how evenly the head turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_base.given import given
from lidar_gap.calibrate.bootstrap import draws, interval
from lidar_gap.calibrate.comb import greatest_step
from lidar_gap.calibrate.findings import Absent, figure
from lidar_gap.layout import wrapped_deg

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.calibrate.findings import Figure, Finding
    from lidar_gap.calibrate.recording import Recording

_FINE = 2**16  # bins of a turn for its spectrum
_ROUNDED_DEG = 0.005  # smallest encoder step that matters
_LEAST_COLUMNS, _MOST_SKIPPED = 24, 4
_PARTS = 36  # parts of the firings, which the bootstrap resamples
# of a peak: power, 1 if all azimuths are on the comb; half width in bins
_LEAST_POWER, _WIDTH = 0.02, 6


def find_turn(recording: Recording, cycle_s: float | None) -> list[Finding]:
    """Return findings on the turning of the sensor head.

    They are the rotation rate, columns per turn, the azimuth step between columns, and the encoder
    step to which headings are rounded. With headings and firing numbers, the jitter of the azimuth
    step and the noise of the azimuth are added. If rotation rate or columns cannot be found, they
    are `Absent`.

    Parameters
    ----------
    recording : Recording
        The recording.
    cycle_s : float or None
        Time from one firing to the next, if a clock in the sensor fixes it; None otherwise. It
        gives the rotation rate of clouds without headings or firing numbers. [s]
    """
    if recording.heading_deg is None or recording.column is None:
        return _from_bearings(recording, cycle_s)
    frame, column, heading_deg, time_s = _firings(recording)
    found: list[Finding] = _steps(frame, column, heading_deg)
    if time_s is None:
        found.append(Absent(name="rotation_rate_hz", reason="needs firing times"))
    else:
        found.insert(0, _rate(frame, heading_deg, time_s))
    return found


def _firings(
    recording: Recording,
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NDArray[np.float64] | None]:
    """Return frame, column, heading and time of each firing of the laser with the most points."""
    heading_deg, column = given(recording.heading_deg), given(recording.column)
    laser = int(np.argmax(np.bincount(recording.ring)))
    rows = np.flatnonzero(recording.ring == laser)
    key = recording.frame[rows] * (int(column.max()) + 1) + column[rows]
    rows = rows[np.unique(key, return_index=True)[1]]
    time_s = None if recording.time_s is None else recording.time_s[rows]
    return recording.frame[rows], column[rows], heading_deg[rows], time_s


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the ratio of two sums over the firings, and both ends of its 95 % interval."""
    block = np.arange(len(above)) * _PARTS // max(1, len(above))
    sums = [np.bincount(block, weights=each, minlength=_PARTS) for each in (above, below)]
    drawn = draws(_PARTS)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = interval((drawn @ sums[0]) / (drawn @ sums[1]))
    return float(sums[0].sum() / sums[1].sum()), float(low), float(high)


def _rate(
    frame: NDArray[np.intp], heading_deg: NDArray[np.float64], time_s: NDArray[np.float64]
) -> Figure:
    """Return turns per second: angle between successive firings over the time between them."""
    steps = np.flatnonzero(np.diff(frame) == 0)
    turn_deg, after_s = np.abs(wrapped_deg(np.diff(heading_deg))[steps]), np.diff(time_s)[steps]
    near = turn_deg < 10 * np.median(turn_deg)
    found = _ratio(turn_deg[near] / 360.0, after_s[near])
    return figure("rotation_rate_hz", found, int(near.sum()), "headings over firing times")


def _steps(
    frame: NDArray[np.intp], column: NDArray[np.intp], heading_deg: NDArray[np.float64]
) -> list[Finding]:
    """Return figures of the heading: step, columns per turn, jitter, encoder step, sigma."""
    step = np.diff(column)
    rows = np.flatnonzero((np.diff(frame) == 0) & (step > 0) & (step < _MOST_SKIPPED))
    if len(rows) < _LEAST_COLUMNS:
        return [Absent(name="columns", reason="needs successive firings of a laser")]
    turn_deg, n_step = (
        np.abs(wrapped_deg(np.diff(heading_deg))[rows]),
        step[rows].astype(np.float64),
    )
    step_deg, low_deg, high_deg = _ratio(turn_deg, n_step)
    square = (turn_deg - step_deg * n_step)[n_step == 1] ** 2
    jitter_deg = [float(np.sqrt(each)) for each in _ratio(square, np.ones_like(square))]
    rounded_deg = greatest_step(heading_deg, np.zeros(len(heading_deg), np.intp), 1, most=1.0)
    if rounded_deg is not None and not _ROUNDED_DEG <= rounded_deg <= 0.9 * step_deg:
        rounded_deg = None
    # a step is the difference of two headings, which are both rounded
    rounding = 0.0 if rounded_deg is None else rounded_deg**2 / 12.0
    sigma_deg = [float(np.sqrt(max(each**2 / 2.0 - rounding, 0.0))) for each in jitter_deg]
    n, what = len(rows), "headings of successive firings"
    return [
        figure("azimuth_step_deg", (step_deg, low_deg, high_deg), n, what),
        figure("columns", (360.0 / step_deg, 360.0 / high_deg, 360.0 / low_deg), n, what),
        figure("step_jitter_deg", (jitter_deg[0], jitter_deg[1], jitter_deg[2]), n, what),
        Absent(name="encoder_step_deg", reason="headings are not rounded")
        if rounded_deg is None
        else figure("encoder_step_deg", (rounded_deg, rounded_deg, rounded_deg), n, what),
        figure("azimuth_sigma_deg", (sigma_deg[0], sigma_deg[1], sigma_deg[2]), n, what),
    ]


def _line(power: NDArray[np.float64], peak: int) -> float:
    """Return the frequency of a spectral line: the centre of mass of the power around its peak."""
    near = np.arange(peak - _WIDTH, min(peak + _WIDTH + 1, len(power)))
    weight = np.maximum(power[near] - np.median(power[near]), 0.0)
    return float((near * weight).sum() / max(weight.sum(), 1e-30))


def _spectrum(recording: Recording) -> tuple[NDArray[np.float64], int]:
    """Return the mean power of the rings' azimuths by steps per turn, and the number of rings."""
    power, n_ring = np.zeros(_FINE // 2 + 1), 0
    for frame in range(recording.n_frame):
        rows = recording.ordered(frame)
        for ring in np.unique(recording.ring[rows]):
            bearing_deg = recording.bearing_deg[rows[recording.ring[rows] == ring]]
            bins = (bearing_deg / 360.0 * _FINE).astype(np.intp) % _FINE
            comb = np.bincount(bins, minlength=_FINE)
            power += np.abs(np.fft.rfft(comb)) ** 2 / len(bearing_deg) ** 2
            n_ring += 1
    return power / max(1, n_ring), n_ring


def _from_bearings(recording: Recording, cycle_s: float | None) -> list[Finding]:
    """Return the figures of the turning head from the azimuths of points alone.

    The spectrum of a ring's azimuths has a line at the number of columns. If an encoder rounds
    the azimuths, the spectrum has another line at the number of encoder steps. The frequency of
    a line is known to ±1 step per turn.
    """
    per_ring = np.bincount(recording.ring * recording.n_frame + recording.frame)
    fullest = int(np.percentile(per_ring[per_ring > 0], 90))
    power, n = _spectrum(recording)
    low, high = int(0.97 * fullest), min(len(power) - 1, int(1.6 * fullest))
    peak = low + int(np.argmax(power[low:high]))
    if power[peak] < _LEAST_POWER:
        return [
            Absent(name="columns", reason="azimuths of the points show no step"),
            Absent(name="rotation_rate_hz", reason="needs firing times"),
        ]
    columns = _line(power, peak)
    ends = (columns, columns - 1.0, columns + 1.0)
    what = f"spectrum of the azimuths of {n} rings"
    step_deg = [360.0 / each for each in ends]
    found: list[Finding] = [
        figure("azimuth_step_deg", (step_deg[0], step_deg[2], step_deg[1]), n, what),
        figure("columns", ends, n, what),
    ]
    first = peak + peak // 2
    rounding = first + int(np.argmax(power[first : 4 * peak]))
    if power[rounding] > 1.5 * power[peak] and abs(rounding - 2 * peak) > _WIDTH:
        encoder_deg = 360.0 / _line(power, rounding)
        found.append(figure("encoder_step_deg", (encoder_deg, encoder_deg, encoder_deg), n, what))
    if cycle_s is None:
        return [*found, Absent(name="rotation_rate_hz", reason="needs firing times")]
    rate_hz = [1.0 / (cycle_s * each) for each in ends]
    what += " and the preset's firing cycle"
    return [figure("rotation_rate_hz", (rate_hz[0], rate_hz[2], rate_hz[1]), n, what), *found]
