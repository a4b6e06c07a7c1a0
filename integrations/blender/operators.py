# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Blender operators: export of a scene, and a scan of the exported scene."""

from pathlib import Path
from typing import Any

import bpy
from bpy.props import StringProperty

from .errors import SceneError
from .export import export
from .points import bring_back
from .process import Replay
from .scene import Recording

_MOST_NAMED = 3
_PERIOD_S = 0.2


class OSI_LIDAR_OT_export_scene(bpy.types.Operator):  # noqa: N801  # Blender asks for this form
    """Write the scene as OSI trace, meshes and configuration of osi-lidar."""

    bl_idname = "osi_lidar.export_scene"
    bl_label = "osi-lidar scene (folder)"
    bl_options = {"REGISTER"}  # noqa: RUF012  # as all classes of Blender

    directory: StringProperty(subtype="DIR_PATH")  # type: ignore[valid-type]

    def invoke(self, context: Any, _event: Any) -> set[str]:  # noqa: ANN401
        """Let the user choose the folder."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Any) -> set[str]:  # noqa: ANN401
        """Write the folder, and say what was left out."""
        folder = Path(bpy.path.abspath(self.directory))
        try:
            _, recording = export(context, context.scene.osi_lidar, folder)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        tell(self, recording, folder)
        return {"FINISHED"}


class OSI_LIDAR_OT_scan_scene(bpy.types.Operator):  # noqa: N801
    """Write the scene, scan it with osi-lidar, and bring the points back."""

    bl_idname = "osi_lidar.scan_scene"
    bl_label = "Scan this scene"
    bl_options = {"REGISTER"}  # noqa: RUF012

    _replay: Replay
    _folder: Path
    _timer: Any

    def execute(self, context: Any) -> set[str]:  # noqa: ANN401
        """Scan, and wait for the end."""
        try:
            self._start(context)
            self._finish(context)
        except SceneError as error:
            return self._failed(error)
        return {"FINISHED"}

    def invoke(self, context: Any, _event: Any) -> set[str]:  # noqa: ANN401
        """Start a scan in the background; Escape stops it."""
        try:
            self._start(context)
        except SceneError as error:
            return self._failed(error)
        manager = context.window_manager
        self._timer = manager.event_timer_add(_PERIOD_S, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:  # noqa: ANN401
        """Stop on Escape; otherwise check every 0.2 s whether osi-lidar is done."""
        if event.type == "ESC":
            self._replay.stop()
            context.window_manager.event_timer_remove(self._timer)
            self.report({"WARNING"}, "scan stopped")
            return {"CANCELLED"}
        if event.type != "TIMER" or not self._replay.is_done():
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self._timer)
        try:
            self._finish(context)
        except SceneError as error:
            return self._failed(error)
        return {"FINISHED"}

    def _start(self, context: Any) -> None:  # noqa: ANN401
        settings = context.scene.osi_lidar
        folder = Path(bpy.path.abspath(settings.folder))
        if settings.folder.startswith("//") and not bpy.data.filepath:
            raise SceneError(
                f"{settings.folder}: is relative to the .blend file, which is not saved; save it, "
                "or choose an absolute folder"
            )
        _, recording = export(context, settings, folder)
        tell(self, recording, folder)
        self._folder = folder
        self._replay = Replay(command_of(context), folder)

    def _finish(self, context: Any) -> None:  # noqa: ANN401
        self._replay.result()
        made = bring_back(context, self._folder)
        count = sum(len(each.data.vertices) for each in made)
        self.report({"INFO"}, f"{count} points in {len(made)} clouds")

    def _failed(self, error: SceneError) -> set[str]:
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}


def command_of(context: Any) -> str:  # noqa: ANN401
    """Return the command from the extension's preferences, or `osi-lidar`."""
    addon = context.preferences.addons.get(__package__)
    return "osi-lidar" if addon is None else str(addon.preferences.command)


def tell(operator: Any, recording: Recording, folder: Path) -> None:  # noqa: ANN401
    """Report to the user what was written, what was left out, and what the export ignores."""
    count = len(recording.tracks)
    operator.report({"INFO"}, f"{count} objects, {len(recording.frames)} frames in {folder}")
    if recording.left_out:
        left = [f"{name} ({reason})" for name, reason in sorted(recording.left_out.items())]
        operator.report({"WARNING"}, f"left out: {_first(left)}")
    if recording.not_followed:
        operator.report({"WARNING"}, f"not followed: {_first(sorted(recording.not_followed))}")


def _first(names: list[str]) -> str:
    """Return the first names as text, and how many more `scene.json` lists."""
    more = len(names) - _MOST_NAMED
    rest = f", and {more} more in scene.json" if more > 0 else ""
    return ", ".join(names[:_MOST_NAMED]) + rest
