# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scattering by a homogeneous sphere: Mie's series.

The size parameter of a sphere of radius r is x = 2 pi r / wavelength, and m = n + i k is its
refractive index relative to the medium around it, with k >= 0. The efficiency Q of a process is its
cross-section over the area pi r^2 of the sphere. Equation numbers follow [1]_.

References
----------
.. [1] C. F. Bohren, D. R. Huffman, Absorption and scattering of light by small particles, Wiley,
   1983, chapter 4 and appendix A, doi:10.1002/9783527618156
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from material_mapping.errors import MaterialError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

SIZE_PARAMETERS = (0.1, 20_000.0)
"""Least and largest size parameter. Rounding spoils the extinction of smaller clear spheres. [1]"""

_ELEMENTS = 2**19  # of an array of coefficients: larger sets of spheres are taken in pieces


class MieEfficiencies(NamedTuple):
    """Efficiencies of spheres [1], arrays with the shape of the size parameter.

    Attributes
    ----------
    extinction, scattering : float64
        Q_ext and Q_sca; they are equal for a sphere that does not absorb.
    back : float64
        Q_back = 4 pi dC_sca/dOmega (180 deg) / (pi r^2), the convention of radar: a sphere that
        scatters evenly has Q_back = Q_sca. The backscatter of N spheres per volume is
        N pi r^2 Q_back / (4 pi) per steradian.
    """

    extinction: NDArray[np.float64]
    scattering: NDArray[np.float64]
    back: NDArray[np.float64]


def efficiencies(size_parameter: ArrayLike, m: complex) -> MieEfficiencies:
    """Return how strongly spheres weaken and scatter light, relative to their cross-section.

    Parameters
    ----------
    size_parameter : array_like
        x, 0.1 to 20 000. [1]
    m : complex
        n + i k, relative to the medium around the sphere. [1]

    Notes
    -----
    Equations 4.61, 4.62 and (for 180 deg) 4.74 of [1]_, with the coefficients a_n and b_n::

        Q_ext  = 2/x^2 sum (2n + 1) Re(a_n + b_n)
        Q_sca  = 2/x^2 sum (2n + 1) (|a_n|^2 + |b_n|^2)
        Q_back = 1/x^2 |sum (2n + 1) (-1)^n (a_n - b_n)|^2
    """
    x = _checked(size_parameter, m)
    found = np.empty((3, x.size))
    for these, a, b in _coefficients(x.ravel(), m):
        n = np.arange(1.0, a.shape[0] + 1.0)
        weight, sign = 2.0 * n + 1.0, np.where(n % 2.0 == 1.0, -1.0, 1.0)
        x2 = x.ravel()[these] ** 2
        found[0, these] = 2.0 / x2 * (weight @ (a + b).real)
        found[1, these] = 2.0 / x2 * (weight @ (np.abs(a) ** 2 + np.abs(b) ** 2))
        found[2, these] = np.abs((weight * sign) @ (a - b)) ** 2 / x2
    return MieEfficiencies(*found.reshape(3, *x.shape))


