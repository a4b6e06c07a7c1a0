# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows by which the errors of points find the values that they depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class PointRows(NamedTuple):
    """Indices by which the errors of points look up their inputs; arrays of n_point.

    Attributes
    ----------
    draw : uint32 (n_point,)
        Index of each point's random numbers; this is its beam if a beam has one point.
    hit : uint32 (n_point,), or slice
        Row of each point in ``cos_incidence``; a slice of all rows if these are the points.
    cos_incidence : float32 (n_hit,)
        Cosine of incidence of the hits from which points are made. [1]
    place_m : float32 (n_point,) or None
        Ranges of the points' echoes without errors; None if the points still have these ranges, or
        if no velocity is measured. [m]
    """

    draw: NDArray[np.uint32]
    hit: NDArray[np.uint32] | slice
    cos_incidence: NDArray[np.float32]
    place_m: NDArray[np.float32] | None = None

    def chosen(self, seen: NDArray[np.bool_]) -> PointRows:
        """Return the record of the points for which ``seen``, bool (n_point,), is True."""
        if isinstance(self.hit, slice):
            place_m = None if self.place_m is None else self.place_m[seen]
            return PointRows(self.draw[seen], self.hit, self.cos_incidence[seen], place_m)
        return PointRows(self.draw[seen], self.hit[seen], self.cos_incidence)
