# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a page from the messages of a run: boxes of objects, and the scene."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pydantic import ValidationError

from lidar_app.exports.object_track import HeardObjects, ObjectTrack
from lidar_app.show.page.box_chunk import box_chunk
from lidar_app.show.page.contents import OfMessage
from lidar_app.show.page.mesh_chunk import FINEST_STEP_M
from lidar_app.show.page.run_scene import RunScene
from lidar_app.show.page.scanned_objects import ObjectScan, objects_at_scan_times
from lidar_app.show.page.scene_chunks import scene_chunks
from osi_bridge import empty_frame
from osi_lidar.config.scene import Teleport
from osi_lidar.errors import InputError
from osi_lidar.output.stored import input_messages
from raycore.scene.jumps import JumpLimits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from lidar_app.show.page.contents import Contents
    from lidar_app.show.page.object_points import ObjectPoints
    from lidar_app.show.page.run_scene import PlacedPart
    from osi_bridge import Frame
    from osi_lidar.output.frame_table import FrameRow
    from osi_lidar.output.stored import StoredRun


class MessageReader:
    """Reads the OSI messages of a run, and adds their scene and boxes to the contents of a page.

    Parameters
    ----------
    run : StoredRun
        The run.
    contents : Contents
        Contents that receive boxes and scene, and notes about what cannot be shown.
    scene_bytes : float
        Greatest size of the scene; 0: no scene. [bytes]
    """

    def __init__(self, run: StoredRun, contents: Contents, *, scene_bytes: float) -> None:
        self._run, self._contents = run, contents
        self._scene_bytes = scene_bytes
        self._scene: RunScene | None = None
        self._still: dict[tuple[PlacedPart, ...], int] = {}
        self._known_boxes: dict[bytes, str] = {}
        self._moments: dict[int, HeardObjects] = {}
        self._track = ObjectTrack(self._moments)
        self._parts: dict[int, NDArray[np.int64]] = {}
        self._blurs = {each.name: each.settings.get("motion_blur") is True for each in run.sensors}
        self._limits = JumpLimits.of(_teleport(run))

    def read(self) -> Mapping[int, OfMessage]:
        """Read all messages; return the boxes and the static scene of each frame, by its number.

        The scene is added to the contents. If poses, the trace or files of the scene are missing,
        boxes or scene are left out, and a note says so.
        """
        run, notes = self._run, self._contents.notes
        lacks = "boxes of objects and no scene" if self._scene_bytes else "boxes of objects"
        if any(row.end_pose is None for row in run.rows):
            notes.append(f"has no {lacks}: frames.csv has no poses")
            return {}
        self._open()
        found: dict[int, OfMessage] = {}
        if run.report.get("input") is None:
            still = self._follow(empty_frame())
            found = {row.frame: OfMessage(still=still) for row in run.rows}
        else:
            try:
                for frame, _ in input_messages(run):
                    found[frame.index] = self._of(frame)
            except InputError as error:
                notes.append(f"has no {lacks}: {error}")
                return found
            finally:
                self._track = ObjectTrack(self._moments)
        self._add_scene()
        return found

    def _open(self) -> None:
        """Rebuild the world of the run, if a scene is wanted and its files still exist."""
        if self._scene_bytes:
            try:
                self._scene = RunScene(self._run)
            except InputError as error:
                self._give_up(error)

    def _give_up(self, error: InputError) -> None:
        self._scene = None
        self._contents.notes.append(f"has no scene: {error}")

    def _of(self, frame: Frame) -> OfMessage:
        """Record a message; its boxes are added later, when the points of its scans are known."""
        still = self._follow(frame)
        self._moments[frame.index] = HeardObjects.of(frame)
        if self._scene is not None:
            self._parts[frame.index] = self._scene.objects(frame)
        return OfMessage(partial(self._boxes, frame.index), still)

    def _boxes(self, frame: int, seen: Sequence[tuple[FrameRow, ObjectPoints]]) -> str:
        """Add the boxes of a frame, at the times of their points; return the key of the chunk."""
        sweeps = [
            ObjectScan(row.begin_ns, row.end_ns, self._blurs.get(row.sensor, True), points)
            for row, points in seen
        ]
        objects = objects_at_scan_times(self._track, frame, sweeps, self._limits)
        data = box_chunk(objects, self._parts.get(frame))
        key = self._known_boxes.setdefault(data, f"boxes {frame}")
        if key not in self._contents.chunks:
            self._contents.add_chunk(key, data)
        return key

    def _follow(self, frame: Frame) -> int | None:
        """Set the scene to a message; return the index of its static scene, None without one."""
        if self._scene is None:
            return None
        try:
            self._scene.follow(frame)
        except InputError as error:
            self._give_up(error)
            return None
        return self._still.setdefault(self._scene.still(), len(self._still))

    def _add_scene(self) -> None:
        """Add the chunks of the scene, with the finest step that the size limit allows."""
        if self._scene is None:
            return
        made = scene_chunks(self._scene, [*self._still], self._scene_bytes)
        most_mb = f"{self._scene_bytes / 1e6:.3g} MB"
        if made is None:
            self._contents.notes.append(f"has no scene: it is larger than {most_mb} (--scene-mb)")
            return
        if made.step_m > FINEST_STEP_M:
            self._contents.notes.append(
                f"shows the scene in steps of {made.step_m:g} m: "
                f"it would be larger than {most_mb} (--scene-mb)"
            )
        self._contents.scene = made
        self._contents.chunks.update(made.chunks)


def _teleport(run: StoredRun) -> Teleport:
    """Return the limits of motion of a run, else the defaults."""
    config = run.report.get("config")
    scene = config.get("scene") if isinstance(config, dict) else None
    try:
        return Teleport.model_validate((scene or {}).get("teleport", {}))
    except (ValidationError, AttributeError):
        return Teleport()
