# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From visual to infrared materials: precedence, ids, tables, and what is remembered."""

import pytest

from material_mapping import (
    MappingError,
    MaterialEntry,
    MaterialError,
    MaterialMapping,
    MaterialResolver,
    Rule,
    UnknownMaterialError,
    UnmappedMaterialError,
    builtin_materials,
    load_mapping,
    rules_of,
)
from material_mapping.response import Spectral, Tabulated
from tests.material_mapping.mapping.visuals import Named


class Shelf:
    """A source of materials in memory, with rules of its own."""

    def __init__(self, entries, **rules):
        self._entries = {entry.name: entry for entry in entries}
        self._rules = rules
        self.asked = []

    @property
    def names(self):
        return self._entries.keys()

    def get(self, name):
        self.asked.append(name)
        return self._entries.get(name)

    def rule_for(self, visual):
        material = self._rules.get(visual.name)
        return None if material is None else Rule(f"shelf: {visual.name}", visual.name, material)


def grey(name, value, database=""):
    return MaterialEntry(name=name, response=Tabulated(curves={905.0: value}), database=database)


def resolver_of(rules=None, default="lambertian_50", *, guess=False, **options):
    of_names = rules_of(rules or {}, key="materials")
    mapping = MaterialMapping(materials=of_names, file="map.yaml", guess=guess)
    return MaterialResolver(builtin_materials(), mapping, default, **options)


def named(resolver, name, **options):
    """Return the infrared material of a visual one."""
    row = resolver.material_id(Named(name), **options)
    return resolver.table(resolver.wavelengths_nm[0]).names[row]


def value(resolver, name, wavelength_nm=905.0, **options):
    """Return the reflectance at the normal of a visual material."""
    row = resolver.material_id(Named(name), **options)
    return float(resolver.table(wavelength_nm).reflectance[row, 0])


def test_ids_of_builtin_materials_do_not_depend_on_the_mapping_or_the_order_of_asking():
    first, second = resolver_of(), resolver_of({"*": "skin"}, default="concrete")
    assert first.table(905.0).names == second.table(905.0).names == tuple(builtin_materials())
    assert second.material_id(Named("anything")) == first.table(905.0).id_of("skin")


def test_unmapped_names_take_the_default_and_are_listed_once():
    resolver = resolver_of({"Paint*": "car_paint_red"}, default="lambertian_20")
    materials = [named(resolver, name) for name in ("Mystery", "Paint", "Mystery", "")]
    assert materials == ["lambertian_20", "car_paint_red", "lambertian_20", "lambertian_20"]
    assert [each.visual_name for each in resolver.unmapped] == ["Mystery", ""]
    assert [(each.visual_name, each.rule) for each in resolver.resolved] == [
        ("Mystery", None),
        ("Paint", "materials.Paint*"),
        ("", None),
    ]


def test_names_that_say_what_they_are_are_guessed_and_listed():
    resolver = resolver_of({"Asphalt_old": "skin"}, default="lambertian_20", guess=True)
    names = ("Asphalt_old", "Asphalt_02", "Mystery", "Asphalt_02")
    assert [named(resolver, name) for name in names] == [
        "skin", "asphalt_worn", "lambertian_20", "asphalt_worn",
    ]  # fmt: skip
    (guessed,) = resolver.guessed
    assert (guessed.visual_name, guessed.material) == ("Asphalt_02", "asphalt_worn")
    assert guessed.rule == "guess: the name says asphalt ('asphalt')"
    assert [each.visual_name for each in resolver.unmapped] == ["Mystery"]
    assert [each.visual_name for each in resolver.without_rule] == ["Asphalt_02", "Mystery"]


def test_a_guess_that_cannot_be_used_is_none():
    table = {"lambertian_50": grey("lambertian_50", 0.5)}  # without asphalt
    resolver = MaterialResolver(table, MaterialMapping(guess=True), "lambertian_50")
    assert named(resolver, "Asphalt") == "lambertian_50"
    assert resolver.guessed == ()


def test_nothing_is_guessed_without_a_default():
    with pytest.raises(UnmappedMaterialError):
        named(resolver_of(default=None, guess=True), "Asphalt")


