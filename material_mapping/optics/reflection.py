# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflection models: how much light a surface reflects from one direction into another.

A model is a function f(theta_i, theta_o, azimuth) [1/sr], the bidirectional reflectance
distribution function (BRDF): radiance towards o per irradiance from i. Angles are in radians;
theta_i and theta_o are measured from the normal, and the azimuth between the planes of the two
directions. Both directions point away from the surface: (theta, theta, 0) is the direction back to
the source, and (theta, theta, pi) the mirror direction. From behind (an angle above pi/2, or not a
number) f is 0. Angles broadcast against each other.

The emitter and the receiver of a lidar are at the same place, and the reference is a perpendicular
white Lambertian target, f = 1/pi. So the reflectivity of a hit is R(theta) = pi f cos(theta), see
`reflectivity`. Models conserve energy: a surface never reflects more light than it receives from a
direction. Parameters that would violate this are rejected.

Metals, glass and paints are in `material_mapping.optics.microfacet`.

References
----------
.. [1] J. H. Lambert, Photometria sive de mensura et gradibus luminis, colorum et umbrae,
   Augsburg, 1760
.. [2] HELIOS++ (github.com/3dgeo-heidelberg/helios), src/maths/EnergyMaths.cpp, computeBDRF and
   phongBDRF; src/scene/Material.cpp, setSpecularity
.. [3] B. Jutzi, H. Gross, Normalization of lidar intensity data based on range and surface
   incidence angle, ISPRS Archives XXXVIII-3/W8, 213-218, 2009
.. [4] L. Neumann, A. Neumann, L. Szirmay-Kalos, Compact metallic reflectance models, Computer
   Graphics Forum 18(3), 161-172, 1999
.. [5] M. Oren, S. K. Nayar, Generalization of Lambert's reflectance model, SIGGRAPH 1994,
   239-246, doi:10.1145/192161.192213
.. [6] CIE 54.2:2001, Retroreflection: definition and measurement
.. [7] G. Ward, retrorefl.cal of Radiance (radiance-online.org), 2002: ent_mult1, "based on 3M
   sheet reflector"
.. [8] ASTM D4956-01, Standard specification for retroreflective sheeting for traffic control,
   white, types I and III
.. [9] ASTM E810-20, Standard test method for coefficient of retroreflection of retroreflective
   sheeting utilizing the coplanar geometry, section 5.1: entrance angles up to 60 deg
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from lidar_base.near_match import near_match
from material_mapping.errors import MaterialError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

Brdf: TypeAlias = "Callable[..., NDArray[np.float64]]"
Lookup = Literal["floor", "nearest", "linear"]
LOOKUPS = ("floor", "nearest", "linear")

SHEETING_FALL_OFF_RAD = math.radians(math.sqrt(2220.0))  # 47.1 deg, exp(-angle^2/2220 deg^2) [7]
SHEETING_LOBE_RAD = math.radians(0.5)  # 0.2 to 0.5 deg: 70 to 30 (type I), 250 to 95 (III) [8]
LAST_ENTRANCE_RAD = math.radians(60.0)  # sheeting is tested up to here [9]


def reflectivity(brdf: Brdf, theta_rad: ArrayLike, **parameters: float) -> NDArray[np.float64]:
    """Return the reflectivity seen by a lidar, R(theta) = pi f(theta, theta, 0) cos(theta).

    Parameters
    ----------
    brdf : function
        A model of this module or of `material_mapping.optics.microfacet`.
    theta_rad : array_like
        Angle of incidence. [rad]
    **parameters
        Parameters of the model.

    Returns
    -------
    float64, shape of `theta_rad`
        Relative to a perpendicular white Lambertian target; above 1 for narrow lobes.
        0 from behind. At exactly pi/2 it is the limit of the model, which need not be 0. [1]
    """
    theta = np.asarray(theta_rad, np.float64)
    return np.asarray(np.pi * brdf(theta, theta, 0.0, **parameters) * _cosine(theta), np.float64)


