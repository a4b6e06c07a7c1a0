# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Publish a recorded trace at its own pace, as a simulator would."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from osi_bridge import DamagedTrace, OsiInputError, datagrams, framed, message_time_ns
from osi_lidar.live.endpoint import words
from osi_lidar.live.sources import FIRST_PAUSE_S, LONGEST_PAUSE_S, peer_name

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from osi_bridge import TraceReader
    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.stop import Stop

logger = logging.getLogger(__name__)

_NANOSECONDS = 1_000_000_000


@dataclass(slots=True)
class Played:
    """What a player has sent.

    Attributes
    ----------
    messages : int
        To all consumers together.
    consumers : int
        Connections.
    damage : DamagedTrace or None
        Where the trace is damaged; everything before was sent.
    """

    messages: int = 0
    consumers: int = 0
    damage: DamagedTrace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaySettings:
    """Where and how fast a trace is played.

    Attributes
    ----------
    endpoint : Endpoint
        Where; UDP datagrams are cut as esmini does.
    connect : bool
        Whether to connect there; else to listen.
    speed : float or None
        Simulated seconds per second; None: as fast as the consumer takes the messages.
    loop : bool
        Begin again at the end.
    """

    endpoint: Endpoint
    connect: bool = False
    speed: float | None = 1.0
    loop: bool = False


async def play(trace: TraceReader, settings: PlaySettings, stop: Stop) -> Played:
    """Send the messages of a trace to whoever connects, or to one that is connected to.

    Every consumer gets the trace from its start. Without ``loop`` the player ends when a consumer
    has had the whole trace and nobody else is connected; a consumer that is lost before is waited
    for, or tried again.

    Parameters
    ----------
    trace : TraceReader
        The messages.
    settings : PlaySettings
        Where and how fast.
    stop : Stop
        Ends the player.

    Raises
    ------
    InputError
        The host name does not resolve, or the port is in use.
    TraceError
        The trace cannot be read.
    """
    endpoint = settings.endpoint
    await endpoint.resolve()
    player = _Player(trace, settings)
    if endpoint.transport == "udp":
        playing = player.to_datagrams(endpoint)
    elif settings.connect:
        playing = player.connect(endpoint)
    else:
        playing = player.listen(endpoint)
    tasks = [asyncio.create_task(playing), asyncio.create_task(stop.wait())]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()  # does nothing where it is done
    await asyncio.wait(tasks)
    if not tasks[0].cancelled():
        await tasks[0]
    return player.played


class _Player:
    """Plays a trace to its consumers."""

    def __init__(self, trace: TraceReader, settings: PlaySettings) -> None:
        self.played = Played()
        self._trace = trace
        self._speed = settings.speed
        self._loop = settings.loop

    async def listen(self, endpoint: Endpoint) -> None:
        """Play to everybody who connects, until one has had all and nobody is left."""
        endpoint.warn_if_open()
        busy: set[asyncio.Task[object]] = set()
        all_had = asyncio.Event()

        async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None  # noqa: S101  for the type checker
            busy.add(task)
            whole = False
            try:
                whole = await self._serve(writer, peer_name(writer))
            except asyncio.CancelledError:  # the end: asyncio would complain of a cancelled handler
                pass
            finally:
                busy.discard(task)
            if whole and not busy:
                all_had.set()

        try:
            server = await asyncio.start_server(serve, *endpoint.address)
        except OSError as error:
            raise endpoint.unusable(error) from error
        logger.info("listening at %s", endpoint.at(server.sockets[0].getsockname()[1]))
        try:
            await all_had.wait()
        finally:
            server.close()
            for task in list(busy):
                task.cancel()

    async def connect(self, endpoint: Endpoint) -> None:
        """Connect and play, as often as it takes for the whole trace to be taken."""
        pause_s, told = FIRST_PAUSE_S, ""
        while True:
            try:
                _, writer = await asyncio.open_connection(*endpoint.address)
            except OSError as error:
                if words(error) != told:
                    told = words(error)
                    logger.warning("consumer %s: %s; trying again", endpoint, told)
            else:
                before = self.played.messages
                if await self._serve(writer, str(endpoint)):
                    return
                pause_s = FIRST_PAUSE_S if self.played.messages > before + 1 else pause_s
            await asyncio.sleep(pause_s)
            pause_s = min(2.0 * pause_s, LONGEST_PAUSE_S)

    async def to_datagrams(self, endpoint: Endpoint) -> None:
        """Send datagrams; nobody tells whether they arrive."""
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            asyncio.DatagramProtocol, remote_addr=endpoint.address
        )
        logger.info("sending to %s", endpoint)
        self.played.consumers += 1

        async def send(data: bytes) -> None:
            for datagram in datagrams(data):
                transport.sendto(datagram)
            await asyncio.sleep(0)

        try:
            await self._play(send)
        finally:
            transport.close()

    async def _serve(self, writer: asyncio.StreamWriter, peer: str) -> bool:
        """Play to one consumer; return whether it has had the whole trace."""
        self.played.consumers += 1
        logger.info("consumer %s", peer)
        writer.transport.set_write_buffer_limits(high=0)

        async def send(data: bytes) -> None:
            writer.write(framed(data))
            await writer.drain()

        try:
            await self._play(send)
            writer.close()
            await writer.wait_closed()
        except OSError as error:
            logger.warning("consumer %s is gone: %s", peer, words(error))
            return False
        finally:
            with suppress(OSError):
                writer.transport.abort()
        return True

    async def _play(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send the trace once, or for ever."""
        while True:
            clock = _Pace(self._speed)
            try:
                for raw in self._trace:
                    await clock.wait_for(self._time_ns(raw.data))
                    await send(raw.data)
                    self.played.messages += 1
            except DamagedTrace as damage:
                self.played.damage = damage
            if not self._loop:
                return

    def _time_ns(self, data: bytes) -> int | None:
        try:
            return message_time_ns(self._trace.message_type, data)
        except OsiInputError:  # sent all the same, without delay
            return None


class _Pace:
    """Turns the times of messages into waiting."""

    def __init__(self, speed: float | None) -> None:
        self._speed = speed
        self._first_ns: int | None = None

    async def wait_for(self, time_ns: int | None) -> None:
        """Return when a message of this time is due."""
        if self._speed is None or time_ns is None:
            return
        now_s = asyncio.get_running_loop().time()
        if self._first_ns is None:
            self._first_ns, self._began_s = time_ns, now_s
        due_s = self._began_s + (time_ns - self._first_ns) / _NANOSECONDS / self._speed
        if due_s > now_s:
            await asyncio.sleep(due_s - now_s)
