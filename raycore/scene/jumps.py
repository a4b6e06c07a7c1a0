# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Jumps of bodies from message to message: a body that jumps is not moved in between."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

LARGEST_TURN_RAD = math.pi - 1e-3
"""Rotations above this are ambiguous: the direction of turning cannot be known. [rad]"""


class ConfiguredLimits(Protocol):
    """The limits of motion in a configuration."""

    @property
    def speed_m_s(self) -> float:
        """Largest excess of a body's speed over its stated speed [m/s]."""

    @property
    def turn_deg_s(self) -> float:
        """Largest rate at which a body may turn [deg/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JumpLimits:
    """Limits of motion between two poses; a faster body is taken to have jumped.

    Attributes
    ----------
    speed_m_s : float
        Largest excess of a body's speed over its stated speed. A speed that is not stated counts
        as 0. [m/s]
    turn_rad_s : float
        Largest rate at which a body may turn. [rad/s]
    """

    speed_m_s: float
    turn_rad_s: float

    @classmethod
    def of(cls, configured: ConfiguredLimits) -> JumpLimits:
        """Return the configured limits."""
        return cls(speed_m_s=configured.speed_m_s, turn_rad_s=math.radians(configured.turn_deg_s))

    @property
    def words(self) -> str:
        """The limits as text for messages."""
        turn = f"{math.degrees(self.turn_rad_s):g} deg/s"
        return f"{self.speed_m_s:g} m/s above its stated velocity, or {turn}"

    def jumps(
        self,
        keys: NDArray[np.float64],
        time_s: NDArray[np.float64],
        stated_m_s: Callable[[int, int], float],
    ) -> NDArray[np.bool_]:
        """Return whether each body jumps between two consecutive poses, bool (n, n_time - 1).

        A turn of nearly 180 degrees is a jump at any rate. The larger of the speeds stated at the
        two poses counts.

        Parameters
        ----------
        keys : float64 (n, n_time, 4, 4)
            Poses of the n bodies. [m]
        time_s : float64 (n_time,)
            Times of the poses, increasing. [s]
        stated_m_s : callable
            Takes the index of a body and of a pose; returns the stated speed. [m/s]
        """
        between_s = np.diff(time_s)
        before, after = keys[:, :-1, :3], keys[:, 1:, :3]
        way = after[..., 3] - before[..., 3]
        way_m = np.sqrt((way * way).sum(axis=2))
        # the trace of R1 R0' is 1 + 2 cos(angle)
        traces = (after[..., :3] * before[..., :3]).sum(axis=(2, 3))
        most_rad = np.minimum(self.turn_rad_s * between_s, LARGEST_TURN_RAD)
        turns = 0.5 * (traces - 1.0) < np.cos(most_rad + 1e-6)
        fast = way_m > self.speed_m_s * between_s
        for body, step in np.argwhere(fast).tolist():
            stated = max(stated_m_s(body, step), stated_m_s(body, step + 1))
            fast[body, step] = way_m[body, step] > (self.speed_m_s + stated) * between_s[step]
        return np.asarray(fast | turns, np.bool_)