def test_without_a_default_an_unmapped_name_is_an_error_with_mesh_and_name():
    resolver = resolver_of({"Paint*": "skin"}, default=None)
    assert named(resolver, "Paint_Red") == "skin"
    assert named(resolver, "ground") == "asphalt_worn"
    words = (
        r"^car\.obj: visual material 'Chrome\\n' has no infrared material \(no rule matches it\)"
    )
    with pytest.raises(UnmappedMaterialError, match=words) as caught:
        named(resolver, "Chrome\n", mesh="car.obj")
    assert (caught.value.visual_name, caught.value.mesh) == ("Chrome\n", "car.obj")
    with pytest.raises(UnmappedMaterialError, match="it stands for objects without a mesh"):
        named(resolver, "box")
    with pytest.raises(UnmappedMaterialError, match="its mapping is gone"):
        named(resolver, "Chrome", remark="its mapping is gone")
    assert [each.visual_name for each in resolver.resolved] == ["Paint_Red", "ground"]


def test_surfaces_that_stand_in_for_meshes_have_builtin_rules():
    resolver = resolver_of(default="lambertian_20")
    assert named(resolver, "ground") == "asphalt_worn"
    assert named(resolver, "box") == "lambertian_20"
    assert resolver.unmapped == ()
    assert [each.rule for each in resolver.resolved] == ["built-in", "built-in"]


def test_own_rules_come_before_builtin_ones():
    resolver = resolver_of({"ground": "grass", "b*": "steel"})
    assert [named(resolver, name) for name in ("ground", "box")] == ["grass", "steel"]


def test_other_spelling_of_a_builtin_rule_is_unmapped():
    resolver = resolver_of()
    named(resolver, "Ground")
    assert [each.visual_name for each in resolver.unmapped] == ["Ground"]


def test_an_object_s_rules_go_first_then_the_mapping_s_the_asset_s_and_the_database_s():
    own = rules_of({"a": "skin"}, key="objects.0")
    shelf = Shelf([], a="grass", b="grass", c="grass", d="grass")
    asset = Shelf([], a="steel", b="steel", c="steel")
    resolver = resolver_of({"a": "concrete", "b": "concrete"}, databases=[shelf])
    materials = [named(resolver, name, own=own, asset=asset) for name in "abcde"]
    assert materials == ["skin", "concrete", "steel", "grass", "lambertian_50"]
    assert [each.rule for each in resolver.resolved] == [
        "objects.0.a",
        "materials.b",
        "shelf: c",
        "shelf: d",
        None,
    ]


def test_an_object_s_rules_match_base_colours_too():
    own = rules_of({"rgb:255;0;0": "skin"})
    resolver = resolver_of()
    row = resolver.material_id(Named("a", (1.0, 0.0, 0.0)), own=own)
    assert resolver.table(905.0).names[row] == "skin"


def test_names_are_looked_for_in_own_definitions_the_databases_and_the_builtin_table(tmp_path):
    path = tmp_path / "map.yaml"
    path.write_text("define: {mine: {reflectance: 0.11}}")
    first = Shelf([grey("mine", 0.21), grey("skin", 0.22), grey("both", 0.23)])
    second = Shelf([grey("both", 0.33), grey("steel", 0.34)])
    mapping = load_mapping(path)
    names = {name: name for name in ("mine", "skin", "both", "steel", "concrete")}
    mapping = MaterialMapping(materials=rules_of(names), defined=mapping.defined)
    resolver = MaterialResolver(
        builtin_materials(), mapping, "lambertian_50", databases=[first, second]
    )
    found = [value(resolver, name) for name in names]
    concrete = builtin_materials()["concrete"].normal_reflectance()
    assert found == pytest.approx([0.11, 0.22, 0.23, 0.34, concrete])
    assert "mine" not in first.asked


def test_two_assets_may_call_different_materials_by_one_name():
    first = Shelf([grey("paint", 0.1, "first")], Body="paint")
    second = Shelf([grey("paint", 0.7, "second")], Body="paint")
    resolver = resolver_of()
    found = [
        value(resolver, "Body", mesh="first.gltf", asset=first),
        value(resolver, "Body", mesh="second.gltf", asset=second),
    ]
    assert found == pytest.approx([0.1, 0.7])


