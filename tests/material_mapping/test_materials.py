# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Materials: Lambert's law, tables, classes, and the honesty of the built-in data."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from material_mapping import (
    MaterialEntry,
    MaterialError,
    MaterialTable,
    UnknownMaterialError,
    builtin_materials,
    kernels,
)
from material_mapping.classes import ABSORBENT, GENERAL, GLASS, MIRROR, RETROREFLECTIVE, TRANSPARENT
from material_mapping.response import Lookup, Tabulated

NAMES = list(builtin_materials())
TABLE = MaterialTable.build(builtin_materials().values())
WAVELENGTHS_NM = (850.0, 905.0, 945.0, 1550.0)


def cos_deg(angle_deg):
    return math.cos(math.radians(angle_deg))


def entry_of(curve, *, wavelength_nm=905.0, **entry):
    response = None if curve is None else Tabulated(curves={wavelength_nm: curve})
    return MaterialEntry(name="test", response=response, **entry)


def table_of(curve):
    return MaterialTable.build([entry_of(curve)])


def test_lambert_reflectivity_is_exactly_half_at_60_degrees():
    # Lambert's law R(theta) = R(0) cos(theta); R(0) is float32, 0.5 is exact
    assert TABLE.reflectivity(TABLE.id_of("lambertian_50"), [1.0, 0.5]).tolist() == [0.5, 0.25]


@settings(deadline=None)  # the first example compiles the kernels
@given(reflectance=st.floats(0.0, 2.0, width=32), cosine=st.floats(0.0, 1.0))
def test_lambert_law_holds_at_every_angle(reflectance, cosine):
    reflectivity = table_of(reflectance).reflectivity(0, cosine)
    assert float(reflectivity) == float(np.float32(reflectance * cosine))


def test_tabulated_material_is_linear_between_angles_and_falls_to_zero_at_90():
    table = table_of(((10.0, 0.8), (30.0, 0.4), (80.0, 0.2)))
    angles_deg = [0.0, 10.0, 15.5, 20.0, 30.0, 55.0, 80.0, 85.0, 89.999]
    # held at 0.8 below 10 deg; 15.5 deg: 0.8 - 5.5 * 0.02; 85 deg: half of 0.2
    expected = [0.8, 0.8, 0.69, 0.6, 0.4, 0.3, 0.2, 0.1, 0.0]
    cosines = [cos_deg(angle) for angle in angles_deg]
    assert table.reflectivity(0, cosines) == pytest.approx(expected, abs=3e-5)


def test_table_up_to_90_degrees_keeps_its_last_value():
    table = table_of(((0.0, 0.5), (90.0, 0.5)))
    assert table.reflectivity(0, [1.0, 0.3, 1e-6]) == pytest.approx([0.5, 0.5, 0.5])


@pytest.mark.parametrize("name", ["lambertian_50", "car_paint_silver"])
def test_nothing_comes_back_from_behind_or_at_grazing_incidence(name):
    cosines = [0.0, -0.0, -1.0, math.nan]
    assert TABLE.reflectivity(TABLE.id_of(name), cosines).tolist() == [0.0] * 4


@pytest.mark.parametrize("name", ["lambertian_50", "car_paint_silver"])
def test_cosine_that_rounding_put_above_one_counts_as_one(name):
    reflectivity = TABLE.reflectivity(TABLE.id_of(name), [1.0 + 1e-6, 1.0])
    assert reflectivity[0] == reflectivity[1] > 0.0


@settings(deadline=None)
@given(name=st.sampled_from(NAMES), cosine=st.floats(-1.0, 1.0))
def test_scalar_kernel_and_array_face_give_the_same_bits(name, cosine):
    row = TABLE.id_of(name)
    scalar = kernels.reflectivity_at(TABLE.reflectance, TABLE.lookup, row, cosine)
    assert float(TABLE.reflectivity(row, cosine)) == float(np.float32(scalar))


