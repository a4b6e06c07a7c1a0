# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Suggestions: how often they are right on labelled materials, and what a person gets to read."""

import zlib
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from material_mapping import builtin_materials, load_mapping
from material_mapping.mapping.suggest import (
    DEFAULT_MATERIAL,
    THRESHOLD,
    Suggestion,
    mapping_text,
    suggest,
    suggest_all,
)
from material_mapping.mapping.words import WORDS_FILE
from tests.material_mapping.mapping.visuals import Named

LABELLED = yaml.safe_load(
    Path(__file__).with_name("labelled_materials.yaml").read_text(encoding="utf-8")
)
NUMBERS = ("opacity", "metalness", "roughness", "transmission")


def visual_of(row):
    return Named(
        name=row["name"],
        base_color=tuple(row["rgb"]) if "rgb" in row else None,
        texture=row.get("texture", ""),
        **{key: row[key] for key in NUMBERS if key in row},
    )


def distinct(part):
    """Return (mesh file, row) of a part of the list, each name with its texture once."""
    rows = {}
    for file, materials in LABELLED[part].items():
        for row in materials:
            rows.setdefault((row["name"], row.get("texture", "")), (Path(file).name, row))
    return rows


def is_held_back(key):
    """Return whether a name with its texture was kept out of sight while the rules were tuned."""
    return zlib.crc32("|".join(key).lower().encode()) % 3 == 0


def share_right(rows):
    """Return the share of the materials with speaking names that are right, and the others."""
    speaking = [(mesh, row) for mesh, row in rows if "unspeaking" not in row["expected"]]
    wrong = [
        (mesh, row["name"], row["expected"], got.material)
        for mesh, row in speaking
        if (got := suggest(visual_of(row), mesh)).material not in row["expected"].split("|")
    ]
    return 1.0 - len(wrong) / len(speaking), wrong


@pytest.mark.parametrize("held_back", [False, True], ids=["tuned_on", "held_back"])
def test_most_labelled_materials_are_suggested_right(held_back):
    rows = [each for key, each in distinct("first").items() if is_held_back(key) == held_back]
    assert len(rows) == (43 if held_back else 77)
    share, wrong = share_right(rows)
    assert share >= 0.85, wrong


def test_materials_that_were_labelled_later_are_suggested_right_too():
    share, wrong = share_right(distinct("second").values())
    assert share >= 0.85, wrong


def test_names_that_say_nothing_get_no_rule():
    for part in ("first", "second"):
        for mesh, row in distinct(part).values():
            if row["expected"] == "unspeaking":
                assert suggest(visual_of(row), mesh).score < THRESHOLD, (mesh, row["name"])


@pytest.mark.long
def test_the_labelled_list_is_what_the_mesh_files_hold(real_data):
    mesh_module = pytest.importorskip("raycore.mesh.loading")
    repository = Path(__file__).resolve().parents[3]
    for part in ("first", "second"):
        for file, rows in LABELLED[part].items():
            folder = repository if file.startswith("scenarios/") else real_data / "models"
            held = {each.name: each for each in mesh_module.load_mesh(folder / file).materials}
            if part == "first":
                assert [row["name"] for row in rows] == list(held), file
            for row in rows:
                expected, found = visual_of(row), held[row["name"]]
                assert expected.texture == found.texture, file
                for key in ("base_color", *NUMBERS):
                    value = getattr(found, key)
                    same = None if value is None else pytest.approx(value, rel=0.01, abs=1e-6)
                    assert getattr(expected, key) == same, (file, row["name"], key)


def test_every_rule_names_a_built_in_material_and_what_can_be_said():
    content = yaml.safe_load(WORDS_FILE.read_text(encoding="utf-8"))
    sayable = {*content["words"], *content["looks"], "{colour}"}
    assert set(content["colours"]) | set(content["contexts"]) <= sayable
    assert set(content["substances"]) <= sayable
    for material, score, *needs in content["rules"]:
        assert material.replace("{colour}", "red") in builtin_materials()
        assert 0.0 < score <= 1.0
        assert needs
        assert {need.removeprefix("on ") for need in needs} <= sayable, needs
        contexts = {need.removeprefix("on ") for need in needs if need.startswith("on ")}
        assert contexts <= set(content["contexts"]), needs
    for colour in content["colours"]:
        assert f"car_paint_{colour}" in builtin_materials()


