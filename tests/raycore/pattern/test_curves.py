# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Lissajous, rosette, spiral, raster: closed forms, bounds, and how beams spread."""

import math

import numpy as np
import pytest

from raycore.errors import PatternError
from raycore.pattern.curves import lissajous, raster, rosette, spiral
from raycore.pattern.scan_pattern import from_pairs
from raycore.pattern.source import Windows, pulse_count
from tests.builders.refusals import one_line

DAYS_S = 20_000 * 86_400.0  # as of a clock that counts from 1970
KOLMOGOROV_1_PERCENT = 1.628  # sqrt(n) D that is exceeded by chance once in a hundred times


def drawn_lissajous(**changed):
    values = {
        "azimuth_span_rad": 1.2,
        "elevation_span_rad": 0.5,
        "azimuth_rate_hz": 15.0,
        "elevation_rate_hz": 10.0,
        "pulse_rate_hz": 20_000.0,
        "period_s": 0.1,
    }
    return lissajous(**{**values, **changed})


def drawn_rosette(**changed):
    values = {
        "radius_rad": 0.4,
        "radial_rate_hz": 97.3,
        "rotation_rate_hz": 31.7,
        "pulse_rate_hz": 100_000.0,
        "period_s": 0.5,
    }
    return rosette(**{**values, **changed})


def angles(pattern):
    return np.stack([pattern.azimuth_rad, pattern.elevation_rad], axis=1)


def test_a_lissajous_curve_follows_its_formula_at_the_times_of_its_pulses():
    pattern = drawn_lissajous(azimuth_phase_rad=0.3, elevation_phase_rad=-1.0, start_s=0.013)
    t = 0.013 + np.arange(2000) / 20_000
    np.testing.assert_allclose(pattern.time_s, t - 0.013, atol=1e-15)
    expected = [0.6 * np.sin(30 * np.pi * t + 0.3), 0.25 * np.sin(20 * np.pi * t - 1.0)]
    np.testing.assert_allclose(angles(pattern).T, expected, atol=1e-12)
    assert set(pattern.ring) == {0}
    assert pattern.column.tolist() == list(range(2000))


def test_a_lissajous_curve_closes_after_one_over_the_greatest_common_divisor_and_not_before():
    closes_s = 1 / math.gcd(15, 10)
    first, again = drawn_lissajous(), drawn_lissajous(start_s=closes_s)
    np.testing.assert_allclose(angles(again), angles(first), atol=1e-12)
    for part in (2, 3):
        other = drawn_lissajous(start_s=closes_s / part)
        assert np.abs(angles(other) - angles(first)).max() > 0.1


def test_a_lissajous_curve_fills_its_spans_and_is_dense_in_the_corners():
    pattern = drawn_lissajous(azimuth_rate_hz=151.0, elevation_rate_hz=97.0, period_s=1.0)
    assert np.abs(pattern.azimuth_rad).max() == pytest.approx(0.6, abs=1e-4)
    assert np.abs(pattern.elevation_rad).max() == pytest.approx(0.25, abs=1e-4)
    x, y = pattern.azimuth_rad / 0.6, pattern.elevation_rad / 0.25
    corners = ((np.abs(x) > 0.9) & (np.abs(y) > 0.9)).mean()
    centre = ((np.abs(x) < 0.1) & (np.abs(y) < 0.1)).mean()
    # arcsine laws: (2 acos(0.9) / pi)^2 and (2 asin(0.1) / pi)^2
    assert corners == pytest.approx((2 * math.acos(0.9) / math.pi) ** 2, rel=0.05)
    assert centre == pytest.approx((2 * math.asin(0.1) / math.pi) ** 2, rel=0.05)


def test_one_scan_goes_on_where_the_last_one_ended():
    long = drawn_rosette(period_s=0.2)
    parts = [drawn_rosette(period_s=0.1, start_s=start_s) for start_s in (0.0, 0.1)]
    np.testing.assert_allclose(np.vstack([angles(part) for part in parts]), angles(long), atol=1e-9)


def test_a_curve_is_as_smooth_after_decades_as_at_first():
    # 20 000 days hold a whole number of turns at 97.25 and 31.75 Hz, so the curve is at its start
    rates = {"radial_rate_hz": 97.25, "rotation_rate_hz": 31.75}
    first, late = drawn_rosette(**rates), drawn_rosette(**rates, start_s=DAYS_S)
    np.testing.assert_array_equal(angles(late), angles(first))


def test_a_rosette_is_what_two_turning_wedges_draw():
    """(A/2) (e^(i 2 pi f1 t) + e^(i 2 pi f2 t)), f_r = (f1 - f2) / 2, f_rot = (f1 + f2) / 2."""
    f1, f2 = 77.743, -121.5657
    pattern = drawn_rosette(
        radial_rate_hz=(f1 - f2) / 2, rotation_rate_hz=(f1 + f2) / 2, radial_phase_rad=math.pi / 2
    )
    t = pattern.time_s
    wedges = 0.2 * (np.exp(2j * np.pi * f1 * t) + np.exp(2j * np.pi * f2 * t))
    np.testing.assert_allclose(pattern.azimuth_rad, wedges.real, atol=1e-12)
    np.testing.assert_allclose(pattern.elevation_rad, wedges.imag, atol=1e-12)


