# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pattern sources: the beams of each scan, from one fixed pattern or from a continuing curve.

All scans of a rotating sensor have the same beams. Other sensors (Lissajous, rosette, Risley
prisms) follow a curve that closes late or never: each scan is a time window of the curve, and
begins where the last one ended. The model asks a `PatternSource` for the beams of each scan.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from raycore.errors import PatternError
from raycore.pattern.scan_pattern import MAX_BEAMS, ScanPattern, wrapped

_REAL_KINDS = "biufO"  # kinds of numpy types that hold real numbers, or any Python objects
_SAME_SCAN = 1e-3  # fraction of a scan by which its start may be early
PULSE_TOLERANCE = 1e-6  # fraction of the pulse interval by which the end of a scan may miss a pulse


class PatternSource(Protocol):
    """Source of the beams of each scan. A `ScanPattern` is itself one: it returns itself."""

    def at(self, start_s: float) -> ScanPattern:
        """Return the beams of the scan that begins at a given time.

        Return the same object as long as the beams are the same: the model compares patterns by
        identity, and a new object means that the beams have changed.

        Parameters
        ----------
        start_s : float
            Start time of the scan, on the clock of the input. [s]

        Raises
        ------
        PatternError
            If there is no usable beam.
        """
        ...


def part_of(
    pattern: ScanPattern, chosen: NDArray[np.bool_] | None, *, period_s: float
) -> ScanPattern:
    """Return some beams of a pattern as a separate pattern, with their columns and times.

    Parameters
    ----------
    pattern : ScanPattern
        The pattern with all beams.
    chosen : bool (n_beam,) or None
        Beams to take; None for all.
    period_s : float
        Duration of the scan. [s]

    Raises
    ------
    PatternError
        If no beam is left, or one fires after the end of the scan.
    """
    beams = slice(None) if chosen is None else chosen
    origin = pattern.origin_m
    return ScanPattern(
        azimuth_rad=pattern.azimuth_rad[beams],
        elevation_rad=pattern.elevation_rad[beams],
        time_s=pattern.time_s[beams],
        ring=pattern.ring[beams],
        column=pattern.column[beams],
        period_s=period_s,
        coherent=pattern.coherent,
        origin_m=origin if len(origin) == 1 else origin[beams],
    )


@dataclass(frozen=True, slots=True)
class Windows:
    """A pattern source for a curve that continues: each scan is a time window of the curve.

    Attributes
    ----------
    curve : callable
        Takes the start time of a scan [s] and returns its beams.
    """

    curve: Callable[[float], ScanPattern]

    def at(self, start_s: float) -> ScanPattern:
        """Return the beams of the scan that begins at the time ``start_s`` [s]."""
        return self.curve(start_s)


@dataclass(frozen=True, slots=True)
class ByTurns:
    """Two kinds of scans that alternate, as for a mirror that swings to and fro.

    Attributes
    ----------
    even, odd : PatternSource
        The beams of the scans 0, 2, 4 .. and of the scans 1, 3, 5 .., counted from time 0.
    period_s : float
        Duration of a scan. [s]
    """

    even: PatternSource
    odd: PatternSource
    period_s: float

    def at(self, start_s: float) -> ScanPattern:
        """Return the beams of the scan that begins at the time ``start_s`` [s].

        A time up to 1e-3 periods before the start of a scan counts as its start.
        """
        number = math.floor(start_s / self.period_s + _SAME_SCAN)
        return (self.odd if number % 2 else self.even).at(start_s)


def pulse_count(*, pulse_rate_hz: float, period_s: float, n_channel: int = 1) -> int:
    """Return the number of pulses that each channel fires in a scan.

    Parameters
    ----------
    pulse_rate_hz : float
        Pulses per second of each channel. [Hz]
    period_s : float
        Duration of a scan. [s]
    n_channel : int
        Number of channels, all of which fire at once.

    Raises
    ------
    PatternError
        If a scan has no pulse, or more beams than are allowed.
    """
    pulses = pulse_rate_hz * period_s
    if not pulses >= 1.0 - PULSE_TOLERANCE:
        raise PatternError(
            f"{pulse_rate_hz:g} pulses/s give no pulse in a scan of {period_s:g} s, expected at "
            "least 1"
        )
    if pulses * n_channel > MAX_BEAMS:
        raise PatternError(
            f"{pulse_rate_hz:g} pulses/s of {n_channel} channel(s) give {pulses * n_channel:g} "
            f"beams in a scan of {period_s:g} s, expected at most {MAX_BEAMS}"
        )
    return math.floor(pulses + PULSE_TOLERANCE)


def pulse_times_s(*, pulse_rate_hz: float, period_s: float) -> NDArray[np.float64]:
    """Return the firing time of each pulse after the start of the scan, float64 (n_pulse,) [s].

    The first pulse fires at 0. ``pulse_rate_hz`` is the number of pulses per second, and
    ``period_s`` the duration of the scan [s].

    Raises
    ------
    PatternError
        If a scan has no pulse, or more beams than are allowed.
    """
    n_pulse = pulse_count(pulse_rate_hz=pulse_rate_hz, period_s=period_s)
    return np.minimum(np.arange(n_pulse) / pulse_rate_hz, period_s)


