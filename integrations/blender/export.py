# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Export of the scene that is open in Blender to a folder that osi-lidar replays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import bpy

from .errors import SceneError
from .folder import CONFIGURATION, TRACE, SceneFolder, configuration
from .looks import Looks
from .osi_wire import (
    BEINGS,
    VEHICLES,
    ground_truth,
    host_vehicle,
    moving_object,
    stationary_object,
)
from .scene import HOST_ID, Recorder, Recording, Track

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def export(context: Any, settings: Any, path: Path) -> tuple[SceneFolder, Recording]:  # noqa: ANN401  # types of bpy are not at hand
    """Write a scene.

    Parameters
    ----------
    context : bpy.types.Context
        The context whose scene is written.
    settings : Settings
        Settings from the panel.
    path : Path
        Folder to fill.

    Raises
    ------
    SceneError
        There is no sensor or no visible object, or the folder holds other files.
    """
    sensor = settings.sensor or context.scene.camera
    if sensor is None:
        raise SceneError("no sensor: choose an Empty or a camera in the panel osi-lidar")
    folder = SceneFolder(path)
    looks = Looks(folder)
    recording = Recorder(context, sensor, folder, looks).record(frames_of(context, settings))
    if not recording.tracks:
        raise SceneError("nothing to scan: no object with a surface is visible and rendered")
    folder.write(TRACE, messages_of(recording))
    config = configuration(
        preset=settings.preset,
        columns=settings.columns,
        fidelity=settings.fidelity.lower(),
        patterns=settings.patterns,
        mapping=bpy.path.abspath(settings.mapping),
    )
    folder.write(CONFIGURATION, [json.dumps(config, indent=2).encode() + b"\n"])
    folder.describe(_description(context, sensor.name, recording))
    return folder, recording


def frames_of(context: Any, settings: Any) -> range:  # noqa: ANN401
    """Return the frames to write: the current one, or the range of the scene."""
    scene = context.scene
    if settings.frames == "CURRENT":
        return range(scene.frame_current, scene.frame_current + 1)
    return range(scene.frame_start, scene.frame_end + 1, scene.frame_step)


def messages_of(recording: Recording) -> Iterator[bytes]:
    """Yield the entries of the trace, one for each frame."""
    now: dict[int, bytes] = {}
    objects = recording.numbered()
    moving = {object_id: is_moving(track) for object_id, track in objects}
    for index, time_ns in enumerate(recording.time_ns):
        for object_id, track in objects:
            if index in track.changes:
                state = track.changes[index]
                write = moving_object if moving[object_id] else stationary_object
                entry = b"" if state is None else write(object_id, state, track.osi_type)
                now[object_id] = entry
        host = host_vehicle(HOST_ID, recording.sensor[index])
        yield ground_truth(time_ns, HOST_ID, (host, *now.values()))


def is_moving(track: Track) -> bool:
    """Return whether an object becomes an OSI MovingObject: it moves, or is a vehicle or being."""
    return track.moves or track.osi_type in VEHICLES or track.osi_type in BEINGS


def _description(context: Any, sensor: str, recording: Recording) -> dict[str, Any]:  # noqa: ANN401
    """Return the content of `scene.json`, for people and for `points.bring_back`."""
    render = context.scene.render
    return {
        "scene": context.scene.name,
        "sensor": sensor,
        "unit_m": context.scene.unit_settings.scale_length,
        "frames_per_s": render.fps / render.fps_base,
        "frames": recording.frames,
        "objects": [
            {
                "id": object_id,
                "name": track.name,
                "part_of": track.part_of,
                "type": track.osi_type,
                "moving": is_moving(track),
            }
            for object_id, track in recording.numbered()
        ],
        "left_out": dict(sorted(recording.left_out.items())),
        "not_followed": sorted(recording.not_followed),
    }
