# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflection models in mapping tables: values known by hand, wavelengths, and bad keys."""

import math

import numpy as np
import pytest

from material_mapping import (
    MappingError,
    MaterialResolver,
    MaterialTable,
    builtin_materials,
    load_mapping,
)
from material_mapping.optics.microfacet import coated, ggx
from material_mapping.optics.reflection import reflectivity
from material_mapping.response import DEGREES, Lookup
from material_mapping.yaml_models import MODELS
from tests.material_mapping.mapping.visuals import Named

THETA_RAD = np.radians(DEGREES[:-1])
MATT = np.cos(THETA_RAD)


@pytest.fixture
def entry(tmp_path):
    """Return a function that gives the material of a definition, from a mapping file."""

    def read(model, extra=""):
        path = tmp_path / "map.yaml"
        path.write_text(f"materials: {{A: x}}\ndefine:\n  x: {{model: {model}{extra}}}\n")
        return load_mapping(path).defined["x"]

    return read


def test_lambert_is_the_ideal_target_of_its_reflectance_at_every_angle(entry):
    own = entry("{kind: lambert, reflectance: 0.5}")
    assert (own.lookup, own.material_class.name) == (Lookup.MATT, "general")
    table = MaterialTable.build([own, builtin_materials()["lambertian_50"]])
    cosines = np.cos(np.radians([0.0, 33.3, 60.0, 89.99]))
    first, second = (table.reflectivity(row, cosines) for row in (0, 1))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(("back_lobe", "beyond"), [("true", 1.0), ("false", 0.0)])
def test_phong_is_helios_s_equation(entry, back_lobe, beyond):
    keys = "reflectance: 0.6, specularity: 0.25, specular_exponent: 20"
    found = entry(f"{{kind: phong, {keys}, back_lobe: {back_lobe}}}").reflectivity()
    lobe = np.abs(np.cos(2.0 * THETA_RAD)) ** 20 * np.where(DEGREES[:-1] < 45, 1.0, beyond)
    np.testing.assert_allclose(found[:-1], 0.6 * (0.75 * MATT + 0.25 * lobe), rtol=1e-6)
    assert found[90] == pytest.approx(0.6 * 0.25 * beyond, abs=1e-12)


def test_oren_nayar_takes_its_roughness_in_degrees(entry):
    found = entry("{kind: oren_nayar, reflectance: 0.6, roughness_deg: 20}").reflectivity()
    variance = math.radians(20.0) ** 2
    a = 1.0 - 0.5 * variance / (variance + 0.33)
    b = 0.45 * variance / (variance + 0.09)
    np.testing.assert_allclose(found[:-1], 0.6 * (a * MATT + b * np.sin(THETA_RAD) ** 2), rtol=1e-6)


def test_ggx_sends_back_the_reflection_of_facets_that_face_the_sensor(entry):
    own = entry("{kind: ggx, roughness: 0.2, n: 1.4, k: 7.6}")
    mirrored = (0.4**2 + 7.6**2) / (2.4**2 + 7.6**2)
    assert own.normal_reflectance() == pytest.approx(mirrored / (4.0 * 0.2**2), rel=1e-6)
    expected = reflectivity(ggx, THETA_RAD, roughness=0.2, n=1.4, k=7.6)
    np.testing.assert_allclose(own.reflectivity(1550.0)[:-1], expected, rtol=1e-6)


def test_a_coat_has_the_index_of_resin_unless_it_is_stated(entry):
    found = entry("{kind: coated, reflectance: 0.2, roughness: 0.3}").reflectivity()
    expected = reflectivity(coated, THETA_RAD, reflectance=0.2, roughness=0.3, n=1.5)
    np.testing.assert_allclose(found[:-1], expected, rtol=1e-6)