def phase_at(
    *, rate_hz: float, start_s: float, time_s: NDArray[np.float64], phase_rad: float
) -> NDArray[np.float64]:
    """Return the phase 2 pi rate (start + time) + phase, without the turns before the start.

    These whole turns are counted exactly, so that a curve is as smooth days, or decades, after time
    0 as at time 0.

    Parameters
    ----------
    rate_hz : float
        Turns per second. [Hz]
    start_s : float
        Start time of the scan. [s]
    time_s : float64 (n,)
        Times after ``start_s``. [s]
    phase_rad : float
        Phase at time 0. [rad]

    Returns
    -------
    float64 (n,)
        The phase at each time; it may be larger than 2 pi. [rad]
    """
    turns = float(Fraction(rate_hz) * Fraction(start_s) % 1)
    return 2.0 * math.pi * (turns + rate_hz * time_s) + phase_rad


def from_curve(
    *,
    time_s: NDArray[np.float64],
    azimuth_rad: NDArray[np.float64],
    elevation_rad: NDArray[np.float64],
    period_s: float,
    coherent: bool = True,
) -> ScanPattern:
    """Return the pattern of a single beam that moves: every pulse is a column of ring 0.

    Parameters
    ----------
    time_s, azimuth_rad, elevation_rad : float64 (n_pulse,)
        Firing time of each pulse after the start of the scan [s], and its direction. [rad]
    period_s : float
        Duration of the scan. [s]
    coherent : bool
        Whether consecutive pulses point in nearly the same direction.
    """
    return ScanPattern(
        azimuth_rad=wrapped(azimuth_rad),
        elevation_rad=elevation_rad,
        time_s=time_s,
        ring=np.zeros(time_s.size, np.uint16),
        column=np.arange(time_s.size, dtype=np.uint32),
        period_s=period_s,
        coherent=coherent,
    )


def from_times(
    *, time_s: ArrayLike, azimuth_rad: ArrayLike, elevation_rad: ArrayLike, period_s: float
) -> ScanPattern:
    """Return the pattern of given pulses, after checking all of them.

    Parameters
    ----------
    time_s : float (n_pulse,)
        Firing times after the start of the scan, not decreasing. [s], 0..period_s
    azimuth_rad, elevation_rad : float (n_pulse,)
        Any azimuth; elevations of -pi/2..pi/2. [rad]
    period_s : float
        Duration of the scan. [s]

    Raises
    ------
    PatternError
        The arrays do not hold numbers, are empty, not finite, of different length or out of range,
        or the times decrease.
    """
    columns = check_pulses(time_s=time_s, azimuth_rad=azimuth_rad, elevation_rad=elevation_rad)
    times = columns[0]
    if times[0] < 0.0 or times[-1] > period_s:
        wrong = 0 if times[0] < 0.0 else times.size - 1
        raise PatternError(
            f"time of pulse {wrong} is {times[wrong]:.9g} s, expected 0 to {period_s:.9g} s"
        )
    return from_curve(
        time_s=times,
        azimuth_rad=columns[1],
        elevation_rad=columns[2],
        period_s=period_s,
        coherent=False,
    )


def check_pulses(
    *, time_s: ArrayLike, azimuth_rad: ArrayLike, elevation_rad: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return times, azimuths and elevations as checked arrays, each float64 (n_pulse,).

    Parameters
    ----------
    time_s : float (n_pulse,)
        Firing times, not decreasing. [s]
    azimuth_rad, elevation_rad : float (n_pulse,)
        Any azimuth; elevations of -pi/2..pi/2. [rad]

    Raises
    ------
    PatternError
        As for `from_times`, except that the times may be negative, or later than a scan ends.
    """
    names = ("times", "azimuths", "elevations")
    given = zip(names, (time_s, azimuth_rad, elevation_rad), strict=True)
    times, azimuth, elevation = (_numbers(name, values) for name, values in given)
    if not times.size == azimuth.size == elevation.size:
        raise PatternError(
            f"got {times.size} times, {azimuth.size} azimuths and {elevation.size} elevations, "
            "expected the same number of each"
        )
    if times.size == 0:
        raise PatternError("has no beam, expected at least one")
    if times.size > MAX_BEAMS:
        raise PatternError(f"has {times.size} beams, expected at most {MAX_BEAMS}")
    back = np.flatnonzero(np.diff(times) < 0.0)
    if back.size:
        before, after = times[back[0]], times[back[0] + 1]
        raise PatternError(
            f"pulse {back[0] + 1} (counted from 0): its time {after:.9g} s is less than the "
            f"{before:.9g} s of the previous pulse, expected times that never decrease"
        )
    steep = np.flatnonzero(np.abs(elevation) > math.pi / 2)
    if steep.size:
        raise PatternError(
            f"elevation of pulse {steep[0]} is {elevation[steep[0]]:.9g} rad, "
            "expected -pi/2 to pi/2"
        )
    return times, azimuth, elevation


def _numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    try:
        given = np.asarray(values)
        array = given.astype(np.float64) if given.dtype.kind in _REAL_KINDS else None
    except Exception as error:  # arrays of other packages may raise anything
        raise PatternError(f"{name} are not a list of numbers") from error
    if array is None:
        raise PatternError(f"{name} are not a list of numbers, but of the type {given.dtype}")
    if array.ndim != 1:
        raise PatternError(f"{name} have the shape {array.shape}, expected a list of numbers")
    wrong = np.flatnonzero(~np.isfinite(array))
    if wrong.size:
        raise PatternError(
            f"{name}: the value of pulse {wrong[0]} is {array[wrong[0]]}, expected a finite number"
        )
    return array
