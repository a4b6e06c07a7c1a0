# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that would hang a reader, flood it, or give a wrong material without a word."""

import logging
import os

import pytest

from lidar_base.errors import YamlFileError
from lidar_base.files.yaml_files import read_yaml
from material_mapping import (
    DatabaseError,
    MappingError,
    MaterialError,
    OpenMaterials,
    load_mapping,
    open_database,
)
from tests.material_mapping.databases.openmaterial.helpers import (
    brdf,
    in_plane,
    optical,
    write_json,
)

WHOLE = [(angle, 50.0) for angle in range(0, 90, 10)]
LEVELS = 11

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


def of_aliases(*lines):
    """Return lines of YAML in which each names the line before it ten times, and more lines."""
    repeated = (f"  k{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, LEVELS))
    return "\n".join(["textures:", "  k0: &a0 [x, x, x]", *repeated, *lines])


def yaml_problem(tmp_path, text):
    """Return the one line that a YAML file is refused with, without the file's name."""
    path = tmp_path / "m.yaml"
    path.write_text(text)
    with pytest.raises(YamlFileError) as caught:
        read_yaml(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize("number", ["1:30", "-1:30.5", "010", "0_7"])
def test_numbers_that_are_not_what_they_look_like_are_refused(tmp_path, number):
    problem = yaml_problem(tmp_path, f"a:\n  b: {number}\n")
    assert problem == f":2:6: got {number}, expected a decimal number, or a text in quotes"


def test_keys_are_the_texts_that_are_written(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("{010: a, on: b, null: c, 1.50: d, 2026-11-22: e, '1:30': f, 0x10: 16}")
    assert list(read_yaml(path)) == ["010", "on", "null", "1.50", "2026-11-22", "1:30", "0x10"]


@pytest.mark.parametrize(
    "line",
    ["materials: {a: *a10}", "define: {p: {class: *a10}}", "define: {p: {reference: *a10}}"],
)
def test_aliases_that_stand_for_billions_of_values_are_refused_at_once(tmp_path, line):
    assert ": aliases expand to more than 1000000 values" in yaml_problem(
        tmp_path, of_aliases(line)
    )


def test_merged_tables_that_stand_for_billions_of_keys_are_refused_at_once(tmp_path):
    lines = ["x0: &x0 {a: glass, b: glass}"]
    lines += [f"x{n}: &x{n} {{<<: [{', '.join([f'*x{n - 1}'] * 10)}]}}" for n in range(1, LEVELS)]
    assert ": aliases expand to more than 1000000 values" in yaml_problem(
        tmp_path, "\n".join(lines)
    )


def test_an_alias_within_itself_is_refused_with_its_place(tmp_path):
    assert (
        yaml_problem(tmp_path, "a: &a [1, *a]")
        == ":1:4: an alias refers to a node that contains it"
    )


def test_aliases_in_reason_are_read(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("a: &a {x: 1}\nb: {<<: *a, y: 2}\nc: [*a, *a]\n")
    assert read_yaml(path) == {"a": {"x": 1}, "b": {"x": 1, "y": 2}, "c": [{"x": 1}, {"x": 1}]}


@pytest.mark.parametrize(
    ("keys", "key"), [("905: 0.3, 905.0: 0.4", "905.0"), ("yes: 1, true: 2", "true")]
)
def test_a_key_that_is_given_twice_in_two_spellings_is_refused(tmp_path, keys, key):
    assert f"key '{key}' is given twice" in yaml_problem(tmp_path, f"x: {{{keys}}}")


def test_a_rule_s_value_is_shown_in_brief(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(f"materials: {{a: {list(range(10_000))}}}")
    with pytest.raises(MappingError) as caught:
        load_mapping(path)
    assert len(str(caught.value)) < len(str(path)) + 120


def write_rows(folder, rows, name="curve.txt"):
    folder.mkdir(exist_ok=True)
    lines = ["angle reflectance", *(f"{angle} {percent}" for angle, percent in rows), ""]
    (folder / name).write_text("\n".join(lines))
    return folder / name


@pytest.mark.parametrize("n_rows", range(1, len(WHOLE)))
def test_a_945_nm_curve_that_is_cut_off_is_told(tmp_path, caplog, n_rows):
    file = write_rows(tmp_path, WHOLE[:n_rows])
    with caplog.at_level(logging.WARNING):
        open_database(tmp_path).get("curve")
    missing = ", ".join(str(angle) for angle, _ in WHOLE[n_rows:])
    problem = f"no value at {missing} deg, expected 0, 10 .. 80 deg; is the file complete?"
    assert caplog.messages == [f"{file}: {problem}"]


def test_a_whole_945_nm_curve_needs_no_remark(tmp_path, caplog):
    write_rows(tmp_path, [*WHOLE, (85, 20.0)])
    with caplog.at_level(logging.WARNING):
        open_database(tmp_path).get("curve")
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (WHOLE[7:], "covers angles from 70 to 80 deg only, nothing near the perpendicular"),
        (WHOLE[2:], "covers angles from 20 to 80 deg only, nothing near the perpendicular"),
        ([(0, 5), (0.1745, 5), (1.3963, 5)], "at most 1.3963 and look like radians"),
        (
            [(0, 5), (10, 1e7)],
            "line 3: reflectance 1e+07 %, expected at most 1e+06 %; is its unit percent?",
        ),
    ],
)
def test_a_945_nm_curve_that_says_nothing_of_use_is_refused(tmp_path, rows, words):
    file = write_rows(tmp_path, rows)
    with pytest.raises(DatabaseError) as caught:
        open_database(tmp_path).get("curve")
    assert str(caught.value).startswith(f"{file}: ")
    assert words in str(caught.value)


def test_a_refractive_index_of_0_is_refused_with_its_line(tmp_path):
    write_json(tmp_path, "m_optical.xompt", optical([[9e-7, 297, 1.5, 3.0], [1e-6, 297, 0.0, 3.0]]))
    write_json(
        tmp_path, "m.xomp", {"materialProperties": {"opticalPropertiesUri": "m_optical.xompt"}}
    )
    with pytest.raises(MaterialError, match=r"m_optical\.xompt: line 5: refractive index n: got 0"):
        open_database(tmp_path).get("m")


def test_a_look_up_table_that_is_left_out_is_told(tmp_path, caplog):
    write_json(tmp_path, "m_brdf.xompt", brdf(in_plane({0: 0.1, 80: 0.1})))
    uris = ["m_brdf.xompt", "gone_brdf.xompt"]
    file = write_json(tmp_path, "m.xomp", {"materialProperties": {"brdfUris": uris}})
    with caplog.at_level(logging.WARNING):
        open_database(tmp_path).get("m")
    problem = "no such file: 'gone_brdf.xompt'; this look-up table is left out"
    (message,) = caplog.messages
    assert message.startswith(f"{file}: line ")
    assert message.endswith(problem)


def test_what_an_asset_says_in_vain_is_among_its_problems(tmp_path):
    (tmp_path / "m.xomp").write_text("{}")
    write_json(tmp_path, "map.xomm", {"materialMapping": [["Paint", "m.xomp", ""]]})
    textures = {"materialTextureAssignment": [["Paint", "colours.png"]]}
    file = write_json(tmp_path, "car.xoma", {"materialMappingUri": "map.xomm", **textures})
    (problem,) = OpenMaterials.of_asset(file, [tmp_path]).problems
    assert problem.startswith(f"{file}: line ")
    assert "texture 'colours.png' is not opened" in problem


@needs_pipes
def test_a_pipe_in_a_folder_of_openmaterials_is_not_waited_for(tmp_path):
    for name in ("m.xomp", "m.xomm"):
        os.mkfifo(tmp_path / name)
    database = open_database(tmp_path)
    (problem,) = database.problems
    assert problem.startswith(f"{tmp_path / 'm.xomm'}: is a pipe, expected a file")
    with pytest.raises(DatabaseError, match=r"m\.xomp: is a pipe, expected a file"):
        database.get("m")


def test_a_folder_whose_name_is_too_long_is_none(tmp_path):
    with pytest.raises(DatabaseError, match="no such folder"):
        open_database(tmp_path / ("x" * 5000))
