# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Blender extension: scan the open scene with osi-lidar, which runs in a separate process."""

from typing import Any

import bpy

from .operators import OSI_LIDAR_OT_export_scene, OSI_LIDAR_OT_scan_scene
from .panel import OSI_LIDAR_PT_scan, Preferences, Settings

_CLASSES = (
    Settings,
    Preferences,
    OSI_LIDAR_OT_export_scene,
    OSI_LIDAR_OT_scan_scene,
    OSI_LIDAR_PT_scan,
)


def _draw_menu(menu: Any, _context: Any) -> None:  # noqa: ANN401  # types of bpy are not at hand
    menu.layout.operator(OSI_LIDAR_OT_export_scene.bl_idname)


def register() -> None:
    """Add the operators, the panel and the entry in the export menu."""
    for each in _CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Scene.osi_lidar = bpy.props.PointerProperty(type=Settings)
    bpy.types.TOPBAR_MT_file_export.append(_draw_menu)


def unregister() -> None:
    """Take away what `register` added."""
    bpy.types.TOPBAR_MT_file_export.remove(_draw_menu)
    del bpy.types.Scene.osi_lidar
    for each in reversed(_CLASSES):
        bpy.utils.unregister_class(each)