def lambert(
    theta_i_rad: ArrayLike, theta_o_rad: ArrayLike, azimuth_rad: ArrayLike, *, reflectance: float
) -> NDArray[np.float64]:
    """Return the BRDF of a matt surface, f = rho / pi, for each pair of directions [1/sr].

    It is 0 if the light or the view is from behind the surface (an angle above pi/2). A lidar looks
    along its own light, so it sees the reflectivity R = pi f cos(theta) = rho cos(theta) [1]_.

    Parameters
    ----------
    theta_i_rad, theta_o_rad, azimuth_rad : array_like
        Angles of light and view from the normal, and azimuth between them: 0 for a view on the side
        of the light, pi for the opposite side. They are broadcast against each other. [rad]
    reflectance : float
        rho, the fraction of the light that is reflected, 0 to 1. [1]
    """
    check_range("lambert", "reflectance", reflectance, 0.0, 1.0)
    visible, _, _, _ = directions(theta_i_rad, theta_o_rad, azimuth_rad)
    return np.where(visible, reflectance / np.pi, 0.0)


def phong(  # noqa: PLR0913  as many quantities
    theta_i_rad: ArrayLike,
    theta_o_rad: ArrayLike,
    azimuth_rad: ArrayLike,
    *,
    reflectance: float,
    specularity: float,
    specular_exponent: float = 10.0,
    back_lobe: bool = True,
) -> NDArray[np.float64]:
    """Return the BRDF of the Phong model as HELIOS++ defines it [1/sr].

    Parameters
    ----------
    theta_i_rad, theta_o_rad, azimuth_rad : array_like
        Angles of light and view from the normal, and azimuth between them: 0 for a view on the side
        of the light, pi for the opposite side. They are broadcast to the shape of the result. [rad]
    reflectance : float
        rho, from the material's spectrum in HELIOS++, 0 to 1. [1]
    specularity : float
        K_s, 0 to 1. HELIOS++ computes it from an MTL material: the sum of ``Ks`` over the sum of
        ``Ks`` and ``Kd``. [1]
    specular_exponent : float
        N_s, ``Ns`` of MTL, 1 or more: below, more light would be reflected than received. [1]
    back_lobe : bool
        Whether to keep the second, backward lobe of HELIOS++; see the notes.

    Notes
    -----
    HELIOS++ defines only the reflection back to the sensor [2]_, after [3]_::

        R = rho ((1 - K_s) cos(theta) + K_s |cos(2 theta)|^N_s)

    which is this BRDF at (theta, theta, 0), with the angle a between o and the mirrored i::

        f = rho/pi (1 - K_s + K_s |cos(a)|^N_s / max(cos(theta_i), cos(theta_o)))
        cos(a) = cos(theta_i) cos(theta_o) - sin(theta_i) sin(theta_o) cos(azimuth)

    The maximum makes it reciprocal, and limits its albedo to rho max(1, 2 / (N_s + 1)) [4]_.

    The absolute value makes R rise again beyond 45 deg, up to rho K_s at grazing incidence: the
    lobe in the mirror direction has a twin that points backwards. No shiny surface does this;
    ``back_lobe=False`` removes the twin, and changes nothing below 45 deg.
    """
    check_range("phong", "reflectance", reflectance, 0.0, 1.0)
    check_range("phong", "specularity", specularity, 0.0, 1.0)
    check_range("phong", "specular_exponent", specular_exponent, 1.0, math.inf)
    visible, cos_i, cos_o, horizontal = directions(theta_i_rad, theta_o_rad, azimuth_rad)
    cos_a = cos_i * cos_o - horizontal
    lobe = np.abs(cos_a) if back_lobe else np.maximum(cos_a, 0.0)
    longer = np.where(visible, np.maximum(cos_i, cos_o), 1.0)
    specular = specularity * lobe**specular_exponent / longer
    return np.where(visible, reflectance / np.pi * (1.0 - specularity + specular), 0.0)


