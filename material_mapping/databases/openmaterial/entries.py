# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries and rules from a folder or a single asset of ASAM OpenMATERIAL 3D."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.unfollowed import log_not_followed
from material_mapping.by_wavelength import ByWavelength
from material_mapping.classes import GENERAL, GLASS, RETROREFLECTIVE
from material_mapping.databases.openmaterial.asset import read_asset, read_mapping, read_material
from material_mapping.entry import GENERAL_MAXIMUM, MaterialEntry
from material_mapping.errors import DatabaseError, MaterialError
from material_mapping.mapping.rules import Rule
from material_mapping.mapping.visual import rgb_key
from material_mapping.optics.gloss import Gloss
from material_mapping.optics.microfacet import ggx
from material_mapping.response import DEGREES, Lookup, Modelled
from material_mapping.yaml_models import NARROWEST_ROUGHNESS, always, straight_back

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_base.unfollowed import NotFollowed
    from material_mapping.databases.openmaterial.asset import Asset, MappingRules, Material
    from material_mapping.databases.openmaterial.brdf import BrdfTable
    from material_mapping.databases.openmaterial.tables import RefractiveIndex
    from material_mapping.mapping.visual import Visual

logger = logging.getLogger(__name__)

CLEAR_BELOW_K = 1e-3
"""Extinction coefficient below which a material with only an index is clear glass. [1]"""
ASSUMED_ROUGHNESS = 0.1
"""GGX roughness of a metal whose file states none: between polished and brushed. [1]"""
NARROW_PEAK_DEG = 0.5
"""A mirror's peak that ends below this angle of incidence is left out of a material's table. [deg]

The table has whole degrees, so it would spread the peak over a degree. The peak stays if the BRDF
at its end is above 0.
"""


