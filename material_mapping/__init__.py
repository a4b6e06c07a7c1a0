# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Infrared optics of surfaces: material classes, reflectances, mapping tables, range limits.

Names are imported on first use.
"""

from typing import TYPE_CHECKING

from lidar_base.lazy_names import imported_on_use

if TYPE_CHECKING:
    from material_mapping.classes import MaterialClass as MaterialClass
    from material_mapping.classes import material_classes as material_classes
    from material_mapping.databases.opening import open_database as open_database
    from material_mapping.databases.openmaterial.entries import OpenMaterials as OpenMaterials
    from material_mapping.detection_range.range_equation import RangeEquation as RangeEquation
    from material_mapping.detection_range.range_equation import fit_equation as fit_equation
    from material_mapping.detection_range.range_limit import FITS as FITS
    from material_mapping.detection_range.range_limit import RangeLimit as RangeLimit
    from material_mapping.entry import MaterialEntry as MaterialEntry
    from material_mapping.errors import DatabaseError as DatabaseError
    from material_mapping.errors import MappingError as MappingError
    from material_mapping.errors import MaterialError as MaterialError
    from material_mapping.errors import RangeLimitError as RangeLimitError
    from material_mapping.errors import UnknownMaterialError as UnknownMaterialError
    from material_mapping.errors import UnmappedMaterialError as UnmappedMaterialError
    from material_mapping.errors import WavelengthError as WavelengthError
    from material_mapping.mapping.resolver import MaterialResolver as MaterialResolver
    from material_mapping.mapping.resolver import ResolvedMaterial as ResolvedMaterial
    from material_mapping.mapping.rules import MaterialMapping as MaterialMapping
    from material_mapping.mapping.rules import Rule as Rule
    from material_mapping.mapping.rules import load_mapping as load_mapping
    from material_mapping.mapping.rules import mapping_schema as mapping_schema
    from material_mapping.mapping.rules import rules_of as rules_of
    from material_mapping.mapping.suggest import Suggestion as Suggestion
    from material_mapping.mapping.suggest import mapping_text as mapping_text
    from material_mapping.mapping.suggest import suggest_all as suggest_all
    from material_mapping.portable import files_of_database as files_of_database
    from material_mapping.portable import files_of_material as files_of_material
    from material_mapping.table import MaterialTable as MaterialTable
    from material_mapping.table import builtin_materials as builtin_materials

_HOME = {
    "MaterialClass": "classes",
    "material_classes": "classes",
    "MaterialTable": "table",
    "builtin_materials": "table",
    "open_database": "databases.opening",
    "MaterialEntry": "entry",
    "DatabaseError": "errors",
    "MappingError": "errors",
    "MaterialError": "errors",
    "RangeLimitError": "errors",
    "UnknownMaterialError": "errors",
    "UnmappedMaterialError": "errors",
    "WavelengthError": "errors",
    "MaterialMapping": "mapping.rules",
    "Rule": "mapping.rules",
    "load_mapping": "mapping.rules",
    "mapping_schema": "mapping.rules",
    "rules_of": "mapping.rules",
    "OpenMaterials": "databases.openmaterial.entries",
    "files_of_database": "portable",
    "files_of_material": "portable",
    "RangeEquation": "detection_range.range_equation",
    "fit_equation": "detection_range.range_equation",
    "FITS": "detection_range.range_limit",
    "RangeLimit": "detection_range.range_limit",
    "MaterialResolver": "mapping.resolver",
    "ResolvedMaterial": "mapping.resolver",
    "Suggestion": "mapping.suggest",
    "mapping_text": "mapping.suggest",
    "suggest_all": "mapping.suggest",
}

__all__ = [*_HOME]  # noqa: PLE0604  the names are texts

__getattr__ = imported_on_use(__name__, _HOME)
