# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Endpoints: addresses of sockets, and functions to listen and to connect."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import os
import re
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from osi_bridge import ConnectionReader
from osi_lidar.errors import InputError
from osi_lidar.live.ports.policy import LINE_BYTES

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
BUFFER_BYTES = LINE_BYTES
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0
_ENDPOINT = re.compile(r"(?:(tcp|udp)://)?(?:(\[[^\]\s]+\]|[^:\[\]\s]*):)?([0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A transport, a host and a port.

    Attributes
    ----------
    option : str
        Command line option that specified the endpoint, for error messages.
    transport : {"tcp", "udp"}
        The transport.
    host : str
        Name or address of the host; an IPv6 address is without brackets.
    port : int
        The port; if it is 0, the system chooses one.
    """

    option: str
    transport: Literal["tcp", "udp"]
    host: str
    port: int

    @classmethod
    def parse(cls, option: str, text: str, *, udp: bool = False) -> Endpoint:
        """Return the endpoint specified by a text such as ``localhost:48198``.

        Parameters
        ----------
        option : str
            The command line option.
        text : str
            ``[tcp://|udp://][HOST:]PORT``; the default host is the loopback address.
        udp : bool
            Whether UDP is allowed.

        Raises
        ------
        InputError
            The text has another form, or the port is above 65535.
        """
        match = _ENDPOINT.fullmatch(text.strip())
        if match is None or int(match[3]) > 65535:
            form = "[udp://]HOST:PORT" if udp else "HOST:PORT"
            raise InputError(f"{option}: got {text!r}, expected {form}, e.g. 127.0.0.1:48198")
        transport: Literal["tcp", "udp"] = "udp" if match[1] == "udp" else "tcp"
        if transport == "udp" and not udp:
            raise InputError(f"{option}: got {text!r}, expected TCP: UDP is not supported here")
        host = (match[2] or "").strip("[]") or LOOPBACK
        return cls(option, transport, host, int(match[3]))

    @property
    def address(self) -> tuple[str, int]:
        """Host and port, a tuple (str, int), as the functions of sockets expect them."""
        return self.host, self.port

    @property
    def is_loopback(self) -> bool:
        """Whether the host is localhost or a loopback address; False for any other name."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def warn_if_open(self) -> None:
        """Log a warning unless the host is a loopback address."""
        if not self.is_loopback:
            logger.warning(
                "%s %s: not restricted to this machine, and OSI has no authentication",
                self.option,
                self,
            )

    def at(self, port: int) -> Endpoint:
        """Return a copy with another ``port``, such as the port that the system chose for 0."""
        return Endpoint(self.option, self.transport, self.host, port)

    async def resolve(self) -> None:
        """Check that the host name resolves.

        Raises
        ------
        InputError
            The host name does not resolve.
        """
        try:
            await asyncio.get_running_loop().getaddrinfo(*self.address)
        except (socket.gaierror, UnicodeError) as error:
            raise InputError(f"{self.option}: host name {self.host!r} does not resolve") from error

    def unusable(self, error: OSError) -> InputError:
        """Return, but do not raise, the InputError that says why listening here has failed.

        ``error`` is the OSError with which it failed.
        """
        return InputError(f"{self.option} {self}: cannot listen there: {words(error)}")

    def __str__(self) -> str:
        return f"{'udp://' if self.transport == 'udp' else ''}{host_and_port(self.address)}"


async def listen(
    endpoint: Endpoint,
    serve: Callable[[ConnectionReader, asyncio.StreamWriter], Coroutine[None, None, None]],
) -> tuple[asyncio.Server, Endpoint]:
    """Start a TCP server that runs a coroutine for every connection.

    Parameters
    ----------
    endpoint : Endpoint
        Address to listen at. A warning is logged if it is no loopback address.
    serve : callable
        Gets the reader and the writer of a connection, and returns a coroutine, which is run.

    Returns
    -------
    (asyncio.Server, Endpoint)
        The server, and the endpoint with the actual port (port 0 lets the system choose one).

    Raises
    ------
    InputError
        The host name does not resolve, or the port is in use.
    """
    endpoint.warn_if_open()
    await endpoint.resolve()

    async def quietly(reader: ConnectionReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.CancelledError):  # asyncio would log it at shutdown
            await serve(reader, writer)

    def protocol() -> asyncio.StreamReaderProtocol:
        reader = ConnectionReader(limit=BUFFER_BYTES)
        return asyncio.StreamReaderProtocol(reader, lambda _, writer: quietly(reader, writer))

    try:
        server = await asyncio.get_running_loop().create_server(protocol, *endpoint.address)
    except OSError as error:
        raise endpoint.unusable(error) from error
    return server, endpoint.at(server.sockets[0].getsockname()[1])


@dataclass(slots=True)
class Connection:
    """An established TCP connection, as `connections` yields it.

    Attributes
    ----------
    reader : ConnectionReader
        An ``asyncio.StreamReader`` of what the peer sends.
    writer : asyncio.StreamWriter
        Sends to the peer.
    good : bool
        Whether messages have been transferred: the caller sets it to True. After the end of such a
        connection, the pause before the next attempt to connect is short again.
    """

    reader: ConnectionReader
    writer: asyncio.StreamWriter
    good: bool = False


async def connections(endpoint: Endpoint, what: str) -> AsyncGenerator[Connection, None]:
    """Connect again and again without end, and yield each connection.

    A connection is closed when the caller asks for the next one. The pause before each attempt
    doubles, from 0.1 to at most 5 s, and is 0.1 s again after a connection whose ``good`` was set.
    A failed attempt is logged, and raises nothing.

    Parameters
    ----------
    endpoint : Endpoint
        Address to connect to.
    what : str
        Role of the peer, for log messages. If the same failure repeats, it is logged once.
    """
    loop = asyncio.get_running_loop()
    pause_s, told = FIRST_PAUSE_S, ""
    while True:
        try:
            reader = ConnectionReader(limit=BUFFER_BYTES)
            protocol = asyncio.StreamReaderProtocol(reader)
            transport, _ = await loop.create_connection(lambda p=protocol: p, *endpoint.address)  # type: ignore[misc]
            _refuse_itself(transport)
        except OSError as error:
            if words(error) != told:
                told = words(error)
                logger.warning("%s %s: %s; trying again", what, endpoint, told)
        else:
            told = ""
            keep_alive(transport)
            writer = asyncio.StreamWriter(transport, protocol, reader, loop)
            connection = Connection(reader, writer)
            try:
                yield connection
            finally:
                transport.abort()
            pause_s = FIRST_PAUSE_S if connection.good else pause_s
        await asyncio.sleep(pause_s)
        pause_s = min(2.0 * pause_s, LONGEST_PAUSE_S)


def peer_name(writer: asyncio.StreamWriter) -> str:
    """Return host and port of the peer of a connection, such as "127.0.0.1:48198".

    ``writer`` is the connection's ``asyncio.StreamWriter``. The result is "(gone)" if host and port
    are not known any more.
    """
    address = writer.get_extra_info("peername")
    return host_and_port(address) if address else "(gone)"


def host_and_port(address: tuple[str, int]) -> str:
    """Return ``address``, a pair (host, port), as ``HOST:PORT``; an IPv6 host is in brackets."""
    host = f"[{address[0]}]" if ":" in address[0] else address[0]
    return f"{host}:{address[1]}"


async def ignore(reader: asyncio.StreamReader) -> None:
    """Read and discard all input of a connection until its end, or until the connection fails.

    ``reader`` is the connection's ``asyncio.StreamReader``.
    """
    with suppress(OSError):
        while await reader.read(BUFFER_BYTES):
            pass


def keep_alive(
    connection: asyncio.StreamWriter | asyncio.BaseTransport, *, idle_s: int = 15
) -> None:
    """Let TCP end a connection if the peer's machine or network is gone.

    Parameters
    ----------
    connection : asyncio.StreamWriter or asyncio.BaseTransport
        The connection; options of its socket are set.
    idle_s : int
        Time without data after which TCP sends probes. The connection ends after 15 s without an
        answer to them. [s]
    """
    connected: socket.socket = connection.get_extra_info("socket")
    settings = {"TCP_KEEPIDLE": idle_s, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}  # [s], [s], probes
    with suppress(OSError):
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in settings.items():
            if hasattr(socket, name):  # not every system has all of them
                connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _refuse_itself(transport: asyncio.Transport) -> None:
    """Close a socket that is connected to itself.

    TCP makes such a connection if nobody listens at a port and the system assigns the same port to
    the connecting socket.

    Raises
    ------
    ConnectionRefusedError
        The socket was connected to itself.
    """
    if transport.get_extra_info("sockname") == transport.get_extra_info("peername"):
        transport.abort()
        raise ConnectionRefusedError(errno.ECONNREFUSED, "connected to itself")


def words(error: Exception) -> str:
    """Return the reason of a socket error as text, without the address that asyncio adds.

    ``error`` is the exception. If it has no text, the reason is the name of its class.
    """
    if isinstance(error, socket.gaierror):
        return "the host name does not resolve"
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return str(error) or type(error).__name__
