# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Footprint of a beam: sub-rays that sample its intensity over angle and window.

The intensity of a Gaussian beam is exp(-a_h^2 / 2 sigma_h^2 - a_v^2 / 2 sigma_v^2) over the angles
from its axis. Position on the window and angle are independent, so that variances add: at the range
r, the rms width sigma(r) is given by sigma(r)^2 = window_sigma^2 + (sigma r)^2.
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

N_VARIANTS = 128
"""Number of variants of each set of sub-ray positions: the set is rotated and shifted differently
in each one, so that the beams of a scan do not all sample the same places."""
N_SETS = 8
"""Number of sets of 16 sub-ray positions in the table ``footprint_points.csv``; a beam of 32, 64 or
128 sub-rays joins 2, 4 or 8 of these sets."""

_FIRST_TURN = 0.25  # of a step
N_TAIL = 8
"""Number of sub-rays in each of the two rings that sample the tails of a Gaussian beam."""

_TAIL_SIGMA, _TAIL_EDGES_SIGMA = (3.0, 4.0), (2.5, 3.6)  # radii of the rings, and where each begins
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
    n_points : {16, 32, 64, 128}
        Number of sub-rays of a beam without its tails, all of the same weight.
    has_tails : bool
        Whether 16 more sub-rays of small weight sample the tails of a Gaussian beam, beyond 2.5
        sigma, in which retroreflectors are still detected.

    Notes
    -----
    Any one set of points is wrong by up to 4 % at an edge. So each beam takes one of several sets,
    turns it, and moves its points within rings of equal energy: over many beams every edge is right
    to 0.05 %.
    """

    sigma_rad: tuple[float, float]
    window_sigma_m: tuple[float, float] = (0.0, 0.0)
    profile: Profile = "gaussian"
    n_points: int = _SET
    has_tails: bool = False

    @property
    def n_sub(self) -> int:
        """Number of sub-rays of a beam, including its tails."""
        return self.n_points + (len(_TAIL_SIGMA) * N_TAIL if self.has_tails else 0)

    @property
    def weight(self) -> NDArray[np.float32]:
        """Fraction of the beam's power in each sub-ray, float32 (n_sub,)."""
        each = np.full(self.n_points, self._share_of_points / self.n_points)
        if not self.has_tails:
            return each.astype(np.float32)
        beyond = [_share_beyond(sigma) for sigma in _TAIL_EDGES_SIGMA]
        rings = -np.diff([*beyond, 0.0]) / N_TAIL
        return np.concatenate([each, rings.repeat(N_TAIL)]).astype(np.float32)

    @property
    def _share_of_points(self) -> float:
        """Fraction of the beam's power that is not in its tails."""
        return 1.0 - _share_beyond(_TAIL_EDGES_SIGMA[0]) if self.has_tails else 1.0

    @property
    def variance(self) -> float:
        """Variance of the beam's intensity, horizontally and vertically alike [sigma^2]."""
        return _RECTANGLE_VARIANCE if self.profile == "rectangle" else 1.0

    @property
    def cell_variance(self) -> float:
        """Mean variance within the cell of a sub-ray, along one axis [sigma^2].

        A cell is the part of the beam that one sub-ray represents. The variance within optimal
        cells and the variance between their centroids add up to the variance of the beam. But the
        sub-rays are not at the centroids: their own variance about equals the variance of the beam.
        """
        return self.variance * _VARIANCE_OF_CELL[self.n_points]

    @property
    def point_scale(self) -> float:
        """Share of the beam's variance that lies between its sub-rays, and not within their cells.

        To get the variance of a whole beam from its sub-rays, multiply their variance by this
        share, then add `cell_variance`.
        """
        return 1.0 - _VARIANCE_OF_CELL[self.n_points]

    def fans(self) -> NDArray[np.float32]:
        """Return all fans. A fan has directions and starts of sub-rays; each beam takes one fan.

        Returns
        -------
        float32 (n_fan, 5, n_sub)
            Components of a sub-ray's direction along the beam's axis, to the left and up; offsets
            of its start from the beam's origin to the left and up. [1, 1, 1, m, m]
        """
        points = _points().reshape(-1, self.n_points, 3)
        fans = np.empty((len(points) * N_VARIANTS, N_PARTS, self.n_sub), np.float32)
        fill_fans(
            points,
            _partners(self.n_points),
            _tail_points() if self.has_tails else np.zeros((0, 3)),
            self.sigma_rad,
            self.window_sigma_m,
            _PROFILES[self.profile],
            self._share_of_points,
            *_variants(),
            fans,
        )
        return fans

    def fan_of(self, other: Footprint, row: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return, for fans of a coarser footprint, the fans of this one with the same sub-rays.

        A fan has directions and starts of all sub-rays of a beam, see `fans`. If the footprints
        differ only in ``n_points``, the returned fan contains all sub-rays of the coarser one. If
        only this footprint has tails, those sub-rays are a little closer to the beam's axis.

        Parameters
        ----------
        other : Footprint
            The coarser footprint, with as many points as this one, or fewer.
        row : uint16 (n,)
            Indices of fans of ``other``, as in ``other.fans()``.

        Returns
        -------
        uint16 (n,)
            For each of them, the index of the matching fan in ``self.fans()``.
        """
        of_set, variant = np.divmod(row, np.uint16(N_VARIANTS))
        own = of_set // (self.n_points // other.n_points) * N_VARIANTS + variant
        return own.astype(np.uint16)


def _share_beyond(sigma: float) -> float:
    """Return the fraction of a Gaussian beam's power beyond a radius in sigma."""
    return math.exp(-0.5 * sigma * sigma)


@cache
def _tail_points() -> NDArray[np.float64]:
    """Return unit vector and radius [sigma] of the points in the tails, float64 (16, 3)."""
    angles = [2.0 * math.pi * k / N_TAIL for k in range(N_TAIL)]
    return np.array(
        [(math.cos(angle), math.sin(angle), sigma) for sigma in _TAIL_SIGMA for angle in angles]
    )


@cache
def _points() -> NDArray[np.float32]:
    """Return unit vector (two numbers) and stratum of all points, float32 (8, 16, 3).

    The stratum of a point is the rank of its radius, from 0.
    """
    half = np.loadtxt(_FILE, delimiter=",")
    radius = np.hypot(*half.T)
    stratum = np.argsort(np.argsort(radius))
    one = np.column_stack([half / radius[:, None], stratum]).reshape(N_SETS, _SET // 2, 3)
    return np.concatenate([one, one * [-1.0, -1.0, 1.0]], axis=1).astype(np.float32)


@cache
def _variants() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the variants of a set: cosine and sine of its rotation (n, 2), and its shift (n,).

    The shift, 0 to 1, is the position of all points within their strata. Rotations cover half a
    turn, which exchanges opposite points. The shift is the index of the rotation with its bits
    reversed, so that both are evenly distributed, also together. The first rotation keeps all
    points 1e-4 sigma off the horizontal and vertical through the axis, along which real edges lie.
    """
    angles = [math.pi * (k + _FIRST_TURN) / N_VARIANTS for k in range(N_VARIANTS)]
    turns = [(math.cos(angle), math.sin(angle)) for angle in angles]
    bits = N_VARIANTS.bit_length() - 1
    reverse = [int(f"{k:0{bits}b}"[::-1], 2) for k in range(N_VARIANTS)]
    return np.array(turns), (np.array(reverse) + 0.5) / N_VARIANTS


@cache
def _partners(n_points: int) -> NDArray[np.int64]:
    """Return for each sub-ray the point that gives its position on the window, int64 (n_points,).

    The point itself gives the angle. In a pair of points p and q, p takes q's position and q takes
    -p's; their negatives do likewise. So position and angle of sub-rays are uncorrelated along each
    axis, whatever the points.
    """
    of_set = np.empty(_SET, np.int64)
    for p in range(0, _SET // 2, 2):
        q, minus_p, minus_q = p + 1, p + _SET // 2, p + 1 + _SET // 2
        of_set[[p, q, minus_p, minus_q]] = q, minus_p, minus_q, p
    return np.concatenate([first + of_set for first in range(0, n_points, _SET)])