def test_materials_of_one_name_are_numbered_from_the_second_on():
    shelves = [Shelf([grey("paint", 0.1 * n, f"of {n}")], Body="paint") for n in (1, 2, 3)]
    resolver = resolver_of()
    names = [named(resolver, "Body", asset=shelf) for shelf in shelves]
    assert names == ["paint", "paint (2)", "paint (3)"]


def test_two_assets_in_folders_of_their_own_may_have_meshes_of_one_name():
    first = Shelf([grey("dark", 0.1)], Body="dark")
    second = Shelf([grey("light", 0.7)], Body="light")
    resolver = resolver_of()
    found = [value(resolver, "Body", mesh="car.gltf", asset=asset) for asset in (first, second)]
    assert found == pytest.approx([0.1, 0.7])


def test_an_asset_s_material_does_not_change_the_builtin_one_of_its_name_for_others():
    asset = Shelf([grey("lambertian_95", 0.3, "asset")], Body="lambertian_95")
    resolver = resolver_of(default="lambertian_95")
    assert value(resolver, "Body", asset=asset) == pytest.approx(0.3)
    assert value(resolver, "Wall") == pytest.approx(0.95)
    other = resolver_of()
    assert value(other, "Body", asset=asset) == pytest.approx(0.3)
    assert other.entries["lambertian_95"].normal_reflectance() == pytest.approx(0.95)


def test_ids_stay_as_they_are_when_an_asset_brings_materials_later():
    resolver = resolver_of()
    before = resolver.material_id(Named("Wall"))
    late = resolver.material_id(Named("x"), asset=Shelf([grey("new", 0.4)], x="new"))
    assert resolver.material_id(Named("Wall")) == before
    table = resolver.table(905.0)
    assert late == len(builtin_materials()) == table.id_of("new")
    assert resolver.table(905.0) is table


def test_a_rule_that_leads_nowhere_is_told_and_the_next_source_is_asked():
    asset = Shelf([], Body="no such thing")
    shelf = Shelf([grey("paint", 0.6)], Body="paint")
    resolver = resolver_of(databases=[shelf])
    assert value(resolver, "Body", asset=asset) == pytest.approx(0.6)
    (resolved,) = resolver.resolved
    (problem,) = resolved.problems
    assert "no such thing" in problem
    assert "\n" not in problem


def test_a_material_that_is_not_known_at_one_sensor_s_wavelength_stops():
    sea = MaterialEntry(
        name="sea",
        response=Spectral(name="sea", at=lambda _nm: 0.02, wavelength_range_nm=(800.0, 1000.0)),
    )
    assert resolver_of({"W*": "sea"}, databases=[Shelf([sea])], wavelengths_nm=(850.0, 905.0))
    words = r"^map.yaml: materials.W\*: sea: no value at 1550 nm, its data cover 800 to 1000 nm$"
    with pytest.raises(MappingError, match=words):
        resolver_of({"W*": "sea"}, databases=[Shelf([sea])], wavelengths_nm=(905.0, 1550.0))
    with pytest.raises(MaterialError, match="sea: no value at 1550 nm"):
        resolver_of(default="sea", databases=[Shelf([sea])], wavelengths_nm=(905.0, 1550.0))


def test_materials_of_other_wavelengths_in_use_are_listed_as_stand_ins():
    table = grey("far", 0.4)
    resolver = resolver_of({"a": "far", "b": "lambertian_10"}, databases=[Shelf([table])])
    named(resolver, "a")
    assert resolver.stand_ins == ()
    resolver = resolver_of({"a": "far"}, databases=[Shelf([table])], wavelengths_nm=(905.0, 1550.0))
    assert resolver.stand_ins == ()
    named(resolver, "a")
    assert resolver.stand_ins == (("far", 1550.0, 905.0),)


