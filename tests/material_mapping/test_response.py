# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What surfaces send back: curves by wavelength and angle, bins, and the table's look-up."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from material_mapping import MaterialEntry, MaterialTable, WavelengthError, open_database
from material_mapping.bands import band_between
from material_mapping.optics.reflection import oren_nayar, reflectivity
from material_mapping.response import (
    DEGREES,
    Lookup,
    Modelled,
    Spectral,
    Tabulated,
    curve_at,
    rough_fall,
)

EDGES_DEG = (0.0, 9.99, 10.0, 79.9, 80.0, 89.9)
PERCENT = (107.7, 111.8, 112.3, 108.2, 105.6, 100.5, 91.7, 83.5, 63.9)


def entry_of(*, bands_resolved=False, **curves):
    """Return an entry of curves by wavelength, given as nm905=..."""
    by_wavelength = {float(name.removeprefix("nm")): curve for name, curve in curves.items()}
    response = Tabulated(curves=by_wavelength, bands_resolved=bands_resolved)
    return MaterialEntry(name="test", response=response)


def cosine(angle_deg, dtype=np.float64):
    """Return the cosine that a hit of this precision has."""
    return dtype(math.cos(math.radians(angle_deg)))


def write_curve(folder, *, reflectance_first=False):
    """Write a curve in the layout of the 945 nm dataset."""
    rows = [(10 * row, value) for row, value in enumerate(PERCENT)]
    header = "angle_deg reflectance_percent"
    if reflectance_first:
        rows = [(value, angle) for angle, value in rows]
        header = "reflectance_percent angle_deg"
    lines = [header, *(f"{first} {second}" for first, second in rows)]
    (folder / "marking_1.txt").write_text("\n".join(lines) + "\n")


def looked_up(folder, angles_deg, dtype=np.float64, **options):
    """Return the table's reflectivity of the curve at angles of incidence."""
    entry = open_database(folder, kind="tof945", **options).get("marking_1")
    table = MaterialTable.build([entry], 945.0)
    return table.reflectivity(0, [cosine(angle, dtype) for angle in angles_deg])


def test_values_between_two_wavelengths_lie_on_a_straight_line():
    entry = entry_of(nm850=0.2, nm1550=0.9, bands_resolved=True)
    found = [entry.normal_reflectance(nm) for nm in (850.0, 905.0, 1200.0, 1550.0)]
    assert found == pytest.approx([0.2, 0.2 + 0.7 * 55 / 700, 0.55, 0.9])


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [
        (865.0, 865.0),  # 850 and 905 nm have no band between them
        (1300.0, 1550.0),
        (1227.5, 905.0),
        (1000.0, 905.0),
        (1575.0, 1575.0),  # 1550 and 1600 nm are close
    ],
)
def test_values_are_not_interpolated_across_an_absorption_band(wanted, taken):
    entry = entry_of(nm850=0.2, nm905=0.3, nm1550=0.9, nm1600=0.8)
    assert entry.known_at_nm(wanted) == taken
    expected = np.interp(taken, [850.0, 905.0, 1550.0, 1600.0], [0.2, 0.3, 0.9, 0.8])
    assert entry.normal_reflectance(wanted) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("one", "other", "absorber"),
    [
        (905.0, 945.0, None),
        (850.0, 945.0, None),
        (945.0, 995.0, None),
        (945.0, 996.0, "water"),
        (1550.0, 1450.0, "water"),
        (1550.0, 1700.0, None),
        (800.0, 600.0, "chlorophyll"),
        (1000.0, 1100.0, "ice"),
    ],
)
def test_absorption_bands_lie_between_wavelengths_that_are_not_close(one, other, absorber):
    found = band_between(one, other)
    assert (found and found.absorber) == absorber
    assert band_between(other, one) == found


@pytest.mark.parametrize(("wanted", "taken"), [(400.0, 850.0), (3000.0, 1550.0), (870.0, 850.0)])
def test_beyond_the_known_wavelengths_the_nearest_one_stands_in(wanted, taken):
    entry = entry_of(nm850=0.2, nm1550=0.9)
    assert entry.known_at_nm(wanted) == taken
    assert entry.normal_reflectance(wanted) == entry.normal_reflectance(taken)


