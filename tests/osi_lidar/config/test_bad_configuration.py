# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Whatever a configuration holds: one line that says what and where, and nothing is written."""

import pytest

from tests.builders.files import PNG
from tests.builders.meshes import CUBE
from tests.builders.worlds import SENSOR
from tests.commands import assert_one_line, replay, run

TOO_FINE = (
    "sensors: [{pattern: {kind: grid, horizontal: {min_deg: 0, max_deg: 360, step_deg: 0.000001},"
    " vertical: {min_deg: -5, max_deg: 5, step_deg: 0.01}}}]"
)
TWICE = SENSOR.replace("[0, 5]", "[5, 5]")
LONG = "x" * 300  # longer than the name of a file may be


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["empty"]),
        ("[1, 2]", ["expected keys and values"]),
        ("sensors: [{preset: VLP-16, wavelength_nm: 0.905}]", ["wavelength_nm", "0.905", "200"]),
        ("sensors: [", ["config.yaml:1:"]),
        (f"{SENSOR}sensors: []", ["config.yaml:2:1", "'sensors' is given twice"]),
        ("sensor: []", ["did you mean 'sensors'?"]),
        ("sensors: []", ["sensors: expected 1 or more"]),
        ("sensors: [5]", ["sensors[0]: expected keys"]),
        ("sensors: [{preset: VLP-61}]", ["sensors[0].preset", "did you mean VLP-16?"]),
        ("sensors: [{preset: VLP-16, patern: 1}]", ["patern", "did you mean 'pattern'?"]),
        ("sensors: [{preset: VLP-16, name: ../x}]", ["sensors[0].name", "the name of a folder"]),
        ("sensors: [{preset: VLP-16, max_range_m: .nan}]", ["max_range_m", "got nan"]),
        ("sensors: [{preset: VLP-16, max_range_m: 1.0e+300}]", ["max_range_m", "1000000000"]),
        ("sensors: [{preset: VLP-16, mounting: {x: 1}}]", ["mounting.x", "x_m"]),
        (
            "sensors: [{preset: VLP-16}]\nmaterials: {wall: {reflectance: 0.5}}",
            ["materials.wall", "materials.mapping", "define:"],
        ),
        (
            "sensors: [{preset: VLP-16}]\nmaterials: {define: {w: {reflectance: 0.5}}}",
            ["materials.define", "materials.mapping"],
        ),
        ("sensors: [{preset: OS1-128, columns: 1000}]", ["columns", "1000", "1024"]),
        ("sensors: [{preset: VLP-16, columns: 1000000000}]", ["columns", "1 to 36000"]),
        ("sensors: [{pattern: {kind: gird}}]", ["pattern", "did you mean 'grid'?"]),
        ("sensors: [{preset: VLP-16, name: frames.csv.part}]", ["sensors[0].name", "frames.csv"]),
        ("sensors: [{preset: VLP-16, range_limit: {}}]", ["range_limit", "pairs, pieces and equ"]),
        (
            "sensors: [{preset: VLP-16, range_limit: {pieces: [{pairs: [[10, 5], [80, 1]]}]}}]",
            ["sensors[0].range_limit.pieces[0].pairs", "1 m at 80 %"],
        ),
        (
            "sensors: [{preset: VLP-16, range_limit: {equation: {pairs: [[9, 60]], taget: line}}}]",
            ["sensors[0].range_limit.equation.taget", "did you mean 'target'?"],
        ),
        (TOO_FINE, ["sensors[0].pattern", "at most 33554432"]),
        (TOO_FINE.replace("0.000001", "1e-320"), ["pattern.horizontal.step_deg", "1e-320"]),
        (TWICE, ["sensors[0].pattern.horizontal_deg", "contains 5 deg twice"]),
        (
            "sensors: [{pattern: {kind: angles, horizontal_deg: [], vertical_deg: [1]}}]",
            ["horizontal_deg", "1 or more entries"],
        ),
        ("sensors: [{pattern: {kind: pairs, file: none.csv}}]", ["pattern.file", "no such file"]),
        ("sensors: [{pattern: {kind: pairs, file: config.yaml}}]", ["contains no beams"]),
        (f"{SENSOR}scene: {{serach: [x]}}", ["scene.serach", "did you mean 'search'?"]),
        (f"{SENSOR}scene: {{search: [none]}}", ["scene.search[0]", "no such folder"]),
        (f"{SENSOR}scene: {{environment: [{{mesh: no.obj}}]}}", ["environment[0].mesh", "no.obj"]),
        (f"{SENSOR}scene: {{environment: [{{mesh: bad.obj}}]}}", ["bad.obj", "has no faces"]),
        (
            f"{SENSOR}scene: {{objects: [{{match: {{type: VEHICLE}}, mesh: bad.obj}}]}}",
            ["bad.obj", "has no faces"],
        ),
        (f"{SENSOR}scene: {{objects: [{{match: {{}}, mesh: bad.obj}}]}}", ["match: is empty"]),
        (
            f"{SENSOR}scene: {{environment: [{{mesh: cube.obj, scale: 1e300}}]}}",
            ["environment[0].scale", "1e+300"],
        ),
        (
            f"{SENSOR}scene: {{environment: [{{mesh: cube.obj, scale: 1e-300}}]}}",
            ["environment[0].scale", "1e-300"],
        ),
        (f"{SENSOR}scene: {{ground: atuo}}", ["scene.ground", "auto"]),
        (f"{SENSOR}scene: {{roads: maybe}}", ["scene.roads: expected auto, true or false"]),
        (f"{SENSOR}scene: {{markings: {{gap_m: 1.0e-9}}}}", ["scene.markings.gap_m", "0.1"]),
        (f"{SENSOR}scene: {{environment: [{{mesh: {LONG}.obj}}]}}", ["environment[0].mesh", LONG]),
        (f"{SENSOR}scene: {{environment: [{{mesh: {LONG}.xoma}}]}}", ["environment[0].mesh", LONG]),
        (f"{SENSOR}scene: {{search: [{LONG}]}}", ["scene.search[0]", LONG]),
        (f"{SENSOR}materials: {{mapping: {LONG}}}", ["materials.mapping", LONG]),
        (f"{SENSOR}materials: {{default: concret}}", ["materials.default", "did you mean"]),
        (f"{SENSOR}materials: {{mapping: none.yaml}}", ["materials.mapping", "no such file"]),
        (f"{SENSOR}materials: {{mapping: bad.yaml}}", ["bad.yaml", "asfalt_worn", "asphalt_worn"]),
        (f"{SENSOR}output: {{pcd: bin}}", ["output.pcd", "did you mean 'binary'?"]),
        (f"{SENSOR}seed: 1.5", ["seed", "1.5"]),
    ],
)
def test_a_configuration_that_cannot_be_used_is_refused_before_anything_is_written(
    trace, config, text, words
):
    (config.parent / "bad.obj").write_text("v 0 0 0\n")
    (config.parent / "cube.obj").write_text(CUBE)
    (config.parent / "bad.yaml").write_text("materials: {a: asfalt_worn}\n")
    config.write_text(text)
    assert_one_line(replay(trace, config), 2, *words)
    assert not (config.parent / "out").exists()


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", PNG, b"a: \x00"])
def test_a_configuration_that_is_no_text_is_refused(trace, config, content):
    config.write_bytes(content)
    assert_one_line(replay(trace, config), 2, "not a text file")


@pytest.mark.parametrize("command", ["check", "scan", "replay"])
def test_a_missing_configuration_is_named(tmp_path, trace, command):
    arguments = [command, *([trace] if command == "replay" else [])]
    assert_one_line(run(*arguments, "--config", tmp_path / "no.yaml"), 2, "no.yaml: no such file")
