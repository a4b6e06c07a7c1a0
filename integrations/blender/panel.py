# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of a scene, the panel that shows them, and the preferences."""

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, PointerProperty, StringProperty


class Settings(bpy.types.PropertyGroup):
    """Settings of a scan, stored with the scene."""

    sensor: PointerProperty(  # type: ignore[valid-type]
        name="Sensor",
        description="Object that gives the pose of the sensor: x of an Empty is forward, z up; a "
        "camera looks forward. Default: the camera of the scene",
        type=bpy.types.Object,
    )
    preset: StringProperty(  # type: ignore[valid-type]
        name="Preset",
        description="Name of a known sensor; `osi-lidar sensors` lists them",
        default="OS1-64",
    )
    columns: IntProperty(  # type: ignore[valid-type]
        name="Columns",
        description="Columns per turn, where the preset offers a choice; 0: the preset's default",
        default=0,
        min=0,
    )
    fidelity: EnumProperty(  # type: ignore[valid-type]
        name="Fidelity",
        items=(
            ("IDEAL", "Ideal", "Beams are lines, ranges are exact"),
            ("PHYSICAL", "Physical", "Divergence, echoes and noise of the sensor"),
        ),
    )
    frames: EnumProperty(  # type: ignore[valid-type]
        name="Frames",
        items=(
            ("CURRENT", "Current frame", "One scan, in which nothing moves"),
            ("RANGE", "Frame range", "The frame range of the scene, with its step"),
        ),
    )
    patterns: BoolProperty(  # type: ignore[valid-type]
        name="Patterns of images",
        description="Whether images of base colours give surfaces a pattern, for sensors that see "
        "texture; osi-lidar needs its extra `images`",
    )
    mapping: StringProperty(  # type: ignore[valid-type]
        name="Materials",
        description="Mapping table from names of materials to infrared materials (YAML)",
        subtype="FILE_PATH",
    )
    folder: StringProperty(  # type: ignore[valid-type]
        name="Folder",
        description="Folder for the scene and its points; // is next to the .blend file",
        default="//osi-lidar",
        subtype="DIR_PATH",
    )


class Preferences(bpy.types.AddonPreferences):
    """Preferences of the extension: the command that starts osi-lidar."""

    bl_idname = __package__

    command: StringProperty(  # type: ignore[valid-type]
        name="osi-lidar",
        description="The command osi-lidar, or the Python it is installed for: a path, or a name "
        "on PATH",
        default="osi-lidar",
        subtype="FILE_PATH",
    )

    def draw(self, _context: Any) -> None:  # noqa: ANN401
        """Show the command."""
        self.layout.prop(self, "command")


class OSI_LIDAR_PT_scan(bpy.types.Panel):  # noqa: N801  # Blender asks for this form
    """Panel in the sidebar of the 3D view."""

    bl_label = "osi-lidar"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "osi-lidar"

    def draw(self, context: Any) -> None:  # noqa: ANN401
        """Show the settings and the button."""
        layout = self.layout
        layout.use_property_split = True
        for name in Settings.__annotations__:
            layout.prop(context.scene.osi_lidar, name)
        layout.operator("osi_lidar.scan_scene")
