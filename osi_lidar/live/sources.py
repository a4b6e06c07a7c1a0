# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sources of messages: a TCP server, a TCP client, and a UDP receiver."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from abc import ABC, abstractmethod
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

from osi_bridge import BrokenFraming, MessageAssembler, begins_message, read_message
from osi_lidar.live.answers_to_source import WayBack
from osi_lidar.live.backlog import Message
from osi_lidar.live.endpoint import connections, host_and_port, keep_alive, listen, peer_name, words
from osi_lidar.live.ports.guests import Guests
from osi_lidar.live.ports.policy import MOST_WAITING_SOURCES, REQUEST_S

if TYPE_CHECKING:
    from osi_bridge import ConnectionReader
    from osi_lidar.live.backlog import Backlog
    from osi_lidar.live.counters import Counters
    from osi_lidar.live.endpoint import Endpoint

logger = logging.getLogger(__name__)

_DATAGRAM_BUFFER_BYTES = 2**22
_SILENCE_S = 0.25
_PROGRESS_BYTES = 2**18
"""A source that sends less in `ListeningSource.grace_s` is not sending its first message."""


class MessageSource(ABC):
    """Receiver of messages: reads them from the network into the backlog, one source at a time.

    Parameters
    ----------
    endpoint : Endpoint
        Address to listen at or to connect to.
    backlog : Backlog
        Destination of the messages.
    counters : Counters
        Counters of messages and connections.
    max_bytes : int
        Longest message that is accepted. [bytes]
    once : bool
        Whether to end with the first connection. A TCP server ends with the first connection that
        has sent a message; a UDP receiver never ends by itself.

    Attributes
    ----------
    endpoint : Endpoint
        The address; a server that listens sets the actual port in `open`.
    """

    answers = False
    """Whether the source gets an answer to each message, on its own connection."""

    def __init__(
        self,
        endpoint: Endpoint,
        backlog: Backlog,
        counters: Counters,
        *,
        max_bytes: int,
        once: bool = False,
    ) -> None:
        self.endpoint = endpoint
        self._backlog = backlog
        self._counters = counters
        self._max_bytes = max_bytes
        self._once = once
        self._opens = False
        self._refused = False

    @abstractmethod
    async def open(self) -> None:
        """Prepare to receive messages.

        Raises
        ------
        InputError
            The host name does not resolve, or the port is in use.
        """

    @abstractmethod
    async def run(self) -> None:
        """Receive messages until cancelled, or until the end that the parameter ``once`` means."""

    def _begin(self, peer: str) -> None:
        """Note a new connection; its first message starts a new world."""
        self._counters.connections += 1
        self._opens = True
        logger.info("new source %s", peer)

    def _refuse(self, peer: str) -> None:
        """Log and count a refused source, only once while the current source is connected."""
        if not self._refused:
            self._counters.connections_refused += 1
            logger.warning("source %s refused: another source is connected", peer)
        self._refused = True

    def _message(self, data: bytes, way_back: WayBack | None = None) -> Message:
        """Return and count a message that has arrived completely."""
        message = Message(
            number=self._counters.received,
            connection=self._counters.connections,
            opens=self._opens,
            arrived_s=time.perf_counter(),
            data=data,
            way_back=way_back,
        )
        if way_back is not None:
            way_back.expect()
        if not data:
            self._counters.empty += 1
            return message
        self._opens = False
        self._counters.received += 1
        self._counters.received_bytes += len(data)
        return message

    @property
    def _n_arrived(self) -> int:
        return self._counters.received + self._counters.empty

    async def _follow(
        self, reader: ConnectionReader, writer: asyncio.StreamWriter, peer: str
    ) -> int:
        """Read the messages of a connection until it ends; return their number."""
        self._begin(peer)
        before = self._n_arrived
        problems: list[str] = []
        way_back = WayBack(writer, self._counters) if self.answers else None
        try:
            while (data := await read_message(reader, self._max_bytes)) is not None:
                message = self._message(data, way_back)
                if data or way_back is not None:
                    await self._backlog.put(message)
                await asyncio.sleep(0)  # a reader with buffered data would never yield
        except BrokenFraming as error:
            problems.append(str(error))
        if way_back is not None:
            await way_back.settled()  # a source may have sent all that it has, and still read
        if reader.lost is not None:
            problems.insert(0, words(reader.lost))
        if problems:
            self._counters.connections_broken += 1
            logger.warning("source %s: %s; connection closed", peer, ", ".join(problems))
        else:
            then = "" if self._once else "; waiting for the next one, with --once it would end here"
            logger.info("source %s disconnected%s", peer, then)
        return self._n_arrived - before


