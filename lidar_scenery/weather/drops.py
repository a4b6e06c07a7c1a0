# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rain and snow: drops by the rate of precipitation, the light they take and the echoes they give.

A flake is described by the drop that it melts into. The beam is Gaussian, with the rms half widths
sx and sy at the range of a drop. A drop (or flake) of diameter D at (x, y) from the axis returns
the same echo as a target that fills the beam and has the reflectivity

    R_eq = Q_b D^2 / (32 sx sy) exp(-u)    u = x^2 / (2 sx^2) + y^2 / (2 sy^2)

where Q_b is the drop's backscatter efficiency; a white Lambertian disc has Q_b = 4. Let R_min be
the least reflectivity that the sensor sees, and T the two-way transmission of the air. Then drops
on the axis are seen above the diameter D_min, and `visible_per_m` drops of all sizes are seen per
metre of the beam::

    D_min^2 = 32 R_min sx sy / (Q_b T)
    drops per metre = 4 pi sx sy H(D_min)    with H of `lidar_scenery.weather.spectra`

The echo of a visible drop exceeds R_min by more than the factor a with the probability
H(D_min sqrt(a)) / H(D_min).

References
----------
.. [1] J. S. Marshall, W. McK. Palmer, The distribution of raindrops with size, Journal of
   Meteorology 5, 165-166, 1948
.. [2] C. W. Ulbrich, Natural variations in the analytical form of the raindrop size distribution,
   Journal of Climate and Applied Meteorology 22, 1764-1775, 1983
.. [3] D. Atlas, C. W. Ulbrich, Path- and area-integrated rainfall measurement by microwave
   attenuation in the 1-3 cm band, Journal of Applied Meteorology 16, 1322-1331, 1977
.. [4] K. L. S. Gunn, J. S. Marshall, The distribution with size of aggregate snowflakes, Journal of
   Meteorology 15, 452-461, 1958
.. [5] R. S. Sekhon, R. C. Srivastava, Snow size spectra and radar reflectivity, Journal of the
   Atmospheric Sciences 27, 299-307, 1970
.. [6] openMSL/sl-1-2-reflection-based-lidar-object-model, profile_VLP16: points per beam in rain
   and snow, measured at 905 nm
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.weather.checks import check_wavelength
from lidar_scenery.weather.spectra import (
    DropSpectrum,
    ExponentialSpectrum,
    gamma_spectrum,
    tabulated,
)
from material_mapping.optics import fresnel, water

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lidar_scenery.weather.state import DropSizes

FALL_M_S, FALL_POWER = 3.78, 0.67
"""Speed at which drops fall [3]_, 3.78 D^0.67 with D in mm. [m/s], [1]"""

LEAST_MM_H = 1e-6
"""Rates below this count as 0: it is two drops of 1 mm per square metre and hour. [mm/h]"""

RAIN_BACKSCATTER = 0.3
"""Backscatter efficiency of drops at 905 nm. [1]"""

FLAKE_BACKSCATTER = 1.0
"""Backscatter efficiency of flakes at 905 nm, per area of the melted drop. [1]"""

WATER_PATH_M = 3e-3
"""Path of light within a drop whose echo is seen, see `rain_backscatter`. [m]"""

