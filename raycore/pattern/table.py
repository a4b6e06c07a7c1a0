# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Patterns given as a table of times and angles, one row for each pulse."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from raycore.errors import PatternError
from raycore.pattern.scan_pattern import ScanPattern
from raycore.pattern.source import PatternSource, check_pulses, from_curve, from_times

_NS = 10**9
_LONGEST_S = 1e9  # its times in whole nanoseconds have to fit in 64 bits


def from_table(
    *,
    time_s: ArrayLike,
    azimuth_rad: ArrayLike,
    elevation_rad: ArrayLike,
    period_s: float,
    repeats_after_s: float | None = None,
) -> PatternSource:
    """Return the pattern source of a table of pulses.

    A table that fits into one scan repeats in each scan. A longer table continues from scan to
    scan, and starts again after its end.

    Parameters
    ----------
    time_s : float (n_row,)
        Firing time of each pulse, 0 or later, not decreasing. [s]
    azimuth_rad, elevation_rad : float (n_row,)
        Direction of each pulse. [rad]
    period_s : float
        Duration of one scan. [s]
    repeats_after_s : float, optional
        Duration of the table. Default: ``period_s`` if all times are before it, else the last time
        plus the mean interval between two rows. [s]

    Raises
    ------
    PatternError
        If a column is not usable, or a pulse is at or after the end of the table.
    """
    columns = check_pulses(time_s=time_s, azimuth_rad=azimuth_rad, elevation_rad=elevation_rad)
    times = columns[0]
    if times[0] < 0.0:
        raise PatternError(f"time of pulse 0 is {times[0]:.9g} s, expected 0 s or later")
    if times[-1] > _LONGEST_S:
        raise PatternError(
            f"time of pulse {times.size - 1} is {times[-1]:.9g} s, expected at most "
            f"{_LONGEST_S:g} s"
        )
    length_s = repeats_after_s
    if length_s is None:
        steps = max(times.size - 1, 1)
        length_s = period_s if times[-1] < period_s else times[-1] + (times[-1] - times[0]) / steps
    if length_s > _LONGEST_S:
        raise PatternError(
            f"the table repeats after {length_s:.9g} s, expected at most {_LONGEST_S:g} s"
        )
    if not times[-1] < length_s:
        raise PatternError(
            f"time of pulse {times.size - 1} is {times[-1]:.9g} s, expected before "
            f"{length_s:.9g} s, after which the table repeats"
        )
    if length_s <= period_s:
        return from_times(
            time_s=times, azimuth_rad=columns[1], elevation_rad=columns[2], period_s=period_s
        )
    return _LongTable(
        time_ns=np.rint(times * _NS).astype(np.int64),
        azimuth_rad=columns[1],
        elevation_rad=columns[2],
        period_s=period_s,
        length_ns=round(length_s * _NS),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _LongTable:
    """A table longer than a scan. Its times are whole nanoseconds, so that scans join exactly."""

    time_ns: NDArray[np.int64]
    azimuth_rad: NDArray[np.float64]
    elevation_rad: NDArray[np.float64]
    period_s: float
    length_ns: int
    _period_ns: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_period_ns", round(self.period_s * _NS))

    def at(self, start_s: float) -> ScanPattern:
        """Return the pulses of the scan that begins at a given time [s]; columns count from 0."""
        start_ns = round(start_s * _NS) % self.length_ns
        first, beyond = np.searchsorted(self.time_ns, [start_ns, start_ns + self._period_ns])
        rows = np.arange(first, beyond)
        again_ns = start_ns + self._period_ns - self.length_ns
        if again_ns > 0:  # the scan ends in the next repetition
            rows = np.append(rows, np.arange(np.searchsorted(self.time_ns, again_ns)))
        if rows.size == 0:
            raise PatternError(
                f"table: has no pulse between {start_ns / _NS:.9g} s and the end of the scan"
            )
        time_ns = (self.time_ns[rows] - start_ns) % self.length_ns
        return from_curve(
            time_s=np.minimum(time_ns / _NS, self.period_s),
            azimuth_rad=self.azimuth_rad[rows],
            elevation_rad=self.elevation_rad[rows],
            period_s=self.period_s,
            coherent=False,
        )
