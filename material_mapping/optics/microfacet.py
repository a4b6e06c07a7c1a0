# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflection at rough boundaries: metals, rough glass, and paints under a coat.

The functions have the form described in `material_mapping.optics.reflection`, which also defines
the angles.

References
----------
.. [1] B. Walter, S. R. Marschner, H. Li, K. E. Torrance, Microfacet models for refraction through
   rough surfaces, EGSR 2007, 195-206, doi:10.2312/EGWR/EGSR07/195-206
.. [2] C. Kelemen, L. Szirmay-Kalos, A microfacet based coupled specular-matte BRDF model with
   importance sampling, Eurographics 2001 short presentations
.. [3] E. Heitz, Sampling the GGX distribution of visible normals, Journal of Computer Graphics
   Techniques 7(4), 1-13, 2018
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from material_mapping.optics import fresnel
from material_mapping.optics.reflection import check_range, directions

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SMOOTHEST = 1e-3
"""Smallest roughness; smoother surfaces are mirrors, with lobes narrower than a lidar's beam."""

_NODES = 48  # per dimension of the quadrature of an albedo: error of 1e-4 at worst
_ALBEDO_STEPS = 180  # of the albedo table over 0 to 90 deg


def ggx(  # noqa: PLR0913  as many quantities
    theta_i_rad: ArrayLike,
    theta_o_rad: ArrayLike,
    azimuth_rad: ArrayLike,
    *,
    roughness: float,
    n: float,
    k: float = 0.0,
) -> NDArray[np.float64]:
    """Return the BRDF of a rough boundary: mirroring facets with GGX-distributed slopes [1/sr].

    Parameters
    ----------
    theta_i_rad, theta_o_rad, azimuth_rad : array_like
        Angles of light and view from the normal, and azimuth between them: 0 for a view on the side
        of the light, pi for the opposite side. They are broadcast to the shape of the result. [rad]
    roughness : float
        Width of the slope distribution, alpha_g of [1]_, from 0.001 (nearly a mirror) to 1. Half
        of the facets, seen from above, are tilted by more than atan(roughness). [1]
    n, k : float
        Refractive index and extinction coefficient at the wavelength. [1]

    Notes
    -----
    Equations 20, 23, 33 and 34 of [1]_, with the half vector m = (i + o) / |i + o|, its angle t
    from the normal, and Fresnel's F of `optics.fresnel`::

        f = F(i.m) G(theta_i) G(theta_o) D(t) / (4 cos(theta_i) cos(theta_o))
        D(t) = alpha^2 / (pi cos^4(t) (alpha^2 + tan^2(t))^2)
        G(t) = 2 / (1 + sqrt(1 + alpha^2 tan^2(t)))      (Smith's masking)

        R = F(0) D(theta) G(theta)^2 pi / (4 cos(theta));  F(0) / (4 alpha^2) at the normal

    A lidar receives the glint of the facets that face it. Emitter and receiver then see the same
    facets, so G should enter only once. The square is kept, so that one model holds in all
    directions. Light that hits more than one facet is lost (up to 70 % at alpha = 1), so rough
    metals come out too dark. The lobe must be wider than the angle between emitter and receiver,
    and wider than the beam divergence; otherwise R depends on the range.
    """
    check_range("ggx", "roughness", roughness, SMOOTHEST, 1.0)
    visible, cos_i, cos_o, horizontal = directions(theta_i_rad, theta_o_rad, azimuth_rad)
    cos_i, cos_o = np.where(visible, cos_i, 1.0), np.where(visible, cos_o, 1.0)
    sin2_i, sin2_o = 1.0 - cos_i**2, 1.0 - cos_o**2
    # of (i + o): square of the horizontal part over that of the vertical part
    tan2_m = np.maximum(sin2_i + sin2_o + 2.0 * horizontal, 0.0) / (cos_i + cos_o) ** 2
    cos_im = np.sqrt(np.clip(0.5 * (1.0 + cos_i * cos_o + horizontal), 0.0, 1.0))
    alpha2 = roughness**2
    density = alpha2 * (1.0 + tan2_m) ** 2 / (np.pi * (alpha2 + tan2_m) ** 2)
    masking = smith(cos_i, alpha2) * smith(cos_o, alpha2)
    reflected = fresnel.reflectance_at_cosine(cos_im, n=n, k=k)
    return np.where(visible, reflected * masking * density / (4.0 * cos_i * cos_o), 0.0)


