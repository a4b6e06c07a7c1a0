# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The window of a sensor: the share of the light that passes it, beam by beam.

A film of dirt takes from the light on its way out and on its way back. A beam keeps the share

    T_w(azimuth, elevation)^2

of its energy, where T_w is the transmission one way. A drop on the window bends part of the light
away; the beams that meet one keep half of that. A closed film of water covers all of the window and
has a transmission of its own, `film_transmission`.

References
----------
.. [1] M. Born, E. Wolf, Principles of Optics, 7th edition, Cambridge University Press, 1999,
   section 1.5.2, doi:10.1017/CBO9781139644181
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.random.random_kernels import WINDOW_DROP
from material_mapping.optics import fresnel, water

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_base.random.draws import Draws

LEFT_BY_DROP = 0.5
"""Share of its energy that a beam keeps at a drop on the window, an estimate. [1]"""
BLOCKED = 0.01
"""Share both ways below which a window blocks a beam: by 1/r^2, it sees a tenth as far. [1]"""
PANE_N = 1.5
"""Refractive index of a window of glass or plastic without a coating, an assumption. [1]"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Window:
    """The state of a window.

    Attributes
    ----------
    transmission : float64 (n_row, n_column)
        Share of the light that passes one way, see `transmission_at`. [1]
    drops : float
        Share of the beams that meet a drop. [1]
    film_mm : float
        Depth of a closed film of water on the outside. [mm]
    """

    transmission: NDArray[np.float64]
    drops: float = 0.0
    film_mm: float = 0.0

    @property
    def is_clear(self) -> bool:
        """Whether all light passes."""
        bare = self.drops == 0.0 and self.film_mm == 0.0
        return bare and bool((self.transmission == 1.0).all())


def film_transmission(film_mm: float, *, wavelength_nm: float) -> float:
    """Return the one-way transmission of a window with a film of water, relative to a dry window.

    Parameters
    ----------
    film_mm : float
        Depth of the water d; 0: no film. [mm]
    wavelength_nm : float
        Wavelength of the light, 400 to 1800. [nm]

    Returns
    -------
    float
        1 without a film, and slightly above 1 with a film that is thin. [1]

    Notes
    -----
    A dry window has one outer face, from the pane to air. Under water it has two, from the pane to
    water and from water to air, with Fresnel's reflectance at normal incidence [1]_ of each::

        T = (1 - F(n_w)) (1 - F(n_p / n_w)) / (1 - F(n_p)) exp(-a d)    F(m) = ((m - 1) / (m + 1))^2

    For n_p = 1.5 and n_w = 1.33 these are 0.020, 0.004 and 0.040, so that a window without a
    coating passes 1.7 % more when it is wet. The absorption a of water is as for wet roads:
    7.1 1/m at 905 nm, 1085 1/m at 1550 nm. Light that goes to and fro in the film is left out, and
    so are ripples of the film, which bend beams.
    """
    if film_mm == 0.0:
        return 1.0
    n = water.refractive_index(wavelength_nm).real
    to_air, to_pane, dry = (
        1.0 - float(fresnel.reflectance_at_cosine(1.0, n=behind, n_outside=before))
        for behind, before in ((n, 1.0), (PANE_N, n), (PANE_N, 1.0))
    )
    absorbed = np.exp(-1e-3 * film_mm * water.absorption_per_m(wavelength_nm))
    return float(to_air * to_pane / dry * absorbed)


def transmission_at(
    transmission: NDArray[np.float64], direction: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the transmission of a window in some directions, by the pixels of its image.

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
        Transmission in each direction. [1]
    """
    x, y, z = direction.astype(np.float64).T
    n_row, n_column = transmission.shape
    down = 0.5 - np.arctan2(z, np.hypot(x, y)) / np.pi
    right = 0.5 - np.arctan2(y, x) / (2.0 * np.pi)
    row = np.minimum((down * n_row).astype(np.intp), n_row - 1)
    column = np.minimum((right * n_column).astype(np.intp), n_column - 1)
    return np.asarray(transmission[row, column], np.float64)


class SensorWindow:
    """The window of one sensor, and the light of each beam that it lets pass.

    Parameters
    ----------
    window : Window
        State of the window.
    draws : Draws
        Random numbers of the sensor, which are the same in all scans.
    wavelength_nm : float
        Wavelength of the sensor, for a film of water. [nm]
    """

    def __init__(self, window: Window, draws: Draws, wavelength_nm: float = 905.0) -> None:
        self._window, self._draws = window, draws
        self._film = film_transmission(window.film_mm, wavelength_nm=wavelength_nm) ** 2
        self._last: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
        self._blocked: tuple[NDArray[np.float32], float] | None = None

    def passed(self, direction: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the share of each beam's light that passes both ways, float32 (n_beam,) [1].

        Parameters
        ----------
        direction : float32 (n_beam, 3)
            Directions of the beams in the frame of the sensor. Which beams meet a drop depends only
            on their indices.
        """
        if self._last is None or self._last[0] is not direction:
            both_ways = transmission_at(self._window.transmission, direction) ** 2
            if self._window.drops > 0.0:
                beam = np.arange(len(direction), dtype=np.uint32)
                wet = self._draws.uniform(WINDOW_DROP, beam) < self._window.drops
                both_ways[wet] *= LEFT_BY_DROP
            if self._window.film_mm > 0.0:
                both_ways *= self._film
            self._last = direction, both_ways.astype(np.float32)
        return self._last[1]

    def blocked_share(self, direction: NDArray[np.float32]) -> float:
        """Return the fraction of beams that the window blocks, 0 to 1.

        A beam is blocked if less than the share `BLOCKED` of its light passes both ways.
        ``direction``, float32 (n_beam, 3), has the directions of the beams in the sensor frame.
        """
        passed = self.passed(direction)
        if self._blocked is None or self._blocked[0] is not passed:
            self._blocked = passed, float(np.mean(passed < BLOCKED))
        return self._blocked[1]