@pytest.mark.parametrize(
    ("wanted", "listed"),
    [
        (850.0, ()),
        (1000.0, (("far", 1000.0, 905.0),)),  # water absorbs at 970 nm
        (1300.0, (("far", 1300.0, 1550.0),)),
        (1450.0, (("far", 1450.0, 1550.0),)),
        (1500.0, ()),
    ],
)
def test_a_material_whose_nearest_values_lie_across_a_band_is_a_stand_in(wanted, listed):
    response = Tabulated(curves={905.0: 0.5, 1550.0: 0.1})
    table = MaterialEntry(name="far", response=response)
    resolver = resolver_of({"a": "far"}, databases=[Shelf([table])], wavelengths_nm=(wanted,))
    named(resolver, "a")
    assert resolver.stand_ins == listed


@pytest.mark.parametrize(
    ("index", "listed"),
    [
        ("1.5", ()),
        ("{905: 1.5, 1550: 1.4}", ()),
        ("{850: 1.5, 945: 1.4}", (("pane", 1550.0, 945.0),)),
        ("{1550: 1.5}", (("pane", 905.0, 1550.0),)),
    ],
)
def test_glass_whose_index_is_taken_from_another_wavelength_is_a_stand_in(tmp_path, index, listed):
    file = tmp_path / "map.yaml"
    pane = f"pane: {{class: glass, refractive_index: {index}}}"
    file.write_text(f"materials: {{Window: pane}}\ndefine: {{{pane}}}")
    resolver = MaterialResolver(
        builtin_materials(), load_mapping(file), "lambertian_50", wavelengths_nm=(905.0, 1550.0)
    )
    assert resolver.stand_ins == ()
    named(resolver, "Window")
    assert resolver.stand_ins == listed


def test_rules_of_an_object_that_decide_nothing_are_listed_with_near_matches():
    own = rules_of({"Asphalt": "skin", "Asphalt*": "skin", "Windw": "steel"}, key="objects.0")
    resolver = resolver_of()
    named(resolver, "Asphalt", own=own)
    named(resolver, "Window", own=own)
    assert resolver.unused(own) == (
        "objects.0.Asphalt*",  # the one above took it
        "objects.0.Windw, did you mean 'Window'?",
    )


def test_an_unknown_default_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownMaterialError, match=r"'lambertian_5O'.*did you mean 'lambertian_"):
        resolver_of(default="lambertian_5O")


def test_an_unknown_material_of_a_rule_is_refused_with_file_key_and_nearest_name():
    words = r"^map.yaml: materials.P\*: unknown infrared material 'pant', did you mean 'paint'\?"
    with pytest.raises(MappingError, match=words):
        resolver_of({"P*": "pant"}, databases=[Shelf([grey("paint", 0.5)])])


def test_a_mapping_that_matches_nothing_lists_all_its_rules_with_near_matches():
    resolver = resolver_of({"Asfalt": "asphalt_worn", "Zebra*": "skin"})
    named(resolver, "Asphalt")
    named(resolver, "Window")
    assert resolver.unused_rules == (
        "materials.Asfalt, did you mean 'Asphalt'?",
        "materials.Zebra*",
    )
    named(resolver, "zebra_1")
    assert resolver.unused_rules == ("materials.Asfalt, did you mean 'Asphalt'?",)


def test_only_materials_that_all_sensors_see_through_are_not_there():
    resolver = resolver_of({"a": "transparent", "b": "concrete"}, wavelengths_nm=(905.0, 1550.0))
    rows = [resolver.material_id(Named(name)) for name in "ab"]
    assert [resolver.lets_all_pass(row) for row in rows] == [True, False]
    assert [resolver.lets_some_pass(row) for row in rows] == [True, False]


def test_a_thousand_rules_of_a_database_are_taken_in_a_moment():
    entries = [grey(f"m{number}", number / 1000) for number in range(1000)]
    shelf = Shelf(entries, **{f"v{number}": f"m{number}" for number in range(1000)})
    resolver = resolver_of(databases=[shelf])
    rows = []
    for number in range(1000):
        rows.append(resolver.material_id(Named(f"v{number}")))
        assert not resolver.lets_all_pass(rows[-1])
    assert resolver.table(905.0).reflectance[rows[500], 0] == pytest.approx(0.5)
