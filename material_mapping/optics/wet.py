# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wet ground: how much darker a film of water makes it, and how much light the film mirrors.

Light at the angle theta from the normal meets a flat film of refractive index n on a Lambertian
ground of reflectance rho. The share F(theta), Fresnel's reflectance, is mirrored. The rest enters
the film at the angle theta_w, sin(theta_w) = sin(theta) / n. The ground scatters it into all
directions. The inner side of the film's surface sends the share r_i of the scattered light back
down, mostly by total reflection. The light that leaves towards the lidar spreads over a solid angle
that is n^2 times larger. So the reflectivity of dry ground, R = rho cos(theta), is multiplied by

    g = (1 - F(theta))^2 t^2 / (n^2 (1 - rho r_i))    t = exp(-tau / cos(theta_w))

where tau is the optical depth of the film. This is the model of [1]_ for the beam of a lidar, which
arrives and leaves at the same angle. Without absorption r_i is 0.472 for n = 1.33.

The film has no waves. Light that it mirrors onto an object comes back along the same path. So an
object of reflectivity R appears as a ghost of reflectivity F^2 R below the road.

References
----------
.. [1] J. Lekner, M. C. Dorf, Why some things are darker when wet, Applied Optics 27(7), 1278-1280,
   1988, doi:10.1364/AO.27.001278
.. [2] D. B. Judd, Fresnel reflection of diffusely incident light, Journal of Research of the
   National Bureau of Standards 29(5), 329-332, 1942
.. [3] SysCV/LiDAR_snow_sim, tools/wet_ground/augmentation.py, which quotes depths of texture from
   NJTxtr, a computer program based on laser to monitor asphalt segregation
"""

from __future__ import annotations

import math
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from material_mapping.errors import MaterialError
from material_mapping.optics import fresnel, water
from material_mapping.optics.reflection import check_range

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

WATER_N = 1.33
"""Refractive index of water in visible light. [1]"""

TEXTURES_MM = MappingProxyType({"fine": 0.5, "coarse": 0.9, "porous": 2.5})
"""Depth of the texture of asphalt, by its kind. [mm]

Each is the middle of a published range: 0.4 to 0.6, 0.6 to 1.2, 1.5 to 3.5 mm [3]_.
"""

TEXTURE_MM = TEXTURES_MM["coarse"]
"""Depth of the texture of roads. [mm]"""

_NODES = 48  # of the quadrature of r_i, whose error is below 2e-9


def wet_reflectivity(
    cos_incidence: ArrayLike,
    *,
    reflectance: float,
    water_mm: float,
    wavelength_nm: float,
    texture_mm: float = TEXTURE_MM,
) -> NDArray[np.float64]:
    """Return the reflectivity of wet Lambertian ground, rho cos(theta) times `wet_factor` [1].

    Parameters
    ----------
    cos_incidence : array_like
        Cosine of the angle of incidence theta. The result has its shape, and is 0 where the cosine
        is 0 or less. [1]
    reflectance : float
        rho of the dry ground, 0 to 1. [1]
    water_mm : float
        Water on the ground, 0 or more: its volume over its area. Without water the result is
        rho cos(theta), bit for bit. [mm]
    wavelength_nm : float
        Wavelength of the lidar, 400 to 1800. [nm]
    texture_mm : float
        Depth of the texture of the ground, above 0. [mm]
    """
    factor = wet_factor(
        cos_incidence,
        reflectance=reflectance,
        water_mm=water_mm,
        wavelength_nm=wavelength_nm,
        texture_mm=texture_mm,
    )
    dry = reflectance * np.maximum(np.asarray(cos_incidence, np.float64), 0.0)
    return np.asarray(dry * factor, np.float64)


def wet_factor(
    cos_incidence: ArrayLike,
    *,
    reflectance: float,
    water_mm: float,
    wavelength_nm: float,
    texture_mm: float = TEXTURE_MM,
) -> NDArray[np.float64]:
    """Return the factor by which water on the ground changes its reflectivity [1].

    Parameters
    ----------
    cos_incidence : array_like
        Cosine of the angle of incidence; 0 and less count as grazing. [1]
    reflectance : float
        rho of the dry ground, 0 to 1. [1]
    water_mm : float
        Water on the ground, 0 or more: its volume over its area. [mm]
    wavelength_nm : float
        Wavelength of the lidar, 400 to 1800. [nm]
    texture_mm : float
        Depth of the texture of the ground, above 0. [mm]

    Notes
    -----
    The factor is 1 - f + f g, where f is the share that water covers and g is `film_factor`; it
    is exactly 1 without water. If f is below 1, the covered share has water `texture_mm` deep.
    """
    share = covered_share(water_mm, texture_mm=texture_mm)
    depth_m = 1e-3 * max(water_mm, texture_mm)
    film = film_factor(
        cos_incidence,
        reflectance=reflectance,
        n=water.refractive_index(wavelength_nm).real,
        optical_depth=water.absorption_per_m(wavelength_nm) * depth_m,
    )
    return np.asarray(1.0 - share + share * film, np.float64)


def covered_share(water_mm: float, *, texture_mm: float = TEXTURE_MM) -> float:
    """Return the share of the ground that water covers, min(1, water / texture) [1].

    Parameters
    ----------
    water_mm : float
        Water on the ground, 0 or more. [mm]
    texture_mm : float
        Depth of the texture of the ground, above 0. [mm]

    Notes
    -----
    The covered share times the depth of the texture is the volume of the water over the area of the
    ground. A damp road, which is darker because of water in its pores, counts as dry here.
    """
    check_range("wet ground", "water_mm", water_mm, 0.0, math.inf)
    if not texture_mm > 0.0:
        raise MaterialError(f"wet ground: texture_mm is {texture_mm:g}, expected above 0")
    return min(1.0, water_mm / texture_mm)


def film_factor(
    cos_incidence: ArrayLike, *, reflectance: float, n: float = WATER_N, optical_depth: float = 0.0
) -> NDArray[np.float64]:
    """Return g: reflectivity of ground under a film of water, divided by that of dry ground [1].

    Parameters
    ----------
    cos_incidence : array_like
        Cosine of the angle of incidence; 0 and less count as grazing. [1]
    reflectance : float
        rho of the dry ground, 0 to 1. [1]
    n : float
        Refractive index of the film, above 1. [1]
    optical_depth : float
        tau, absorption coefficient times depth of the film, 0 or more. [1]

    Notes
    -----
    See the equation of g in the module. A film of vanishing depth does not give g = 1, because
    light is reflected at the water's surface however thin the film is.
    """
    check_range("wet ground", "reflectance", reflectance, 0.0, 1.0)
    check_range("wet ground", "optical_depth", optical_depth, 0.0, math.inf)
    cosine = np.clip(np.asarray(cos_incidence, np.float64), 0.0, 1.0)
    entering = 1.0 - fresnel.reflectance_at_cosine(cosine, n=n)
    path = np.exp(-optical_depth / _cosine_inside(cosine, n))
    spread = n * n * (1.0 - reflectance * inner_reflectance(n=n, optical_depth=optical_depth))
    return np.asarray((entering * path) ** 2 / spread, np.float64)


def inner_reflectance(*, n: float = WATER_N, optical_depth: float = 0.0) -> float:
    """Return r_i, the share of the ground's diffuse light that the film sends back down [1].

    Parameters
    ----------
    n : float
        Refractive index of the film, above 1. [1]
    optical_depth : float
        tau, absorption coefficient times depth of the film, 0 or more. [1]

    Notes
    -----
    r_i is the mean over directions of Fresnel's reflectance F times the transmission through the
    film, up and down again. mu is the cosine inside the film::

        r_i = 2 integral F(mu) exp(-2 tau / mu) mu dmu    mu from 0 to 1

    F is 1 for mu below the cosine of the critical angle. Above it the integral uses the cosine
    outside the film, over which F is smooth: mu dmu inside is mu dmu / n^2 outside. Without
    absorption r_i = 1 - (1 - r_e) / n^2, where r_e is the reflectance for diffuse light from
    outside [2]_.
    """
    check_range("wet ground", "n", n, 1.0, math.inf)
    node, weight = _nodes()
    critical = math.sqrt(1.0 - 1.0 / (n * n))
    total = critical * critical * np.exp(-2.0 * optical_depth / (critical * node)) * node
    partial = fresnel.reflectance_at_cosine(node, n=n) * node / (n * n)
    partial = partial * np.exp(-2.0 * optical_depth / _cosine_inside(node, n))
    return float(2.0 * (weight @ (total + partial)))


@cache
def _nodes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nodes and weights of Gauss-Legendre quadrature between 0 and 1."""
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    return 0.5 * (node + 1.0), 0.5 * weight


