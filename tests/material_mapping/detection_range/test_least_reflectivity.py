# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The inverse of range limits and its continuation: by hand, and there and back for every fit."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from material_mapping import RangeLimit, RangeLimitError
from material_mapping.detection_range.least_reflectivity import least_reflectivity, signal_range_m
from material_mapping.detection_range.range_equation import RangeEquation, fit_equation

PAIRS = [(10.0, 60.0), (80.0, 120.0)]
ROOT4_B = 60.0 / (80.0**0.25 - 10.0**0.25)
ROOT4_A = 60.0 - ROOT4_B * 10.0**0.25  # -28.003
ROOT = RangeLimit.from_pairs(PAIRS, fit="root2")  # r = 27.18 + 10.38 sqrt(R)
JUMP = RangeLimit.from_pieces(  # 60 m at 10 %, and 67.5 m just above it
    [(10, "root2", [(1, 20), (10, 60)]), (None, "log", [(5, 50), (80, 120)])]
)
LIMITS = {
    **{fit: RangeLimit.from_pairs(PAIRS, fit=fit) for fit in ("linear", "root3", "root4", "log")},
    "root2": ROOT,
    "capped": replace(ROOT, cap_m=90.0),
    "table": RangeLimit.from_pairs([(10, 60), (20, 100), (80, 120)], fit="table"),
    "table from 20 %": RangeLimit.from_pairs([(20, 60), (80, 120)], fit="table"),
    "table with a flat part": RangeLimit.from_pairs(
        [(5, 40), (20, 60), (40, 60), (80, 120)], fit="table"
    ),
    "table that ends at 5 %": RangeLimit.from_pairs([(2, 40), (5, 60)], fit="table"),
    "table from 0 %": RangeLimit.from_pairs([(0, 20), (80, 120)], fit="table"),
    "table of one range": RangeLimit.from_pairs([(10, 50), (80, 50)], fit="table"),
    "pieces": JUMP,
    "dark pair": RangeLimit.from_pairs([(0.1, 30), (80, 120)], fit="root2"),
    "not at 10 %": RangeLimit.from_pairs([(20, 0), (80, 120)], fit="linear"),
    "equation": RangeLimit.from_equation(RangeEquation(clear_range_m=190.0)),
    "extinction": RangeLimit.from_equation(
        RangeEquation(clear_range_m=300.0, extinction_per_m=0.003)
    ),
    "wire": RangeLimit.from_equation(fit_equation(PAIRS, target="line").equation),
    "constant": RangeLimit.constant(200.0),
}


OFFSETS = {"linear", "root2", "capped", "pieces", "dark pair", "constant"} | {
    name for name in LIMITS if name.startswith("table")
}
"""Limits that see everything within some range."""


def uncapped(limit):
    return replace(limit, cap_m=math.inf)


def anchor_of(name):
    """Return R_a and r_a: of the darkest pair with a reflectivity; 0 at 0 m without an offset."""
    limit = LIMITS[name]
    if name not in OFFSETS:
        return 0.0, 0.0
    range_m = float(uncapped(limit).max_range_m(limit.darkest))
    return limit.darkest, limit.cap_m if math.isinf(range_m) else range_m


@pytest.mark.parametrize(
    ("name", "darkest"),
    [
        ("log", 0.1),
        ("capped", 0.1),  # kept
        ("table from 20 %", 0.2),
        ("table that ends at 5 %", 0.02),
        ("table from 0 %", 0.8),  # nothing comes back from 0 %
        ("pieces", 0.01),  # of the first one
        ("dark pair", 0.001),
        ("equation", 0.1),  # none is stated: the dark target of data sheets
        ("constant", 0.1),
    ],
)
def test_the_darkest_pair_of_a_limit(name, darkest):
    assert LIMITS[name].darkest == pytest.approx(darkest, rel=1e-15)


