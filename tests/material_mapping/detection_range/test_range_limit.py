# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Range limits: constants and values of the five fits, tables, pieces, bounds and bad input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from material_mapping import FITS, RangeLimit, RangeLimitError, kernels
from material_mapping.detection_range.range_equation import RangeEquation
from tests.builders.strategies import TARGETS

PAIRS = [(10.0, 60.0), (80.0, 120.0)]
CURVES = ("linear", "root2", "root3", "root4", "log")

# r = a + b f(R) through (10 %, 60 m) and (80 %, 120 m), solved by hand: b = 60 / (f(80) - f(10)),
# a = 60 - b f(10); e.g. linear b = 60 / 70, log b = 60 / ln 8.
CONSTANTS = {
    "linear": (51.4286, 0.857143),
    "root2": (27.1849, 10.3770),
    "root3": (0.0, 27.8495),  # 2 * 60 m = 120 m and 8^(1/3) = 2: a pure power law
    "root4": (-28.0033, 49.4879),
    "log": (-6.4386, 28.8539),
}
AT_50_PERCENT_M = {
    "linear": 94.286,
    "root2": 100.562,
    "root3": 102.599,
    "root4": 103.592,
    "log": 106.439,
}


@pytest.mark.parametrize("fit", CURVES)
def test_fit_has_the_constants_solved_by_hand(fit):
    (piece,) = RangeLimit.from_pairs(PAIRS, fit=fit).pieces
    assert (piece.a, piece.b) == pytest.approx(CONSTANTS[fit], abs=1e-4)


@pytest.mark.parametrize("fit", CURVES)
def test_fit_gives_its_range_at_50_percent_to_a_millimetre(fit):
    limit = RangeLimit.from_pairs(PAIRS, fit=fit)
    assert float(limit.max_range_m(0.5)) == pytest.approx(AT_50_PERCENT_M[fit], abs=1e-3)


@pytest.mark.parametrize("fit", [*CURVES, "table"])
def test_fit_meets_both_pairs_given_in_any_order(fit):
    for pairs in (PAIRS, PAIRS[::-1]):
        limit = RangeLimit.from_pairs(pairs, fit=fit)
        assert limit.max_range_m([0.1, 0.8]) == pytest.approx([60.0, 120.0], abs=1e-9)


def test_log_fit_clamps_to_zero_where_it_would_be_negative():
    limit = RangeLimit.from_pairs(PAIRS, fit="log")
    # -6.4386 + 28.8539 ln 1 = -6.4 m at 1 %
    assert limit.max_range_m([0.01, 0.0]).tolist() == [0.0, 0.0]
    assert float(limit.max_range_m(0.2)) == pytest.approx(80.0, abs=1e-9)  # doubling adds 20 m


@pytest.mark.parametrize("limit", [RangeLimit.constant(200.0), RangeLimit.from_pairs(PAIRS)])
def test_a_surface_that_sends_nothing_back_is_never_seen(limit):
    assert limit.max_range_m([0.0, -0.1, math.nan]).tolist() == [0.0, 0.0, 0.0]


def test_table_joins_its_pairs_by_lines_and_is_constant_outside():
    limit = RangeLimit.from_pairs([(10, 60), (20, 100), (80, 120)], fit="table")
    reflectivity = [0.01, 0.1, 0.15, 0.5, 0.8, 3.0]
    # half way 60..100 = 80; half way 100..120 = 110
    expected_m = [60.0, 60.0, 80.0, 110.0, 120.0, 120.0]
    assert limit.max_range_m(reflectivity) == pytest.approx(expected_m, abs=1e-9)


def test_maximum_range_bounds_every_limit():
    limit = RangeLimit.from_pairs(PAIRS, fit="linear", max_range_m=100.0)
    assert limit.max_range_m([0.1, 0.5, 0.8, 900.0]) == pytest.approx([60.0, 94.2857, 100.0, 100.0])
    assert RangeLimit.constant(150.0).max_range_m([0.001, 5.0]).tolist() == [150.0, 150.0]
    assert RangeLimit.constant().max_range_m([0.001]).tolist() == [math.inf]


