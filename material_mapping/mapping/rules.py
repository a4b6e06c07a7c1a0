# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The mapping table: rules from visual materials to infrared ones."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from material_mapping.errors import MappingError
from material_mapping.files import read_material_yaml
from material_mapping.mapping.visual import rgb_key
from material_mapping.table import builtin_materials
from material_mapping.yaml_entries import parse_entry
from material_mapping.yaml_values import check_keys, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from material_mapping.entry import MaterialEntry
    from material_mapping.mapping.visual import Visual

SECTIONS = ("materials", "textures", "meshes", "define")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a mapping table.

    Attributes
    ----------
    key : str
        Place in the table, such as ``materials.Paint_*``; identifies the rule in reports.
    pattern : str
        A name or a glob (``* ? [abc]``), not case-sensitive.
    material : str
        Infrared material.
    """

    key: str
    pattern: str
    material: str

    def matches(self, *names: str | None) -> bool:
        """Return whether the rule matches one of the names."""
        pattern = self.pattern.lower()
        return any(
            name is not None and (name.lower() == pattern or fnmatchcase(name.lower(), pattern))
            for name in names
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialMapping:
    """A mapping table; the first rule that matches decides.

    Attributes
    ----------
    meshes : tuple of (str, tuple of Rule)
        Rules for the materials of meshes whose file name matches a glob.
    materials : tuple of Rule
        Rules by material name, or by base colour as ``rgb:r;g;b``.
    textures : tuple of Rule
        Rules by the file name of the base colour's texture.
    defined : mapping of str to MaterialEntry
        The user's own materials.
    file : str
        File that it was read from, for messages.
    """

    meshes: tuple[tuple[str, tuple[Rule, ...]], ...] = ()
    materials: tuple[Rule, ...] = ()
    textures: tuple[Rule, ...] = ()
    defined: Mapping[str, MaterialEntry] = field(default_factory=dict)
    file: str = ""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules, in the order in which they are tried."""
        of_meshes = (rule for _, rules in self.meshes for rule in rules)
        return (*of_meshes, *self.materials, *self.textures)

    def rule_for(self, visual: Visual, mesh: str = "") -> Rule | None:
        """Return the first rule that matches a material of a mesh file, or None."""
        for rule in self._rules_of_mesh(mesh):
            if rule.matches(visual.name, rgb_key(visual)):
                return rule
        for rule in self.materials:
            if rule.matches(visual.name, rgb_key(visual)):
                return rule
        if visual.texture:
            for rule in self.textures:
                if rule.matches(visual.texture):
                    return rule
        return None

    def _rules_of_mesh(self, mesh: str) -> Iterator[Rule]:
        for pattern, rules in self.meshes:
            if mesh and Rule("", pattern, "").matches(mesh):
                yield from rules


def rules_of(content: Mapping[str, object], *, file: str = "", key: str = "") -> tuple[Rule, ...]:
    """Return the rules of a table ``{name or glob: infrared material}``.

    Raises
    ------
    MappingError
        A material is not a string.
    """
    rules = []
    for pattern, material in content.items():
        where = f"{key}.{pattern}" if key else str(pattern)
        if not isinstance(material, str):
            message = f"got {reprlib.repr(material)}, expected the name of an infrared material"
            raise MappingError(message, file=file, key=where)
        rules.append(Rule(where, str(pattern), material))
    return tuple(rules)


def load_mapping(path: str | Path) -> MaterialMapping:
    """Read a mapping table; whether its materials exist is checked when they are resolved.

    Parameters
    ----------
    path : str or Path
        YAML with ``materials: {visual name, glob or rgb:r;g;b: infrared material}`` and,
        optionally, ``textures: {glob of a texture's file name: ..}``, ``meshes: {glob of a mesh's
        file name: {visual name or glob: ..}}`` and ``define: {name: {class, reflectance or
        model, source, uncertainty, ..}}`` for the user's own materials.

    Returns
    -------
    MaterialMapping

    Raises
    ------
    MappingError
        The file cannot be read, a key or value is not as expected, or a definition takes the name
        of a built-in material.
    """
    file, content = str(path), read_material_yaml(Path(path))
    check_keys(content, SECTIONS, file=file, key="")
    builtin = builtin_materials()
    defined: dict[str, MaterialEntry] = {}
    for name, value in _section(content, "define", file=file).items():
        key = f"define.{name}"
        if name in builtin:
            message = "is the name of a built-in material, choose another"
            raise MappingError(message, file=file, key=key)
        defined[name] = parse_entry(name, value, file=file, key=key)
    meshes = []
    for mesh, value in _section(content, "meshes", file=file).items():
        key = f"meshes.{mesh}"
        table = table_of(value, file=file, key=key)
        meshes.append((str(mesh), rules_of(table, file=file, key=key)))
    return MaterialMapping(
        meshes=tuple(meshes),
        materials=rules_of(_section(content, "materials", file=file), file=file, key="materials"),
        textures=rules_of(_section(content, "textures", file=file), file=file, key="textures"),
        defined=MappingProxyType(defined),
        file=file,
    )


def _section(content: Mapping[str, object], name: str, *, file: str) -> dict[str, object]:
    """Return a section of the file; an absent or empty one has no keys."""
    section = content.get(name)
    return {} if section is None else table_of(section, file=file, key=name)