def amplitudes(
    size_parameter: ArrayLike, m: complex, *, cos_angle: ArrayLike
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Return the scattering amplitudes S_1 and S_2 of spheres, equation 4.74 of [1]_.

    Parameters
    ----------
    size_parameter : array_like
        x, 0.1 to 20 000. [1]
    m : complex
        n + i k, relative to the medium around the sphere. [1]
    cos_angle : array_like
        Cosines of scattering angles: 1 is forwards, -1 backwards. [1]

    Returns
    -------
    two of complex128, a row per size parameter and a column per angle
        S_1 for light polarised across the scattering plane, S_2 for light polarised along it. [1]
    """
    x, mu = _checked(size_parameter, m).ravel(), np.asarray(cos_angle, np.float64).ravel()
    s_1, s_2 = np.empty((2, x.size, mu.size), np.complex128)
    for these, a, b in _coefficients(x, m):
        pi, tau = _angular_functions(a.shape[0], mu)
        s_1[these] = a.T @ pi + b.T @ tau
        s_2[these] = a.T @ tau + b.T @ pi
    return s_1, s_2


def directed_efficiency(
    size_parameter: ArrayLike, m: complex, *, cos_angle: ArrayLike
) -> NDArray[np.float64]:
    """Return how strongly spheres scatter unpolarised light in directions, by size and angle [1].

    It is 4 pi dC_sca/dOmega / (pi r^2): the scattering efficiency Q_sca times a phase function with
    mean 1 over all directions. At a scattering angle of 180 deg it equals Q_back.

    Parameters
    ----------
    size_parameter : array_like
        x, n_size values in any shape, 0.1 to 20 000. [1]
    m : complex
        n + i k, relative to the medium around the sphere. [1]
    cos_angle : array_like
        Cosines of n_angle scattering angles: 1 is forwards, -1 backwards. [1]

    Returns
    -------
    float64 (n_size, n_angle)
        A row per size parameter and a column per angle. [1]
    """
    s_1, s_2 = amplitudes(size_parameter, m, cos_angle=cos_angle)
    x = np.asarray(size_parameter, np.float64).reshape(-1, 1)
    return np.asarray(2.0 * (np.abs(s_1) ** 2 + np.abs(s_2) ** 2) / x**2, np.float64)


def back_efficiency_into_cone(
    size_parameter: ArrayLike, m: complex, *, half_angle_rad: float
) -> NDArray[np.float64]:
    """Return the mean of `directed_efficiency` over a cone about the backward direction [1].

    A receiver of radius A beside the source, at the range r from the sphere, fills the cone of
    half angle A / r as seen from the sphere. In the limit of a narrow cone the result is Q_back.
    Spheres larger than some ten micrometres concentrate light near 180 deg (the glory) in rings
    of width 1 / x rad, so the mean falls as the cone widens. The result has the shape of
    `size_parameter`.

    Parameters
    ----------
    size_parameter : array_like
        x, 0.1 to 20 000. [1]
    m : complex
        n + i k, relative to the medium around the sphere. [1]
    half_angle_rad : float
        Half angle of the cone, above 0, at most pi. [rad]

    Notes
    -----
    Gauss's rule over the angle, with several nodes per ring of the largest sphere.
    """
    if not 0.0 < half_angle_rad <= np.pi:
        raise MaterialError(
            f"Mie series: half_angle_rad is {half_angle_rad:g}, expected above 0, up to pi"
        )
    x = _checked(size_parameter, m)
    node, weight = np.polynomial.legendre.leggauss(16 + int(1.5 * x.max() * half_angle_rad))
    angle = 0.5 * half_angle_rad * (node + 1.0)
    weight = weight * np.sin(angle)
    towards = directed_efficiency(x, m, cos_angle=-np.cos(angle))
    mean = towards @ (weight / weight.sum())
    return np.asarray(mean.reshape(x.shape), np.float64)


def _checked(size_parameter: ArrayLike, m: complex) -> NDArray[np.float64]:
    """Return the size parameters; raise MaterialError if one of them or m is impossible."""
    x = np.asarray(size_parameter, np.float64)
    least, most = SIZE_PARAMETERS
    wrong = x[~((x >= least) & (x <= most))]
    if wrong.size:
        raise MaterialError(
            f"Mie series: size parameter is {wrong[0]:g}, expected {least:g} to {most:g}"
        )
    if not (np.isfinite(m) and np.real(m) > 0.0 and np.imag(m) >= 0.0):
        raise MaterialError(f"Mie series: m is {m:g}, expected n + ik with n above 0, k 0 or more")
    return x


def _coefficients(
    x: NDArray[np.float64], m: complex
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.complex128], NDArray[np.complex128]]]:
    """Yield indices into `x`, and a_n and b_n with rows n from 1 on and a column per sphere."""
    order = np.argsort(x)[::-1]
    start = 0
    while start < order.size:
        stop = start + max(1, _ELEMENTS // int(_last_term(x[order[start]])))
        these = order[start:stop]
        yield these, *_coefficients_of_falling(x[these], m)
        start = stop


def _last_term(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the number of terms after which the series has converged.

    Page 477 of [1]_ has the factor 4 where this has 6; with 4, the error of Q_back is 2e-6 at
    x = 1000.
    """
    return np.floor(x + 6.0 * np.cbrt(x) + 2.0)


def _coefficients_of_falling(
    x: NDArray[np.float64], m: complex
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Return a_n and b_n of spheres in falling order of size, equation 4.88 of [1]_.

    With the Riccati-Bessel functions psi and xi = psi - i chi, and D the logarithmic derivative of
    psi at m x::

        a_n = ((D_n/m + n/x) psi_n - psi_(n-1)) / ((D_n/m + n/x) xi_n - xi_(n-1))
        b_n = ((m D_n + n/x) psi_n - psi_(n-1)) / ((m D_n + n/x) xi_n - xi_(n-1))

    psi and chi follow by upward recurrence from n = 0. Terms after convergence are left at 0.
    """
    last = _last_term(x)
    derivative = _logarithmic_derivative(int(last[0]), np.asarray(m * x, np.complex128))
    a, b = np.zeros((2, *derivative.shape), np.complex128)
    before, psi, chi_before, chi = np.cos(x), np.sin(x), -np.sin(x), np.cos(x)
    for row in range(derivative.shape[0]):
        n = row + 1.0
        left = int(np.count_nonzero(last >= n))
        x, before, psi, chi_before, chi = (v[:left] for v in (x, before, psi, chi_before, chi))
        before, psi = psi, (2.0 * n - 1.0) / x * psi - before
        chi_before, chi = chi, (2.0 * n - 1.0) / x * chi - chi_before
        xi_before, xi = before - 1j * chi_before, psi - 1j * chi
        electric = derivative[row, :left] / m + n / x
        magnetic = derivative[row, :left] * m + n / x
        a[row, :left] = (electric * psi - before) / (electric * xi - xi_before)
        b[row, :left] = (magnetic * psi - before) / (magnetic * xi - xi_before)
    return a, b


def _logarithmic_derivative(n_terms: int, z: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Return D_n(z), one row for each n from 1 to `n_terms`, by downward recurrence (4.89 of [1]_).

    The recurrence starts from 0. Its error fades only while n is above |z|. So for large z the
    start must be more than the 15 terms of [1]_ above |z|.
    """
    largest = float(np.abs(z).max())
    first = max(n_terms, int(largest + 8.0 * np.cbrt(largest))) + 16
    found = np.empty((n_terms, z.size), np.complex128)
    derivative = np.zeros(z.size, np.complex128)
    for n in range(first, 0, -1):
        if n <= n_terms:
            found[n - 1] = derivative
        ratio = n / z
        derivative = ratio - 1.0 / (derivative + ratio)
    return found


def _angular_functions(
    n_terms: int, mu: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (2n + 1) / (n (n + 1)) times pi_n and tau_n (4.47 of [1]_), one row for each n."""
    pi, tau = np.empty((2, n_terms, mu.size))
    before, here = np.zeros_like(mu), np.ones_like(mu)
    for row in range(n_terms):
        n = row + 1.0
        factor = (2.0 * n + 1.0) / (n * (n + 1.0))
        pi[row], tau[row] = factor * here, factor * (n * mu * here - (n + 1.0) * before)
        before, here = here, ((2.0 * n + 1.0) * mu * here - (n + 1.0) * before) / n
    return pi, tau
