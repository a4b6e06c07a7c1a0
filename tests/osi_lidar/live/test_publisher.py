# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Subscribers: each gets all in order, unless it is slow, and none disturbs another."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from osi_bridge import read_message
from osi_lidar import InputError
from osi_lidar.live import publisher as publisher_module
from osi_lidar.live.counters import Counters
from osi_lidar.live.ports.policy import BUFFERED_MESSAGES, MOST_SUBSCRIBERS
from osi_lidar.live.publisher import Publisher
from tests.osi_lidar.live.helpers import (
    DEADLINE_S,
    connected,
    endpoint,
    hung_up,
    reset,
    unhandled,
    until,
    warnings,
)

LARGE_BYTES = 2**20  # 40 of these are more than the system's own buffers of a connection


@asynccontextmanager
async def publishing(**options):
    """Give a publisher that listens, and its counters; it is closed at the end."""
    counters = Counters()
    publisher = Publisher(endpoint("0", "--publish"), counters, **options)
    await publisher.open()
    try:
        yield publisher, counters
    finally:
        await publisher.close()
        await asyncio.sleep(0)


def numbered(number, size=8):
    """Return a message of a size that begins with its number."""
    return number.to_bytes(8, "little") + bytes(size - 8)


async def next_number(reader):
    message = await asyncio.wait_for(read_message(reader, 2**30), DEADLINE_S)
    return None if message is None else int.from_bytes(message[:8], "little")


async def numbers_until_the_end(reader):
    numbers = []
    while (number := await next_number(reader)) is not None:
        numbers.append(number)
    return numbers


def test_every_subscriber_gets_every_message_in_order():
    async def main():
        async with publishing() as (publisher, counters):
            where = publisher.endpoint
            async with connected(where) as (one, _), connected(where) as (other, _):
                await until(lambda: counters.subscribers == 2)
                for number in range(100):
                    publisher.publish(numbered(number))
                    assert [await next_number(reader) for reader in (one, other)] == 2 * [number]
            assert counters.sent == 200
            assert counters.sent_dropped == 0
            assert counters.subscribers_seen == 2

    asyncio.run(main())


def test_a_newcomer_gets_the_last_message_at_once():
    async def main():
        async with publishing() as (publisher, _):
            for number in range(3):
                publisher.publish(numbered(number))
            async with connected(publisher.endpoint) as (reader, _):
                assert await next_number(reader) == 2
                publisher.publish(numbered(3))
                assert await next_number(reader) == 3

    asyncio.run(main())


def test_who_comes_before_the_first_message_waits_for_it():
    async def main():
        async with (
            publishing() as (publisher, counters),
            connected(publisher.endpoint) as (reader, _),
        ):
            await until(lambda: counters.subscribers == 1)
            publisher.publish(numbered(5))
            assert await next_number(reader) == 5

    asyncio.run(main())


def test_a_slow_subscriber_loses_the_oldest_whole_messages_and_no_other_does(caplog):
    n_message = 40 + BUFFERED_MESSAGES

    async def main():
        async with publishing() as (publisher, counters):
            where = publisher.endpoint
            async with connected(where) as (quick, _), connected(where) as (slow, _):
                await until(lambda: counters.subscribers == 2)
                for number in range(n_message):
                    publisher.publish(numbered(number, LARGE_BYTES))
                    assert await next_number(quick) == number
                lost = counters.sent_dropped
                assert 0 < lost < n_message - BUFFERED_MESSAGES
                received = [await next_number(slow) for _ in range(n_message - lost)]
                assert received == sorted(set(received))
                assert received[-BUFFERED_MESSAGES:] == list(range(n_message))[-BUFFERED_MESSAGES:]
                publisher.publish(numbered(n_message))  # from now on it is quick
                assert await next_number(slow) == n_message
            assert counters.sent_dropped == lost
            assert counters.sent == 2 * (n_message + 1) - lost

    asyncio.run(main())
    (line,) = warnings(caplog)
    assert line.endswith("reads too slowly and loses messages")


def test_the_end_gives_what_waits():
    async def main():
        async with publishing() as (publisher, counters):
            reader, writer = await asyncio.open_connection(*publisher.endpoint.address)
            await until(lambda: counters.subscribers == 1)
            for number in range(BUFFERED_MESSAGES):
                publisher.publish(numbered(number))
        assert await numbers_until_the_end(reader) == list(range(BUFFERED_MESSAGES))
        writer.close()
        assert counters.sent_dropped == 0
        assert counters.sent == BUFFERED_MESSAGES

    asyncio.run(main())


def test_the_end_is_quiet_and_does_not_wait_for_one_who_never_reads():
    async def main():
        problems = unhandled()
        async with publishing(last_words_s=0.05) as (publisher, counters):
            _, writer = await asyncio.open_connection(*publisher.endpoint.address)
            await until(lambda: counters.subscribers == 1)
            n_message = 0
            while counters.sent_dropped < 3:
                publisher.publish(numbered(n_message, LARGE_BYTES))
                n_message += 1
                await asyncio.sleep(0)
        writer.close()
        assert counters.sent_dropped >= 3 + BUFFERED_MESSAGES
        assert counters.sent + counters.sent_dropped == n_message
        return problems

    assert asyncio.run(main()) == []


def test_the_end_is_quiet_while_subscribers_are_connected():
    async def main():
        problems = unhandled()
        async with publishing() as (publisher, counters):
            _, writer = await asyncio.open_connection(*publisher.endpoint.address)
            await until(lambda: counters.subscribers == 1)
        await until(lambda: counters.subscribers == 0)
        writer.close()
        for _ in range(5):
            await asyncio.sleep(0)
        return problems

    assert asyncio.run(main()) == []


