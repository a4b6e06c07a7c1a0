# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Look-up tables of OpenMATERIAL 3D: BRDF towards the source, and index of refraction."""

import math
from pathlib import Path

import numpy as np
import pytest

from material_mapping.databases.openmaterial.brdf import read_brdf
from material_mapping.databases.openmaterial.tables import bracket, read_refractive_index
from material_mapping.errors import WavelengthError
from tests.material_mapping.databases.openmaterial.helpers import (
    WAVELENGTH_M,
    brdf,
    in_plane,
    message,
    optical,
)

TENS = np.arange(0.0, 90.0, 10.0)
PERSIVAL = Path("materials", "persival", "look-up_tables")


# The quantity: R = pi f cos(angle), f towards the source


def test_lambertian_table_gives_rho_times_cosine(write):
    table = read_brdf(write("x_brdf.xompt", brdf(in_plane(dict.fromkeys(TENS, 0.5 / math.pi)))))
    angles = np.arange(91.0)
    expected = 0.5 * np.cos(np.radians(angles))
    np.testing.assert_allclose(table.reflectivity(angles, 905.0), expected, atol=1e-12)
    assert table.angle_range_deg == (0.0, 80.0)
    assert table.covers_normal
    assert table.remarks == ()


def test_azimuth_0_is_back_to_the_source_and_azimuth_pi_is_not(write):
    away = in_plane(dict.fromkeys(TENS[1:], 9.0), azimuth_rad=math.pi)
    table = read_brdf(write("x_brdf.xompt", brdf(away + in_plane(dict.fromkeys(TENS, 0.1)))))
    np.testing.assert_array_equal(table.retro(TENS, 905.0), np.full(9, 0.1))


def test_azimuth_of_a_full_turn_is_azimuth_0(write):
    rows = in_plane({0: 0.2, 40: 0.1}, azimuth_rad=6.2832)
    table = read_brdf(write("x_brdf.xompt", brdf(rows)))
    np.testing.assert_allclose(table.retro(np.array([0.0, 40.0]), 905.0), [0.2, 0.1])


def test_at_exit_zenith_0_every_azimuth_is_the_same_direction(write):
    rows = [
        [WAVELENGTH_M, 0, 0, 0, 0.2],
        [WAVELENGTH_M, 0, 0, 3.141593, 0.4],
        [WAVELENGTH_M, 0.5, 0.5, 0, 0.1],
    ]
    table = read_brdf(write("x_brdf.xompt", brdf(rows)))
    assert table.retro(np.array([0.0]), 905.0)[0] == pytest.approx(0.3)


def test_values_between_two_incident_angles_lie_on_a_straight_line(write):
    table = read_brdf(write("x_brdf.xompt", brdf(in_plane({0: 0.3, 20: 0.2, 40: 0.0}))))
    np.testing.assert_allclose(table.retro(np.array([5, 10, 30, 40.0]), 905), [0.275, 0.25, 0.1, 0])


def test_last_value_holds_beyond_the_last_angle(write):
    table = read_brdf(write("x_brdf.xompt", brdf(in_plane({0: 0.3, 20: 0.2}))))
    np.testing.assert_allclose(table.retro(np.array([20, 50, 90.0]), 905), 0.2)
    assert table.reflectivity(np.array([90.0]), 905)[0] == pytest.approx(0.0, abs=1e-12)


def test_first_value_holds_below_a_first_angle_of_up_to_10_deg(write):
    table = read_brdf(write("x_brdf.xompt", brdf(in_plane({8: 0.3, 20: 0.2}))))
    assert table.covers_normal
    assert table.retro(np.array([0.0]), 905)[0] == pytest.approx(0.3)


def test_table_of_grazing_angles_only_has_no_value_near_the_perpendicular_and_says_so(write):
    path = write("x_brdf.xompt", brdf(in_plane({86: 0.002, 90: 0.001})))
    table = read_brdf(path)
    assert not table.covers_normal
    assert table.angle_range_deg == (86.0, 90.0)
    np.testing.assert_array_equal(
        np.isnan(table.reflectivity(np.array([0, 85, 86, 90.0]), 905)), [True, True, False, False]
    )
    (remark,) = table.remarks
    assert remark == (
        f"{path}: covers angles of incidence from 86 to 90 deg only, nothing near the"
        " perpendicular; no value is known below 86 deg"
    )