def test_table_is_numpys_interpolation():
    pairs = [(5, 20), (10, 60), (20, 100), (80, 120)]
    limit = RangeLimit.from_pairs(pairs, fit="table")
    reflectivity = np.linspace(0.001, 1.5, 1000)
    expected_m = np.interp(100 * reflectivity, *np.transpose(pairs))
    assert limit.max_range_m(reflectivity) == pytest.approx(expected_m, abs=1e-9)


TABLE = [(10, 50), (30, 80), (60, 100)]
COMPOSED = [(20.0, "root2", [(10, 60), (20, 70)]), (None, "log", [(20, 70), (80, 120)])]


def test_pieces_are_the_curves_that_they_were_made_of_up_to_and_with_their_ends():
    limit = RangeLimit.from_pieces(COMPOSED)
    dark, bright = (RangeLimit.from_pairs(pairs, fit=fit) for _, fit, pairs in COMPOSED)
    low, high = np.linspace(0.001, 0.2, 50), np.linspace(0.2001, 3.0, 50)
    assert limit.max_range_m(low).tolist() == dark.max_range_m(low).tolist()
    assert limit.max_range_m(high).tolist() == bright.max_range_m(high).tolist()


def test_a_single_piece_is_its_curve():
    reflectivity = np.linspace(0.001, 1.5, 100)
    for fit in FITS:
        alone = RangeLimit.from_pieces([(None, fit, PAIRS)], max_range_m=110.0)
        curve = RangeLimit.from_pairs(PAIRS, fit=fit, max_range_m=110.0)
        expected_m = curve.max_range_m(reflectivity).tolist()
        assert alone.max_range_m(reflectivity).tolist() == expected_m


@pytest.mark.parametrize("end", [5.0, 10.0, 20.0, 30.0, 40.0, 60.0, 90.0])
def test_a_table_may_be_any_piece(end):
    reflectivity = np.linspace(0.001, 1.0, 1000)
    is_first = 100 * reflectivity <= end
    table_m = RangeLimit.from_pairs(TABLE, fit="table").max_range_m(reflectivity)
    far = [(10, 200), (80, 300)]
    first = RangeLimit.from_pieces([(end, "table", TABLE), (None, "linear", far)])
    far_m = RangeLimit.from_pairs(far, fit="linear").max_range_m(reflectivity)
    expected_m = np.where(is_first, table_m, far_m)
    assert first.max_range_m(reflectivity).tolist() == expected_m.tolist()
    near = [(1, 1), (100, 10)]
    last = RangeLimit.from_pieces([(end, "linear", near), (None, "table", TABLE)])
    near_m = RangeLimit.from_pairs(near, fit="linear").max_range_m(reflectivity)
    expected_m = np.where(is_first, near_m, table_m)
    assert last.max_range_m(reflectivity).tolist() == expected_m.tolist()


def test_a_curve_may_jump_up_but_not_down():
    up = [(20.0, "linear", [(0, 10), (10, 20)]), (None, "linear", [(0, 50), (10, 60)])]
    assert RangeLimit.from_pieces(up).max_range_m([0.2, 0.2001]) == pytest.approx([30.0, 70.01])
    with pytest.raises(RangeLimitError) as caught:
        RangeLimit.from_pieces([(20.0, *up[1][1:]), (None, *up[0][1:])])
    assert "piece 2: begins with 30 m at 20 %, but the previous piece ends with 70 m" in str(
        caught.value
    )


def test_maximum_range_bounds_pieces():
    limit = RangeLimit.from_pieces(COMPOSED, max_range_m=65.0)
    assert limit.max_range_m([0.1, 0.2, 0.8]) == pytest.approx([60.0, 65.0, 65.0])


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([], "pieces: got none, expected one curve or more"),
        ([(20, "log", PAIRS)], "piece 1: until_percent 20, but the last piece has no end"),
        ([COMPOSED[1], COMPOSED[1]], "piece 1: until_percent is missing, only the last piece has"),
        ([(0, "log", PAIRS), COMPOSED[1]], "piece 1: until_percent 0, expected above 0"),
        (
            [COMPOSED[0], (20, "log", PAIRS), COMPOSED[1]],
            "piece 2: until_percent 20, expected above 20",
        ),
        ([(math.inf, "log", PAIRS), COMPOSED[1]], "piece 1: until_percent inf, expected above 0"),
        ([COMPOSED[0], (None, "lgo", PAIRS)], "piece 2: unknown fit 'lgo', expected one of"),
        (
            [COMPOSED[0], (None, "log", PAIRS[:1])],
            "piece 2: got 1 pair(s) for fit 'log', expected 2",
        ),
    ],
)
def test_pieces_that_make_no_curve_are_refused_in_one_line(pieces, words):
    with pytest.raises(RangeLimitError) as caught:
        RangeLimit.from_pieces(pieces)
    assert str(caught.value).startswith(f"range limit: {words}")
    assert "\n" not in str(caught.value)


