# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scan patterns: angles, order and times of beams, worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raycore.errors import PatternError, RayCoreError
from raycore.pattern.scan_pattern import ScanPattern, from_pairs, grid, grid_from_angles, rotating
from tests.builders.refusals import one_line

DEG = math.pi / 180


def _grid_deg(horizontal, vertical):
    return grid(
        horizontal_rad=tuple(np.radians(horizontal)), vertical_rad=tuple(np.radians(vertical))
    )


def _columns(n_beam=1, **changed):
    return {
        "azimuth_rad": np.zeros(n_beam),
        "elevation_rad": np.zeros(n_beam),
        "time_s": np.zeros(n_beam),
        "ring": np.zeros(n_beam, dtype=np.uint16),
        "column": np.zeros(n_beam, dtype=np.uint32),
        "period_s": 0.1,
        "coherent": False,
        **changed,
    }


def test_directions_follow_x_forward_y_left_z_up():
    # forward, left, back, up, and left at 30 deg: (0, cos 30, sin 30)
    pattern = from_pairs(
        azimuth_rad=np.radians([0, 90, 180, 0, 90]), elevation_rad=np.radians([0, 0, 0, 90, 30])
    )
    expected = [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, 0, 1], [0, math.sqrt(0.75), 0.5]]
    np.testing.assert_allclose(pattern.direction, expected, atol=1e-7)
    assert pattern.direction.dtype == np.float32


def test_full_turn_starts_at_the_back_sweeps_left_to_right_and_looks_straight_ahead():
    # 8 columns, 45 deg apart: back, back left, left, .., straight ahead in column 4
    pattern = rotating(elevation_rad=[0.0], n_columns=8, period_s=0.1)
    expected_deg = [180, 135, 90, 45, 0, -45, -90, -135]
    np.testing.assert_allclose(np.degrees(pattern.azimuth_rad), expected_deg, atol=1e-12)
    assert pattern.azimuth_rad[0] == math.pi
    assert pattern.azimuth_rad[4] == 0.0
    np.testing.assert_allclose(pattern.time_s, 0.0125 * np.arange(8), atol=1e-15)


def test_rows_are_sorted_from_top_to_bottom_with_their_offsets_and_phases():
    pattern = rotating(
        elevation_rad=np.radians([-1, 3, 1]),
        azimuth_offset_rad=np.radians([10, 20, 30]),
        firing_phase=[0.0, 0.5, 0.25],
        n_columns=4,
        period_s=0.4,
    )
    assert pattern.ring.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert pattern.column.tolist() == [0, 1, 2, 3] * 3
    assert (pattern.ring.dtype, pattern.column.dtype) == (np.uint16, np.uint32)
    np.testing.assert_allclose(np.degrees(pattern.elevation_rad[::4]), [3, 1, -1])
    # heading 180 - 90 (column + phase) deg, plus the offset: column 1 at 90 - 45 + 20, ...
    np.testing.assert_allclose(np.degrees(pattern.azimuth_rad[1::4]), [65, 97.5, 100])
    np.testing.assert_allclose(pattern.time_s[1::4], [0.15, 0.125, 0.1])


def test_azimuth_beyond_half_a_turn_is_wrapped():
    # column 0 looks to 180 + 10 deg, which is -170 deg
    pattern = rotating(
        elevation_rad=[0.0], azimuth_offset_rad=[10 * DEG], n_columns=4, period_s=0.1
    )
    np.testing.assert_allclose(np.degrees(pattern.azimuth_rad), [-170, 100, 10, -80])