def test_those_who_have_come_and_gone_while_nothing_was_published_keep_nobody_out(monkeypatch):
    monkeypatch.setattr(publisher_module, "MOST_SUBSCRIBERS", 5)

    async def main():
        async with publishing() as (publisher, counters):
            for _ in range(20):
                async with connected(publisher.endpoint):
                    pass
            async with connected(publisher.endpoint) as (reader, _):
                await until(lambda: counters.subscribers >= 1)
                for _ in range(10):
                    await asyncio.sleep(0.001)
                publisher.publish(numbered(1))
                assert await next_number(reader) == 1

    asyncio.run(main())


def test_no_more_than_a_number_of_subscribers_are_let_in_and_that_is_told_once(monkeypatch, caplog):
    monkeypatch.setattr(publisher_module, "MOST_SUBSCRIBERS", 1)
    monkeypatch.setattr(publisher_module, "PROVEN_BYTES", 1)

    async def main():
        async with publishing() as (publisher, counters):
            publisher.publish(numbered(1))
            async with connected(publisher.endpoint) as (first, writer):
                assert await next_number(first) == 1
                for _ in range(3):
                    async with connected(publisher.endpoint) as (reader, _):
                        await hung_up(reader)
                publisher.publish(numbered(2))
                assert await next_number(first) == 2
                reset(writer)
            await until(lambda: counters.subscribers == 0)
            async with connected(publisher.endpoint) as (next_one, _):
                assert await next_number(next_one) == 2

    asyncio.run(main())
    (line,) = warnings(caplog)
    assert line.endswith("refused: at most 1 subscribers may connect")


def test_one_who_only_listens_may_say_so():
    """As ``nc HOST PORT < /dev/null`` does, which shuts its own direction down."""

    async def main():
        async with (
            publishing() as (publisher, counters),
            connected(publisher.endpoint) as (reader, writer),
        ):
            writer.write_eof()
            await until(lambda: counters.subscribers == 1)
            for number in range(5):
                publisher.publish(numbered(number))
                assert await next_number(reader) == number

    asyncio.run(main())


def test_one_whose_connection_is_reset_is_let_go_at_once(caplog):
    async def main():
        problems = unhandled()
        async with publishing() as (publisher, counters):
            publisher.publish(numbered(1))
            async with connected(publisher.endpoint) as (_, writer):
                await until(lambda: counters.sent == 1)
                reset(writer)
            await until(lambda: counters.subscribers == 0)
        return problems

    assert asyncio.run(main()) == []
    assert warnings(caplog) == []


def test_who_comes_and_goes_disturbs_nobody():
    async def main():
        problems = unhandled()
        async with (
            publishing() as (publisher, counters),
            connected(publisher.endpoint) as (reader, _),
        ):
            await until(lambda: counters.subscribers == 1)
            for number in range(50):
                async with connected(publisher.endpoint):
                    publisher.publish(numbered(number, 100_000))
                publisher.publish(numbered(number))
                assert [await next_number(reader) for _ in range(2)] == 2 * [number]
            await until(lambda: counters.subscribers_seen == 51)
            await until(lambda: counters.subscribers == 1)
        return problems

    assert asyncio.run(main()) == []


def test_what_a_subscriber_sends_changes_nothing():
    async def main():
        async with (
            publishing() as (publisher, counters),
            connected(publisher.endpoint) as (reader, writer),
        ):
            writer.write(bytes(1000))
            await until(lambda: counters.subscribers == 1)
            publisher.publish(numbered(1))
            assert await next_number(reader) == 1

    asyncio.run(main())


def test_a_port_in_use_is_refused():
    async def main():
        async with publishing() as (publisher, _):
            with pytest.raises(InputError) as caught:
                await Publisher(publisher.endpoint, Counters()).open()
        assert str(caught.value).startswith(f"--publish {publisher.endpoint}: cannot listen there")

    asyncio.run(main())


def test_the_owner_gets_in_beside_silent_subscribers():
    async def main():
        async with publishing() as (publisher, counters), AsyncExitStack() as stack:
            for _ in range(300):
                await stack.enter_async_context(connected(publisher.endpoint))
            async with connected(publisher.endpoint) as (reader, _):
                await until(lambda: counters.subscribers_seen == 301)
                publisher.publish(numbered(1))
                assert await next_number(reader) == 1
                assert len(publisher._guests) == MOST_SUBSCRIBERS

    asyncio.run(main())


def test_what_waits_for_a_slow_subscriber_is_bounded_by_its_size():
    size = 2**24
    n_message = 20

    async def main():
        async with (
            publishing(last_words_s=0.05) as (publisher, counters),
            connected(publisher.endpoint),
        ):
            await until(lambda: counters.subscribers == 1)
            for number in range(n_message):
                publisher.publish(numbered(number, size))
                await asyncio.sleep(0)
            (subscriber,) = publisher._subscribers
            assert len(subscriber._waiting) == 2  # of 16 MiB: 32 MiB
            assert counters.sent_dropped >= n_message - 4

    asyncio.run(main())


@pytest.mark.parametrize("begin", [b"GET / HTTP/1.1\r\n", b"\x16\x03\x01\x00\x31\x01\x00\x00\x2d"])
def test_a_browser_is_hung_up_and_told(begin, caplog):
    async def main():
        async with (
            publishing() as (publisher, _),
            connected(publisher.endpoint) as (reader, writer),
        ):
            writer.write(begin)
            await hung_up(reader)

    asyncio.run(main())
    (line,) = warnings(caplog)
    assert line.endswith("; connection closed")
