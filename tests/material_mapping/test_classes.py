# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Material classes: ours, those of other packages, and what wrong ones are answered with."""

import math
from importlib.metadata import EntryPoint, EntryPoints

import numpy as np
import pytest

from material_mapping import (
    MaterialClass,
    MaterialEntry,
    MaterialError,
    MaterialMapping,
    MaterialResolver,
    MaterialTable,
    builtin_materials,
    classes,
    load_mapping,
    material_classes,
)
from material_mapping.optics import fresnel
from material_mapping.response import Tabulated
from tests.builders.panes import once_through

HALF = Tabulated(curves={905.0: 0.5})


def foil_reflectivity(entry, angle_deg, wavelength_nm):
    """Return twice what the material's reflectance says."""
    return 2.0 * entry.response.reflectivity(angle_deg, wavelength_nm)


FOIL = MaterialClass(
    name="foil",
    reflectivity=foil_reflectivity,
    transmittance=lambda _entry, angle_deg, _nm: np.where(angle_deg < 30.0, 0.25, 0.0),
)
TAKEN = MaterialClass(name="glass")
NOT_A_CLASS = {"name": "foil"}


@pytest.fixture
def install(monkeypatch):
    """Return a function that makes objects of this file the entry points of other packages."""

    def pretend(*names):
        points = EntryPoints(
            EntryPoint(name.lower(), f"{__name__}:{name}", classes.ENTRY_POINTS) for name in names
        )
        monkeypatch.setattr(classes, "entry_points", points.select)
        monkeypatch.setattr(EntryPoint, "load", lambda point: globals()[point.attr])
        material_classes.cache_clear()

    yield pretend
    material_classes.cache_clear()


def foil(kind=FOIL):
    return MaterialEntry(name="my_foil", material_class=kind, response=HALF)


def test_our_classes_are_known_by_name():
    assert {"general", "transparent", "absorbent", "retroreflective", "glass", "mirror"} <= set(
        material_classes()
    )
    assert all(name == kind.name for name, kind in material_classes().items())


def test_a_class_of_another_package_is_used_like_ours(install, tmp_path):
    install("FOIL")
    path = tmp_path / "materials.yaml"
    path.write_text("materials: {Foil*: my_foil}\ndefine: {my_foil: {class: foil, reflectance: 1}}")
    resolver = MaterialResolver(builtin_materials(), load_mapping(path), "lambertian_50")
    row = resolver.table(905.0).id_of("my_foil")
    table = resolver.table(905.0)
    assert table.reflectivity(row, 1.0) == 2.0
    assert table.transmittance[row, [0, 29, 30, 90]].tolist() == [0.25, 0.25, 0.0, 0.0]
    assert resolver.lets_some_pass(row)
    assert not resolver.lets_all_pass(row)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["MISSING"], ["material class 'missing'", "cannot be loaded"]),
        (["NOT_A_CLASS"], ["material class 'not_a_class'", "got dict, expected a MaterialClass"]),
        (["TAKEN"], ["material class 'taken'", "class name 'glass' is taken already"]),
        (["FOIL", "FOIL"], ["class name 'foil' is taken already"]),
    ],
)
def test_a_wrong_plug_in_is_refused_in_one_line_that_names_it(install, names, words):
    install(*names)
    with pytest.raises(MaterialError) as caught:
        material_classes()
    message = str(caught.value)
    assert "\n" not in message
    for word in [*words, __name__]:
        assert word in message


def raising(*_arguments):
    raise ZeroDivisionError("half of it is missing")


@pytest.mark.parametrize(
    "answer",
    [
        lambda _entry, angle_deg, _nm: angle_deg[:5],
        lambda _entry, angle_deg, _nm: np.full_like(angle_deg, math.nan),
        lambda _entry, angle_deg, _nm: np.full_like(angle_deg, -0.1),
        lambda _entry, angle_deg, _nm: np.full_like(angle_deg, math.inf),
        lambda _entry, angle_deg, _nm: np.full_like(angle_deg, 1e300),
        lambda *_: "much",
        lambda *_: None,
        lambda *_: 0.5,
        raising,
    ],
    ids=["short", "nan", "negative", "infinite", "overflow", "text", "none", "scalar", "raising"],
)
@pytest.mark.parametrize("field", ["reflectivity", "transmittance", "mirrored"])
def test_a_class_that_answers_with_nonsense_is_told_in_one_line(field, answer):
    entry = foil(MaterialClass(name="foil", **{field: answer}))
    with pytest.raises(MaterialError, match=r"^my_foil: .*foil") as caught:
        getattr(entry, field)(905.0)
    assert "\n" not in str(caught.value)