def test_a_rosette_spreads_over_its_radius_as_the_density_says():
    """Per area 1 / (rho sqrt(A^2 - rho^2)), so P(radius < rho) = 2 / pi asin(rho / A)."""
    pattern = drawn_rosette(period_s=1.0, pulse_rate_hz=10_007.0)
    rho = np.sort(np.hypot(pattern.azimuth_rad, pattern.elevation_rad))
    assert rho[-1] <= 0.4 + 1e-12
    expected = 2 / np.pi * np.arcsin(np.minimum(rho / 0.4, 1.0))
    n = rho.size
    distance = np.abs(expected - (np.arange(n) + 0.5) / n).max() + 0.5 / n
    assert distance < KOLMOGOROV_1_PERCENT / math.sqrt(n)


def drawn_spiral(**changed):
    values = {"radius_rad": 0.3, "arm_pitch_rad": 0.01, "pulse_rate_hz": 100_000, "period_s": 0.1}
    return spiral(**{**values, **changed})


def test_a_spiral_of_constant_density_puts_as_many_beams_into_rings_of_equal_area():
    pattern = drawn_spiral()
    rho = np.hypot(pattern.azimuth_rad, pattern.elevation_rad)
    n_ring = 20
    counts, _ = np.histogram(rho, bins=0.3 * np.sqrt(np.linspace(0, 1, n_ring + 1)))
    expected = pattern.n_beams / n_ring
    assert ((counts - expected) ** 2 / expected).sum() < 36.19  # chi-square, 19 degrees, 1 %
    # and all around: sectors of equal angle
    sector = np.arctan2(pattern.elevation_rad, pattern.azimuth_rad)
    counts, _ = np.histogram(sector, bins=np.linspace(-np.pi, np.pi, n_ring + 1))
    assert ((counts - expected) ** 2 / expected).sum() < 36.19


def test_a_spiral_of_constant_rate_is_dense_in_the_centre():
    pattern = drawn_spiral(law="rate")
    rho = np.hypot(pattern.azimuth_rad, pattern.elevation_rad)
    np.testing.assert_allclose(rho, 0.3 * pattern.time_s / 0.1, atol=1e-12)


@pytest.mark.parametrize("law", ["density", "rate"])
def test_arms_of_a_spiral_are_one_pitch_apart(law):
    pattern = drawn_spiral(law=law)
    rho = np.hypot(pattern.azimuth_rad, pattern.elevation_rad)
    turn = np.unwrap(np.arctan2(pattern.elevation_rad, pattern.azimuth_rad)[1:])
    np.testing.assert_allclose(np.diff(rho[1:]), np.diff(turn) * 0.01 / (2 * np.pi), atol=1e-9)


def drawn_raster(**changed):
    values = {
        "azimuth_rad": (-0.2, 0.2),
        "elevation_rad": (-0.1, 0.1),
        "n_columns": 3,
        "n_rows": 2,
        "period_s": 0.6,
    }
    return raster(**{**values, **changed})


def test_a_raster_is_drawn_to_and_fro():
    pattern = drawn_raster()
    np.testing.assert_allclose(pattern.azimuth_rad, [0.2, 0.0, -0.2] * 2, atol=1e-15)
    np.testing.assert_allclose(pattern.elevation_rad, [0.1] * 3 + [-0.1] * 3)
    np.testing.assert_allclose(pattern.time_s, [0.0, 0.1, 0.2, 0.5, 0.4, 0.3], atol=1e-15)
    assert pattern.column.tolist() == [0, 1, 2] * 2
    assert pattern.ring.tolist() == [0] * 3 + [1] * 3


def test_a_one_way_raster_draws_all_rows_from_left_to_right():
    np.testing.assert_allclose(drawn_raster(one_way=True).time_s, 0.1 * np.arange(6), atol=1e-15)


def test_a_raster_of_one_column_or_one_row_is_a_line():
    assert drawn_raster(n_columns=1).azimuth_rad.tolist() == [0.2] * 2
    assert drawn_raster(n_rows=1).time_s.tolist() == pytest.approx([0.0, 0.2, 0.4])


def test_a_pattern_that_stays_gives_itself_and_a_curve_gives_the_next_window():
    still = from_pairs(azimuth_rad=[0.0], elevation_rad=[0.0])
    assert still.at(0.0) is still.at(0.3) is still
    moving = Windows(lambda start_s: drawn_lissajous(start_s=start_s))
    np.testing.assert_array_equal(angles(moving.at(0.1)), angles(drawn_lissajous(start_s=0.1)))


@pytest.mark.parametrize(
    ("rate_hz", "period_s", "expected"), [(20_000, 0.1, 2000), (10, 0.35, 3), (3, 1 / 3, 1)]
)
def test_a_scan_has_the_pulses_that_begin_in_it(rate_hz, period_s, expected):
    assert pulse_count(pulse_rate_hz=rate_hz, period_s=period_s) == expected


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: drawn_lissajous(pulse_rate_hz=5.0),
            r"5 pulses/s give no pulse in a scan of 0.1 s",
        ),
        (lambda: drawn_lissajous(pulse_rate_hz=math.nan), r"nan pulses/s give no pulse"),
        (lambda: drawn_lissajous(pulse_rate_hz=1e12), r"give 1e\+11 beams.*at most 33554432"),
        (lambda: drawn_lissajous(elevation_span_rad=4.0), r"elevation_span_rad is 4, expected 0"),
        (lambda: drawn_rosette(radius_rad=2.0), r"radius_rad is 2, expected 0 to 1.57"),
        (lambda: drawn_spiral(arm_pitch_rad=0.0), r"arm_pitch_rad is 0, expected above 0"),
        (lambda: drawn_raster(n_rows=0), r"raster: 0 rows of 3 columns, expected"),
        (lambda: drawn_raster(azimuth_rad=(1.0, 0.0)), r"azimuth_rad is 1 to 0, expected min <="),
    ],
)
def test_what_cannot_be_drawn_is_one_line(make, message):
    with one_line(PatternError, match=message):
        make()
