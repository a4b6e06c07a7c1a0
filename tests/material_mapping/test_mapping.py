# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Mapping tables: precedence, globs, own materials, what is remembered, and bad files."""

import pytest

from material_mapping import (
    MappingError,
    MaterialClass,
    MaterialMapping,
    MaterialResolver,
    UnknownMaterialError,
    builtin_materials,
    load_mapping,
)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a mapping file and returns its path."""

    def write_text(text):
        path = tmp_path / "materials.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write_text


def resolver_of(*rules, default="lambertian_50"):
    return MaterialResolver(builtin_materials(), MaterialMapping(rules=rules), default)


def test_first_matching_rule_wins(write):
    mapping = load_mapping(
        write('materials: {"Paint_Blue": car_paint_blue, "Paint_*": car_paint_red, "*": concrete}')
    )
    assert mapping.resolve("Paint_Blue") == "car_paint_blue"
    assert mapping.resolve("Paint_Green") == "car_paint_red"
    assert mapping.resolve("Wall") == "concrete"


def test_general_rule_written_first_hides_special_ones(write):
    mapping = load_mapping(write('materials: {"Paint_*": car_paint_red, "Paint_Blue": skin}'))
    assert mapping.resolve("Paint_Blue") == "car_paint_red"


def test_upper_and_lower_case_are_the_same():
    mapping = MaterialMapping(rules=(("GLASS*", "glass"),))
    assert mapping.resolve("glass_Front") == mapping.resolve("Glass") == "glass"
    assert mapping.resolve("Window_Glass") is None


def test_name_with_glob_signs_matches_itself():
    assert MaterialMapping(rules=(("Body[1]", "steel"),)).resolve("body[1]") == "steel"


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
    row = resolver.material_id("cone_1")
    assert resolver.table.names[row] == "cone_plastic"
    assert float(resolver.table.reflectivity(row, 0.5)) == pytest.approx(0.35)
    tape = resolver.entries["cone_tape"]
    assert (tape.material_class, tape.wavelength_nm) == (MaterialClass.RETROREFLECTIVE, 940.0)
    assert float(resolver.table.reflectivity(resolver.material_id("TAPE"), 1.0)) == 80.0


def test_ids_do_not_depend_on_the_mapping_or_the_order_of_asking():
    first, second = resolver_of(), resolver_of(("*", "skin"), default="concrete")
    assert first.table.names == second.table.names == tuple(builtin_materials())
    assert second.material_id("anything") == first.table.id_of("skin")


def test_unmapped_names_take_the_default_and_are_listed_once():
    resolver = resolver_of(("Paint*", "car_paint_red"), default="lambertian_20")
    names = ["Mystery", "Paint", "Mystery", ""]
    materials = [resolver.table.names[resolver.material_id(name)] for name in names]
    assert materials == ["lambertian_20", "car_paint_red", "lambertian_20", "lambertian_20"]
    assert resolver.unmapped == ("Mystery", "")
    assert [(each.visual_name, each.rule) for each in resolver.resolved] == [
        ("Mystery", None),
        ("Paint", "Paint*"),
        ("", None),
    ]


def test_surfaces_that_stand_in_for_meshes_have_builtin_rules():
    resolver = resolver_of(default="lambertian_20")
    assert resolver.table.names[resolver.material_id("ground")] == "asphalt_worn"
    assert resolver.table.names[resolver.material_id("box")] == "lambertian_20"
    assert resolver.unmapped == ()
    assert [each.rule for each in resolver.resolved] == ["built-in", "built-in"]


def test_own_rules_come_before_builtin_ones():
    resolver = resolver_of(("ground", "grass"), ("b*", "steel"))
    assert resolver.table.names[resolver.material_id("ground")] == "grass"
    assert resolver.table.names[resolver.material_id("box")] == "steel"


def test_other_spelling_of_a_builtin_rule_is_unmapped():
    resolver = resolver_of()
    resolver.material_id("Ground")
    assert resolver.unmapped == ("Ground",)


@pytest.mark.parametrize(
    ("rules", "default"), [((), "lambertian_5O"), ((("a", "nothing"),), "lambertian_50")]
)
def test_resolver_refuses_unknown_materials(rules, default):
    with pytest.raises(UnknownMaterialError, match="unknown infrared material"):
        resolver_of(*rules, default=default)


def test_a_number_is_a_name_like_any_other(write):
    """As in meshes whose materials are called 137."""
    assert load_mapping(write("materials: {137: glass}")).resolve("137") == "glass"


def test_empty_sections_are_allowed(write):
    assert load_mapping(write("materials:\n")).rules == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('materials: {"P*": car_paint_rde}', ["materials.P*", "did you mean 'car_paint_red'?"]),
        ("materials: {a: 5}", ["materials.a", "unknown infrared material 5"]),
        ("materials: [a, b]", ["materials: got ['a', 'b'], expected a table of keys"]),
        ("material: {a: glass}", ["unknown key 'material'", "did you mean 'materials'?"]),
        ("materials: {a: glass, a: skin}", [":1:23: key 'a' is given twice"]),
        ("materials: {a: glass", [":1:21: expected"]),
        ("", ["the file is empty"]),
        ("just text", ["expected keys and values, got 'just text'"]),
        ("define: {glass: {reflectance: 0.5}}", ["define.glass: is the name of a built-in"]),
        ("define: {x: {}}", ["define.x: reflectance is missing"]),
        ("define: {x: 0.5}", ["define.x: got 0.5, expected a table of keys"]),
        ("define: {x: {reflectance: 35}}", ["define.x: x: reflectance 35, expected a fraction"]),
        ("define: {x: {reflectance: yes}}", ["define.x.reflectance: got True, expected a number"]),
        ("define: {x: {reflectance: [[0, 1], 5]}}", ["define.x.reflectance[1]: got 5, expected ["]),
        ("define: {x: {reflectanse: 1}}", ["define.x", "did you mean 'reflectance'?"]),
        ("define: {x: {class: mirror}}", ["define.x.class: got 'mirror', expected one of general"]),
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
