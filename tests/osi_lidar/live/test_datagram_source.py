# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Datagrams as esmini sends them, over a socket."""

import asyncio
import socket
import time
from contextlib import ExitStack
from types import SimpleNamespace

from osi_bridge import datagrams
from osi_lidar.live import sources
from osi_lidar.live.counters import Counters
from osi_lidar.live.sources import DatagramSource
from tests.osi_lidar.live.helpers import LIMIT, data_of, endpoint, opened, until, warnings


def bound():
    """Return a UDP socket to send from."""
    port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    port.bind(("127.0.0.1", 0))
    return port


def send(port, source, *data):
    for one in data:
        port.sendto(one, source.endpoint.address)


def test_a_message_in_pieces_is_taken():
    message = bytes(range(256)) * 100

    async def main():
        async with opened(DatagramSource, endpoint("udp://0")) as (source, backlog, counters):
            with bound() as port:
                send(port, source, *datagrams(message), *datagrams(b"short"))
                await until(lambda: len(backlog) == 2)
            messages = [await backlog.get() for _ in range(2)]
        assert [m.data for m in messages] == [message, b"short"]
        assert [m.opens for m in messages] == [True, False]
        assert counters == Counters(
            connections=1, received=2, received_bytes=len(message) + len(b"short")
        )

    asyncio.run(main())


def test_what_is_lost_malformed_or_repeated_is_counted_and_each_kind_told_once(caplog):
    pieces = list(datagrams(bytes(20_000)))

    async def main():
        async with opened(DatagramSource, endpoint("udp://0")) as (source, backlog, counters):
            with bound() as port:
                for n in range(3):
                    send(port, source, pieces[0], pieces[2], b"junk", b"", *datagrams(b"%d" % n))
                send(port, source, *datagrams(b"2"), *datagrams(b"end"))
                await until(lambda: len(backlog) == 4)
            assert await data_of(backlog) == [b"0", b"1", b"2", b"end"]
        assert (counters.gaps, counters.malformed, counters.repeated) == (3, 6, 1)

    asyncio.run(main())
    told = warnings(caplog)
    assert len(told) == 2
    assert told[0].startswith("source 127.0.0.1:")
    assert "a message was lost: datagrams are missing" in told[0]
    assert "a datagram was ignored, expected esmini's format" in told[1]


def test_a_message_for_which_the_queue_has_no_room_is_dropped_and_counted():
    async def main():
        async with opened(DatagramSource, endpoint("udp://0"), backlog="queue:2") as (
            source,
            backlog,
            counters,
        ):
            with bound() as port:
                for n in range(5):
                    send(port, source, *datagrams(b"%d" % n))
                await until(lambda: counters.received == 5)
            assert await data_of(backlog) == [b"0", b"1"]
        assert counters.dropped == 3

    asyncio.run(main())


def test_another_sender_is_refused_and_let_in_after_a_silence(monkeypatch, caplog):
    silence_s = sources._SILENCE_S
    now_s = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now_s[0], perf_counter=time.perf_counter)
    monkeypatch.setattr(sources, "time", clock)

    async def main():
        async with opened(DatagramSource, endpoint("udp://0")) as (source, backlog, counters):
            with bound() as first, bound() as second:
                send(first, source, next(datagrams(bytes(9000))), *datagrams(b"a"))
                await until(lambda: len(backlog) == 1)
                now_s[0] += 0.9 * silence_s
                send(second, source, *3 * list(datagrams(b"too early")))
                await until(lambda: counters.connections_refused == 1)
                send(first, source, next(datagrams(bytes(9000))), b"junk")  # its end never comes
                await until(lambda: counters.malformed == 1)
                now_s[0] += 0.9 * silence_s
                send(second, source, *datagrams(b"still too early"))
                send(first, source, b"junk")
                await until(lambda: counters.malformed == 2)
                now_s[0] += 1.1 * silence_s
                send(second, source, *datagrams(b"b"), *datagrams(b"c"))
                await until(lambda: len(backlog) == 3)
            messages = [await backlog.get() for _ in range(3)]
        assert [m.data for m in messages] == [b"a", b"b", b"c"]
        assert [m.opens for m in messages] == [True, True, False]
        assert [m.connection for m in messages] == [1, 2, 2]
        assert counters.connections_refused == 1

    asyncio.run(main())
    assert len([text for text in warnings(caplog) if "refused" in text]) == 1


def test_a_message_beyond_the_limit_is_counted():
    async def main():
        async with opened(DatagramSource, endpoint("udp://0")) as (source, backlog, counters):
            with bound() as port:
                send(port, source, *datagrams(bytes(LIMIT + 1)), *datagrams(b"next"))
                await until(lambda: len(backlog) == 1)
            assert await data_of(backlog) == [b"next"]
        assert counters.gaps == 1

    asyncio.run(main())


def test_halves_and_junk_of_many_senders_keep_the_source_neither_out_nor_forget_it(monkeypatch):
    """Each stranger sends the first piece of a message, and what is no datagram of esmini's."""
    now_s = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now_s[0], perf_counter=time.perf_counter)
    monkeypatch.setattr(sources, "time", clock)
    half = next(datagrams(bytes(9000)))

    async def main():
        async with opened(DatagramSource, endpoint("udp://0")) as (source, backlog, counters):
            with ExitStack() as stack:
                esmini, *strangers = [stack.enter_context(bound()) for _ in range(21)]
                for n in range(5):
                    for stranger in strangers:
                        send(stranger, source, b"junk", half)
                    await until(lambda n=n: counters.malformed >= 20 * (n + 1))
                    now_s[0] += 1.1 * sources._SILENCE_S
                    send(esmini, source, *datagrams(b"%d" % n + bytes(20_000)))
                    await until(lambda n=n: counters.received == n + 1)
            messages = [await backlog.get() for _ in range(5)]
        assert [m.data[:1] for m in messages] == [b"0", b"1", b"2", b"3", b"4"]
        assert counters.connections == 1  # nobody else has completed a message
        assert len(source._assembler._message) <= LIMIT

    asyncio.run(main())


def test_a_flood_of_junk_is_told_once(caplog):
    async def main():
        async with opened(DatagramSource, endpoint("udp://0")) as (source, _, counters):
            for n in range(50):
                with bound() as stranger:
                    send(stranger, source, b"junk %d" % n)
                    await until(lambda n=n: counters.malformed == n + 1)

    asyncio.run(main())
    (line,) = warnings(caplog)
    assert line.endswith("a datagram was ignored, expected esmini's format")
