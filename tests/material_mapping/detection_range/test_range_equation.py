# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The lidar range equation: powers and ranges worked out by hand, its inverse, fits, bad input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from material_mapping import RangeLimit, RangeLimitError
from material_mapping.detection_range.range_equation import (
    EXPONENTS,
    RangeEquation,
    clear_range_m,
    fit_equation,
    lambert_w,
    received_power_w,
    system_constant_w,
)

PAIRS = [(10.0, 60.0), (80.0, 120.0)]
OPTICS = {"transmit_power_w": 75.0, "aperture_diameter_m": 0.02, "efficiency": 0.5}
BEAM = {"beam_divergence_rad": 0.002}
SIZES = {
    "extended": {},
    "line": {**BEAM, "target_width_m": 0.01},
    "point": {**BEAM, "target_area_m2": 0.003},
}


def test_lambert_w_has_its_known_values():
    # the omega constant, and w exp(w) for w = 1, 2, 200
    x = [0.0, 1.0, math.e, 2 * math.exp(2), 200 * math.exp(200), math.inf]
    expected = [0.0, 0.5671432904097838, 1.0, 2.0, 200.0, math.inf]
    assert lambert_w(x) == pytest.approx(expected, rel=1e-12)
    assert lambert_w(np.ones((2, 3))).shape == (2, 3)


def test_lambert_w_is_right_to_1e_12_of_its_value_over_all_numbers():
    x = 10.0 ** np.linspace(-307.0, 308.0, 100_001)
    w = lambert_w(x)
    # log(w) + w - log(x) divided by its slope 1/w + 1 is the error of w, and by w the relative one
    error = np.abs(np.log(w) + w - np.log(x)) / (1.0 + w)
    assert error.max() < 1e-12
    assert np.all(np.diff(w) > 0.0)


def test_an_extended_target_returns_the_power_worked_out_by_hand():
    constant = system_constant_w(**OPTICS)
    assert constant == pytest.approx(75 * 0.02**2 * 0.5 / 4)  # 3.75e-3 W m^2
    clear_w = received_power_w(50.0, reflectivity=0.1, constant_w=constant)
    assert clear_w == pytest.approx(1.5e-7)  # 3.75e-3 * 0.1 / 2500
    hazy_w = received_power_w(50.0, reflectivity=0.1, constant_w=constant, extinction_per_m=0.01)
    assert hazy_w == pytest.approx(1.5e-7 * math.exp(-1.0))


def test_every_target_is_the_equation_with_its_cross_section():
    r, reflectivity, beta = 80.0, 0.3, BEAM["beam_divergence_rad"]
    area = {
        "extended": math.pi * (0.5 * r * beta) ** 2,
        "line": 0.01 * r * beta,
        "point": 0.003,
    }
    for target, size in SIZES.items():
        # P_t D^2 eta sigma / (4 pi r^4 beta^2), sigma = 4 R A
        sigma = 4.0 * reflectivity * area[target]
        expected = 75.0 * 0.02**2 * 0.5 * sigma / (4.0 * math.pi * r**4 * beta**2)
        constant = system_constant_w(**OPTICS, target=target, **size)
        power_w = received_power_w(r, reflectivity=reflectivity, constant_w=constant, target=target)
        assert power_w == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("target", "factor"), [("extended", 4), ("line", 8), ("point", 16)])
def test_twice_the_range_divides_the_power(target, factor):
    near, far = received_power_w([10.0, 20.0], reflectivity=0.5, constant_w=1.0, target=target)
    assert near / far == pytest.approx(factor, rel=1e-12)


@pytest.mark.parametrize("target", EXPONENTS)
@pytest.mark.parametrize("extinction_per_m", [0.0, 0.003])
def test_the_power_at_the_largest_range_is_the_threshold(target, extinction_per_m):
    constant = system_constant_w(**OPTICS, target=target, **SIZES[target])
    clear_m = clear_range_m(constant_w=constant, detection_threshold_w=1e-8, target=target)
    air = {"target": target, "extinction_per_m": extinction_per_m}
    equation = RangeEquation(clear_range_m=clear_m, **air)
    reflectivity = np.array([0.01, 0.1, 1.0, 20.0])
    range_m = equation.max_range_m(reflectivity)
    power_w = received_power_w(range_m, reflectivity=reflectivity, constant_w=constant, **air)
    assert power_w == pytest.approx(np.full(4, 1e-8), rel=1e-10)


