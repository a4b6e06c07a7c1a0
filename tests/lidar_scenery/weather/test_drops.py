# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rain and snow: numbers, water and extinction of their laws, visible drops by Monte Carlo."""

import math

import numpy as np
import pytest
from scipy.integrate import trapezoid

from lidar_scenery.weather import drops
from lidar_scenery.weather.state import DropSizes
from material_mapping.optics import mie, water

SIZES = DropSizes()
DIVERGENCE_RAD, WINDOW_M = np.array([0.75e-3, 0.375e-3]), np.array([3.2e-3, 2.4e-3])
"""A sensor like a VLP-16: rms half widths of its beam, sideways and upwards."""


def spot_and_least(range_m, extinction_per_m, backscatter):
    """Return sx sy and D_min of that sensor: 130 m at 100 %, echoes stop growing below 8.3 m."""
    r = np.asarray(range_m, float)
    spot_m2 = np.prod(np.hypot(DIVERGENCE_RAD[:, None] * r, WINDOW_M[:, None]), axis=0)
    least = (np.maximum(r, 8.3) / 130.0) ** 2
    diameter_mm = drops.least_visible_mm(
        least,
        spot_m2=spot_m2,
        backscatter=backscatter,
        transmission=np.exp(-2.0 * extinction_per_m * r),
    )
    return spot_m2, diameter_mm


def seen_up_to(edges_m, falling, backscatter, extinction_per_m):
    """Return the mean number of visible drops of one beam from 0.5 m to each range."""
    r = np.linspace(0.5, 60.0, 20_001)
    spot_m2, least = spot_and_least(r, extinction_per_m, backscatter)
    per_m = falling.visible_per_m(least, spot_m2=spot_m2)
    total = np.concatenate([[0.0], np.cumsum(0.5 * (per_m[1:] + per_m[:-1]) * np.diff(r))])
    return np.interp(edges_m, r, total)


@pytest.mark.parametrize(
    ("rate_mm_h", "number", "above_50_um", "water_g_m3"),
    [(1.0, 1951, 1590, 0.089), (10.0, 3165, 2789, 0.615), (50.0, 4437, 4055, 2.38)],
)
def test_marshall_and_palmers_rain_has_its_number_and_water(
    rate_mm_h, number, above_50_um, water_g_m3
):
    # N = 8000 / L, 8000 / L exp(-0.05 L), water 8000 pi / L^4 mg, with L = 4.1 R^-0.21
    spectrum = drops.rain(rate_mm_h, SIZES).spectrum
    assert spectrum.moment(0) == pytest.approx(number, abs=0.5)
    d = np.geomspace(0.05, 30.0, 20_001)
    assert trapezoid(spectrum.density(d), d) == pytest.approx(above_50_um, abs=0.6)
    assert math.pi / 6.0 * 1e-3 * spectrum.moment(3) == pytest.approx(water_g_m3, rel=0.005)


def test_extinction_of_rain_follows_its_power_law():
    # Q pi 8000 / (2 L^3) 1e-6 = Q 1.823e-4 R^0.63; Ulbrich and Atlas measured 3.34e-4, 1.46e-3 and
    # 4.08e-3 for the whole loss, Q = 2
    for rate, whole, measured in (
        (1.0, 3.65e-4, 3.34e-4),
        (10.0, 1.56e-3, 1.46e-3),
        (50.0, 4.29e-3, 4.08e-3),
    ):
        rain = drops.rain(rate, SIZES)
        assert rain.extinction_per_m(2.0) == pytest.approx(whole, rel=0.003)
        assert rain.extinction_per_m(2.0) == pytest.approx(measured, rel=0.1)
        assert rain.extinction_per_m() == pytest.approx(1.823e-4 * rate**0.63, rel=1e-3)


def test_a_beam_loses_in_10_mm_an_hour_what_was_measured():
    # openMSL/sl-1-2-reflection-based-lidar-object-model, profile_VLP16: 7.7e-4 1/m
    assert drops.rain(10.0, SIZES).extinction_per_m() == pytest.approx(7.7e-4, rel=0.02)


def test_extinction_of_snow_is_that_of_flakes_larger_than_their_drops():
    # pi/4 2 N_0 / L^3 1e-6 0.1^(-2/3) of Gunn and Marshall: 1.13e-3, 1.67e-3, 2.82e-3 1/m
    rates = (0.5, 1.0, 2.5)
    found = [drops.snow(rate, SIZES).extinction_per_m() for rate in rates]
    assert found == pytest.approx([1.13e-3, 1.67e-3, 2.82e-3], rel=0.005)
    dense = drops.snow(1.0, SIZES, relative_density=1.0).extinction_per_m()
    assert found[1] / dense == pytest.approx(10.0 ** (2.0 / 3.0), rel=1e-12)


