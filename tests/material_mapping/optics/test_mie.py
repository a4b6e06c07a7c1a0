# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Mie's series: published values, limits of small and large spheres, sums over directions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from material_mapping import MaterialError
from material_mapping.optics import fresnel, mie, water

SPHERES = {"m": 1.33 + 1e-3j}


def by_complex_bessel_functions(x, m):
    """Return Q_ext, Q_sca and Q_back with the recurrences of scipy in place of our own.

    Bohren and Huffman, equation 4.53, with derivatives of psi(z) = z j(z) and xi = z (j + i y).
    """
    from scipy.special import spherical_jn, spherical_yn

    n = np.arange(1, int(x + 4 * x ** (1 / 3) + 20))
    z = m * x
    j, dj = spherical_jn(n, x), spherical_jn(n, x, derivative=True)
    h = j + 1j * spherical_yn(n, x)
    dh = dj + 1j * spherical_yn(n, x, derivative=True)
    inner, d_inner = spherical_jn(n, z), spherical_jn(n, z, derivative=True)
    psi, d_psi, xi, d_xi = x * j, j + x * dj, x * h, h + x * dh
    p, dp = z * inner, inner + z * d_inner
    a = (m * p * d_psi - psi * dp) / (m * p * d_xi - xi * dp)
    b = (p * d_psi - m * psi * dp) / (p * d_xi - m * xi * dp)
    weight = 2 * n + 1
    back = abs((weight * (-1.0) ** n * (a - b)).sum()) ** 2 / x**2
    extinction = 2 / x**2 * (weight * (a + b).real).sum()
    return extinction, 2 / x**2 * (weight * (abs(a) ** 2 + abs(b) ** 2)).sum(), back


def test_a_sphere_of_wiscombes_report_has_its_published_extinction():
    # m = 1.5, x = 10: Q_ext 2.8820; W. J. Wiscombe, NCAR/TN-140+STR, 1979
    found = mie.efficiencies(10.0, 1.5)
    assert found.extinction == pytest.approx(2.8820, abs=5e-5)
    assert found.scattering == pytest.approx(found.extinction, rel=1e-12)  # it is clear


def test_bohren_and_huffmans_water_sphere_has_the_published_efficiencies():
    # their appendix A: m = 1.55, radius 0.525 um, 0.6328 um: x = 5.213, Q 3.10543, Q_back 2.92534
    found = mie.efficiencies(2 * math.pi * 0.525 / 0.6328, 1.55)
    assert found.extinction == pytest.approx(3.10543, abs=5e-5)
    assert found.scattering == pytest.approx(3.10543, abs=5e-5)
    assert found.back == pytest.approx(2.92534, abs=5e-5)


@given(st.floats(0.3, 60.0), st.floats(1.1, 2.0), st.floats(0.0, 0.5))
@settings(max_examples=50, deadline=None)
def test_the_series_agrees_with_that_of_scipys_bessel_functions(x, n, k):
    found = mie.efficiencies(x, complex(n, k))
    expected = by_complex_bessel_functions(x, complex(n, k))
    assert [float(q) for q in found] == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_a_large_drop_has_the_back_efficiency_of_forty_digits():
    # the same equations with Bessel functions of 40 digits (mpmath 1.3), terms up to x + 8 x^(1/3)
    found = mie.efficiencies(200.0, 1.33 + 1e-3j)
    assert found.back == pytest.approx(0.217125408949, rel=1e-9)
    assert found.extinction == pytest.approx(2.05569537068, rel=1e-9)
    clear = mie.efficiencies(1000.0, 1.33 + 5e-7j)
    assert clear.back == pytest.approx(0.669249982019, rel=1e-9)
    assert clear.extinction == pytest.approx(2.01659402843, rel=1e-9)


def test_small_spheres_scatter_as_rayleigh_found():
    # Q_sca = 8/3 x^4 |(m^2 - 1) / (m^2 + 2)|^2, Q_back 3/2 of it; next order is x^2
    x = np.array([0.1, 0.2])
    found = mie.efficiencies(x, 1.33)
    law = 8.0 / 3.0 * x**4 * ((1.33**2 - 1.0) / (1.33**2 + 2.0)) ** 2
    assert found.scattering == pytest.approx(law, rel=0.03)
    assert found.back == pytest.approx(1.5 * law, rel=0.06)


def test_a_large_opaque_sphere_takes_twice_its_area_and_returns_fresnels_share():
    # geometrical optics: the shadow takes as much as the sphere; the front face reflects F(0)
    m = 1.33 + 0.1j
    found = mie.efficiencies(5000.0, m)
    assert found.extinction == pytest.approx(2.0, abs=0.01)
    assert found.back == pytest.approx(fresnel.normal_reflectance(n=m.real, k=m.imag), rel=0.01)


