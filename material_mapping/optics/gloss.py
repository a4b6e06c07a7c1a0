# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Gloss: the share of the light that a smooth boundary mirrors, and the solid angle of its lobe.

The boundary is as in `material_mapping.optics.microfacet.ggx`, whose BRDF is f. Light from one
direction i is mirrored into the directions o with the density l(o) = f(i, o) cos(theta_o):

    E = integral of l do                share of the light [1]
    W = E^2 / integral of l^2 do        solid angle of the lobe [sr]

If l is constant within a cone and 0 outside, W is the solid angle of that cone. For GGX facets W
is 12 pi alpha^2 at normal incidence.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from material_mapping.kernels import LAST_DEGREE
from material_mapping.optics import fresnel
from material_mapping.optics.microfacet import ggx_albedo, smith
from material_mapping.optics.reflection import check_range

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from material_mapping.by_wavelength import ByWavelength

SMOOTHEST = 1e-3
"""Smallest roughness, as in `ggx`. [1]"""

_NODES = 64  # per dimension of the quadrature of a lobe: error of 1e-4 at worst
_GRAZING_DEG = 89.5  # stands for 90 deg, where no light falls on a surface
_LOG_RATIO = np.linspace(-4.0, 4.0, 33)
# of (1 + q) H by log10 of the ratio q, see `returned_share`
_SEEN = np.array(
    [
        0.9995, 0.9991, 0.9985, 0.9976, 0.9961, 0.9937, 0.9899, 0.9843, 0.9758, 0.9637, 0.9470,
        0.9253, 0.8995, 0.8721, 0.8482, 0.8341, 0.8351, 0.8521, 0.8804, 0.9122, 0.9407, 0.9624,
        0.9772, 0.9866, 0.9923, 0.9956, 0.9975, 0.9986, 0.9992, 0.9996, 0.9997, 0.9999, 0.9999,
    ]
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Gloss:
    """A smooth boundary over a surface, such as the clear coat of a paint.

    Attributes
    ----------
    roughness : ByWavelength
        Width of the slope distribution of the boundary's facets, see `ggx`. [1]
    n, k : ByWavelength
        Refractive index and extinction coefficient. [1]
    source : str
        Source of the values.
    """

    roughness: ByWavelength
    n: ByWavelength
    k: ByWavelength
    source: str = "not stated"

    def lobe(self, wavelength_nm: float) -> Lobe:
        """Return the lobe that the boundary mirrors, at 0, 1, .. 90 deg of incidence.

        `wavelength_nm` is the wavelength of the light [nm]. Both fields of the result are float64
        (91,) and read-only.
        """
        values = (each(wavelength_nm).real for each in (self.roughness, self.n, self.k))
        return _lobe(*values)

    @property
    def words(self) -> str:
        """Roughness and refractive index as text."""
        return f"roughness {self.roughness}, n {self.n}"


class Lobe(NamedTuple):
    """The lobe of light that a glossy boundary mirrors, at n angles of incidence.

    Attributes
    ----------
    share : float64 (n,)
        Mirrored fraction of the light, E. [1]
    width_sr : float64 (n,)
        Solid angle of the lobe, W; 0 if nothing is mirrored. [sr]
    """

    share: NDArray[np.float64]
    width_sr: NDArray[np.float64]


@functools.lru_cache(maxsize=256)
def _lobe(roughness: float, n: float, k: float) -> Lobe:
    theta = np.radians(np.minimum(np.arange(LAST_DEGREE + 1), _GRAZING_DEG))
    lobe = ggx_lobe(theta, roughness=roughness, n=n, k=k)
    for column in lobe:
        column.flags.writeable = False
    return lobe


def ggx_lobe(theta_rad: NDArray[np.float64], *, roughness: float, n: float, k: float = 0.0) -> Lobe:
    """Return the lobe of light that a rough boundary with GGX facets mirrors.

    Parameters
    ----------
    theta_rad : float64 (n,)
        Angles of incidence, below pi/2. [rad]
    roughness : float
        Width alpha of the slope distribution of the facets, 0.001 to 1, see `ggx`. [1]
    n, k : float
        Refractive index and extinction coefficient behind the boundary. [1]

    Notes
    -----
    With the half vector m at the angle t from the normal, do = 4 (i.m) dm, so that

        integral of l^2 do = integral of (F G(i) G(o) D(t))^2 (i.m) dm / (4 cos^2(theta_i))

    The integration variables are the azimuth and u = (1 + tan^2(t) / alpha^2)^-3, over which
    D^2 dm is nearly uniform.
    """
    check_range("gloss", "roughness", roughness, SMOOTHEST, 1.0)
    alpha2 = roughness**2
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    tan2 = alpha2 * ((0.5 * (node + 1.0)) ** (-1.0 / 3.0) - 1.0)[:, None]
    turn = 0.5 * np.pi * (node + 1.0)  # 0 to 180 deg, the other half is its mirror image
    theta = np.asarray(theta_rad, np.float64)[:, None, None]
    cos_m = 1.0 / np.sqrt(1.0 + tan2)
    along = np.sqrt(tan2) * cos_m * np.cos(turn)
    cos_im = np.sin(theta) * along + np.cos(theta) * cos_m
    cos_o = 2.0 * cos_im * cos_m - np.cos(theta)
    above = (cos_im > 0.0) & (cos_o > 0.0)
    cos_o = np.where(above, cos_o, 1.0)
    reflected = fresnel.reflectance_at_cosine(np.clip(cos_im, 0.0, 1.0), n=n, k=k)
    seen = smith(np.cos(theta), alpha2) * smith(cos_o, alpha2)
    value = np.where(above, (reflected * seen) ** 2 * cos_im, 0.0) * (1.0 + tan2) ** 2.5
    mean = 0.25 * (value * weight[:, None] * weight).sum(axis=(-2, -1))
    square = mean / (12.0 * np.pi * alpha2 * np.cos(theta[:, 0, 0]) ** 2)
    share = np.concatenate(
        [
            ggx_albedo(part, roughness=roughness, n=n, k=k)
            for part in np.array_split(theta[:, 0, 0], 8)
        ]
    )
    mirrors = square > 0.0
    return Lobe(share, np.where(mirrors, share**2 / np.where(mirrors, square, 1.0), 0.0))


def returned_share(ratio: ArrayLike) -> NDArray[np.float64]:
    """Return the share of twice mirrored light that the receiver sees.

    The light is mirrored by the same glossy boundary on its way out and on its way back. A lidar
    sees only the cone that its beam lights. The lobe spreads light beyond this cone on the way
    out, and again on the way back. The beam is Gaussian with the rms width s in all directions,
    and the lobe has the shape of GGX facets with small slopes. The share is

        H = integral of exp(-k^2) (a k K_1(a k))^2 2 k dk, 0 to inf;  a^2 = 4 q / 3

    Parameters
    ----------
    ratio : array_like
        q, solid angle of the lobe over 4 pi s^2, the solid angle of the beam, both as seen at
        the place that the mirrored light hits. [1]

    Returns
    -------
    float64, shape of `ratio`
        1 for a narrow lobe, 1 / q for a wide one; interpolated to 0.3 %. [1]
    """
    q = np.asarray(ratio, np.float64)
    log_q = np.log10(np.maximum(q, 10.0 ** _LOG_RATIO[0]))
    return np.asarray(np.interp(log_q, _LOG_RATIO, _SEEN) / (1.0 + q), np.float64)
