# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Read materials from YAML files; every error is one line with file and key."""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from material_mapping.by_wavelength import ByWavelength
from material_mapping.classes import GENERAL, material_classes
from material_mapping.entry import DEFAULT_WAVELENGTH_NM, MaterialEntry
from material_mapping.errors import MappingError, MaterialError
from material_mapping.files import read_material_yaml
from material_mapping.response import Tabulated
from material_mapping.yaml_models import parse_model
from material_mapping.yaml_values import (
    by_wavelength,
    check_keys,
    number,
    one_of,
    table_of,
    text,
    wavelength,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from material_mapping.classes import MaterialClass
    from material_mapping.response import Curve

TEXTS = ("source", "uncertainty", "note", "licence")
OF_REFLECTANCE = ("wavelength_nm", "bands_resolved", "roughness_deg")
VALUES = ("reflectance", *OF_REFLECTANCE, "model", "refractive_index")
ENTRY_KEYS = ("class", *VALUES, "reference", *TEXTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A source shared by several materials: its citation and its licence terms."""

    name: str
    citation: str
    licence: str


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
    values: dict[str, Any] = {"material_class": GENERAL}
    if "model" in table:
        values.update(_modelled(table, file=file, key=key))
    if "class" in table:
        needed = values["material_class"]
        values["material_class"] = _class_of(table, needed, file=file, key=f"{key}.class")
    for field in TEXTS:
        if field in table:
            values[field] = text(table[field], file=file, key=f"{key}.{field}")
    if "reference" in table:
        _add_reference(values, table["reference"], references, file=file, key=f"{key}.reference")
    response = _measured(table, file=file, key=key)
    if response is not None:
        values["response"] = response
    if "refractive_index" in table:
        index_key = f"{key}.refractive_index"
        known = by_wavelength(table["refractive_index"], _index, file=file, key=index_key)
        values["refractive_index"] = ByWavelength.of(known)
    try:
        return MaterialEntry(name=name, **values)
    except MaterialError as error:
        raise MappingError(str(error).removeprefix(f"{name}: "), file=file, key=key) from None


def _class_of(
    table: Mapping[str, Any], needed: MaterialClass, *, file: str, key: str
) -> MaterialClass:
    """Return the stated class; check that it matches a model that requires a certain one."""
    classes = material_classes()
    kind = classes[one_of(table["class"], classes, file=file, key=key)]
    if kind is GENERAL is not needed:
        message = f"got {kind.name!r}, but the model is of class {needed.name!r}"
        raise MappingError(message, file=file, key=key)
    return kind


def _modelled(table: Mapping[str, Any], *, file: str, key: str) -> dict[str, Any]:
    """Return class and response of a material that is defined by a reflection model."""
    for name in ("reflectance", *OF_REFLECTANCE):
        if name in table:
            message = "is not allowed beside a model, which has keys of its own; leave it out"
            raise MappingError(message, file=file, key=f"{key}.{name}")
    material_class, response = parse_model(table["model"], file=file, key=f"{key}.model")
    return {"material_class": material_class, "response": response}


def _measured(table: Mapping[str, Any], *, file: str, key: str) -> Tabulated | None:
    """Return the response of a material with a reflectance, None of one without."""
    if "reflectance" in table:
        curves = _curves(table, file=file, key=key)
        roughness_rad = _roughness_rad(table, curves, file=file, key=f"{key}.roughness_deg")
        resolved = _bands_resolved(table, curves, file=file, key=f"{key}.bands_resolved")
        return Tabulated(curves=curves, bands_resolved=resolved, roughness_rad=roughness_rad)
    for field in OF_REFLECTANCE:
        if field in table:
            message = "applies to a reflectance, but there is none; leave it out"
            raise MappingError(message, file=file, key=f"{key}.{field}")
    return None


def _curves(table: Mapping[str, Any], *, file: str, key: str) -> dict[float, Curve]:
    """Return the reflectances by wavelength."""
    content = table["reflectance"]
    wavelength_nm = DEFAULT_WAVELENGTH_NM
    if "wavelength_nm" in table:
        if isinstance(content, dict):
            message = "is not allowed beside reflectances by wavelength, leave it out"
            raise MappingError(message, file=file, key=f"{key}.wavelength_nm")
        wavelength_nm = wavelength(table["wavelength_nm"], file=file, key=f"{key}.wavelength_nm")
    curves = by_wavelength(content, _reflectance, file=file, key=f"{key}.reflectance")
    return {wavelength_nm if nm is None else nm: curve for nm, curve in curves.items()}


def _bands_resolved(
    table: Mapping[str, Any], curves: Mapping[float, Curve], *, file: str, key: str
) -> bool:
    """Return whether reflectances are interpolated across absorption bands."""
    resolved = table.get("bands_resolved", False)
    if not isinstance(resolved, bool):
        message = f"got {reprlib.repr(resolved)}, expected true or false"
        raise MappingError(message, file=file, key=key)
    if resolved and len(curves) < 2:
        message = "needs reflectances at two wavelengths or more, leave it out"
        raise MappingError(message, file=file, key=key)
    return resolved


def _roughness_rad(
    table: Mapping[str, Any], curves: Mapping[float, Curve], *, file: str, key: str
) -> float:
    """Return the standard deviation of the slopes of a rough surface; 0 where none is stated."""
    if "roughness_deg" not in table:
        return 0.0
    roughness_deg = number(table["roughness_deg"], file=file, key=key)
    if not 0.0 <= roughness_deg <= 90.0:
        raise MappingError(f"got {roughness_deg:g}, expected 0 to 90", file=file, key=key)
    if any(isinstance(curve, tuple) for curve in curves.values()):
        message = "is not allowed beside a table over angles, which has its own law; leave it out"
        raise MappingError(message, file=file, key=key)
    return math.radians(roughness_deg)


def _index(content: object, *, file: str, key: str) -> complex:
    """Return n, or n + ik of a pair [n, k]."""
    parts = content if isinstance(content, list) else [content, 0.0]
    if len(parts) != 2:
        message = f"got {reprlib.repr(content)}, expected n or [n, k]"
        raise MappingError(message, file=file, key=key)
    n, k = (number(part, file=file, key=key) for part in parts)
    if not (0.0 < n < 100.0 and 0.0 <= k < 100.0):
        message = f"n {n:g}, k {k:g}, expected n above 0 and k of 0 or more, both below 100"
        raise MappingError(message, file=file, key=key)
    return complex(n, k)


def _add_reference(
    values: dict[str, Any],
    name: object,
    references: Mapping[str, Reference],
    *,
    file: str,
    key: str,
) -> None:
    """Put the name of a shared reference before the source's details; take over its licence."""
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
        return number(content, file=file, key=key)
    pairs = []
    for index, pair in enumerate(content):
        place = f"{key}[{index}]"
        if not isinstance(pair, list) or len(pair) != 2:
            message = f"got {reprlib.repr(pair)}, expected [angle in degrees, reflectance]"
            raise MappingError(message, file=file, key=place)
        angle_deg, value = (number(part, file=file, key=place) for part in pair)
        pairs.append((angle_deg, value))
    return tuple(pairs)


def read_references(path: Path) -> dict[str, Reference]:
    """Return the shared references of a material file by name."""
    return _references(read_material_yaml(path), file=str(path))


def _references(content: Mapping[str, Any], *, file: str) -> dict[str, Reference]:
    references = {}
    section = table_of(content.get("references", {}), file=file, key="references")
    for name, value in section.items():
        key = f"references.{name}"
        table = table_of(value, file=file, key=key)
        check_keys(table, ("citation", "licence"), file=file, key=key)
        citation = text(table.get("citation"), file=file, key=f"{key}.citation")
        licence = text(table.get("licence"), file=file, key=f"{key}.licence")
        references[name] = Reference(name=name, citation=citation, licence=licence)
    return references


def read_entries(path: Path, *, own: bool = False) -> dict[str, MaterialEntry]:
    """Return all materials of a material file by name; `own` is that of ``read_yaml``.

    Raises
    ------
    MappingError
        The file or one of its entries is not as expected.
    """
    content, file = read_material_yaml(path, own=own), str(path)
    check_keys(content, ("references", "materials"), file=file, key="")
    references = _references(content, file=file)
    materials = table_of(content.get("materials", {}), file=file, key="materials")
    return {
        name: parse_entry(name, value, file=file, key=f"materials.{name}", references=references)
        for name, value in materials.items()
    }
