# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Loggers of the product: one for each package, the parent of the loggers of its modules."""

LOGGERS = (
    *("lidar_app", "lidar_gap", "fmu_src", "osi_lidar", "lidar_scenery"),
    *("osi_bridge", "material_mapping", "raycore", "lidar_base"),
)
