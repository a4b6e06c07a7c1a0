# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A source that connects: one at a time, whatever it sends and however it goes."""

import asyncio
import itertools
import struct
from contextlib import AsyncExitStack

import pytest

from osi_bridge import framed
from osi_lidar import InputError
from osi_lidar.live import sources
from osi_lidar.live.counters import Counters
from osi_lidar.live.ports.policy import MOST_WAITING_SOURCES
from osi_lidar.live.sources import DatagramSource, ListeningSource
from tests.builders.refusals import one_line
from tests.osi_lidar.live.helpers import (
    DEADLINE_S,
    LIMIT,
    connected,
    data_of,
    endpoint,
    hung_up,
    opened,
    reset,
    unhandled,
    until,
    warnings,
)

CLIENT_HELLO = b"\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03" + bytes(194)
"""Of TLS 1.2; as a length its first bytes are 66 326."""


def test_messages_are_numbered_and_the_first_of_each_connection_opens():
    async def main():
        async with opened(ListeningSource, endpoint()) as (source, backlog, counters):
            for connection in (1, 2):
                async with connected(source.endpoint) as (reader, writer):
                    writer.write(framed(b"one") + framed(b"three"))
                    writer.write_eof()
                    await hung_up(reader)
                assert len(backlog) == 2 * connection
            messages = [await backlog.get() for _ in range(4)]
        assert [m.number for m in messages] == [0, 1, 2, 3]
        assert [m.connection for m in messages] == [1, 1, 2, 2]
        assert [m.opens for m in messages] == [True, False, True, False]
        assert [m.data for m in messages] == 2 * [b"one", b"three"]
        assert all(b.arrived_s >= a.arrived_s for a, b in itertools.pairwise(messages))
        assert counters == Counters(connections=2, received=4, received_bytes=16)

    asyncio.run(main())


def test_a_second_source_is_refused_told_once_and_let_in_when_the_first_is_gone(caplog):
    async def main():
        async with opened(ListeningSource, endpoint()) as (source, backlog, counters):
            source.grace_s = 0.01
            for n in range(2):
                async with connected(source.endpoint) as (_, writer):
                    writer.write(framed(b"%d" % (2 * n)))
                    await until(lambda n=n: counters.received == 2 * n + 1)
                    for _ in range(3):
                        async with connected(source.endpoint) as (reader, _):
                            await hung_up(reader)
                    writer.write(framed(b"%d" % (2 * n + 1)))
                    await until(lambda n=n: counters.received == 2 * n + 2)
                await until(lambda: not source.is_taken)
            assert await data_of(backlog) == [b"0", b"1", b"2", b"3"]
        assert counters.connections == 2
        assert counters.connections_refused >= 2

    asyncio.run(main())
    told = [text for text in warnings(caplog) if "refused" in text]
    assert len(told) == 2  # once for each source that was there
    assert told[0].endswith("refused: another source is connected")


@pytest.mark.parametrize("sent", [b"", struct.pack("<I", 1000) + b"0123456789", framed(b"")])
def test_silent_clients_and_halves_of_messages_keep_no_source_out(sent):
    async def main():
        async with (
            opened(ListeningSource, endpoint()) as (source, backlog, counters),
            AsyncExitStack() as stack,
        ):
            source.grace_s = 0.05
            for _ in range(100):
                _, writer = await stack.enter_async_context(connected(source.endpoint))
                writer.write(sent)
            await until(lambda: counters.connections)
            _, writer = await stack.enter_async_context(connected(source.endpoint))
            writer.write(framed(b"of the source"))
            await until(lambda: len(backlog) == 1)
            assert await data_of(backlog) == [b"of the source"]
            assert len(source._guests) <= MOST_WAITING_SOURCES

    asyncio.run(main())


def test_a_source_whose_first_message_is_on_its_way_keeps_its_place(monkeypatch):
    monkeypatch.setattr(sources, "_PROGRESS_BYTES", 1000)
    message = bytes(50_000)

    async def main():
        async with opened(ListeningSource, endpoint()) as (source, backlog, _):
            source.grace_s = 0.1
            async with connected(source.endpoint) as (_, writer):
                writer.write(framed(message)[:2000])
                await until(lambda: source.is_taken and source._reader.n_bytes == 2000)
                async with connected(source.endpoint) as (reader, stranger):
                    stranger.write(b"half")
                    await asyncio.sleep(0.02)
                    writer.write(framed(message)[2000:40_000])
                    await hung_up(reader)
                writer.write(framed(message)[40_000:])
                await until(lambda: len(backlog) == 1)
            assert await data_of(backlog) == [message]

    asyncio.run(main())


