# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of OpenMATERIAL 3D that are not as the standard says: one line each."""

import json
import math
import random

import numpy as np
import pytest

from material_mapping.databases.openmaterial.asset import read_asset, read_mapping, read_material
from material_mapping.databases.openmaterial.brdf import read_brdf
from material_mapping.databases.openmaterial.json_files import line_of
from material_mapping.databases.openmaterial.tables import read_refractive_index
from material_mapping.errors import DatabaseError
from tests.material_mapping.databases.openmaterial.helpers import (
    WAVELENGTH_M,
    brdf,
    in_plane,
    message,
    optical,
)


def test_unsorted_rows_are_sorted(write):
    rows = in_plane({0: 0.3, 20: 0.2, 40: 0.1})
    table = read_brdf(write("x_brdf.xompt", brdf(rows[::-1])))
    np.testing.assert_array_equal(table.retro(np.array([0, 20, 40.0]), 905), [0.3, 0.2, 0.1])


def test_rows_with_null_are_left_out_and_told(write):
    path = write(
        "x_brdf.xompt", brdf([*in_plane({0: 0.3, 80: 0.2}), [WAVELENGTH_M, 1.5, 1.5, 0, None]])
    )
    table = read_brdf(path)
    assert table.angle_range_deg == (0.0, 80.0)
    assert table.remarks == (f"{path}: 1 rows with null are left out",)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            [WAVELENGTH_M, 0.1, 0.1, 0],
            "expected 5 numbers: wavelength, incident zenith angle, exit zenith",
        ),
        ([WAVELENGTH_M, 0.1, 0.1, 0, 0.1, 0.1], "expected 5 numbers"),
        ([], "got [], expected 5 numbers"),
        ([WAVELENGTH_M, 0.1, 0.1, 0, "0.1"], "BRDF: got '0.1', expected 0 to 1e+12 1/sr"),
        ([WAVELENGTH_M, 0.1, 0.1, 0, True], "BRDF: got True, expected"),
        ([WAVELENGTH_M, 0.1, 0.1, 0, -0.1], "BRDF: got -0.1, expected 0 to"),
        ([WAVELENGTH_M, 0.1, 0.1, 0, math.nan], "BRDF: got inf, expected"),
        ([WAVELENGTH_M, 0.1, 0.1, 0, math.inf], "BRDF: got inf, expected"),
        ([WAVELENGTH_M, 0.1, 0.1, 0, 10**400], "BRDF: got inf, expected"),
        (
            [WAVELENGTH_M, 1.6, 0.1, 0, 0.1],
            "incident zenith angle: got 1.6, expected 0 to 1.5708 rad",
        ),
        ([WAVELENGTH_M, 0.1, 45, 0, 0.1], "exit zenith angle: got 45.0, expected 0 to 1.5708 rad"),
        ([WAVELENGTH_M, 0.1, -0.1, 0, 0.1], "exit zenith angle: got -0.1, expected"),
        (
            [WAVELENGTH_M, 0.1, 0.1, 7, 0.1],
            "exit azimuth angle: got 7.0, expected 0 to 6.28319 rad",
        ),
        ([905, 0.1, 0.1, 0, 0.1], "wavelength: got 905.0, expected 1e-09 to 0.01716 m"),
        (
            [WAVELENGTH_M, 0.0, 0.0, 0, 0.2],
            "a second row for 9.05e-07, 0, 0, 0, expected each combination",
        ),
    ],
    ids=str,
)
def test_bad_row_is_one_line_with_its_number(write, row, problem):
    path = write("x_brdf.xompt", brdf([*in_plane({0: 0.3, 20: 0.2}), row]))
    text = message(path, read_brdf)
    assert text.startswith("line 6: ")
    assert problem in text


@pytest.mark.parametrize("rows", [[], [[None] * 5]], ids=["none", "null"])
def test_empty_table_is_refused(write, rows):
    text = message(write("x_brdf.xompt", brdf(rows)), read_brdf)
    assert "brdf.lookupTable has no complete row, expected rows of numbers" in text
    text = message(write("x_optical.xompt", optical([])), read_refractive_index)
    assert "opticalProperties has no complete row" in text