def test_each_row_fires_within_its_own_window():
    # headings 180, 170, .. -170 deg; upper row from 20 to -10 deg, lower row from 0 to -20 deg
    pattern = rotating(
        elevation_rad=np.radians([1, -1]),
        azimuth_window_rad=[(-10 * DEG, 20 * DEG), (-20 * DEG, 0.0)],
        n_columns=36,
        period_s=0.36,
    )
    np.testing.assert_allclose(
        np.degrees(pattern.azimuth_rad), [20, 10, 0, -10, 0, -10, -20], atol=1e-12
    )
    assert pattern.ring.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert pattern.column.tolist() == [0, 1, 2, 3, 2, 3, 4]
    np.testing.assert_allclose(pattern.time_s, [0, 0.01, 0.02, 0.03, 0.02, 0.03, 0.04], atol=1e-15)


def test_a_window_may_reach_across_the_back():
    window = [(math.radians(170), math.radians(190))]
    pattern = rotating(elevation_rad=[0.0], n_columns=360, period_s=0.1, azimuth_window_rad=window)
    azimuth_deg = np.degrees(pattern.azimuth_rad)
    # columns 0 to 10, from straight back to the left, and 350 to 359, from the right to the back
    expected = [*range(180, 169, -1), *range(-170, -180, -1)]
    np.testing.assert_allclose(azimuth_deg, expected)
    assert pattern.column.tolist() == [*range(11), *range(350, 360)]


def test_origins_turn_with_the_head_at_the_moment_of_firing():
    origins = [(0.0, 0.0, 0.1), (0.02, 0.005, 0.0)]
    pattern = rotating(
        elevation_rad=[0.1, -0.1],
        n_columns=4,
        period_s=0.1,
        azimuth_offset_rad=[0.3, -0.2],
        firing_phase=[0.0, 0.5],
        beam_origin_m=origins,
    )
    assert pattern.origin_m.dtype == np.float32
    np.testing.assert_allclose(pattern.origin_m[:4], [origins[0]] * 4, atol=1e-9)
    for beam, heading_deg in zip(range(4, 8), (135, 45, -45, -135), strict=True):
        cos, sin = math.cos(math.radians(heading_deg)), math.sin(math.radians(heading_deg))
        expected = (0.02 * cos - 0.005 * sin, 0.02 * sin + 0.005 * cos, 0.0)
        np.testing.assert_allclose(pattern.origin_m[beam], expected, atol=1e-8)


def test_all_beams_start_at_the_origin_unless_told():
    pattern = rotating(elevation_rad=[0.0], n_columns=8, period_s=0.1)
    assert pattern.origin_m.tolist() == [[0.0, 0.0, 0.0]]
    assert pattern.has_one_origin
    with pytest.raises(ValueError, match="read-only"):
        pattern.origin_m[0, 0] = 1.0


@pytest.mark.parametrize(
    ("origins", "message"),
    [
        ([(0, 0, 0)] * 3, "beam_origin_m: expected 2 points of 3 numbers, got shape"),
        ([(0, 0, math.nan)] * 2, "beam_origin_m: got nan m, expected at most 1000 m"),
        ([(0, 0, 1e305)] * 2, r"beam_origin_m: got 1e\+305 m, expected at most 1000 m"),
        ([(0, 0, "x")] * 2, "beam_origin_m: expected a list of points"),
    ],
)
def test_unusable_origins_give_one_line(origins, message):
    with pytest.raises(PatternError, match=message):
        rotating(elevation_rad=[0.0, 0.1], n_columns=8, period_s=0.1, beam_origin_m=origins)


def test_grid_holds_both_ends_that_fall_on_the_step():
    # 4 deg in steps of 0.1 deg: 41 columns, although 4 / 0.1 is not exact in binary
    pattern = _grid_deg((-2, 2, 0.1), (-1, 1, 0.5))
    assert pattern.n_beams == 41 * 5
    assert pattern.azimuth_rad[0] == np.radians(2)
    assert pattern.azimuth_rad[40] == np.radians(-2)
    np.testing.assert_allclose(np.degrees(pattern.elevation_rad[::41]), [1, 0.5, 0, -0.5, -1])