@pytest.mark.parametrize(
    ("name", "material"),
    [
        ("Seitenscheibe_links", "glass"),
        ("AutoreifenHinten", "rubber_tyre"),
        ("Kotflügel", "metal_painted"),
        ("KOTFLUEGEL_02", "metal_painted"),
        ("Pneu avant gauche", "rubber_tyre"),
        ("vitre-AR", "glass"),
        ("hormigón.001", "concrete"),
        ("señal_reflectante", "sign_sheeting"),
        ("asfalto_bagnato", "asphalt_wet"),
        ("bildäck", "rubber_tyre"),
        ("tegelsten", "brick"),
        ("luntai_01", "rubber_tyre"),
        ("车窗玻璃", "glass"),
        ("挡风玻璃", "glass"),
        ("windowglass", "glass"),
        ("WheelRim02", "aluminium"),
        ("HTMLGlassPane", "glass"),
        ("licensePlate", "licence_plate"),
        ("light_brown_wood", "wood_dark"),
        ("Construction_Barrel", "plastic_grey"),
        ("Polymer_Retroreflective_Blue", "sign_sheeting"),
        ("Metal_Aluminum_-_Polymer_Retroreflective_White", "sign_sheeting"),
    ],
)
def test_names_of_several_languages_and_spellings_are_understood(name, material):
    assert suggest(Named(name)).material == material


@pytest.mark.parametrize("name", ["", "137", "xkcd", "_1_-_Default", "q" * 10_000])
def test_nothing_said_is_the_default_with_a_score_of_zero(name):
    got = suggest(Named(name))
    assert (got.visual_name, got.material, got.score) == (name, DEFAULT_MATERIAL, 0.0)
    assert "the default" in got.reason


def test_rendering_values_speak_where_names_do_not():
    assert suggest(Named("m1", opacity=0.1)).material == "glass"
    assert suggest(Named("m2", transmission=1.0)).material == "glass"
    assert suggest(Named("m3", metalness=1.0, roughness=0.1)).material == "chrome"
    green = suggest(Named("m4", base_color=(0.2, 0.5, 0.1)))
    assert (green.material, green.score < THRESHOLD) == ("vegetation", True)
    assert suggest(Named("m5", base_color=(0.5, 0.1, 0.1)), "car.obj").material == "car_paint_red"


@pytest.mark.parametrize(
    ("rgb", "shown"),
    # brightness by Rec. 709: 0.2126 red + 0.7152 green + 0.0722 blue, dark below 0.2, pale from 0.6
    [
        ((0.90, 0.0, 0.0), "dark"),  # 0.191
        ((1.00, 0.0, 0.0), ""),  # 0.213
        ((0.90, 0.0, 0.3), ""),  # 0.213
        ((0.0, 0.27, 0.0), "dark"),  # 0.193
        ((0.0, 0.29, 0.0), ""),  # 0.207
        ((0.0, 0.83, 0.0), ""),  # 0.594
        ((0.0, 0.85, 0.0), "pale"),  # 0.608
        ((0.0, 0.0, 1.0), "dark"),  # 0.072
    ],
)
def test_colours_are_as_dark_and_pale_as_the_eye_sees_them(rgb, shown):
    got = suggest(Named("cloth", base_color=rgb))
    assert got.material == ("cloth_cotton_light" if shown == "pale" else "cloth_synthetic_dark")
    said = [word for word in ("dark", "pale") if f"it is shown {word}" in got.reason]
    assert said == [shown] * bool(shown)


@pytest.mark.parametrize(
    ("rgb", "metalness", "colour"),
    [
        ((0.90, 0.02, 0.02), None, "red"),  # hue 0 deg
        ((0.90, 0.02, 0.10), None, "red"),  # 355 deg
        ((0.90, 0.45, 0.05), None, "orange"),  # 28 deg
        ((0.50, 0.25, 0.05), None, "brown"),  # 27 deg, darker
        ((0.90, 0.90, 0.10), None, "yellow"),  # 60 deg
        ((0.10, 0.60, 0.10), None, "green"),  # 120 deg
        ((0.10, 0.20, 0.70), None, "blue"),  # 230 deg
        ((0.05, 0.05, 0.08), None, "black"),
        ((0.95, 0.95, 0.90), None, "white"),
        ((0.70, 0.70, 0.66), None, "grey"),
        ((0.70, 0.70, 0.66), 0.6, "silver"),
    ],
)
def test_the_colour_of_a_car_is_the_one_that_is_shown(rgb, metalness, colour):
    shown = Named("m", base_color=rgb, metalness=metalness)
    assert suggest(shown, "car.obj").material == f"car_paint_{colour}"
    assert suggest(replace(shown, texture="x.png"), "car.obj").score < THRESHOLD