def test_a_source_whose_first_message_hardly_goes_on_loses_its_place(monkeypatch):
    monkeypatch.setattr(sources, "_PROGRESS_BYTES", 1000)
    message = framed(bytes(50_000))

    async def main():
        async with opened(ListeningSource, endpoint()) as (source, backlog, counters):
            source.grace_s = 0.1
            async with connected(source.endpoint) as (_, writer):
                writer.write(message[:1023])
                await until(lambda: source.is_taken and source._reader.n_bytes == 1023)
                async with connected(source.endpoint) as (_, second):
                    second.write(framed(b"whole"))
                    await asyncio.sleep(0.02)
                    writer.write(message[1023:1025])  # 2 bytes while the second one waits
                    await until(lambda: len(backlog) or counters.connections_refused)
            assert await data_of(backlog) == [b"whole"]

    asyncio.run(main())


def test_with_once_a_connection_that_brings_nothing_is_not_the_first():
    async def main():
        async with opened(ListeningSource, endpoint(), once=True) as (source, backlog, _):
            for sent in (b"", b"GET / HTTP/1.1\r\n"):
                async with connected(source.endpoint) as (_, writer):
                    writer.write(sent)
                    await asyncio.sleep(0.01)
                await until(lambda: not source.is_taken)
            assert not source.task.done()
            async with connected(source.endpoint) as (_, writer):
                writer.write(framed(b"a"))
                await until(lambda: len(backlog) == 1)
            await asyncio.wait_for(source.task, DEADLINE_S)

    asyncio.run(main())


def test_a_source_that_connects_anew_is_let_in_while_its_old_connection_ends():
    async def main():
        async with opened(ListeningSource, endpoint()) as (source, backlog, counters):
            source.grace_s = DEADLINE_S
            async with connected(source.endpoint) as (_, old):
                old.write(framed(b"old"))
                await until(lambda: len(backlog) == 1)
                _, new = await asyncio.open_connection(*source.endpoint.address)
                new.write(framed(b"new"))
                await asyncio.sleep(0.01)
                assert len(backlog) == 1
            await until(lambda: len(backlog) == 2)
            new.close()
        assert (counters.connections, counters.connections_refused) == (2, 0)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        (struct.pack("<I", LIMIT + 1), "got a message of 100001 bytes, expected at most 100000"),
        (b"\x05\x00", "the connection ends within the length of a message, after 2 of 4 bytes"),
        (framed(b"abc")[:-1], "the connection ends within a message, after 2 of 3 bytes"),
        (b"POST / HTTP/1.1\r\n\r\n", "the peer speaks HTTP, expected messages that follow"),
        (CLIENT_HELLO, "the peer speaks TLS, expected messages that follow"),
    ],
    ids=["too long", "cut in the length", "cut in the message", "HTTP", "TLS"],
)
def test_broken_framing_closes_the_connection_with_one_line(sent, problem, caplog):
    async def main():
        async with opened(ListeningSource, endpoint()) as (source, backlog, counters):
            async with connected(source.endpoint) as (reader, writer):
                writer.write(framed(b"good") + sent)
                if problem.startswith("the connection ends"):
                    writer.write_eof()
                await hung_up(reader)
            async with connected(source.endpoint) as (_, writer):
                writer.write(framed(b"next"))
                await until(lambda: len(backlog) == 2)
            assert await data_of(backlog) == [b"good", b"next"]
        assert counters.connections_broken == 1

    asyncio.run(main())
    (line,) = warnings(caplog)
    assert f": {problem}" in line
    assert line.endswith("; connection closed")


def test_a_cut_at_any_byte_loses_at_most_the_cut_message():
    messages = [b"one", b"a", bytes(40)]
    data = b"".join(map(framed, messages))
    ends = [0, *itertools.accumulate(len(framed(message)) for message in messages)]

    async def main():
        async with opened(ListeningSource, endpoint()) as (source, backlog, counters):
            for offset in range(len(data) + 1):
                for part in (data[:offset], data):
                    async with connected(source.endpoint) as (reader, writer):
                        writer.write(part)
                        writer.write_eof()
                        await hung_up(reader)
                n_whole = sum(end <= offset for end in ends[1:])
                assert await data_of(backlog) == [*messages[:n_whole], *messages]
            assert counters.connections_broken == len(data) + 1 - len(ends)

    asyncio.run(main())