class ListeningSource(MessageSource):
    """TCP server that accepts one source at a time.

    The first client that connects is the source. As long as it has not sent a message, another
    client that sends data can take its place, so that a silent client cannot keep the source out.
    """

    grace_s = 1.0
    """How long a second client waits for the first one to disconnect or to send a message. [s]"""

    _current: asyncio.Task[object] | None = None

    @property
    def is_taken(self) -> bool:
        """Whether a source is connected."""
        return self._current is not None

    async def open(self) -> None:
        """Start to listen; ``endpoint`` gets the actual port. Raise InputError if that fails."""
        self._first_gone = asyncio.Event()
        self._guests = Guests(MOST_WAITING_SOURCES)
        self._server, self.endpoint = await listen(self.endpoint, self._serve)

    async def run(self) -> None:
        """Receive messages until cancelled; ``once``: until a source that sent messages is gone."""
        try:
            await self._first_gone.wait()
        finally:
            self._server.close()
            if self._current is not None:
                self._current.cancel()
                await asyncio.wait([self._current])

    async def _serve(self, reader: ConnectionReader, writer: asyncio.StreamWriter) -> None:
        keep_alive(writer)
        if not await self._has_place(reader, writer):
            writer.transport.abort()
            return
        self._current, self._refused = asyncio.current_task(), False
        self._reader = reader
        try:
            n_messages = await self._follow(reader, writer, peer_name(writer))
            if self._once and n_messages:
                self._first_gone.set()
        finally:
            self._current = None
            writer.transport.abort()

    async def _has_place(self, reader: ConnectionReader, writer: asyncio.StreamWriter) -> bool:
        """Wait for the current source to go, if there is one; return whether its place is free."""
        if self._current is None:
            return self._server.is_serving()
        guest = self._guests.admit(writer.transport.abort)
        if guest is None:
            return False
        try:
            if self._opens and not await reader.has_begun(REQUEST_S):
                return False  # it came and said nothing, as the first one did
            await self._give_way(peer_name(writer))
        finally:
            self._guests.leave(guest)
        if self._current is None and self._server.is_serving():
            return True
        self._refuse(peer_name(writer))
        return False

    async def _give_way(self, peer: str) -> None:
        """Wait for the source to go; end its connection if it has not sent a message and is silent.

        A source that is reconnecting may not have closed its first connection yet.
        """
        first = self._reader
        before = self._reader.n_bytes
        if self._current is not None:
            await asyncio.wait([self._current], timeout=self.grace_s)
        while self._current is not None and self._opens:  # others may be waiting, too
            n_sent = self._reader.n_bytes - (before if self._reader is first else 0)
            if n_sent >= _PROGRESS_BYTES:
                return
            logger.debug("source %s takes the place of one that has sent no message", peer)
            self._current.cancel()
            await asyncio.wait([self._current])


class ConnectingSource(MessageSource):
    """TCP client of a simulator; a lost connection is retried with growing pauses."""

    async def open(self) -> None:
        """Check that the host name resolves, else raise InputError; nothing is connected yet."""
        self.endpoint.warn_if_open()
        await self.endpoint.resolve()

    async def run(self) -> None:
        """Receive messages until cancelled; with ``once``, until the first connection ends."""
        async with aclosing(connections(self.endpoint, "source")) as connected:
            async for connection in connected:
                ends = connection.reader, connection.writer
                connection.good = await self._follow(*ends, str(self.endpoint)) > 0
                if self._once:
                    return


