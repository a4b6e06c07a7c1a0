# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Agreement on which beams return (a 2 x 2 table of real and simulated), and flicker at rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.summaries import count, share

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Counts of pixels that return in both scans, in one, or in neither; a return is "positive".

    Traps: sky, which never returns, raises the accuracy. Two real scans of one place do not agree
    fully, either (IoU 0.86 for an OS0-64 in a hall); a simulation with a higher IoU is too regular,
    not better. Ratios are NaN if their denominator is 0.

    Attributes
    ----------
    both, sim_only, real_only, neither : int
        Number of pixels that return in both scans (true positives), in the simulated scan only
        (false positives), in the real scan only (false negatives), and in neither (true negatives).

    References
    ----------
    .. [1] T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27, 2006.
    """

    both: int
    sim_only: int
    real_only: int
    neither: int

    @property
    def n_real(self) -> int:
        """Number of pixels of the real scan that return."""
        return self.both + self.real_only

    @property
    def n_sim(self) -> int:
        """Number of pixels of the simulated scan that return."""
        return self.both + self.sim_only

    @property
    def iou(self) -> float:
        """Intersection over union: ``both / (both + sim_only + real_only)``."""
        return share(self.both, self.both + self.sim_only + self.real_only)

    @property
    def precision(self) -> float:
        """Share of the simulated returns that are real ones, too."""
        return share(self.both, self.n_sim)

    @property
    def recall(self) -> float:
        """Share of the real returns that are simulated, too."""
        return share(self.both, self.n_real)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return share(2 * self.both, self.n_sim + self.n_real)

    @property
    def accuracy(self) -> float:
        """Share of all pixels that return in both scans or in neither."""
        agreed = self.both + self.neither
        return share(agreed, agreed + self.sim_only + self.real_only)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flicker:
    """Shares of the pixels that return in no, in some, and in all scans of a sensor at rest.

    Trap: the pose must not change. Clouds that were motion-compensated with an inertial unit may be
    tilted by 0.1 deg against each other.

    Attributes
    ----------
    never, sometimes, always : float
        Their sum is 1; ``sometimes`` is the flicker. [1]
    """

    never: float
    sometimes: float
    always: float


def agreement(real: NDArray[np.bool_], sim: NDArray[np.bool_]) -> Agreement:
    """Count the pixels that return in both scans, in one, and in neither.

    Parameters
    ----------
    real, sim : bool, of equal shape
        Which pixels return. Leave out pixels that the simulation cannot reproduce, such as pixels
        on the sensor's own vehicle.
    """
    both = count(real & sim)
    n_real, n_sim = count(real), count(sim)
    return Agreement(
        both=both,
        sim_only=n_sim - both,
        real_only=n_real - both,
        neither=real.size - n_real - n_sim + both,
    )


def flicker(returned: NDArray[np.bool_]) -> Flicker:
    """Return the shares of pixels that return never, sometimes or always in scans at rest.

    Parameters
    ----------
    returned : bool (n_scan, ...)
        Which pixels return in each scan.
    """
    n_scans, n_returns = len(returned), np.count_nonzero(returned, axis=0)
    never = count(n_returns == 0)
    always = count((n_returns == n_scans) & (n_returns > 0))
    n = n_returns.size
    return Flicker(
        never=share(never, n), sometimes=share(n - never - always, n), always=share(always, n)
    )