def test_a_connection_that_is_reset_is_told_and_the_next_one_is_served(caplog):
    async def main():
        async with opened(ListeningSource, endpoint()) as (source, backlog, counters):
            async with connected(source.endpoint) as (_, writer):
                writer.write(framed(b"good"))
                await until(lambda: len(backlog) == 1)
                reset(writer)
            await until(lambda: not source.is_taken)
            async with connected(source.endpoint) as (_, writer):
                writer.write(framed(b"next"))
                await until(lambda: len(backlog) == 2)
        assert counters.connections_broken == 1

    asyncio.run(main())
    assert "reset" in warnings(caplog)[0]


def test_what_had_come_before_a_reset_is_taken_when_there_is_room():
    async def main():
        listening = opened(ListeningSource, endpoint(), backlog="queue:1")
        async with listening as (source, backlog, counters):
            async with connected(source.endpoint) as (_, writer):
                writer.write(b"".join(framed(b"%d" % n) for n in range(5)))
                await until(lambda: counters.received == 2)
                reset(writer)
            for n in range(5):
                assert (await asyncio.wait_for(backlog.get(), DEADLINE_S)).data == b"%d" % n
            await until(lambda: counters.connections_broken == 1)

    asyncio.run(main())


def test_with_once_the_end_of_the_first_connection_is_the_end():
    async def main():
        async with opened(ListeningSource, endpoint(), once=True) as (source, backlog, _):
            async with connected(source.endpoint) as (_, writer):
                writer.write(framed(b"a"))
                await until(lambda: len(backlog) == 1)
                assert not source.task.done()
            await asyncio.wait_for(source.task, DEADLINE_S)

    asyncio.run(main())


def test_a_full_queue_makes_the_source_wait_by_tcp():
    """Nothing is lost, and what is not taken stays with the sender."""
    message = bytes(LIMIT)
    n_message = 800  # the system itself takes up to 37 MB: 33 to be read, 4 to be sent

    async def main():
        listening = opened(ListeningSource, endpoint(), backlog="queue:1")
        async with (
            listening as (source, backlog, counters),
            connected(source.endpoint) as (_, writer),
        ):
            writer.write(b"".join(framed(message) for _ in range(n_message)))
            await until(lambda: counters.received == 2)
            for _ in range(20):
                await asyncio.sleep(0.001)
            assert counters.received == 2  # one in the queue, one that waits for room
            assert writer.transport.get_write_buffer_size() > n_message * LIMIT / 4
            for _ in range(n_message):
                assert (await backlog.get()).data == message
        assert counters.received == n_message

    asyncio.run(main())


def test_the_end_is_quiet_while_a_source_is_connected():
    async def main():
        problems = unhandled()
        async with opened(ListeningSource, endpoint()) as (source, _, counters):
            _, writer = await asyncio.open_connection(*source.endpoint.address)
            await until(lambda: counters.connections == 1)
        writer.close()
        for _ in range(5):
            await asyncio.sleep(0)
        return problems

    assert asyncio.run(main()) == []


@pytest.mark.parametrize(
    ("kind", "where"), [(ListeningSource, endpoint()), (DatagramSource, endpoint("udp://0"))]
)
def test_a_port_in_use_is_refused(kind, where):
    async def main():
        async with opened(kind, where) as (source, _, _):
            refusal = f"--listen {source.endpoint}: cannot listen there"
            with one_line(InputError, start=refusal):
                async with opened(kind, source.endpoint):
                    pass

    asyncio.run(main())


def test_ipv6_is_listened_at():
    async def main():
        listening = opened(ListeningSource, endpoint("[::1]:0"))
        async with listening as (source, backlog, _), connected(source.endpoint) as (_, writer):
            writer.write(framed(b"a"))
            await until(lambda: len(backlog) == 1)

    asyncio.run(main())


@pytest.mark.parametrize("once", [False, True])
def test_a_source_that_ends_says_what_the_stream_waits_for(caplog, once):
    async def main():
        async with (
            opened(ListeningSource, endpoint(), once=once) as (source, _, _),
            connected(source.endpoint) as (reader, writer),
        ):
            writer.write(framed(b"one"))
            writer.write_eof()
            await hung_up(reader)

    with caplog.at_level("INFO", logger="osi_lidar"):
        asyncio.run(main())
    (line,) = [each for each in caplog.messages if "disconnected" in each]
    assert ("--once" in line) is not once
