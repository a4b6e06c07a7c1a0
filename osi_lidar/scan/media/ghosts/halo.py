# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Blooming: the stray light of beams lights retroreflectors that other beams meet.

Around each beam is a faint halo. If a beam meets a surface of reflectivity R above 1, another beam
at the angle phi from it has an echo at the same range, with the reflectivity

    R share exp(-phi / width)

Only the strongest such echo of a beam counts, so that blooming does not depend on resolution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from osi_lidar.scan.media.ghosts.seen import Ghosts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.scan.media.ghosts.seen import Sensitivity

_AT_ONCE = 1 << 21  # pairs of beams whose angle is computed at a time


class Bright(NamedTuple):
    """Beams that meet a retroreflector, which returns more light than a white wall would.

    Attributes
    ----------
    beams : int (n,)
        Indices of the beams in the scan pattern.
    strength : float64 (n,)
        Reflectivity times the share of the beam that meets the retroreflector. [1]
    range_m : float64 (n,)
        Range of the retroreflector. [m]
    object_id : uint64 (n,)
        OSI id of the object that it belongs to.
    """

    beams: NDArray[np.intp]  # (n,) indices of the beams
    strength: NDArray[np.float64]  # (n,) reflectivity times the share of the beam that meets it
    range_m: NDArray[np.float64]  # (n,) of the surface
    object_id: NDArray[np.uint64]  # (n,) of the surface


class Halo(NamedTuple):
    """The halo of a beam: its stray light, which falls exponentially with the angle.

    Attributes
    ----------
    share : float
        Signal of the halo relative to the beam, extrapolated to an angle of 0. [1]
    width_rad : float
        Angle at which the halo has fallen to 1/e. [rad]
    """

    share: float
    width_rad: float

    def reach_rad(self, bright: Bright, sensitivity: Sensitivity) -> float:
        """Return the largest angle between two beams at which one sees the other's surface [rad].

        The result is 0 if no bright surface can be noticed at any angle.

        Parameters
        ----------
        bright : Bright
            Beams that meet retroreflectors.
        sensitivity : Sensitivity
            Sensitivity of the receiver, which says how faint a ghost it may notice.
        """
        return self.width_rad * float(self._height(bright, sensitivity).max(initial=0.0))

    def echoes(
        self,
        axis: NDArray[np.float32],
        others: NDArray[np.intp],
        bright: Bright,
        sensitivity: Sensitivity,
    ) -> Ghosts:
        """Return the ghosts of bright surfaces that other beams see, a row for each beam.

        Parameters
        ----------
        axis : float32 (3, n_beam)
            Unit vectors along all beams.
        others : int (n,)
            Indices of the beams that may see ghosts; all other rows of the result have none.
        bright : Bright
            Beams that meet retroreflectors.
        sensitivity : Sensitivity
            Sensitivity of the receiver; weaker ghosts are left out.
        """
        start, unit = self._height(bright, sensitivity), axis.T.astype(np.float64)
        sources, seen = unit[bright.beams], Ghosts.none(axis.shape[1])
        for some in np.array_split(others, len(others) * len(sources) // _AT_ONCE + 1):
            chord = sum((unit[some, i, None] - sources[:, i]) ** 2 for i in range(3))
            apart = 2.0 * np.arcsin(np.minimum(0.5 * np.sqrt(chord), 1.0)) / self.width_rad
            height = start - apart
            best = height.argmax(axis=1)
            fallen = np.exp(-apart[np.arange(len(some)), best])
            noticed = height.max(axis=1) >= 0.0
            chosen, of = some[noticed], best[noticed]
            seen.strength[chosen] = self.share * bright.strength[of] * fallen[noticed]
            seen.range_m[chosen] = bright.range_m[of]
            seen.object_id[chosen] = bright.object_id[of]
        return seen

    def _height(self, bright: Bright, sensitivity: Sensitivity) -> NDArray[np.float64]:
        """Return the logarithm of each bright beam's signal divided by the weakest that counts."""
        least = sensitivity.least_strength(bright.range_m)
        return np.asarray(np.log(self.share * bright.strength / least), np.float64)
