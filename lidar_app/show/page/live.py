# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of a stream: a server that sends the newest frame to each browser on request.

The page is the page of a run, but without frames. Until the stream ends, it requests
``frame?after=N`` and gets a frame (an entry of the manifest) with its chunks. The page requests the
next frame only after it has shown this one. So a slow browser misses frames, and the stream never
waits.
"""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from lidar_app.exports.object_track import HeardObjects, ObjectTrack
from lidar_app.show.page.box_chunk import box_chunk
from lidar_app.show.page.cloud_chunk import cloud_chunk
from lidar_app.show.page.contents import Contents, PageFrame
from lidar_app.show.page.page import page_text
from lidar_app.show.page.scanned_objects import ObjectScan, objects_at_scan_times
from osi_lidar.live.ports.guard import NOT_GUARDED
from osi_lidar.live.ports.http_port import HttpAnswer, serving_http
from osi_lidar.output.frame_table import row_of
from raycore.scene.jumps import JumpLimits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from osi_lidar.config import Config
    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.ports.guard import Guard
    from osi_lidar.live.ports.http_port import HttpRequest
    from osi_lidar.live.viewers import Moment

LONGEST_WAIT_S = 10.0
"""Longest time that a request waits for a frame; then the browser asks again. [s]"""
_NUMBER = re.compile(r"[0-9]{1,18}")


class _Newest(NamedTuple):
    """The newest answered message, with its number from 1, and a track of its objects."""

    number: int
    moment: Moment
    track: ObjectTrack


class LivePage:
    """Provides the newest frame of a stream to browsers; a frame is encoded once, on request.

    Parameters
    ----------
    config : Config
        Configuration of the stream, with its sensors.
    """

    def __init__(self, config: Config) -> None:
        self._sensors = tuple(sensor.name for sensor in config.sensors)
        self._blurs = {sensor.name: sensor.motion_blur for sensor in config.sensors}
        self._limits = JumpLimits.of(config.scene.teleport)
        self._changed = threading.Condition()
        self._newest: _Newest | None = None
        self._is_over = False
        self._encoding = threading.Lock()
        self._encoded: tuple[int, bytes] = (0, b"")
        self._begin_ns: int | None = None

    def show(self, moment: Moment) -> None:
        """Set the newest message of the stream, with its scans; does not wait for browsers.

        `moment` is the message, as bytes and decoded, with the model's answer to it. It replaces
        the one before, which browsers may not have requested.
        """
        with self._changed:
            number = 1
            moments: dict[int, HeardObjects] = {}
            if self._newest is not None:
                number = self._newest.number + 1
                before = self._newest.moment.frame
                if before.time_ns < moment.frame.time_ns:
                    moments[number - 1] = HeardObjects.of(before)
            moments[number] = HeardObjects.of(moment.frame)
            self._newest = _Newest(number, moment, ObjectTrack(moments))
            self._changed.notify_all()

    def text(self) -> str:
        """Return the HTML of the page, without a frame."""
        contents = Contents(title="Stream", sensors=self._sensors, is_live=True)
        return page_text(contents)

    def after(self, seen: int) -> bytes | None:
        """Wait for a frame that a browser has not seen; return it as JSON, encoded in UTF-8.

        `seen` is the number of the last frame that the browser got, 0 for none. The result is None
        after `LONGEST_WAIT_S`, or if the stream ends without another frame.
        """

        def is_new() -> bool:
            return self._newest is not None and self._newest.number != seen

        with self._changed:
            self._changed.wait_for(lambda: self._is_over or is_new(), LONGEST_WAIT_S)
            newest = self._newest if is_new() else None
        return None if newest is None else self._encode(newest)

    def finish(self) -> None:
        """End all calls of `after` that wait; later calls do not wait."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _encode(self, newest: _Newest) -> bytes:
        with self._encoding:
            if self._encoded[0] != newest.number:
                content = self._frame(newest)
                data = json.dumps(content, separators=(",", ":")).encode()
                self._encoded = newest.number, data
            return self._encoded[1]

    def _frame(self, newest: _Newest) -> dict[str, object]:
        """Return a frame for the page: its entry of the manifest, and its chunks."""
        frame, step = newest.moment.frame, newest.moment.step
        if self._begin_ns is None or frame.time_ns < self._begin_ns:  # a source may start again
            self._begin_ns = frame.time_ns
        host = None if frame.host is None else frame.host.object_id
        contents = Contents(
            title="", sensors=self._sensors, materials=tuple(step.materials), host=host
        )
        sweeps = []
        for scan in step.scans:
            chunk = cloud_chunk(scan.cloud.points, name=scan.sensor, materials=step.materials)
            contents.add_cloud(scan.sensor, chunk)
            blurs = self._blurs[scan.sensor]
            sweeps.append(ObjectScan(scan.begin_ns, scan.end_ns, blurs, chunk.objects))
        objects = objects_at_scan_times(newest.track, newest.number, sweeps, self._limits)
        contents.add_chunk("boxes", box_chunk(objects))
        number = newest.number
        time_ns = frame.time_ns
        rows = tuple(
            (row_of(scan, frame=number, time_ns=time_ns), scan.sensor) for scan in step.scans
        )
        contents.frames = [PageFrame(number=number, time_ns=time_ns, scans=rows, boxes="boxes")]
        manifest, chunks = contents.manifest()
        (entry,) = manifest["frames"]
        entry["time_s"] = (time_ns - self._begin_ns) / 1e9
        return {
            "frame": entry,
            "chunks": chunks,
            **{key: manifest[key] for key in ("host", "colours", "steps_m")},
        }


@contextmanager
def serving_page(
    endpoint: Endpoint, config: Config, guard: Guard = NOT_GUARDED
) -> Iterator[tuple[LivePage, str]]:
    """Serve a live page by HTTP within a ``with`` block; yield the page, and its address as text.

    Parameters
    ----------
    endpoint : Endpoint
        Host and port on which the server listens.
    config : Config
        Configuration of the stream, with its sensors.
    guard : Guard
        Decides which requests are answered, by their host, origin and token; by default, requests
        need no token.

    Raises
    ------
    InputError
        If the host name does not resolve, or the port is in use.
    """
    page = LivePage(config)

    def answer(asked: HttpRequest) -> HttpAnswer:
        if asked.path == "/":
            return HttpAnswer(HTTPStatus.OK, "text/html; charset=utf-8", page.text().encode())
        seen = asked.field("after")
        if asked.path != "/frame" or not _NUMBER.fullmatch(seen):
            return HttpAnswer(HTTPStatus.NOT_FOUND, body=b"expected / or /frame?after=N")
        frame = page.after(int(seen))
        status = HTTPStatus.NO_CONTENT if frame is None else HTTPStatus.OK
        return HttpAnswer(status, "application/json", frame or b"")

    with serving_http(endpoint, guard, answer, name="page") as actual:
        try:
            yield page, str(actual)
        finally:
            page.finish()