@st.composite
def range_limits(draw):
    percents = draw(st.lists(st.integers(1, 200), min_size=2, max_size=2, unique=True).map(sorted))
    ranges_m = draw(st.lists(st.floats(0.0, 500.0), min_size=2, max_size=2).map(sorted))
    pairs = list(zip(percents, ranges_m, strict=True))
    fit = draw(st.sampled_from(sorted(FITS)))
    kind = draw(st.sampled_from(["pairs", "pieces", "equation"]))
    if kind == "pairs":
        return RangeLimit.from_pairs(pairs, fit=fit, max_range_m=400.0)
    if kind == "pieces":
        beyond = [(percents[0] + 0.5, ranges_m[1]), (percents[1] + 100.0, ranges_m[1] + 50.0)]
        pieces = [(float(percents[1]), fit, pairs), (None, "linear", beyond)]
        return RangeLimit.from_pieces(pieces, max_range_m=400.0)
    equation = RangeEquation(
        clear_range_m=draw(st.floats(1.0, 500.0)),
        target=draw(TARGETS),
        extinction_per_m=draw(st.floats(0.0, 0.1)),
    )
    return RangeLimit.from_equation(equation, max_range_m=400.0)


@settings(deadline=None)  # the first example compiles the kernels
@given(limit=range_limits(), reflectivity=st.lists(st.floats(0.0, 50.0), min_size=2, max_size=30))
def test_brighter_surfaces_are_never_seen_less_far(limit, reflectivity):
    limit_m = limit.max_range_m(sorted(reflectivity))
    assert np.all(np.diff(limit_m) >= -1e-9)
    assert np.all((limit_m >= 0.0) & (limit_m <= 400.0))


@settings(deadline=None)
@given(limit=range_limits(), reflectivity=st.floats(0.0, 50.0, width=32))
def test_scalar_kernel_and_array_face_give_the_same_bits(limit, reflectivity):
    scalar_m = kernels.range_limit_at(*limit.kernel_arguments(), np.float32(reflectivity))
    array_m = limit.max_range_m(np.array([reflectivity], np.float32))
    assert array_m.tolist() == [scalar_m]


@pytest.mark.long
@settings(deadline=None)
@given(
    limit=range_limits(),
    reflectivity=st.floats(1e-9, 50.0) | st.integers(1, 600).map(lambda step: step / 512),
    range_m=st.floats(0.0, 500.0),
    beside_m=st.sampled_from([-1e-3, -1e-9, 0.0, 1e-9, 1e-3]),
)
def test_what_is_in_reach_is_what_the_curve_says(limit, reflectivity, range_m, beside_m):
    limit_m = float(limit.max_range_m(reflectivity))
    for distance_m in (range_m, limit_m + beside_m):
        seen = in_reach(limit.kernel_arguments(), limit.kernel_bounds(), reflectivity, distance_m)
        assert seen == (distance_m <= limit_m)


@njit
def in_reach(curve, bounds_m, reflectivity, range_m):
    lower_m, upper_m = bounds_m[kernels.bounds_row(reflectivity, len(bounds_m))]
    if range_m < lower_m or range_m > upper_m:
        return range_m < lower_m
    return range_m <= kernels.range_limit_at(*curve, reflectivity)


def test_bounds_are_the_limits_at_both_ends_of_512_steps_and_a_millimetre():
    """r = 51.2 m + 0.512 m R grows by 0.1 m in a step; nothing is seen that reflects nothing."""
    limit = RangeLimit.from_pairs([(0, 51.2), (100, 102.4)], fit="linear", max_range_m=150.0)
    edge_m = 51.2 + 0.1 * np.arange(513)
    edge_m[[0, -1]] = 0.0, 150.0  # all that is brighter belongs to the last step
    expected = np.stack([edge_m[:-1] - 1e-3, edge_m[1:] + 1e-3], axis=1)
    np.testing.assert_allclose(limit.kernel_bounds(), expected, atol=1e-9)


