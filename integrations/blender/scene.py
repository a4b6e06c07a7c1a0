# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The objects of a scene, frame by frame, as Blender's depsgraph has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import SceneError
from .osi_wire import KNOWN_TYPES, State
from .poses import Split, box_of, sensor_box, split
from .surfaces import WITH_SURFACE, materials_of, surface_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from .folder import SceneFolder
    from .looks import Looks
    from .osi_wire import Box

MARK = "osi_lidar_points"
"""Custom property of objects that are point clouds of a run."""
TYPE = "osi_type"
"""Custom property that states the type of an object."""
HOST_ID = 1
HOST_SIZE_M = 0.1
LONGEST_M = 10_000.0
"""Longest box that osi-lidar accepts. [m]"""
NOT_FOLLOWED = {
    "CURVES": "hair",
    "POINTCLOUD": "point clouds",
    "VOLUME": "volumes",
    "GPENCIL": "grease pencil",
    "GREASEPENCIL": "grease pencil",
}
"""Types of objects that Blender shows, but that have no mesh, with the words of the report."""

Key = tuple[str, str, str, tuple[int, ...], int]


@dataclass
class Track:
    """An object of the scene over the exported frames.

    Attributes
    ----------
    name : str
        Name of the object in Blender.
    part_of : str
        Name of the object that creates this instance; empty if this is not an instance.
    osi_type : str
        A value of `KNOWN_TYPES`, or empty.
    changes : dict of int to (str, Box) or None
        Mesh and box from a frame on, by the frame's index; None while the object is absent.
    """

    name: str
    part_of: str
    osi_type: str
    changes: dict[int, State | None] = field(default_factory=dict)

    def now(self) -> State | None:
        """Return the mesh and box in the last frame read, None if the object is absent there."""
        return next(reversed(self.changes.values()), None)

    @property
    def moves(self) -> bool:
        """Whether the object's box or mesh differs between the frames it is in."""
        return len({state for state in self.changes.values() if state is not None}) > 1


@dataclass
class Recording:
    """A scene over its frames.

    Attributes
    ----------
    frames : list of int
        Frame numbers in Blender.
    time_ns : list of int
        Time of each frame, 0 at the first. [ns]
    sensor : list of Box
        Box of the host in each frame; the sensor is at its centre.
    tracks : dict of Key to Track
        The objects.
    left_out : dict of str to str
        Objects that are not in the trace, and why.
    not_followed : set of str
        Features that Blender shows and the export ignores, in words.
    """

    frames: list[int] = field(default_factory=list)
    time_ns: list[int] = field(default_factory=list)
    sensor: list[Box] = field(default_factory=list)
    tracks: dict[Key, Track] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    not_followed: set[str] = field(default_factory=set)

    def numbered(self) -> list[tuple[int, Track]]:
        """Return pairs of OSI id and object; ids follow the first frame, then the name."""
        order = sorted(self.tracks, key=lambda key: (min(self.tracks[key].changes), key))
        return [(HOST_ID + 1 + place, self.tracks[key]) for place, key in enumerate(order)]