def test_a_number_at_one_wavelength_and_pairs_at_another_are_mixed_angle_by_angle():
    entry = entry_of(nm850=0.4, nm950=((0.0, 0.8), (60.0, 0.8)))
    assert entry.lookup == Lookup.LINEAR
    row = entry.reflectivity(900.0)
    assert row[[0, 60]] == pytest.approx([0.5 * (0.4 + 0.8), 0.5 * (0.2 + 0.8)])
    assert entry.response.last_angle_deg == 60.0


def test_numbers_alone_are_lambertian_and_keep_the_exact_cosine():
    entry = entry_of(nm850=0.2, nm1550=0.9)
    assert entry.lookup == Lookup.MATT
    table = MaterialTable.build([entry], 905.0)
    expected = np.float32(np.float64(entry.reflectivity(905.0)[0]) * 0.123456)
    assert table.reflectivity(0, 0.123456) == expected


def test_pairs_hold_below_the_first_angle_and_fall_to_zero_at_90_after_the_last():
    curve = ((10.0, 0.8), (30.0, 0.4), (80.0, 0.2))
    angles_deg = np.array([0.0, 10.0, 20.0, 30.0, 80.0, 85.0, 90.0])
    assert curve_at(curve, angles_deg) == pytest.approx([0.8, 0.8, 0.6, 0.4, 0.2, 0.1, 0.0])


@settings(deadline=None)
@given(rho=st.floats(0.0, 2.0), angle_deg=st.floats(0.0, 89.99))
def test_a_number_falls_with_the_cosine(rho, angle_deg):
    found = curve_at(rho, np.array([angle_deg]))
    assert found == pytest.approx(rho * math.cos(math.radians(angle_deg)), abs=1e-12)


def test_a_spectrum_refuses_what_it_does_not_cover_and_names_its_range():
    spectral = Spectral(name="sea", at=lambda _nm: 0.1, wavelength_range_nm=(2080.0, 14_000.0))
    with pytest.raises(WavelengthError, match=r"^sea: no value at 905 nm.* 2080 to 14000 nm$"):
        spectral.reflectivity(DEGREES, 905.0)
    assert spectral.reflectivity(DEGREES, 2080.0)[0] == pytest.approx(0.1)


@pytest.mark.parametrize("nearest", [True, False])
def test_a_model_lets_its_nearest_wavelength_stand_in_only_where_it_says_so(nearest):
    asked = []

    def model(angle_deg, wavelength_nm):
        asked.append(wavelength_nm)
        return np.zeros_like(angle_deg)

    modelled = Modelled(
        name="m", function=model, wavelength_range_nm=(945.0, 945.0), nearest=nearest
    )
    if nearest:
        modelled.reflectivity(DEGREES, 905.0)
        assert asked == [945.0]
    else:
        with pytest.raises(WavelengthError, match="m: no value at 905 nm"):
            modelled.reflectivity(DEGREES, 905.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("lookup", "expected"),
    [
        # floor: nine bins that cover 0 to 90
        ("floor", (107.7, 107.7, 111.8, 83.5, 63.9, 63.9)),
        # nearest: bins begin half way, and the last one reaches to 90
        ("nearest", (107.7, 111.8, 111.8, 63.9, 63.9, 63.9)),
        # linear: from 80 deg straight to 0 at 90
        ("linear", (107.7, 111.7959, 111.8, 64.096, 63.9, 0.639)),
    ],
)
def test_the_edges_of_the_bins_fall_as_stated(tmp_path, lookup, expected, dtype):
    write_curve(tmp_path)
    found = looked_up(tmp_path, EDGES_DEG, dtype, lookup=lookup)
    # linear: what float32 cosines leave of an angle, steepest beyond 80 deg
    tolerance = 1e-5 if lookup == "linear" else 1e-6
    np.testing.assert_allclose(100.0 * found, expected, rtol=tolerance, atol=100.0 * tolerance)