def test_grid_stops_before_an_end_that_misses_the_step():
    # from the min: -1, 0, 1 deg; 1.5 deg is not on the step
    pattern = _grid_deg((-1, 1.5, 1), (0, 0, 1))
    np.testing.assert_allclose(np.degrees(pattern.azimuth_rad), [1, 0, -1], atol=1e-12)


@pytest.mark.parametrize(("minimum", "maximum"), [(-180, 180), (0, 360)])
def test_full_turn_grid_has_no_column_twice(minimum, maximum):
    pattern = _grid_deg((minimum, maximum, 0.5), (0, 0, 1))
    assert pattern.n_beams == 720
    assert pattern.azimuth_rad[0] == pytest.approx(math.pi)
    assert len(np.unique(np.round(pattern.direction, 5), axis=0)) == 720


def test_angle_arrays_in_any_order_make_a_sorted_grid():
    pattern = grid_from_angles(
        horizontal_rad=np.radians([-5, 20, 3]), vertical_rad=np.radians([0, 7])
    )
    np.testing.assert_allclose(np.degrees(pattern.azimuth_rad), [20, 3, -5] * 2)
    np.testing.assert_allclose(np.degrees(pattern.elevation_rad), [7] * 3 + [0] * 3)
    assert pattern.ring.tolist() == [0, 0, 0, 1, 1, 1]
    assert pattern.coherent


def test_pairs_keep_their_order_and_are_no_grid():
    pattern = from_pairs(azimuth_rad=[0.1, -0.3, 0.2], elevation_rad=[0.0, 0.2, -0.1])
    assert pattern.azimuth_rad.tolist() == [0.1, -0.3, 0.2]
    assert pattern.column.tolist() == [0, 1, 2]
    assert not pattern.coherent


def test_pattern_cannot_be_changed():
    pattern = from_pairs(azimuth_rad=[0.0], elevation_rad=[0.0])
    with pytest.raises(ValueError, match="read-only"):
        pattern.azimuth_rad[0] = 1.0


@given(
    n_horizontal=st.integers(1, 40),
    n_vertical=st.integers(1, 20),
    step_deg=st.floats(0.01, 4.0),
    start_deg=st.floats(-90.0, 20.0),
)
def test_every_grid_is_full_ordered_and_of_unit_length(
    n_horizontal, n_vertical, step_deg, start_deg
):
    pattern = _grid_deg(
        (start_deg, start_deg + (n_horizontal - 1) * step_deg, step_deg),
        (-40.0, -40.0 + (n_vertical - 1) * step_deg, step_deg),
    )
    assert pattern.n_beams == n_horizontal * n_vertical
    index = pattern.ring.astype(np.int64) * n_horizontal + pattern.column
    np.testing.assert_array_equal(index, np.arange(pattern.n_beams))
    azimuth = pattern.azimuth_rad.reshape(n_vertical, n_horizontal)
    elevation = pattern.elevation_rad.reshape(n_vertical, n_horizontal)
    assert (np.diff(azimuth, axis=1) < 0).all()
    assert (np.diff(elevation, axis=0) < 0).all()
    # three float32 roundings of 2**-25 each: the length is off by at most 1e-7
    length = np.linalg.norm(pattern.direction.astype(np.float64), axis=1)
    np.testing.assert_allclose(length, 1.0, atol=1e-7)