@settings(deadline=None)
@given(name=st.sampled_from(NAMES), cosine=st.floats(0.001, 1.0))
def test_reflectivity_follows_the_entry_it_was_built_from(name, cosine):
    entry = builtin_materials()[name]
    if not entry.reflects or entry.lookup is Lookup.MATT:
        at_grazing = float(entry.reflectivity()[-1])
        expected = entry.normal_reflectance() * cosine + at_grazing * (1.0 - cosine**2)
    else:
        (curve,) = entry.response.curves.values()
        angles_deg, values = zip(*curve, (90.0, 0.0), strict=True)
        expected = np.interp(math.degrees(math.acos(cosine)), angles_deg, values)
    # whole-degree sampling of a table whose corners are whole degrees loses float32 rounding only
    assert float(TABLE.reflectivity(TABLE.id_of(name), cosine)) == pytest.approx(
        expected, rel=1e-5, abs=1e-5 * entry.normal_reflectance()
    )


def test_ids_and_cosines_are_broadcast():
    ids = np.array([TABLE.id_of("lambertian_10"), TABLE.id_of("lambertian_80")])
    reflectivity = TABLE.reflectivity(ids[:, None], [1.0, 0.5])
    assert reflectivity == pytest.approx(np.array([[0.1, 0.05], [0.8, 0.4]]))
    assert reflectivity.dtype == np.float32


def test_kernels_get_no_view_of_broadcast_arrays(monkeypatch):
    """Numba looks whether an array can be written, at which numpy warns of such a view."""

    def look(_reflectance, _lookup, ids, cosines, _reflectivity):
        assert ids.flags.writeable
        assert cosines.flags.writeable

    monkeypatch.setattr(kernels, "reflectivity_of", look)
    TABLE.reflectivity(0, [1.0])


def test_table_columns_have_the_stated_shapes_and_cannot_be_written():
    n_material = len(NAMES)
    assert TABLE.names == tuple(NAMES)
    for column in (TABLE.reflectance, TABLE.transmittance):
        assert (column.dtype, column.shape) == (np.float32, (n_material, 91))
    assert (TABLE.lookup.dtype, TABLE.lookup.shape) == (np.uint8, (n_material,))
    for column in (TABLE.reflectance, TABLE.transmittance, TABLE.lookup):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


@pytest.mark.parametrize("has_textures", [True, False])
def test_copies_of_rows_lie_below_all_others(has_textures):
    names = [name for name in NAMES if has_textures or builtin_materials()[name].texture is None]
    table = MaterialTable.build([builtin_materials()[name] for name in names])
    rows = np.array([3, 0, 3])
    more, n = table.with_copies(rows), len(names)
    assert more.names == (*names, names[3], names[0], names[3])
    assert len(more.texture) == (n + 3 if len(table.texture) else 0)
    assert (len(table.texture) > 0) == has_textures
    for name in ("reflectance", "transmittance", "behind", "lookup", "least_passed", "ghost"):
        own, both = getattr(table, name), getattr(more, name)
        np.testing.assert_array_equal(both, np.concatenate([own, own[rows]]))
        assert both.flags.writeable == own.flags.writeable  # or kernels compile once more


def test_unknown_material_proposes_the_nearest():
    with pytest.raises(UnknownMaterialError, match=r"'car_paint_rde'.*'car_paint_red'"):
        TABLE.id_of("car_paint_rde")


@pytest.mark.parametrize("row", [-1, len(NAMES)])
def test_id_outside_the_table_is_refused(row):
    with pytest.raises(MaterialError, match=f"expected 0..{len(NAMES) - 1}"):
        TABLE.reflectivity(row, 1.0)


@pytest.mark.parametrize("name", NAMES)
def test_builtin_material_states_source_uncertainty_and_terms(name):
    entry = builtin_materials()[name]
    assert entry.name == name
    assert re.fullmatch(r"[a-z][a-z0-9_]*", name)
    for text in (entry.source, entry.uncertainty, entry.licence):
        assert len(text) > 3
        assert text != "not stated"


@pytest.mark.parametrize("name", NAMES)
def test_builtin_material_reflects_as_its_class_allows(name):
    entry, row = builtin_materials()[name], TABLE.id_of(name)
    back, on = TABLE.reflectance[row].max(), TABLE.mirrored[row].max()
    peak = float(max(back, on))
    assert (on > 0.0) == (entry.material_class is MIRROR)
    assert (peak > 0.0) == entry.reflects
    if entry.material_class is RETROREFLECTIVE:
        assert peak > 1.0
    else:
        assert peak <= 2.0


