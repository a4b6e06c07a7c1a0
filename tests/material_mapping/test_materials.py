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
    MaterialClass,
    MaterialEntry,
    MaterialError,
    MaterialTable,
    UnknownMaterialError,
    builtin_materials,
    kernels,
)

NAMES = list(builtin_materials())
TABLE = MaterialTable.build(builtin_materials().values())


def cos_deg(angle_deg):
    return math.cos(math.radians(angle_deg))


def table_of(**entry):
    return MaterialTable.build([MaterialEntry(name="test", **entry)])


def test_lambert_reflectivity_is_exactly_half_at_60_degrees():
    # Lambert's law R(theta) = R(0) cos(theta); R(0) is float32, 0.5 is exact
    assert TABLE.reflectivity(TABLE.id_of("lambertian_50"), [1.0, 0.5]).tolist() == [0.5, 0.25]


@settings(deadline=None)  # the first example compiles the kernels
@given(reflectance=st.floats(0.0, 2.0, width=32), cosine=st.floats(0.0, 1.0))
def test_lambert_law_holds_at_every_angle(reflectance, cosine):
    reflectivity = table_of(reflectance=reflectance).reflectivity(0, cosine)
    assert float(reflectivity) == float(np.float32(reflectance * cosine))


def test_tabulated_material_is_linear_between_angles_and_falls_to_zero_at_90():
    table = table_of(reflectance=((10.0, 0.8), (30.0, 0.4), (80.0, 0.2)))
    angles_deg = [0.0, 10.0, 15.5, 20.0, 30.0, 55.0, 80.0, 85.0, 89.999]
    # held at 0.8 below 10 deg; 15.5 deg: 0.8 - 5.5 * 0.02; 85 deg: half of 0.2
    expected = [0.8, 0.8, 0.69, 0.6, 0.4, 0.3, 0.2, 0.1, 0.0]
    cosines = [cos_deg(angle) for angle in angles_deg]
    assert table.reflectivity(0, cosines) == pytest.approx(expected, abs=3e-5)


def test_table_up_to_90_degrees_keeps_its_last_value():
    table = table_of(reflectance=((0.0, 0.5), (90.0, 0.5)))
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
    scalar = kernels.reflectivity_at(TABLE.reflectance, TABLE.lambertian, row, cosine)
    assert float(TABLE.reflectivity(row, cosine)) == float(np.float32(scalar))


@settings(deadline=None)
@given(name=st.sampled_from(NAMES), cosine=st.floats(0.001, 1.0))
def test_reflectivity_follows_the_entry_it_was_built_from(name, cosine):
    entry = builtin_materials()[name]
    if entry.lambertian:
        expected = entry.normal_reflectance() * cosine
    else:
        angles_deg, values = zip(*entry.reflectance, (90.0, 0.0), strict=True)
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


def test_table_columns_have_the_stated_shapes_and_cannot_be_written():
    n_material = len(NAMES)
    assert TABLE.names == tuple(NAMES)
    assert (TABLE.reflectance.dtype, TABLE.reflectance.shape) == (np.float32, (n_material, 91))
    assert (TABLE.lambertian.dtype, TABLE.lambertian.shape) == (np.bool_, (n_material,))
    assert (TABLE.material_class.dtype, TABLE.material_class.shape) == (np.uint8, (n_material,))
    for column in (TABLE.reflectance, TABLE.lambertian, TABLE.material_class):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


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
    assert 850.0 <= entry.wavelength_nm <= 960.0


@pytest.mark.parametrize("name", NAMES)
def test_builtin_material_reflects_as_its_class_allows(name):
    entry, row = builtin_materials()[name], TABLE.id_of(name)
    peak = float(TABLE.reflectance[row].max())
    assert TABLE.material_class[row] == entry.material_class
    assert (peak > 0.0) == entry.reflects
    if entry.material_class is MaterialClass.RETROREFLECTIVE:
        assert peak > 1.0
    else:
        assert peak <= 2.0