class OpenMaterials:
    """Materials by the names of their ``.xomp`` files, and rules of ``.xomm`` mapping tables.

    Parameters
    ----------
    files : dict of str to Path
        Files of the materials by name. The dict is kept and modified: materials that only the rules
        of ``mappings`` name are added.
    mappings : sequence of MappingRules
        Mapping tables, tried in this order.
    roots : sequence of Path
        Folders that look-up tables may come from.
    asset : Asset, optional
        Asset that replaces material names before they are looked up.
    problems : sequence of str
        Problems in the files of this source, one line each.

    Attributes
    ----------
    not_followed : dict of Path to tuple of NotFollowed
        Contents that are ignored, for each file that was read so far.
    """

    def __init__(
        self,
        files: dict[str, Path],
        mappings: Sequence[MappingRules],
        roots: Sequence[Path],
        asset: Asset | None = None,
        *,
        problems: Sequence[str] = (),
    ) -> None:
        self._files = files
        self._mappings = tuple(mappings)
        self._roots = tuple(roots)
        self._asset = asset
        self._entries: dict[str, MaterialEntry] = {}
        self._names = {file: name for name, file in files.items()}
        remarks = (remark for mapping in mappings for remark in mapping.remarks)
        of_asset = () if asset is None else asset.remarks
        self.problems = (*problems, *of_asset, *remarks)
        self.not_followed: dict[Path, tuple[NotFollowed, ...]] = {}
        if asset is not None:
            self._list(asset)
        for mapping in mappings:
            self._list(mapping)
        self._leading_nowhere: set[str] = set()
        for mapping in mappings:
            for rule in mapping.rules:
                if rule.file is None:
                    self._leading_nowhere.add(rule.problem)
                elif rule.file not in self._names:
                    name, number = rule.file.stem, 2
                    while name in self._files:
                        name, number = f"{rule.file.stem} ({number})", number + 1
                    self._files[name] = rule.file
                    self._names[rule.file] = name

    @classmethod
    def of_folder(cls, folder: Path) -> OpenMaterials:
        """Return all materials of a folder with its sub-folders, and its mapping tables' rules.

        Of several material files with the same name, the first one is used, with a warning.
        A mapping table that cannot be read is listed in the problems; the others are used.
        """
        files: dict[str, Path] = {}
        for file in sorted(folder.rglob("*.xomp")):
            if file.stem in files:
                logger.warning("%s: a second material %r, the first one is used", file, file.stem)
            files.setdefault(file.stem, file.resolve())  # as rules name it
        tables, problems = [], []
        for file in sorted(folder.rglob("*.xomm")):
            try:
                tables.append(read_mapping(file, [folder]))
            except DatabaseError as error:  # noqa: PERF203  one file does not spoil the others
                problems.append(f"{error}; its rules are not used")
        return cls(files, tables, [folder], problems=problems)

    @classmethod
    def of_asset(cls, file: Path, roots: Sequence[Path]) -> OpenMaterials | None:
        """Return the materials that an asset (``.xoma``) maps to; None without a mapping table.

        Parameters
        ----------
        file : Path
            The asset file.
        roots : sequence of Path
            Folders that the mapping table, the materials and their look-up tables may come from.

        Raises
        ------
        DatabaseError
            The asset or its mapping table cannot be read.
        """
        asset = read_asset(file, roots)
        if asset.mapping is None:
            return None
        return cls({}, [read_mapping(asset.mapping, roots)], roots, asset)

    @property
    def names(self) -> Iterable[str]:
        """Names of all materials of this source."""
        return self._files.keys()

    def get(self, name: str) -> MaterialEntry | None:
        """Return a material, or None if no material has this name; read its file at the first call.

        Raises
        ------
        MaterialError
            The file of the material cannot be used, or has no infrared data. Also raised if `name`
            is an error text: rules whose file is missing have one instead of a material's name.
        """
        if name in self._leading_nowhere:
            raise MaterialError(name)
        if name in self._files and name not in self._entries:
            material = read_material(self._files[name], self._roots)
            entry = material_entry(material)
            for remark in material.remarks:
                logger.warning("%s", remark)
            self._list(material)
            for table in material.brdf_tables:
                self._list(table)
            if material.refractive_index is not None:
                self._list(material.refractive_index)
            self._entries[name] = replace(entry, name=name)
        return self._entries.get(name)

    def _list(self, read: Asset | MappingRules | Material | BrdfTable | RefractiveIndex) -> None:
        """Record and log the contents of a file that this reader ignores, once for each file."""
        if read.file not in self.not_followed:
            self.not_followed[read.file] = read.not_followed
            log_not_followed(str(read.file), read.not_followed)

    def rule_for(self, visual: Visual) -> Rule | None:
        """Return the first mapping rule for a visual material of a mesh, or None.

        The mapping tables are tried in order. In each, the name of the material is looked up, and
        then its base colour. If there is an asset, it replaces the name first. If the material file
        of the rule is missing, `Rule.material` is the error text, which `get` raises.
        """
        name = visual.name if self._asset is None else self._asset.key(visual.name)
        for mapping in self._mappings:
            for key in (name, rgb_key(visual)):
                rule = mapping.find(key) if key else None
                if rule is not None:
                    material = rule.problem if rule.file is None else self._names[rule.file]
                    return Rule(f"{mapping.file.name}: {rule.key}", rule.key, material)
        return None


def material_entry(material: Material) -> MaterialEntry:
    """Return the infrared material, from its BRDF tables or else its index of refraction.

    Only BRDF tables that begin within 10 deg of the perpendicular are used. Without such a table,
    the index decides: the material is clear glass if its extinction coefficient k is always below
    0.001, or else a metal of GGX facets. The roughness of the facets is sqrt(2) times the RMS
    slope, clipped to 0.02 to 1, and 0.1 if the file states none. The RMS slope is the RMS height
    over the correlation length.

    Raises
    ------
    MaterialError
        The material has neither such a BRDF table nor an index, or its values are out of range.
    """
    tables = [table for table in material.brdf_tables if table.covers_normal]
    if tables:
        return _by_brdf(material, tables)
    if material.refractive_index is not None:
        return _by_index(material, material.refractive_index)
    remarks = "; ".join(material.remarks) or "no BRDF table and no index of refraction"
    raise MaterialError(f"{material.name}: no data that a lidar can use: {remarks}")