@pytest.mark.parametrize(
    ("letters", "material"), [(7, "glass"), (64, "glass"), (65, DEFAULT_MATERIAL)]
)
def test_a_word_that_ends_in_a_known_one_is_one_unless_it_is_endless(letters, material):
    assert suggest(Named("glass".rjust(letters, "q"))).material == material


def test_the_mesh_tells_what_a_name_is_a_part_of():
    assert suggest(Named("paint_white"), "car.obj").material == "car_paint_white"
    assert suggest(Named("paint_white"), "House_3.obj").material == "plaster_white"
    assert suggest(Named("paint_white"), "road.obj").material == "road_marking_white"
    assert suggest(Named("paint_white"), r"C:\models\truck.obj").material == "car_paint_white"


def test_the_name_of_a_colour_goes_before_the_colour_shown():
    got = suggest(Named("Paint_Blue", base_color=(0.8, 0.1, 0.1)), "car.obj")
    assert got.material == "car_paint_blue"


def test_grey_that_modellers_programs_give_by_themselves_is_no_colour():
    for grey in (0.588, 0.64, 0.8):
        assert suggest(Named("m", base_color=(grey,) * 3), "car.obj").score < THRESHOLD


def test_the_reason_tells_what_said_what():
    reason = suggest(Named("Reifen", texture="x.png"), "car.obj").reason
    assert reason == "the name says tyre ('reifen')"
    reason = suggest(Named("m", opacity=0.1), "car.obj").reason
    assert reason == "it looks clear (opacity 0.1), the mesh says car ('car')"


def test_a_contradiction_lowers_the_score_and_is_told():
    plain, other = suggest(Named("wood")), suggest(Named("wood", opacity=0.1))
    assert other.material == plain.material == "wood"
    assert other.score < plain.score
    assert other.reason.endswith("but it looks clear (opacity 0.1), which may be glass")


def test_each_name_is_suggested_once_in_order_of_appearance():
    got = suggest_all(
        [("car.obj", Named("Glass")), ("car.obj", Named("Tyre")), ("a.obj", Named("GLASS"))]
    )
    assert [(each.visual_name, each.material) for each in got] == [
        ("Glass", "glass"),
        ("Tyre", "rubber_tyre"),
    ]


def test_a_name_that_means_two_things_in_two_meshes_is_uncertain():
    both = [("car.obj", Named("paint_white")), ("house.obj", Named("paint_white"))]
    alone, (got,) = suggest(both[0][1], both[0][0]), suggest_all(both)
    assert got.material == "car_paint_white"
    assert got.score == pytest.approx(alone.score / 2.0, abs=0.006)
    assert got.reason.endswith("but elsewhere the same name may be plaster_white")


def test_a_mapping_table_holds_what_is_likely_and_asks_about_the_rest(tmp_path):
    visuals = [("car.obj", Named(name)) for name in ("thing", "bus", "glass", "interior_x", "m7")]
    text = mapping_text(suggest_all(visuals))
    lines = text.splitlines()[3:]
    assert lines[0].startswith("  glass: glass  # 0.90: the name says glass")
    assert lines[-1].startswith("  # ")
    scores = [float(line.split("# ")[-1].split(":")[0]) for line in lines]
    assert scores == sorted(scores, reverse=True)
    for line, score in zip(lines, scores, strict=True):
        assert ("a person should look at this" in line) == (score < 0.6)
        assert line.startswith("  # ") == (score < THRESHOLD)
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    mapping = load_mapping(tmp_path / "m.yaml")
    assert [rule.pattern for rule in mapping.materials] == ["glass", "interior_x", "bus"]


@pytest.mark.parametrize(
    "name",
    [
        *("", "yes", "null", "137", "a: b", "# no", "Body[1]", "*", "tab\there", "two\nlines"),
        *('"quoted"', "玻璃", "\U0001f697", "\ud800", "\x85", "a" * 3000, "é", "- x", "~", "1e3"),
    ],
)
def test_any_name_comes_back_from_a_mapping_table_as_itself_only(tmp_path, name):
    one = Suggestion(visual_name=name, material="glass", score=0.9, reason=f"says {name}")
    (tmp_path / "m.yaml").write_text(mapping_text([one]), encoding="utf-8")
    mapping = load_mapping(tmp_path / "m.yaml")
    assert len(mapping.materials) == 1
    assert mapping.rule_for(Named(name)) is not None
    assert mapping.rule_for(Named("other")) is None


def test_a_mapping_table_without_rules_can_be_read(tmp_path):
    (tmp_path / "m.yaml").write_text(mapping_text(suggest_all([("", Named("m"))])), "utf-8")
    assert load_mapping(tmp_path / "m.yaml").rules == ()
