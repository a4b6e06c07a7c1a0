# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The window of a sensor: the share of the light that passes it, beam by beam.

A film of dirt takes from the light on its way out and on its way back. A beam keeps the share

    T_w(azimuth, elevation)^2

of its energy, where T_w is the transmission one way. A drop on the window bends part of the light
away; the beams that meet one keep half of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.random.random_kernels import WINDOW_DROP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_base.random.draws import Draws

LEFT_BY_DROP = 0.5
"""Share of its energy that a beam keeps at a drop on the window, an estimate. [1]"""
BLOCKED = 0.01
"""Share both ways below which a window blocks a beam: by 1/r^2, it sees a tenth as far. [1]"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Window:
    """The state of a window.

    Attributes
    ----------
    transmission : float64 (n_row, n_column)
        Share of the light that passes one way, see `transmission_at`. [1]
    drops : float
        Share of the beams that meet a drop. [1]
    """

    transmission: NDArray[np.float64]
    drops: float = 0.0

    @property
    def is_clear(self) -> bool:
        """Whether all light passes."""
        return self.drops == 0.0 and bool((self.transmission == 1.0).all())


def transmission_at(
    transmission: NDArray[np.float64], direction: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the pixels of an image of a window in which some directions lie.

    Parameters
    ----------
    transmission : float64 (n_row, n_column)
        An image of all directions. Columns divide the azimuth evenly, counter-clockwise from x:
        180 deg is the left edge, 0, which is forward, the middle, and -180 deg the right edge. Rows
        divide the elevation evenly, from 90 deg at the top edge to -90 deg at the bottom edge.
    direction : float32 (n, 3)
        Directions in the frame of the sensor.

    Returns
    -------
    float64 (n,)
        Of each direction.
    """
    x, y, z = direction.astype(np.float64).T
    n_row, n_column = transmission.shape
    down = 0.5 - np.arctan2(z, np.hypot(x, y)) / np.pi
    right = 0.5 - np.arctan2(y, x) / (2.0 * np.pi)
    row = np.minimum((down * n_row).astype(np.intp), n_row - 1)
    column = np.minimum((right * n_column).astype(np.intp), n_column - 1)
    return np.asarray(transmission[row, column], np.float64)


class WindowLook:
    """The window of one sensor, as its beams meet it.

    Parameters
    ----------
    window : Window
        Its state.
    draws : Draws
        Random numbers of the sensor, which are the same in all scans.
    """

    def __init__(self, window: Window, draws: Draws) -> None:
        self._window, self._draws = window, draws
        self._last: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None

    def passed(self, direction: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the share of each beam's light that passes both ways, float32 (n_beam,) [1].

        Parameters
        ----------
        direction : float32 (n_beam, 3)
            Directions of the beams in the frame of the sensor. Which of them meet a drop depends on
            their numbers alone.
        """
        if self._last is None or self._last[0] is not direction:
            both_ways = transmission_at(self._window.transmission, direction) ** 2
            if self._window.drops > 0.0:
                beam = np.arange(len(direction), dtype=np.uint32)
                wet = self._draws.uniform(WINDOW_DROP, beam) < self._window.drops
                both_ways[wet] *= LEFT_BY_DROP
            self._last = direction, both_ways.astype(np.float32)
        return self._last[1]

    def blocked_share(self, direction: NDArray[np.float32]) -> float:
        """Return the share of the beams that the window blocks, see `BLOCKED` [1]."""
        return float(np.mean(self.passed(direction) < BLOCKED))