@pytest.mark.parametrize(
    ("name", "material_class"),
    [
        ("glass", TRANSPARENT),
        ("transparent", TRANSPARENT),
        ("glass_pane", GLASS),
        ("absorber", ABSORBENT),
        ("water", ABSORBENT),
        ("ice", ABSORBENT),
        ("sign_sheeting", RETROREFLECTIVE),
        ("licence_plate", RETROREFLECTIVE),
        ("mirror", MIRROR),
        ("chrome", GENERAL),
        ("glass_frosted", GENERAL),
        ("asphalt_worn", GENERAL),
    ],
)
def test_builtin_material_has_the_class_of_its_kind(name, material_class):
    assert builtin_materials()[name].material_class is material_class


def knows_all_wavelengths(entry):
    return all(entry.known_at_nm(nm) == nm for nm in WAVELENGTHS_NM)


def test_sixty_reflectances_are_known_at_four_wavelengths():
    reflecting = [entry for entry in builtin_materials().values() if entry.reflects]
    assert sum(map(knows_all_wavelengths, reflecting)) >= 60


@pytest.mark.parametrize("name", NAMES)
def test_builtin_material_says_where_only_one_wavelength_or_angle_is_known(name):
    entry = builtin_materials()[name]
    if not entry.reflects or entry.source.startswith("definition"):
        assert entry.wavelength_range_nm[0] <= 200.0
        return
    if not knows_all_wavelengths(entry):
        (wavelength_nm,) = entry.response.curves
        assert re.search(f"(one wavelength \\(|taken as ){wavelength_nm:g} nm", entry.note)
    if entry.lookup is Lookup.MATT:
        assert "angle" in entry.note


@pytest.mark.parametrize("percent", [10, 20, 50, 80, 95, 100])
@pytest.mark.parametrize("wavelength_nm", [350.0, 905.0, 1550.0, 2500.0])
def test_calibration_targets_are_exact_at_every_wavelength(percent, wavelength_nm):
    target = builtin_materials()[f"lambertian_{percent}"]
    assert target.known_at_nm(wavelength_nm) == wavelength_nm
    assert target.normal_reflectance(wavelength_nm) == np.float32(percent / 100)


def test_window_pane_lets_pass_what_fresnel_leaves_there_and_back():
    # n = 1.5152 at 905 nm: F = (0.5152 / 2.5152)^2 = 0.0420, (1 - F) / (1 + F) = 0.9195
    pane = TABLE.transmittance[TABLE.id_of("glass_pane")]
    mirrored = (0.5152 / 2.5152) ** 2
    assert pane[0] == pytest.approx(((1 - mirrored) / (1 + mirrored)) ** 2, rel=1e-6)
    by_ideal_sensors = builtin_materials()["glass_pane"].transmittance()
    assert np.flatnonzero(by_ideal_sensors)[-1] == 78
    np.testing.assert_array_equal(by_ideal_sensors[:79], pane[:79])
    assert not TABLE.reflectance[TABLE.id_of("glass_pane")].any()


@pytest.mark.parametrize("wavelength_nm", WAVELENGTHS_NM)
def test_index_of_the_window_pane_follows_the_published_formula(wavelength_nm):
    length_um = wavelength_nm / 1000.0
    expected = 1.5130 - 0.003169 * length_um**2 + 0.003962 / length_um**2
    index = builtin_materials()["glass_pane"].refractive_index(wavelength_nm)
    assert index.real == pytest.approx(expected, abs=6e-5)
    assert index.imag == 0.0


def test_sign_sheeting_follows_from_its_coefficient_of_retroreflection():
    # R = pi R_A / cos(theta), docs/explanation/materials.md; ASTM D4956 type I: 70 at 4 deg, 30
    # at 30 deg
    row = TABLE.id_of("sign_sheeting")
    assert TABLE.reflectance[row, 4] == pytest.approx(math.pi * 70 / cos_deg(4), rel=0.01)
    assert TABLE.reflectance[row, 30] == pytest.approx(math.pi * 30 / cos_deg(30), rel=0.01)


def samples_of(entry):
    """Return the spectra that an entry names: ``ECOSTRESS: a, b; what they are``."""
    reference, _, details = entry.source.partition(": ")
    return details.split(";")[0].split(", ") if reference == "ECOSTRESS" else []


MEASURED = [name for name in NAMES if samples_of(builtin_materials()[name])]


