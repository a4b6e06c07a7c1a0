# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of mapping tables accepts what the reader accepts, key by key."""

import json
from functools import cache

import pytest

from lidar_base.files.yaml_files import read_yaml_text
from material_mapping import MappingError, load_mapping, mapping_schema
from material_mapping.yaml_models import MODELS
from tests.builders.extras import needs
from tests.commands import run

pytestmark = needs("jsonschema")
SCHEMA = mapping_schema()
GOOD = (
    'materials: {"Paint_*": concrete, "rgb:1;2;3": glass}',
    "{materials: , textures: {a.png: wood}, meshes: {car.obj: {Body: steel}}}",
    "define: {x: {reflectance: 0.5, source: a book, class: general}}",
    "define: {x: {reflectance: {905: 0.5, 1550: [[0, 0.1], [80, 0.2]]}, bands_resolved: true}}",
    "define: {x: {model: {kind: ggx, roughness: 0.2, n: {905: 1.5}}}}",
    "define: {x: {class: glass, refractive_index: [1.5, 0.1]}}",
)
BAD = (
    "material: {a: concrete}",
    "materials: {a: 5}",
    "meshes: {car.obj: }",
    "define: {x: {reflectance: high}}",
    "define: {x: {reflectance: 0.5, source: }}",
    "define: {x: {model: {kind: ggx, roughness: 2, n: 1.5}}}",
    "define: {x: {model: {kind: ggx, roughness: 0.2}}}",
)


@cache
def validator():
    """Return what holds data against the schema; its package takes long to import."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(SCHEMA)


@pytest.mark.long
def test_the_schema_is_one_and_the_command_prints_it(tmp_path):
    type(validator()).check_schema(SCHEMA)
    assert json.loads(run("materials", "schema").stdout) == SCHEMA
    run("materials", "schema", "--out", tmp_path / "s.json")
    assert json.loads((tmp_path / "s.json").read_text(encoding="utf-8")) == SCHEMA


@pytest.mark.parametrize("text", GOOD)
def test_what_is_read_is_accepted(text, tmp_path):
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    load_mapping(tmp_path / "m.yaml")
    assert validator().is_valid(_as_editors_do(text))


@pytest.mark.parametrize("text", BAD)
def test_what_is_refused_is_marked(text, tmp_path):
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(MappingError):
        load_mapping(tmp_path / "m.yaml")
    assert not validator().is_valid(_as_editors_do(text))


def test_every_model_has_its_keys_with_bounds_and_meanings():
    for name, model in MODELS.items():
        shown = SCHEMA["$defs"][model.__name__]["properties"]
        assert shown["kind"]["const"] == name
        for key in model.model_fields.keys() - {"kind"}:
            assert shown[key]["description"]
            assert not isinstance(shown[key].get("default"), dict)


def _as_editors_do(text):
    """Return YAML with the keys of tables as texts."""
    return json.loads(json.dumps(read_yaml_text(text, "m.yaml")))
