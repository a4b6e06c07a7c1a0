# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of the configuration, with which editors complete, explain and check it.

``osi-lidar config schema > docs/configuration.schema.json`` updates the copy in the repository.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import material_mapping
from osi_lidar.config.models import Config
from osi_lidar.config.reference import UNITS
from osi_lidar.sensors.configured_sensors import ready_names
from osi_lidar.sensors.presets import preset_aliases, preset_names
from raycore.mesh.suffixes import MESH_SUFFIXES

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_IGNORED = r"[^A-Za-z0-9]*"  # in names of sensors, as `configured_sensors.plain` does
_VEHICLES = ("CAR", "SMALL_CAR", "DELIVERY_VAN", "HEAVY_TRUCK", "TRAILER", "MOTORBIKE", "BICYCLE")


def config_schema() -> Schema:
    """Return the JSON Schema of the configuration.

    It describes each key by itself; ``load_config`` knows which keys exclude each other.
    """
    schema = Config.model_json_schema()
    for name, model in schema["$defs"].items():
        model["title"] = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()
        for key, field in model["properties"].items():
            _explain(key, field)
    for key, field in schema["properties"].items():
        _explain(key, field)
    weather = schema["properties"]["weather"]
    weather["anyOf"] = [{"enum": ["auto", "none"]}, {"$ref": weather.pop("$ref")}]
    for (model, key), amend in _AMENDED.items():
        amend(schema["$defs"][model]["properties"][key])
    return {"$schema": DIALECT, **schema, "title": "Configuration of osi-lidar"}


def schema_text() -> str:
    """Return the JSON Schema as the text of a file."""
    return json.dumps(config_schema(), indent=1, ensure_ascii=False) + "\n"


def _explain(key: str, field: Schema) -> None:
    """Give a key a title with its unit, and a description without links to pages."""
    unit = next((unit for suffix, unit in UNITS.items() if key.endswith(suffix)), "")
    field["title"] = f"{key} [{unit}]" if unit else key
    field["description"] = _LINK.sub(r"\1", field["description"])
    for choice in (field, *field.get("anyOf", ())):
        choice.pop("discriminator", None)  # of OpenAPI


def _known_sensors(field: Schema) -> None:
    """Let the schema accept all spellings that `load_preset` accepts: any case, blanks, hyphens."""
    names = [*preset_names(), *ready_names()]
    spelt = "|".join(map(_any_spelling, [*names, *preset_aliases()]))
    field["anyOf"] = [
        {"enum": names, "type": "string"},
        {"pattern": f"^{_IGNORED}(?:{spelt})$", "type": "string"},
        {"type": "null"},
    ]


def _any_spelling(name: str) -> str:
    letters = (
        f"[{each.upper()}{each.lower()}]" if each.isalpha() else each
        for each in name
        if each.isalnum()
    )
    return "".join(f"{letter}{_IGNORED}" for letter in letters)


def _or(*schemas: Schema) -> Callable[[Schema], None]:
    """Return a function that adds alternatives to a key's schema, as its validator accepts them."""

    def amend(field: Schema) -> None:
        if "anyOf" in field:
            field["anyOf"] = [*schemas, *field["anyOf"]]
        else:
            own = {key: field.pop(key) for key in ("type", "enum", "items") if key in field}
            field["anyOf"] = [own, *schemas]

    return amend


def _databases(field: Schema) -> None:
    field["items"] = {"anyOf": [{"type": "string", "format": "path"}, field["items"]]}


def _examples(*values: str) -> Callable[[Schema], None]:
    """Return a function that adds examples to a key's schema, for editors to offer."""
    return lambda field: field.update(examples=list(values))


def _materials(field: Schema) -> None:
    _examples(*material_mapping.builtin_materials())(field)


def _mesh(field: Schema) -> None:
    for choice in (field, *field.get("anyOf", ())):
        if choice.get("format") == "path":
            choice["pattern"] = _ending(*MESH_SUFFIXES, ".xoma")


def _ending(*suffixes: str) -> str:
    """Return a regular expression for texts with one of these endings, in any case."""
    spelt = (
        "".join(f"[{c.upper()}{c}]" if c.isalpha() else re.escape(c) for c in suffix)
        for suffix in suffixes
    )
    return f"(?:{'|'.join(spelt)})$"


_ID = {"type": "integer", "minimum": 0, "exclusiveMaximum": 2**64}
_AMENDED: dict[tuple[str, str], Callable[[Schema], None]] = {
    ("Sensor", "preset"): _known_sensors,
    ("Materials", "databases"): _databases,
    ("Materials", "default"): _materials,
    ("DetectionThreshold", "min_reflectivity"): _or({"const": False}),  # YAML's word off
    ("Match", "id"): _or(_ID),
    ("Match", "type"): _examples("VEHICLE", "PEDESTRIAN", "ANIMAL", "OTHER"),
    ("Match", "subtype"): _examples(*_VEHICLES),
    ("Output", "motion_objects"): _or(_ID),
    ("EnvironmentMesh", "mesh"): _mesh,
    ("ObjectRule", "mesh"): _mesh,
}