EQUATIONS = st.builds(
    RangeEquation,
    clear_range_m=st.floats(1.0, 1e4),
    target=st.sampled_from(list(EXPONENTS)),
    extinction_per_m=st.one_of(st.just(0.0), st.floats(0.0, 1.0)),
)


@settings(deadline=None)  # the first example compiles the kernels
@given(EQUATIONS, st.floats(1e-3, 50.0))
def test_the_reflectivity_just_seen_at_the_largest_range_is_the_one_asked_for(equation, value):
    back = equation.least_reflectivity(equation.max_range_m(value))
    assert back == pytest.approx(value, rel=1e-8)


@settings(deadline=None)
@given(EQUATIONS, st.lists(st.floats(0.0, 50.0), min_size=1, max_size=20))
def test_a_range_limit_of_an_equation_gives_its_ranges(equation, reflectivity):
    limit_m = RangeLimit.from_equation(equation).max_range_m(reflectivity)
    assert limit_m == pytest.approx(equation.max_range_m(reflectivity), rel=1e-11)
    capped_m = RangeLimit.from_equation(equation, max_range_m=50.0).max_range_m(reflectivity)
    assert capped_m.tolist() == np.minimum(limit_m, 50.0).tolist()


def test_nothing_is_seen_of_a_target_that_sends_nothing_back():
    equation = RangeEquation(clear_range_m=100.0, extinction_per_m=0.01)
    assert equation.max_range_m([0.0, -1.0, math.nan]).tolist() == [0.0, 0.0, 0.0]
    limit = RangeLimit.from_equation(equation)
    assert limit.max_range_m([0.0, -1.0, math.nan]).tolist() == [0.0, 0.0, 0.0]


def test_air_that_lets_nothing_through_makes_every_reflectivity_too_little():
    equation = RangeEquation(clear_range_m=100.0, extinction_per_m=10.0)
    assert equation.least_reflectivity(1e6) == math.inf


def test_hardly_any_extinction_is_clear_air():
    clear = RangeEquation(clear_range_m=100.0)
    for extinction_per_m in (5e-324, 1e-16, 1e-14):
        air = RangeEquation(clear_range_m=100.0, extinction_per_m=extinction_per_m)
        assert air.max_range_m(0.3) == pytest.approx(clear.max_range_m(0.3), rel=1e-9)


@pytest.mark.parametrize(
    ("target", "at_80_percent_m"),
    [("extended", 169.706), ("line", 120.0), ("point", 100.908)],  # 60 m * 8^(1/m)
)
def test_one_pair_in_clear_air_fixes_the_curve(target, at_80_percent_m):
    fit = fit_equation([(10, 60)], target=target)
    assert fit.equation.extinction_per_m == 0.0
    assert fit.equation.max_range_m([0.1, 0.8]) == pytest.approx([60, at_80_percent_m], abs=1e-3)
    assert fit.residual_m == pytest.approx([0.0], abs=1e-9)


def test_two_pairs_fix_the_extinction_as_well():
    fit = fit_equation(PAIRS[::-1])
    # r^2 exp(2 g r) / R is the same for both: exp(2 g 60) = 8 / (120 / 60)^2 = 2
    assert fit.equation.extinction_per_m == pytest.approx(math.log(2) / 120, rel=1e-9)
    # r_0 = 60 exp(60 g) / sqrt(0.1) = 60 sqrt(2) sqrt(10)
    assert fit.equation.clear_range_m == pytest.approx(60 * math.sqrt(20), rel=1e-9)
    assert fit.pairs == tuple(PAIRS)
    assert fit.residual_m == pytest.approx([0.0, 0.0], abs=1e-9)


def test_ranges_that_grow_faster_than_clear_air_explains_leave_residuals():
    fit = fit_equation(PAIRS, target="point")
    assert fit.equation.extinction_per_m == 0.0
    # the mean of both in log power: r(10 %) = sqrt(60 * 120 / 8^(1/4)), r(80 %) = that * 8^(1/4)
    expected_m = np.sqrt(7200 / 8**0.25) * np.array([1.0, 8**0.25])
    assert fit.residual_m == pytest.approx(expected_m - [60, 120], abs=1e-9)


