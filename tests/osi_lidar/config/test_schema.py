# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The schema of the configuration accepts what load_config accepts, and explains every key."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from lidar_base.files.yaml_files import read_yaml, read_yaml_text
from osi_lidar.config import Config
from osi_lidar.config.schema import config_schema, schema_text
from osi_lidar.sensors.configured_sensors import ready_names
from osi_lidar.sensors.presets import preset_aliases, preset_names
from tests.builders.extras import needs
from tests.builders.worlds import SENSOR
from tests.commands import run

pytestmark = needs("jsonschema")
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
REPOSITORY = Path(__file__).resolve().parents[3]
SCHEMA = config_schema()
FILE = REPOSITORY / "docs" / "configuration.schema.json"
SCENARIOS = sorted(
    path
    for path in (REPOSITORY / "scenarios").glob("*/*.yaml")
    if path.name in ("config.yaml", "lissajous.yaml", "rosette.yaml")
)


@cache
def validator():
    """Return what holds data against the schema; its package takes long to import."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(SCHEMA)


def problems(data):
    return [error.message for error in validator().iter_errors(data)]


def examples():
    """Yield the blocks of the documentation that are configurations, or sections of one."""
    for page in sorted((REPOSITORY / "docs").rglob("*.md")):
        for block in BLOCK.findall(page.read_text("utf-8")):
            data = read_yaml_text(block, page.name)
            if "sensors" in data or ({*data} <= {*Config.model_fields} and "scene" in data):
                yield pytest.param({"sensors": [{"preset": "VLP-16"}], **data}, id=page.stem)


@pytest.mark.long
def test_the_schema_itself_is_one_and_the_file_in_the_repository_is_up_to_date(tmp_path):
    type(validator()).check_schema(SCHEMA)
    made = tmp_path / "schema.json"
    assert run("config", "schema", "--out", made).exit_code == 0
    assert made.read_text(encoding="utf-8") == FILE.read_text(encoding="utf-8")
    assert json.loads(run("config", "schema").stdout) == json.loads(schema_text())


def test_every_key_is_explained_and_no_other_is_allowed():
    for model in (SCHEMA, *SCHEMA["$defs"].values()):
        assert model["additionalProperties"] is False
        assert model["title"]
        for key, field in model["properties"].items():
            assert field["title"].split()[0] == key
            assert field["description"]
            assert "](" not in field["description"]  # a link leads nowhere in an editor


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_scenarios_are_valid_and_name_the_schema(path):
    assert problems(read_yaml(path)) == []
    (named,) = re.findall(r"^# yaml-language-server: \$schema=(\S+)", path.read_text("utf-8"))
    assert (path.parent / named).resolve() == FILE


@pytest.mark.parametrize("data", list(examples()))
def test_examples_of_the_documentation_are_valid(data):
    assert problems(data) == []


@pytest.mark.parametrize("name", [*preset_names(), *ready_names(), *preset_aliases()])
def test_known_sensors_are_accepted_as_people_spell_them(name):
    for spelt in (name, name.lower(), name.upper(), name.replace("-", " "), name.replace("-", "")):
        assert problems({"sensors": [{"preset": spelt}]}) == []


@pytest.mark.parametrize(
    "text",
    [
        "scene: {objects: [{match: {id: 17}, mesh: CAR.GLB}]}",
        "scene: {objects: [{match: {id: [17, 18]}, mesh: car.xoma}], ground: -1.5}",
        "scene: {roads: true, ground: none}",
        "materials: {databases: [folder, {folder: other, kind: tof945}], default: null}",
        "output: {motion: text, motion_objects: 4}",
        "poses: poses.csv",
        "poses: [{x_m: 1}]",
    ],
)
def test_what_may_be_written_in_several_ways_is_valid(text):
    assert problems(read_yaml_text(f"{SENSOR}\n{text}", "text")) == []


@pytest.mark.parametrize(
    "text",
    [
        "sensors: []",
        "sensors: [{preset: OS1-182}]",
        "sensors: [{preset: VLP-16, fidelity: fysical}]",
        "sensors: [{preset: VLP-16, mountin: {z_m: 1}}]",
        "sensors: [{preset: VLP-16, mounting: {z_m: high}}]",
        "sensors: [{preset: VLP-16, max_range_m: -1}]",
        "sensors: [{pattern: {kind: grdi}}]",
        "sensors: [{preset: VLP-16}]\nscene: {environment: [{mesh: town.txt}]}",
        "sensors: [{preset: VLP-16}]\nscene: {ground: flat}",
        "sensors: [{preset: VLP-16}]\noutput: {pcd: ascci}",
        "sensors: [{preset: VLP-16}]\nseeds: 1",
        "version: 2\nsensors: [{preset: VLP-16}]",
    ],
)
def test_typing_errors_are_found(text):
    assert problems(read_yaml_text(text, "text"))