@pytest.mark.parametrize("flakes", ["gunn_marshall", "sekhon_srivastava"])
def test_snow_falls_with_a_metre_per_second(flakes):
    # rate over water: 1 mm/h is 1 / 3.6e6 m/s; 0.98 m/s for Gunn and Marshall, by hand
    spectrum = drops.snow(1.0, DropSizes(flakes=flakes)).spectrum
    assert 1.0 / 3.6e6 / (math.pi / 6.0 * 1e-9 * spectrum.moment(3)) == pytest.approx(
        0.98, abs=0.02
    )


def test_gamma_and_table_give_other_rain():
    gamma = drops.rain(10.0, DropSizes(law="gamma", gamma_shape=3.0, gamma_median_mm=1.5))
    assert gamma.density(0.01) < 1.0 < gamma.density(1.5)
    assert gamma.extinction_per_m() == pytest.approx(7.8e-4, rel=0.5)
    rows = ((0.5, 1000.0), (1.0, 400.0), (3.0, 1.0))
    table = drops.rain(10.0, DropSizes(law="table", table=rows))
    assert table.density([0.5, 0.75, 3.0]) == pytest.approx([1000.0, 700.0, 1.0])
    assert drops.rain(99.0, DropSizes(law="table", table=rows)).density(0.75) == 700.0


def test_no_rate_is_no_rain_and_no_snow():
    assert drops.rain(0.0, SIZES) is None
    assert drops.rain(0.0, DropSizes(law="gamma")) is None
    assert drops.rain(0.0, DropSizes(law="table", table=((1.0, 1.0), (2.0, 1.0)))) is None
    assert drops.snow(0.0, SIZES) is None


@pytest.mark.parametrize("rate_mm_h", [math.ulp(0.0), 1e-300, 1e-9])
def test_a_rate_that_no_gauge_knows_is_none(rate_mm_h):
    """1e-6 mm/h on a square metre is 1 mm^3 in an hour, two drops of 1 mm."""
    assert drops.rain(rate_mm_h, SIZES) is None
    assert drops.snow(rate_mm_h, SIZES) is None
    assert drops.snow(1e-6, SIZES).extinction_per_m() < 1e-6


@pytest.fixture(scope="module")
def thrown():
    """Return squared ratios of echo to threshold of all drops of 20 km of a wide beam.

    Rain of 10 mm/h; rms half widths of 10 and 7 mm, drops within 5 of them; D_min 0.5 mm.
    """
    generator = np.random.default_rng(20260807)
    falling = drops.rain(10.0, SIZES)
    half_m, length_m = np.array([0.010, 0.007]), 20_000.0
    volume_m3 = np.prod(10.0 * half_m) * length_m
    n = generator.poisson(falling.spectrum.moment(0) * volume_m3)
    diameter_mm = generator.exponential(1.0 / falling.spectrum.slope_per_mm, n)
    u = 0.5 * (generator.uniform(-5.0, 5.0, (n, 2)) ** 2).sum(axis=1)
    # R_eq = Q_b D^2 / (32 sx sy) exp(-u), with R_min such that D_min is 0.5 mm
    backscatter, spot_m2 = 0.3, np.prod(half_m)
    least = backscatter * 0.5e-3**2 / (32.0 * spot_m2)
    echo = backscatter * (diameter_mm * 1e-3) ** 2 / (32.0 * spot_m2) * np.exp(-u)
    return falling, spot_m2 * length_m, least, echo / least


def test_all_drops_thrown_leave_as_many_visible_ones_as_the_formula(thrown):
    falling, spot_by_length_m3, least, ratio = thrown
    spot_m2 = spot_by_length_m3 / 20_000.0
    diameter_mm = drops.least_visible_mm(least, spot_m2=spot_m2, backscatter=0.3)
    assert diameter_mm == pytest.approx(0.5, rel=1e-12)
    expected = 20_000.0 * falling.visible_per_m(diameter_mm, spot_m2=spot_m2)
    seen = int((ratio > 1.0).sum())
    assert expected > 7900.0
    assert abs(seen - expected) < 4.0 * math.sqrt(expected)  # Poisson: 1 of 16 000 is farther off


def test_echoes_of_visible_drops_are_distributed_as_the_formula(thrown):
    falling, _, _, ratio = thrown
    seen = np.sort(ratio[ratio > 1.0])
    tail = falling.visible_number(0.5 * np.sqrt(seen)) / falling.visible_number(0.5)
    n = seen.size
    distance = np.abs(tail - (1.0 - (np.arange(n) + 0.5) / n)).max()
    assert distance < 1.95 / math.sqrt(n)  # Kolmogorov and Smirnov, level 0.001


def test_a_sensor_like_a_vlp_16_sees_these_drops_at_each_range():
    # computed apart: D_min^2 = 32 R_min sx sy / (0.3 T), 4 pi sx sy N_0 / L E_1(L D_min)
    rain = drops.rain(10.0, SIZES)
    spot_m2, least = spot_and_least([1.0, 2.0, 4.0, 8.0, 12.0], rain.extinction_per_m(), 0.3)
    assert least == pytest.approx([1.87, 1.97, 2.33, 3.39, 6.7], rel=0.005)
    found = rain.visible_per_m(least, spot_m2=spot_m2)
    assert found == pytest.approx([5.11e-4, 4.17e-4, 2.01e-4, 2.07e-5, 4.6e-9], rel=0.01)