def test_a_given_extinction_is_kept():
    fit = fit_equation(PAIRS, extinction_per_m=1e-4)
    assert fit.equation.extinction_per_m == 1e-4
    assert fit.residual_m[0] < 0.0 < fit.residual_m[1]


@settings(deadline=None)
@given(
    st.sampled_from(list(EXPONENTS)),
    st.floats(20.0, 500.0),
    st.floats(1e-4, 0.02),
    st.lists(st.integers(1, 200), min_size=2, max_size=6, unique=True),
)
def test_pairs_of_an_equation_give_its_constants_back(target, clear_m, extinction, percents):
    made = RangeEquation(clear_range_m=clear_m, target=target, extinction_per_m=extinction)
    pairs = [(percent, float(made.max_range_m(percent / 100))) for percent in percents]
    found = fit_equation(pairs, target=target)
    assert found.equation.clear_range_m == pytest.approx(clear_m, rel=1e-6)
    assert found.equation.extinction_per_m == pytest.approx(extinction, rel=1e-6, abs=1e-9)
    assert found.residual_m == pytest.approx(np.zeros(len(pairs)), abs=1e-6)


@pytest.mark.parametrize(
    ("pairs", "options", "words"),
    [
        ([], {}, "expected one or more pairs of [percent, metres]"),
        ([(10, 60, 1)], {}, "expected one or more pairs of [percent, metres]"),
        ([(0, 60)], {}, "got 60 m at 0 %, expected both above 0"),
        ([(10, -60)], {}, "got -60 m at 10 %, expected both above 0"),
        ([(10, math.nan)], {}, "got nan m at 10 %"),
        ([(10, 60), (10, 80)], {}, "got two pairs for 10 %, expected one"),
        ([(10, 60), (80, 60)], {}, "60 m at 80 % is not more than 60 m at 10 %"),
        (
            PAIRS,
            {"target": "extendet"},
            "unknown target 'extendet', expected one of extended, line",
        ),
        (PAIRS, {"extinction_per_m": -1.0}, "extinction_per_m is -1, expected 0 to 1000"),
        (
            PAIRS,
            {"extinction_per_m": 100.0},
            "extinction_per_m 100 is too large for a range of 120 m",
        ),
    ],
)
def test_pairs_that_no_equation_meets_are_refused_in_one_line(pairs, options, words):
    with pytest.raises(RangeLimitError) as caught:
        fit_equation(pairs, **options)
    assert str(caught.value).startswith(f"range equation: {words}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"transmit_power_w": 0.0}, "transmit_power_w is 0, expected above 0"),
        ({"aperture_diameter_m": -1.0}, "aperture_diameter_m is -1, expected above 0"),
        ({"efficiency": 1.5}, "efficiency is 1.5, expected at most 1"),
        ({"target": "line"}, "a line target needs beam_divergence_rad and target_width_m"),
        (
            {"target": "point", **BEAM},
            "a point target needs beam_divergence_rad and target_area_m2",
        ),
        ({"target": "line", **BEAM, "target_width_m": 0.0}, "target_width_m is 0, expected above"),
        ({"target": "area"}, "unknown target 'area'"),
    ],
)
def test_optics_that_cannot_be_are_refused_in_one_line(changes, words):
    with pytest.raises(RangeLimitError) as caught:
        system_constant_w(**{**OPTICS, **changes})
    assert str(caught.value).startswith(f"range equation: {words}")


def test_constants_that_are_not_positive_are_refused():
    with pytest.raises(RangeLimitError, match="detection_threshold_w is 0"):
        clear_range_m(constant_w=1.0, detection_threshold_w=0.0)
    with pytest.raises(RangeLimitError, match="clear_range_m is nan"):
        RangeEquation(clear_range_m=math.nan)
    with pytest.raises(RangeLimitError, match="extinction_per_m is nan"):
        received_power_w(1.0, reflectivity=1.0, constant_w=1.0, extinction_per_m=math.nan)