def ggx_albedo(
    theta_rad: ArrayLike, *, roughness: float, n: float, k: float = 0.0
) -> NDArray[np.float64]:
    """Return the albedo of a boundary with GGX facets: the reflected fraction of the light [1].

    Light that is reflected into any direction counts.

    Parameters
    ----------
    theta_rad : array_like
        Angles of incidence, below pi/2; the result has their shape. [rad]
    roughness : float
        Width of the slope distribution of the facets, 0.001 to 1, see `ggx`. [1]
    n, k : float
        Refractive index and extinction coefficient behind the boundary. [1]

    Notes
    -----
    The albedo is the integral of f cos(theta_o) over the hemisphere. Integrated over the facets
    that the light sees [3]_, it is the mean of F(i.m) G(theta_o), which suits Gauss's rule.
    """
    check_range("ggx", "roughness", roughness, SMOOTHEST, 1.0)
    theta = np.asarray(theta_rad, np.float64)[..., None, None]
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    radius = np.sqrt(0.5 * (node + 1.0))[:, None]
    turn = 0.5 * np.pi * node  # -90 to 90 deg, the other half is its mirror image
    # view direction, stretched to a half sphere; (sideways, up, along) are its own axes
    z, x = np.cos(theta), roughness * np.sin(theta)
    length = np.hypot(x, z)
    z, x = z / length, x / length
    sideways, up = radius * np.cos(turn), radius * np.sin(turn)
    share = 0.5 * (1.0 + z)
    up = (1.0 - share) * np.sqrt(1.0 - sideways**2) + share * up
    along = np.sqrt(np.maximum(1.0 - sideways**2 - up**2, 0.0))
    m_x, m_y = roughness * (along * x - up * z), roughness * sideways
    m_z = np.maximum(along * z + up * x, 1e-12)
    length = np.sqrt(m_x**2 + m_y**2 + m_z**2)
    cos_im = np.clip((np.sin(theta) * m_x + np.cos(theta) * m_z) / length, 0.0, 1.0)
    cos_o = 2.0 * cos_im * m_z / length - np.cos(theta)
    above = cos_o > 0.0
    masking = np.where(above, smith(np.where(above, cos_o, 1.0), roughness**2), 0.0)
    value = fresnel.reflectance_at_cosine(cos_im, n=n, k=k) * masking
    return np.asarray(0.25 * (value * weight[:, None] * weight).sum(axis=(-2, -1)), np.float64)


def coated(  # noqa: PLR0913  as many quantities
    theta_i_rad: ArrayLike,
    theta_o_rad: ArrayLike,
    azimuth_rad: ArrayLike,
    *,
    reflectance: float,
    roughness: float,
    n: float = 1.5,
    k: float = 0.0,
) -> NDArray[np.float64]:
    """Return the BRDF of a paint: a matt base under a coat with a boundary like `ggx` [1/sr].

    Parameters
    ----------
    theta_i_rad, theta_o_rad, azimuth_rad : array_like
        Angles of light and view from the normal, and azimuth between them: 0 for a view on the side
        of the light, pi for the opposite side. They are broadcast to the shape of the result. [rad]
    reflectance : float
        rho, the fraction of the light entering the coat that leaves it again, 0 to 1. From a
        hemispherical reflectance R_h at the angle t: (R_h - E(t)) / (1 - E(t)). [1]
    roughness, n, k : float
        Boundary of the coat: width of the slope distribution of its facets, as in `ggx`; refractive
        index, 1.5 for most resins; extinction coefficient. [1]

    Notes
    -----
    The base receives the light that the coat transmits, and its reflection passes the coat once
    more [2]_. With the albedo E of the boundary (`ggx_albedo`) and its mean over the hemisphere::

        f = f_ggx + rho/pi (1 - E(theta_i)) (1 - E(theta_o)) / (1 - E_mean)
        E_mean = 2 * integral of E(t) cos(t) sin(t) dt, 0 to pi/2

    So the albedo is E + (1 - E) rho, never above 1, and f is reciprocal.
    """
    check_range("coated", "reflectance", reflectance, 0.0, 1.0)
    boundary = ggx(theta_i_rad, theta_o_rad, azimuth_rad, roughness=roughness, n=n, k=k)
    theta, albedo, mean = _albedo_table(roughness, n, k)
    enters, leaves = (
        1.0 - np.interp(np.abs(np.asarray(angle, np.float64)), theta, albedo)
        for angle in (theta_i_rad, theta_o_rad)
    )
    visible, _, _, _ = directions(theta_i_rad, theta_o_rad, azimuth_rad)
    base = reflectance / np.pi * enters * leaves / (1.0 - mean)
    return np.where(visible, boundary + base, 0.0)


@functools.lru_cache(maxsize=256)
def _albedo_table(
    roughness: float, n: float, k: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return angles 0 to pi/2, the albedo at each, and its mean over the hemisphere."""
    theta = np.linspace(0.0, 0.5 * np.pi, _ALBEDO_STEPS + 1)
    albedo = np.concatenate(
        [ggx_albedo(part, roughness=roughness, n=n, k=k) for part in np.array_split(theta, 8)]
    )
    # 2 cos(t) sin(t) dt integrated over each step exactly, for the straight lines between angles
    share = np.diff(np.sin(theta) ** 2)
    moment = np.diff(0.25 * np.sin(2.0 * theta) - 0.5 * theta * np.cos(2.0 * theta))
    slope = np.diff(albedo) / np.diff(theta)
    mean = np.sum(albedo[:-1] * share + slope * (moment - theta[:-1] * share))
    theta.flags.writeable = albedo.flags.writeable = False
    return theta, albedo, float(mean)


def smith(cos_theta: NDArray[np.float64], alpha2: float) -> NDArray[np.float64]:
    """Return Smith's masking G(theta): the fraction of GGX facets visible from a direction [1].

    ``cos_theta`` are cosines of the angle from the normal, above 0; ``alpha2`` is the squared
    roughness of `ggx`. The result has the shape of ``cos_theta``.
    """
    tan2 = (1.0 - cos_theta**2) / cos_theta**2
    return np.asarray(2.0 / (1.0 + np.sqrt(1.0 + alpha2 * tan2)), np.float64)
