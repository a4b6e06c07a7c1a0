# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The point clouds of a run as objects of Blender: meshes of vertices with attributes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from .errors import SceneError
from .folder import SENSOR, description_of
from .pcd import PointCloud, read_pcd
from .scene import MARK

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FLOATS = {"intensity": "intensity", "range": "range", "radial_velocity": "radial_velocity"}
INTEGERS = {
    "ring": "ring",
    "column": "column",
    "object_id": "object",
    "material_id": "material",
    "origin": "origin",
}
"""Field of the point cloud: attribute of the points in Blender."""
NONE = -1
"""Value of a point without an object or a material."""


def bring_back(context: Any, folder: Path) -> list[Any]:  # noqa: ANN401  # types of bpy are not at hand
    """Return the point clouds of a run as Blender objects, in a collection of their own.

    The collection is new, or loses the points of an earlier scan. Each cloud is visible in its
    frame only. Custom properties of the collection name the objects by OSI id and list the
    materials, in the order of their numbers.

    Parameters
    ----------
    context : bpy.types.Context
        The collection is put into the scene of this context.
    folder : Path
        Folder of the scene, with the results in `run`.

    Raises
    ------
    SceneError
        The run has no clouds, or one cannot be read.
    """
    description = description_of(folder)
    clouds = folder / "run" / SENSOR / "deskewed"
    files = sorted(file for file in clouds.glob("*.pcd") if file.stem.isdecimal())
    if not files:
        raise SceneError(f"{clouds}: has no point clouds (.pcd); run the scan first")
    named = {int(file.stem): read_pcd(file) for file in files}
    collection = _emptied(context.scene, f"osi-lidar {description['scene']}")
    collection["osi_lidar_objects"] = {
        str(each["id"]): each["name"] for each in description["objects"]
    }
    collection["osi_lidar_materials"] = _materials(folder / "run" / "run.json")
    frames = description["frames"]
    unit_m = description["unit_m"]
    made = []
    for index, cloud in named.items():
        made.append(_object(f"points {frames[index]:04}", cloud, unit_m))
        collection.objects.link(made[-1])
        if len(named) > 1:
            _show_in(made[-1], frames, index)
    return made


def _materials(file: Path) -> list[str]:
    try:
        return [str(each) for each in json.loads(file.read_bytes())["materials"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SceneError(
            f"{file}: cannot be read, expected a JSON file with the list `materials`"
        ) from error


def _emptied(scene: Any, name: str) -> Any:  # noqa: ANN401
    """Return the collection of this name in a scene, without the points of an earlier scan."""
    collection = bpy.data.collections.get(name) or bpy.data.collections.new(name)
    for each in [each for each in collection.objects if each.get(MARK)]:
        bpy.data.meshes.remove(each.data)  # takes the object along
    if name not in scene.collection.children:
        scene.collection.children.link(collection)
    return collection


def _object(name: str, cloud: PointCloud, unit_m: float) -> Any:  # noqa: ANN401
    """Return a cloud as an object at the pose of the sensor."""
    points = cloud.points
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    places = np.stack([points[axis] for axis in "xyz"], axis=1) / unit_m
    mesh.vertices.foreach_set("co", places.astype(np.float32).reshape(-1))
    fields = points.dtype.names or ()
    for source, target in FLOATS.items():
        if source in fields:
            _attribute(mesh, target, "FLOAT", points[source].astype(np.float32))
    for source, target in INTEGERS.items():
        if source in fields:
            _attribute(mesh, target, "INT", _numbers(points[source]))
    mesh.update()
    made = bpy.data.objects.new(name, mesh)
    made[MARK] = True
    turn = Quaternion(cloud.quaternion).to_matrix().to_4x4()
    made.matrix_world = Matrix.Translation(Vector(cloud.position_m) / unit_m) @ turn
    return made


def _attribute(mesh: Any, name: str, kind: str, values: NDArray[Any]) -> None:  # noqa: ANN401
    mesh.attributes.new(name, kind, "POINT").data.foreach_set("value", values)


def _numbers(values: NDArray[Any]) -> NDArray[np.int32]:
    """Return numbers as int32; the largest value of their type, "none", becomes `NONE`."""
    none = values == np.iinfo(values.dtype).max
    return np.where(none, NONE, values.astype(np.int64)).astype(np.int32)


def _show_in(made: Any, frames: list[int], index: int) -> None:  # noqa: ANN401
    """Show an object from frame `frames[index]` until the next exported frame only."""
    last = index == len(frames) - 1
    following = frames[index] + 1 if last else frames[index + 1]
    for frame, hidden in ((frames[0] - 1, True), (frames[index], False), (following, True)):
        made.hide_viewport = made.hide_render = hidden
        made.keyframe_insert("hide_viewport", frame=frame)
        made.keyframe_insert("hide_render", frame=frame)