def test_bad_optical_rows_are_refused(write):
    path = write("x_optical.xompt", optical([[WAVELENGTH_M, 300, 1.5, -0.1]]))
    assert "extinction coefficient k: got -0.1" in message(path, read_refractive_index)
    path = write(
        "x_optical.xompt", optical([[WAVELENGTH_M, None, 1.5, 0], [WAVELENGTH_M, None, 1.6, 0]])
    )
    assert "a second row for 9.05e-07, expected" in message(path, read_refractive_index)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "line 1: brdf.lookupTable is missing, expected a list"),
        ({"brdf": {"wavelengths": []}}, "line 3: brdf.lookupTable is missing"),
        ({"brdf": 1}, "line 3: brdf: got 1.0, expected a table of keys"),
        ({"brdf": {"lookupTable": {}}}, "line 3: brdf.lookupTable: got {}, expected a list"),
        ({"metadata": []}, "line 2: metadata: got [], expected a table of keys"),
        ({"metadata": None}, "line 1: metadata is missing, expected a table of keys"),
        ({"metadata": {"license": 1}}, "line 2: metadata.license: got 1.0, expected a text"),
        ({"metadata": {"authors": [1]}}, "line 2: metadata.authors: got 1.0, expected a text, or"),
    ],
    ids=str,
)
def test_missing_keys_and_wrong_types_are_one_line_with_its_number(write, content, problem):
    assert problem in message(write("x_brdf.xompt", content), read_brdf)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{\n"metadata": {},\n"brdf" {}\n}', "line 3: not JSON: Expecting ':' delimiter"),
        (b"", "line 1: not JSON: Expecting value"),
        (b"\xff\xfe{", "not a text file (UTF-8), expected JSON"),
        (b'{"metadata": {"name": "\\ud800"}}', "not a text file (UTF-8), expected JSON"),
        (b"[1, 2]", "line 1: got [1.0, 2.0], expected a table of keys"),
        (b'{"a": 1, "b": 2, "a": 3}', "line 1: key 'a' is given twice in one table"),
        (
            b'{"a": [{"b": "{\\"b\\": 1"},\n{"b": 1,\n"c": "b",\n"\\u0062": {}}]}',
            "line 4: key 'b' is given twice in one table",
        ),
        (b"[" * 100_000, "nested too deeply"),
    ],
    ids=["syntax", "empty", "binary", "half character", "list", "twice", "twice within", "deep"],
)
def test_file_that_is_no_table_of_json_is_one_line(tmp_path, content, problem):
    path = tmp_path / "x.xomm"
    path.write_bytes(content)
    assert message(path, read_mapping, [tmp_path]).startswith(problem)


def test_missing_file_and_folder_are_one_line(tmp_path):
    path = tmp_path / "x.xomp"
    assert message(path, read_material, []) == "no such file"
    assert message(tmp_path, read_material, []).startswith("cannot be read: ")


def test_huge_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("material_mapping.databases.openmaterial.json_files.MAX_FILE_BYTES", 2**20)
    path = tmp_path / "x.xoma"
    path.write_bytes(b" " * (2**20 + 1))
    assert message(path, read_asset, []) == "too large, expected at most 1 MiB"


def test_byte_order_mark_and_windows_lines_are_read(tmp_path):
    path = tmp_path / "x.xoma"
    path.write_bytes(b'\xef\xbb\xbf{"metadata":\r\n{"name": "Car"}}')
    assert read_asset(path, []).metadata.name == "Car"


@pytest.mark.parametrize(
    ("version", "remark"),
    [
        ("1.0.0", None),
        ("1.1.7", None),
        ("1.2.0", "follows OpenMATERIAL 3D 1.2.0, newer than 1.1; read as 1.1"),
        ("2.0.0", "follows OpenMATERIAL 3D 2.0.0, newer than 1.1; read as 1.1"),
        ("new", "got version 'new', expected one such as 1.1.0; read as 1.1"),
    ],
)
def test_newer_version_is_read_and_told(write, version, remark):
    path = write("x.xoma", {}, openMaterial3dVersion=version)
    expected = () if remark is None else (f"{path}: line 2: {remark}",)
    assert read_asset(path, []).remarks == expected


def test_line_of_a_value_is_found_in_any_layout():
    text = '{"a": {"x": "]}", "b":\n [1, [2],\n {"c": null}]}\n}'
    assert line_of(text, ("a", "b", 2, "c")) == 3
    assert line_of(text, ("a", "b", 1, 0)) == 2
    assert line_of(text, ("a", "b", 7)) == 2
    assert line_of(text, ()) == 1


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_broken_in_a_file_the_error_is_one_line(write, tmp_path, seed):
    write("a_brdf.xompt", brdf(in_plane({0: 0.1, 40: 0.2})))
    rows = [["A", "a.xomp", ""], ["rgb:1;2;3", "b.xomp", "b"]]
    properties = {"brdfUris": ["a_brdf.xompt"], "surfaceRoughness": {"surfaceHeightRms": 1}}
    files = {
        write("x.xomm", {"materialMapping": rows}): lambda path: read_mapping(path, [tmp_path]),
        write("x.xoma", {"materialReplacements": [["A", "B"]]}): lambda path: read_asset(path, []),
        write("x.xomp", {"materialProperties": properties}): lambda path: read_material(
            path, [tmp_path]
        ),
        write("x_brdf.xompt", brdf(in_plane({0: 0.1, 40: 0.2}))): read_brdf,
    }
    values = [None, True, -1, 1e300, "", "rgb:", [], {}, [[]], [None], "\ud800", "\n"]
    chance = random.Random(seed)  # noqa: S311  no secrets
    for path, read in files.items():
        good = json.loads(path.read_text(encoding="utf-8"))
        for _ in range(100):
            content = json.loads(json.dumps(good))
            part = content
            while True:
                key = chance.choice(list(part) if isinstance(part, dict) else range(len(part)))
                if not (isinstance(part[key], dict | list) and part[key]) or chance.random() < 0.2:
                    break
                part = part[key]
            part[key] = chance.choice(values)
            path.write_text(json.dumps(content, indent=chance.choice([None, 1])), encoding="utf-8")
            try:
                remarks = read(path).remarks
            except DatabaseError as error:
                remarks = (str(error),)
            for remark in remarks:
                assert remark.isprintable()