def mirrored_share(
    cos_incidence: ArrayLike,
    *,
    water_mm: float,
    wavelength_nm: float,
    texture_mm: float = TEXTURE_MM,
) -> NDArray[np.float64]:
    """Return the share of light that water on the ground mirrors: covered share x Fresnel's [1].

    Parameters
    ----------
    cos_incidence : array_like
        Cosine of the angle of incidence; 0 and less count as grazing. The result has its shape. [1]
    water_mm : float
        Water on the ground, 0 or more: its volume over its area. [mm]
    wavelength_nm : float
        Wavelength of the lidar, 400 to 1800. [nm]
    texture_mm : float
        Depth of the texture of the ground, above 0. [mm]
    """
    share = covered_share(water_mm, texture_mm=texture_mm)
    n = water.refractive_index(wavelength_nm).real
    return np.asarray(share * fresnel.reflectance_at_cosine(cos_incidence, n=n), np.float64)


def ghost_share(
    cos_incidence: ArrayLike,
    *,
    water_mm: float,
    wavelength_nm: float,
    texture_mm: float = TEXTURE_MM,
) -> NDArray[np.float64]:
    """Return the two-way factor on the signal of an object seen mirrored in wet ground [1].

    It is `mirrored_share` squared. Light to the object and back meets the ground at two places,
    which are farther apart than the grains of its texture. So the chance that water covers the
    place counts twice, like Fresnel's reflectance.

    Parameters
    ----------
    cos_incidence : array_like
        Cosine of the angle of incidence; 0 and less count as grazing. The result has its shape. [1]
    water_mm : float
        Water on the ground, 0 or more: its volume over its area. [mm]
    wavelength_nm : float
        Wavelength of the lidar, 400 to 1800. [nm]
    texture_mm : float
        Depth of the texture of the ground, above 0. [mm]
    """
    mirrored = mirrored_share(
        cos_incidence, water_mm=water_mm, wavelength_nm=wavelength_nm, texture_mm=texture_mm
    )
    return np.asarray(mirrored * mirrored, np.float64)


def _cosine_inside(cosine: NDArray[np.float64], n: float) -> NDArray[np.float64]:
    """Return the cosine of the refracted angle, which is not 0 for n above 1 (Snell's law)."""
    return np.asarray(np.sqrt(1.0 - (1.0 - cosine * cosine) / (n * n)), np.float64)
