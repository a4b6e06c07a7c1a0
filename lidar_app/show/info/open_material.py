# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a file of ASAM OpenMATERIAL 3D."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.show.info.record import Info
from material_mapping.databases.openmaterial.asset import read_asset, read_mapping, read_material

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from material_mapping.databases.openmaterial.asset import Asset, MappingRules, Material


def open_material_info(path: Path) -> Info:
    """Return the content of an OpenMATERIAL asset, mapping table or material, and ignored parts.

    `path` is the file, whose suffix (.xoma, .xomm or .xomp) decides which of these it is. Files
    that it refers to are used only if they lie in its folder or in subfolders: at the stated path,
    or else in the folder of that file under the same name.

    Raises
    ------
    DatabaseError
        If the file cannot be read, or the mapping table that an asset names cannot be used.
    """
    read = _READERS[path.suffix.lower()]
    kind, facts, found = read(path)
    facts = {"name": found.metadata.name, "version": found.metadata.version, **facts}
    lists = {
        "remarks": [{"remark": each} for each in found.remarks],
        "not_followed": [each._asdict() for each in found.not_followed],
    }
    return Info(path=path, kind=f"{kind} (OpenMATERIAL 3D)", facts=facts, lists=lists)


def _asset(path: Path) -> tuple[str, dict[str, object], Asset]:
    found = read_asset(path, [path.parent])
    mapping = None if found.mapping is None else found.mapping.name
    return "Asset", {"mapping": mapping, "replacements": len(found.replacements)}, found


def _mapping(path: Path) -> tuple[str, dict[str, object], MappingRules]:
    found = read_mapping(path, [path.parent])
    missing = sum(rule.file is None for rule in found.rules)
    return "Mapping table", {"rules": len(found.rules), "rules_without_a_file": missing}, found


def _material(path: Path) -> tuple[str, dict[str, object], Material]:
    found = read_material(path, [path.parent])
    has_index = found.refractive_index is not None
    return "Material", {"brdf_tables": len(found.brdf_tables), "has_index": has_index}, found


_READERS: Mapping[
    str, Callable[[Path], tuple[str, dict[str, object], Asset | MappingRules | Material]]
] = {".xoma": _asset, ".xomm": _mapping, ".xomp": _material}
