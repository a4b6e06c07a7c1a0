# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rate of turn, columns, and how evenly the head turns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.gap.calibrate.bootstrap import draws, interval
from osi_lidar.gap.calibrate.findings import Absent, Figure
from osi_lidar.gap.calibrate.comb import greatest_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.gap.calibrate.findings import Finding
    from osi_lidar.gap.calibrate.recording import Recording

_FINE = 2**16  # bins of a turn for its spectrum
_ROUNDED_DEG = 0.005  # finer steps of an encoder do not matter
_LEAST_COLUMNS = 24
_LEAST_POWER, _WIDTH = 0.02, 6  # of a line of the spectrum; all azimuths on the comb have power 1


def find_turn(recording: Recording, cycle_s: float | None) -> list[Finding]:
    """Return the figures of the turning head.

    Parameters
    ----------
    recording : Recording
        The recording.
    cycle_s : float or None
        Time from one firing to the next where a clock of the sensor fixes it, from which the rate
        follows in clouds without times. [s]
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
    """Return frame, column, heading and time of each firing of one laser, the one seen most."""
    assert recording.heading_deg is not None  # noqa: S101  the caller has checked
    assert recording.column is not None  # noqa: S101
    laser = int(np.argmax(np.bincount(recording.ring)))
    rows = np.flatnonzero(recording.ring == laser)
    key = recording.frame[rows] * (int(recording.column.max()) + 1) + recording.column[rows]
    rows = rows[np.unique(key, return_index=True)[1]]
    time_s = None if recording.time_s is None else recording.time_s[rows]
    return recording.frame[rows], recording.column[rows], recording.heading_deg[rows], time_s


def _turned(heading_deg: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the turn from each firing to the next, -180 to 180 deg."""
    return (np.diff(heading_deg) + 180.0) % 360.0 - 180.0


def _rate(
    frame: NDArray[np.intp], heading_deg: NDArray[np.float64], time_s: NDArray[np.float64]
) -> Figure:
    """Return turns per second: the turn within sectors of a frame over its time."""
    steps = np.flatnonzero(np.diff(frame) == 0)
    turn_deg, after_s = np.abs(_turned(heading_deg)[steps]), np.diff(time_s)[steps]
    near = turn_deg < 10 * np.median(turn_deg)
    block = np.arange(len(steps)) * 36 // len(steps)
    sums = [
        np.bincount(block[near], weights=each[near], minlength=36) for each in (turn_deg, after_s)
    ]
    drawn = draws(36)
    low, high = interval((drawn @ sums[0]) / (drawn @ sums[1]) / 360.0)
    return Figure(
        name="rotation_rate_hz",
        value=float(sums[0].sum() / sums[1].sum() / 360.0),
        low=float(low),
        high=float(high),
        n=int(near.sum()),
        fitted_on="headings over firing times",
    )


