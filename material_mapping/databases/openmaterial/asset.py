# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers for assets, mapping tables and materials of ASAM OpenMATERIAL 3D.

    .xoma asset ──► its mapping ──► .xomm rules ──► .xomp material ──► .xompt look-up tables

A material name of the 3D model is first replaced, if the asset says so, and is then the key into
the mapping table (sections "Structure and file formats" and "Material replacement" of version
1.1.0, https://github.com/asam-ev/OpenMATERIAL-3D). The standard does not define the order of rules
with the same key; this reader uses the first one. The standard has no wildcards, and no references
from one mapping table to another. Paths in any file may only lead into the folders that the caller
names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from lidar_base.unfollowed import ALL_FOLLOWED, NotFollowed
from material_mapping.databases.openmaterial.brdf import BrdfTable, read_brdf
from material_mapping.databases.openmaterial.json_files import JsonFile, Metadata, read_json, shown
from material_mapping.databases.openmaterial.keys import keys_not_read
from material_mapping.databases.openmaterial.tables import RefractiveIndex, read_refractive_index
from material_mapping.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

Table = TypeVar("Table", BrdfTable, RefractiveIndex)

REPLACEMENT_KEYS = ("materialReplacements", "materialReplacement")
"""The key in version 1.1.0, and the one in its drafts."""

TOP = "materialProperties"
RGB = "rgb:<R>;<G>;<B>"
NO_CHAIN = "leads to a mapping table, expected .xomp files: mapping tables cannot be chained"

_RGB = re.compile(r"rgb:([0-9]{1,3});([0-9]{1,3});([0-9]{1,3})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingRule:
    """One row of a mapping table.

    Attributes
    ----------
    key : str
        Name of a material in a 3D model, or ``rgb:<R>;<G>;<B>``.
    file : Path or None
        The material (.xomp) that the rule names; None if there is no such file, see ``problem``.
    comment : str
        Comment of the table on the material.
    problem : str
        Why ``file`` is None: one line with file and line number; otherwise empty.
    """

    key: str
    file: Path | None
    comment: str
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingRules:
    """A mapping table (.xomm): its rules in the order of the file.

    Attributes
    ----------
    file : Path
        The table's file.
    metadata : Metadata
        Origin and licence of the file.
    rules : tuple of MappingRule
        Rules from names of materials in 3D models to material files (.xomp); each key occurs once.
    remarks : tuple of str
        Messages to the user, one line each.
    not_followed : tuple of NotFollowed
        Contents of the file that this reader ignores.
    """

    file: Path
    metadata: Metadata
    rules: tuple[MappingRule, ...]
    remarks: tuple[str, ...]
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED

    def find(self, key: str) -> MappingRule | None:
        """Return the first rule whose key is exactly `key`, or None; keys are case-sensitive."""
        return next((rule for rule in self.rules if rule.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """Materials of a 3D model according to its asset file (.xoma).

    Attributes
    ----------
    file : Path
        The file that was read.
    metadata : Metadata
        Origin and licence of the file.
    mapping : Path or None
        Mapping table (.xomm); None if the asset names no table, which the standard allows.
    replacements : tuple of (str, str)
        Name of a material in the 3D model, and the key by which it is looked up instead.
    textures : tuple of (str, str)
        Name of a material in the 3D model, and the path of a texture whose colours, instead of the
        name, are keys into the mapping table. As written in the file; textures are not opened.
    remarks : tuple of str
        Messages to the user, one line each.
    not_followed : tuple of NotFollowed
        Contents that are ignored.
    """

    file: Path
    metadata: Metadata
    mapping: Path | None
    replacements: tuple[tuple[str, str], ...]
    textures: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED

    def key(self, name: str) -> str:
        """Return the key by which to look up a material of the 3D model in the mapping table.

        ``name`` is the material's name in the 3D model. The result is the first key that replaces
        it in ``replacements``, or else ``name`` itself.
        """
        return dict(reversed(self.replacements)).get(name, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceRoughness:
    """Roughness of a surface, as a material file states it.

    Attributes
    ----------
    height_rms_m : float
        RMS height. [m]
    correlation_length_m : float
        Correlation length of the height. [m]
    sources : str
        Sources of the values, as stated in the file; may be empty.
    """

    height_rms_m: float
    correlation_length_m: float
    sources: str  # as stated in the file; may be empty


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Material:
    """A material (.xomp) with its look-up tables.

    Attributes
    ----------
    name : str
        Name of the file, without ``.xomp``.
    file : Path
        The file that was read.
    metadata : Metadata
        Origin and licence of the file; ``sources`` comes from the look-up tables, joined by ``; ``.
    brdf_tables : tuple of BrdfTable
        The BRDF look-up tables that could be read; may be empty.
    refractive_index : RefractiveIndex or None
        None if the file names no optical table, or if the table could not be read.
    roughness : SurfaceRoughness or None
        None if the file states none.
    remarks : tuple of str
        Messages to the user, one line each: on the version of the standard, on look-up tables left
        out because they could not be read, and the remarks of the others.
    not_followed : tuple of NotFollowed
        Contents of the file that are ignored; each look-up table has a list of its own.
    """

    name: str
    file: Path
    metadata: Metadata
    brdf_tables: tuple[BrdfTable, ...]
    refractive_index: RefractiveIndex | None
    roughness: SurfaceRoughness | None
    remarks: tuple[str, ...]
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED


def read_mapping(path: Path, roots: Iterable[Path]) -> MappingRules:
    """Return the rules of a mapping table (.xomm).

    A rule whose file is no .xomp, is missing or lies outside the roots is returned with its
    ``problem``. A path is tried as written, relative to the table, and then as a file of the same
    name in the table's own folder: real tables say ``./materials/x.xomp``, but are distributed in
    one folder with the materials. Of rows with the same key only the first one is returned; the
    others give remarks.

    Parameters
    ----------
    path : Path
        The file to read.
    roots : iterable of Path
        Folders that materials may come from.

    Raises
    ------
    DatabaseError
        The file is not JSON, or a row is not three texts [material name or ``rgb:<R>;<G>;<B>``,
        path, comment]. Also if the file or a row names another mapping table, which rules out
        circular references. The error names the line.
    """
    document, roots = read_json(path), tuple(roots)
    metadata, remarks = document.metadata(), document.version_remarks()
    if "materialMappingUri" in document.content:
        raise document.error(NO_CHAIN, "materialMappingUri")
    rules: dict[str, MappingRule] = {}
    field, meaning = "materialMapping", f"[material name or {RGB}, path of a .xomp, comment]"
    document.rows(field)
    for index, row in enumerate(document.texts(field, width=3, meaning=meaning)):
        written, uri, comment = row
        key = _key(document, written, field, index)
        if uri.lower().endswith(".xomm"):
            raise document.error(NO_CHAIN, field, index)
        if key in rules:
            problem = f"{shown(key)} is mapped a second time, the first row is used"
            remarks.append(str(document.error(problem, field, index)))
            continue
        try:
            file = document.follow(uri, roots, ".xomp", field, index)
            rules[key] = MappingRule(key=key, file=file, comment=comment)
        except DatabaseError as error:
            rules[key] = MappingRule(key=key, file=None, comment=comment, problem=str(error))
    if not rules:
        remarks.append(f"{path}: the mapping table is empty")
    return MappingRules(
        file=path,
        metadata=metadata,
        rules=tuple(rules.values()),
        remarks=tuple(remarks),
        not_followed=keys_not_read(document),
    )


def _key(document: JsonFile, written: str, *keys: str | int) -> str:
    """Return a key of a mapping table, with colours in one notation."""
    key = written.strip()
    if key.lower().startswith("rgb:"):
        found = _RGB.fullmatch(key)
        channels = [int(channel) for channel in found.groups()] if found else []
        if not channels or max(channels) > 255:
            problem = f"got {shown(written)}, expected {RGB}, each 0 to 255"
            raise document.error(problem, *keys)
        return "rgb:" + ";".join(map(str, channels))
    if not key:
        raise document.error("got an empty name, expected the name of a material", *keys)
    return key


def read_asset(path: Path, roots: Iterable[Path]) -> Asset:
    """Return what an asset file (.xoma) states, without opening its mapping table and textures.

    Parameters
    ----------
    path : Path
        The file to read.
    roots : iterable of Path
        Folders that the mapping table may come from. Assets often share a mapping table above their
        own folder (``../../mapping.xomm``). The path is tried like the paths in `read_mapping`.

    Raises
    ------
    DatabaseError
        The file is not JSON, a value violates the standard, or the mapping table that it names
        is missing or lies outside the roots. The error names the line.
    """
    document = read_json(path)
    metadata, remarks = document.metadata(), document.version_remarks()
    uri = document.word("materialMappingUri")
    mapping = document.follow(uri, roots, ".xomm", "materialMappingUri") if uri else None
    replacements = []
    for field in REPLACEMENT_KEYS:
        meaning = f"[name of a material, name or {RGB} in its place]"
        for index, row in enumerate(document.texts(field, width=2, meaning=meaning)):
            replacements.append((row[0], _key(document, row[1], field, index)))
    textures = []
    field, meaning = "materialTextureAssignment", "[name of a material, path of a texture]"
    for index, (name, texture) in enumerate(document.texts(field, width=2, meaning=meaning)):
        textures.append((name, texture))
        problem = f"texture {shown(texture)} is not opened"
        instead = f"{shown(name)} is looked up as a whole"
        remarks.append(str(document.error(f"{problem}, {instead}", field, index)))
    others = document.rows("externalAssetReferences", required=False)
    if others:
        problem = f"refers to {len(others)} other assets, which are not read"
        remarks.append(str(document.error(problem, "externalAssetReferences")))
    return Asset(
        file=path,
        metadata=metadata,
        mapping=mapping,
        replacements=tuple(replacements),
        textures=tuple(textures),
        remarks=tuple(remarks),
        not_followed=keys_not_read(document),
    )


def read_material(path: Path, roots: Iterable[Path]) -> Material:
    """Return a material (.xomp) with its BRDF tables and its index of refraction.

    A look-up table that cannot be used is left out, with a remark. Electromagnetic tables and
    reflection coefficients are for radar and are not read.

    Parameters
    ----------
    path : Path
        The file to read.
    roots : iterable of Path
        Folders that look-up tables may come from. The paths of tables are tried like the paths in
        `read_mapping`.

    Raises
    ------
    DatabaseError
        The material's own file is not JSON, or a value violates the standard. The error names the
        line.
    """
    document, roots = read_json(path), tuple(roots)
    metadata, remarks = document.metadata(), document.version_remarks()
    document.table(TOP)
    tables: list[BrdfTable] = []
    for index, uri in enumerate(document.words(TOP, "brdfUris")):
        tables += _tables(read_brdf, document, uri, roots, remarks, TOP, "brdfUris", index)
    optical: list[RefractiveIndex] = []
    uri = document.word(TOP, "opticalPropertiesUri")
    if uri:
        keys = (TOP, "opticalPropertiesUri")
        optical = _tables(read_refractive_index, document, uri, roots, remarks, *keys)
    if not (tables or optical):
        remarks.append(f"{path}: no BRDF table and no index of refraction could be read from it")
    roughness = _roughness(document)
    read = [table.metadata for table in tables] + [table.metadata for table in optical]
    sources = dict.fromkeys(of_table.sources for of_table in read)
    return Material(
        name=path.stem,
        file=path,
        metadata=replace(metadata, sources="; ".join(filter(None, sources))),
        brdf_tables=tuple(tables),
        refractive_index=optical[0] if optical else None,
        roughness=roughness,
        remarks=tuple(remarks),
        not_followed=keys_not_read(document),
    )


def _tables(
    read: Callable[[Path], Table],
    document: JsonFile,
    uri: str,
    roots: Iterable[Path],
    remarks: list[str],
    *keys: str | int,
) -> list[Table]:
    """Return the look-up table that a path leads to, or no table and a remark with the reason."""
    try:
        table = read(document.follow(uri, roots, ".xompt", *keys))
    except DatabaseError as error:
        remarks.append(f"{error}; this look-up table is left out")
        return []
    remarks += table.remarks
    return [table]


def _roughness(document: JsonFile) -> SurfaceRoughness | None:
    place = (TOP, "surfaceRoughness")
    if document.get(*place) is None:
        return None
    return SurfaceRoughness(
        height_rms_m=document.number(*place, "surfaceHeightRms"),
        correlation_length_m=document.number(*place, "surfaceCorrelationLength"),
        sources=document.word(*place, "sources"),
    )
