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

from raycore.pattern.footprint_kernels import (
    GAUSSIAN,
    RECTANGLE,
    UNIFORM,
    spread,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

Profile = Literal["gaussian", "uniform", "rectangle"]

N_TURNS = 4096
"""Angles by which the points of a beam may be turned."""
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

    def sub_rays(
        self,
        direction: NDArray[np.float32],
        origin_m: NDArray[np.float32],
        chance: tuple[NDArray[np.float64], NDArray[np.float64]],
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return directions and origins of the sub-rays of beams.

        Parameters
        ----------
        direction : float32 (n_beam, 3)
            Unit vectors.
        origin_m : float32 (n_beam | 1, 3)
            Where the beams start. [m]
        chance : two float64 (n_beam,)
            Numbers of 0 to 1, of which those of one beam are independent: for the set of points,
            and for its turn and the place of the points in their rings.

        Returns
        -------
        direction : float32 (3, n_beam * n_sub)
        origin_m : float32 (n_beam * n_sub | 1, 3)
            The one place, if all beams start there and the window has no width. [m]
        """
        of_set, of_turn = chance
        points = _points().reshape(-1, self.n_sub, 3)
        n_rays, has_window = len(direction) * self.n_sub, any(self.window_sigma_m)
        directions = np.empty((3, n_rays), np.float32)
        origins = np.empty((n_rays if has_window else 0, 3), np.float32)
        turn, within = np.divmod(of_turn * N_TURNS, 1.0)
        spread(
            points,
            _partners(self.n_sub),
            self.sigma_rad,
            self.window_sigma_m,
            _PROFILES[self.profile],
            direction,
            origin_m,
            (of_set * len(points)).astype(np.uint8),
            _turns()[turn.astype(np.intp)],
            within,
            directions,
            origins,
        )
        if has_window:
            return directions, origins
        return directions, origin_m if len(origin_m) == 1 else origin_m.repeat(self.n_sub, axis=0)


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
def _turns() -> NDArray[np.float32]:
    """Return cosine and sine of all turns, float32 (n_turn, 2): rounded, the same everywhere."""
    angles = [2.0 * math.pi * k / N_TURNS for k in range(N_TURNS)]
    return np.array([(math.cos(angle), math.sin(angle)) for angle in angles], np.float32)


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
