# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""WebSocket server of the protocol by which Lichtblick and Foxglove get live messages.

The server of foxglove-sdk lets any page of any origin in, and keeps up to 1024 messages of any size
for each client. This server asks a guard, and limits number and size. Needs
``osi-lidar[foxglove]``.

Protocol: https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md, version 1, which
``foxglove.sdk.v1`` is, too. Clients subscribe to channels; a message is

    offset  0     1                 5             13
            ├─────┼─────────────────┼─────────────┼──────────────
            │ 1   │ subscription    │ time [ns]   │ message ..
            ├─────┼─────────────────┼─────────────┼──────────────
            uint8 uint32            uint64        little-endian
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import struct
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from lidar_base.given import given
from osi_lidar.errors import InputError
from osi_lidar.live.endpoint import host_and_port
from osi_lidar.live.first_times import FirstTimes
from osi_lidar.live.ports.guests import Guests
from osi_lidar.live.ports.policy import MOST_BROWSERS, REQUEST_S
from osi_lidar.live.ports.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from websockets.asyncio.server import Request, Response, Server, ServerConnection

    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.ports.guard import Guard
    from osi_lidar.live.ports.guests import Guest

logger = logging.getLogger(__name__)

VIEWER_ORIGINS = ("https://app.foxglove.dev",)
"""Pages that are always let in; ``--allow`` adds others, such as the user's own Lichtblick."""
_OPTIONS = {
    "subprotocols": ("foxglove.sdk.v1", "foxglove.websocket.v1"),
    "compression": None,
    "open_timeout": REQUEST_S,
    "close_timeout": 1.0,
    "max_size": 2**16,  # of a request [bytes]
    "max_queue": 4,
    "server_header": "osi-lidar",
}
_MESSAGE = struct.Struct("<BIQ")
_PIECE_BYTES = 2**18
_MOST_SUBSCRIPTIONS = 1000


class ViewerTopic:
    """A topic of a `FoxgloveServer` that viewers can subscribe to; may be used from any thread.

    Parameters
    ----------
    server : FoxgloveServer
        The server, which sends the messages.
    number : int
        Number of the topic on the server, from 1: the channel id of the protocol.
    name : str
        Name of the topic.
    schema : str
        Full name of its messages' protobuf type, such as "osi3.SensorView".

    Attributes
    ----------
    number, topic, schema : int, str, str
        The number, the name and the schema.
    subscribers : set
        The server's records of the viewers that have subscribed.
    """

    def __init__(self, server: FoxgloveServer, number: int, name: str, schema: str) -> None:
        self.number = number
        self.topic = name
        self.schema = schema
        self.subscribers: set[_Viewer] = set()
        self._server = server

    def has_sinks(self) -> bool:
        """Return whether any viewer has subscribed to the topic."""
        return bool(self.subscribers)

    def log(self, data: bytes, *, log_time: int) -> None:
        """Send a message to the viewers that have subscribed to the topic.

        ``data`` is the message, serialised. ``log_time`` is the time that viewers show for it, an
        int [ns].
        """
        self._server.send(self, data, log_time)


