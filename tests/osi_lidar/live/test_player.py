# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A trace at its own pace, to one consumer after another and to several at once."""

import asyncio
import logging
import re
import socket
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from osi_bridge import DamagedTrace, MessageAssembler, open_trace, read_message
from osi_lidar import InputError
from osi_lidar.live import endpoint as endpoint_module
from osi_lidar.live import player
from osi_lidar.live.outside_requests import Stop
from osi_lidar.live.player import PlaySettings, play
from tests.builders.messages import framed, host, message, moving
from tests.osi_lidar.live.helpers import (
    DEADLINE_S,
    connected,
    endpoint,
    unhandled,
    until,
    unused_endpoint,
    warnings,
    without_waiting,
)

MESSAGES = moving(5)
LARGE = [bytes([n]) * 2**20 for n in range(40)]  # more than the system's buffers of a connection


class Trace:
    """Messages as a trace gives them, and then its damage if there is one."""

    message_type = "SensorView"

    def __init__(self, messages, damage=None):
        self._messages, self._damage = messages, damage

    def __iter__(self):
        for data in self._messages:
            yield SimpleNamespace(data=data)
        if self._damage is not None:
            raise self._damage


@pytest.fixture(autouse=True)
def _told(caplog):
    caplog.set_level(logging.INFO, "osi_lidar.live")


@asynccontextmanager
async def playing(trace, where=None, *, stop=None, **settings):
    """Let a player play while the block does; it has to end by itself, or by the stop."""
    settings = {"speed": None, **settings}
    chosen = PlaySettings(endpoint=where or endpoint(), **settings)
    task = asyncio.create_task(play(trace, chosen, stop or Stop()))
    try:
        yield task
        await asyncio.wait_for(task, DEADLINE_S)
    finally:
        task.cancel()


async def address(caplog):
    """Return where the player listens, as it says."""
    pattern = re.compile(r"listening at (\S+)")
    await until(lambda: pattern.search(caplog.text))
    return endpoint(pattern.search(caplog.text)[1], "--connect")


async def messages_of(reader):
    """Return all messages until the player hangs up."""
    messages = []
    while (data := await asyncio.wait_for(read_message(reader, 2**26), DEADLINE_S)) is not None:
        messages.append(data)
    return messages


async def heard(where):
    async with connected(where) as (reader, _):
        return await messages_of(reader)


def test_a_consumer_gets_the_whole_trace_and_the_player_ends(tmp_path, caplog):
    path = tmp_path / "trace.osi"
    path.write_bytes(framed(MESSAGES))

    async def main():
        async with playing(open_trace(path)) as task:
            assert await heard(await address(caplog)) == MESSAGES
        assert (task.result().messages, task.result().consumers) == (5, 1)

    asyncio.run(main())


@pytest.fixture
def slept_s(monkeypatch):
    return without_waiting(monkeypatch, player, endpoint_module)


@pytest.mark.parametrize(
    ("speed", "expected_s"),
    [
        (1.0, [0.1, 0.2, 0.7, 0.1]),
        (2.0, [0.05, 0.1, 0.35, 0.05]),
        (0.5, [0.2, 0.4, 1.4, 0.2]),
        (None, []),
    ],
)
def test_messages_go_out_at_their_times_divided_by_the_speed(speed, expected_s, slept_s, caplog):
    """Two of them at once, and one that is older than its predecessor, wait for nothing."""
    times_s = [7.0, 7.1, 7.1, 7.3, 8.0, 7.9, 8.1]
    trace = Trace([message([host()], time_s=time_s) for time_s in times_s])

    async def main():
        async with playing(trace, speed=speed):
            assert len(await heard(await address(caplog))) == len(times_s)

    asyncio.run(main())
    assert slept_s == pytest.approx(expected_s)


