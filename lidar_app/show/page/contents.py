# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a page: frames, with each cloud once; frames are left out to keep the size."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lidar_app.show.page.limits import MEGABYTE
from lidar_app.show.page.object_points import BYTES_OF_ROW, points_chunk
from lidar_scenery.palette import material_colour
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lidar_app.show.page.cloud_chunk import CloudChunk
    from lidar_app.show.page.object_points import ObjectPoints
    from lidar_app.show.page.scene_chunks import SceneChunks
    from osi_lidar.output.frame_table import FrameRow

COUNTS = "points of objects"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """A frame of a page: an OSI message, and what the page shows for it.

    Attributes
    ----------
    number, time_ns : int
        Number and timestamp of the message. [1], [ns]
    scans : tuple of (FrameRow, str)
        Each scan of the frame, with the key of its cloud in `Contents.chunks`.
    boxes : str or None
        Key of the boxes of the objects in `Contents.chunks`; None: no boxes are shown.
    still : int or None
        Index of the static scene in `SceneChunks.still`; None: no scene is shown.
    """

    number: int
    time_ns: int
    scans: tuple[tuple[FrameRow, str], ...]
    boxes: str | None
    still: int | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys in `Contents.chunks` of this frame's clouds and boxes."""
        return (*(key for _, key in self.scans), *([self.boxes] if self.boxes else []))


@dataclass(kw_only=True)
class Contents:
    """Everything that a page shows; a chunk is an encoded table, see `encode_chunk`.

    Attributes
    ----------
    title : str
        Title of the page.
    sensors : tuple of str
        Names of the sensors.
    frames : list of PageFrame
        Frames in the order of time.
    chunks : dict of str to str
        Chunks of clouds and boxes by key, in base64.
    clouds : dict of str to CloudChunk
        Facts about the chunks that are clouds, by the same keys; their `data` is empty.
    notes : list of str
        Lines of text about what the page lacks; the page and the command show them.
    host : int or None
        OSI id of the vehicle that carries the sensors.
    materials : tuple of str
        Names of the infrared materials, so that the page can colour them.
    scene : SceneChunks or None
        The meshes of the scene; None without a scene.
    sides : tuple of str
        Names of two sides between which the page switches, such as "simulated" and "recorded"; the
        clouds of the last sensor are the second side. Empty for a page without sides.
    is_live : bool
        Whether the page requests frames from a server, see `LivePage`.
    """

    title: str
    sensors: tuple[str, ...]
    frames: list[PageFrame] = field(default_factory=list)
    chunks: dict[str, str] = field(default_factory=dict)
    clouds: dict[str, CloudChunk] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    host: int | None = None
    materials: tuple[str, ...] = ()
    scene: SceneChunks | None = None
    sides: tuple[str, ...] = ()
    is_live: bool = False

    def add_chunk(self, key: str, data: bytes) -> None:
        """Store an encoded table in `chunks`, in base64; it replaces an earlier one with this key.

        `key` is the key in `chunks`. `data` has the bytes of the table, as `encode_chunk` returns
        them.
        """
        self.chunks[key] = base64.b64encode(data).decode("ascii")

    def add_cloud(self, key: str, cloud: CloudChunk) -> None:
        """Store an encoded cloud in `chunks`, and the facts about it in `clouds`.

        `key` is the key in both. `cloud` is the encoded cloud with its facts. Earlier ones with
        this key are replaced.
        """
        self.add_chunk(key, cloud.data)
        self.clouds[key] = cloud._replace(data=b"")

    def n_byte(self, frames: Iterable[PageFrame]) -> int:
        """Return the approximate number of bytes that some frames take in the page.

        `frames` are the frames, whose clouds and boxes are in `chunks`; a shared one counts once.
        """
        frames = list(frames)
        keys = {key for frame in frames for key in frame.keys}
        entries = sum(len(json.dumps(self._frame(frame, {}))) for frame in frames)
        clouds = (self.clouds[key] for key in keys & self.clouds.keys())
        entries += sum(BYTES_OF_ROW * len(each.objects.n_point) for each in clouds)
        return entries + sum(len(self.chunks[key]) for key in keys) + 60 * len(keys)

    def manifest(self) -> tuple[dict[str, Any], list[str]]:
        """Return the manifest, which the page's program reads first, and a list of all chunks.

        The manifest refers to chunks by their index in this list. If there are several frames, a
        chunk with point counts by object is added.
        """
        shown = dict.fromkeys(key for frame in self.frames for key in frame.keys)
        counted = [self.clouds[key].objects for key in shown if key in self.clouds]
        if len(self.frames) > 1 and any(len(each.n_point) for each in counted):
            self.add_chunk(COUNTS, points_chunk(counted))
        further = (*(self.scene.chunks if self.scene else ()), *(self.chunks.keys() & {COUNTS}))
        keys = (*shown, *further)
        places = {key: place for place, key in enumerate(keys)}
        steps = sorted({self.clouds[key].step_m for key in keys if key in self.clouds})
        manifest = {
            "title": self.title.encode(errors="replace").decode(),  # names may be invalid UTF-8
            "sensors": list(self.sensors),
            "frames": [self._frame(frame, places) for frame in self.frames],
            "steps_m": steps,
            "notes": self.notes,
            "live": self.is_live,
            "start": self._start(),
            "host": None if self.host is None else str(self.host),
            "object_points": places.get(COUNTS),
            "scene": None if self.scene is None else self.scene.manifest(places),
            "sides": list(self.sides),
            "colours": {name: material_colour(name) for name in self._all_materials()},
        }
        return manifest, [self.chunks[key] for key in keys]

    def _all_materials(self) -> dict[str, None]:
        return dict.fromkeys((*self.materials, *(self.scene.materials if self.scene else ())))

    def _start(self) -> int:
        """Return the index of the last frame before the first change; 0 without a change."""
        keys = [frame.keys for frame in self.frames]
        changed = (place for place, each in enumerate(keys) if each != keys[0])
        return max(next(changed, 1) - 1, 0)

    def _frame(self, frame: PageFrame, places: Mapping[str, int]) -> dict[str, Any]:
        begin_ns = self.frames[0].time_ns if self.frames else frame.time_ns
        return {
            "number": frame.number,
            "time_s": (frame.time_ns - begin_ns) / 1e9,
            "boxes": None if frame.boxes is None else places.get(frame.boxes, 0),
            "still": frame.still,
            "scans": [
                {
                    "sensor": self.sensors.index(row.sensor),
                    "chunk": places.get(key, 0),
                    "points": self.clouds[key].n_point,
                    "begin": _pose(row.begin_pose),
                    "end": _pose(row.end_pose),
                    "duration_ns": row.end_ns - row.begin_ns,
                }
                for row, key in frame.scans
            ],
        }


