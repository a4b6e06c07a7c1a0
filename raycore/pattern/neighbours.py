# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Search for the beams of a pattern that are near others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from raycore.pattern.neighbour_kernels import add_near

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PIXELS = 1 << 22
"""Largest number of pixels in the image of all directions."""


class BeamNeighbours:
    """Finds the beams near others, by an image of all directions.

    Parameters
    ----------
    axis : float32 (3, n_beam)
        Unit vectors along the beams.
    reach_rad : float
        Angle up to which beams are near each other, at most 45 deg. As the image has finite pixels,
        some beams up to 2.8 times as far count as near, too. In patterns with a large field of
        view, all beams within some mrad are near. [rad]
    """

    def __init__(self, axis: NDArray[np.float32], reach_rad: float) -> None:
        self.axis = axis
        self._elevation = np.arcsin(np.clip(axis[2], -1.0, 1.0))
        lowest, highest = float(self._elevation.min()), float(self._elevation.max())
        reach_rad = min(max(reach_rad, 1e-6), math.pi / 4.0)
        height_rad = highest - lowest + 2.0 * reach_rad
        pixel_rad = max(0.5 * reach_rad, math.sqrt(2.0 * math.pi * height_rad / MOST_PIXELS))
        n_columns = math.ceil(2.0 * math.pi / pixel_rad)
        self._pixel_rad = 2.0 * math.pi / n_columns
        self._reach_rad = max(reach_rad, 2.0 * self._pixel_rad)
        row = ((self._elevation - lowest) / self._pixel_rad).astype(np.int64)
        self._marked = np.zeros((int(row.max()) + 1, n_columns), np.bool_)
        azimuth = np.arctan2(axis[1], axis[0])
        column = ((azimuth + math.pi) / self._pixel_rad).astype(np.int64) % n_columns
        self._pixel = (n_columns * row + column).astype(np.uint32)

    def add_near(self, seen: NDArray[np.uint8], kind: int, chosen: NDArray[np.bool_]) -> None:
        """Set ``chosen`` to True for all beams of a kind and all beams near them.

        Parameters
        ----------
        seen : uint8 (n_beam,)
            A number for each beam, whose bits say of which kinds the beam is.
        kind : int
            Mask of bits: a beam is of the kind if it has at least one of them.
        chosen : bool (n_beam,)
            Changed in place; the elements of all other beams stay as they are.
        """
        add_near(
            seen,
            kind,
            self._pixel,
            self._elevation,
            self._reach_rad,
            self._pixel_rad,
            self._marked,
            chosen,
        )
