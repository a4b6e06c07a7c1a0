# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Publisher of SensorData. Slow subscribers delay neither the model nor each other."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from osi_bridge import frame_prefix, other_protocol
from osi_lidar.live.endpoint import BUFFER_BYTES, keep_alive, listen, peer_name
from osi_lidar.live.ports.guests import Guests
from osi_lidar.live.ports.policy import MOST_SUBSCRIBERS, PROVEN_BYTES
from osi_lidar.live.ports.waiting import Waiting

if TYPE_CHECKING:
    from osi_lidar.live.counters import Counters
    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.ports.guests import Guest

logger = logging.getLogger(__name__)

_PIECE_BYTES = 2**18


class Publisher:
    """TCP server that sends SensorData messages to all connected subscribers; slow ones lose some.

    Parameters
    ----------
    endpoint : Endpoint
        Address to listen at.
    counters : Counters
        Counters of subscribers and messages.
    last_words_s : float
        How long ``close`` waits for subscribers to take their waiting messages. [s]

    Attributes
    ----------
    endpoint : Endpoint
        The address; after `open` with the actual port.
    """

    def __init__(
        self, endpoint: Endpoint, counters: Counters, *, last_words_s: float = 1.0
    ) -> None:
        self.endpoint = endpoint
        self._last_words_s = last_words_s
        self._counters = counters
        self._subscribers: set[_Subscriber] = set()
        self._guests = Guests(MOST_SUBSCRIBERS)
        self._last: bytes | None = None
        self._refused = False

    async def open(self) -> None:
        """Start to listen; ``endpoint`` then has the actual port.

        Raises
        ------
        InputError
            The host name does not resolve, or the port is in use.
        """
        self._server, self.endpoint = await listen(self.endpoint, self._serve)

    def publish(self, sensor_data: bytes) -> None:
        """Queue a message for every subscriber; called in the event loop.

        ``sensor_data`` is a serialised OSI SensorData message, or empty. Subscribers that connect
        later get it, too, until the next message is published. A subscriber that reads too slowly
        loses its oldest waiting messages.
        """
        self._last = sensor_data
        for subscriber in self._subscribers:
            subscriber.offer(sensor_data)

    async def close(self) -> None:
        """Send the waiting messages for at most `last_words_s`, then close all connections."""
        self._server.close()
        waiting = [subscriber.finish() for subscriber in self._subscribers]
        if waiting:
            await asyncio.wait(waiting, timeout=self._last_words_s)
        for subscriber in list(self._subscribers):
            subscriber.hang_up()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        guest = self._guests.admit(writer.transport.abort)
        if guest is None:
            self._refuse(peer_name(writer))
            writer.transport.abort()
            return
        keep_alive(writer, idle_s=1)
        subscriber = _Subscriber(writer, self._counters, self._guests, guest)
        self._counters.subscribers_seen += 1
        self._subscribers.add(subscriber)
        self._counters.subscribers = len(self._subscribers)
        if self._last is not None:
            subscriber.offer(self._last)
        watching = asyncio.ensure_future(subscriber.watch(reader))
        try:
            await asyncio.wait([subscriber.task, watching], return_when=asyncio.FIRST_COMPLETED)
        finally:
            watching.cancel()
            self._guests.leave(guest)
            self._subscribers.discard(subscriber)
            self._counters.subscribers = len(self._subscribers)
            subscriber.hang_up()

    def _refuse(self, peer: str) -> None:
        if not self._refused:
            logger.warning(
                "subscriber %s refused: at most %d subscribers may connect", peer, self._guests.most
            )
        self._refused = True


class _Subscriber:
    """One connection and the newest messages that wait for it, in order.

    While it provably reads, it does not lose its place at the port to another client.
    """

    def __init__(
        self, writer: asyncio.StreamWriter, counters: Counters, guests: Guests, guest: Guest
    ) -> None:
        self.name = peer_name(writer)
        self._writer = writer
        self._counters = counters
        self._guests = guests
        self._guest = guest
        self._waiting: Waiting[bytes] = Waiting()
        self._news = asyncio.Event()
        self._finishing = self._logged = self._sending = False
        self._n_bytes = 0
        # with this, drain() waits until the system has taken all bytes, and no message is hidden
        # in asyncio's buffer
        writer.transport.set_write_buffer_limits(high=0)
        self.task = asyncio.ensure_future(self._send())

    def offer(self, message: bytes) -> None:
        """Add a message; if there is no room, the oldest waiting messages are lost."""
        n_lost = self._waiting.add(message, len(message))
        if n_lost:
            self._counters.sent_dropped += n_lost
            self._n_bytes = 0
            self._guest.stays = False
            if not self._logged:
                logger.warning("subscriber %s reads too slowly and loses messages", self.name)
            self._logged = True
        self._news.set()

    def finish(self) -> asyncio.Future[None]:
        """Accept no further messages; return a future that is done when all are sent."""
        self._finishing = True
        self._news.set()
        return self.task

    async def watch(self, reader: asyncio.StreamReader) -> None:
        """Return once the connection is lost, or the client speaks another protocol.

        All other input is ignored. The end of the input does not close the connection: the peer
        may still be reading. As it may also be gone, it is now the first to lose its place: TCP
        reports a lost connection only when something is sent.
        """
        with suppress(OSError):
            other = other_protocol(await reader.read(BUFFER_BYTES))
            if other is not None:
                logger.warning("subscriber %s speaks %s; connection closed", self.name, other)
                return
            while await reader.read(BUFFER_BYTES):
                pass
        self._guests.doubt(self._guest)
        with suppress(OSError):
            await self._writer.wait_closed()

    def hang_up(self) -> None:
        """Close the connection at once; the messages still waiting are lost."""
        self.task.cancel()
        self._writer.transport.abort()
        self._counters.sent_dropped += self._waiting.clear() + self._sending
        self._sending = False

    async def _send(self) -> None:
        try:
            while self._waiting or not self._finishing:
                while self._waiting:
                    await self._send_one(self._waiting.take())
                self._news.clear()
                if not self._finishing:
                    await self._news.wait()
        except (OSError, asyncio.CancelledError) as error:  # the peer is gone, or the stream ends
            error.__traceback__ = None  # asyncio keeps the error, and thereby the message

    async def _send_one(self, message: bytes) -> None:
        """Send a message in pieces: the first leaves at once, and only one is copied at a time."""
        self._sending = True
        self._writer.write(frame_prefix(message))
        pieces = memoryview(message)
        for start in range(0, len(message), _PIECE_BYTES):
            self._writer.write(pieces[start : start + _PIECE_BYTES])
            await self._writer.drain()
        self._sending = False
        self._counters.sent += 1
        self._n_bytes += len(message)
        self._guests.heard(self._guest)
        self._guest.stays = self._n_bytes >= PROVEN_BYTES