def test_a_transmittance_above_1_is_refused():
    entry = foil(MaterialClass(name="foil", transmittance=lambda _e, angle, _n: 1.0 + angle))
    with pytest.raises(MaterialError, match="my_foil: transmittance of class foil"):
        entry.transmittance(905.0)


@pytest.mark.parametrize("field", ["reflectivity", "transmittance", "mirrored"])
def test_a_mapping_to_a_class_that_answers_with_nonsense_stops_before_the_run(field):
    kind = MaterialClass(name="foil", **{field: lambda _entry, angle_deg, _nm: angle_deg - 90.0})
    mapping = MaterialMapping(defined={"my_foil": foil(kind)})
    with pytest.raises(MaterialError, match=f"my_foil: {field} of class foil"):
        MaterialResolver(builtin_materials(), mapping, "my_foil")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"material_class": classes.GENERAL}, "test: reflectance is missing"),
        ({"material_class": classes.ABSORBENT, "response": HALF}, "takes no reflectance"),
        ({"material_class": classes.GLASS}, "a material of class glass needs a refractive_index"),
        ({"material_class": classes.MIRROR}, "test: reflectance is missing"),
    ],
)
def test_a_material_has_what_its_class_needs(values, words):
    with pytest.raises(MaterialError, match=words):
        MaterialEntry(name="test", **values)


def pane(index=1.5):
    return MaterialEntry(
        name="pane", material_class=classes.GLASS, refractive_index=lambda _nm: complex(index)
    )


@pytest.mark.parametrize("index", [1.33, 1.5, 2.0])
@pytest.mark.parametrize("angle_deg", [20, 56, 76])
def test_a_pane_lets_pass_the_mean_of_both_polarisations_there_and_back(index, angle_deg):
    transmittance = pane(index).transmittance(905.0)
    assert transmittance[angle_deg] == pytest.approx(once_through(angle_deg, index) ** 2, rel=1e-6)


def test_a_pane_at_normal_incidence_has_one_reflectance_for_both_polarisations():
    # F = ((n - 1) / (n + 1))^2 = 0.04; once (1 - F) / (1 + F)
    transmittance = pane().transmittance(905.0)
    assert transmittance[0] == pytest.approx(((1 - 0.04) / (1 + 0.04)) ** 2, rel=1e-6)
    assert not pane().reflectivity(905.0).any()


def test_a_physical_sensor_sees_all_light_of_a_pane_behind_it_or_mirrored():
    once, off = np.sqrt(pane().behind(905.0)), np.sqrt(pane().ghost(905.0))
    assert once + off == pytest.approx(np.ones(91), abs=1e-6)
    assert once[76] == pytest.approx(once_through(76, 1.5), rel=1e-6)


@pytest.mark.parametrize(
    ("index", "last_deg"), [(1.3, 80), (1.5, 78), (2.0, 78), (2.5, 78), (1.5 + 1e-6j, 78)]
)
def test_a_pane_lets_pass_up_to_the_angle_where_half_of_the_light_is_mirrored(index, last_deg):
    passed = pane(index).transmittance(905.0)
    assert (passed[: last_deg + 1] >= 0.25).all()
    assert not passed[last_deg + 1 :].any()
    n = complex(index).real
    assert once_through(last_deg, n) >= 0.5 > once_through(last_deg + 1, n)


