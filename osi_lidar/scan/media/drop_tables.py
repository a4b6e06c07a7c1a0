# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables, by range, of the number of drops and flakes that a receiver sees in a beam."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.weather.drops import least_visible_mm
from osi_lidar.scan.media.drop_kernels import RAIN_ROW, SNOW_ROW, DropArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.weather.drops import FallingDrops

LEAST_MM, MOST_MM = 1e-3, 30.0
"""Diameters between which visible drops are counted. [mm]"""
N_SIZES = 2048
_NEVER = 1e-300


class Falling(NamedTuple):
    """Rain drops or snow flakes that fall through the beams.

    Attributes
    ----------
    drops : FallingDrops
        Number of drops or flakes per volume, by diameter.
    backscatter : float
        Q_b, efficiency of a drop's backscatter into the receiver's cone. [1]
    """

    drops: FallingDrops
    backscatter: float
    """Q_b, efficiency of a drop's backscatter into the receiver's cone. [1]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropOptics:
    """The properties of a sensor that decide which drops it sees.

    Attributes
    ----------
    step_m : float
        Range step between the rows of ``root``. [m]
    root : float64 (n,)
        q(r) in the air of this scan: a target that fills the beam has the signal R / q^2. [1]
    least_snr : float
        Signal of the weakest drops that are drawn. [rms of the noise]
    min_range_m : float
        Smallest range at which drops are seen. [m]
    sigma_rad, window_sigma_m : (float, float)
        Standard deviations of the beam over angle [rad] and at the window [m].
    """

    step_m: float
    root: NDArray[np.float64]
    least_snr: float
    min_range_m: float
    sigma_rad: tuple[float, float]
    window_sigma_m: tuple[float, float]

    @property
    def range_m(self) -> NDArray[np.float64]:
        """Range of each row of ``root``, float64 (n,) [m]."""
        return np.asarray(np.arange(len(self.root)) * self.step_m, np.float64)

    @property
    def area_m2(self) -> NDArray[np.float64]:
        """Product of the beam's two standard deviations at each range, float64 (n,) [m^2]."""
        widths = [
            np.hypot(at_window, per_m * self.range_m)
            for at_window, per_m in zip(self.window_sigma_m, self.sigma_rad, strict=True)
        ]
        return np.asarray(widths[0] * widths[1], np.float64)


def drop_arrays(beam: DropOptics, rain: Falling | None, snow: Falling | None) -> DropArrays:
    """Return the tables from which the visible drops of rain and snow are drawn.

    For rain and for snow, they hold the mean number of visible drops from the sensor up to each
    range, the least diameter that is visible there, and the function H below. Rows of absent rain
    or snow have no drops.

    Parameters
    ----------
    beam : DropOptics
        Beam widths, noise and signal over range of the sensor, in the air of this scan.
    rain, snow : Falling or None
        Sizes and backscatter of the falling drops or flakes; None if there are none.

    Notes
    -----
    Q_b is the efficiency of a drop's backscatter, sigma_x and sigma_y are the beam's standard
    deviations at a range, and N(D) dD is the number of drops per volume with diameters from D to
    D + dD. R_min is the reflectivity of a target that fills the beam and is just visible.

    A drop of diameter D at the distance rho from a Gaussian beam's axis is as bright as a target
    that fills the beam and has the reflectivity::

        R = Q_b D^2 / (32 sigma_x sigma_y) exp(-u),  u = rho^2 / 2 in units of the beam's widths

    A drop is brighter than R_min if u < 2 ln(D / D_min), with D_min^2 = 32 R_min sigma_x sigma_y
    / Q_b, in a cross section of 2 pi sigma_x sigma_y u. So there are, per metre of range::

        lambda = 4 pi sigma_x sigma_y H(D_min),  H(d) = integral of N(D) ln(D / d) over D > d

    of which the share H(D_min sqrt(a)) / H(D_min) is brighter than a R_min. The light that a drop
    takes away from drops and surfaces behind it counts only in the mean extinction.
    """
    n = len(beam.root)
    sizes = np.linspace(math.log(LEAST_MM), math.log(MOST_MM), N_SIZES)
    number, least = np.zeros((2, n)), np.zeros((2, n))
    tail = np.full((2, N_SIZES), math.log(_NEVER))
    for row, falling in ((RAIN_ROW, rain), (SNOW_ROW, snow)):
        if falling is not None:
            tail[row] = np.log(np.maximum(falling.drops.visible_number(np.exp(sizes)), _NEVER))
            least[row] = _just_seen(beam, falling.backscatter, sizes)
            rate = np.exp(np.interp(least[row], sizes, tail[row])) * 4.0 * math.pi * beam.area_m2
            rate[beam.range_m < beam.min_range_m] = 0.0
            number[row, 1:] = np.cumsum(0.5 * (rate[1:] + rate[:-1])) * beam.step_m
    return DropArrays(
        some=-np.expm1(-number[:, -1]),
        step_m=beam.step_m,
        number=number,
        least=least,
        snr=beam.least_snr,
        low=float(sizes[0]),
        step=float(sizes[1] - sizes[0]),
        tail=tail,
    )


def _just_seen(
    beam: DropOptics, backscatter: float, sizes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the logarithm of the diameter [mm] that is just visible at each range."""
    just_seen_mm = least_visible_mm(
        beam.least_snr * np.square(beam.root), spot_m2=beam.area_m2, backscatter=backscatter
    )
    with np.errstate(divide="ignore"):
        return np.asarray(np.clip(np.log(just_seen_mm), sizes[0], sizes[-1]), np.float64)