def test_rows_that_look_elsewhere_are_no_values_towards_the_source(write):
    only_up = [
        [WAVELENGTH_M, round(math.radians(angle), 6), 0.0, 0.0, 0.1] for angle in (0, 2, 5, 40)
    ]
    path = write("x_brdf.xompt", brdf(only_up))
    table = read_brdf(path)
    assert table.angle_range_deg == (0.0, 2.0)
    beside, early_end = table.remarks
    assert beside == f"{path}: its exit directions miss the source by up to 2.0 deg"
    assert early_end == (
        f"{path}: covers angles of incidence up to 2 deg; beyond, its last value falls with the"
        " cosine"
    )


def test_table_without_a_row_back_to_the_source_is_refused(write):
    path = write("x_brdf.xompt", brdf(in_plane({30: 0.1, 50: 0.1}, azimuth_rad=math.pi)))
    assert message(path, read_brdf) == (
        "no row has its viewing direction towards the source, expected one within 3 deg of it"
    )


# Peaks


def test_mirror_returns_at_the_perpendicular_only(write):
    away = in_plane({10: 2e5, 20: 2e5}, azimuth_rad=math.pi)
    path = write("x_brdf.xompt", brdf(in_plane({0: 2e5, 10: 0, 80: 0}) + away))
    table = read_brdf(path)
    values = table.reflectivity(np.array([0, 0.05, 1, 5, 10, 20.0]), 905)
    np.testing.assert_allclose(values, [2e5 * math.pi, 0, 0, 0, 0, 0])
    (remark,) = table.remarks
    assert remark == (
        f"{path}: the peak at the perpendicular at 905 nm is a mirror's; it is taken to end at "
        "0.036 deg"
    )


def test_retroreflector_keeps_its_peak_between_the_angles(write):
    away = in_plane({30: 0.01, 60: 0.01}, azimuth_rad=math.pi)
    table = read_brdf(write("x_brdf.xompt", brdf(in_plane({0: 1000, 30: 50, 60: 5}) + away)))
    np.testing.assert_allclose(table.retro(np.array([0, 15, 30, 45.0]), 905), [1000, 525, 50, 27.5])


def test_gloss_that_can_be_as_wide_as_the_step_is_joined_by_a_straight_line(write):
    away = in_plane({5: 2.0}, azimuth_rad=math.pi)
    table = read_brdf(write("x_brdf.xompt", brdf(in_plane({0: 2.0, 5: 0.1}) + away)))
    assert table.retro(np.array([2.5]), 905)[0] == pytest.approx(1.05)


def test_mirror_and_matt_base_end_at_the_base(write):
    away = in_plane({10: 5e4}, azimuth_rad=math.pi)
    table = read_brdf(write("x_brdf.xompt", brdf(in_plane({0: 5e4, 10: 0.1, 20: 0.05}) + away)))
    np.testing.assert_allclose(table.retro(np.array([1, 9, 15.0]), 905), [0.1, 0.1, 0.075])


# Wavelengths


@pytest.mark.parametrize(
    ("wavelength_nm", "expected"),
    [
        (825.0, (0, 1, 0.25)),
        (950.0, (1, 2, 0.25)),
        (900.0, (1, 1, 0.0)),  # of the table itself
        (799.5, (0, 0, 0.0)),
        (1100.5, (2, 2, 0.0)),
    ],
)
def test_a_wavelength_has_two_neighbours_or_is_one_of_the_table(wavelength_nm, expected):
    assert bracket("grey", (800.0, 900.0, 1100.0), wavelength_nm) == expected


def test_between_two_wavelengths_lies_a_straight_line(write):
    rows = in_plane({0: 0.1, 50: 0.3}, 800e-9) + in_plane({0: 0.2, 60: 0.2}, 900e-9)
    table = read_brdf(write("x_brdf.xompt", brdf(rows)))
    assert table.wavelengths_nm == (800.0, 900.0)
    assert table.angle_range_deg == (0.0, 50.0)
    np.testing.assert_allclose(table.retro(np.array([0, 50.0]), 825.0), [0.125, 0.275])
    np.testing.assert_allclose(table.retro(np.array([0, 50.0]), 900.0), [0.2, 0.2])


