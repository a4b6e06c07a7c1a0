# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fog, haze and dust: extinction from the visibility, and backscatter from the extinction.

After r metres through air with the extinction alpha, the share exp(-alpha r) of the light is left.
The air sends back beta = alpha / S per metre and steradian, where S is its lidar ratio.

References
----------
.. [1] WMO, Guide to instruments and methods of observation, WMO-No. 8, volume I, chapter 9:
   meteorological optical range, the path over which 5 % of the flux is left
.. [2] I. I. Kim, B. McArthur, E. J. Korevaar, Comparison of laser beam propagation at 785 nm and
   1550 nm in fog and haze for optical wireless communications, Proceedings of SPIE 4214, 26-37,
   2001, doi:10.1117/12.417512
.. [3] A. H. Omar et al., The CALIPSO automated aerosol classification and lidar ratio selection
   algorithm, Journal of Atmospheric and Oceanic Technology 26(10), 1994-2014, 2009,
   doi:10.1175/2009JTECHA1231.1
"""

from __future__ import annotations

import math

import numpy as np

from lidar_scenery.weather.checks import check_wavelength

GREEN_NM = 550.0
"""Wavelength of the visibility. [nm]"""

FOG_BELOW_M = 1000.0
"""Visibility up to which air holds droplets, whose extinction is equal at all wavelengths. [m]"""

HAZE_ABOVE_M = 2000.0
"""Visibility from which on the law of haze holds. [m]"""

DUST_LIDAR_RATIO_SR = 40.0
"""Lidar ratio of dust: [3]_ at 532 nm, with 55 sr at 1064 nm. [sr]"""

_RATIO_NM, _RATIO_SR = (905.0, 1550.0), (18.5, 21.0)


def extinction_per_m(visibility_m: float, *, wavelength_nm: float) -> float:
    """Return the extinction coefficient of air that has a given visibility [1/m].

    Parameters
    ----------
    visibility_m : float
        V, the meteorological optical range; infinite in clear air. ValueError if not above 0. [m]
    wavelength_nm : float
        Wavelength of the lidar, 400 to 1600, the range in which the law of haze holds. [nm]

    Returns
    -------
    float
        The extinction; 0 for infinite visibility. It falls with visibility, but below 550 nm it
        rises at the step at 50 km. [1/m]

    Notes
    -----
    With 5 % of the flux left at 550 nm [1]_, and the exponent q of [2]_ in haze (V in km)::

        alpha = ln(20) / V (wavelength / 550 nm)^-q

        q = 0                  V up to 1      fog
        q = 0.66 (V - 1)       1 to 2         mist
        q = 0.16 V + 0.34      2 to 6         haze
        q = 1.3, 1.6           to 50, above

    For fog, [2]_ has q = V - 0.5 from 0.5 to 1 km, so that the extinction falls with wavelength.
    Mie's series finds no such fall for droplets: at 905 nm they have 1 to 4 % more extinction than
    at 550 nm. So q is 0 up to 1 km here. The straight line for mist is an estimate that joins fog
    and haze without a step. The step at 50 km follows [2]_: it is 14 % at 905 nm, of an extinction
    that takes 0.6 % of the light over 100 m and back.
    """
    if not visibility_m > 0.0:
        raise ValueError(f"visibility_m is {visibility_m:g}, expected above 0")
    check_wavelength(wavelength_nm)
    green_per_m = math.log(20.0) / visibility_m
    return float(green_per_m * (wavelength_nm / GREEN_NM) ** -_exponent(visibility_m))


def lidar_ratio_sr(wavelength_nm: float) -> float:
    """Return the lidar ratio of fog and haze: extinction over backscatter coefficient [sr].

    Parameters
    ----------
    wavelength_nm : float
        Wavelength of the lidar. [nm]

    Notes
    -----
    The ratio is 18.5 sr at 905 nm and 21 sr at 1550 nm, linear in between and constant outside.
    Mie's series for droplets of five published fogs gives 16.9 to 19.4 sr (mean 18.4 sr) at 905 nm
    and 18.7 to 28.3 sr (mean 22.6 sr) at 1550 nm, see `material_mapping.optics.droplets`. Haze of
    dry aerosol has up to 70 sr [3]_, so it sends back less than assumed here.
    """
    check_wavelength(wavelength_nm)
    return float(np.interp(wavelength_nm, _RATIO_NM, _RATIO_SR))


def _exponent(visibility_m: float) -> float:
    km = visibility_m * 1e-3
    if visibility_m <= FOG_BELOW_M:
        return 0.0
    if visibility_m <= HAZE_ABOVE_M:
        return 0.66 * (km - 1.0)
    if km <= 6.0:
        return 0.16 * km + 0.34
    return 1.3 if km <= 50.0 else 1.6
