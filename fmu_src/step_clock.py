# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The time of an instance, and the check that each step of the master continues from it."""

from __future__ import annotations

import math

from osi_bridge import MAX_TIME_S

from .errors import CallError

ROUNDED_S = 1e-3
"""A step may begin this much before the end of the last step, because masters round times. [s]"""
_ROUNDED_SHARE = 0.5  # share of the step
_ROUNDED_ULPS = 4  # in units of a double's resolution


class StepClock:
    """The time of an instance: its start, then the end of each step.

    FMI 2.0 and 3.0 demand steps of more than 0 s. The first step begins at the start time, every
    other step where the last step ended.

    Attributes
    ----------
    time_s : float
        Start time, or end of the last step. [s]
    """

    def __init__(self) -> None:
        self.time_s = 0.0

    def start(self, time_s: float) -> None:
        """Set the start time, ``time_s`` [s], where the first step is to begin.

        Raises
        ------
        CallError
            The time is beyond `MAX_TIME_S`, or NaN.
        """
        if not _is_time(time_s):
            raise CallError(f"got start time {time_s:.9g} s, expected at most {MAX_TIME_S} s")
        self.time_s = time_s

    def take(self, time_s: float, step_s: float) -> str:
        """Advance the time to the end of a step; return a remark on a gap before it, or "".

        Parameters
        ----------
        time_s : float
            Start of the step. [s]
        step_s : float
            Length of the step. [s]

        Raises
        ------
        CallError
            The step size is not above 0 s, a time is beyond `MAX_TIME_S`, or the step begins before
            the last one ended. The time of the clock then stays as it is.
        """
        end_s = time_s + step_s
        if not (step_s > 0.0 and math.isfinite(step_s)):
            raise CallError(f"got a step of {step_s:.9g} s, expected more than 0 s")
        if not (_is_time(time_s) and _is_time(end_s)):
            raise CallError(
                f"got a step from {time_s:.9g} s to {end_s:.9g} s, expected at most {MAX_TIME_S} s"
            )
        rounded_s = min(ROUNDED_S, _ROUNDED_SHARE * step_s) + _ROUNDED_ULPS * math.ulp(time_s)
        expected = f"expected {self.time_s:.9g} s, where the previous step ended"
        if time_s < self.time_s - rounded_s:
            raise CallError(f"got a step that begins at {time_s:.9g} s, {expected}")
        gap = time_s > self.time_s + rounded_s
        self.time_s = end_s
        return f"the step begins at {time_s:.9g} s, {expected}" if gap else ""


def _is_time(time_s: float) -> bool:
    """Return whether a time is within `MAX_TIME_S`, the limit of time stamps in OSI; NaN is not."""
    return abs(time_s) <= MAX_TIME_S
