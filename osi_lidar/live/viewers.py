# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Live server for Lichtblick and Foxglove: messages, transforms and scans of a stream as they come.

Needs ``osi-lidar[foxglove]``.
"""

from __future__ import annotations

import logging
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from osi_bridge import (
    EDGES,
    NO_SCHEMAS,
    TRANSFORMS,
    StaticContent,
    are_schemas_missing,
    frame_transforms,
    osi_message,
    osi_topic,
    schema_bytes,
)
from osi_lidar.clouds.pcd import pose_row
from osi_lidar.errors import InputError
from osi_lidar.live.ports.foxglove_port import FoxgloveServer
from osi_lidar.live.ports.guard import NOT_GUARDED
from osi_lidar.viewers.scans import SceneMessages
from osi_lidar.viewers.transforms import host_transforms, in_world, mounted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from contextlib import AbstractContextManager

    from osi_bridge import Frame, Transform, ViewerMessage
    from osi_lidar.config import Config
    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.ports.guard import Guard
    from osi_lidar.scan.step import Step

logger = logging.getLogger(__name__)


class Moment(NamedTuple):
    """A message of a live stream and the model's answer to it.

    Attributes
    ----------
    data : bytes
        The OSI message, serialised.
    frame : Frame
        The same message, decoded.
    step : Step
        The answer, with the scans.
    """

    data: bytes
    frame: Frame
    step: Step


class ShowsMoments(Protocol):
    """Interface of viewers, to which a stream passes each message and its answer."""

    def show(self, moment: Moment) -> None:
        """Show a message and its answer, ``moment`` (a `Moment`), to whoever is looking.

        Return at once, because the next message is waiting.
        """


class ShowsTopic(Protocol):
    """A topic of a server for viewers, such as `ViewerTopic`.

    Attributes
    ----------
    topic : str
        Name of the topic.
    """

    topic: str

    def has_sinks(self) -> bool:
        """Return whether any viewer has subscribed to the topic."""

    def log(self, data: bytes, *, log_time: int) -> None:
        """Send a message to the viewers that have subscribed to the topic.

        ``data`` is the message, serialised. ``log_time`` is the time that viewers show for it, an
        int [ns].
        """


class MomentServer(Protocol):
    """A function that opens a server for viewers, such as a page in the browser.

    It gets the configuration, and returns a context manager. The server runs while the ``with``
    block runs; the block gets the object to which it passes messages and answers, and the server's
    address.
    """

    def __call__(self, config: Config, /) -> AbstractContextManager[tuple[ShowsMoments, str]]:
        """Return a context manager for ``config``; the server runs while its ``with`` block runs.

        It yields the object that takes messages and answers for the viewers, and the address as
        text.
        """


class Viewers:
    """Sends each message and its answer to the viewers that are connected.

    A viewer that subscribes to a topic gets the topic's last message at once. If only the first
    OSI message has static content, it is added to the later ones. A cloud is serialised only if a
    viewer has subscribed to it, or if it is the first one of its topic.

    Parameters
    ----------
    make_channel : callable
        Gets the name of a topic and the name of its messages' schema, adds the topic to the server,
        and returns it as a `ShowsTopic`.
    config : Config
        The configuration with the sensors.
    """

    def __init__(self, make_channel: Callable[[str, str], ShowsTopic], config: Config) -> None:
        self._make_channel = make_channel
        self._mountings = {sensor.name: sensor.mounting for sensor in config.sensors}
        self._channels: dict[str, ShowsTopic] = {}
        self._drawing: SceneMessages | None = None
        self._static = StaticContent()
        self._last: Moment | None = None
        self._lock = threading.Lock()

    def show(self, moment: Moment) -> None:
        """Send a message and its answer to the viewers, and keep them for later subscriptions.

        ``moment`` is a `Moment`: the message and its answer. They replace the previous ones.
        """
        frame = moment.frame
        with self._lock:
            data = self._static.completed(frame.message_type, moment.data, frame.place)
            self._last = moment._replace(data=data)
            self._send(self._last, lambda _: True)

    def on_subscribe(self, channel: ShowsTopic) -> None:
        """Send a topic's last message again; the server calls this for each new subscription.

        ``channel`` is the topic that a viewer has subscribed to. All of its subscribers get the
        message. Nothing is sent if there was no message yet.
        """
        with self._lock:
            if self._last is not None:
                self._send(self._last, lambda topic: topic == channel.topic)

    def _send(self, moment: Moment, chosen: Callable[[str], bool]) -> None:
        def is_shown(topic: str) -> bool:
            channel = self._channels.get(topic)
            return channel is None or (chosen(topic) and channel.has_sinks())

        for topic, message in self._messages(moment, is_shown):
            if topic not in self._channels:
                self._channels[topic] = self._make_channel(topic, message.schema)
            if is_shown(topic):
                self._channels[topic].log(message.data, log_time=max(moment.frame.time_ns, 0))

    def _messages(
        self, moment: Moment, is_shown: Callable[[str], bool]
    ) -> Iterator[tuple[str, ViewerMessage]]:
        kind = moment.frame.message_type
        yield osi_topic(kind, "In"), osi_message(kind, moment.data)
        yield TRANSFORMS, frame_transforms(self._transforms(moment))
        drawing = self._drawing = self._drawing or SceneMessages(moment.step.materials)
        # Lichtblick and Foxglove draw boxes, so they need no edges
        yield from drawing.of_objects(moment.frame, lambda each: each != EDGES and is_shown(each))
        for scan in moment.step.scans:
            points, end_ns = scan.cloud.points, scan.end_ns
            yield from drawing.of_scan(scan.sensor, points, end_ns, is_shown)

    def _transforms(self, moment: Moment) -> list[Transform]:
        time_ns = moment.frame.time_ns
        if moment.frame.host is None:
            scans = moment.step.scans
            return [in_world(s.sensor, pose_row(s.world_from_sensor), s.end_ns) for s in scans]
        sensors = [mounted(name, pose, time_ns) for name, pose in self._mountings.items()]
        return [*sensors, *host_transforms(moment.frame)]


@asynccontextmanager
async def serving_viewers(
    endpoint: Endpoint, config: Config, guard: Guard = NOT_GUARDED
) -> AsyncIterator[tuple[Viewers, Endpoint]]:
    """Run a WebSocket server for viewers while the ``async with`` block runs.

    It yields a pair: the `Viewers` that sends messages, and the address with its actual port.

    Parameters
    ----------
    endpoint : Endpoint
        Address to listen at.
    config : Config
        The configuration with the sensors.
    guard : Guard
        Decides which viewers are let in; by default those that need no token.

    Raises
    ------
    InputError
        websockets or the schemas are not installed, or the port is in use.
    """
    if are_schemas_missing():
        raise InputError(NO_SCHEMAS)
    server = FoxgloveServer(endpoint, guard, schema_bytes)
    viewers = Viewers(server.topic, config)
    await server.open(viewers.on_subscribe)
    logger.info("viewers at ws://%s", server.endpoint)
    try:
        yield viewers, server.endpoint
    finally:
        await server.close()