def test_a_gap_of_more_than_a_minute_is_left_out_and_told(slept_s, caplog):
    times_s = [0.0, 59.9, 60.0, 500.0, 500.1]
    trace = Trace([message([host()], time_s=time_s) for time_s in times_s])

    async def main():
        async with playing(trace, speed=1.0):
            assert len(await heard(await address(caplog))) == len(times_s)

    asyncio.run(main())
    assert slept_s == pytest.approx([59.9, 0.1, 0.1])
    assert warnings(caplog) == ["skipped a gap of 440 s in the trace"]


def test_a_message_without_a_time_goes_out_at_once(slept_s, caplog):
    trace = Trace([MESSAGES[0], b"no protobuf", MESSAGES[2]])

    async def main():
        async with playing(trace, speed=1.0):
            assert await heard(await address(caplog)) == [MESSAGES[0], b"no protobuf", MESSAGES[2]]

    asyncio.run(main())
    assert slept_s == pytest.approx([0.2])


def test_an_empty_message_is_left_out_because_framing_has_none(caplog):
    async def main():
        async with playing(Trace([b"a", b"", b"b"])):
            assert await heard(await address(caplog)) == [b"a", b"b"]

    asyncio.run(main())


def test_with_loop_the_trace_begins_again_at_its_end(slept_s, caplog):
    async def main():
        stop = Stop()
        async with playing(Trace(MESSAGES), loop=True, speed=1.0, stop=stop) as task:
            async with connected(await address(caplog)) as (reader, _):
                got = [await read_message(reader, 2**20) for _ in range(12)]
            assert got == [*MESSAGES, *MESSAGES, *MESSAGES[:2]]
            assert not task.done()
            stop.request()

    asyncio.run(main())
    assert slept_s[:8] == pytest.approx(8 * [0.1])  # each round at its own pace


def test_each_consumer_gets_the_trace_from_its_start_and_the_last_one_ends_the_player(caplog):
    async def main():
        async with playing(Trace(LARGE)) as task:
            where = await address(caplog)
            async with connected(where) as (slow, _):
                await read_message(slow, 2**21)
                assert await heard(where) == LARGE
                assert not task.done()
                assert await messages_of(slow) == LARGE[1:]
        assert (task.result().messages, task.result().consumers) == (2 * len(LARGE), 2)

    asyncio.run(main())


def test_a_consumer_that_is_lost_is_told_and_the_next_one_waited_for(caplog):
    async def main():
        async with playing(Trace(LARGE)) as task:
            where = await address(caplog)
            async with connected(where) as (reader, _):
                await read_message(reader, 2**21)
            await until(lambda: warnings(caplog))
            assert not task.done()
            assert await heard(where) == LARGE
        assert task.result().consumers == 2

    asyncio.run(main())
    (line,) = warnings(caplog)
    assert "disconnected" in line


def test_a_consumer_to_connect_to_is_tried_with_growing_pauses(slept_s, caplog):
    where = unused_endpoint()
    served = []

    async def main():
        async def serve(reader, writer):
            served.append(await messages_of(reader))
            writer.close()

        async with playing(Trace(MESSAGES), where, connect=True) as task:
            await until(lambda: len(slept_s) >= 8)
            server = await asyncio.start_server(serve, *where.address)
            await until(task.done)
            server.close()
        await until(lambda: served)

    asyncio.run(main())
    assert slept_s[:8] == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0])
    assert served == [MESSAGES]
    assert len(warnings(caplog)) == 1


def test_a_consumer_that_is_lost_is_connected_to_again_and_gets_the_trace_from_its_start(slept_s):
    served = []

    async def main():
        async def serve(reader, writer):
            if served:
                served.append(await messages_of(reader))
            else:
                served.append(await read_message(reader, 2**21))
            writer.transport.abort()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        where = endpoint(str(server.sockets[0].getsockname()[1]), "--connect")
        async with playing(Trace(LARGE), where, connect=True) as task:
            await until(task.done)
        await until(lambda: len(served) == 2)
        server.close()

    asyncio.run(main())
    assert served == [LARGE[0], LARGE]
    assert slept_s == [0.1]


