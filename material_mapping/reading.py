# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Read materials from YAML files; every error is one line with file and key."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from material_mapping.entry import MaterialClass, MaterialEntry
from material_mapping.errors import MappingError, MaterialError, near_match
from material_mapping.yaml_files import read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CLASSES = MappingProxyType({kind.name.lower(): kind for kind in MaterialClass})
NUMBERS = ("wavelength_nm",)
TEXTS = ("source", "uncertainty", "note", "licence")
ENTRY_KEYS = ("class", "reflectance", "reference", *NUMBERS, *TEXTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A source that several materials share: its citation and its terms."""

    name: str
    citation: str
    licence: str


def table_of(content: object, *, file: str, key: str) -> dict[str, Any]:
    """Return a table whose keys are texts, or raise MappingError."""
    if not isinstance(content, dict):
        raise MappingError(
            f"got {reprlib.repr(content)}, expected a table of keys", file=file, key=key
        )
    return content


def check_keys(content: Mapping[str, Any], known: tuple[str, ...], *, file: str, key: str) -> None:
    """Raise MappingError for the first key that is not known."""
    for name in content:
        if name not in known:
            hint = near_match(name, known)
            message = f"unknown key {name!r}, expected one of {', '.join(known)}{hint}"
            raise MappingError(message, file=file, key=key)


def parse_entry(
    name: str,
    content: object,
    *,
    file: str,
    key: str,
    references: Mapping[str, Reference] = MappingProxyType({}),
) -> MaterialEntry:
    """Return the material that a table of a YAML file describes (docs/materials.md).

    Raises
    ------
    MappingError
        A key or value is not as expected.
    """
    table = table_of(content, file=file, key=key)
    check_keys(table, ENTRY_KEYS, file=file, key=key)
    kind = table.get("class", "general")
    if kind not in CLASSES:
        expected = f"expected one of {', '.join(CLASSES)}{near_match(str(kind), CLASSES)}"
        raise MappingError(f"got {reprlib.repr(kind)}, {expected}", file=file, key=f"{key}.class")
    values: dict[str, Any] = {}
    for field in NUMBERS:
        if field in table:
            values[field] = _number(table[field], file=file, key=f"{key}.{field}")
    for field in TEXTS:
        if field in table:
            values[field] = _text(table[field], file=file, key=f"{key}.{field}")
    if "reference" in table:
        _add_reference(values, table["reference"], references, file=file, key=f"{key}.reference")
    values["material_class"] = CLASSES[kind]
    if "reflectance" in table:
        values["reflectance"] = _reflectance(
            table["reflectance"], file=file, key=f"{key}.reflectance"
        )
    try:
        entry = MaterialEntry(name=name, **values)
    except MaterialError as error:
        raise MappingError(str(error), file=file, key=key) from None
    if entry.reflects and "reflectance" not in table:
        raise MappingError("reflectance is missing", file=file, key=key)
    return entry


def _add_reference(
    values: dict[str, Any],
    name: object,
    references: Mapping[str, Reference],
    *,
    file: str,
    key: str,
) -> None:
    """Put a shared reference's name before the source's details, and take its licence."""
    if not isinstance(name, str) or name not in references:
        raise MappingError(f"unknown reference {name!r}", file=file, key=key)
    details = values.get("source", "")
    values["source"] = f"{name}: {details}" if details else name
    values.setdefault("licence", references[name].licence)


def _reflectance(
    content: object, *, file: str, key: str
) -> float | tuple[tuple[float, float], ...]:
    """Return a number, or a tuple of (angle in degrees, number)."""
    if not isinstance(content, list):
        return _number(content, file=file, key=key)
    pairs = []
    for index, pair in enumerate(content):
        place = f"{key}[{index}]"
        if not isinstance(pair, list) or len(pair) != 2:
            message = f"got {reprlib.repr(pair)}, expected [angle in degrees, reflectance]"
            raise MappingError(message, file=file, key=place)
        angle_deg, value = (_number(part, file=file, key=place) for part in pair)
        pairs.append((angle_deg, value))
    return tuple(pairs)


def _number(content: object, *, file: str, key: str) -> float:
    """Return a number, or raise MappingError."""
    if isinstance(content, bool) or not isinstance(content, int | float):
        raise MappingError(f"got {reprlib.repr(content)}, expected a number", file=file, key=key)
    return float(content)


def _text(content: object, *, file: str, key: str) -> str:
    """Return a text without line breaks, or raise MappingError."""
    if not isinstance(content, str):
        raise MappingError(f"got {reprlib.repr(content)}, expected a text", file=file, key=key)
    return " ".join(content.split())


def read_references(path: Path) -> dict[str, Reference]:
    """Return the shared references of a material file by name."""
    return _references(read_yaml(path), file=str(path))


def _references(content: Mapping[str, Any], *, file: str) -> dict[str, Reference]:
    references = {}
    section = table_of(content.get("references", {}), file=file, key="references")
    for name, value in section.items():
        key = f"references.{name}"
        table = table_of(value, file=file, key=key)
        check_keys(table, ("citation", "licence"), file=file, key=key)
        citation = _text(table.get("citation"), file=file, key=f"{key}.citation")
        licence = _text(table.get("licence"), file=file, key=f"{key}.licence")
        references[name] = Reference(name=name, citation=citation, licence=licence)
    return references


def read_entries(path: Path) -> dict[str, MaterialEntry]:
    """Return all materials of a material file by name.

    Raises
    ------
    MappingError
        The file or one of its entries is not as expected.
    """
    content, file = read_yaml(path), str(path)
    check_keys(content, ("references", "materials"), file=file, key="")
    references = _references(content, file=file)
    materials = table_of(content.get("materials", {}), file=file, key="materials")
    return {
        name: parse_entry(name, value, file=file, key=f"materials.{name}", references=references)
        for name, value in materials.items()
    }
