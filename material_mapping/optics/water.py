# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Optical constants of liquid water.

The real part of the refractive index follows [1]_; the imaginary part follows [2]_, which has
more wavelengths: the table of [1]_ steps over the absorption band at 1450 nm. The values are for
25 degrees Celsius. Authors differ by 0.004 in the real part, and by 10 % in the imaginary one at
1550 nm, which also rises as water cools.

References
----------
.. [1] G. M. Hale, M. R. Querry, Optical constants of water in the 200-nm to 200-um wavelength
   region, Applied Optics 12(3), 555-563, 1973, doi:10.1364/AO.12.000555
.. [2] D. J. Segelstein, The complex refractive index of water, thesis, University of
   Missouri-Kansas City, 1981, hdl:10355/11599
"""

from __future__ import annotations

import math

import numpy as np

from material_mapping.errors import WavelengthError

WATER_WAVELENGTHS_NM = (400.0, 1800.0)
"""Shortest and longest wavelength of the constants. [nm]"""

# wavelength [nm] and n [1] of [1]
_N = (
    *((400.0, 1.339), (450.0, 1.337), (500.0, 1.335), (550.0, 1.333), (600.0, 1.332)),
    *((650.0, 1.331), (700.0, 1.331), (750.0, 1.330), (800.0, 1.329), (850.0, 1.329)),
    *((900.0, 1.328), (950.0, 1.327), (1000.0, 1.327), (1200.0, 1.324), (1400.0, 1.321)),
    *((1600.0, 1.317), (1800.0, 1.312)),
)

# wavelength [nm] and k [1] of [2], as many rows as keep the rest of its table to 4 %
_K = (
    *((400.0, 1.58e-9), (455.0, 7.795e-10), (479.7, 7.092e-10), (495.5, 7.849e-10)),
    *((515.2, 1.461e-9), (559.8, 2.869e-9), (575.4, 3.844e-9), (605.3, 1.132e-8)),
    *((625.2, 1.472e-8), (650.1, 1.674e-8), (690.2, 2.653e-8), (699.8, 3.348e-8)),
    *((729.5, 1.15e-7), (734.5, 1.348e-7), (749.9, 1.559e-7), (769.1, 1.527e-7)),
    *((799.8, 1.25e-7), (809.1, 1.33e-7), (849.2, 2.929e-7), (905.7, 5.15e-7)),
    *((920.4, 8.304e-7), (929.0, 1.368e-6), (944.1, 2.557e-6), (959.4, 3.358e-6)),
    *((979.5, 3.418e-6), (1000.0, 3e-6), (1030.0, 2.001e-6), (1050.0, 1.419e-6)),
    *((1069.0, 1.259e-6), (1089.0, 1.499e-6), (1109.0, 2.038e-6), (1119.0, 2.628e-6)),
    *((1130.0, 3.869e-6), (1151.0, 9.306e-6), (1159.0, 1.069e-5), (1211.0, 1.191e-5)),
    *((1271.0, 1.09e-5), (1291.0, 1.221e-5), (1330.0, 2.251e-5), (1340.0, 2.849e-5)),
    *((1349.0, 4.047e-5), (1361.0, 4.505e-5), (1380.0, 7.802e-5), (1400.0, 1.53e-4)),
    *((1409.0, 2.54e-4), (1419.0, 3.197e-4), (1439.0, 3.629e-4), (1469.0, 3.387e-4)),
    *((1521.0, 1.741e-4), (1549.0, 1.348e-4), (1600.0, 9.347e-5), (1660.0, 7.398e-5)),
    *((1722.0, 8.41e-5), (1800.0, 1.359e-4)),
)


def refractive_index(wavelength_nm: float) -> complex:
    """Return the refractive index of liquid water, n + i k.

    Parameters
    ----------
    wavelength_nm : float
        In vacuum, 400 to 1800. [nm]

    Returns
    -------
    complex
        n is interpolated linearly, k logarithmically. [1]

    Raises
    ------
    WavelengthError
        A wavelength outside the table.
    """
    least, most = WATER_WAVELENGTHS_NM
    if not least <= wavelength_nm <= most:
        raise WavelengthError("liquid water", wavelength_nm, WATER_WAVELENGTHS_NM)
    at, n = np.array(_N).T
    at_k, k = np.array(_K).T
    k_here = math.exp(float(np.interp(wavelength_nm, at_k, np.log(k))))
    return complex(float(np.interp(wavelength_nm, at, n)), k_here)


def absorption_per_m(wavelength_nm: float) -> float:
    """Return the absorption coefficient of liquid water, 4 pi k / wavelength [1/m].

    Parameters
    ----------
    wavelength_nm : float
        Wavelength in vacuum, 400 to 1800. [nm]
    """
    return 4.0 * math.pi * refractive_index(wavelength_nm).imag / (wavelength_nm * 1e-9)
