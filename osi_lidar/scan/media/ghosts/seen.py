# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ghosts that beams see, and the sensitivity with which the receiver notices them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from osi_bridge import NO_OBJECT

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Ghosts(NamedTuple):
    """Ghosts: surfaces that beams see by a detour of light. Each beam has one at most.

    Attributes
    ----------
    range_m : float32 (n_beam,)
        Half of the length of the whole way, out and back. [m]
    strength : float32 (n_beam,)
        Apparent reflectivity of the ghost; 0 if the beam has no ghost. [1]
    object_id : uint64 (n_beam,)
        OSI id of the object that sends the light back; NO_OBJECT if it is unknown.
    """

    range_m: NDArray[np.float32]
    strength: NDArray[np.float32]
    object_id: NDArray[np.uint64]

    @classmethod
    def none(cls, n_beam: int) -> Ghosts:
        """Return a record for ``n_beam`` beams in which no beam has a ghost.

        All ranges and strengths are 0, and all object ids are NO_OBJECT.
        """
        dark = np.zeros(n_beam, np.float32), np.zeros(n_beam, np.float32)
        return cls(*dark, np.full(n_beam, NO_OBJECT, np.uint64))

    def or_stronger(self, others: Ghosts) -> Ghosts:
        """Return the stronger ghost of each beam, of this record's ghosts and other ones.

        ``others`` has the other ghosts of the same beams. If both are equally strong, this record's
        ghost stays. Neither record is changed.
        """
        other = others.strength > self.strength
        return Ghosts(
            np.where(other, others.range_m, self.range_m),
            np.where(other, others.strength, self.strength),
            np.where(other, others.object_id, self.object_id),
        )


class Sensitivity(NamedTuple):
    """The weakest ghosts that the receiver may notice in the air of a scan.

    Attributes
    ----------
    step_m : float
        Range step between the rows of ``root``. [m]
    root : float64 (n,)
        q(r): a target of reflectivity R that fills the beam has the signal R / q^2. [1]
    least_snr : float
        Signal of the faintest ghosts that count. [rms of the noise]
    """

    step_m: float
    root: NDArray[np.float64]
    least_snr: float

    def least_strength(self, range_m: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the reflectivity of the faintest ghost that counts at each of some ranges.

        Parameters
        ----------
        range_m : float (n,)
            The ranges. [m]

        Returns
        -------
        float64 (n,)
            Reflectivity at which a target that fills the beam has the signal ``least_snr``. [1]
        """
        place = np.arange(len(self.root)) * self.step_m
        q: NDArray[np.float64] = np.interp(range_m, place, self.root)
        return self.least_snr * q * q
