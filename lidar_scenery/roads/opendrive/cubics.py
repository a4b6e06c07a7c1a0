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
    """Stations of one lane section at which piecewise polynomials are evaluated.

    Where two pieces of a polynomial meet, their values may differ. So each station in `s_m` comes
    with a station in `inside_m`, next to it and inside the section, that selects the piece.
    """

    s_m: NDArray[np.float64]
    """Stations, (n,). [m]"""
    inside_m: NDArray[np.float64]
    """Stations that select the pieces, (n,). Those that `of` makes are shifted where needed, so
    that each is at least `SEAM_M` from both ends of the section. [m]"""

    @classmethod
    def of(cls, s_m: NDArray[np.float64], start_m: float, end_m: float) -> Stations:
        """Return stations `s_m` (n,) of a section from station `start_m` to `end_m` [m]."""
        return cls(s_m, np.clip(s_m, start_m + SEAM_M, end_m - SEAM_M))


@dataclass(frozen=True, slots=True, eq=False)
class Cubics:
    """A curve of pieces a + b ds + c ds^2 + d ds^3, where ds counts from the start of the piece.

    Each piece holds up to the start of the next piece.

    Attributes
    ----------
    starts_m : float64 (n,)
        Station at which each piece starts, rising. Before the first start, the value is 0. [m]
    coefficients : float64 (n, 4)
        a, b, c, d of each piece.
    """

    starts_m: NDArray[np.float64]
    coefficients: NDArray[np.float64]

    @classmethod
    def of(cls, rows: Sequence[tuple[float, float, float, float, float]]) -> Cubics:
        """Return the curve of given pieces, which may come in any order; without any, it is 0.

        ``rows`` has a tuple for each piece: the station of its start [m], and a, b, c, d.
        """
        table = np.array(sorted(rows, key=lambda row: row[0]), np.float64).reshape(-1, 5)
        return cls(table[:, 0], table[:, 1:])

    def __bool__(self) -> bool:
        return bool(self.coefficients.any())

    def values(self, stations: Stations) -> NDArray[np.float64]:
        """Return the values of the curve at n stations, float64 (n,); 0 before the first piece.

        ``stations`` (`Stations`) has the stations, and says which piece holds at each of them.
        """
        if not len(self.starts_m):
            return np.zeros_like(stations.s_m)
        (a, b, c, d), ds, before = self._pieces(stations)
        return np.where(before, 0.0, a + ds * (b + ds * (c + ds * d)))

    def slopes(self, stations: Stations) -> NDArray[np.float64]:
        """Return the derivatives of the curve with respect to the station, float64 (n,).

        ``stations`` (`Stations`) has n stations, and says which piece holds at each of them. Before
        the first piece the derivative is 0.
        """
        if not len(self.starts_m):
            return np.zeros_like(stations.s_m)
        (_, b, c, d), ds, before = self._pieces(stations)
        return np.where(before, 0.0, b + ds * (2.0 * c + ds * 3.0 * d))

    def jumps(self) -> NDArray[np.float64]:
        """Return the stations at which pieces start with a jump by more than 1e-3, (k,) [m]."""
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