def test_the_mean_over_all_directions_is_the_scattering_efficiency():
    x = np.array([0.5, 5.0, 50.0])
    mean = mie.back_efficiency_into_cone(x, half_angle_rad=math.pi, **SPHERES)
    assert mean == pytest.approx(mie.efficiencies(x, **SPHERES).scattering, rel=1e-9)


def test_forwards_the_amplitude_gives_the_extinction_and_backwards_the_back_efficiency():
    # optical theorem, Bohren and Huffman 4.76: Q_ext = 4/x^2 Re S(0)
    x = np.array([0.5, 5.0, 50.0])
    s_1, s_2 = mie.amplitudes(x, cos_angle=[1.0, -1.0], **SPHERES)
    found = mie.efficiencies(x, **SPHERES)
    assert s_1[:, 0] == pytest.approx(s_2[:, 0], rel=1e-12)
    assert 4.0 / x**2 * s_1[:, 0].real == pytest.approx(found.extinction, rel=1e-9)
    assert 4.0 / x**2 * np.abs(s_1[:, 1]) ** 2 == pytest.approx(found.back, rel=1e-9)
    towards = mie.directed_efficiency(x, cos_angle=-1.0, **SPHERES)
    assert towards[:, 0] == pytest.approx(found.back, rel=1e-9)


def test_a_narrow_cone_sees_the_back_efficiency():
    x = np.array([5.0, 50.0])
    narrow = mie.back_efficiency_into_cone(x, half_angle_rad=1e-5, **SPHERES)
    assert narrow == pytest.approx(mie.efficiencies(x, **SPHERES).back, rel=1e-6)


@pytest.mark.long
@pytest.mark.parametrize(
    ("diameter_mm", "wavelength_nm", "k", "expected"),
    [
        # averages over near sizes, computed apart from this code and with other sizes
        (0.5, 905.0, 5e-7, (3.3, 2.0, 1.1, 0.57)),
        (1.0, 905.0, 5e-7, (2.8, 2.0, 0.94, 0.52)),
        (0.5, 1550.0, 1e-4, (0.09, None, None, None)),
        (1.0, 1550.0, 1e-4, (0.034, 0.034, 0.034, 0.034)),
    ],
)
def test_a_drop_returns_less_into_a_wider_receiver(diameter_mm, wavelength_nm, k, expected):
    n = water.refractive_index(wavelength_nm).real
    near = 1.0 + np.linspace(-0.02, 0.02, 61)
    x = math.pi * diameter_mm * 1e6 / wavelength_nm * near
    found = [
        mie.back_efficiency_into_cone(x, complex(n, k), half_angle_rad=half).mean()
        for half in (0.5e-3, 1e-3, 2.5e-3, 5e-3)
    ]
    assert np.all(np.diff(found) < 0.0)
    for got, value in zip(found, expected, strict=True):
        assert value is None or got == pytest.approx(value, rel=0.1)


def test_spheres_of_a_set_are_those_of_each_alone_whatever_their_order():
    x = np.random.default_rng(1).uniform(0.5, 1500.0, (30, 40))  # more than one piece
    found = mie.efficiencies(x, **SPHERES)
    assert found.back.shape == (30, 40)
    for place in ((0, 0), (17, 3), (29, 39)):
        alone = mie.efficiencies(x[place], **SPHERES)
        assert alone.back == pytest.approx(found.back[place], rel=1e-6)
        assert alone.extinction == pytest.approx(found.extinction[place], rel=1e-9)


@pytest.mark.parametrize(
    ("size_parameter", "m", "words"),
    [
        ([1.0, 0.05], 1.5, "size parameter is 0.05, expected 0.1 to 20000"),
        (math.nan, 1.5, "size parameter is nan"),
        (1.0, 1.5 - 0.1j, "m is 1.5-0.1j, expected n + ik with n above 0, k 0 or more"),
        (1.0, 0.0, "m is 0"),
    ],
)
def test_an_impossible_sphere_is_refused_in_one_line(size_parameter, m, words):
    with pytest.raises(MaterialError) as caught:
        mie.efficiencies(size_parameter, m)
    assert str(caught.value).startswith(f"Mie series: {words}")


def test_an_impossible_cone_is_refused_in_one_line():
    with pytest.raises(MaterialError, match="half_angle_rad is 4, expected above 0, up to pi"):
        mie.back_efficiency_into_cone(1.0, 1.5, half_angle_rad=4.0)