# R_min by hand: r = a + b f(R) solved for R; with a > 0, up to r_a no less than R_a (r / r_a)^2
@pytest.mark.parametrize(
    ("name", "range_m", "expected"),
    [
        ("linear", 100.0, (100.0 - 51.428571428571) / 0.857142857143 / 100.0),
        ("linear", 55.0, 0.1 * (55 / 60) ** 2),  # the line itself: 4.2 %
        ("linear", 30.0, 0.025),  # the line begins at 51.4 m
        ("root2", 20.0, 0.1 / 9.0),  # "a = 27.18: everything is seen within 27 m"
        ("root2", 120.0, 0.8),
        ("capped", 120.0, 0.8),
        ("root3", 30.0, 0.0125),  # a = 0: 0.1 (30 / 60)^3
        ("root4", 30.0, ((30.0 - ROOT4_A) / ROOT4_B) ** 4 / 100.0),  # a < 0: not 1/r^2, but 1.9 %
        ("root4", 10.0, ((10.0 - ROOT4_A) / ROOT4_B) ** 4 / 100.0),
        ("root4", 0.0, (ROOT4_A / ROOT4_B) ** 4 / 100.0),  # r < 0 for what is darker
        ("log", 80.0, 0.2),  # doubling adds 20 m
        ("log", 40.0, 0.05),
        ("log", 0.0, 0.1 * 0.5**3),  # halving takes 20 m off
        ("table", 80.0, 0.15),
        ("table", 30.0, 0.025),
        ("table", 240.0, 3.2),  # beyond 120 m: 0.8 (240 / 120)^2
        ("table from 20 %", 60.0, 0.2),  # the table sees everything within 60 m
        ("table from 20 %", 30.0, 0.05),
        ("table from 20 %", 61.0, 0.21),  # 1 % more for each metre
        ("table from 0 %", 45.0, 0.2),  # the line of the table: 20 m + 1.25 m for each percent
        ("table from 0 %", 21.0, 0.8 * (21 / 120) ** 2),  # it says 0.8 %
        ("table with a flat part", 60.0, 0.2),
        ("table with a flat part", 60.0 + 1e-9, 0.4),
        ("table that ends at 5 %", 60.0, 0.05),
        ("table that ends at 5 %", 50.0, 0.035),
        ("table that ends at 5 %", 40.0, 0.02),
        ("table that ends at 5 %", 30.0, 0.01125),
        ("table that ends at 5 %", 120.0, 0.2),
        ("table of one range", 50.0, 0.1),
        ("table of one range", 100.0, 0.4),
        ("pieces", 60.0, 0.1),
        ("pieces", 65.0, 0.1),  # the jump, from 60 to 67.5 m
        ("pieces", 120.0, 0.8),
        ("pieces", 10.0, 0.0025),  # 1 % at 20 m; its curve has a = 1.5 m, and says 0.21 %
        ("dark pair", 30.0, 0.001),
        ("dark pair", 15.0, 0.00025),
        ("dark pair", 60.0, 0.001 * (1 + (math.sqrt(800) - 1) / 3) ** 2),  # a third of 90 m on
        ("not at 10 %", 60.0, 0.5),
        ("not at 10 %", 0.0, 0.2),
        ("equation", 95.0, 0.25),
        ("equation", 0.19, 1e-6),
        ("wire", 30.0, 0.0125),
        ("extinction", 150.0, 0.25 * math.exp(2 * 0.003 * 150.0)),
        ("constant", 100.0, 0.025),
        ("constant", 400.0, 0.4),
    ],
)
def test_least_reflectivity_is_the_one_solved_by_hand(name, range_m, expected):
    assert float(least_reflectivity(LIMITS[name], range_m)) == pytest.approx(expected, rel=2e-7)


@pytest.mark.parametrize("name", LIMITS)
def test_least_reflectivity_inverts_the_range_limit_where_it_increases(name):
    limit = LIMITS[name]
    anchor, _ = anchor_of(name)
    reflectivity = np.geomspace(anchor or 1e-12, 50.0, 500)
    range_m = uncapped(limit).max_range_m(reflectivity)
    rises = uncapped(limit).max_range_m(reflectivity * (1.0 - 1e-6)) < range_m
    assert rises.any() or name in {"constant", "table of one range", "table from 0 %"}
    found = least_reflectivity(limit, range_m[rises])
    assert found == pytest.approx(reflectivity[rises], rel=1e-9)


@pytest.mark.parametrize("name", LIMITS)
def test_least_reflectivity_never_falls_and_is_square_where_the_curve_sees_everything(name):
    limit = LIMITS[name]
    range_m = np.concatenate([np.linspace(0.0, 400.0, 4001), np.geomspace(400.0, 1e6, 300)])
    least = least_reflectivity(limit, range_m)
    assert np.all(np.diff(least) >= -1e-12 * least[1:])
    assert np.all(np.isfinite(least))
    anchor, anchor_m = anchor_of(name)
    assert np.all(least[range_m > anchor_m] >= anchor * (1.0 - 1e-12))
    offset_m = float(uncapped(limit).max_range_m(1e-300))  # the inverse is 0 within
    assert (offset_m > 1e-6) == (name in OFFSETS)
    within = (range_m < min(offset_m, anchor_m)) & (range_m > 0.0)
    assert within.any() == (name in OFFSETS)
    expected = anchor * (range_m[within] / max(anchor_m, 1e-9)) ** 2
    assert least[within] == pytest.approx(expected, rel=1e-12)