def oren_nayar(
    theta_i_rad: ArrayLike,
    theta_o_rad: ArrayLike,
    azimuth_rad: ArrayLike,
    *,
    reflectance: float,
    roughness_rad: float,
) -> NDArray[np.float64]:
    """Return the BRDF of a rough matt surface: matt facets with random slopes [1/sr].

    Parameters
    ----------
    theta_i_rad, theta_o_rad, azimuth_rad : array_like
        Angles of light and view from the normal, and azimuth between them: 0 for a view on the side
        of the light, pi for the opposite side. They are broadcast to the shape of the result. [rad]
    reflectance : float
        rho of the facets, 0 to 1. [1]
    roughness_rad : float
        Standard deviation of the facets' slope angles; 0 is Lambert's law. [rad]

    Notes
    -----
    The qualitative model of [5]_::

        f = rho/pi (A + B max(0, cos(azimuth)) sin(alpha) tan(beta))
        A = 1 - 0.5 s^2 / (s^2 + 0.33)    B = 0.45 s^2 / (s^2 + 0.09)
        alpha = max(theta_i, theta_o)     beta = min(theta_i, theta_o)

        R = rho (A cos(theta) + B sin^2(theta))

    The model is reciprocal: it stays the same if theta_i and theta_o are exchanged. In the
    direction back to the sensor it equals the paper's full model without interreflections.
    Interreflections are left out; in the full model they add
    0.17 rho^2 s^2 / (s^2 + 0.13) (1 - (2 theta / pi)^2) cos(theta) to R.

    The model reflects the fraction rho (A + B/2) of grazing light, at most 1.0152 rho (for a
    roughness of 11.4 deg). Parameters for which this fraction exceeds 1 are rejected.
    """
    check_range("oren_nayar", "reflectance", reflectance, 0.0, 1.0)
    check_range("oren_nayar", "roughness_rad", roughness_rad, 0.0, math.inf)
    a, b = facet_terms(roughness_rad)
    if reflectance * (a + 0.5 * b) > 1.0:
        raise MaterialError(
            f"oren_nayar: reflectance {reflectance:g} with roughness_rad {roughness_rad:g} reflects"
            f" more light than it receives, expected at most {1.0 / (a + 0.5 * b):.4f}"
        )
    visible, cos_i, cos_o, horizontal = directions(theta_i_rad, theta_o_rad, azimuth_rad)
    # sin(alpha) tan(beta) = sin(theta_i) sin(theta_o) / max(cos(theta_i), cos(theta_o))
    rise = np.maximum(horizontal, 0.0) / np.where(visible, np.maximum(cos_i, cos_o), 1.0)
    return np.where(visible, reflectance / np.pi * (a + b * rise), 0.0)


def facet_terms(roughness_rad: float) -> tuple[float, float]:
    """Return the constants A and B [1] of the model of Oren and Nayar, see `oren_nayar`.

    ``roughness_rad`` is the standard deviation of the facets' slope angles [rad].
    """
    variance = roughness_rad**2
    return 1.0 - 0.5 * variance / (variance + 0.33), 0.45 * variance / (variance + 0.09)