class DatagramSource(MessageSource, asyncio.DatagramProtocol):
    """UDP receiver of esmini's datagrams, from one sender at a time.

    Another sender is accepted once the previous one has been silent, or has not completed its first
    message, for a quarter of a second. Its first whole message begins a new connection.
    """

    async def open(self) -> None:
        """Start to listen; ``endpoint`` gets the actual port. Raise InputError if that fails."""
        self.endpoint.warn_if_open()
        await self.endpoint.resolve()
        self._sender = self._source = ""  # current sender; sender of the last whole message
        self._since_s = self._heard_s = 0.0
        self._logged: set[str] = set()
        self._assembler = MessageAssembler(self._max_bytes)
        loop = asyncio.get_running_loop()
        try:
            self._transport, _ = await loop.create_datagram_endpoint(
                lambda: self, local_addr=self.endpoint.address
            )
        except OSError as error:
            raise self.endpoint.unusable(error) from error
        port: socket.socket = self._transport.get_extra_info("socket")
        with suppress(OSError):  # the system may allow less
            port.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _DATAGRAM_BUFFER_BYTES)
        self.endpoint = self.endpoint.at(port.getsockname()[1])

    async def run(self) -> None:
        """Receive messages until cancelled, also with ``once``: UDP has no end of a connection."""
        try:
            await asyncio.Event().wait()
        finally:
            self._transport.close()

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Add a datagram to the message that it is a piece of; asyncio calls this.

        ``data`` is the datagram's content, and ``addr`` its sender's address (host, port). A
        complete message goes to the backlog, or is dropped if the backlog is full. A datagram of
        another sender is dropped unless that sender is accepted (see the class).
        """
        now_s = time.monotonic()
        sender = host_and_port(addr)
        if sender != self._sender:
            if not self._may_send(data, sender, now_s):
                return
            self._sender = sender
            self._since_s = now_s
            self._assembler = MessageAssembler(self._max_bytes)
        before = self._counters.malformed
        message = self._assemble(data)
        if self._counters.malformed == before:
            self._heard_s = now_s
        if message is None:
            return
        if sender != self._source:
            if self._source:
                self._logged.clear()
            self._source = sender
            self._refused = False
            self._begin(sender)
        if not self._backlog.offer(self._message(message)):
            self._counters.dropped += 1

    def _may_send(self, data: bytes, sender: str, now_s: float) -> bool:
        """Return whether a new sender replaces the current one: it must begin a message.

        The current sender must have been silent, or without a complete message, for a quarter of
        a second: a client that sends parts of messages only cannot keep others out.
        """
        if not begins_message(data):
            self._counters.malformed += 1
            self._tell_malformed(sender)
            return False
        is_source = self._sender == self._source
        began_s = self._heard_s if is_source else min(self._heard_s, self._since_s)
        if self._sender and now_s - began_s < _SILENCE_S:
            self._refuse(sender)
            return False
        return True

    def error_received(self, exc: Exception) -> None:
        """Ignore ``exc``, an error of the socket: it concerns sending, and nothing is sent."""

    def _assemble(self, data: bytes) -> bytes | None:
        assembler = self._assembler
        before = assembler.n_gaps, assembler.n_malformed, assembler.n_repeated
        message = assembler.feed(data)
        counters = self._counters
        counters.gaps += assembler.n_gaps - before[0]
        counters.malformed += assembler.n_malformed - before[1]
        counters.repeated += assembler.n_repeated - before[2]
        if assembler.n_gaps > before[0] and "gap" not in self._logged:
            self._logged.add("gap")
            logger.warning(
                "source %s: a message was lost: datagrams are missing, or it is longer than "
                "--max-message",
                self._sender,
            )
        if assembler.n_malformed > before[1]:
            self._tell_malformed(self._sender)
        return message

    def _tell_malformed(self, sender: str) -> None:
        if "malformed" not in self._logged:
            self._logged.add("malformed")
            logger.warning("source %s: a datagram was ignored, expected esmini's format", sender)