@pytest.mark.parametrize(
    ("rate_mm_h", "points"),
    [(1, 2.7e-5), (5, 5.6e-4), (10, 1.69e-3), (25, 6.2e-3), (50, 1.5e-2), (100, 3.3e-2)],
)
def test_that_sensor_has_as_many_points_per_beam_into_the_sky(rate_mm_h, points):
    # 1 - exp(-mean number), by another integration; 1.69e-3 at 10 mm/h is also what
    # openMSL/sl-1-2-reflection-based-lidar-object-model, profile_VLP16, has as a measurement
    rain = drops.rain(rate_mm_h, SIZES)
    mean = seen_up_to(60.0, rain, 0.3, rain.extinction_per_m())
    assert 1.0 - math.exp(-mean) == pytest.approx(points, rel=0.02)


def test_drops_of_a_scan_stand_in_their_shells_of_range():
    # 131 072 beams, 10 mm/h, to 0.5, 1, 2, 4, 8, 16 m; up to a wall at 5 m 1.501e-3 per beam
    rain = drops.rain(10.0, SIZES)
    edges = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0]
    found = seen_up_to([*edges, 5.0], rain, 0.3, rain.extinction_per_m())
    shells = 131_072 * np.diff(found[:-1])
    assert shells == pytest.approx([34.5, 61.2, 80.1, 44.4, 1.9], rel=0.01)
    assert found[-1] == pytest.approx(1.501e-3, rel=0.002)


def test_flakes_of_a_scan_stand_in_their_shells_of_range():
    # 1 mm/h, Q_b 0.973, clear air otherwise; 2057 of 131 072 beams, by another integration
    snow = drops.snow(1.0, SIZES)
    found = seen_up_to([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 60.0], snow, 0.973, 0.0)
    shells = 131_072 * np.diff(found[:-1])
    assert shells == pytest.approx([206, 393, 657, 710, 107], rel=0.01)
    assert 131_072 * (1.0 - math.exp(-found[-1])) == pytest.approx(2057, rel=0.002)


def test_drops_send_back_a_tenth_at_1550_nm():
    assert drops.rain_backscatter(905.0) == pytest.approx(0.3, rel=1e-12)
    assert drops.rain_backscatter(1550.0) == pytest.approx(0.03, rel=0.01)
    # where water is opaque the face of a drop is left, ((n - 1) / (n + 1))^2 with n = 1.3205
    assert drops.rain_backscatter(1450.0) == pytest.approx(0.0191, abs=2e-4)
    assert drops.rain_backscatter(3000.0) == drops.rain_backscatter(1800.0)
    assert drops.flake_backscatter(905.0) == drops.flake_backscatter(1550.0) == 1.0


@pytest.mark.long
def test_the_backscatter_of_drops_lies_among_those_of_spheres():
    # Mie's series, 1 mm: narrow to wide receivers at 905 nm; 0.5 and 1 mm at 1550 nm
    near = 1.0 + np.linspace(-0.02, 0.02, 15)

    def sphere(diameter_mm, wavelength_nm, half_angle_rad):
        x = math.pi * diameter_mm * 1e6 / wavelength_nm * near
        m = water.refractive_index(wavelength_nm)
        return mie.back_efficiency_into_cone(x, m, half_angle_rad=half_angle_rad).mean()

    assert sphere(1.0, 905.0, 20e-3) < drops.rain_backscatter(905.0) < sphere(1.0, 905.0, 2.5e-3)
    assert sphere(1.0, 1550.0, 5e-3) < drops.rain_backscatter(1550.0) < sphere(0.5, 1550.0, 5e-3)


@pytest.mark.parametrize("rate_mm_h", [-1.0, math.nan, math.inf])
def test_an_impossible_rate_is_refused(rate_mm_h):
    with pytest.raises(ValueError, match=r"rain_mm_h is .*, expected 0 or more"):
        drops.rain(rate_mm_h, SIZES)
    with pytest.raises(ValueError, match=r"snow_mm_h is .*, expected 0 or more"):
        drops.snow(rate_mm_h, SIZES)


def test_an_impossible_density_or_wavelength_is_refused():
    with pytest.raises(ValueError, match="snow_density is 0, expected above 0, up to 1"):
        drops.snow(1.0, SIZES, relative_density=0.0)
    with pytest.raises(ValueError, match="wavelength_nm is nan, expected above 0"):
        drops.rain_backscatter(math.nan)
    with pytest.raises(ValueError, match="wavelength_nm is -1, expected above 0"):
        drops.flake_backscatter(-1.0)