@pytest.mark.parametrize("wavelength_nm", [904.5, 905.0, 905.5])
def test_table_of_one_wavelength_holds_half_a_nanometre_around_it(write, wavelength_nm):
    table = read_brdf(write("x_brdf.xompt", brdf(in_plane({0: 0.1, 50: 0.3}))))
    assert table.retro(np.array([0.0]), wavelength_nm)[0] == 0.1


@pytest.mark.parametrize("wavelength_nm", [904.4, 905.6, 1550.0, math.nan])
def test_wavelength_outside_of_the_table_is_an_error_with_its_range(write, wavelength_nm):
    table = read_brdf(write("grey_brdf.xompt", brdf(in_plane({0: 0.1, 50: 0.3}))))
    with pytest.raises(WavelengthError) as caught:
        table.retro(np.array([0.0]), wavelength_nm)
    assert (caught.value.name, caught.value.range_nm) == ("grey_brdf", (905.0, 905.0))


def test_wavelength_without_a_row_back_to_the_source_is_left_out(write):
    rows = in_plane({0: 0.1, 80: 0.1}) + in_plane({40: 0.1}, 1550e-9, azimuth_rad=math.pi)
    path = write("x_brdf.xompt", brdf(rows))
    table = read_brdf(path)
    assert table.wavelengths_nm == (905.0,)
    assert table.remarks == (
        f"{path}: no row at 1550 nm looks back to the source; this wavelength is left out",
    )


def test_refractive_index_comes_by_increasing_wavelength(write):
    path = write("x_optical.xompt", optical([[2e-6, 297, 1.7, 0.4], [1e-6, 297, 1.5, 0.0]]))
    index = read_refractive_index(path)
    assert index.wavelengths_nm.tolist() == [1000.0, 2000.0]
    assert (index.n.tolist(), index.k.tolist()) == ([1.5, 1.7], [0.0, 0.4])


def test_of_several_temperatures_the_one_nearest_to_a_room_counts(write):
    rows = [
        [WAVELENGTH_M, 250, 1, 0],
        [WAVELENGTH_M, 300, 2, 0],
        [WAVELENGTH_M, 400, 3, 0],
        [1e-6, None, 4, 0],
    ]
    path = write("x_optical.xompt", optical(rows))
    index = read_refractive_index(path)
    assert index.wavelengths_nm.tolist() == [905.0, 1000.0]
    assert (index.n.tolist(), index.k.tolist()) == ([2.0, 4.0], [0.0, 0.0])
    np.testing.assert_array_equal(index.temperature_k, [300.0, math.nan])
    assert index.remarks == (f"{path}: several temperatures, those nearest to 293.15 K are used",)


# Real tables


@pytest.mark.parametrize("percent", [10, 20, 50, 80, 95])
def test_ideal_lambertian_tables_give_rho_times_cosine(real_data, percent):
    name = f"polymer_lambertian_{percent}_pc_lidar_brdf.xompt"
    table = read_brdf(real_data / PERSIVAL / name)
    (curve,) = table.curves
    np.testing.assert_allclose(curve.angle_deg, TENS, atol=1e-4)
    expected = percent / 100 * np.cos(np.radians(curve.angle_deg))
    np.testing.assert_allclose(table.reflectivity(curve.angle_deg, 905), expected, atol=1e-4)
    assert table.remarks == ()


def test_ideal_mirror_returns_at_the_perpendicular_only(real_data):
    table = read_brdf(real_data / PERSIVAL / "ideal_specular_lidar_brdf.xompt")
    values = table.reflectivity(np.arange(0.0, 90.5, 0.5), 905)
    assert values[0] == pytest.approx(math.pi * 198448.3946)
    assert not values[1:].any()


def test_ideal_retroreflector_returns_at_every_angle(real_data):
    table = read_brdf(real_data / PERSIVAL / "ideal_retroreflector_lidar_brdf.xompt")
    (curve,) = table.curves
    assert table.angle_range_deg == (0.0, 85.5)
    peak = math.pi * 98192.4  # the table's f is this over pi and the cosine
    np.testing.assert_allclose(table.reflectivity(curve.angle_deg, 905), peak, rtol=1e-4)
    between = table.reflectivity(np.arange(0.0, 81.0), 905)
    np.testing.assert_allclose(between, peak, rtol=0.05)  # straight lines of 1 / cos