def retroreflective(  # noqa: PLR0913  as many quantities
    theta_i_rad: ArrayLike,
    theta_o_rad: ArrayLike,
    azimuth_rad: ArrayLike,
    *,
    coefficient_cd_lx_m2: float,
    fall_off_rad: float = SHEETING_FALL_OFF_RAD,
    lobe_rad: float = SHEETING_LOBE_RAD,
) -> NDArray[np.float64]:
    """Return the BRDF of retroreflective sheeting [1/sr].

    Parameters
    ----------
    theta_i_rad, theta_o_rad, azimuth_rad : array_like
        Angles of light and view from the normal, and azimuth between them: 0 for a view on the side
        of the light, pi for the opposite side. They are broadcast to the shape of the result. [rad]
    coefficient_cd_lx_m2 : float
        R_A, the coefficient of retroreflection [6]_ straight back at normal incidence. A data
        sheet states it at an observation angle g and an entrance angle b: divide that value by
        exp(-(g/lobe)^2 - (b/fall_off)^2). For type I, 70 at g = 0.2 deg and b = 4 deg becomes 83.
        [cd/(lx m2)]
    fall_off_rad : float
        Entrance angle at which R_A has fallen to 1/e: 47.1 deg for 3M's sheeting [7]_. The values
        of [8]_ at entrance angles of 4 and 30 deg (observation angle 0.2 deg) give 32.3 deg for
        type I and 41.6 deg for type III. [rad]
    lobe_rad : float
        Observation angle (between i and o) at which R_A has fallen to 1/e. The values of [8]_ at
        0.2 and 0.5 deg give 0.50 deg for type I and 0.47 deg for type III. [rad]

    Notes
    -----
    By its definition R_A = f cos(theta_i) cos(theta_o), so that R = pi R_A / cos(theta)::

        f = R_A exp(-(g/lobe)^2) sqrt(h(theta_i) h(theta_o) / (cos(theta_i) cos(theta_o)))
        h(b) = exp(-(b/fall_off)^2) / cos(b)        R = pi R_A h(theta)

    The fall-off with the entrance angle is Ward's fit [7]_. That the observation angle has the
    same form is our assumption. The geometric mean of h(theta_i) and h(theta_o) makes f
    reciprocal. Beyond 60 deg, where sheeting is not tested [9]_, h falls linearly to 0 at 90 deg,
    which is an estimate.
    Prismatic sheeting also depends on its rotation, which is left out.

    The reflected fraction of the light is at least pi lobe^2 R_A h and must not exceed 1: R_A is
    at most 4 180.
    """
    name = "retroreflective"
    check_range(name, "coefficient_cd_lx_m2", coefficient_cd_lx_m2, 0.0, math.inf)
    check_range(name, "fall_off_rad", fall_off_rad, 1e-3, math.inf)
    check_range(name, "lobe_rad", lobe_rad, 1e-6, 0.1)
    last = math.exp(-((LAST_ENTRANCE_RAD / fall_off_rad) ** 2)) / math.cos(LAST_ENTRANCE_RAD)
    largest = 1.0 / (math.pi * lobe_rad**2 * max(1.0, last))
    if coefficient_cd_lx_m2 > largest:
        raise MaterialError(
            f"{name}: coefficient_cd_lx_m2 {coefficient_cd_lx_m2:g} with lobe_rad {lobe_rad:g}"
            f" reflects more light than it receives, expected at most {largest:.0f}"
        )
    visible, cos_i, cos_o, horizontal = directions(theta_i_rad, theta_o_rad, azimuth_rad)
    observation = np.arccos(np.clip(cos_i * cos_o + horizontal, -1.0, 1.0))
    h_i, h_o = (_entrance(theta, fall_off_rad, last) for theta in (theta_i_rad, theta_o_rad))
    entrance = np.sqrt(h_i * h_o / np.where(visible, cos_i * cos_o, 1.0))
    lobe = np.exp(-((observation / lobe_rad) ** 2))
    return np.where(visible, coefficient_cd_lx_m2 * lobe * entrance, 0.0)


def angle_table(
    angle_deg: ArrayLike,
    *,
    table_deg: ArrayLike,
    table_reflectivity: ArrayLike,
    lookup: Lookup = "floor",
) -> NDArray[np.float64]:
    """Return the reflectivity of a surface measured at some angles of incidence [1].

    Parameters
    ----------
    angle_deg : array_like
        Angles of incidence. [deg] so that whole degrees fall into their bins exactly
    table_deg, table_reflectivity : array_like (n_angle,)
        Measured angles, increasing, 0 to 90 [deg], and the reflectivity at each [1].
    lookup : {"floor", "nearest", "linear"}
        ``floor``: the largest measured angle not above the given one. So 0, 10 .. 80 are nine
        bins that cover 0 to 90, with 9.99 in the first and 10 in the second. ``nearest``: the
        nearest measured angle; half-way, the larger one. Both keep the last value up to 90.
        ``linear``: linear between the angles, and from the last one to 0 at 90.
        All three keep the first value below the first angle. Beyond 90 the result is 0.

    Raises
    ------
    MaterialError
        The lookup is unknown, or the table is empty, not as above, or has a negative value.
    """
    angles, values = np.asarray(table_deg, np.float64), np.asarray(table_reflectivity, np.float64)
    _check_table(angles, values, lookup)
    theta = np.asarray(angle_deg, np.float64)
    if lookup == "linear":
        if angles[-1] < 90.0:
            angles, values = np.append(angles, 90.0), np.append(values, 0.0)
        found = np.interp(theta, angles, values)
    else:
        edges = angles[1:] if lookup == "floor" else 0.5 * (angles[1:] + angles[:-1])
        found = values[np.searchsorted(edges, theta, side="right")]
    return np.where((theta >= 0.0) & (theta <= 90.0), found, 0.0)