def test_a_consumer_that_hangs_up_after_the_first_message_is_tried_with_growing_pauses(slept_s):
    """The first message fits into the system's buffers, the second one does not."""
    first, second = b"first", b"".join(LARGE)
    served = []

    async def main():
        async def serve(reader, writer):
            served.append(await read_message(reader, 2**26))
            if len(served) == 5:
                served.extend(await messages_of(reader))
            writer.transport.abort()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        where = endpoint(str(server.sockets[0].getsockname()[1]), "--connect")
        async with playing(Trace([first, second]), where, connect=True) as task:
            await until(task.done)
        await until(lambda: len(served) == 6)
        server.close()

    asyncio.run(main())
    assert served == [*[first] * 5, second]
    assert slept_s == pytest.approx([0.1, 0.2, 0.4, 0.8])


def test_datagrams_go_out_as_esmini_sends_them():
    sent = [bytes([n]) * 20_000 for n in range(3)]

    async def main():
        port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        port.bind(("127.0.0.1", 0))
        port.settimeout(DEADLINE_S)
        where = endpoint(f"udp://{port.getsockname()[1]}", "--connect")
        async with playing(Trace(sent), where, connect=True) as task:
            pass
        assert task.result().messages == 3
        assembler, got = MessageAssembler(2**20), []
        with port:
            while len(got) < len(sent):
                whole = assembler.feed(port.recv(2**16))
                got += [] if whole is None else [whole]
        assert got == sent

    asyncio.run(main())


def test_a_damaged_trace_is_played_up_to_the_damage(caplog):
    damage = DamagedTrace(Path("trace.osi"), frame=5, offset=0, reason="cut")

    async def main():
        async with playing(Trace(MESSAGES, damage)) as task:
            assert await heard(await address(caplog)) == MESSAGES
        assert task.result().damage is damage

    asyncio.run(main())


def test_the_stop_ends_the_player_quietly_whatever_it_is_doing(caplog):
    async def main():
        problems, stop = unhandled(), Stop()
        trace = Trace([message([host()], time_s=50.0 * n) for n in range(3)])
        async with (
            playing(trace, speed=1.0, stop=stop) as task,
            connected(await address(caplog)) as (reader, _),
        ):
            await read_message(reader, 2**20)
            stop.request()
            await until(task.done)
            assert await reader.read() == b""
        assert task.result().messages == 1
        await asyncio.sleep(0)
        return problems

    assert asyncio.run(main()) == []


def test_a_port_in_use_is_refused():
    async def main():
        with socket.create_server(("127.0.0.1", 0)) as busy:
            where = endpoint(str(busy.getsockname()[1]))
            with pytest.raises(InputError) as caught:
                await play(Trace(MESSAGES), PlaySettings(endpoint=where), Stop())
        assert str(caught.value).startswith(f"--listen {where}: cannot listen there")

    asyncio.run(main())


def test_a_browser_is_hung_up_and_is_no_consumer_of_the_whole_trace(caplog):
    async def main():
        async with playing(Trace(LARGE)) as task:
            where = await address(caplog)
            async with connected(where) as (reader, writer):
                writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                with suppress(ConnectionError):
                    while await asyncio.wait_for(reader.read(2**16), DEADLINE_S):
                        pass
            await asyncio.sleep(0.01)
            assert not task.done()
            assert await heard(where) == LARGE

    asyncio.run(main())
    assert any("speaks HTTP; connection closed" in text for text in warnings(caplog))


def test_a_consumer_gets_in_beside_100_that_say_nothing(caplog):
    stop = Stop()

    async def main():
        async with (
            playing(Trace(MESSAGES), stop=stop, speed=1.0, loop=True),
            AsyncExitStack() as all_,
        ):
            where = await address(caplog)
            for _ in range(100):
                await all_.enter_async_context(connected(where))
            reader, _ = await all_.enter_async_context(connected(where))
            for expected in MESSAGES:
                assert await asyncio.wait_for(read_message(reader, 2**20), DEADLINE_S) == expected
            stop.request()

    asyncio.run(main())
