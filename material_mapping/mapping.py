# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which infrared material a surface of a mesh gets, by the visual material's name."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from material_mapping.database import MaterialTable, builtin_materials
from material_mapping.errors import MappingError, UnknownMaterialError, near_match
from material_mapping.reading import check_keys, parse_entry, table_of
from material_mapping.yaml_files import read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from material_mapping.entry import MaterialEntry

SYNTHETIC_RULES: Mapping[str, str | None] = MappingProxyType(
    {"ground": "asphalt_worn", "box": None}
)
"""Rules for the two surfaces that stand in where there is no mesh; None is the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialMapping:
    """The mapping table: ordered rules from visual material names to infrared materials.

    Attributes
    ----------
    rules : tuple of (pattern, material name)
        Tried in order. A pattern is a visual name or a glob (``* ? [abc]``); upper and lower
        case are the same.
    defined : mapping of str to MaterialEntry
        The user's own materials.
    """

    rules: tuple[tuple[str, str], ...] = ()
    defined: Mapping[str, MaterialEntry] = field(default_factory=dict)

    def rule_for(self, visual_name: str) -> tuple[str, str] | None:
        """Return the first rule (pattern, material name) that matches, or None."""
        name = visual_name.lower()
        for pattern, material in self.rules:
            lowered = pattern.lower()
            if name == lowered or fnmatchcase(name, lowered):
                return pattern, material
        return None

    def resolve(self, visual_name: str) -> str | None:
        """Return the infrared material's name of a visual material, or None if unmapped."""
        rule = self.rule_for(visual_name)
        return rule[1] if rule else None


def load_mapping(path: str | Path) -> MaterialMapping:
    """Read a mapping table.

    Parameters
    ----------
    path : str or Path
        YAML with ``materials: {visual name or glob: infrared material}`` and, optionally,
        ``define: {name: {class, reflectance, source, uncertainty, ..}}`` for own materials.

    Returns
    -------
    MaterialMapping

    Raises
    ------
    MappingError
        The file cannot be read, a key or value is not as expected, a material is unknown, or a
        definition takes the name of a built-in material.
    """
    file, content = str(path), read_yaml(Path(path))
    check_keys(content, ("materials", "define"), file=file, key="")
    builtin = builtin_materials()
    defined: dict[str, MaterialEntry] = {}
    for name, value in _section(content, "define", file=file).items():
        key = f"define.{name}"
        if name in builtin:
            message = "is the name of a built-in material, choose another"
            raise MappingError(message, file=file, key=key)
        defined[name] = parse_entry(name, value, file=file, key=key)
    known = [*builtin, *defined]
    rules = []
    for pattern, material in _section(content, "materials", file=file).items():
        if not isinstance(material, str) or material not in known:
            hint = near_match(str(material), known) or ", see `osi-lidar materials`"
            message = f"unknown infrared material {material!r}{hint}"
            raise MappingError(message, file=file, key=f"materials.{pattern}")
        rules.append((pattern, material))
    return MaterialMapping(rules=tuple(rules), defined=MappingProxyType(defined))


def _section(content: Mapping[str, object], name: str, *, file: str) -> dict[str, object]:
    """Return a section of the file; an absent or empty one has no keys."""
    section = content.get(name)
    return {} if section is None else table_of(section, file=file, key=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedMaterial:
    """How one visual material name was resolved.

    Attributes
    ----------
    visual_name, material : str
    rule : str or None
        The pattern that matched, ``"built-in"`` for a synthetic surface, None if unmapped.
    """

    visual_name: str
    material: str
    rule: str | None


class MaterialResolver:
    """Gives every visual material name its infrared material, and remembers what it gave.

    The table holds all known materials in a fixed order (built-in ones as in their file, then
    the user's own), so an id means the same material in every run with the same mapping table.

    Parameters
    ----------
    entries : mapping of str to MaterialEntry
        The materials known beside the mapping's own, normally `builtin_materials()`.
    mapping : MaterialMapping
    default : str
        Material of visual names that no rule matches.

    Raises
    ------
    UnknownMaterialError
        `default` or a rule's material is not known.
    """

    def __init__(
        self, entries: Mapping[str, MaterialEntry], mapping: MaterialMapping, default: str
    ) -> None:
        self.entries: Mapping[str, MaterialEntry] = MappingProxyType({**entries, **mapping.defined})
        self.table = MaterialTable.build(self.entries.values())
        self._mapping, self._default = mapping, default
        self._resolved: dict[str, ResolvedMaterial] = {}
        for name in (default, *(material for _, material in mapping.rules)):
            if name not in self.entries:
                raise UnknownMaterialError(name, self.entries)

    def material_id(self, visual_name: str) -> int:
        """Return the row of `table` for a visual material name."""
        if visual_name not in self._resolved:
            self._resolved[visual_name] = self._resolve(visual_name)
        return self._ids[self._resolved[visual_name].material]

    def _resolve(self, visual_name: str) -> ResolvedMaterial:
        rule = self._mapping.rule_for(visual_name)
        if rule:
            return ResolvedMaterial(visual_name=visual_name, material=rule[1], rule=rule[0])
        if visual_name in SYNTHETIC_RULES:
            material = SYNTHETIC_RULES[visual_name] or self._default
            return ResolvedMaterial(visual_name=visual_name, material=material, rule="built-in")
        return ResolvedMaterial(visual_name=visual_name, material=self._default, rule=None)

    @functools.cached_property
    def _ids(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.table.names)}

    @property
    def resolved(self) -> tuple[ResolvedMaterial, ...]:
        """All visual names asked for so far, each once, in the order of asking."""
        return tuple(self._resolved.values())

    @property
    def unused_rules(self) -> tuple[str, ...]:
        """The patterns of the mapping table that no visual name asked for so far has matched."""
        used = {entry.rule for entry in self._resolved.values()}
        return tuple(pattern for pattern, _ in self._mapping.rules if pattern not in used)

    @property
    def unmapped(self) -> tuple[str, ...]:
        """The visual names asked for so far that took the default ('' is a face without one)."""
        return tuple(name for name, entry in self._resolved.items() if entry.rule is None)
