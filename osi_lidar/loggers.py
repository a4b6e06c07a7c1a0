# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Loggers of the product: each package has one, named like it, above its files'."""

LOGGERS = (
    *("lidar_app", "lidar_gap", "fmu_src", "osi_lidar", "lidar_scenery"),
    *("osi_bridge", "material_mapping", "raycore", "lidar_base"),
)
