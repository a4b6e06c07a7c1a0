# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A source that is connected to, and tried again when it is lost."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from osi_bridge import framed
from osi_lidar.live import endpoint as module
from osi_lidar.live.sources import ConnectingSource
from tests.osi_lidar.live.helpers import (
    DEADLINE_S,
    endpoint,
    opened,
    until,
    unused_endpoint,
    warnings,
    without_waiting,
)


@pytest.fixture
def pauses(monkeypatch):
    return without_waiting(monkeypatch, module)


@asynccontextmanager
async def simulator(data=b""):
    """Send bytes to whoever connects, and hang up; give the address."""

    def serve(_reader, writer):
        writer.write(data)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield endpoint(str(server.sockets[0].getsockname()[1]), "--connect")
    finally:
        await asyncio.sleep(0.01)  # until the last connection is accepted and closed
        server.close()


GROWING_S = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]


def test_a_source_that_is_not_there_is_tried_with_growing_pauses_and_told_once(pauses, caplog):
    where = unused_endpoint()

    async def main():
        async with opened(ConnectingSource, where):
            await until(lambda: len(pauses) >= len(GROWING_S))

    asyncio.run(main())
    assert pauses[: len(GROWING_S)] == pytest.approx(GROWING_S)
    (line,) = warnings(caplog)
    assert line.startswith(f"source {where}: ")
    assert line.endswith("; trying again")


def test_a_source_that_hangs_up_at_once_is_tried_with_growing_pauses(pauses):
    async def main():
        async with simulator() as where, opened(ConnectingSource, where) as (_, _, counters):
            await until(lambda: len(pauses) >= len(GROWING_S))
            assert counters.connections >= len(GROWING_S)

    asyncio.run(main())
    assert pauses[: len(GROWING_S)] == pytest.approx(GROWING_S)


def test_a_source_that_has_sent_something_is_tried_soon_again(pauses):
    async def main():
        async with (
            simulator(framed(b"m")) as where,
            opened(ConnectingSource, where, backlog="latest") as (_, _, counters),
        ):
            await until(lambda: counters.connections >= 5)
            assert counters.received >= 4

    asyncio.run(main())
    assert set(pauses) == {0.1}


def test_each_connection_opens_anew_and_a_cut_loses_the_cut_message_only(pauses):
    async def main():
        data = framed(b"m") + framed(b"n") + b"\x04\x00\x00\x00cut"
        async with (
            simulator(data) as where,
            opened(ConnectingSource, where) as (_, backlog, counters),
        ):
            await until(lambda: counters.connections_broken >= 3)
            messages = [await backlog.get() for _ in range(6)]
        assert [m.data for m in messages] == 3 * [b"m", b"n"]
        assert [m.opens for m in messages] == 3 * [True, False]
        assert [m.connection for m in messages] == [1, 1, 2, 2, 3, 3]

    asyncio.run(main())
    assert pauses


def test_with_once_the_end_of_the_first_connection_is_the_end():
    async def main():
        async with (
            simulator() as where,
            opened(ConnectingSource, where, once=True) as (source, _, _),
        ):
            await asyncio.wait_for(source.task, DEADLINE_S)

    asyncio.run(main())