class OfMessage(NamedTuple):
    """What a frame shows of its OSI message: boxes of objects, and the static scene.

    Attributes
    ----------
    boxes : callable or None
        Called with a list of (scan, numbers of points on its objects), an entry for each scan of
        the frame. It encodes the boxes of the objects, adds them to `Contents.chunks`, and returns
        their key there. None: the frame shows no boxes.
    still : int or None
        Index of the static scene of this message in `SceneChunks.still`; None without a scene.
    """

    boxes: Callable[[Sequence[tuple[FrameRow, ObjectPoints]]], str] | None = None
    still: int | None = None


def _no_messages(_scene_bytes: float) -> Mapping[int, OfMessage]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageScans:
    """Sources of the frames of a page; `fill` makes the frames from them.

    Attributes
    ----------
    groups : sequence of sequences of FrameRow
        The scans of each frame; `FrameRow.file` is the key of a scan's cloud.
    chunk : callable
        Called with a scan (`FrameRow`); reads its cloud and returns it encoded, as a `CloudChunk`.
    messages : callable
        Called once, with the greatest size of the scene [bytes]; adds the scene to the contents of
        the page. Returns an `OfMessage` (boxes and scene) for each frame, by frame number.
    """

    groups: Sequence[Sequence[FrameRow]]
    chunk: Callable[[FrameRow], CloudChunk]
    messages: Callable[[float], Mapping[int, OfMessage]] = _no_messages


def _pose(pose: Any) -> list[float] | None:  # noqa: ANN401  an array of seven, or None
    return None if pose is None else [float(each) for each in pose]


def fill(
    contents: Contents,
    scans: PageScans,
    *,
    most_bytes: float,
    scene_bytes: float = 0.0,
    on_frame: Callable[[int, int], object] | None = None,
) -> None:
    """Encode frames, and add them to the contents of a page.

    If all frames together are too large, every second (fourth, ..) is kept, and a note says so.

    Parameters
    ----------
    contents : Contents
        Contents without frames; they are changed.
    scans : PageScans
        Sources of the frames.
    most_bytes : float
        Greatest size of frames and scene together. [bytes]
    scene_bytes : float
        Greatest size of the scene; 0: no scene. [bytes]
    on_frame : callable, optional
        Called after each frame, with the number of finished frames, and the number of all frames.

    Raises
    ------
    InputError
        If a cloud is damaged, or one frame is too large.
    """
    messages = scans.messages(scene_bytes)
    if contents.scene is not None:
        most_bytes -= contents.scene.n_byte
    every = 1
    for place, rows in enumerate(scans.groups):
        if place % every == 0:
            contents.frames.append(_frame(scans, rows, messages, contents))
        while contents.n_byte(contents.frames) > most_bytes and len(contents.frames) > 1:
            every *= 2
            contents.frames = contents.frames[::2]
        _forget_unused(contents)
        if on_frame is not None:
            on_frame(place + 1, len(scans.groups))
    _check_size(contents, most_bytes)
    if every > 1:
        kept = f"{len(contents.frames)} of {len(scans.groups)} frames, one in {every}"
        contents.notes.append(f"shows {kept}: all would be larger than --max-mb allows")


def _check_size(contents: Contents, most_bytes: float) -> None:
    n_byte = contents.n_byte(contents.frames)
    if n_byte > most_bytes:
        raise InputError(
            f"{contents.title}: one frame takes {n_byte / MEGABYTE:.2g} MB of the page, more than "
            "--max-mb allows; raise it, or choose fewer sensors"
        )


def _frame(
    scans: PageScans,
    rows: Sequence[FrameRow],
    messages: Mapping[int, OfMessage],
    contents: Contents,
) -> PageFrame:
    """Encode the clouds of a frame that are not encoded yet, and return the frame."""
    for row in rows:
        if row.file not in contents.chunks:
            contents.add_cloud(row.file, scans.chunk(row))
    message = messages.get(rows[0].frame, OfMessage())
    seen = [(row, contents.clouds[row.file].objects) for row in rows]
    return PageFrame(
        number=rows[0].frame,
        time_ns=rows[0].time_ns,
        scans=tuple((row, row.file) for row in rows),
        boxes=None if message.boxes is None else message.boxes(seen),
        still=message.still,
    )


def _forget_unused(contents: Contents) -> None:
    """Remove the clouds that no frame shows any more."""
    used = {key for frame in contents.frames for key in frame.keys}
    for key in contents.clouds.keys() - used:
        del contents.clouds[key], contents.chunks[key]