class FoxgloveServer:
    """WebSocket server of topics for the viewers Lichtblick and Foxglove.

    Parameters
    ----------
    endpoint : Endpoint
        Address to listen at.
    guard : Guard
        Decides which viewers are let in.
    describe : callable
        Gets the name of a schema, such as "osi3.SensorView", and returns its protobuf description,
        a serialised FileDescriptorSet (bytes).

    Attributes
    ----------
    endpoint : Endpoint
        The address; after `open` with the actual port.
    """

    def __init__(self, endpoint: Endpoint, guard: Guard, describe: Callable[[str], bytes]) -> None:
        self.endpoint = endpoint
        self._guard = guard
        self._describe = describe
        self._guests = Guests(MOST_BROWSERS)
        self._topics: dict[int, ViewerTopic] = {}
        self._viewers: set[_Viewer] = set()
        self._session = str(time.time_ns() // 1_000_000)
        self._logged = FirstTimes()

    async def open(self, on_subscribe: Callable[[ViewerTopic], object]) -> None:
        """Start to listen; ``endpoint`` then has the actual port.

        Parameters
        ----------
        on_subscribe : callable
            Called in a separate thread with each `ViewerTopic` to which a viewer subscribes.

        Raises
        ------
        InputError
            websockets is not installed, or the port is in use.
        """
        self._loop = asyncio.get_running_loop()
        self._on_subscribe = on_subscribe
        try:
            from websockets.asyncio import server  # noqa: PLC0415  an extra
        except ImportError as error:
            raise InputError(
                "websockets is not installed: pip install 'osi-lidar[foxglove]'"
            ) from error
        self.endpoint.warn_if_open()
        try:
            self._server: Server = await server.serve(
                self._serve,
                *self.endpoint.address,
                create_connection=_with_place(server.ServerConnection, self._guests),
                process_request=self._refuse,
                logger=_silent(),
                **_OPTIONS,
            )
        except OSError as error:
            raise self.endpoint.unusable(error) from error
        self.endpoint = self.endpoint.at(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """End all connections at once, also those that have not asked for anything yet."""
        self._server.close()
        self._guests.close()
        await self._server.wait_closed()

    def topic(self, name: str, schema: str) -> ViewerTopic:
        """Add a topic, announce it to viewers, and return it; may be called from any thread.

        Parameters
        ----------
        name : str
            Name of the topic, such as "osi-lidar.OSMPSensorViewIn".
        schema : str
            Full name of the protobuf type of all its messages, such as "osi3.SensorView".
        """
        topic = ViewerTopic(self, len(self._topics) + 1, name, schema)
        self._topics[topic.number] = topic
        self._in_loop(self._advertise_to_all, topic)
        return topic

    def send(self, topic: ViewerTopic, data: bytes, time_ns: int) -> None:
        """Send a message to all subscribers of a topic; may be called from any thread.

        Parameters
        ----------
        topic : ViewerTopic
            The topic, which `topic` has returned.
        data : bytes
            The message, serialised in the schema of the topic.
        time_ns : int
            Time that viewers show for the message, 0 or more. [ns]
        """
        self._in_loop(self._deliver, topic, data, time_ns)

    def _in_loop(self, act: Callable[..., object], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: the stream has ended
            self._loop.call_soon_threadsafe(act, *arguments)

    def _advertise_to_all(self, topic: ViewerTopic) -> None:
        for viewer in self._viewers:
            viewer.tell(self._advertised(topic))

    def _deliver(self, topic: ViewerTopic, data: bytes, time_ns: int) -> None:
        for viewer in topic.subscribers:
            viewer.offer(topic, data, time_ns)

    def _advertised(self, *topics: ViewerTopic) -> str:
        channels = [
            {
                "id": topic.number,
                "topic": topic.topic,
                "encoding": "protobuf",
                "schemaName": topic.schema,
                "schema": base64.b64encode(self._describe(topic.schema)).decode(),
                "schemaEncoding": "protobuf",
            }
            for topic in topics
        ]
        return json.dumps({"op": "advertise", "channels": channels})

    def _refuse(self, connection: ServerConnection, request: Request) -> Response | None:
        """Return the answer to a viewer that is not let in."""
        refusal = self._guard.refusal(
            request.headers, request.path, self.endpoint.host, origins=VIEWER_ORIGINS
        )
        if refusal is None:
            return None
        if self._logged.is_first(refusal.reason):
            logger.warning(
                "viewer %s refused: %s; --allow lets hosts and origins in",
                host_and_port(connection.remote_address),
                refusal.reason,
            )
        return connection.respond(refusal.status, refusal.reason)

    async def _serve(self, connection: ServerConnection) -> None:
        viewer = _Viewer(connection)
        self._guests.heard(connection.place)
        self._viewers.add(viewer)
        sending = asyncio.create_task(viewer.send_all())
        info = {"name": "osi-lidar", "capabilities": [], "supportedEncodings": [], "metadata": {}}
        viewer.tell(json.dumps({"op": "serverInfo", **info, "sessionId": self._session}))
        if self._topics:
            viewer.tell(self._advertised(*self._topics.values()))
        try:
            async for text in connection:
                await self._follow(viewer, text)
                self._guests.heard(connection.place)
        finally:
            self._viewers.discard(viewer)
            for topic in list(viewer.subscriptions.values()):
                topic.subscribers.discard(viewer)
            sending.cancel()

    async def _follow(self, viewer: _Viewer, text: str | bytes) -> None:
        """Execute a viewer's request; requests outside of the protocol are ignored."""
        with suppress(ValueError, RecursionError, TypeError, KeyError, AttributeError):
            request = json.loads(text)
            if request["op"] == "subscribe":
                for each in request["subscriptions"]:
                    topic = self._topics.get(each["channelId"])
                    if topic is not None and viewer.subscribe(each["id"], topic):
                        topic.subscribers.add(viewer)
                        await asyncio.to_thread(self._on_subscribe, topic)
            elif request["op"] == "unsubscribe":
                for number in request["subscriptionIds"]:
                    topic = viewer.subscriptions.pop(number, None)
                    if topic is not None and topic not in viewer.subscriptions.values():
                        topic.subscribers.discard(viewer)


class _Viewer:
    """A connection, and the newest messages that wait for it, of bounded size."""

    def __init__(self, connection: ServerConnection) -> None:
        self.subscriptions: dict[int, ViewerTopic] = {}
        self._connection = connection
        self._waiting: Waiting[tuple[ViewerTopic, bytes, int]] = Waiting()
        self._said: list[str] = []
        self._news = asyncio.Event()

    def subscribe(self, number: object, topic: ViewerTopic) -> bool:
        """Add a subscription; return False if its number is invalid or in use, or for too many."""
        if not isinstance(number, int) or not 0 <= number < 2**32:
            return False
        if number in self.subscriptions or len(self.subscriptions) >= _MOST_SUBSCRIPTIONS:
            return False
        self.subscriptions[number] = topic
        return True

    def tell(self, text: str) -> None:
        """Queue a text of the protocol; it is sent before all waiting messages."""
        self._said.append(text)
        self._news.set()

    def offer(self, topic: ViewerTopic, data: bytes, time_ns: int) -> None:
        """Queue a message; if the viewer is too slow, its oldest waiting message is lost."""
        self._waiting.add((topic, data, time_ns), len(data))
        self._news.set()

    async def send_all(self) -> None:
        """Send queued texts and messages as they come, until the connection is lost."""
        with suppress(Exception):  # the viewer is gone
            while True:
                self._news.clear()
                while self._said:
                    await self._connection.send(self._said.pop(0))
                if self._waiting:
                    await self._send(*self._waiting.take())
                elif not self._said:
                    await self._news.wait()

    async def _send(self, topic: ViewerTopic, data: bytes, time_ns: int) -> None:
        numbers = [number for number, one in self.subscriptions.items() if one is topic]
        for number in numbers:
            await self._connection.send(_pieces(_MESSAGE.pack(1, number, time_ns), data))


def _pieces(head: bytes, data: bytes) -> Iterator[bytes]:
    """Yield a message in pieces, so that only one piece is copied at a time."""
    view = memoryview(data)
    yield head + view[: _PIECE_BYTES - len(head)]
    for start in range(_PIECE_BYTES - len(head), len(data), _PIECE_BYTES):
        yield bytes(view[start : start + _PIECE_BYTES])


def _silent() -> logging.Logger:
    """Return a logger that hides errors of clients: it shows critical messages only."""
    silent = logging.getLogger(f"{__name__}.clients")
    silent.setLevel(logging.CRITICAL)
    return silent


def _with_place(kind: type[ServerConnection], guests: Guests) -> Callable[..., ServerConnection]:
    """Return a class of connections that take a place at the port as soon as they are open."""

    class _ViewerConnection(kind):  # type: ignore[misc]  # the library is an extra
        place: Guest

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self.place = given(guests.admit(transport.abort))  # no viewer stays for ever

        def connection_lost(self, exc: Exception | None) -> None:
            guests.leave(self.place)
            super().connection_lost(exc)

    return _ViewerConnection