def test_sheeting_is_of_its_class_and_follows_from_a_data_sheet_s_value(entry):
    """R = pi R_A / cos(theta) at the stated entrance angle, with R_A brought to no observation."""
    keys = "coefficient_cd_lx_m2: 70, observation_deg: 0.2, entrance_deg: 4"
    own = entry(f"{{kind: retroreflective, {keys}}}")
    assert own.material_class.name == "retroreflective"
    expected = math.pi * 70.0 * math.exp((0.2 / 0.5) ** 2) / math.cos(math.radians(4.0))
    assert own.reflectivity()[4] == pytest.approx(expected, rel=1e-6)
    straight = entry("{kind: retroreflective, coefficient_cd_lx_m2: 70}")
    assert straight.normal_reflectance() == pytest.approx(math.pi * 70.0, rel=1e-6)
    fall_off = entry("{kind: retroreflective, coefficient_cd_lx_m2: 70, fall_off_deg: 30}")
    expected = math.pi * 70.0 / math.e / math.cos(math.radians(30.0))
    assert fall_off.reflectivity()[30] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        "{kind: lambert, reflectance: 0.5}",
        "{kind: phong, reflectance: 0.6, specularity: 0.25, specular_exponent: 20}",
        "{kind: oren_nayar, reflectance: 0.3, roughness_deg: 20}",
        "{kind: ggx, roughness: 0.3, n: 1.5, k: 3}",
        "{kind: coated, reflectance: 0.3, roughness: 0.1}",
        "{kind: retroreflective, coefficient_cd_lx_m2: 100}",
    ],
)
@pytest.mark.parametrize("angle_deg", [20.4, 60.0, 80.0, 86.5, 87.7, 88.5])
def test_a_hit_is_as_bright_as_the_formula_at_its_own_angle(entry, model, angle_deg):
    """Between two rows of the table, too: a straight line is 1.8 % too high there for facets."""
    own = entry(model)
    formula = own.response.reflectivity(np.array([angle_deg]), 905.0)
    found = MaterialTable.build([own]).reflectivity(0, [math.cos(math.radians(angle_deg))])
    np.testing.assert_allclose(found, formula, rtol=2e-3)


@pytest.mark.parametrize("nm", [300.0, 905.0, 1550.0, 10_000.0])
def test_a_model_of_plain_numbers_holds_at_every_wavelength(entry, nm):
    own = entry("{kind: coated, reflectance: 0.2, roughness: 0.3}")
    assert own.at_every_wavelength
    assert own.known_at_nm(nm) == nm
    np.testing.assert_array_equal(own.reflectivity(nm), own.reflectivity(905.0))


def test_an_index_by_wavelength_lies_on_straight_lines_and_the_nearest_stands_in_beyond(entry):
    own = entry("{kind: ggx, roughness: 0.5, n: {1550: 1.4, 905: 1.5}}")
    assert own.wavelength_range_nm == (905.0, 1550.0)
    for nm, n in ((905.0, 1.5), (1227.5, 1.45), (1550.0, 1.4), (850.0, 1.5), (2000.0, 1.4)):
        assert own.normal_reflectance(nm) == pytest.approx(((n - 1) / (n + 1)) ** 2, rel=1e-5)
    assert own.known_at_nm(2000.0) == 1550.0


def test_a_model_is_known_where_all_its_keys_are(entry):
    n, k = "n: {800: 2.7, 1600: 1.5}", "k: {600: 8, 1000: 9}"
    own = entry(f"{{kind: ggx, roughness: 0.5, {n}, {k}}}")
    assert own.wavelength_range_nm == (800.0, 1000.0)
    index = 2.7 - 1.2 * 0.25, 9.0
    expected = ((index[0] - 1) ** 2 + index[1] ** 2) / ((index[0] + 1) ** 2 + index[1] ** 2)
    assert own.normal_reflectance(1550.0) == pytest.approx(expected, rel=1e-6)


def test_a_model_that_stands_in_at_a_sensor_s_wavelength_is_listed(tmp_path):
    path = tmp_path / "map.yaml"
    path.write_text(
        "materials: {A: near, B: everywhere}\n"
        "define:\n"
        "  near: {model: {kind: lambert, reflectance: {905: 0.5}}}\n"
        "  everywhere: {model: {kind: lambert, reflectance: 0.5}}\n"
    )
    resolver = MaterialResolver(
        builtin_materials(), load_mapping(path), "lambertian_50", wavelengths_nm=(905.0, 1550.0)
    )
    for name in "AB":
        resolver.material_id(Named(name))
    assert resolver.stand_ins == (("near", 1550.0, 905.0),)


def test_a_model_says_in_words_what_it_is(entry):
    own = entry("{kind: ggx, roughness: 0.2, n: {905: 1.5, 1550: 1.45}}", ", source: a book")
    words = "ggx: roughness 0.2, n 1.5 at 905 nm, 1.45 at 1550 nm, k 0"
    assert (own.response.model, own.source) == (words, "a book")
    rows = ", ".join(f"{nm}: 0.{nm}" for nm in range(400, 500))
    own = entry(f"{{kind: lambert, reflectance: {{{rows}}}}}")
    assert (
        own.response.model == "lambert: reflectance 0.4 at 400 nm .. 0.499 at 499 nm (100 values)"
    )
    own = entry("{kind: phong, reflectance: 0.2, specularity: 0, back_lobe: false}")
    assert own.response.model.endswith("specular_exponent 10, no back_lobe")