def _by_brdf(material: Material, tables: Sequence[BrdfTable]) -> MaterialEntry:
    low = min(table.wavelength_range_nm[0] for table in tables)
    high = max(table.wavelength_range_nm[1] for table in tables)
    function = partial(_of_tables, tables)
    sample = function(DEGREES, low)
    lambertian = np.allclose(sample[:-1], sample[0] * np.cos(np.radians(DEGREES[:-1])), atol=1e-5)
    return _entry(
        material,
        material_class=RETROREFLECTIVE if sample.max() > GENERAL_MAXIMUM else GENERAL,
        response=Modelled(
            name=material.name,
            function=function,
            wavelength_range_nm=(low, high),
            lookup=Lookup.MATT if lambertian else Lookup.LINEAR,
            last_angle_deg=min(table.angle_range_deg[1] for table in tables),
            unit="1/sr",
        ),
    )


def _of_tables(
    tables: Sequence[BrdfTable], angle_deg: NDArray[np.float64], wavelength_nm: float
) -> NDArray[np.float64]:
    """Return the reflectivity [1] from one table: the first that covers the wavelength.

    If no table covers it, the table nearest in wavelength is used, at its nearest wavelength.
    """

    def distance(table: BrdfTable) -> float:
        low, high = table.wavelength_range_nm
        return max(low - wavelength_nm, wavelength_nm - high, 0.0)

    table = min(tables, key=distance)
    low, high = table.wavelength_range_nm
    # a peak narrower than the table of whole degrees would be smeared over a whole degree
    angle = np.maximum(angle_deg, NARROW_PEAK_DEG) if _is_mirror(table) else angle_deg
    return np.maximum(table.reflectivity(angle, min(max(wavelength_nm, low), high)), 0.0)


def _is_mirror(table: BrdfTable) -> bool:
    return any(
        len(curve.angle_deg) > 1 and curve.angle_deg[1] < NARROW_PEAK_DEG and curve.brdf[1] == 0.0
        for curve in table.curves
    )


def _by_index(material: Material, index: RefractiveIndex) -> MaterialEntry:
    known = ByWavelength(tuple(index.wavelengths_nm), tuple(index.n + 1j * index.k))
    if max(index.k) < CLEAR_BELOW_K:
        return _entry(material, material_class=GLASS, refractive_index=known)
    roughness, stated = ASSUMED_ROUGHNESS, "assumed"
    if material.roughness is not None and material.roughness.correlation_length_m > 0.0:
        slope = material.roughness.height_rms_m / material.roughness.correlation_length_m
        of_file = math.sqrt(2.0) * slope
        roughness = min(max(of_file, NARROWEST_ROUGHNESS), 1.0)
        stated = "as stated" if roughness == of_file else f"stated {of_file:.2g}"
    return _entry(
        material,
        material_class=RETROREFLECTIVE if roughness < ASSUMED_ROUGHNESS else GENERAL,
        response=Modelled(
            name=material.name,
            function=partial(_of_facets, known, roughness),
            wavelength_range_nm=known.range_nm,
            lookup=Lookup.CUBIC,
            unit="n, k",
        ),
        gloss=Gloss(
            roughness=always(roughness),
            n=ByWavelength(known.wavelengths_nm, tuple(index.n)),
            k=ByWavelength(known.wavelengths_nm, tuple(index.k)),
            source=f"{stated} in the file",
        ),
        note=f"GGX facets of roughness {roughness:.2g} ({stated}), n and k of the file",
    )


def _of_facets(
    index: ByWavelength,
    roughness: float,
    angle_deg: NDArray[np.float64],
    wavelength_nm: float,
) -> NDArray[np.float64]:
    at = index(wavelength_nm)
    return straight_back(ggx, angle_deg, roughness=roughness, n=at.real, k=at.imag)


def _entry(material: Material, note: str = "", **values: object) -> MaterialEntry:
    metadata = material.metadata
    try:
        return MaterialEntry(
            name=material.name,
            source=f"OpenMATERIAL 3D: {metadata.sources or 'not stated'}, {material.file.name}",
            note="; ".join(filter(None, [note, *material.remarks])),
            licence="; ".join(filter(None, [metadata.licence, metadata.copyrights])),
            database=str(material.file.parent),
            **values,  # type: ignore[arg-type]
        )
    except MaterialError as error:
        raise DatabaseError(material.file, str(error)) from error
