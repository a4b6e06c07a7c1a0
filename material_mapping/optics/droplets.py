# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds of small water droplets, as in fog: their sizes, and the lidar ratio that follows.

The droplets are spheres of many sizes. The number of droplets cancels in the lidar ratio, so only
the shape of a size distribution matters here.

References
----------
.. [1] R. H. Rasshofer, M. Spies, H. Spies, Influences of weather phenomena on automotive laser
   radar systems, Advances in Radio Science 9, 49-60, 2011, doi:10.5194/ars-9-49-2011
.. [2] E. P. Shettle, R. W. Fenn, Models for the aerosols of the lower atmosphere and the effects of
   humidity variations on their optical properties, AFGL-TR-79-0214, 1979
.. [3] T. S. Chu, D. C. Hogg, Effects of precipitation on propagation at 0.63, 3.5, and 10.6
   microns, Bell System Technical Journal 47(5), 723-759, 1968
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from material_mapping.optics import mie, water

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_STEP = 0.04  # of the size parameter: efficiencies have ripples of this width
_SHARE_LEFT = 1e-4  # of the volume, on both sides of the sizes that are summed
_WIDEST_UM = (0.01, 1000.0)  # radii among which those sizes are sought


class DropletSizes(NamedTuple):
    """A modified gamma distribution, n(r) ~ r^alpha exp(-(alpha / gamma) (r / mode)^gamma).

    Attributes
    ----------
    alpha, gamma : float
        Shape of the distribution below (alpha) and above (gamma) the mode. [1]
    mode_um : float
        The most frequent radius. [um]
    """

    alpha: float
    gamma: float
    mode_um: float

    def density(self, radius_um: ArrayLike) -> NDArray[np.float64]:
        """Return n(r), the relative number of droplets of radius r, divided by n at the mode [1].

        `radius_um` has radii above 0 [um]; the result has its shape.
        """
        ratio = np.asarray(radius_um, np.float64) / self.mode_um
        fall = self.alpha / self.gamma * (1.0 - ratio**self.gamma)
        return np.asarray(ratio**self.alpha * np.exp(fall), np.float64)


FOGS = MappingProxyType(
    {
        "strong_advection": DropletSizes(alpha=3.0, gamma=1.0, mode_um=10.0),
        "moderate_advection": DropletSizes(alpha=3.0, gamma=1.0, mode_um=8.0),
        "strong_radiation": DropletSizes(alpha=6.0, gamma=1.0, mode_um=4.0),
        "moderate_radiation": DropletSizes(alpha=6.0, gamma=1.0, mode_um=2.0),
        "chu_hogg": DropletSizes(alpha=2.0, gamma=0.5, mode_um=1.0),
    }
)
"""Distributions of droplet sizes in fogs, by name of the fog [1]_.

The first four follow [2]_, "chu_hogg" follows [3]_. Other authors call radiation fog spray.
"""


def lidar_ratio_sr(sizes: DropletSizes, *, wavelength_nm: float) -> float:
    """Return the lidar ratio of a cloud of water droplets: extinction over backscatter [sr].

    Parameters
    ----------
    sizes : DropletSizes
        Distribution of the droplets' radii.
    wavelength_nm : float
        Wavelength in vacuum, 400 to 1800. [nm]

    Notes
    -----
    With the efficiencies Q of Mie's series, where Q_back includes the factor 4 pi (see
    `optics.mie`), the lidar ratio is::

        S = 4 pi sum n r^2 Q_ext / sum n r^2 Q_back

    over equal steps of the size parameter. The smallest and the largest sizes, each with 1e-4 of
    the volume, are left out. The steps cause an error of 1 %, less than clouds differ from each
    other.
    """
    per_um = 2e3 * math.pi / wavelength_nm
    radius_um = np.geomspace(*_WIDEST_UM, 4096)
    volume = np.cumsum(sizes.density(radius_um) * radius_um**4)  # steps of a log grid are ~ r
    least, most = np.interp((_SHARE_LEFT, 1.0 - _SHARE_LEFT), volume / volume[-1], radius_um)
    first = max(least * per_um, mie.SIZE_PARAMETERS[0])
    size_parameter = np.arange(first, most * per_um, _STEP)
    q = mie.efficiencies(size_parameter, water.refractive_index(wavelength_nm))
    weight = sizes.density(size_parameter / per_um) * size_parameter**2
    return float(4.0 * math.pi * (weight @ q.extinction) / (weight @ q.back))
