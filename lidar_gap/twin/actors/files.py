# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of actors: a mesh of each body, a list (CSV), and an OSI trace of their motion."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import trimesh

from lidar_base.files.own_files import remove_own
from lidar_base.files.whole_files import make_folder, replacing
from lidar_gap.twin.actors.kinds import osi_type
from osi_bridge import (
    MovingBox,
    encode_ground_truth,
    orientation_from_rotation,
    write_trace,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.twin.actors.bodies import ActorBody
    from lidar_gap.twin.actors.tracks import ActorTrack, FrameBox

BY = "gap twin"
"""Mark of a twin's files in the lists of written files, see `lidar_base.files.own_files`."""
HOST_ID = 0
FRAME_S = 0.1
"""Time between frames if times are not known. [s]"""
_EARLIEST_NS = 10**15  # names that are larger numbers are times; this is 12 days after 1970
_COLUMNS = ("id", "osi_id", "class", "frames", "points", "body", "reflectivity")


class Actor(NamedTuple):
    """A labelled object with its body, and the facts that the files of a twin state about it.

    Attributes
    ----------
    track : ActorTrack
        The boxes of the object in the frames.
    body : ActorBody or None
        Its surface; None if too few points were recorded.
    object_id : int
        Id of the object in the OSI trace.
    reflectivity : float
        Reflectivity of the body as a fraction; NaN if unknown. [1]
    """

    track: ActorTrack
    body: ActorBody | None  # None if too few points were recorded
    object_id: int  # id of the object in the OSI trace
    material: str
    """Name of the body's material, "surface" if the reflectivity is unknown."""
    reflectivity: float  # fraction; NaN if unknown


def actor_files(path: Path, n_actors: int) -> list[Path]:
    """Return the paths of all files that `write_actors` writes for at most ``n_actors`` actors.

    They are the OSI trace NAME_actors.osi beside the place's mesh ``path`` (NAME is its stem) and,
    in the folder NAME_actors beside it, actors.csv and a mesh for each actor (1.glb, 2.glb ..). An
    actor with too few points gets no mesh, so its file need not exist.
    """
    folder = actor_folder(path)
    meshes = [folder / f"{number}.glb" for number in range(1, n_actors + 1)]
    return [path.with_name(f"{path.stem}_actors.osi"), folder / "actors.csv", *meshes]


def actor_folder(path: Path) -> Path:
    """Return the path of the folder for bodies, beside the mesh of a place: NAME_actors."""
    return path.with_name(f"{path.stem}_actors")


def frame_times_ns(names: Sequence[str], time_s: NDArray[np.float64] | None) -> list[int]:
    """Return the time of each frame [ns].

    If the names of all clouds are whole numbers of 1e15 or more, in increasing order, the numbers
    are the times in nanoseconds. Otherwise, the times of the poses are used, if they are known and
    the first one is not negative. Without either, frames are `FRAME_S` apart, from 0.

    Parameters
    ----------
    names : sequence of str
        Names of the clouds, one for each frame.
    time_s : float64 (n_frame,) or None
        Times of the poses; None if not known. [s]
    """
    if names and all(name.isascii() and name.isdigit() for name in names):
        stated = [int(name) for name in names]
        if stated[0] >= _EARLIEST_NS and (np.diff(stated) > 0).all():
            return stated
    if time_s is not None and time_s[0] >= 0:
        return [round(1e9 * time) for time in time_s.tolist()]
    return [round(1e9 * FRAME_S * number) for number in range(len(names))]


def write_actors(
    path: Path,
    actors: Sequence[Actor],
    world_from_sensor: NDArray[np.float64],
    times_ns: Sequence[int],
) -> Path:
    """Write the files of actors beside the mesh of a place; return the path of the OSI trace.

    The files are a mesh (GLB) of each body, a list of the actors (CSV), and an OSI trace of
    GroundTruth messages with their motion. Bodies that an earlier run wrote are removed first.

    Parameters
    ----------
    path : Path
        Path of the place's mesh.
    actors : sequence of Actor
        The actors.
    world_from_sensor : float64 (n_frame, 4, 4)
        Pose of each cloud in the frame of the place's mesh.
    times_ns : sequence of int
        Time of each cloud. [ns]

    Raises
    ------
    OutputError, TraceError
        If a file cannot be written or removed.
    """
    folder = actor_folder(path)
    make_folder(folder)
    remove_own(folder, BY)
    for _, body, number, material, _ in actors:
        if body is not None:
            _write_body(folder / f"{number}.glb", body, material)
    with replacing(folder / "actors.csv") as temporary:
        temporary.write_text(_table(actors), encoding="utf-8", newline="")
    frames = enumerate(zip(times_ns, world_from_sensor, strict=True))
    messages = [
        encode_ground_truth(time_ns, _host(pose), _boxes(actors, folder.name, row, pose))
        for row, (time_ns, pose) in frames
    ]
    trace = actor_files(path, 0)[0]
    write_trace(trace, messages, message_type="GroundTruth")
    return trace


def _write_body(path: Path, body: ActorBody, material: str) -> None:
    """Write a body as GLB: x forward, z up, origin in the centre of its box."""
    visual = cast("Any", trimesh.visual)
    part = trimesh.Trimesh(body.mesh.vertices_m, body.mesh.faces, process=False)
    part.visual = visual.TextureVisuals(material=visual.material.PBRMaterial(name=material))
    scene = trimesh.Scene()
    scene.add_geometry(part, node_name=material, geom_name=material)
    with replacing(path) as temporary:
        temporary.write_bytes(cast("bytes", cast("Any", scene).export(file_type="glb")))


def _table(actors: Sequence[Actor]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for track, body, object_id, _, value in actors:
        n_points, kind = (0, "shape") if body is None else (body.n_points, "surfels")
        told = f"{value:.4f}" if math.isfinite(value) else ""
        n_frames = len(track.boxes)
        writer.writerow([track.name, object_id, track.category, n_frames, n_points, kind, told])
    return text.getvalue()


def _host(world_from_sensor: NDArray[np.float64]) -> MovingBox:
    return MovingBox(
        object_id=HOST_ID,
        type_name="TYPE_VEHICLE",
        position_m=_position(world_from_sensor),
        orientation_rad=_orientation(world_from_sensor),
    )


def _boxes(
    actors: Sequence[Actor], folder: str, row: int, world_from_sensor: NDArray[np.float64]
) -> list[MovingBox]:
    """Return the moving objects of a frame, for its GroundTruth message."""
    return [
        _moving(actor, folder, actor.track.boxes[row], world_from_sensor)
        for actor in actors
        if row in actor.track.boxes
    ]


def _moving(
    actor: Actor, folder: str, box: FrameBox, world_from_sensor: NDArray[np.float64]
) -> MovingBox:
    pose = world_from_sensor @ box.sensor_from_box
    type_name, subtype_name = osi_type(actor.track.category)
    length, width, height = box.size_m.tolist()
    return MovingBox(
        object_id=actor.object_id,
        type_name=type_name,
        subtype_name=subtype_name,
        position_m=_position(pose),
        orientation_rad=_orientation(pose),
        dimension_m=(length, width, height),
        model_reference="" if actor.body is None else f"{folder}/{actor.object_id}.glb",
    )


def _position(pose: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = pose[:3, 3].tolist()
    return x, y, z


def _orientation(pose: NDArray[np.float64]) -> tuple[float, float, float]:
    roll, pitch, yaw = orientation_from_rotation(pose[:3, :3]).tolist()
    return roll, pitch, yaw
