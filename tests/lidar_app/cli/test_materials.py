# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands on infrared materials, as a user types them."""

import json
import math

import pytest
from matplotlib.image import imread

from lidar_app.show.check import check
from lidar_app.show.check_tables import check_tables
from material_mapping import builtin_materials, load_mapping
from osi_lidar.run.example_scene import street
from osi_lidar.run.frame_source import FrameSource
from tests.builders.materials import SPECTRUM
from tests.builders.meshes import CUBE
from tests.builders.messages import framed, moving
from tests.builders.worlds import SENSOR
from tests.commands import assert_one_line, run
from tests.material_mapping.databases.openmaterial.helpers import brdf, in_plane, write_json

TEN_DEGREES = list(range(0, 91, 10))
MATERIALS = "usemtl Paint_Red\n", "usemtl Window_Glass\n", "usemtl xyzzy\n"


@pytest.fixture
def spectra(tmp_path):
    """Return a database with one usable spectrum."""
    folder = tmp_path / "spectra"
    folder.mkdir()
    (folder / "board.spectrum.txt").write_text(SPECTRUM)
    return folder


def config_of(folder, text):
    path = folder / "config.yaml"
    path.write_text(SENSOR + text)
    return path


def plain(result):
    """Return what a command shows in one line, without the frames of tables."""
    return " ".join(result.output.translate(dict.fromkeys(map(ord, "│┃"), " ")).split())


