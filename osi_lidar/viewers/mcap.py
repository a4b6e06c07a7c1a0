# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A run as one MCAP file for Lichtblick, Foxglove and Rerun.

The file contains the OSI messages that the run has answered, byte by byte, and the answers; the
objects as boxes; the cloud and the range image of each scan; and the poses of vehicle and sensors.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from lidar_base.files.whole_files import check_apart, replacing
from osi_bridge import (
    GLOBAL_FRAME,
    NO_SCHEMAS,
    OSI_VERSION,
    REAR_AXLE_FRAME,
    TRANSFORMS,
    ViewerFile,
    are_schemas_missing,
    frame_transforms,
    layout,
    osi_message,
    osi_topic,
)
from osi_lidar.errors import InputError, OutputError
from osi_lidar.output.accumulation import end_pose_of
from osi_lidar.output.sensor_data import whole_messages
from osi_lidar.output.stored import InputMessage, StoredScan, input_messages
from osi_lidar.viewers.scans import SceneMessages
from osi_lidar.viewers.transforms import host_transforms, image_plane, in_world, mounted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from osi_lidar.output.frame_table import FrameRow
    from osi_lidar.output.stored import StoredRun

SUFFIX, LAYOUT_SUFFIX = ".mcap", ".layout.json"
T = TypeVar("T")


class McapExport(NamedTuple):
    """Result of an export to MCAP: the written files and their content.

    Attributes
    ----------
    path : Path
        The MCAP file.
    layout : Path
        The file with the layout for Lichtblick and Foxglove.
    sensors : tuple of str
        Names of the sensors.
    frame : str
        Name of the coordinate frame that viewers follow.
    left_out : tuple of str
        Why contents were left out, a reason for each; empty if nothing was.
    """

    path: Path  # the MCAP file
    layout: Path  # the layout for Lichtblick and Foxglove
    sensors: tuple[str, ...]  # names of the sensors
    frame: str  # name of the coordinate frame that viewers follow
    left_out: tuple[str, ...]  # the reasons, one for each


def export_mcap(  # noqa: PLR0913  as many choices
    run: StoredRun,
    path: Path,
    *,
    sensors: Sequence[str] | None = None,
    frames: slice = slice(None),
    with_sensor_data: bool = True,
    counted: Callable[[Sequence[FrameRow]], Iterable[FrameRow]] = iter,
) -> McapExport:
    """Write a run as MCAP, and beside it a layout for viewers; return what was written.

    Parameters
    ----------
    run : StoredRun
        The run; it must have clouds.
    path : Path
        The file; its name ends with ``.mcap``. It is replaced if it exists, and so is the layout,
        see `layout_of`.
    sensors : sequence of str, optional
        Names of the sensors; default: all.
    frames : slice
        Numbers of the frames as in frames.csv; default: all.
    with_sensor_data : bool
        Whether to write the answers (SensorData), which are the larger part of the file.
    counted : callable
        Wraps the rows of frames.csv in an iterator that counts them, such as a progress bar.

    Raises
    ------
    InputError
        If the run has no clouds, none of these frames or not these sensors, or clouds are damaged.
    OutputError
        If the name of the file has another ending, a file cannot be written, or the extra
        ``viewers`` is missing.
    """
    chosen = run.chosen(sensors=sensors, frames=frames)
    layout_path = layout_of(path)
    _check(chosen, path, layout_path)
    left_out: list[str] = []
    messages = None if chosen.trace is None else _InOrder(_messages(chosen, left_out))
    messages = None if left_out else messages
    world = messages is None or run.host_object_id is None
    answers = _answers(run) if with_sensor_data else ()
    with replacing(path) as part, part.open("wb") as stream:
        file = ViewerFile(stream, f"A run of osi-lidar: {run.folder.absolute().name}")
        _write(file, chosen, counted(chosen.rows), messages, _InOrder(answers), world=world)
        file.finish()
    names = tuple(sensor.name for sensor in chosen.sensors)
    frame = GLOBAL_FRAME if world else REAR_AXLE_FRAME
    with replacing(layout_path) as part:
        part.write_text(json.dumps(layout(names, frame), indent=2) + "\n", encoding="utf-8")
    return McapExport(path, layout_path, names, frame, tuple(left_out))