@pytest.mark.parametrize("fit", FITS)
def test_a_limit_is_within_the_bounds_of_its_step(fit):
    limit = RangeLimit.from_pairs(PAIRS, fit=fit, max_range_m=130.0)
    reflectivity, bounds_m = np.linspace(1e-3, 1.5, 4999), limit.kernel_bounds()
    lower_m, upper_m = bounds_m[[kernels.bounds_row(r, len(bounds_m)) for r in reflectivity]].T
    limit_m = limit.max_range_m(reflectivity)
    assert ((lower_m <= limit_m) & (limit_m <= upper_m)).all()


def test_shape_of_the_reflectivity_is_kept():
    assert RangeLimit.from_pairs(PAIRS).max_range_m(np.full((2, 3), 0.5)).shape == (2, 3)


@pytest.mark.parametrize(
    ("pairs", "fit", "words"),
    [
        ([(10, 60), (10, 80)], "log", "two pairs for 10 %"),
        ([(10, -60), (80, 120)], "log", "-60 m at 10 %"),
        ([(10, 60), (80, 50)], "root2", "50 m at 80 % is less than 60 m at 10 %"),
        ([(0, 60), (80, 120)], "log", "0 % for fit 'log', expected a percentage above 0"),
        ([(-1, 60), (80, 120)], "linear", "-1 % for fit 'linear', expected a percentage of 0"),
        ([(10, 60), (20, 70), (80, 120)], "log", "3 pair(s) for fit 'log', expected 2"),
        ([(10, 60)], "table", "1 pair(s) for fit 'table', expected 2 or more"),
        ([(10, 60, 1), (80, 120, 1)], "log", "expected pairs of [percent, metres]"),
        ([(10, math.nan), (80, 120)], "log", "nan m at 10 %"),
        (PAIRS, "rot2", "unknown fit 'rot2'"),
        ([(10, 60), (math.nextafter(10, 11), 80)], "root4", "too close or too far apart"),
        ([(47, 1), (55, 1e308)], "linear", "too close or too far apart"),
    ],
)
def test_impossible_range_limit_is_refused_in_one_line(pairs, fit, words):
    with pytest.raises(RangeLimitError) as caught:
        RangeLimit.from_pairs(pairs, fit=fit)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_fit_proposes_the_nearest():
    with pytest.raises(RangeLimitError, match="did you mean 'root2'"):
        RangeLimit.from_pairs(PAIRS, fit="rot2")


@pytest.mark.parametrize("range_m", [0.0, -1.0, math.nan])
def test_maximum_range_that_is_not_positive_is_refused(range_m):
    with pytest.raises(RangeLimitError, match="maximum range"):
        RangeLimit.constant(range_m)


@pytest.mark.parametrize(
    ("fit", "formulas"),
    [
        ("linear", ["r = 51.4286 + 0.857143 R"]),
        ("root2", ["r = 27.1849 + 10.377 R^(1/2)"]),
        ("root3", ["r = 0 + 27.8495 R^(1/3)"]),
        ("root4", ["r = -28.0033 + 49.4879 R^(1/4)"]),
        ("log", ["r = -6.43856 + 28.8539 ln R"]),
        ("table", ["r = 60", "r = 60 + 0.857143 (R - 10)", "r = 120"]),
    ],
)
def test_a_curve_is_written_as_a_formula(fit, formulas):
    assert [p.formula() for p in RangeLimit.from_pairs(PAIRS, fit=fit).pieces] == formulas


def test_an_equation_is_written_as_a_formula():
    clear = RangeEquation(clear_range_m=150.0, target="point")
    (piece,) = RangeLimit.from_equation(clear).pieces
    assert piece.formula() == "r = 0 + 47.4342 R^(1/4)"  # 150 / 100^(1/4)
    equation = RangeEquation(clear_range_m=150.0, target="line", extinction_per_m=1e-3)
    (piece,) = RangeLimit.from_equation(equation).pieces
    range_m = float(equation.max_range_m(0.2))
    assert piece.formula() == "r exp(0.000666667 r) = 32.3165 R^(1/3)"  # 2e-3 / 3, 150 / 100^(1/3)
    assert range_m * math.exp(2e-3 / 3 * range_m) == pytest.approx(32.3165 * 20 ** (1 / 3), 1e-5)