def printed(*arguments):
    result = run("materials", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("words", [(), ("list",)])
def test_materials_are_listed_with_or_without_the_word(words):
    output = run("materials", *words).output
    assert all(name in output for name in builtin_materials())
    assert [each["name"] for each in printed(*words)] == list(builtin_materials())


def test_the_list_holds_the_materials_of_databases_by_their_whole_names(spectra):
    long = (
        "manmade.road.paint.solid.all.0001uuupnt.nobody.tested.for.a.name.of.more.than.80.letters"
    )
    (spectra / f"{long}.spectrum.txt").write_text(SPECTRUM)
    listed = {each["name"]: each for each in printed("--database", spectra)}
    assert listed["board"]["reflectance"] == pytest.approx(0.205)  # 905 of 800 to 1000 nm
    assert listed["board"]["wavelength_nm"] == [800.0, 1000.0]
    assert listed["board"]["database"] == str(spectra)
    assert set(builtin_materials()) < set(listed)
    lines = run("materials", "list", "--database", spectra).output.splitlines()
    (line,) = [line for line in lines if long in line]
    assert "20.5 %" in line


def test_a_list_at_a_wavelength_leaves_out_what_is_not_known_there(spectra):
    (board,) = [
        each
        for each in printed("list", "--database", spectra, "--wavelength", 1550)
        if each["name"] == "board"
    ]
    assert board["reflectance"] is None


def test_files_of_a_database_that_cannot_be_used_are_told_and_left_out(spectra):
    (spectra / "broken.spectrum.txt").write_text(SPECTRUM.replace("percent", "apples"))
    result = run("materials", "list", "--database", spectra, "--json")
    assert result.exit_code == 0
    names = [each["name"] for each in json.loads(result.stdout)]
    assert "board" in names
    assert "broken" not in names
    (line,) = result.stderr.strip().splitlines()
    assert "broken.spectrum.txt" in line
    assert "apples" in line


def test_a_material_is_shown_with_its_values_and_where_they_come_from(spectra):
    output = plain(run("materials", "show", "board", "--database", spectra))
    for words in (
        "general", "800 to 1000 nm", "percent", "board.spectrum.txt", "one sample",
        "Jet Propulsion Laboratory", "near normal", "905 nm", "20.5 %", "10.25 %", "90 deg",
    ):  # fmt: skip
        assert words in output, words


def test_a_material_is_printed_for_programs(spectra):
    shown = printed("show", "board", "--database", spectra, "--wavelength", 900)
    assert shown["unit"] == "percent"
    assert shown["angle_deg"] == TEN_DEGREES
    (at,) = shown["at"]
    assert (at["wavelength_nm"], at["values_at_nm"]) == (900.0, 900.0)
    expected = [0.2 * math.cos(math.radians(angle)) for angle in TEN_DEGREES]
    assert at["reflectivity"] == pytest.approx(expected, abs=1e-7)
    assert at["transmittance"] == [0.0] * 10
    for key in ("class", "source", "licence", "uncertainty", "note", "database"):
        assert shown[key], key


def test_a_wavelength_that_a_spectrum_lacks_is_one_line_with_its_range(spectra):
    result = run("materials", "show", "board", "--wavelength", 1550, "--database", spectra)
    assert_one_line(result, 2, "board", "1550 nm", "800 to 1000 nm")


def test_the_wavelengths_are_those_of_the_sensors_and_what_stands_in_is_named(tmp_path):
    sensors = "sensors: [{preset: VLP-16}, {preset: VLP-16, name: far, wavelength_nm: 1550}]\n"
    mapping = "define: {mine: {reflectance: [[0, 0.5], [60, 0.2]], wavelength_nm: 1500}}\n"
    (tmp_path / "materials.yaml").write_text(mapping)
    config = tmp_path / "config.yaml"
    config.write_text(sensors + "materials: {mapping: materials.yaml}\n")
    shown = printed("show", "mine", "--config", config)
    assert [(at["wavelength_nm"], at["values_at_nm"]) for at in shown["at"]] == [
        (905.0, 1500.0),
        (1550.0, 1500.0),
    ]
    assert shown["last_angle_deg"] == 60.0
    output = run("materials", "show", "mine", "--config", config).output
    assert "60 deg of incidence" in output
    assert "1500 nm" in output


def test_a_databases_material_goes_before_the_built_in_one_of_its_name(spectra):
    (spectra / "board.spectrum.txt").rename(spectra / "concrete.spectrum.txt")
    assert printed("show", "concrete", "--database", spectra)["database"] == str(spectra)
    config = config_of(spectra.parent, "materials: {databases: [spectra]}\n")
    assert printed("show", "concrete", "--config", config)["database"] == str(spectra)
    assert not printed("show", "concrete")["database"]


@pytest.mark.parametrize(
    "name", ["lambertian_50", "car_paint_silver", "transparent", "absorber", "glass", "board"]
)
def test_the_plot_is_a_picture_of_both_curves(spectra, name):
    picture = spectra / "plot.png"
    result = run("materials", "show", name, "--database", spectra, "--plot", picture)
    assert result.exit_code == 0, result.output
    assert str(picture) in result.output
    assert imread(picture).shape[:2] == (640, 1500)


def test_a_name_that_looks_like_a_formula_is_drawn_as_it_is(tmp_path):
    formula = "x$\\frac$y"
    entry = {"reflectance": 0.3, "source": formula, "uncertainty": "none"}
    (tmp_path / "m.yaml").write_text(json.dumps({"define": {formula: entry}}))
    config, picture = config_of(tmp_path, "materials: {mapping: m.yaml}"), tmp_path / "plot.png"
    result = run("materials", "show", formula, "--config", config, "--plot", picture)
    assert result.exit_code == 0, result.output
    assert imread(picture).shape == (640, 1500, 4)


@pytest.mark.parametrize(
    ("model", "known", "words"),
    [
        (
            "{kind: coated, reflectance: 0.2, roughness: 0.3}",
            None,
            ["coated: reflectance 0.2, roughness 0.3, n 1.5, k 0", "every wavelength"],
        ),
        (
            "{kind: coated, reflectance: 0.2, roughness: 0.3, n: {905: 1.5, 1550: 1.45}}",
            [905.0, 1550.0],
            ["n 1.5 at 905 nm, 1.45 at 1550 nm", "905 to 1550 nm"],
        ),
        ("{kind: lambert, reflectance: {905: 0.2}}", [905.0, 905.0], ["lambert", "905 nm"]),
    ],
)
def test_a_reflection_model_is_shown_listed_and_drawn(tmp_path, model, known, words):
    (tmp_path / "map.yaml").write_text(f"define: {{my paint: {{model: {model}}}}}")
    config = config_of(tmp_path, "materials: {mapping: map.yaml}\n")
    picture = tmp_path / "paint.png"
    result = run("materials", "show", "my paint", "--config", config, "--plot", picture)
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.replace("│", " ").split())
    assert all(word in shown for word in words), shown
    assert imread(picture).std() > 0.01
    summary = json.loads(run("materials", "--config", config, "--json").stdout)[-1]
    assert (summary["name"], summary["wavelength_nm"]) == ("my paint", known)
    assert summary["model"].startswith(model[7:13])
    assert "my paint" in run("materials", "--config", config).stdout


def test_a_model_that_cannot_be_is_one_line_with_file_and_key(tmp_path):
    (tmp_path / "map.yaml").write_text("define: {paint: {model: {kind: coatd}}}")
    config = config_of(tmp_path, "materials: {mapping: map.yaml}\n")
    words = ["map.yaml: define.paint.model: got kind 'coatd'", "did you mean 'coated'?"]
    assert_one_line(run("check", "--config", config), 1, *words)
    assert_one_line(run("materials", "show", "paint", "--config", config), 2, *words)


