# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wet ground: darkening, mirrored light and ghosts by closed forms and a Monte Carlo of photons."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from material_mapping import MaterialError
from material_mapping.optics import fresnel, water, wet

COSINES = np.cos(np.radians([0.0, 60.0, 75.0, 80.0, 85.0]))
WETTED = {"water_mm": 1.0, "wavelength_nm": 905.0, "texture_mm": 0.5}


@pytest.mark.parametrize(
    ("reflectance", "expected"),
    [
        # (1 - F)^2 / (n^2 (1 - rho r_i)), n = 1.33, r_i = 1 - (1 - 0.0659) / n^2
        (0.11, [0.573, 0.528, 0.371, 0.254, 0.104]),
        (0.35, [0.650, 0.599, 0.421, 0.289, 0.118]),
    ],
)
def test_wet_asphalt_is_darker_by_known_factors(reflectance, expected):
    found = wet.film_factor(COSINES, reflectance=reflectance)
    assert found == pytest.approx(expected, abs=0.001)


def test_wet_asphalt_of_11_percent_returns_6_3_percent_at_the_normal():
    assert 0.11 * wet.film_factor(1.0, reflectance=0.11) == pytest.approx(0.063, abs=5e-4)


def test_a_flat_film_mirrors_more_at_grazing_angles():
    # Fresnel's equations, n = 1.33: 0, 60, 75, 80, 85, 87.7 degrees
    angles = np.radians([0.0, 60.0, 75.0, 80.0, 85.0, 87.7])
    found = fresnel.reflectance(angles, n=wet.WATER_N)
    assert found == pytest.approx([0.020, 0.059, 0.211, 0.347, 0.583, 0.778], abs=6e-4)
    mirrored = wet.mirrored_share(np.cos(angles), **WETTED)  # n = 1.328
    assert mirrored == pytest.approx(found, rel=0.012)
    assert wet.ghost_share(np.cos(angles), **WETTED) == pytest.approx(mirrored**2, rel=1e-12)


def test_a_ghost_at_85_degrees_has_a_third_of_its_object():
    # a sensor 1.9 m above the road, 21.7 m along it: F^2 = 0.34
    assert math.hypot(1.9, 21.7) * math.cos(math.radians(85.0)) == pytest.approx(1.9, abs=0.02)
    found = wet.ghost_share(math.cos(math.radians(85.0)), **WETTED)
    assert found == pytest.approx(0.34, abs=0.005)


def test_a_sign_above_a_wet_road_has_a_bright_ghost():
    # sign at 20 m, 2.5 m high, sensor 1.9 m high: tan = 20 / 4.4, road met at 8.64 m, F = 0.2724
    cos_incidence = 4.4 / math.hypot(20.0, 4.4)
    assert math.degrees(math.acos(cos_incidence)) == pytest.approx(77.6, abs=0.05)
    assert pytest.approx(8.64, abs=0.005) == 1.9 * 20.0 / 4.4
    assert math.hypot(20.0, 4.4) == pytest.approx(20.48, abs=0.005)
    mirrored = fresnel.reflectance_at_cosine(cos_incidence, n=wet.WATER_N)
    assert mirrored == pytest.approx(0.2724, abs=5e-5)
    assert 220.0 * mirrored**2 == pytest.approx(16.3, abs=0.05)
    assert 220.0 * wet.ghost_share(cos_incidence, **WETTED) == pytest.approx(16.3, rel=0.01)


def test_light_from_the_ground_comes_back_to_it_by_the_closed_form():
    # r_e = 2 integral F mu dmu = 0.0659 for n = 1.33, r_i = 1 - (1 - r_e) / n^2 = 0.472
    mu = (np.arange(100_000) + 0.5) / 100_000
    r_e = 2.0 * float(np.mean(fresnel.reflectance_at_cosine(mu, n=1.33) * mu))
    assert r_e == pytest.approx(0.0659, abs=5e-5)
    found = wet.inner_reflectance()
    assert found == pytest.approx(0.472, abs=5e-4)
    assert found == pytest.approx(1.0 - (1.0 - r_e) / 1.33**2, abs=1e-8)


def test_absorbed_light_does_not_come_back():
    # directly: 2 integral F exp(-2 tau / mu) mu dmu over the directions inside
    mu = (np.arange(200_000) + 0.5) / 200_000
    inside = fresnel.reflectance_at_cosine(mu, n=1.0, n_outside=1.33)
    for tau in (0.1, 1.0):
        expected = 2.0 * float(np.mean(inside * np.exp(-2.0 * tau / mu) * mu))
        assert wet.inner_reflectance(optical_depth=tau) == pytest.approx(expected, abs=1e-6)
    assert wet.inner_reflectance(optical_depth=200.0) < 1e-80


