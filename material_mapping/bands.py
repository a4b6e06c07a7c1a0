# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Absorption bands of common surfaces: a reflectance is not interpolated across them.

The bands belong to water, ice, hydroxyl, organic matter, carbonates and chlorophyll, from the
visible to 3 um. They are 30 to 150 nm wide, so values on both sides of a band do not tell how deep
it is. The crystal-field bands of iron near 0.87, 0.92 and 1.0 um are left out: they are so wide
that a reflectance changes little within 50 nm.

References
----------
.. [1] R. N. Clark, Spectroscopy of rocks and minerals, and principles of spectroscopy, Manual of
   Remote Sensing, volume 3, chapter 1, Wiley, 1999 (USGS, public domain): O-H at 1.4 um, water in
   minerals at 1.4 and 1.9 um, Al-O-H at 2.2 um, Mg-O-H and C-H at 2.3 um, C-H at 1.7 um,
   carbonates at 2.33 um, stretching of O-H near 2.9 um
.. [2] P. J. Curran, Remote sensing of foliar chemistry, Remote Sensing of Environment 30, 271-278,
   1989, doi:10.1016/0034-4257(89)90069-2: water in leaves at 0.97, 1.20, 1.45 and 1.94 um, lignin,
   starch and cellulose at 1.2 and 2.1 um, chlorophyll at 0.66 um
.. [3] S. G. Warren, R. E. Brandt, Optical constants of ice from the ultraviolet to the microwave,
   Journal of Geophysical Research 113, D14220, 2008, doi:10.1029/2007JD009744: ice at 1.03, 1.26,
   1.50 and 2.02 um
"""

from __future__ import annotations

from typing import NamedTuple

WAVELENGTHS_NM = (200.0, 20_000.0)
"""Shortest and longest wavelength that a file or an option may name. [nm]"""

CLOSE_NM = 50.0
"""Wavelengths no farther apart than this count as the same side of every band. [nm]"""


class Band(NamedTuple):
    """An absorption band of common surfaces.

    Attributes
    ----------
    centre_nm : float
        Wavelength of its centre. [nm]
    absorber : str
        The absorbing substance in words, such as "water".
    """

    centre_nm: float
    absorber: str


BANDS = (
    Band(660.0, "chlorophyll"),
    Band(970.0, "water"),
    Band(1030.0, "ice"),
    Band(1200.0, "water and C-H"),
    Band(1260.0, "ice"),
    Band(1400.0, "O-H in minerals and plastics"),
    Band(1450.0, "water"),
    Band(1500.0, "ice"),
    Band(1730.0, "C-H"),
    Band(1930.0, "water"),
    Band(2020.0, "ice"),
    Band(2100.0, "cellulose and starch"),
    Band(2200.0, "O-H in clay"),
    Band(2310.0, "C-H, and O-H in minerals"),
    Band(2330.0, "carbonates"),
    Band(2900.0, "O-H and water"),
)


def band_between(one_nm: float, other_nm: float) -> Band | None:
    """Return the absorption band of shortest wavelength between two wavelengths, or None.

    `one_nm` and `other_nm` are the wavelengths, in any order [nm]. A band counts if its centre lies
    between or at them. None if there is no such band, or if they are at most `CLOSE_NM` apart.
    """
    low, high = sorted((one_nm, other_nm))
    if high - low <= CLOSE_NM:
        return None
    return next((band for band in BANDS if low <= band.centre_nm <= high), None)
