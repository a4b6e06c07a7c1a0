# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fresnel's equations: glass, metals, the angles of Brewster and of total reflection."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from material_mapping import MaterialError
from material_mapping.optics import fresnel
from tests.builders.strategies import REFRACTIVE_INDICES

GLASS = 1.5
ALUMINIUM = {"n": 1.37289, "k": 7.617691}
"""At 632.8 nm; A. D. Rakic et al., Applied Optics 37(22), 5271-5283, 1998."""


def test_glass_reflects_4_percent_at_the_normal_and_all_at_grazing_incidence():
    assert fresnel.normal_reflectance(n=GLASS) == pytest.approx(0.04, rel=1e-12)
    assert fresnel.reflectance([0.0, math.pi / 2], n=GLASS) == pytest.approx([0.04, 1.0])


def test_brewsters_angle_of_glass_is_56_31_degrees_and_leaves_no_p_polarised_light():
    angle = math.atan(GLASS)  # Born and Wolf, section 1.5.3
    assert math.degrees(angle) == pytest.approx(56.31, abs=0.005)
    r_s, r_p = fresnel.polarised_reflectance_at_cosine(math.cos(angle), n=GLASS)
    assert r_p == pytest.approx(0.0, abs=1e-30)
    assert r_s == pytest.approx((1.25 / 3.25) ** 2, rel=1e-12)  # ((n^2 - 1) / (n^2 + 1))^2
    assert fresnel.reflectance(angle, n=GLASS) == pytest.approx(0.5 * r_s, rel=1e-12)


def test_light_inside_glass_is_reflected_in_all_from_the_critical_angle_on():
    critical = math.asin(1.0 / GLASS)
    assert math.degrees(critical) == pytest.approx(41.81, abs=0.005)
    beyond = np.linspace(critical, math.pi / 2, 20)
    assert fresnel.reflectance(beyond, n=1.0, n_outside=GLASS) == pytest.approx(np.ones(20))
    assert fresnel.reflectance(critical - 0.01, n=1.0, n_outside=GLASS) < 0.7


def test_aluminium_reflects_91_percent_at_the_normal():
    # (0.37289^2 + 7.617691^2) / (2.37289^2 + 7.617691^2) = 58.16826 / 63.65982
    assert fresnel.normal_reflectance(**ALUMINIUM) == pytest.approx(0.913736, abs=1e-5)
    assert fresnel.reflectance(0.0, **ALUMINIUM) == pytest.approx(0.913736, abs=1e-5)


def real_valued(theta, n, k):
    """Return the reflectance without complex numbers.

    With a^2 + b^2 and a of the refracted wave, as in F. A. Jenkins, H. E. White, Fundamentals of
    Optics, chapter 25, and many handbooks.
    """
    sin2 = np.sin(theta) ** 2
    real = n * n - k * k - sin2
    length = np.sqrt(real**2 + 4.0 * n * n * k * k)
    a, c = np.sqrt(np.maximum(0.5 * (length + real), 0.0)), np.cos(theta)
    r_s = (length - 2.0 * a * c + c * c) / (length + 2.0 * a * c + c * c)
    st = np.sin(theta) * np.tan(theta)
    r_p = r_s * (length - 2.0 * a * st + st * st) / (length + 2.0 * a * st + st * st)
    return 0.5 * (r_s + r_p)


@given(st.floats(0.0, 1.5), st.floats(0.05, 5.0), st.floats(0.0, 10.0))
def test_the_complex_equations_agree_with_the_real_ones(theta, n, k):
    found = fresnel.reflectance(theta, n=n, k=k)
    assert found == pytest.approx(real_valued(theta, n, k), abs=1e-6)
    assert 0.0 <= found <= 1.0 + 1e-12


@given(st.floats(0.0, 1.5), REFRACTIVE_INDICES)
def test_a_boundary_reflects_alike_from_both_sides_along_the_refracted_ray(theta, n):
    inside = math.asin(math.sin(theta) / n)
    from_outside = fresnel.reflectance(theta, n=n)
    from_inside = fresnel.reflectance(inside, n=1.0, n_outside=n)
    assert from_inside == pytest.approx(from_outside, abs=1e-9)


def test_equal_media_reflect_nothing():
    assert fresnel.reflectance(np.linspace(0.0, math.pi / 2, 5), n=1.3, n_outside=1.3).max() == 0.0
    assert fresnel.reflectance_at_cosine([0.0, 1.0], n=1.0).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n": 0.0}, "n is 0, expected a number above 0"),
        ({"n": math.nan}, "n is nan"),
        ({"n": 1.5, "k": -0.1}, "k is -0.1, expected 0 or more"),
        ({"n": 1.5, "n_outside": -1.0}, "n_outside is -1"),
    ],
)
def test_an_impossible_refractive_index_is_refused_in_one_line(parameters, words):
    with pytest.raises(MaterialError) as caught:
        fresnel.reflectance(0.0, **parameters)
    assert str(caught.value).startswith(f"refractive index: {words}")