def directions(
    theta_i_rad: ArrayLike, theta_o_rad: ArrayLike, azimuth_rad: ArrayLike
) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the terms that the BRDFs here share: visibility, two cosines, a product of sines.

    i is the direction to the light, o the direction of view.

    Parameters
    ----------
    theta_i_rad, theta_o_rad, azimuth_rad : array_like
        Angles of i and of o from the normal, and azimuth between them. They are broadcast against
        each other. [rad]

    Returns
    -------
    bool, float64, float64, float64
        Arrays of the common shape: whether i and o are both in front of the surface; cos(theta_i);
        cos(theta_o); h = sin(theta_i) sin(theta_o) cos(azimuth). Where the first is False, the
        others are 0. The cosine of the angle between i and o is cos(theta_i) cos(theta_o) + h;
        between o and the mirrored i it is cos(theta_i) cos(theta_o) - h.
    """
    theta_i, theta_o, azimuth = np.broadcast_arrays(
        *(np.asarray(angle, np.float64) for angle in (theta_i_rad, theta_o_rad, azimuth_rad))
    )
    cos_i, cos_o = _cosine(theta_i), _cosine(theta_o)
    visible = (cos_i > 0.0) & (cos_o > 0.0) & np.isfinite(azimuth)
    theta_i, theta_o, azimuth = (
        np.where(visible, angle, 0.0) for angle in (theta_i, theta_o, azimuth)
    )
    horizontal = np.sin(theta_i) * np.sin(theta_o) * np.cos(azimuth)
    return visible, np.where(visible, cos_i, 0.0), np.where(visible, cos_o, 0.0), horizontal


def check_range(model: str, name: str, value: float, least: float, most: float) -> None:
    """Raise MaterialError if a parameter is not finite or not within `least` to `most`.

    `model` and `name` are the names of the reflection model and of its parameter, for the message.
    `value` is the parameter. `most` may be infinite.
    """
    if math.isfinite(value) and least <= value <= most:
        return
    bounds = f"{least:g} or more" if most == math.inf else f"{least:g} to {most:g}"
    raise MaterialError(f"{model}: {name} is {value:g}, expected {bounds}")


def _cosine(theta_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cosine of an angle from the normal; 0 if the angle is not within +-pi/2."""
    inside = np.abs(theta_rad) <= 0.5 * np.pi
    return np.where(inside, np.cos(np.where(inside, theta_rad, 0.0)), 0.0)


def _entrance(theta_rad: ArrayLike, fall_off_rad: float, last: float) -> NDArray[np.float64]:
    """Return h of `retroreflective`; `last` is its value at 60 deg."""
    theta = np.abs(np.asarray(theta_rad, np.float64))
    known = np.where(theta <= LAST_ENTRANCE_RAD, theta, 0.0)
    beyond = (0.5 * np.pi - theta) / (0.5 * np.pi - LAST_ENTRANCE_RAD)
    law = np.exp(-((known / fall_off_rad) ** 2)) / np.cos(known)
    return np.where(theta <= LAST_ENTRANCE_RAD, law, last * np.clip(beyond, 0.0, 1.0))


def _check_table(angles: NDArray[np.float64], values: NDArray[np.float64], lookup: str) -> None:
    if lookup not in LOOKUPS:
        expected = f"expected one of {', '.join(LOOKUPS)}{near_match(lookup, LOOKUPS)}"
        raise MaterialError(f"angle table: unknown lookup {lookup!r}, {expected}")
    if angles.ndim != 1 or angles.size == 0 or angles.shape != values.shape:
        raise MaterialError(
            f"angle table: {angles.size} angle(s) and {values.size} value(s), expected the same"
            " number of both, at least one"
        )
    if not (np.all(np.diff(angles) > 0.0) and angles[0] >= 0.0 and angles[-1] <= 90.0):
        raise MaterialError("angle table: expected increasing angles from 0 to 90 deg")
    if not np.all(np.isfinite(values) & (values >= 0.0)):
        raise MaterialError("angle table: expected reflectivities of 0 or more")