GGX = "kind: ggx, roughness: 0.2"
SHEETING = "kind: retroreflective, coefficient_cd_lx_m2"


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("coated", "model: expected keys and values, got 'coated'"),
        ("{reflectance: 0.5}", "model: kind is missing, expected one of lambert, phong, oren_"),
        ("{kind: coatd, reflectance: 0.5}", "model: got kind 'coatd'"),
        ("{kind: coatd, reflectance: 0.5}", "did you mean 'coated'?"),
        ("{kind: [ggx]}", "model: got kind '['ggx']'"),
        (f"{{{GGX}}}", "model.n: is missing"),
        (
            f"{{{GGX}, n: 1.5, refectance: 1}}",
            "refectance: unknown key (allowed: kind, ",
        ),
        (f"{{{GGX}, n: 1.5, roughnes: 1}}", "did you mean 'roughness'?"),
        ("{kind: ggx, roughness: 0.001, n: 1.5}", "model.roughness: got 0.001, expected 0.02 to 1"),
        ("{kind: ggx, roughness: rough, n: 1.5}", "model.roughness: got 'rough', expected a num"),
        ("{kind: ggx, roughness: {905: 1}, n: 1.5}", "model.roughness: got {'905': 1}, expected"),
        (f"{{{GGX}, n: 0}}", "model.n: got 0, expected 0.01 to 100"),
        (f"{{{GGX}, n: .nan}}", "model.n: got nan, expected a number"),
        (f"{{{GGX}, n: true}}", "model.n: got True, expected a number"),
        (f"{{{GGX}, n: {{}}}}", "model.n: is empty, expected {wavelength in nm: value}"),
        (f"{{{GGX}, n: {{905: -1}}}}", "model.n.905: got -1, expected 0.01 to 100"),
        (f"{{{GGX}, n: {{red: 1}}}}", "model.n: got 'red', expected a number"),
        (f"{{{GGX}, n: {{0.905: 1}}}}", "model.n: wavelength 0.905 nm, expected 200 to 20000"),
        (f"{{{GGX}, n: {{905: 1}}, k: {{1550: 1}}}}", "n and k have no wavelength in common"),
        ("{kind: lambert, reflectance: 50}", "model.reflectance: got 50, expected 0 to 1"),
        ("{kind: phong, reflectance: 1, specularity: 1, back_lobe: 1}", "expected true or false"),
        ("{kind: oren_nayar, reflectance: 1, roughness_deg: 12}", "reflects more light than it"),
        (f"{{{SHEETING}: 5000}}", "reflects more light than it receives, expected at most"),
        (f"{{{SHEETING}: {{905: 70, 1550: 5000}}}}", "reflects more light than it receives"),
        (f"{{{SHEETING}: 70, observation_deg: 2, lobe_deg: 0.1}}", "reflects more light than it"),
    ],
)
def test_a_model_that_cannot_be_is_refused_with_file_and_key_in_one_line(
    entry, tmp_path, model, words
):
    with pytest.raises(MappingError) as caught:
        entry(model)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'map.yaml'}: define.x.model")
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (", reflectance: 0.5", "define.x.reflectance: is not allowed beside a model"),
        (", wavelength_nm: 905", "define.x.wavelength_nm: is not allowed beside a model"),
        (", roughness_deg: 9", "define.x.roughness_deg: is not allowed beside a model"),
        (", class: absorbent", "define.x: a material of class absorbent takes no reflectance"),
        (", class: general", "class: got 'general', but the model is of class 'retroreflective'"),
    ],
)
def test_what_contradicts_a_model_is_refused(entry, extra, words):
    with pytest.raises(MappingError) as caught:
        entry("{kind: retroreflective, coefficient_cd_lx_m2: 70}", extra)
    assert words in str(caught.value)


def test_a_shiny_model_may_be_of_class_retroreflective(entry):
    own = entry(f"{{{GGX}, n: 1.5}}", ", class: retroreflective")
    assert own.material_class.name == "retroreflective"


@pytest.mark.parametrize("kind", MODELS)
def test_the_function_of_each_kind_takes_its_keys(kind, entry):
    """With a value in the middle of each range that must be given, and all defaults."""
    values = {"reflectance": 0.5, "roughness": 0.5, "specularity": 0.5, "roughness_deg": 10}
    values |= {"n": 1.5, "coefficient_cd_lx_m2": 100}
    fields = MODELS[kind].model_fields.items()
    keys = [name for name, field in fields if field.is_required() and name != "kind"]
    given = ", ".join(f"{name}: {values[name]}" for name in keys)
    found = entry(f"{{kind: {kind}, {given}}}").reflectivity()
    assert (found[:-1] > 0.0).all()