def test_a_reflectivity_below_the_darkest_pair_is_not_seen_beyond_what_its_signal_reaches():
    # a = 27.18: the curve sees 0.1 % up to 30.5 m; 0.1 (r / 60)^2 lets it reach 6 m
    assert float(ROOT.max_range_m(0.001)) == pytest.approx(30.466, abs=1e-3)
    assert float(signal_range_m(ROOT, 0.001)) == pytest.approx(6.0, rel=1e-12)
    assert float(least_reflectivity(ROOT, 6.0)) == pytest.approx(0.001, rel=1e-12)


PERCENTS = st.floats(0.1, 200.0)
METRES = st.floats(1.0, 500.0)


@given(
    st.sampled_from(["linear", "root2", "root3", "root4", "log", "table"]),
    st.tuples(PERCENTS, PERCENTS, METRES, METRES),
    st.floats(0.001, 5.0),
)
@settings(max_examples=60, deadline=None)
def test_what_is_just_seen_at_its_limit_is_least_reflectivity(fit, numbers, reflectivity):
    low, high = sorted(numbers[:2])
    near_m, far_m = sorted(numbers[2:])
    if high < 1.1 * low or far_m < 1.1 * near_m:
        return
    limit = RangeLimit.from_pairs([(low, near_m), (high, far_m)], fit=fit)
    range_m = float(limit.max_range_m(reflectivity))
    least = float(least_reflectivity(limit, range_m))
    has_offset = float(limit.max_range_m(1e-300)) > 1e-6
    # no more than it, and less where darker targets are seen as far
    if range_m > 0.0 and (reflectivity >= limit.darkest or not has_offset):
        assert least <= reflectivity * (1.0 + 1e-9)
    if range_m > float(limit.max_range_m(limit.darkest)):
        assert limit.max_range_m(least * (1.0 + 1e-9)) >= range_m
    assert least_reflectivity(limit, [range_m, 2 * range_m + 1.0])[1] > least


@pytest.mark.parametrize("name", LIMITS)
def test_signal_range_is_the_largest_range_of_a_reflectivity(name):
    limit = LIMITS[name]
    reflectivity = np.geomspace(1e-5, 5e4, 300)
    range_m = signal_range_m(limit, reflectivity)
    is_seen = least_reflectivity(limit, range_m * (1.0 - 1e-9)) <= reflectivity
    assert np.array_equal(is_seen, range_m > 0.0)  # 0 where nothing is seen
    beyond = least_reflectivity(limit, range_m * (1.0 + 1e-9) + 1e-9)
    assert np.all(beyond > reflectivity * (1.0 - 1e-12))
    assert signal_range_m(limit, [0.0, -1.0]).tolist() == [0.0, 0.0]
    stated = reflectivity[(reflectivity >= anchor_of(name)[0]) & (reflectivity <= 0.05)]
    if name != "constant":
        stated_m = uncapped(limit).max_range_m(stated)
        assert signal_range_m(limit, stated) == pytest.approx(stated_m, rel=1e-12)


def test_a_limit_that_says_nothing_of_the_signal_is_refused():
    for limit, words in (
        (
            RangeLimit.constant(),
            "infinite for every reflectivity, expected a range limit with a finite",
        ),
        (RangeLimit.from_pairs([(10, 0), (80, 0)], fit="linear"), "0 m for every reflectivity"),
    ):
        with pytest.raises(RangeLimitError, match=f"^signal scale: .*{words}"):
            least_reflectivity(limit, 50.0)


def test_ranges_have_any_shape_and_count_from_0():
    equation = LIMITS["equation"]
    least = least_reflectivity(equation, [[-1.0, 0.0], [19.0, 190.0]])
    assert least == pytest.approx(np.array([[0.0, 0.0], [0.01, 1.0]]), rel=1e-12)
    assert least_reflectivity(equation, 60.0).shape == ()