def test_a_plot_beside_what_is_for_programs_leaves_it_json(tmp_path):
    shown = printed("show", "brick", "--plot", tmp_path / "plot.png")
    assert shown["plot"] == str(tmp_path / "plot.png")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "bricc"), ("bricc", "did you mean 'brick'?")),
        (("show", "brick", "--wavelength", "100"), ("--wavelength", "100", "200 to 20000")),
        (("show", "brick", "--plot", "/nowhere/x.png"), ("/nowhere/x.png", "cannot be written")),
        (("show", "brick", "--database", "/nowhere"), ("/nowhere", "no such folder")),
        (("show", "brick", "--config", "/nowhere.yaml"), ("/nowhere.yaml", "no such file")),
        (("list", "--database", "/nowhere"), ("/nowhere", "no such folder")),
        (("suggest", "-c", "/nowhere.yaml"), ("/nowhere.yaml", "no such file")),
        (("hits", "/nowhere"), ("/nowhere", "no such folder")),
    ],
)
def test_what_cannot_be_had_is_one_line(arguments, words):
    assert_one_line(run("materials", *arguments), 2, *words)


def test_a_name_without_the_word_show_is_told_what_to_type():
    result = run("materials", "brick")
    assert result.exit_code == 2
    assert "materials show brick" in plain(result)


def cube_with(materials):
    """Return a cube whose first faces have these materials, one each."""
    *vertices, first, second, third, fourth, fifth, sixth = CUBE.splitlines(keepends=True)
    faces = [first, second, third, fourth, fifth, sixth]
    head = [line for pair in zip(materials, faces, strict=False) for line in pair]
    return "".join([*vertices, *head, *faces[len(materials) :]])


@pytest.fixture
def town(tmp_path):
    """Return a configuration with an environment, a rule's mesh, and a folder of others."""
    (tmp_path / "library").mkdir()
    (tmp_path / "house.obj").write_text(cube_with(["usemtl Brick_Wall\n"]))
    (tmp_path / "car.obj").write_text(cube_with(MATERIALS))
    (tmp_path / "library" / "tree.obj").write_text(cube_with(["usemtl Tree_Bark\n"]))
    return config_of(
        tmp_path,
        "scene:\n"
        "  environment: [{mesh: house.obj}]\n"
        "  objects: [{match: {type: VEHICLE}, mesh: car.obj, materials: {Paint_Red: brick}}]\n"
        "  search: [library]\n"
        "materials: {mapping: materials.yaml}\n",
    )


def suggested(result):
    """Return the visual names in a mapping file, commented out or not."""
    assert result.exit_code == 0, result.output
    lines = [line.strip(" #") for line in result.stdout.splitlines()]
    return {line.split(":")[0] for line in lines if ": " in line and "  " in line}


def test_without_a_trace_all_meshes_of_the_search_folders_count(town):
    result = run("materials", "suggest", "-c", town)
    names = suggested(result)
    assert {"Brick_Wall", "Paint_Red", "Window_Glass", "Tree_Bark"} <= names
    for words in ("4 meshes", "3 meshes"):
        assert (words in result.stderr) == (words == "3 meshes")
    assert "xyzzy" in result.stderr


def test_with_a_trace_only_the_meshes_that_it_needs_count(town):
    trace = town.parent / "trace.osi"
    trace.write_bytes(framed(moving()))
    names = suggested(run("materials", "suggest", trace, "-c", town))
    assert {"Brick_Wall", "Paint_Red", "Window_Glass"} <= names
    assert "Tree_Bark" not in names


def test_what_is_suggested_is_a_mapping_that_a_run_takes(town):
    file = town.parent / "materials.yaml"
    result = run("materials", "suggest", "-c", town, "--out", file)
    assert result.exit_code == 0, result.output
    for words in ("Brick_Wall", "Score", "Reason", str(file)):
        assert words in result.stdout.replace("\n", "") or words in result.stdout
    rules = {rule.pattern: rule.material for rule in load_mapping(file).materials}
    assert rules["Brick_Wall"] == "brick"
    assert rules["Window_Glass"] == "glass"
    output = run("check", "--config", town).output
    assert "rule" in output
    assert "default" in output  # xyzzy says nothing