@given(
    n_columns=st.integers(1, 300),
    phases=st.lists(st.floats(0, 0.99), min_size=1, max_size=8),
    rate_hz=st.floats(1, 50),
)
def test_firing_time_grows_with_the_column_and_stays_within_the_period(n_columns, phases, rate_hz):
    pattern = rotating(
        elevation_rad=-0.01 * np.arange(len(phases)),
        firing_phase=phases,
        n_columns=n_columns,
        period_s=1 / rate_hz,
    )
    time_s = pattern.time_s.reshape(len(phases), n_columns)
    assert (np.diff(time_s, axis=1) > 0).all()
    assert time_s.max() < pattern.period_s


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"ring": np.zeros(1, dtype=np.int64)}, r"ring is int64 \(1,\), expected uint16 \(1,\)"),
        ({"time_s": np.zeros(2)}, r"time_s is float64 \(2,\), expected float64 \(1,\)"),
        ({"column": [0]}, "column is list, expected uint32"),
        ({"elevation_rad": np.array([2.0])}, "elevation_rad of beam 0 is 2"),
        ({"azimuth_rad": np.array([np.nan])}, "azimuth_rad of beam 0 is nan"),
        ({"time_s": np.array([0.2])}, "time_s of beam 0 is 0.2, expected 0 to 0.1"),
        ({"period_s": 0.0}, "period_s is 0.0, expected above 0"),
        ({"azimuth_rad": np.zeros(0)}, "has no beam"),
    ],
)
def test_wrong_columns_are_named(changed, message):
    with pytest.raises(PatternError, match=message):
        ScanPattern(**_columns(**changed))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: _grid_deg((-1, 1, 0), (0, 0, 1)),
            "horizontal_rad: step is 0 rad, expected above 0",
        ),
        (
            lambda: grid(horizontal_rad=(0.2, 0.1, 0.1), vertical_rad=(0.0, 0.0, 1.0)),
            "horizontal_rad: max is 0.1 rad, expected at least the min, 0.2 rad",
        ),
        (lambda: _grid_deg((-1, 1, 1), (0, math.inf, 1)), "vertical_rad: min, max and step must"),
        (
            lambda: grid(horizontal_rad=(-0.1, 0.1, 1e-12), vertical_rad=(0.0, 0.0, 1.0)),
            "horizontal_rad: step 1e-12 rad gives over",
        ),
        (lambda: _grid_deg((-1, 1, 1e-5), (-40, 40, 1e-2)), "expected at most 33554432 beams"),
        (
            lambda: _grid_deg((-200, 200, 1), (0, 0, 1)),
            "horizontal_rad: covers more than a turn, expected at most 2 pi",
        ),
        (lambda: _grid_deg((0, 1, 1), (80, 100, 10)), "elevation_rad of beam 0 is 1.74532925"),
        (
            lambda: grid_from_angles(horizontal_rad=[0.0], vertical_rad=[0.5, 0.1, 0.5]),
            "vertical_rad: contains 0.5 rad twice",
        ),
        (
            lambda: grid_from_angles(horizontal_rad=[-math.pi, math.pi], vertical_rad=[0.0]),
            "horizontal_rad: contains 3.14159265 rad twice",
        ),
        (
            lambda: grid_from_angles(horizontal_rad=[], vertical_rad=[0.0]),
            "horizontal_rad: expected a list of numbers",
        ),
        (
            lambda: from_pairs(azimuth_rad=[0.0, 1.0], elevation_rad=[0.0]),
            "got 2 azimuths and 1 elevations",
        ),
        (
            lambda: from_pairs(azimuth_rad=[0.0, math.nan], elevation_rad=[0.0, 0.0]),
            "azimuth_rad: value 1 is nan",
        ),
        (
            lambda: rotating(elevation_rad=[0.0], n_columns=0, period_s=0.1),
            "got 0 columns, expected at least 1",
        ),
        (
            lambda: rotating(elevation_rad=[0.0], firing_phase=1.0, n_columns=4, period_s=0.1),
            "firing_phase: expected values of at least 0 and below 1",
        ),
        (
            lambda: rotating(
                elevation_rad=[0.0, 0.1, 0.2],
                azimuth_offset_rad=[0.0, 0.1],
                n_columns=4,
                period_s=0.1,
            ),
            "azimuth_offset_rad: got 2 values, expected one for each of 3 rows",
        ),
        (
            lambda: rotating(
                elevation_rad=[0.0], azimuth_window_rad=[(0.1, 0.2)], n_columns=4, period_s=0.1
            ),
            "no column is inside a window",
        ),
    ],
)
def test_unusable_values_give_one_line(build, message):
    with one_line(RayCoreError, match=message):
        build()
