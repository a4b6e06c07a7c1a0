# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Mapping tables: what matches, in which order, own materials, and bad files."""

import pytest

from material_mapping import (
    MappingError,
    MaterialMapping,
    MaterialResolver,
    Rule,
    builtin_materials,
    load_mapping,
    rules_of,
)
from material_mapping.mapping.visual import rgb_key
from tests.material_mapping.mapping.visuals import Named


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a mapping file and returns its path."""

    def write_text(text):
        path = tmp_path / "materials.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write_text


def chosen(mapping, name="", mesh="", **visual):
    """Return the material that a mapping gives, None where no rule matches."""
    rule = mapping.rule_for(Named(name, **visual), mesh)
    return None if rule is None else rule.material


def mapping_of(**sections):
    return MaterialMapping(**{name: rules_of(rules) for name, rules in sections.items()})


def test_first_matching_rule_wins(write):
    mapping = load_mapping(
        write('materials: {"Paint_Blue": car_paint_blue, "Paint_*": car_paint_red, "*": concrete}')
    )
    assert chosen(mapping, "Paint_Blue") == "car_paint_blue"
    assert chosen(mapping, "Paint_Green") == "car_paint_red"
    assert chosen(mapping, "Wall") == "concrete"


def test_general_rule_written_first_hides_special_ones(write):
    mapping = load_mapping(write('materials: {"Paint_*": car_paint_red, "Paint_Blue": skin}'))
    assert chosen(mapping, "Paint_Blue") == "car_paint_red"


def test_upper_and_lower_case_are_the_same():
    mapping = mapping_of(materials={"GLASS*": "glass"})
    assert chosen(mapping, "glass_Front") == chosen(mapping, "Glass") == "glass"
    assert chosen(mapping, "Window_Glass") is None


def test_name_with_glob_signs_matches_itself():
    assert chosen(mapping_of(materials={"Body[1]": "steel"}), "body[1]") == "steel"
    assert chosen(mapping_of(materials={"Body[1]": "steel"}), "body1") == "steel"


@pytest.mark.parametrize(
    ("base_color", "key"),
    [
        ((1.0, 0.0, 0.0), "rgb:255;0;0"),
        ((0.0, 11 / 255, 1.0), "rgb:0;11;255"),
        ((0.2, 0.5, 0.0019), "rgb:51;128;0"),
        (None, None),
    ],
)
def test_a_base_colour_is_written_as_openmaterial_does(base_color, key):
    assert rgb_key(Named("x", base_color)) == key


def test_a_base_colour_is_matched_like_a_name_and_the_first_rule_wins():
    red = {"base_color": (1.0, 0.0, 0.0)}
    by_name_first = mapping_of(materials={"Body": "steel", "rgb:255;0;0": "car_paint_red"})
    by_color_first = mapping_of(materials={"RGB:255;0;0": "car_paint_red", "Body": "steel"})
    assert chosen(by_name_first, "Body", **red) == "steel"
    assert chosen(by_color_first, "Body", **red) == "car_paint_red"
    assert chosen(by_name_first, "Door", **red) == "car_paint_red"
    assert chosen(by_name_first, "Door") is None
    assert chosen(mapping_of(materials={"rgb:255;*": "skin"}), "Door", **red) == "skin"


def test_a_texture_is_matched_by_its_file_name_after_all_names():
    mapping = mapping_of(materials={"Road": "concrete"}, textures={"asphalt*.png": "asphalt_worn"})
    assert chosen(mapping, "Road", texture="Asphalt_01.PNG") == "concrete"
    assert chosen(mapping, "Lane", texture="Asphalt_01.PNG") == "asphalt_worn"
    assert chosen(mapping, "Lane", texture="gravel.png") is None
    assert chosen(mapping_of(textures={"*": "skin"}), "Lane") is None


def test_rules_of_a_mesh_come_before_the_general_ones(write):
    mapping = load_mapping(
        write(
            """
            materials: {Body: steel, "*": concrete}
            meshes:
              "car*.obj": {"Body": car_paint_red}
              "car_blue.obj": {"*": car_paint_blue}
            """
        )
    )
    assert chosen(mapping, "Body", "car_1.obj") == "car_paint_red"
    assert chosen(mapping, "Body", "CAR_BLUE.obj") == "car_paint_red"
    assert chosen(mapping, "Door", "car_blue.obj") == "car_paint_blue"
    assert chosen(mapping, "Body", "house.obj") == "steel"
    assert chosen(mapping, "Body") == "steel"
    assert chosen(mapping, "Door", "car_1.obj") == "concrete"


def test_the_file_of_a_star_does_not_take_what_has_no_mesh(write):
    mapping = load_mapping(write('meshes: {"*": {"*": steel}}'))
    assert chosen(mapping, "box") is None
    assert chosen(mapping, "box", "x.obj") == "steel"


def test_rules_are_listed_in_the_order_in_which_they_are_tried(write):
    mapping = load_mapping(
        write("textures: {t: skin}\nmaterials: {a: glass}\nmeshes: {m.obj: {b: steel}}")
    )
    keys = [rule.key for rule in mapping.rules]
    assert keys == ["meshes.m.obj.b", "materials.a", "textures.t"]


def test_definition_adds_an_own_material(write):
    path = write(
        """
        materials: {"Cone*": cone_plastic, "Tape": cone_tape}
        define:
          cone_plastic: {reflectance: 0.7, source: own measurement, uncertainty: "+-0.1"}
          cone_tape: {class: retroreflective, reflectance: [[0, 80], [30, 40]], wavelength_nm: 940}
        """
    )
    mapping = load_mapping(path)
    resolver = MaterialResolver(builtin_materials(), mapping, "lambertian_50")
    table = resolver.table(905.0)
    row = resolver.material_id(Named("cone_1"))
    assert table.names[row] == "cone_plastic"
    assert float(table.reflectivity(row, 0.5)) == pytest.approx(0.35)
    tape = resolver.entries["cone_tape"]
    assert tape.material_class.name == "retroreflective"
    assert tape.wavelength_range_nm == (940.0, 940.0)
    assert float(table.reflectivity(resolver.material_id(Named("TAPE")), 1.0)) == 80.0


def test_definition_by_wavelength_is_taken_at_that_of_each_sensor(write):
    path = write("define: {leaf: {reflectance: {850: 0.4, 905: [[0, 0.5], [80, 0.1]], 1550: 0.2}}}")
    entry = load_mapping(path).defined["leaf"]
    assert entry.wavelength_range_nm == (850.0, 1550.0)
    found = [entry.normal_reflectance(nm) for nm in (850.0, 905.0, 1550.0)]
    assert found == pytest.approx([0.4, 0.5, 0.2])


def test_a_number_is_a_name_like_any_other(write):
    """As in meshes whose materials are called 137."""
    assert chosen(load_mapping(write("materials: {137: glass}")), "137") == "glass"


@pytest.mark.parametrize("section", ["materials", "textures", "meshes", "define"])
def test_empty_sections_are_allowed(write, section):
    assert load_mapping(write(f"{section}:\n")).rules == ()


@pytest.mark.parametrize(("key", "expected"), [("", 0.2), (", bands_resolved: true", 0.28)])
def test_an_own_material_says_whether_its_values_follow_the_absorption_bands(write, key, expected):
    entry = load_mapping(write(f"define: {{x: {{reflectance: {{905: 0.4, 1505: 0.2}}{key}}}}}"))
    assert entry.defined["x"].normal_reflectance(1265.0) == pytest.approx(expected)


def test_a_rule_matches_no_absent_name():
    assert not Rule("k", "*", "skin").matches(None)
    assert Rule("k", "*", "skin").matches("")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("materials: {a: 5}", ["materials.a", "got 5, expected the name of an infrared material"]),
        ("materials: {a: [glass]}", ["materials.a: got ['glass'], expected the name"]),
        ("materials: {a: }", ["materials.a: got None, expected the name"]),
        ("materials: [a, b]", ["materials: expected keys and values, got ['a', 'b']"]),
        ("textures: {a: 5}", ["textures.a: got 5, expected the name"]),
        ("meshes: {m.obj: glass}", ["meshes.m.obj: expected keys and values, got 'glass'"]),
        ("meshes: {m.obj: {a: 5}}", ["meshes.m.obj.a: got 5, expected the name"]),
        ("material: {a: glass}", ["material: unknown key", "did you mean 'materials'?"]),
        ("materials: {a: glass, a: skin}", [":1:23: key 'a' is given twice"]),
        ("materials: {a: glass", [":1:21: expected"]),
        ("", ["the file is empty"]),
        ("just text", ["expected keys and values, got 'just text'"]),
        ("define: {glass: {reflectance: 0.5}}", ["define.glass: is the name of a built-in"]),
        ("define: {x: {}}", ["define.x: reflectance is missing"]),
        ("define: {x: 0.5}", ["define.x: expected keys and values, got 0.5"]),
        ("define: {x: {reflectance: 35}}", ["define.x: reflectance 35, expected a fraction"]),
        ("define: {x: {reflectance: -1}}", ["define.x: reflectance -1, expected 0 or more"]),
        ("define: {x: {reflectance: .nan}}", ["define.x.reflectance: got nan, expected a number"]),
        ("define: {x: {reflectance: [[0, 1], [95, 1]]}}", ["define.x: angles", "expected 0 to 90"]),
        ("define: {x: {reflectance: [[9, 1], [9, 1]]}}", ["define.x: ", "expected increasing ang"]),
        ("define: {x: {reflectance: []}}", ["define.x: reflectance table, expected increasing"]),
        ("define: {x: {reflectance: yes}}", ["define.x.reflectance: got True, expected a number"]),
        ("define: {x: {reflectance: [[0, 1], 5]}}", ["define.x.reflectance[1]: got 5, expected ["]),
        ("define: {x: {reflectance: {}}}", ["define.x.reflectance: is empty, expected {wave"]),
        ("define: {x: {reflectance: {10: 1}}}", ["wavelength 10 nm, expected 200 to 20000"]),
        ("define: {x: {reflectance: {red: 1}}}", ["define.x.reflectance: got 'red', expected a"]),
        (
            'define: {x: {reflectance: {905: 1, "905.0": 2}}}',
            ["define.x.reflectance: 905 nm is given twice"],
        ),
        (
            "define: {x: {reflectance: {905: 1}, wavelength_nm: 905}}",
            ["define.x.wavelength_nm: is not allowed beside reflectances by wavelength"],
        ),
        (
            "define: {x: {reflectance: 0.5, roughness_deg: 95}}",
            ["define.x.roughness_deg: got 95, expected 0 to 90"],
        ),
        (
            "define: {x: {reflectance: [[0, 1], [80, 0]], roughness_deg: 20}}",
            ["define.x.roughness_deg: is not allowed beside a table over angles"],
        ),
        (
            "define: {x: {class: general, roughness_deg: 20}}",
            ["define.x.roughness_deg: applies to"],
        ),
        (
            "define: {x: {reflectance: 0.5, bands_resolved: true}}",
            ["define.x.bands_resolved: needs reflectances at two wavelengths or more"],
        ),
        (
            "define: {x: {reflectance: {905: 1, 1550: 1}, bands_resolved: 1}}",
            ["define.x.bands_resolved: expected true or false, got 1"],
        ),
        ("define: {x: {reflectanse: 1}}", ["define.x", "did you mean 'reflectance'?"]),
        ("define: {x: {class: shiny}}", ["define.x.class: got 'shiny', expected one of general"]),
        ("define: {x: {class: [a]}}", ["define.x.class: got ['a'], expected one of general"]),
        ("define: {x: {class: general, source: 5}}", ["define.x.source: got 5, expected a text"]),
        ("define: {x: {reference: SICK}}", ["define.x.reference: unknown reference 'SICK'"]),
    ],
)
def test_bad_mapping_file_is_refused_in_one_line_that_names_file_and_key(write, text, words):
    path = write(text)
    with pytest.raises(MappingError) as caught:
        load_mapping(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    assert "\n" not in message
    for word in words:
        assert word in message


def test_absent_or_binary_file_is_refused_in_one_line(tmp_path):
    with pytest.raises(MappingError, match="no such file"):
        load_mapping(tmp_path / "absent.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MappingError, match="not a text file"):
        load_mapping(tmp_path / "binary.yaml")
