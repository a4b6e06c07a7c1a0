# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Spectral irradiance of sun and sky at a wavelength in the near infrared, from an illuminance.

    E_sun = d(L) g(L) min(E_v of the sun, E_v of the scene)
    E_sky = g(L) E_v of the scene - E_sun

E_v are illuminances in lx, L is the wavelength. The spectrum is for a clear sky and a sun 41.8
degrees above the horizon (air mass 1.5), as tabulated in ASTM G173-03 [1]_. g is the spectral
irradiance of a plane that faces the sun, divided by the illuminance of that plane, 109 488 lx. d is
the share of the spectral irradiance that comes from the sun itself. The illuminance is the spectrum
weighted with V(L) of the CIE [2]_, times 683 lm/W.

Limits: the colour of the light is the same at every height of the sun and under clouds. The sky is
equally bright in all directions, and so is the ground.

References
----------
.. [1] ASTM G173-03, Standard tables for reference solar spectral irradiances: direct normal and
   hemispherical on 37 deg tilted surface, doi:10.1520/G0173-03R20; as pvlib 0.16.1 has it
.. [2] CIE 018:2019, The basis of physical photometry, doi:10.25039/TR.018.2019
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

SUNLIGHT_NM = (700.0, 1700.0)
"""Shortest and longest wavelength of the table. [nm]"""
FULL_SUN_LUX = 100_000.0
"""Illuminance of a plane that faces the sun on a clear day. [lx]"""
_TABLE_LUX = 109_488.0  # of the spectrum of the plane
_STEP_NM = 5.0
_OFF_PLANE = math.cos(math.radians(11.19))  # the sun at 48.19 deg from the zenith, the plane at 37

# mW/(m^2 nm) on the plane, each the mean over 20 nm
_ON_PLANE = (
    1285.4, 1298.8, 1246.7, 1202.7, 1141.7, 1107.8, 1137.5, 1168.3, 1212.1, 1229.0, 1207.8, 1011.8,
    948.9, 934.0, 946.5, 1124.8, 1161.4, 1141.8, 1120.9, 1099.6, 1084.1, 1058.6, 1000.5, 955.3,
    918.5, 903.6, 938.6, 965.7, 980.9, 980.7, 976.1, 972.1, 956.9, 962.0, 953.6, 939.0, 937.5,
    920.7, 857.8, 804.5, 748.6, 690.4, 684.2, 689.0, 674.5, 583.6, 480.4, 384.7, 304.1, 320.2,
    346.6, 375.0, 441.0, 512.6, 574.9, 631.4, 669.9, 697.1, 729.5, 738.5, 733.7, 726.4, 717.0,
    708.9, 702.7, 693.9, 686.9, 680.5, 671.5, 663.3, 653.7, 643.5, 632.2, 622.3, 613.9, 604.0,
    594.4, 579.5, 558.2, 530.9, 497.6, 443.6, 354.2, 266.8, 182.7, 137.2, 149.5, 169.4, 185.3,
    199.4, 223.9, 266.9, 327.5, 382.6, 417.4, 425.2, 428.5, 435.8, 431.6, 434.2, 438.5, 433.2,
    438.9, 446.7, 451.4, 458.0, 460.8, 462.2, 461.9, 458.1, 451.3, 436.1, 410.6, 399.6, 395.5,
    397.8, 413.5, 414.0, 405.7, 392.3, 375.7, 351.8, 330.3, 311.2, 284.7, 251.2, 220.8, 186.0,
    134.4, 90.4, 45.3, 10.8, 0.735, 0.027, 0.108, 0.11, 0.161, 0.182, 0.201, 0.446, 0.631, 2.03,
    5.29, 9.98, 17.9, 24.0, 28.8, 34.9, 42.5, 51.9, 72.8, 87.1, 88.5, 89.0, 82.2, 84.6, 98.2, 127.1,
    155.9, 181.3, 208.9, 225.7, 238.1, 252.8, 261.2, 265.9, 270.4, 270.3, 271.5, 271.1, 270.0,
    269.0, 265.5, 257.6, 249.6, 244.8, 242.4, 245.8, 248.8, 243.7, 239.5, 234.7, 232.3, 235.1,
    237.2, 237.9, 234.9, 230.0, 225.1, 221.0, 220.2, 220.6, 217.3, 216.6, 213.8, 209.3, 209.6,
    206.8, 204.4, 204.0, 200.1,
)  # fmt: skip
# mW/(m^2 nm) of the sun itself on a plane that faces it, likewise
_DIRECT = (
    1166.4, 1178.4, 1132.0, 1093.2, 1039.2, 1009.8, 1037.1, 1065.6, 1105.7, 1121.7, 1103.2, 926.0,
    870.0, 857.5, 869.8, 1032.9, 1066.7, 1049.7, 1031.3, 1012.7, 999.2, 976.7, 924.4, 883.7, 850.7,
    837.5, 869.9, 895.1, 909.3, 909.3, 905.4, 902.3, 888.6, 893.7, 886.4, 873.3, 872.4, 857.3,
    799.6, 750.9, 699.7, 646.2, 640.6, 645.2, 632.0, 547.2, 450.9, 362.0, 286.9, 302.0, 327.0,
    353.7, 415.7, 482.7, 541.2, 594.0, 630.1, 655.5, 685.9, 694.4, 690.0, 683.5, 674.9, 667.5,
    661.9, 653.9, 647.6, 641.7, 633.5, 626.0, 617.2, 607.7, 597.3, 588.2, 580.5, 571.3, 562.5,
    548.6, 528.8, 503.3, 472.1, 421.3, 336.8, 254.0, 174.3, 131.1, 142.9, 161.8, 177.1, 190.6,
    213.9, 254.9, 312.6, 365.1, 398.1, 405.6, 408.9, 416.0, 412.0, 414.6, 418.6, 413.5, 419.0,
    426.4, 430.9, 437.3, 440.0, 441.4, 441.3, 437.7, 431.3, 417.0, 392.8, 382.4, 378.5, 380.7,
    395.7, 396.3, 388.5, 375.8, 360.0, 337.3, 316.9, 298.7, 273.5, 241.5, 212.4, 179.1, 129.5, 87.2,
    43.7, 10.4, 0.71, 0.0261, 0.104, 0.106, 0.156, 0.176, 0.195, 0.433, 0.612, 1.97, 5.14, 9.7,
    17.4, 23.4, 28.0, 33.9, 41.3, 50.5, 70.9, 84.8, 86.2, 86.6, 80.0, 82.3, 95.6, 123.6, 151.6,
    176.2, 203.0, 219.3, 231.2, 245.5, 253.7, 258.2, 262.7, 262.6, 263.7, 263.4, 262.3, 261.4,
    258.0, 250.3, 242.5, 237.9, 235.5, 238.8, 241.7, 236.8, 232.7, 228.1, 225.7, 228.4, 230.4,
    231.2, 228.3, 223.6, 218.8, 214.9, 214.2, 214.6, 211.4, 210.7, 208.0, 203.7, 204.1, 201.4,
    199.1, 198.7, 195.0,
)  # fmt: skip