_BACKSCATTER_NM = 905.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FallingDrops:
    """Rain drops or snow flakes in the air: their size distribution and their density.

    Attributes
    ----------
    spectrum : DropSpectrum
        Number of drops by diameter; for flakes, the diameter of the melted flake.
    relative_density : float
        Density of a drop or flake relative to water; 1 for drops. [1]
    """

    spectrum: DropSpectrum
    relative_density: float = 1.0

    def density(self, diameter_mm: ArrayLike) -> NDArray[np.float64]:
        """Return N(D), the number of drops per volume and per diameter D [1/(m^3 mm)].

        `diameter_mm` has the diameters D of drops or melted flakes, 0 or more [mm]; the result has
        its shape.
        """
        return self.spectrum.density(diameter_mm)

    def extinction_per_m(self, efficiency: float = 1.0) -> float:
        """Return the extinction coefficient of a beam in these drops [1/m].

        Parameters
        ----------
        efficiency : float
            Q, the light that the beam loses at a drop, over the light that hits the drop's area.
            Large particles have Q_ext = 2, but half of this is diffracted forwards and stays in the
            beam (for 1 mm at 905 nm, within 1 mrad of the axis). So Q is 1 for drops above
            0.2 mm. [1]

        Notes
        -----
        The coefficient is Q pi/4 integral N(D) D_f^2 dD, where D_f = D density^(-1/3) is the
        diameter of the flake.
        """
        area_mm2_per_m3 = 0.25 * math.pi * self.spectrum.moment(2)
        larger = math.pow(self.relative_density, -2.0 / 3.0)
        return efficiency * 1e-6 * area_mm2_per_m3 * larger

    def visible_number(self, diameter_mm: ArrayLike) -> NDArray[np.float64]:
        """Return H(d), the integral of N(D) ln(D / d) dD from d [mm] to infinity [1/m^3].

        `diameter_mm` has the diameters d, and the result has its shape. If d is the smallest
        diameter that is seen on the beam's axis, the number of drops seen per metre of the beam is
        4 pi sx sy H(d), see `visible_per_m`.
        """
        return self.spectrum.visible_number(diameter_mm)

    def visible_per_m(self, diameter_mm: ArrayLike, *, spot_m2: ArrayLike) -> NDArray[np.float64]:
        """Return the number of visible drops per metre of a beam, 4 pi sx sy H(D_min) [1/m].

        Parameters
        ----------
        diameter_mm : array_like
            D_min, see `least_visible_mm`. [mm]
        spot_m2 : array_like
            sx sy, the product of the beam's rms half widths. [m^2]
        """
        spot = np.asarray(spot_m2, np.float64)
        return np.asarray(4.0 * math.pi * spot * self.visible_number(diameter_mm), np.float64)


def rain(rate_mm_h: float, sizes: DropSizes) -> FallingDrops | None:
    """Return the drops of rain of a given rate; None for a rate below `LEAST_MM_H`.

    Parameters
    ----------
    rate_mm_h : float
        R, the rate of rain, 0 or more. [mm/h]
    sizes : DropSizes
        Law of the drop sizes.

    Raises
    ------
    ValueError
        The rate is negative or not finite, or a value of `sizes` is out of range.

    Notes
    -----
    ``marshall_palmer``: N(D) = 8000 exp(-4.1 R^-0.21 D) [1]_, measured in steady rain of 1 to
    23 mm/h. It has more very small drops than are observed, but no lidar sees these. ``gamma``: see
    `spectra.gamma_spectrum` [2]_, scaled so that the drops, with the fall speeds of [3]_, give the
    rate. ``table``: the rows of `sizes`, whatever the rate.
    """
    _check_rate("rain_mm_h", rate_mm_h)
    if rate_mm_h < LEAST_MM_H:
        return None
    if sizes.law == "table":
        return FallingDrops(spectrum=tabulated(sizes.table))
    if sizes.law == "gamma":
        spectrum = gamma_spectrum(
            rate_mm_h,
            shape=sizes.gamma_shape,
            median_mm=sizes.gamma_median_mm,
            fall_m_s=FALL_M_S,
            fall_power=FALL_POWER,
        )
        return FallingDrops(spectrum=spectrum)
    return _exponential(8000.0, 4.1 * rate_mm_h**-0.21)


def snow(
    rate_mm_h: float, sizes: DropSizes, *, relative_density: float = 0.1
) -> FallingDrops | None:
    """Return the flakes of snow of a given rate; None for a rate below `LEAST_MM_H`.

    Parameters
    ----------
    rate_mm_h : float
        R, the rate of snow as its water equivalent, 0 or more. [mm/h]
    sizes : DropSizes
        Law of the flake sizes.
    relative_density : float
        Density of a flake relative to water, above 0 to 1. [1]

    Raises
    ------
    ValueError
        The rate is negative or not finite, or the density is out of range.

    Notes
    -----
    With the diameter D of the melted flake in mm and N in 1/(m^3 mm)::

        gunn_marshall      N(D) = 3800 R^-0.87 exp(-2.55 R^-0.48 D)    [4]
        sekhon_srivastava  N(D) = 2500 R^-0.94 exp(-2.29 R^-0.45 D)    [5]

    With both laws the flakes give the rate R if they fall at about 1 m/s.
    """
    _check_rate("snow_mm_h", rate_mm_h)
    if not 0.0 < relative_density <= 1.0:
        raise ValueError(f"snow_density is {relative_density:g}, expected above 0, up to 1")
    if rate_mm_h < LEAST_MM_H:
        return None
    if sizes.flakes == "sekhon_srivastava":
        intercept, slope = 2500.0 * rate_mm_h**-0.94, 2.29 * rate_mm_h**-0.45
    else:
        intercept, slope = 3800.0 * rate_mm_h**-0.87, 2.55 * rate_mm_h**-0.48
    return _exponential(intercept, slope, relative_density)


