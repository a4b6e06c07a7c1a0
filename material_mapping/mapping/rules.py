# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The mapping table: rules from visual materials to infrared ones."""

import reprlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema

from lidar_base.sections import Section, problem_at
from material_mapping.classes import material_classes
from material_mapping.entry import MaterialEntry
from material_mapping.errors import MappingError
from material_mapping.mapping.visual import Visual, rgb_key
from material_mapping.table import builtin_materials
from material_mapping.texture import Texture
from material_mapping.yaml_entries import MaterialSection, entries_of, read_sections


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
        """Return whether the pattern matches at least one of the names; None never matches."""
        pattern = self.pattern.lower()
        return any(
            name is not None and (name.lower() == pattern or fnmatchcase(name.lower(), pattern))
            for name in names
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialMapping:
    """A mapping table: rules from visual materials to infrared ones; the first match decides.

    A visual material is what a mesh states: a name, a base colour, and perhaps a texture. Rules of
    `meshes` are tried first, then `materials`, then `textures`.

    Attributes
    ----------
    meshes : tuple of (str, tuple of Rule)
        Globs of mesh file names, each with rules like those of `materials` for these meshes.
    materials : tuple of Rule
        Rules by the name of the visual material, or by its base colour as ``rgb:r;g;b``.
    textures : tuple of Rule
        Rules by the file name of the base colour's texture.
    defined : mapping of str to MaterialEntry
        The user's own infrared materials, by name.
    file : str
        Path of the mapping table, for messages.
    guess : bool
        Whether a visual material that no rule matches gets the infrared material that `suggest`
        proposes, if the score of the suggestion reaches `SURE`.
    texture : Texture or None
        Texture of infrared materials of class general that have no texture of their own.
    """

    meshes: tuple[tuple[str, tuple[Rule, ...]], ...] = ()
    materials: tuple[Rule, ...] = ()
    textures: tuple[Rule, ...] = ()
    defined: Mapping[str, MaterialEntry] = field(default_factory=dict)
    file: str = ""
    guess: bool = False
    texture: Texture | None = None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules, in the order in which they are tried."""
        of_meshes = (rule for _, rules in self.meshes for rule in rules)
        return (*of_meshes, *self.materials, *self.textures)

    def rule_for(self, visual: Visual, mesh: str = "") -> Rule | None:
        """Return the first rule that matches a visual material of a mesh, or None.

        Parameters
        ----------
        visual : Visual
            The material, as its mesh file describes it: name, base colour and texture count.
        mesh : str
            Name of the mesh file; with "", no rule of `meshes` matches.
        """
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


def rules_of(content: Mapping[str, str], *, key: str = "") -> tuple[Rule, ...]:
    """Return the rules of a table from visual names to infrared materials, in its order.

    Parameters
    ----------
    content : mapping of str to str
        Infrared material by visual name, glob or ``rgb:r;g;b``.
    key : str
        Place of the table in its file. The key of a rule is ``key``, a dot, and its name or glob;
        without ``key``, the latter alone.
    """
    prefix = f"{key}." if key else ""
    return tuple(Rule(f"{prefix}{name}", name, material) for name, material in content.items())


def _material(content: object) -> str:
    if not isinstance(content, str):
        shown = reprlib.repr(content)
        where = "; `define: {name: {..}}` makes one" if isinstance(content, Mapping) else ""
        raise problem_at(message=f"got {shown}, expected the name of an infrared material{where}")
    return content


Rules = dict[str, Annotated[str, PlainValidator(_material), WithJsonSchema({"type": "string"})]]


class MappingFile(Section):
    """Mapping table in YAML: infrared materials by names of visual materials, textures, meshes."""

    materials: Rules | None = Field(
        default=None, description="Infrared materials by visual name, glob or `rgb:r;g;b`."
    )
    textures: Rules | None = Field(
        default=None,
        description="Infrared materials by the file name of the base colour's texture.",
    )
    meshes: dict[str, Rules] | None = Field(
        default=None, description="Rules for meshes by a glob of their file name."
    )
    define: dict[str, MaterialSection] | None = Field(
        default=None, description="Materials of your own."
    )


def mapping_schema() -> dict[str, Any]:
    """Return the JSON Schema of a mapping table, for completion and checks in editors.

    The schema describes each key by itself; only `load_mapping` checks which keys exclude each
    other.
    """
    schema = MappingFile.model_json_schema()
    for key in (each for d in schema["$defs"].values() for each in d["properties"].values()):
        if isinstance(key.get("default"), dict):  # a number at all wavelengths
            (key["default"],) = key["default"]["values"]
    of_define = schema["$defs"]["MaterialSection"]["properties"]
    of_define["class"]["examples"] = list(material_classes())
    of_define["model"].pop("discriminator", None)  # of OpenAPI
    for name in ("materials", "textures"):
        rules, _ = schema["properties"][name]["anyOf"]
        rules["additionalProperties"]["examples"] = list(builtin_materials())
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, **schema, "title": "Mapping table of osi-lidar"}


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
        Its `guess` and `texture` are the defaults: False and None.

    Raises
    ------
    MappingError
        The file cannot be read, a key or value is not as expected, or a definition takes the name
        of a built-in material.
    """
    content = read_sections(Path(path), MappingFile)
    define = content.define or {}
    for name in define:
        if name in builtin_materials():
            message = "is the name of a built-in material, choose another"
            raise MappingError(message, file=str(path), key=f"define.{name}")
    defined = entries_of(define, {}, file=Path(path), key="define")
    return MaterialMapping(
        meshes=tuple(
            (mesh, rules_of(rules, key=f"meshes.{mesh}"))
            for mesh, rules in (content.meshes or {}).items()
        ),
        materials=rules_of(content.materials or {}, key="materials"),
        textures=rules_of(content.textures or {}, key="textures"),
        defined=MappingProxyType(defined),
        file=str(path),
    )