@pytest.mark.parametrize("reflectance_first", [False, True])
def test_digitised_curves_come_back_exactly_in_both_column_orders(tmp_path, reflectance_first):
    write_curve(tmp_path, reflectance_first=reflectance_first)
    for lookup in ("floor", "nearest", "linear"):
        found = looked_up(tmp_path, range(0, 90, 10), np.float32, lookup=lookup)
        # linear: half of float32's step beside a cosine of 0.985 is 2e-5 deg, of 0.4 % per degree
        tolerance = 3e-6 if lookup == "linear" else 0.0
        np.testing.assert_allclose(found, np.float32(PERCENT) / np.float32(100), rtol=tolerance)


def test_every_whole_degree_is_in_the_bin_that_it_begins_however_its_cosine_was_rounded(tmp_path):
    write_curve(tmp_path)
    expected = np.repeat(np.float32(PERCENT) / np.float32(100), 10)
    for degree in range(10, 90):
        exact = cosine(degree, np.float32)
        around = [np.nextafter(exact, np.float32(2)), exact, np.nextafter(exact, np.float32(-2))]
        entry = open_database(tmp_path, kind="tof945").get("marking_1")
        found = MaterialTable.build([entry], 945.0).reflectivity(0, around)
        assert found.tolist() == [expected[degree]] * 3, degree


@pytest.mark.parametrize("lookup", ["floor", "nearest"])
@pytest.mark.parametrize("angle_deg", EDGES_DEG)
def test_values_without_the_cosine_get_that_of_the_hit(tmp_path, lookup, angle_deg):
    write_curve(tmp_path)
    included = looked_up(tmp_path, [angle_deg], lookup=lookup)
    found = looked_up(tmp_path, [angle_deg], lookup=lookup, cosine="excluded")
    assert found == pytest.approx(included * cosine(angle_deg), rel=1e-5)


def test_a_linear_curve_without_the_cosine_gets_it_to_the_table_s_fineness(tmp_path):
    write_curve(tmp_path)
    angles_deg = [0.0, 9.99, 45.5, 79.9]
    included = looked_up(tmp_path, angles_deg, lookup="linear")
    found = looked_up(tmp_path, angles_deg, lookup="linear", cosine="excluded")
    # a chord over one degree lies at most (1 deg)^2 / 8 = 4e-5 below a cosine
    expected = included * [cosine(angle) for angle in angles_deg]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("lookup", ["floor", "nearest", "linear"])
def test_nothing_comes_back_from_behind_whatever_the_lookup(tmp_path, lookup):
    write_curve(tmp_path)
    entry = open_database(tmp_path, kind="tof945", lookup=lookup).get("marking_1")
    table = MaterialTable.build([entry], 945.0)
    assert table.reflectivity(0, [0.0, -0.5, math.nan]).tolist() == [0.0] * 3
    assert entry.response.last_angle_deg == 80.0


@pytest.mark.parametrize("roughness_deg", [1.0, 17.0, 45.0, 90.0])
def test_a_rough_surface_falls_as_the_model_of_oren_and_nayar(roughness_deg):
    roughness_rad = math.radians(roughness_deg)
    entry = MaterialEntry(
        name="rough", response=Tabulated(curves={905.0: 0.3}, roughness_rad=roughness_rad)
    )
    assert entry.lookup == Lookup.MATT
    theta = np.radians(DEGREES)
    model = reflectivity(oren_nayar, theta, reflectance=0.5, roughness_rad=roughness_rad)
    assert entry.reflectivity() == pytest.approx(0.3 * model / model[0], rel=1e-6)


def test_walls_of_a_real_hall_fall_as_a_surface_with_a_roughness_of_17_degrees():
    # signal of a real OS0-64 over incidence, 1 at 12 deg; Lambert's law is 0.18 off at 62 deg
    measured = {22: 0.96, 32: 0.94, 42: 0.88, 52: 0.78, 62: 0.65}
    found = rough_fall(np.array([12.0, *measured]), math.radians(17.0))
    assert found[1:] / found[0] == pytest.approx(list(measured.values()), abs=0.03)