def test_an_index_by_wavelength_makes_a_pane_differ_between_sensors():
    def index(wavelength_nm):
        return complex(1.5) if wavelength_nm < 1000 else complex(2.5)

    entry = MaterialEntry(name="pane", material_class=classes.GLASS, refractive_index=index)
    tables = [MaterialTable.build([entry], nm) for nm in (905.0, 1550.0)]
    assert [float(table.transmittance[0, 0]) for table in tables] == pytest.approx(
        [(0.96 / 1.04) ** 2, ((1 - (1.5 / 3.5) ** 2) / (1 + (1.5 / 3.5) ** 2)) ** 2], rel=1e-6
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{class: glass}", "a material of class glass needs a refractive_index"),
        ("{reflectance: 0.5, refractive_index: 1.5}", "class general takes no refractive_index"),
        (
            "{class: glass, refractive_index: 1.5, wavelength_nm: 905}",
            "define.x.wavelength_nm: applies",
        ),
        ("{class: absorbent, wavelength_nm: 905}", "applies to a reflectance, but there is none"),
        ("{class: glass, refractive_index: [1.5]}", "expected n or [n, k]"),
        ("{class: glass, refractive_index: 0}", "n 0, k 0, expected n above 0"),
        ("{class: glass, refractive_index: [1.5, -1]}", "k -1"),
        ("{class: glass, refractive_index: {}}", "is empty, expected {wavelength in nm: value}"),
        ("{class: glass, refractive_index: {10: 1.5}}", "wavelength 10 nm, expected 200 to 20000"),
        ("{class: glas, refractive_index: 1.5}", "did you mean 'glass'?"),
        ("{class: mirror}", "reflectance is missing"),
        ("{class: mirror, reflectance: 1.01}", "reflectance 1.01, expected at most 1 for a mirror"),
        ("{class: mirror, reflectance: -0.1}", "expected 0 or more"),
        ("{class: miror, reflectance: 0.9}", "did you mean 'mirror'?"),
    ],
)
def test_a_pane_or_mirror_that_cannot_be_is_refused_with_its_key(tmp_path, text, words):
    path = tmp_path / "materials.yaml"
    path.write_text(f"define: {{x: {text}}}")
    with pytest.raises(MaterialError) as caught:
        load_mapping(path)
    assert str(caught.value).startswith(f"{path}: define.x")
    assert words in str(caught.value)


@pytest.mark.parametrize("text", ["1.5", "[1.5, 0]", "{905: 1.5, 1550: 1.4}", "{850: 1.5}"])
def test_an_index_is_a_number_a_pair_or_a_table_by_wavelength(tmp_path, text):
    path = tmp_path / "materials.yaml"
    path.write_text(f"define: {{x: {{class: glass, refractive_index: {text}}}}}")
    entry = load_mapping(path).defined["x"]
    assert entry.transmittance(905.0)[0] == pytest.approx((0.96 / 1.04) ** 2, rel=1e-6)


def looking_glass(tmp_path, reflectance):
    path = tmp_path / "materials.yaml"
    path.write_text(f"define: {{m: {{class: mirror, reflectance: {reflectance}}}}}")
    return load_mapping(path).defined["m"]


def test_a_mirror_sends_on_the_same_at_every_angle_and_nothing_back(tmp_path):
    entry = looking_glass(tmp_path, 0.9)
    assert entry.mirrored(905.0) == pytest.approx(np.full(91, 0.9**2))
    assert not entry.reflectivity(905.0).any()
    assert not entry.transmittance(905.0).any()


def test_a_mirror_may_depend_on_angle_and_wavelength(tmp_path):
    entry = looking_glass(tmp_path, "{905: [[0, 0.5], [80, 0.9], [90, 1.0]], 1550: 0.6}")
    shares = entry.mirrored(905.0)[[0, 40, 80, 90]]
    assert shares == pytest.approx(np.square([0.5, 0.7, 0.9, 1.0]))


def test_a_table_tells_which_materials_send_rays_on(tmp_path):
    entries = [looking_glass(tmp_path, 0.9), pane(), builtin_materials()["asphalt_worn"]]
    table = MaterialTable.build(entries)
    assert table.sends_some_on.tolist() == [True, True, False]
    assert table.mirrored.any(axis=1).tolist() == [True, False, False]


def test_a_resolver_knows_the_mirrors(tmp_path):
    path = tmp_path / "materials.yaml"
    path.write_text("materials: {a: mirror, b: concrete, c: glass_pane}")
    resolver = MaterialResolver(builtin_materials(), load_mapping(path), "lambertian_50")
    rows = [resolver.table(905.0).id_of(name) for name in ("mirror", "concrete", "glass_pane")]
    assert [resolver.mirrors_some(row) for row in rows] == [True, False, False]


def test_the_built_in_mirror_is_one_of_silver():
    """n = 0.04, k = 6.408 at 905 nm, interpolated between 892 and 984 nm."""
    silver = fresnel.normal_reflectance(n=0.04, k=6.312 + (905 - 892) / (984 - 892) * 0.680)
    shares = builtin_materials()["mirror"].mirrored(905.0)
    assert np.sqrt(shares[45]) == pytest.approx(silver, abs=5e-4)