def _steps(
    frame: NDArray[np.intp], column: NDArray[np.intp], heading_deg: NDArray[np.float64]
) -> list[Finding]:
    """Return step, columns, jitter and rounding of the heading."""
    step = np.diff(column)
    rows = np.flatnonzero((np.diff(frame) == 0) & (step > 0) & (step < 4))
    if len(rows) < _LEAST_COLUMNS:
        return [Absent(name="columns", reason="needs successive firings of a laser")]
    turn_deg, n_step = _turned(heading_deg)[rows], step[rows].astype(np.float64)
    block = np.arange(len(rows)) * 36 // len(rows)
    sums = [np.bincount(block, weights=each, minlength=36) for each in (np.abs(turn_deg), n_step)]
    drawn = draws(36)
    step_deg = float(sums[0].sum() / sums[1].sum())
    low, high = interval((drawn @ sums[0]) / (drawn @ sums[1]))
    kind = {"n": len(rows), "fitted_on": "headings of successive firings"}
    jitter_deg = (np.abs(turn_deg) - step_deg * n_step)[n_step == 1]
    each = np.array(
        [
            np.std(jitter_deg[np.isin(np.arange(len(jitter_deg)) * 36 // len(jitter_deg), chosen)])
            for chosen in np.random.default_rng(0).integers(0, 36, size=(100, 36))
        ]
    )
    jitter = interval(each)
    found: list[Finding] = [
        Figure(
            name="azimuth_step_deg", value=step_deg, low=float(low), high=float(high), **kind
        ),
        Figure(
            name="columns",
            value=360.0 / step_deg,
            low=360.0 / float(high),
            high=360.0 / float(low),
            **kind,
        ),
        Figure(
            name="step_jitter_deg",
            value=float(np.std(jitter_deg)),
            low=float(jitter[0]),
            high=float(jitter[1]),
            **kind,
        ),
    ]
    rounded = greatest_step(heading_deg, np.zeros(len(heading_deg), np.intp), 1, most=1.0)
    if rounded is None or rounded < _ROUNDED_DEG or rounded > 0.9 * step_deg:
        found.append(Absent(name="encoder_step_deg", reason="headings are not rounded"))
        rounded = 0.0
    else:
        found.append(
            Figure(name="encoder_step_deg", value=rounded, low=rounded, high=rounded, **kind)
        )
    return [*found, _wander(found[-2], rounded)]


def _wander(jitter: Finding, rounded_deg: float) -> Finding:
    """Return the error of a heading: a step is the difference of two, both of them rounded."""
    assert isinstance(jitter, Figure)  # noqa: S101  it was made above
    value, low, high = (
        float(np.sqrt(max(each**2 / 2.0 - rounded_deg**2 / 12.0, 0.0)))
        for each in (jitter.value, jitter.low, jitter.high)
    )
    return replace(jitter, name="azimuth_sigma_deg", value=value, low=low, high=high)


def _line(power: NDArray[np.float64], peak: int) -> float:
    """Return the place of a line of a spectrum, its centre of mass around the peak."""
    near = np.arange(peak - _WIDTH, min(peak + _WIDTH + 1, len(power)))
    weight = np.maximum(power[near] - np.median(power[near]), 0.0)
    return float((near * weight).sum() / max(weight.sum(), 1e-30))


def _from_bearings(recording: Recording, cycle_s: float | None) -> list[Finding]:
    """Return the figures from azimuths of points alone: the comb of each ring's azimuths.

    The spectrum of a ring's azimuths has a line at the number of columns, and one at the number of
    steps of an encoder that rounds them.
    """
    per_ring = np.bincount(recording.ring * recording.n_frame + recording.frame)
    fullest = int(np.percentile(per_ring[per_ring > 0], 90))
    power, n_comb = np.zeros(_FINE // 2 + 1), 0
    for frame in range(recording.n_frame):
        rows = recording.ordered(frame)
        for ring in np.unique(recording.ring[rows]):
            bearing_deg = recording.bearing_deg[rows[recording.ring[rows] == ring]]
            bins = (bearing_deg / 360.0 * _FINE).astype(np.intp) % _FINE
            comb = np.bincount(bins, minlength=_FINE)
            power += np.abs(np.fft.rfft(comb)) ** 2 / max(1, len(bearing_deg)) ** 2
            n_comb += 1
    power /= max(1, n_comb)
    low, high = int(0.97 * fullest), min(len(power) - 1, int(1.6 * fullest))
    peak = low + int(np.argmax(power[low:high]))
    if power[peak] < _LEAST_POWER:
        return [
            Absent(name="columns", reason="azimuths of the points show no step"),
            Absent(name="rotation_rate_hz", reason="needs firing times"),
        ]
    columns = _line(power, peak)
    kind = {"n": n_comb, "fitted_on": f"spectrum of the azimuths of {n_comb} rings"}
    half = 1.0
    found: list[Finding] = [
        Figure(
            name="azimuth_step_deg",
            value=360.0 / columns,
            low=360.0 / (columns + half),
            high=360.0 / (columns - half),
            **kind,
        ),
        Figure(name="columns", value=columns, low=columns - half, high=columns + half, **kind),
    ]
    rounding = 2 * peak - peak // 2 + int(np.argmax(power[2 * peak - peak // 2 : 4 * peak]))
    if power[rounding] > 1.5 * power[peak] and abs(rounding - 2 * peak) > _WIDTH:
        step_deg = 360.0 / _line(power, rounding)
        found.append(
            Figure(name="encoder_step_deg", value=step_deg, low=step_deg, high=step_deg, **kind)
        )
    if cycle_s is None:
        return [*found, Absent(name="rotation_rate_hz", reason="needs firing times")]
    rates = [1.0 / (cycle_s * each) for each in (columns, columns + half, columns - half)]
    kind["fitted_on"] += " and the preset's firing cycle"
    rate = Figure(name="rotation_rate_hz", value=rates[0], low=rates[1], high=rates[2], **kind)
    return [rate, *found]
