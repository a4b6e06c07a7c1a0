# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Spectra of drops: the exponential integral, tables beside closed forms, the flux of water."""

import math

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import exp1

from lidar_scenery.weather.spectra import (
    ExponentialSpectrum,
    TabulatedSpectrum,
    exponential_integral,
    gamma_spectrum,
    tabulated,
)

STEADY = ExponentialSpectrum(intercept=8000.0, slope_per_mm=2.5)
FALL = {"fall_m_s": 3.78, "fall_power": 0.67}


def test_the_exponential_integral_has_its_known_values():
    # Abramowitz and Stegun, tables 5.1 and 5.2
    found = exponential_integral([0.1, 1.0, 5.0])
    assert found == pytest.approx([1.822924, 0.219384, 1.148296e-3], rel=3e-6)
    assert exponential_integral([0.0, math.inf]).tolist() == [math.inf, 0.0]


def test_the_exponential_integral_is_right_to_1e_13_over_all_numbers():
    x = np.concatenate([np.geomspace(1e-300, 700.0, 4001), np.linspace(1.4, 1.6, 201)])
    assert exponential_integral(x) == pytest.approx(exp1(x), rel=1e-13)
    assert exponential_integral(x[:2000].reshape(4, 500)).shape == (4, 500)


def test_the_visible_number_of_an_exponential_law_is_its_integral():
    # H(d) = integral of N(D) ln(D / d) from d on, by 200 000 trapezia
    for least in (0.05, 0.5, 3.0):
        d = np.linspace(least, least + 16.0, 200_001)
        expected = trapezoid(STEADY.density(d) * np.log(d / least), d)
        assert STEADY.visible_number(least) == pytest.approx(expected, rel=1e-6)


def test_a_table_of_an_exponential_law_has_its_integrals():
    d = np.linspace(0.0, 16.0, 8001)
    table = tabulated(tuple(zip(d.tolist(), STEADY.density(d).tolist(), strict=True)))
    for order in range(5):
        assert table.moment(order) == pytest.approx(STEADY.moment(order), rel=1e-4)
    least = np.geomspace(0.001, 6.0, 40)
    assert table.visible_number(least) == pytest.approx(STEADY.visible_number(least), rel=1e-4)
    assert table.visible_number([16.0, 20.0]).tolist() == [0.0, 0.0]
    assert table.visible_number(0.0) == math.inf


def test_below_its_first_row_a_table_holds_no_drop_but_sees_all():
    # 100 drops of 1 to 2 mm: H(0.1) = 100 (mean of ln D + ln 10), mean of ln D = 2 ln 2 - 1
    table = tabulated(((1.0, 100.0), (2.0, 100.0)))
    assert table.density([0.5, 0.99, 1.5, 2.01]).tolist() == [0.0, 0.0, 100.0, 0.0]
    assert table.moment(0) == pytest.approx(100.0)
    expected = 100.0 * (2.0 * math.log(2.0) - 1.0 + math.log(10.0))
    assert table.visible_number(0.1) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("shape", [-0.5, 0.0, 3.0, 10.0])
def test_gamma_drops_carry_the_rate_to_the_ground(shape):
    # R = 6e-4 pi sum N v D^3 dD in mm/h, v = 3.78 D^0.67 m/s
    for rate_mm_h in (0.1, 10.0):
        spectrum = gamma_spectrum(rate_mm_h, shape=shape, median_mm=1.5, **FALL)
        d = np.geomspace(1e-3, 30.0, 20_001)
        flux = 6e-4 * math.pi * trapezoid(spectrum.density(d) * 3.78 * d**3.67, d)
        assert flux == pytest.approx(rate_mm_h, rel=1e-4)


def test_gamma_drops_have_half_of_their_water_below_the_median():
    for shape in (0.0, 3.0, 10.0):
        spectrum = gamma_spectrum(5.0, shape=shape, median_mm=1.2, **FALL)
        rows, d = spectrum.per_m3_mm * spectrum.diameter_mm**3, spectrum.diameter_mm
        small = d <= 1.2
        share = trapezoid(rows[small], d[small]) / trapezoid(rows, d)
        assert share == pytest.approx(0.5, abs=0.005)


def test_gamma_drops_of_shape_0_are_those_of_an_exponential_law():
    gamma = gamma_spectrum(10.0, shape=0.0, median_mm=3.67 / 2.5, **FALL)
    intercept = float(gamma.density(0.1)) * math.exp(0.25)
    law = ExponentialSpectrum(intercept=intercept, slope_per_mm=2.5)
    least = np.geomspace(0.01, 6.0, 30)
    assert gamma.visible_number(least) == pytest.approx(law.visible_number(least), rel=1e-3)
    assert gamma.moment(2) == pytest.approx(law.moment(2), rel=1e-3)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((), "has 0 row"),
        (((1.0, 5.0),), "has 1 row"),
        (((1.0, 5.0), (1.0, 6.0)), "increasing diameters of 0 mm or more"),
        (((-1.0, 5.0), (1.0, 6.0)), "increasing diameters of 0 mm or more"),
        (((1.0, 5.0), (math.nan, 6.0)), "increasing diameters of 0 mm or more"),
        (((1.0, 5.0), (2.0, -1.0)), "densities of 0 or more"),
        (((1.0, 0.0), (2.0, 0.0)), "at least one above 0"),
    ],
)
def test_an_impossible_table_is_refused(rows, words):
    with pytest.raises(ValueError, match=words):
        tabulated(rows)


@pytest.mark.parametrize(("shape", "median_mm"), [(-1.0, 1.5), (3.0, 0.0), (math.nan, 1.0)])
def test_an_impossible_gamma_law_is_refused(shape, median_mm):
    with pytest.raises(ValueError, match="gamma spectrum: got shape"):
        gamma_spectrum(1.0, shape=shape, median_mm=median_mm, **FALL)


def test_spectra_are_compared_by_identity_where_they_hold_arrays():
    rows = {"diameter_mm": np.array([1.0, 2.0]), "per_m3_mm": np.array([1.0, 1.0])}
    assert TabulatedSpectrum(**rows) != TabulatedSpectrum(**rows)
    assert ExponentialSpectrum(intercept=8000.0, slope_per_mm=2.5) == STEADY
