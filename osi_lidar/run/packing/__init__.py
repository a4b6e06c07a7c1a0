# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packing of a configuration and every file that it names into an archive: an FMU or a bundle."""

from osi_lidar.run.packing.layout import EMPTY, TREES, Layout, check_name
from osi_lidar.run.packing.packing import Packing, materials_by_database, real_folder

__all__ = [
    "EMPTY",
    "TREES",
    "Layout",
    "Packing",
    "check_name",
    "materials_by_database",
    "real_folder",
]
