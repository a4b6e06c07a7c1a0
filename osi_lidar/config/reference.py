# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of reference/configuration.md, generated from the models so that they cannot go stale.

``python -m osi_lidar.config.reference docs/reference/configuration.md`` updates the page.
"""

import json
from typing import Any

from lidar_base.tables import GeneratedPart, of_records, renew
from osi_lidar.config.models import Config

UNITS = {
    "_m_s": "m/s",
    "_deg_s": "°/s",
    "_mm_h": "mm/h",
    "_km_h": "km/h",
    "_mm": "mm",
    "_k": "K",
    "_m": "m",
    "_s": "s",
    "_ns": "ns",
    "_us": "µs",
    "_deg": "°",
    "_hz": "Hz",
    "_nm": "nm",
    "_lux": "lx",
}
"""Units by the ending of a key's name; the first ending that fits counts."""
_TYPES = {"string": "text", "integer": "integer", "number": "number", "boolean": "true, false"}
_BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">"}
_FROM_PRESET = ("min_range_m", "max_range_m", "wavelength_nm")

Schema = dict[str, Any]


def tables() -> str:
    """Return Markdown text: a heading and a table for each section, from the top level down."""
    schema = Config.model_json_schema()
    sections: dict[str, list[str]] = {}  # key paths at which each model is used
    _visit(schema, "", schema["$defs"], sections, name="Config")
    models = {"Config": schema, **schema["$defs"]}
    return "\n\n".join(_table(places, models[name]) for name, places in sections.items())


def _visit(
    model: Schema, place: str, defs: Schema, sections: dict[str, list[str]], *, name: str
) -> None:
    """Add this model and all models nested in it to `sections`, with the key paths of each."""
    sections.setdefault(name, []).append(place)
    for key, field in model["properties"].items():
        below = f"{place}.{key}" if place else key
        for reference, suffix in _references(field):
            _visit(defs[reference], below + suffix, defs, sections, name=reference)


def _references(field: Schema, suffix: str = "") -> list[tuple[str, str]]:
    """Return the names of the models that a field may hold, with ``[]`` if in a list."""
    if "$ref" in field:
        return [(field["$ref"].rsplit("/", 1)[1], suffix)]
    found = [pair for part in _choices(field) for pair in _references(part, suffix)]
    if isinstance(field.get("items"), dict):
        found += _references(field["items"], f"{suffix}[]")
    return found


def _choices(field: Schema) -> list[Schema]:
    choices: list[Schema] = field.get("anyOf") or field.get("oneOf") or []
    return [choice for choice in choices if choice.get("type") != "null"]


def _table(places: list[str], model: Schema) -> str:
    title = " and ".join(f"`{place}`" for place in places if place) or "Top level"
    kind = model["properties"].get("kind")
    if kind and "const" in kind:
        title += f", kind `{kind['const']}`"
    required = model.get("required", ())
    fields = sorted(model["properties"].items(), key=lambda item: item[0] != "kind")  # kind first
    rows = (
        {
            "Key": f"`{key}`",
            "Type, allowed values": _type(field),
            "Unit": next((unit for suffix, unit in UNITS.items() if key.endswith(suffix)), ""),
            "Default": "**required**" if key in required else _default(key, field),
            "Meaning": field.get("description", ""),
        }
        for key, field in fields
    )
    return "\n".join([f"### {title}\n", *of_records("", rows).markdown()])


def _default(key: str, field: Schema) -> str:
    default = field.get("default")
    if isinstance(default, dict) and default:
        return "see below"
    if default in (None, "", [], {}):
        return ""
    value = default if isinstance(default, str) else json.dumps(default)
    return f"the preset's, or `{value}`" if key in _FROM_PRESET else f"`{value}`"


def _type(field: Schema) -> str:
    if isinstance(field.get("additionalProperties"), dict):
        return f"table of {_type(field['additionalProperties'])}"
    if "const" in field or "enum" in field:
        return " ".join(f"`{value}`" for value in field.get("enum", [field.get("const")]))
    if "prefixItems" in field:
        return "[" + ", ".join(_type(item) for item in field["prefixItems"]) + "]"
    if field.get("type") == "array":
        few = f", at least {field['minItems']}" if "minItems" in field else ""
        return f"list of {_type(field['items'])}{few}"
    if "type" in field:
        return _scalar(field)
    return " or ".join(dict.fromkeys(map(_type, _choices(field)))) or "section"


def _scalar(field: Schema) -> str:
    name = "path" if field.get("format") == "path" else _TYPES[field["type"]]
    if "minimum" in field and "maximum" in field:
        return f"{name} {_number(field['minimum'])} to {_number(field['maximum'])}"
    signs = [f"{sign} {_number(field[bound])}" for bound, sign in _BOUNDS.items() if bound in field]
    return " ".join([name, *signs])


def _number(value: float) -> str:
    return f"{value:g}".replace("e+0", "e").replace("e-0", "e-")


TABLES = GeneratedPart(
    "<!-- tables: begin (made by python -m osi_lidar.config.reference) -->",
    "<!-- tables: end -->",
    tables,
)
"""The part of docs/reference/configuration.md."""

if __name__ == "__main__":
    renew(TABLES)
