# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Read materials from YAML files; every error is one line with file and key."""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from material_mapping.classes import material_classes
from material_mapping.entry import DEFAULT_WAVELENGTH_NM, MaterialEntry
from material_mapping.errors import MappingError, MaterialError, near_match
from material_mapping.response import Tabulated
from material_mapping.yaml_files import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from material_mapping.response import Curve

Value = TypeVar("Value")

TEXTS = ("source", "uncertainty", "note", "licence")
ENTRY_KEYS = ("class", "reflectance", "wavelength_nm", "refractive_index", "reference", *TEXTS)


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
    classes = material_classes()
    kind = table.get("class", "general")
    if not isinstance(kind, str) or kind not in classes:
        expected = f"expected one of {', '.join(classes)}{near_match(str(kind), classes)}"
        raise MappingError(f"got {reprlib.repr(kind)}, {expected}", file=file, key=f"{key}.class")
    values: dict[str, Any] = {"material_class": classes[kind]}
    for field in TEXTS:
        if field in table:
            values[field] = _text(table[field], file=file, key=f"{key}.{field}")
    if "reference" in table:
        _add_reference(values, table["reference"], references, file=file, key=f"{key}.reference")
    if "reflectance" in table:
        values["response"] = Tabulated(curves=_curves(table, file=file, key=key))
    if "refractive_index" in table:
        index_key = f"{key}.refractive_index"
        known = _by_wavelength(table["refractive_index"], _index, file=file, key=index_key)
        values["refractive_index"] = partial(_nearest, known)
    try:
        return MaterialEntry(name=name, **values)
    except MaterialError as error:
        raise MappingError(str(error).removeprefix(f"{name}: "), file=file, key=key) from None


def _curves(table: Mapping[str, Any], *, file: str, key: str) -> dict[float, Curve]:
    """Return the reflectances by wavelength."""
    content = table["reflectance"]
    wavelength_nm = DEFAULT_WAVELENGTH_NM
    if "wavelength_nm" in table:
        if isinstance(content, dict):
            message = "stands beside reflectances by wavelength, leave it out"
            raise MappingError(message, file=file, key=f"{key}.wavelength_nm")
        wavelength_nm = _wavelength(table["wavelength_nm"], file=file, key=f"{key}.wavelength_nm")
    curves = _by_wavelength(content, _reflectance, file=file, key=f"{key}.reflectance")
    return {wavelength_nm if nm is None else nm: curve for nm, curve in curves.items()}


def _by_wavelength(
    content: object, read: Callable[..., Value], *, file: str, key: str
) -> dict[float | None, Value]:
    """Return values by wavelength, increasing; a single value has the wavelength None."""
    if not isinstance(content, dict):
        return {None: read(content, file=file, key=key)}
    if not content:
        raise MappingError("is empty, expected {wavelength in nm: value}", file=file, key=key)
    values: dict[float, Value] = {}
    for text, each in content.items():
        wavelength_nm = _wavelength(_plain_number(text), file=file, key=key)
        if wavelength_nm in values:
            raise MappingError(f"{wavelength_nm:g} nm is given twice", file=file, key=key)
        values[wavelength_nm] = read(each, file=file, key=f"{key}.{text}")
    return dict(sorted(values.items()))


def _plain_number(text: str) -> object:
    """Return the number that a key stands for, if it does: keys of a file are texts."""
    try:
        return float(text)
    except ValueError:
        return text


def _wavelength(content: object, *, file: str, key: str) -> float:
    wavelength_nm = _number(content, file=file, key=key)
    if not 200.0 <= wavelength_nm <= 20_000.0:
        message = f"wavelength {wavelength_nm:g} nm, expected 200 to 20000"
        raise MappingError(message, file=file, key=key)
    return wavelength_nm


def _index(content: object, *, file: str, key: str) -> complex:
    """Return n, or n + ik of a pair [n, k]."""
    parts = content if isinstance(content, list) else [content, 0.0]
    if len(parts) != 2:
        message = f"got {reprlib.repr(content)}, expected n or [n, k]"
        raise MappingError(message, file=file, key=key)
    n, k = (_number(part, file=file, key=key) for part in parts)
    if not (0.0 < n < 100.0 and 0.0 <= k < 100.0):
        message = f"n {n:g}, k {k:g}, expected above 0 and 0 or more, below 100"
        raise MappingError(message, file=file, key=key)
    return complex(n, k)


def _nearest(known: Mapping[float | None, complex], wavelength_nm: float) -> complex:
    """Return the value of the nearest wavelength."""
    return known[min(known, key=lambda nm: 0.0 if nm is None else abs(nm - wavelength_nm))]


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
    if isinstance(content, bool) or not (
        isinstance(content, int | float) and math.isfinite(content)
    ):
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