def layout_of(path: Path) -> Path:
    """Return the path of the viewers' layout (``.layout.json``) beside an MCAP file.

    Raise OutputError if the name of the file does not end with ``.mcap``.
    """
    if path.suffix != SUFFIX:
        raise OutputError(f"{path}: expected a file name that ends with {SUFFIX}")
    return path.with_suffix(LAYOUT_SUFFIX)


def _write(  # noqa: PLR0913  what is joined in one file
    file: ViewerFile,
    run: StoredRun,
    rows_in_order: Iterable[FrameRow],
    messages: _InOrder[InputMessage] | None,
    answers: _InOrder[bytes],
    *,
    world: bool,
) -> None:
    """Write all frames: message, transforms, scans, answer."""
    mountings = {each.name: run.mounting(each) for each in run.sensors}
    drawing, written = SceneMessages(run.materials), set()
    for number, group in groupby(rows_in_order, key=lambda row: row.frame):
        rows = list(group)
        time_ns = rows[0].time_ns
        message = None if messages is None else messages.at(number)
        if message is not None:
            _write_message(file, message, drawing)
        if world:
            transforms = [
                in_world(row.sensor, end_pose_of(run.folder, row).tolist(), row.end_ns)
                for row in rows
            ]
        else:
            transforms = [mounted(name, pose, time_ns) for name, pose in mountings.items()]
        transforms += [image_plane(sensor) for sensor in transforms]
        if message is not None and not world:
            transforms += host_transforms(message.frame)
        file.write(TRANSFORMS, frame_transforms(transforms), time_ns)
        for row in rows:
            scan = (row.sensor, row.end_ns, row.file)
            if row.file and scan not in written:  # at its own rate, a sensor may have no newer one
                written.add(scan)
                points = StoredScan(row=row, path=run.folder / row.file).points()
                for topic, drawn in drawing.of_scan(row.sensor, points, row.end_ns):
                    file.write(topic, drawn, time_ns)
        answer = answers.at(number)
        if answer is not None:
            file.write(osi_topic("SensorData", "Out"), osi_message("SensorData", answer), time_ns)


def _write_message(file: ViewerFile, message: InputMessage, drawing: SceneMessages) -> None:
    """Write a message unchanged, and its objects as boxes."""
    frame = message.frame
    file.write(
        osi_topic(frame.message_type, "In"),
        osi_message(frame.message_type, message.data),
        frame.time_ns,
        osi_version=frame.osi_version or OSI_VERSION,
    )
    for topic, drawn in drawing.of_objects(frame):
        file.write(topic, drawn, frame.time_ns)


def _check(run: StoredRun, path: Path, layout_path: Path) -> None:
    if are_schemas_missing():
        raise OutputError(NO_SCHEMAS)
    run.check_clouds()
    check_apart([path, layout_path], run.files)


def _messages(run: StoredRun, left_out: list[str]) -> Iterator[tuple[int, InputMessage]]:
    """Yield number and message of each frame; if they end early, add the reason to ``left_out``."""
    try:
        for each in input_messages(run):
            yield each.frame.index, each
    except InputError as error:
        left_out.append(f"without the messages in: {error}")


def _answers(run: StoredRun) -> Iterator[tuple[int, bytes]]:
    """Return the SensorData of all frames of a run, with their numbers."""
    numbers = dict.fromkeys(row.frame for row in run.rows)
    return zip(numbers, whole_messages(run.sensor_data), strict=False)


class _InOrder(Generic[T]):
    """Access by number to the values of an ordered source, which is read only as far as needed."""

    def __init__(self, source: Iterable[tuple[int, T]]) -> None:
        self._source = iter(source)
        self._next = next(self._source, None)

    def at(self, number: int) -> T | None:
        """Return the value of a number, or None; numbers must not decrease from call to call."""
        while self._next is not None and self._next[0] < number:
            self._next = next(self._source, None)
        return self._next[1] if self._next is not None and self._next[0] == number else None
