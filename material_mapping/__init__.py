# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Infrared optics of surfaces: material classes, reflectances, mapping tables, range limits."""

from material_mapping.database import MaterialTable as MaterialTable
from material_mapping.database import builtin_materials as builtin_materials
from material_mapping.entry import MaterialClass as MaterialClass
from material_mapping.entry import MaterialEntry as MaterialEntry
from material_mapping.errors import MappingError as MappingError
from material_mapping.errors import MaterialError as MaterialError
from material_mapping.errors import RangeLimitError as RangeLimitError
from material_mapping.errors import UnknownMaterialError as UnknownMaterialError
from material_mapping.errors import YamlFileError as YamlFileError
from material_mapping.errors import nearest as nearest
from material_mapping.mapping import MaterialMapping as MaterialMapping
from material_mapping.mapping import MaterialResolver as MaterialResolver
from material_mapping.mapping import ResolvedMaterial as ResolvedMaterial
from material_mapping.mapping import load_mapping as load_mapping
from material_mapping.range_limit import FITS as FITS
from material_mapping.range_limit import RangeLimit as RangeLimit
from material_mapping.yaml_files import read_yaml as read_yaml