@pytest.mark.parametrize(
    ("name", "material_class"),
    [
        ("glass", MaterialClass.TRANSPARENT),
        ("transparent", MaterialClass.TRANSPARENT),
        ("absorber", MaterialClass.ABSORBENT),
        ("water", MaterialClass.ABSORBENT),
        ("sign_sheeting", MaterialClass.RETROREFLECTIVE),
        ("licence_plate", MaterialClass.RETROREFLECTIVE),
        ("glass_frosted", MaterialClass.GENERAL),
        ("asphalt_worn", MaterialClass.GENERAL),
    ],
)
def test_builtin_material_has_the_class_of_its_kind(name, material_class):
    assert builtin_materials()[name].material_class is material_class


@pytest.mark.parametrize("percent", [10, 20, 50, 80, 95, 100])
def test_calibration_targets_are_exact(percent):
    assert builtin_materials()[f"lambertian_{percent}"].reflectance == percent / 100


def test_sign_sheeting_follows_from_its_coefficient_of_retroreflection():
    # R = pi R_A / cos(theta), docs/materials.md; ASTM D4956 type I: 70 at 4 deg, 30 at 30 deg
    row = TABLE.id_of("sign_sheeting")
    assert TABLE.reflectance[row, 4] == pytest.approx(math.pi * 70 / cos_deg(4), rel=0.01)
    assert TABLE.reflectance[row, 30] == pytest.approx(math.pi * 30 / cos_deg(30), rel=0.01)


ECOSTRESS_SAMPLES = {
    "asphalt_worn": ["0095uuuasp", "0096uuuasp"],
    "concrete": ["0092uuu_cnc", "0424uuucnc", "0598uuucnc"],
    "car_paint_black": ["0402uuupnt", "0405uuupnt", "0406uuupnt"],
    "rubber_black": ["0833uuurbr"],
    "aluminium": ["0384uuualm"],
    "wood": ["0404uuuwod", "0410uuuwod"],
    "leaves": ["acru-1-13", "bele-1-55", "bele-1-57", "fagr-1-39", "jpl110", "jpl178"],
    "grass": ["vh350", "vh352", "vh353"],
    "snow": ["fine_snw_", "coarse_snw_"],
}


def reflectance_at_905_nm(path):
    """Return the reflectance [1] of an ECOSTRESS spectrum, interpolated at 0.905 um."""
    lines = path.read_text(encoding="latin-1").splitlines()[21:]
    spectrum = np.array([line.split() for line in lines if line.strip()], np.float64)
    spectrum = spectrum[np.argsort(spectrum[:, 0])]
    return np.interp(0.905, spectrum[:, 0], spectrum[:, 1]) / 100.0


@pytest.mark.parametrize("name", ECOSTRESS_SAMPLES)
def test_builtin_value_is_the_mean_of_the_spectra_it_names(name, real_data):
    values = []
    for sample in ECOSTRESS_SAMPLES[name]:
        paths = [p for p in (real_data / "ecostress").iterdir() if f".{sample}." in p.name]
        if not paths:
            pytest.skip(f"spectrum {sample} not found")
        values.append(reflectance_at_905_nm(paths[0]))
    # the file gives two to three digits
    assert builtin_materials()[name].reflectance == pytest.approx(np.mean(values), abs=0.006)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"reflectance": 35.0}, "expected a fraction"),
        ({"reflectance": -0.1}, "expected 0 or more"),
        ({"reflectance": math.nan}, "expected 0 or more"),
        ({"reflectance": ()}, "expected increasing angles"),
        ({"reflectance": ((10.0, 0.1), (10.0, 0.2))}, "expected increasing angles"),
        ({"reflectance": ((0.0, 0.1), (91.0, 0.2))}, "expected 0 to 90"),
        ({"reflectance": 0.5, "wavelength_nm": 0.0}, "wavelength 0 nm"),
        ({"reflectance": 0.5, "material_class": MaterialClass.ABSORBENT}, "has no reflectance"),
    ],
)
def test_impossible_material_is_refused_in_one_line(entry, words):
    with pytest.raises(MaterialError) as caught:
        MaterialEntry(name="test", **entry)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