class Irradiance(NamedTuple):
    """Spectral irradiance of the sun and of the sky at one wavelength.

    Attributes
    ----------
    sun : float
        Irradiance of the sun itself, on a plane that faces it. [W/(m^2 nm)]
    sky : float
        Irradiance of the sky, on any plane. [W/(m^2 nm)]
    """

    sun: float
    sky: float


def irradiance(scene_lux: float, sun_lux: float = 0.0, *, wavelength_nm: float) -> Irradiance:
    """Return the spectral irradiance of sun and sky at a wavelength, from illuminances.

    Parameters
    ----------
    scene_lux : float
        Illuminance of the scene; if there is a sun, on a plane that faces the sun. [lx]
    sun_lux : float
        The sun's part of it; 0 without a sun, or if the direction of the sun is not known. Values
        above `scene_lux` count as `scene_lux`. [lx]
    wavelength_nm : float
        Wavelength, within `SUNLIGHT_NM`. The table holds means over 20 nm, in steps of 5 nm, and is
        interpolated linearly. [nm]

    Raises
    ------
    ValueError
        If the wavelength is not in the table.
    """
    low, high = SUNLIGHT_NM
    if not low <= wavelength_nm <= high:
        raise ValueError(f"wavelength_nm is {wavelength_nm:g}, expected {low:g} to {high:g}")
    row = (wavelength_nm - low) / _STEP_NM
    rows = np.arange(len(_ON_PLANE))
    on_plane, direct = (float(np.interp(row, rows, each)) for each in (_ON_PLANE, _DIRECT))
    per_lux, sun_per_lux = (1e-3 / _TABLE_LUX * each for each in (on_plane, _OFF_PLANE * direct))
    of_sun = sun_per_lux * min(sun_lux, scene_lux)
    return Irradiance(sun=of_sun, sky=per_lux * scene_lux - of_sun)


def white_radiance(wavelength_nm: float) -> float:
    """Return the spectral radiance E / pi of a white matt plane that faces the sun.

    The unit is W/(m^2 sr nm).

    E is the irradiance of sun and sky for an illuminance of `FULL_SUN_LUX`.

    Parameters
    ----------
    wavelength_nm : float
        Wavelength of the light, within `SUNLIGHT_NM`. [nm]
    """
    return sum(irradiance(FULL_SUN_LUX, FULL_SUN_LUX, wavelength_nm=wavelength_nm)) / math.pi
