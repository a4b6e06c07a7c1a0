# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Player: sends a recorded trace in real time, as a simulator would."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from lidar_base.given import given
from osi_bridge import (
    DamagedTrace,
    OsiInputError,
    datagrams,
    framed,
    message_time_ns,
    other_protocol,
)
from osi_lidar.errors import InputError
from osi_lidar.live.endpoint import BUFFER_BYTES, connections, ignore, listen, peer_name, words
from osi_lidar.live.ports.guests import Guests
from osi_lidar.live.ports.policy import MOST_CONSUMERS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from osi_bridge import TraceReader
    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.outside_requests import Stop

logger = logging.getLogger(__name__)

_NANOSECONDS = 1_000_000_000
_LONGEST_GAP_S = 60.0


@dataclass(slots=True)
class Played:
    """Result of a player.

    Attributes
    ----------
    messages : int
        Number of messages sent, summed over all consumers.
    consumers : int
        Number of connections.
    damage : DamagedTrace or None
        Damage of the trace; everything before it was sent.
    """

    messages: int = 0
    consumers: int = 0
    damage: DamagedTrace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaySettings:
    """Address and speed of a player.

    Attributes
    ----------
    endpoint : Endpoint
        Address to connect to or to listen at; UDP messages are split like esmini's.
    connect : bool
        Whether to connect to the address; otherwise the player listens there.
    speed : float or None
        Simulated seconds per second; None: as fast as the consumer accepts messages.
    loop : bool
        Whether to start over at the end.
    """

    endpoint: Endpoint
    connect: bool = False
    speed: float | None = 1.0
    loop: bool = False


async def play(trace: TraceReader, settings: PlaySettings, stop: Stop) -> Played:
    """Send the messages of a trace to every consumer that connects, or to one by connecting to it.

    Every consumer gets the trace from its start. Without ``loop`` the player ends when a consumer
    has received the whole trace and no other is connected. If a consumer is lost before that, the
    player waits for the next one, or connects again. By UDP, it sends the trace once and gets no
    feedback. Return numbers of messages and consumers.

    Parameters
    ----------
    trace : TraceReader
        The messages.
    settings : PlaySettings
        Address and speed.
    stop : Stop
        Ends the player on request.

    Raises
    ------
    InputError
        The host name does not resolve, or the port is in use.
    TraceError
        The trace cannot be read.
    """
    endpoint = settings.endpoint
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
        task.cancel()  # no effect on a finished task
    await asyncio.wait(tasks)
    if not tasks[0].cancelled():
        await tasks[0]
    return player.played


class _Player:
    """Player of one trace for all its consumers."""

    def __init__(self, trace: TraceReader, settings: PlaySettings) -> None:
        self.played = Played()
        self._trace = trace
        self._speed = settings.speed
        self._loop = settings.loop

    async def listen(self, endpoint: Endpoint) -> None:
        """Play to every consumer, until one has the whole trace and no other is connected."""
        busy: set[asyncio.Task[object]] = set()
        whole: list[asyncio.Task[object]] = []
        all_had = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = given(asyncio.current_task())
            guest = given(guests.admit(writer.transport.abort))  # no consumer stays for ever
            busy.add(task)
            try:
                heard = partial(guests.heard, guest)
                if await self._serve(reader, writer, peer_name(writer), heard):
                    whole.append(task)
            finally:
                busy.discard(task)
                guests.leave(guest)
            if whole and not busy:
                all_had.set()

        guests = Guests(MOST_CONSUMERS)
        server, endpoint = await listen(endpoint, serve)
        logger.info("listening at %s", endpoint)
        try:
            await all_had.wait()
        finally:
            server.close()
            for task in list(busy):
                task.cancel()

    async def connect(self, endpoint: Endpoint) -> None:
        """Connect and play, again and again until the consumer has received the whole trace."""
        endpoint.warn_if_open()
        await endpoint.resolve()
        async with aclosing(connections(endpoint, "consumer")) as connected:
            async for connection in connected:
                before = self.played.messages
                if await self._serve(connection.reader, connection.writer, str(endpoint)):
                    return
                # the first message always fits into the socket's buffer, so it proves nothing
                connection.good = self.played.messages > before + 1

    async def to_datagrams(self, endpoint: Endpoint) -> None:
        """Play once by UDP; there is no feedback whether the datagrams arrive."""
        endpoint.warn_if_open()
        await endpoint.resolve()
        try:
            transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
                asyncio.DatagramProtocol, remote_addr=endpoint.address
            )
        except OSError as error:
            raise InputError(f"{endpoint.option} {endpoint}: {words(error)}") from error
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

    async def _serve(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        peer: str,
        heard: Callable[[], object] = lambda: None,
    ) -> bool:
        """Play to one consumer; return whether it has received the whole trace.

        ``heard`` is called each time the consumer has taken a message.
        """
        self.played.consumers += 1
        logger.info("new consumer %s", peer)
        writer.transport.set_write_buffer_limits(high=0)
        watching = asyncio.create_task(_watch(reader, writer, peer))

        async def send(data: bytes) -> None:
            writer.write(framed(data))
            await writer.drain()
            heard()
            await asyncio.sleep(0)  # drain() does not wait for a consumer that keeps up

        try:
            await self._play(send)
            writer.close()
            await writer.wait_closed()
        except OSError as error:
            logger.warning("consumer %s disconnected: %s", peer, words(error))
            return False
        finally:
            is_stranger = watching.done() and not watching.cancelled() and watching.result()
            watching.cancel()
            writer.transport.abort()
        return not is_stranger

    async def _play(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send the trace once, or in an endless loop; empty messages are left out."""
        while True:
            clock = _Pace(self._speed)
            sent = 0
            try:
                for raw in self._trace:
                    if raw.data:
                        await clock.wait_for(self._time_ns(raw.data))
                        await send(raw.data)
                        self.played.messages += 1
                        sent += 1
            except DamagedTrace as damage:
                self.played.damage = damage
            if not (self._loop and sent):
                return

    def _time_ns(self, data: bytes) -> int | None:
        try:
            return message_time_ns(self._trace.message_type, data)
        except OsiInputError:  # sent anyway, without delay
            return None


async def _watch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: str) -> bool:
    """Ignore the input of a consumer; hang up and return True if it speaks another protocol.

    Such a client does not count as a consumer that has received the whole trace.
    """
    with suppress(OSError):
        other = other_protocol(await reader.read(BUFFER_BYTES))
        if other is not None:
            logger.warning("consumer %s speaks %s; connection closed", peer, other)
            writer.transport.abort()
            return True
    await ignore(reader)
    return False


class _Pace:
    """Pacing of the messages by their timestamps."""

    def __init__(self, speed: float | None) -> None:
        self._speed = speed
        self._first_ns: int | None = None
        self._began_s = 0.0

    async def wait_for(self, time_ns: int | None) -> None:
        """Wait until a message with this timestamp is due."""
        if self._speed is None or time_ns is None:
            return
        now_s = asyncio.get_running_loop().time()
        if self._first_ns is None:
            self._first_ns, self._began_s = time_ns, now_s
        due_s = self._began_s + (time_ns - self._first_ns) / _NANOSECONDS / self._speed
        if due_s - now_s > _LONGEST_GAP_S:
            logger.warning("skipped a gap of %.0f s in the trace", due_s - now_s)
            self._first_ns, self._began_s = time_ns, now_s
        elif due_s > now_s:
            await asyncio.sleep(due_s - now_s)