def least_visible_mm(
    least_reflectivity: ArrayLike,
    *,
    spot_m2: ArrayLike,
    backscatter: float,
    transmission: ArrayLike = 1.0,
) -> NDArray[np.float64]:
    """Return D_min, the diameter of the smallest drop that is seen on the axis of a beam [mm].

    Parameters
    ----------
    least_reflectivity : array_like
        R_min, the reflectivity of a target that fills the beam and is just detected in clear air at
        the range of the drop. [1]
    spot_m2 : array_like
        sx sy, the product of the rms half widths of the beam at that range. [m^2]
    backscatter : float
        Q_b, the backscatter efficiency of the drops, above 0. [1]
    transmission : array_like
        T, the two-way transmission of the air up to that range. [1]
    """
    brightness = backscatter * np.asarray(transmission, np.float64)
    spot = np.asarray(spot_m2, np.float64)
    square_m2 = 32.0 * np.asarray(least_reflectivity, np.float64) * spot / brightness
    return np.asarray(1e3 * np.sqrt(square_m2), np.float64)


def rain_backscatter(wavelength_nm: float) -> float:
    """Return the backscatter efficiency Q_b of rain drops into a lidar's receiver [1].

    Parameters
    ----------
    wavelength_nm : float
        Wavelength of the lidar; values outside 400 to 1800 count as the nearer end. [nm]

    Returns
    -------
    float
        0.3 at 905 nm, 0.03 at 1550 nm.

    Notes
    -----
    This is an estimate. The face of a drop mirrors F = ((n - 1) / (n + 1))^2 of the light, 0.02,
    which is all that remains where water is opaque. The rest of the light comes from within the
    drop, and is weakened by the absorption alpha_w of water over a path L of 3 mm, which is twice
    through a drop of 1.5 mm::

        Q_b = F + (0.3 - F(905 nm)) exp(-(alpha_w - alpha_w(905 nm)) L)

    With 0.3 at 905 nm, the model gives the number of points of a VLP-16 in rain of 10 mm/h [6]_, if
    the sensor's echoes stop growing below 8.3 m. In [6]_ the number of points is linear in the
    rate; the model has a sixth of these points at 1 mm/h, and twice these points at 100 mm/h.
    By Mie's series Q_b should lie between 0.1 and 1. Spheres of 1 mm at 905 nm have Q_b = 5.3
    straight back (a glory), 0.95 into a receiver of half angle 2.5 mrad, and 0.2 into one of
    20 mrad. Larger drops are flattened, which dims the glory. At 1550 nm spheres of 0.5, 1 and 2 mm
    have Q_b = 0.06, 0.03 and 0.02.
    """
    check_wavelength(wavelength_nm)
    within = float(np.clip(wavelength_nm, *water.WATER_WAVELENGTHS_NM))
    more_per_m = water.absorption_per_m(within) - water.absorption_per_m(_BACKSCATTER_NM)
    inside = RAIN_BACKSCATTER - _face(_BACKSCATTER_NM)
    return _face(within) + inside * math.exp(-more_per_m * WATER_PATH_M)


def flake_backscatter(wavelength_nm: float) -> float:
    """Return the backscatter efficiency Q_b of snow flakes, per area of the melted drop [1].

    Parameters
    ----------
    wavelength_nm : float
        Wavelength of the lidar. [nm]

    Returns
    -------
    float
        1 at every wavelength.

    Notes
    -----
    This is an estimate, with which the model gives the number of points of a VLP-16 (905 nm) in
    snow of 1 mm/h [6]_. A white Lambertian disc as large as a flake of density 0.1 would have
    Q_b = 19. At 1550 nm ice absorbs, and snow on the ground is dark; so 1 is an upper bound there.
    """
    check_wavelength(wavelength_nm)
    return FLAKE_BACKSCATTER


def _face(wavelength_nm: float) -> float:
    return fresnel.normal_reflectance(n=water.refractive_index(wavelength_nm).real)


def _exponential(intercept: float, slope: float, relative_density: float = 1.0) -> FallingDrops:
    spectrum = ExponentialSpectrum(intercept=intercept, slope_per_mm=slope)
    return FallingDrops(spectrum=spectrum, relative_density=relative_density)


def _check_rate(name: str, rate_mm_h: float) -> None:
    if not (math.isfinite(rate_mm_h) and rate_mm_h >= 0.0):
        raise ValueError(f"{name} is {rate_mm_h:g}, expected 0 or more")
