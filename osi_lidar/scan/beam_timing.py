# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The beams of the scans to come, and the moments at which each fires."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.scan.beams import has_own_rate
from osi_lidar.scan.from_config import check_gains, problems_of
from raycore.errors import PatternError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from osi_lidar.config import Sensor
    from raycore.pattern.scan_pattern import ScanPattern
    from raycore.pattern.source import PatternSource

_LONGEST_NS = np.iinfo(np.uint32).max


class BeamTiming:
    """The scan pattern of a sensor, and the moments at which its beams fire.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.
    source : PatternSource
        Gives the pattern of each scan.
    on_new_pattern : callable
        Called with each new pattern before it is used; raises ``PatternError`` to refuse it.

    Attributes
    ----------
    pattern : ScanPattern
        Beams of the current scan; a new object whenever the beams have changed.
    share : float64 (n_beam,)
        Firing time of each beam after the start of a scan, as a fraction of the scan's duration.
    blurs : bool
        Motion blur: whether objects move during a scan; False if all beams fire at once.
    rolls : bool
        Rolling shutter: whether the sensor moves during a scan; False if all beams fire at once.
    timed : bool
        ``blurs`` or ``rolls``: whether the beams of a scan are traced at different moments.
    moments : float64 (n_pose,)
        Fractions of the scan at which the sensor's pose is computed: all different values of
        ``share`` if ``rolls``, else only 1.0, the end of the scan.
    moment : uint32 (n_beam,)
        If ``rolls``, the row of ``moments`` for each beam; otherwise not to be used.
    free_running : bool
        Whether the sensor scans at its own rate, whatever the messages' times.
    takes_time : bool
        Whether a scan needs messages from before the message that completes it.
    period_ns : int or None
        Time that a scan takes; None: the sensor has no rate of its own. [ns]
    """

    def __init__(
        self, config: Sensor, source: PatternSource, on_new_pattern: Callable[[ScanPattern], None]
    ) -> None:
        self._name, self._source, self._on_new_pattern = config.name, source, on_new_pattern
        self._check_gains = partial(check_gains, config)
        self._motion_blur, self._rolling_shutter = config.motion_blur, config.rolling_shutter
        self.free_running = config.timing == "sensor_rate"
        self._measures_velocity = config.velocity is not False
        self._has_own_rate = self.free_running or has_own_rate(config)
        self._fixed_s: float | None = None
        self._fired: tuple[float, NDArray[np.uint32]] | None = None
        with problems_of(self._name):
            self._taken: ScanPattern | None = self._source.at(0.0)
            self._check_gains(self._taken)
            self._take(self._taken)
        if self.free_running:
            self._fixed_s = self.pattern.period_s

    def check(
        self,
        source: PatternSource | None = None,
        *,
        rolling_shutter: bool | None = None,
        motion_blur: bool | None = None,
    ) -> None:
        """Check arguments for `use_pattern` and `use_motion`, without changing anything.

        The check uses the beams of the scan at time 0.

        Parameters
        ----------
        source : PatternSource, optional
            Would give the scan pattern of each scan; None: the present source.
        rolling_shutter : bool, optional
            Whether the sensor would move during a scan; None: as now.
        motion_blur : bool, optional
            Whether objects would move during a scan; None: as now.

        Raises
        ------
        PatternError
            If the scan has no usable beam, or a duration that the sensor does not allow.
        ConfigurationError
            If ``laser_gains`` of the sensor do not fit the lasers of the pattern.
        """
        rolls = self._rolling_shutter if rolling_shutter is None else rolling_shutter
        blurs = self._motion_blur if motion_blur is None else motion_blur
        with problems_of(self._name):
            pattern = (source or self._source).at(0.0)
            if (rolls or blurs) and np.ptp(pattern.time_s) > 0.0:
                self._check_duration(pattern.period_s)
        self._check_gains(pattern)

    def use_pattern(self, source: PatternSource) -> None:
        """Use the scan patterns of another source, from the next scan on.

        ``source`` gives the pattern of each scan. It is not checked here, but by `check` and `aim`.
        """
        self._source = source

    def use_motion(
        self, *, rolling_shutter: bool | None = None, motion_blur: bool | None = None
    ) -> None:
        """Switch rolling shutter and motion blur on or off, from the next scan on.

        Parameters
        ----------
        rolling_shutter : bool, optional
            Whether the sensor moves during a scan; None: as now.
        motion_blur : bool, optional
            Whether objects move during a scan; None: as now.
        """
        if rolling_shutter is not None:
            self._rolling_shutter = rolling_shutter
        if motion_blur is not None:
            self._motion_blur = motion_blur
        self._taken = None

    def aim(self, begin_ns: int) -> bool:
        """Set ``pattern`` to the beams of the next scan; return whether the beams have changed.

        The attributes that follow from the pattern, such as ``share``, are set, too. After
        `use_motion`, the beams count as changed. After an error, the previous pattern stays in use.

        Parameters
        ----------
        begin_ns : int
            Time at which the scan begins. [ns]

        Raises
        ------
        PatternError, ConfigurationError
            If the new pattern has no usable beam, or does not fit the sensor.
        """
        with problems_of(self._name):
            pattern = self._source.at(begin_ns / 1e9)
            if pattern is self._taken:
                return False
            # the model compares patterns by identity: a new object means changed beams
            self._take(replace(pattern) if pattern is self.pattern else pattern)
            self._taken = pattern
        return True

    def times_ns(self, duration_ns: int) -> NDArray[np.uint32]:
        """Return the firing times of the beams after the start of a scan, uint32 (n_beam,) [ns].

        The array is kept for the next call, so do not change it.

        Parameters
        ----------
        duration_ns : int
            Duration of the scan; 0 stands for the duration of the pattern. [ns]
        """
        sweep_ns = duration_ns or 1e9 * self.pattern.period_s
        if self._fired is None or self._fired[0] != sweep_ns:
            self._fired = sweep_ns, np.rint(self.share * sweep_ns).astype(np.uint32)
        return self._fired[1]

    def _take(self, pattern: ScanPattern) -> None:
        share = pattern.time_s / pattern.period_s
        moments, moment = np.unique(share, return_inverse=True)
        sweeps = len(moments) > 1  # beams that all fire at once do so at the end of a scan
        blurs, rolls = self._motion_blur and sweeps, self._rolling_shutter and sweeps
        if blurs or rolls:
            self._check_duration(pattern.period_s)
        self._check_gains(pattern, spare=True)
        self._on_new_pattern(pattern)
        self.pattern, self.share = pattern, share
        self._fired = None
        self.blurs, self.rolls, self.timed = blurs, rolls, blurs or rolls
        self.takes_time = self.timed or self.free_running or self._measures_velocity
        self.period_ns = round(1e9 * pattern.period_s) if self._has_own_rate else None
        self.moments = moments if rolls else np.ones(1)
        self.moment = moment.astype(np.uint32)

    def _check_duration(self, period_s: float) -> None:
        """Raise PatternError if a sweep is too long for time_ns, or not as long as it must be."""
        if 1e9 * period_s > _LONGEST_NS:
            raise PatternError(
                f"a scan takes {period_s:g} s, expected at most {1e-9 * _LONGEST_NS:.3g} s, the "
                "longest time of a point (rotation_rate_hz); a slower sensor needs "
                "rolling_shutter: false and motion_blur: false"
            )
        if self._fixed_s is not None and round(1e9 * period_s) != round(1e9 * self._fixed_s):
            raise PatternError(
                f"the new pattern takes {period_s:g} s per scan, expected {self._fixed_s:g} s as "
                "at the start (timing: sensor_rate): change the rate of the pattern"
            )
