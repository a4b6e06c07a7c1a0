# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Range images of a sensor's clouds: a row of pixels for each ring, columns of equal azimuth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEP_M = 0.01
"""Range of one grey value; viewers show 0 to 10 000, which is 100 m, from black to white. [m]"""
_FARTHEST_M = 65535 * STEP_M
MOST_COLUMNS = 8192
"""A sensor with more columns gets no image: it does not scan in columns."""
_EVEN = 0.3  # share of a column's width; azimuths with larger deviations are not evenly spaced
_NO_PLACE = (MOST_COLUMNS, -1)  # left and right edge of an image without pixels


class RangeImages:
    """Makes the range images of one sensor, one for each cloud.

    The rows of an image are rings, and its columns are steps of azimuth, from +180 deg clockwise.
    In many sensors, each ring has azimuths of its own. So the azimuths of each ring are shifted by
    at most half a column, until they fall on whole columns. If azimuths are not evenly spaced, as
    in a camera image, the points' own column numbers are used. An image has all rings and columns
    that any cloud so far had: later images may be larger, but never smaller.
    """

    def __init__(self) -> None:
        self._n_column: int | None = None  # columns of a full turn
        self._rises: bool | None = None
        self._n_rows = 0
        self._left, self._right = _NO_PLACE

    def image(self, points: NDArray[Any]) -> NDArray[np.uint16] | None:
        """Return the range image of a cloud.

        Parameters
        ----------
        points : structured (n_point,)
            Rows with x, y (to the left), z, range [m], ring and column.

        Returns
        -------
        uint16 (n_row, n_column) or None
            Range of the nearest echo in steps of `STEP_M`; 0 without an echo. The uppermost ring is
            at the top, the leftmost azimuth at the left. None if there are no points, if they lack
            range, ring or column, or if there is only one ring or more than `MOST_COLUMNS` columns.
        """
        names = points.dtype.names or ()
        if not len(points) or not {"range", "ring", "column"} <= {*names}:
            return None
        ring, column = points["ring"].astype(np.int64), self._columns(points)
        self._n_rows = max(self._n_rows, int(ring.max()) + 1)
        if np.ptp(column) >= MOST_COLUMNS or self._n_rows == 1:
            return None
        self._left = min(self._left, int(column.min()))
        self._right = max(self._right, int(column.max()))
        image = np.zeros((self._n_rows, self._right - self._left + 1), np.uint16)
        # numpy keeps the last value of a pixel
        far_first = np.argsort(-points["range"], kind="stable")
        place = ring[far_first], column[far_first] - self._left
        range_m = np.clip(points["range"][far_first], 0.0, _FARTHEST_M)
        image[place] = np.maximum(np.rint(range_m / STEP_M), 1)
        if self._rises is None:
            self._rises = _rises(ring, points)
        return image[::-1] if self._rises else image

    def _columns(self, points: NDArray[Any]) -> NDArray[np.int64]:
        """Return the column of each point's pixel."""
        ring, given = points["ring"].astype(np.int64), points["column"].astype(np.int64)
        azimuth = np.arctan2(points["y"], points["x"], dtype=np.float64)
        if self._n_column is None:
            self._n_column = _columns_of_a_turn(ring, given, azimuth)
            if self._n_column is None:
                return given
        place = (np.pi - azimuth) * self._n_column / (2 * np.pi)
        turn = np.exp(2j * np.pi * place)
        mean = np.bincount(ring, turn.real) + 1j * np.bincount(ring, turn.imag)
        shifted = place - (np.angle(mean) / (2 * np.pi))[ring]
        number = np.rint(shifted).astype(np.int64)
        even = np.mean(np.abs(shifted - number) < _EVEN) > 0.9
        return number % self._n_column if even else given


def _columns_of_a_turn(
    ring: NDArray[np.int64], column: NDArray[np.int64], azimuth: NDArray[np.float64]
) -> int | None:
    """Return the number of columns per turn, from neighbours in a ring; None if there are none."""
    order = np.lexsort((column, ring))
    apart = np.abs(np.diff(azimuth[order]))
    apart, steps = np.minimum(apart, 2 * np.pi - apart), np.diff(column[order])
    use = (np.diff(ring[order]) == 0) & (steps > 0) & (apart > 0)
    if not use.any():
        return None
    n_column = np.rint(2 * np.pi / np.median(apart[use] / steps[use]))
    return int(n_column) if 1 <= n_column <= MOST_COLUMNS else None


def _rises(ring: NDArray[np.int64], points: NDArray[Any]) -> bool:
    """Return whether the elevation rises with the number of the ring."""
    elevation = np.arctan2(points["z"], np.hypot(points["x"], points["y"]))
    return float((ring - ring.mean()) @ (elevation - elevation.mean())) > 0
