# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Footprint of a beam: the sub-rays that stand for its intensity over angle and window.

The intensity of a Gaussian beam is exp(-a_h^2 / 2 sigma_h^2 - a_v^2 / 2 sigma_v^2) over the angles
from its axis. Place on the window and angle are independent, so that variances add: at the range r
its rms width is sigma(r)^2 = window_sigma^2 + (sigma r)^2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from raycore.pattern.fan_kernels import N_PARTS
from raycore.pattern.footprint_kernels import GAUSSIAN, RECTANGLE, UNIFORM, fill_fans

if TYPE_CHECKING:
    from numpy.typing import NDArray

Profile = Literal["gaussian", "uniform", "rectangle"]

N_VARIANTS = 512
"""Ways in which each set of points is turned and moved."""
N_SETS = 8
"""Sets of 16 points in the table; larger sets are several of them."""

_PROFILES = {"gaussian": GAUSSIAN, "uniform": UNIFORM, "rectangle": RECTANGLE}
_SET = 16
_FILE = Path(__file__).with_name("footprint_points.csv")
_VARIANCE_OF_CELL = {16: 0.128, 32: 0.066, 64: 0.036, 128: 0.020}
# of a uniform profile between -2 and 2; that of an ellipse is 1, as a Gaussian's
_RECTANGLE_VARIANCE = 4.0 / 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """Widths of a beam, and the number of its sub-rays.

    Attributes
    ----------
    sigma_rad, window_sigma_m : (float, float)
        Rms half width over angle [rad] and at the window [m], horizontal and vertical.
    profile : {"gaussian", "uniform", "rectangle"}
        Intensity over the beam; the last two end at 2 sigma.
    n_sub : {16, 32, 64, 128}
        Sub-rays of a beam, all of the same weight.

    Notes
    -----
    Any one set of points is wrong by up to 4 % at an edge. So each beam takes one of several sets,
    turns it, and moves its points within rings of equal energy: over many beams every edge is right
    to 0.05 %.
    """

    sigma_rad: tuple[float, float]
    window_sigma_m: tuple[float, float] = (0.0, 0.0)
    profile: Profile = "gaussian"
    n_sub: int = _SET

    @property
    def weight(self) -> NDArray[np.float32]:
        """Fraction of the beam's power in each sub-ray, float32 (n_sub,)."""
        return np.full(self.n_sub, 1.0 / self.n_sub, np.float32)

    @property
    def variance(self) -> float:
        """Variance of the profile along an axis. [sigma^2]."""
        return _RECTANGLE_VARIANCE if self.profile == "rectangle" else 1.0

    @property
    def cell_variance(self) -> float:
        """Variance, along an axis, of the part of the beam that one sub-ray stands for. [sigma^2].

        That of the cells of optimal sets of points of each size, whose points are the centroids:
        the variance between them and that within the cells add to that of the beam.
        """
        return self.variance * _VARIANCE_OF_CELL[self.n_sub]

    @property
    def point_scale(self) -> float:
        """What the variance between sub-rays counts so that, with the cells', the sum is right."""
        return 1.0 - _VARIANCE_OF_CELL[self.n_sub]

    def fans(self) -> NDArray[np.float32]:
        """Return where the sub-rays of beams point and start, of which each beam takes one row.

        Returns
        -------
        float32 (n_fan, 5, n_sub)
            Parts of the direction along the axis, to the left and up, and how far to the left of
            the beam's origin, and above it, a sub-ray starts. [1, 1, 1, m, m]
        """
        points = _points().reshape(-1, self.n_sub, 3)
        fans = np.empty((len(points) * N_VARIANTS, N_PARTS, self.n_sub), np.float32)
        fill_fans(
            points,
            _partners(self.n_sub),
            self.sigma_rad,
            self.window_sigma_m,
            _PROFILES[self.profile],
            *_variants(),
            fans,
        )
        return fans


@cache
def _points() -> NDArray[np.float32]:
    """Return unit vector and stratum of all points, float32 (8, 16, 3).

    The strata are those of the points' radii in their order.
    """
    half = np.loadtxt(_FILE, delimiter=",")
    radius = np.hypot(*half.T)
    stratum = np.argsort(np.argsort(radius))
    one = np.column_stack([half / radius[:, None], stratum]).reshape(N_SETS, _SET // 2, 3)
    return np.concatenate([one, one * [-1.0, -1.0, 1.0]], axis=1).astype(np.float32)


@cache
def _variants() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return cosine and sine (n, 2) of all turns, and the place in the strata that goes with each.

    Half a turn brings opposite points to each other's places. The places are the turns' numbers
    with their bits in reverse, so that both fill their intervals evenly, together too.
    """
    angles = [math.pi * k / N_VARIANTS for k in range(N_VARIANTS)]
    turns = [(math.cos(angle), math.sin(angle)) for angle in angles]
    bits = N_VARIANTS.bit_length() - 1
    reverse = [int(f"{k:0{bits}b}"[::-1], 2) for k in range(N_VARIANTS)]
    return np.array(turns), (np.array(reverse) + 0.5) / N_VARIANTS


@cache
def _partners(n_sub: int) -> NDArray[np.int64]:
    """Return for each sub-ray the point that says where it leaves the window, int64 (n_sub,).

    Of a pair of points p and q, p takes q and q takes -p, and their negatives likewise. So place
    and angle of the sub-rays are uncorrelated along each axis, whatever the points.
    """
    of_set = np.empty(_SET, np.int64)
    for p in range(0, _SET // 2, 2):
        q, minus_p, minus_q = p + 1, p + _SET // 2, p + 1 + _SET // 2
        of_set[[p, q, minus_p, minus_q]] = q, minus_p, minus_q, p
    return np.concatenate([first + of_set for first in range(0, n_sub, _SET)])
