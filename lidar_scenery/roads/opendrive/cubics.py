# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Piecewise cubic polynomials along a road: elevation, roll, offsets and widths of lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SEAM_M = 1e-3
"""Stations closer than this count as the same. [m]"""


class Stations(NamedTuple):
    """Stations of one lane section.

    Where two pieces of a polynomial meet, their values may differ. So each station comes with a
    station next to it, inside the section, that selects the piece.
    """

    s_m: NDArray[np.float64]
    """Stations. [m]"""
    inside_m: NDArray[np.float64]
    """The stations, moved to at least `SEAM_M` inside the section. [m]"""

    @classmethod
    def of(cls, s_m: NDArray[np.float64], start_m: float, end_m: float) -> Stations:
        """Return stations `s_m` of the section from `start_m` to `end_m` of a road."""
        return cls(s_m, np.clip(s_m, start_m + SEAM_M, end_m - SEAM_M))


@dataclass(frozen=True, slots=True, eq=False)
class Cubics:
    """Polynomials a + b ds + c ds^2 + d ds^3, each from its start to the start of the next.

    Attributes
    ----------
    starts_m : float64 (n,)
        Stations from which each polynomial holds, rising. Before the first, the value is 0.
    coefficients : float64 (n, 4)
        a, b, c, d of each polynomial.
    """

    starts_m: NDArray[np.float64]
    coefficients: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[tuple[float, float, float, float, float]]) -> Cubics:
        """Create from rows (start, a, b, c, d), in any order."""
        table = np.array(sorted(rows, key=lambda row: row[0]), np.float64).reshape(-1, 5)
        return cls(table[:, 0], table[:, 1:])

    def __bool__(self) -> bool:
        return bool(self.coefficients.any())

    def values(self, stations: Stations) -> NDArray[np.float64]:
        """Return the values at stations, (n,); 0 before the first polynomial."""
        if not len(self.starts_m):
            return np.zeros_like(stations.s_m)
        (a, b, c, d), ds, before = self._pieces(stations)
        return np.where(before, 0.0, a + ds * (b + ds * (c + ds * d)))

    def slopes(self, stations: Stations) -> NDArray[np.float64]:
        """Return the derivatives by station, (n,); 0 before the first polynomial."""
        if not len(self.starts_m):
            return np.zeros_like(stations.s_m)
        (_, b, c, d), ds, before = self._pieces(stations)
        return np.where(before, 0.0, b + ds * (2.0 * c + ds * 3.0 * d))

    def jumps(self) -> NDArray[np.float64]:
        """Return the starts at which the value jumps by more than a millimetre."""
        if len(self.starts_m) < 2:
            return np.empty(0)
        starts = self.starts_m[1:]
        before = self.values(Stations(starts, starts - SEAM_M))
        return starts[np.abs(before - self.coefficients[1:, 0]) > SEAM_M]

    def _pieces(
        self, stations: Stations
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return coefficients (4, n), distances from the starts, and whether before the first."""
        piece = np.searchsorted(self.starts_m, stations.inside_m, side="right") - 1
        held = np.maximum(piece, 0)
        return self.coefficients[held].T, stations.s_m - self.starts_m[held], piece < 0