def test_only_what_no_rule_decides_is_asked_for(town):
    names = suggested(run("materials", "suggest", "-c", town, "--unmapped"))
    assert {"Brick_Wall", "Window_Glass"} <= names
    trace = town.parent / "trace.osi"
    trace.write_bytes(framed(moving()))
    names = suggested(run("materials", "suggest", trace, "-c", town, "--unmapped"))
    assert {"Brick_Wall", "Window_Glass"} <= names
    assert "Paint_Red" not in names  # the rule of the objects decides


def test_a_complete_mapping_leaves_nothing_to_suggest():
    scenario = street()
    result = run("materials", "suggest", scenario.trace, "-c", scenario.config, "--unmapped")
    assert result.exit_code == 0, result.output
    assert "nothing to suggest" in result.stderr


def test_a_mapping_is_never_written_over_unless_told_so(town):
    file = town.parent / "mine.yaml"
    file.write_text("keep")
    result = run("materials", "suggest", "-c", town, "--out", file)
    assert_one_line(result, 2, file, "--overwrite")
    assert file.read_text() == "keep"
    assert run("materials", "suggest", "-c", town, "--out", file, "--overwrite").exit_code == 0
    assert "Brick_Wall" in file.read_text()
    before = town.read_text()
    result = run("materials", "suggest", "-c", town, "--out", town, "--overwrite")
    assert_one_line(result, 2, town, "input")
    assert town.read_text() == before
    mesh = town.parent / "car.obj"
    before = mesh.read_text()
    result = run("materials", "suggest", "-c", town, "--out", mesh, "--overwrite")
    assert_one_line(result, 2, mesh, "not a mapping (.yaml)")
    assert mesh.read_text() == before


def test_a_mesh_of_the_search_folders_that_does_not_open_is_left_out(town, caplog):
    (town.parent / "library" / "broken.obj").write_text("f 1 2 3\n")
    assert "Tree_Bark" in suggested(run("materials", "suggest", "-c", town))
    assert [line for line in caplog.messages if "broken.obj" in line and "skipped" in line]


def test_a_configuration_without_meshes_has_nothing_to_suggest_for(tmp_path):
    result = run("materials", "suggest", "-c", config_of(tmp_path, ""))
    assert_one_line(result, 2, "config.yaml", "no mesh")


def rows_of_materials(config, *arguments):
    """Return the rows of check's table of materials: name, visual names, by what, made do with."""
    tables = check_tables(check(config, *arguments))
    (materials,) = [each for each in tables if each.title == "Materials"]
    return set(materials.rows)


def test_check_says_what_decided_each_material(tmp_path, spectra):
    """By a rule, by an OpenMATERIAL mapping, by the built-in rule and by the default."""
    folder = tmp_path / "open"
    rows = [["Window_Glass", "paint.xomp", ""], ["Gone", "gone.xomp", ""]]
    table = write_json(folder, "table.xomm", {"materialMapping": rows})
    write_json(folder, "paint.xomp", {"materialProperties": {"brdfUris": ["paint.xompt"]}})
    lookup = brdf(in_plane(dict.fromkeys(range(0, 90, 10), 0.1)))
    write_json(folder, "paint.xompt", lookup)
    (tmp_path / "cube.obj").write_text(cube_with([*MATERIALS, "usemtl Gone\n"]))
    (tmp_path / "materials.yaml").write_text("materials: {Paint_Red: board}")
    config = tmp_path / "config.yaml"
    config.write_text(
        "sensors: [{preset: VLP-16, wavelength_nm: 802}]\n"
        "scene: {environment: [{mesh: cube.obj}]}\n"
        f"materials: {{mapping: materials.yaml, databases: [{spectra.name}, open]}}\n"
    )
    stand_in = "802 nm: as at 905 nm"
    rows = rows_of_materials(config)
    assert ("board", "Paint_Red", "rule materials.Paint_Red", "") in rows
    by = f"asset's or database's mapping {table.name}: Window_Glass"
    assert ("paint", "Window_Glass", by, stand_in) in rows
    assert ("lambertian_50", "xyzzy", "default", "") in rows
    (gone,) = [row for row in rows if "Gone" in row[1]]
    assert gone[2] == "default"
    assert "gone.xomp" in gone[3]
    trace = tmp_path / "trace.osi"
    trace.write_bytes(framed(moving()))
    config.write_text(f"{SENSOR}scene: {{shapes: box}}\n")
    boxes = rows_of_materials(config, FrameSource(trace))
    assert ("lambertian_50", "box", "built-in rule", "") in boxes