class Recorder:
    """Reader of the frames of a scene.

    Parameters
    ----------
    context : bpy.types.Context
        The context whose scene and view layer are read.
    sensor : bpy.types.Object
        Object at the pose of the sensor.
    folder : SceneFolder
        Folder for the mesh files.
    looks : Looks
        Reader of the materials.

    Raises
    ------
    SceneError
        The sensor is hidden, so that Blender does not move it.
    """

    def __init__(self, context: Any, sensor: Any, folder: SceneFolder, looks: Looks) -> None:  # noqa: ANN401
        self._context = context
        self._scene = context.scene
        self._sensor = sensor
        self._folder = folder
        self._looks = looks
        self._unit_m = self._scene.unit_settings.scale_length
        self._meshes: dict[object, tuple[str, NDArray[np.float64]] | None] = {}
        self._recording = Recording()
        if not sensor.visible_get(view_layer=context.view_layer):
            raise SceneError(
                f"sensor {sensor.name!r}: is hidden in the viewport; show it, or choose another "
                "sensor"
            )

    def record(self, frames: range) -> Recording:
        """Return the objects in these frames; the scene's current frame is restored at the end."""
        before = self._scene.frame_current
        render = self._scene.render
        try:
            for frame in frames:
                self._scene.frame_set(frame)
                seconds = (frame - frames[0]) * render.fps_base / render.fps
                self._recording.frames.append(frame)
                self._recording.time_ns.append(round(1e9 * seconds))
                self._record_frame(len(self._recording.frames) - 1)
        finally:
            self._scene.frame_set(before)
        for track in self._recording.tracks.values():
            self._recording.left_out.pop(track.name, None)
        self._recording.not_followed |= self._looks.not_followed
        return self._recording

    def _record_frame(self, index: int) -> None:
        recording = self._recording
        depsgraph = self._context.evaluated_depsgraph_get()
        posed = np.array(self._sensor.evaluated_get(depsgraph).matrix_world, np.float64)
        is_camera = self._sensor.type == "CAMERA"
        recording.sensor.append(sensor_box(posed, self._unit_m, HOST_SIZE_M, camera=is_camera))
        self._meshes.clear()  # addresses are of one frame
        rendered = rendered_objects(self._context.view_layer)
        seen: set[Key] = set()
        for instance in depsgraph.object_instances:
            if self._is_surface(instance, rendered) and (state := self._state(instance)):
                key = _key_of(instance, seen)
                seen.add(key)
                track = recording.tracks.get(key) or Track(key[1], *_owner_and_type(instance))
                recording.tracks[key] = track
                if track.now() != state:
                    track.changes[index] = state
        for key, track in recording.tracks.items():
            if key not in seen and track.now() is not None:
                track.changes[index] = None
        for name, reason in self._left_out(rendered):
            recording.left_out.setdefault(name, reason)

    def _is_surface(self, instance: Any, rendered: set[str]) -> bool:  # noqa: ANN401
        """Return whether an instance is shown and rendered, and has a surface for the sensor."""
        evaluated, original = instance.object, _original_of(instance)
        owner = instance.parent.original if instance.is_instance else original
        if not instance.show_self or self._sensor in {original, owner}:
            return False
        if owner.name_full not in rendered or original.get(MARK):
            return False
        if not instance.is_instance and _is_hidden_instancer(original):
            return False
        # collections show what is rendered; other instancers show hidden objects too
        if evaluated.hide_render and (owner == original or owner.instance_type == "COLLECTION"):
            return False
        if evaluated.type in NOT_FOLLOWED:
            kind = NOT_FOLLOWED[evaluated.type]
            self._recording.not_followed.add(f"object {original.name_full}: {kind}")
        # a curve or a text comes twice: as itself, and as an instance of its mesh
        return bool(evaluated.type == "MESH")

    def _state(self, instance: Any) -> State | None:  # noqa: ANN401
        """Return the mesh and box of an instance, None if it has no triangle or no volume."""
        matrix = np.array(instance.matrix_world, np.float64)
        parts = split(matrix[:3, :3])
        name = _original_of(instance).name_full
        if parts is None:
            self._recording.not_followed.add(f"object {name}: is scaled to nothing")
            return None
        mesh = self._mesh(instance.object, parts, name)
        if mesh is None:
            return None
        reference, bounds = mesh
        box = box_of(parts, matrix[:3, 3], bounds, self._unit_m)
        if max(box.size_m) > LONGEST_M:
            raise SceneError(
                f"object {name!r}: is {max(box.size_m):.0f} m long, expected at most "
                f"{LONGEST_M:.0f} m"
            )
        return reference, box

    def _mesh(self, evaluated: Any, parts: Split, name: str) -> Any:  # noqa: ANN401
        """Store a mesh, once for all its instances in a frame; return its reference and bounds."""
        baked = None if parts.baked is None else parts.baked.tobytes()
        key = (evaluated.data.as_pointer(), materials_of(evaluated), baked)
        if key not in self._meshes:
            surface = surface_of(evaluated, parts.baked, self._looks)
            self._meshes[key] = None
            if surface is not None:
                reference = self._folder.store_mesh(name, surface)
                self._meshes[key] = reference, surface.bounds
        return self._meshes[key]

    def _left_out(self, rendered: set[str]) -> Iterator[tuple[str, str]]:
        """Yield the objects with a surface that are not shown or not rendered, and why."""
        layer = self._context.view_layer
        for each in self._scene.objects:
            if each.type not in WITH_SURFACE or each.get(MARK):
                continue
            if each == self._sensor:
                yield each.name_full, "it is the sensor"
            elif each.name not in layer.objects:
                yield each.name_full, "its collection is excluded"
            elif not each.visible_get(view_layer=layer):
                yield each.name_full, "hidden in the viewport"
            elif each.hide_render or each.name_full not in rendered or _is_hidden_instancer(each):
                yield each.name_full, "not rendered"


def rendered_objects(view_layer: Any) -> set[str]:  # noqa: ANN401
    """Return the names of the objects in collections that a view layer renders."""
    names: set[str] = set()
    waiting = [view_layer.layer_collection]
    while waiting:
        layer = waiting.pop()
        if layer.exclude or layer.collection.hide_render:
            continue
        names.update(each.name_full for each in layer.collection.objects)
        waiting.extend(layer.children)
    return names


def _is_hidden_instancer(original: Any) -> bool:  # noqa: ANN401
    """Return whether an object creates instances, but is itself not rendered."""
    makes_some = original.is_instancer or len(original.particle_systems) > 0
    return makes_some and not original.show_instancer_for_render


def _original_of(instance: Any) -> Any:  # noqa: ANN401
    """Return the object of the .blend file that an instance shows."""
    return (instance.instance_object if instance.is_instance else instance.object).original


def _key_of(instance: Any, seen: set[Key]) -> Key:  # noqa: ANN401
    """Return a key of an instance that is unique in a frame and equal in all frames."""
    owner = instance.parent.original.name_full if instance.is_instance else ""
    numbers = tuple(instance.persistent_id) if instance.is_instance else ()
    name = _original_of(instance).name_full
    again = 0
    while (key := (owner, name, instance.object.type, numbers, again)) in seen:
        again += 1
    return key


def _owner_and_type(instance: Any) -> tuple[str, str]:  # noqa: ANN401
    """Return the instancer's name, and the OSI type set on the object or else its instancer."""
    original = _original_of(instance)
    owner = instance.parent.original if instance.is_instance else None
    stated = original.get(TYPE) or ("" if owner is None else owner.get(TYPE, ""))
    if stated and stated not in KNOWN_TYPES:
        known = ", ".join(KNOWN_TYPES)
        raise SceneError(f"object {original.name!r}: {TYPE} is {stated!r}, expected one of {known}")
    return "" if owner in {None, original} else owner.name_full, stated
