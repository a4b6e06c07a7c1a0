# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a page takes from the messages of a run: the boxes of objects, and the scene around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.show.page.box_chunk import box_chunk
from lidar_app.show.page.contents import OfMessage
from lidar_app.show.page.mesh_chunk import FINEST_STEP_M
from lidar_app.show.page.run_scene import RunScene
from lidar_app.show.page.scene_chunks import scene_chunks
from osi_bridge import empty_frame
from osi_lidar.errors import InputError
from osi_lidar.output.stored import input_messages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lidar_app.show.page.contents import Contents
    from lidar_app.show.page.run_scene import PlacedPart
    from osi_bridge import Frame
    from osi_lidar.output.stored import StoredRun


class MessageReader:
    """Reads messages into the contents of a page.

    Parameters
    ----------
    run : StoredRun
        The run.
    contents : Contents
        Boxes and scene are added to it, and notes about what cannot be shown.
    scene_bytes : float
        How large the scene may be; 0 for none.
    """

    def __init__(self, run: StoredRun, contents: Contents, *, scene_bytes: float) -> None:
        self._run, self._contents = run, contents
        self._scene_bytes = scene_bytes
        self._scene: RunScene | None = None
        self._still: dict[tuple[PlacedPart, ...], int] = {}
        self._known_boxes: dict[bytes, str] = {}

    def read(self) -> Mapping[int, OfMessage]:
        """Read all messages; return what the frames show of them, by their numbers."""
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
        self._add_scene()
        return found

    def _open(self) -> None:
        """Build the world of the run again, if it is wanted and its files are still there."""
        if self._scene_bytes:
            try:
                self._scene = RunScene(self._run)
            except InputError as error:
                self._give_up(error)

    def _give_up(self, error: InputError) -> None:
        self._scene = None
        self._contents.notes.append(f"has no scene: {error}")

    def _of(self, frame: Frame) -> OfMessage:
        """Add the boxes of a message; equal ones are there once."""
        still = self._follow(frame)
        parts = None if self._scene is None else self._scene.objects(frame)
        data = box_chunk(frame, parts)
        key = self._known_boxes.setdefault(data, f"boxes {frame.index}")
        if key not in self._contents.chunks:
            self._contents.add_chunk(key, data)
        return OfMessage(key, still)

    def _follow(self, frame: Frame) -> int | None:
        """Set the scene to a message; return which still scene it has."""
        if self._scene is None:
            return None
        try:
            self._scene.follow(frame)
        except InputError as error:
            self._give_up(error)
            return None
        return self._still.setdefault(self._scene.still(), len(self._still))

    def _add_scene(self) -> None:
        """Add the chunks of the scene, as finely as its size allows."""
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
