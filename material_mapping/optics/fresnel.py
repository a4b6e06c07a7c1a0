# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflection at a smooth boundary: Fresnel's equations for glass, coats and metals.

The refractive index of a medium is n + i k, both at the wavelength of the light: k is 0 for clear
media and well above 1 for metals. The light comes from a clear medium, which is air by default.

References
----------
.. [1] M. Born, E. Wolf, Principles of Optics, 7th edition, Cambridge University Press, 1999,
   sections 1.5.2 and 14.2, doi:10.1017/CBO9781139644181
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from material_mapping.errors import MaterialError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def reflectance(
    angle_rad: ArrayLike, *, n: float, k: float = 0.0, n_outside: float = 1.0
) -> NDArray[np.float64]:
    """Return the fraction of unpolarised light that a smooth boundary reflects.

    Parameters
    ----------
    angle_rad : array_like
        Angle between the incoming light and the normal, 0 to pi/2. [rad]
    n, k : float
        Refractive index and extinction coefficient of the medium behind the boundary. [1]
    n_outside : float
        Refractive index of the medium that the light comes from. [1]

    Returns
    -------
    float64, shape of `angle_rad`
        0 to 1; 1 at grazing incidence, and from the critical angle on where `n_outside` exceeds
        n and k is 0 (total reflection). [1]

    Raises
    ------
    MaterialError
        `n` or `n_outside` is not finite and above 0, or `k` is not finite and 0 or more.

    Notes
    -----
    The mean of the two polarisations (equations 21 and 21a of section 1.5 of [1]_), with the
    complex relative index m = (n + i k) / n_outside and the cosine c of the angle::

        r_s = (c - q) / (c + q)    r_p = (m^2 c - q) / (m^2 c + q)    q = sqrt(m^2 - 1 + c^2)
        F = (|r_s|^2 + |r_p|^2) / 2
    """
    return reflectance_at_cosine(np.cos(angle_rad), n=n, k=k, n_outside=n_outside)


def reflectance_at_cosine(
    cos_angle: ArrayLike, *, n: float, k: float = 0.0, n_outside: float = 1.0
) -> NDArray[np.float64]:
    """Return the fraction of unpolarised light that a smooth boundary reflects, by cosine [1].

    It is the same law as in `reflectance`, with the cosine of the angle instead of the angle.

    Parameters
    ----------
    cos_angle : array_like
        Cosine of the angle between the incoming light and the normal, clipped to 0 to 1. The result
        has its shape. [1]
    n, k : float
        Refractive index and extinction coefficient of the medium behind the boundary. [1]
    n_outside : float
        Refractive index of the medium that the light comes from. [1]

    Raises
    ------
    MaterialError
        `n` or `n_outside` is not finite and above 0, or `k` is not finite and 0 or more.
    """
    r_s, r_p = polarised_reflectance_at_cosine(cos_angle, n=n, k=k, n_outside=n_outside)
    return np.asarray(0.5 * (r_s + r_p), np.float64)


def polarised_reflectance_at_cosine(
    cos_angle: ArrayLike, *, n: float, k: float = 0.0, n_outside: float = 1.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the reflectances of s- and of p-polarised light at a smooth boundary, by cosine [1].

    They are |r_s|^2 and |r_p|^2 in the equations of `reflectance`.

    Parameters
    ----------
    cos_angle : array_like
        Cosine of the angle between the incoming light and the normal, clipped to 0 to 1. [1]
    n, k : float
        Refractive index and extinction coefficient of the medium behind the boundary. [1]
    n_outside : float
        Refractive index of the medium that the light comes from. [1]

    Returns
    -------
    float64, float64
        Reflectance of s- and of p-polarised light, each in the shape of `cos_angle`. [1]

    Raises
    ------
    MaterialError
        `n` or `n_outside` is not finite and above 0, or `k` is not finite and 0 or more.
    """
    squared = _relative_index(n, k, n_outside) ** 2
    c = np.clip(np.asarray(cos_angle, np.float64), 0.0, 1.0)
    q = np.sqrt(squared - 1.0 + c * c + 0j)
    return _squared_ratio(c - q, c + q), _squared_ratio(squared * c - q, squared * c + q)


def normal_reflectance(*, n: float, k: float = 0.0, n_outside: float = 1.0) -> float:
    """Return the fraction of light that a smooth boundary reflects at normal incidence [1].

    It is |m - 1|^2 / |m + 1|^2 with the relative refractive index m = (n + ik) / n_outside. Glass
    with n = 1.5 in air has 0.04. In air it is ((n - 1)^2 + k^2) / ((n + 1)^2 + k^2), equation 23 of
    section 14.2 of [1]_. `n` and `k` are the refractive index and the extinction coefficient behind
    the boundary, `n_outside` is the refractive index in front. [1] Raises MaterialError for
    impossible values.
    """
    m = _relative_index(n, k, n_outside)
    return abs(m - 1.0) ** 2 / abs(m + 1.0) ** 2


def _relative_index(n: float, k: float, n_outside: float) -> complex:
    for name, value in (("n", n), ("n_outside", n_outside)):
        if not (math.isfinite(value) and value > 0.0):
            raise MaterialError(f"refractive index: {name} is {value:g}, expected a number above 0")
    if not (math.isfinite(k) and k >= 0.0):
        raise MaterialError(f"refractive index: k is {k:g}, expected 0 or more")
    return complex(n, k) / n_outside


def _squared_ratio(over: NDArray[Any], under: NDArray[Any]) -> NDArray[np.float64]:
    """Return |over / under|^2; 0 where both vanish, as between equal media at grazing incidence."""
    squared = np.abs(under) ** 2
    safe = np.where(squared == 0.0, 1.0, squared)
    return np.asarray(np.abs(over) ** 2 / safe, np.float64)