def test_photons_of_a_monte_carlo_leave_wet_ground_as_the_factor_says():
    # weighted photons that come in at 60 degrees and leave within 3 degrees of that angle
    n, rho, tau, angle = 1.33, 0.6, 0.3, math.radians(60.0)
    generator = np.random.default_rng(20260807)
    entering = 1.0 - float(fresnel.reflectance(angle, n=n))
    inside = math.sqrt(1.0 - math.sin(angle) ** 2 / n**2)
    weight = np.full(700_000, entering * rho * math.exp(-tau / inside))
    low, high = math.cos(angle + math.radians(3.0)), math.cos(angle - math.radians(3.0))
    seen, squares = 0.0, 0.0
    for _ in range(8):  # bounces: 0.6 * 0.472 of the light is left after each
        mu = np.sqrt(generator.uniform(size=weight.size))  # Lambertian
        weight *= np.exp(-tau / mu)
        back = fresnel.reflectance_at_cosine(mu, n=1.0, n_outside=n)
        outside = np.sqrt(np.maximum(1.0 - n * n * (1.0 - mu * mu), 0.0))
        leaves = (outside > low) & (outside < high)
        part = weight[leaves] * (1.0 - back[leaves])
        seen, squares = seen + part.sum(), squares + (part**2).sum()
        weight *= back * np.exp(-tau / mu) * rho
    # dry Lambertian ground sends rho (high^2 - low^2) there
    dry = rho * (high**2 - low**2) * weight.size
    expected = float(wet.film_factor(math.cos(angle), reflectance=rho, n=n, optical_depth=tau))
    assert seen / dry == pytest.approx(expected, rel=4.0 * math.sqrt(squares) / seen + 0.003)
    assert 4.0 * math.sqrt(squares) / seen < 0.02


def test_a_millimetre_of_water_leaves_a_fifth_at_most_at_1550_nm_and_all_at_905_nm():
    # exp(-2 alpha h): 811 1/m (k = 1e-4) 20 %, Segelstein's 1085 1/m 11 %; 7.1 1/m 99 %
    black = {"reflectance": 0.0}  # no second bounce: the way there and back alone
    clear = wet.film_factor(1.0, **black)
    assert wet.film_factor(1.0, optical_depth=0.811, **black) / clear == pytest.approx(
        0.2, abs=0.005
    )
    for nm, left in ((1550.0, 0.114), (905.0, 0.986)):
        tau = water.absorption_per_m(nm) * 1e-3
        found = wet.film_factor(1.0, optical_depth=tau, **black) / clear
        assert found == pytest.approx(left, abs=0.002)
    # at 60 degrees outside it is 40.6 inside: exp(-2 alpha h / 0.759)
    tilted = wet.film_factor(0.5, optical_depth=0.811, **black) / wet.film_factor(0.5, **black)
    assert tilted == pytest.approx(math.exp(-1.622 / math.sqrt(1.0 - 0.75 / 1.33**2)), rel=1e-12)


def test_dry_ground_is_left_as_it_is_bit_for_bit():
    cosines = np.concatenate([np.random.default_rng(5).uniform(-1.0, 1.0, 1000), [0.0, 1.0]])
    dry = {"water_mm": 0.0, "wavelength_nm": 905.0}
    assert np.all(wet.wet_factor(cosines, reflectance=0.11, **dry) == 1.0)
    found = wet.wet_reflectivity(cosines, reflectance=0.11, **dry)
    assert np.array_equal(found, 0.11 * np.maximum(cosines, 0.0))
    assert np.all(wet.mirrored_share(cosines, **dry) == 0.0)
    assert np.all(wet.ghost_share(cosines, **dry) == 0.0)


def test_water_that_fills_half_of_the_texture_darkens_half_of_the_ground():
    given_ = {"reflectance": 0.11, "wavelength_nm": 905.0, "texture_mm": 0.8}
    full = wet.wet_factor(COSINES, water_mm=0.8, **given_)
    half = wet.wet_factor(COSINES, water_mm=0.4, **given_)
    assert half == pytest.approx(0.5 * (1.0 + full), rel=1e-12)
    found = wet.wet_reflectivity(COSINES, water_mm=0.4, **given_)
    assert found == pytest.approx(0.11 * COSINES * half, rel=1e-12)
    mirrored = [wet.mirrored_share(COSINES, **{**WETTED, "water_mm": mm}) for mm in (0.25, 0.5)]
    assert mirrored[0] == pytest.approx(0.5 * mirrored[1], rel=1e-12)


def test_the_whole_model_at_905_nm_is_the_film_with_waters_constants():
    tau = water.absorption_per_m(905.0) * 2e-3
    n = water.refractive_index(905.0).real
    expected = wet.film_factor(COSINES, reflectance=0.2, n=n, optical_depth=tau)
    found = wet.wet_factor(COSINES, reflectance=0.2, water_mm=2.0, wavelength_nm=905.0)
    assert np.array_equal(found, expected)


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 20.0), st.floats(1.0, 3.0))
def test_water_never_brightens_nor_blackens_beyond_bounds(cosine, rho, water_mm, factor):
    both = {"reflectance": rho, "wavelength_nm": 1550.0}
    found = float(wet.wet_factor(cosine, water_mm=water_mm, **both))
    assert 0.0 <= found <= 1.0 + 1e-12
    more = float(wet.wet_factor(cosine, water_mm=water_mm * factor, **both))
    assert more <= found + 1e-12


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reflectance": 1.1}, "reflectance is 1.1, expected 0 to 1"),
        ({"water_mm": -0.1}, "water_mm is -0.1, expected 0 or more"),
        ({"water_mm": math.nan}, "water_mm is nan"),
        ({"texture_mm": 0.0}, "texture_mm is 0, expected above 0"),
    ],
)
def test_impossible_wet_ground_is_refused_in_one_line(changes, words):
    with pytest.raises(MaterialError) as caught:
        wet.wet_factor(1.0, **{**WETTED, "reflectance": 0.11, **changes})
    assert str(caught.value).startswith(f"wet ground: {words}")
