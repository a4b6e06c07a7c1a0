# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Endpoints, messages and connections for the tests of the stream's parts."""

import asyncio
import logging
import socket
import struct
import sys
import time
from contextlib import asynccontextmanager, suppress

from osi_lidar.live.backlog import Message, make_backlog
from osi_lidar.live.counters import Counters
from osi_lidar.live.endpoint import Endpoint

DEADLINE_S = 60.0
"""After which something hangs."""
LIMIT = 100_000


def endpoint(text="0", option="--listen"):
    """Return a loopback address, by default with a port that the system chooses."""
    return Endpoint.parse(option, text, udp=True)


def arrival(data=b"m", *, number=0, connection=1, opens=False):
    """Return a message as a source hands it to the backlog."""
    return Message(number=number, connection=connection, opens=opens, arrived_s=0.0, data=data)


def unused_endpoint(option="--connect"):
    """Return a loopback address at which nobody listens."""
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        return endpoint(str(port.getsockname()[1]), option)


async def until(condition):
    """Return as soon as a condition holds."""
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s, "waited in vain"
        await asyncio.sleep(0.001)


@asynccontextmanager
async def connected(where):
    """Give reader and writer of a connection."""
    reader, writer = await asyncio.open_connection(*where.address)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)


def reset(writer):
    """Break a connection off, as a crash does."""
    at_once = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    writer.transport.abort()


@asynccontextmanager
async def running(coroutine):
    """Let a coroutine run while the block does; cancel it at the end."""
    task = asyncio.create_task(coroutine)
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def without_waiting(monkeypatch, *modules):
    """Let the pauses of modules take no time; return a list that takes their lengths.

    The clock of their event loop goes on by these pauses only.
    """
    pauses_s, sleep = [], asyncio.sleep

    class Hurried:
        """The module asyncio, but for the time."""

        def __getattr__(self, name):
            return getattr(asyncio, name)

        async def sleep(self, seconds):
            if seconds:
                pauses_s.append(seconds)
            await sleep(0)

        def get_running_loop(self):
            return HurriedLoop()

    class HurriedLoop:
        """The event loop, but for the time."""

        def __getattr__(self, name):
            return getattr(asyncio.get_running_loop(), name)

        def time(self):
            return sum(pauses_s)

    for module in modules:
        monkeypatch.setattr(module, "asyncio", Hurried())
    return pauses_s


def warnings(caplog):
    """Return the texts of all warnings and errors of this package."""
    return [
        one.getMessage()
        for one in caplog.records
        if one.levelno >= logging.WARNING and one.name.startswith("osi_lidar.")
    ]


def unhandled():
    """Return a list that from now on takes what the event loop finds that nobody handles."""
    found = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: found.append(context))
    return found


@asynccontextmanager
async def opened(kind, where, *, once=False, backlog="queue:100"):
    """Give a source that runs, its backlog and its counters."""
    counters = Counters()
    waiting = make_backlog(backlog, counters)
    source = kind(where, waiting, counters, max_bytes=LIMIT, once=once)
    await source.open()
    async with running(source.run()) as source.task:
        yield source, waiting, counters


async def data_of(backlog):
    """Return the messages that wait."""
    return [(await backlog.get()).data for _ in range(len(backlog))]


async def hung_up(reader):
    """Wait until the other end is gone."""
    with suppress(ConnectionResetError):
        await asyncio.wait_for(reader.read(), DEADLINE_S)