def reflectances(path, wavelengths_nm):
    """Return the reflectances [1] of an ECOSTRESS spectrum at some wavelengths."""
    lines = path.read_text(encoding="latin-1").splitlines()[21:]
    spectrum = np.array([line.split() for line in lines if line.strip()], np.float64)
    spectrum = spectrum[np.argsort(spectrum[:, 0])]
    return np.interp(np.array(wavelengths_nm) / 1000.0, spectrum[:, 0], spectrum[:, 1]) / 100.0


@pytest.fixture(scope="module")
def spectra(real_data):
    """Files of the library that reach the wavelengths of lidars."""
    folder = real_data / "ecostress"
    return [path for path in sorted(folder.glob("*.spectrum.txt")) if ".tir." not in path.name]


def mean_spectrum(entry, spectra, wavelengths_nm):
    """Return the mean of the spectra that an entry names, at some wavelengths."""
    found = []
    for sample in samples_of(entry):
        paths = [path for path in spectra if f".{sample}." in path.name]
        if not paths:
            pytest.skip(f"spectrum {sample} not found")
        (path,) = paths  # a name tells one spectrum from all others
        found.append(reflectances(path, wavelengths_nm))
    return np.mean(found, axis=0)


@pytest.mark.parametrize("name", MEASURED)
def test_builtin_values_are_the_means_of_the_spectra_they_name(name, spectra):
    entry = builtin_materials()[name]
    expected = mean_spectrum(entry, spectra, WAVELENGTHS_NM)
    if entry.reflects:
        values = [entry.normal_reflectance(nm) for nm in WAVELENGTHS_NM]
        assert values == pytest.approx(expected, abs=0.001)
    else:
        stated = [float(text) for text in re.findall(r"0\.\d+", entry.source)]
        assert stated == pytest.approx([expected[1]], abs=0.001)


@pytest.mark.parametrize("name", [name for name in MEASURED if builtin_materials()[name].reflects])
def test_builtin_values_follow_the_spectra_through_their_absorption_bands(name, spectra):
    entry, wavelengths_nm = builtin_materials()[name], np.arange(945.0, 1551.0)
    expected = mean_spectrum(entry, spectra, wavelengths_nm)
    values = np.array([entry.normal_reflectance(nm) for nm in wavelengths_nm])
    rounding = 1e-5 + 1e-3 * expected
    assert (np.abs(values - expected) <= np.minimum(0.01, 0.05 * expected) + rounding).all()


def test_snow_and_leaves_are_dark_where_ice_and_water_absorb():
    # interpolated between 945 and 1550 nm, snow would have 0.18 at 1450 nm, and leaves 0.31
    snow, leaves = builtin_materials()["snow"], builtin_materials()["leaves"]
    assert snow.known_at_nm(1450.0) == leaves.known_at_nm(1450.0) == 1450.0
    assert snow.normal_reflectance(1450.0) == pytest.approx(0.095, abs=0.005)
    assert snow.normal_reflectance(1500.0) == pytest.approx(0.045, abs=0.005)
    assert leaves.normal_reflectance(1450.0) == pytest.approx(0.20, abs=0.01)


@pytest.mark.parametrize("name", NAMES)
def test_no_builtin_material_is_interpolated_across_a_band_that_its_values_miss(name):
    entry = builtin_materials()[name]
    if isinstance(entry.response, Tabulated) and len(entry.response.curves) > 1:
        assert entry.response.bands_resolved


@pytest.mark.parametrize(
    ("curve", "words"),
    [
        (35.0, "expected a fraction"),
        (-0.1, "expected 0 or more"),
        (math.nan, "expected 0 or more"),
        ((), "expected increasing angles"),
        (((10.0, 0.1), (10.0, 0.2)), "expected increasing angles"),
        (((0.0, 0.1), (91.0, 0.2)), "expected 0 to 90"),
    ],
)
def test_impossible_reflectance_is_refused_in_one_line(curve, words):
    with pytest.raises(MaterialError) as caught:
        entry_of(curve)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("curve", "material_class", "words"),
    [
        (0.5, ABSORBENT, "takes no reflectance"),
        (0.5, GLASS, "takes no reflectance"),
        (None, GENERAL, "reflectance is missing"),
        (None, GLASS, "needs a refractive_index"),
    ],
)
def test_material_lacks_or_has_what_its_class_does_not(curve, material_class, words):
    with pytest.raises(MaterialError, match=words):
        entry_of(curve, material_class=material_class)
