# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The server for viewers: who is let in, what they get, and what slow and silent ones cost."""

import asyncio
import json
import socket
import struct
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from osi_lidar.live.endpoint import Endpoint
from osi_lidar.live.ports.foxglove_port import FoxgloveServer
from osi_lidar.live.ports.guard import Guard
from osi_lidar.live.ports.policy import BUFFERED_BYTES, MOST_BROWSERS, REQUEST_S
from tests.osi_lidar.live.helpers import DEADLINE_S, connected, until, warnings

client = pytest.importorskip("websockets.asyncio.client")
exceptions = pytest.importorskip("websockets.exceptions")


def subscribe(numbers, channel=1):
    wanted = [{"id": number, "channelId": channel} for number in numbers]
    return json.dumps({"op": "subscribe", "subscriptions": wanted})


SUBSCRIBE = subscribe([7])


@asynccontextmanager
async def serving(guard=Guard(), on_subscribe=lambda _: None):  # noqa: B008  it is frozen
    server = FoxgloveServer(
        Endpoint.parse("--foxglove", "127.0.0.1:0"), guard, lambda name: name.encode()
    )
    await server.open(on_subscribe)
    try:
        yield server
    finally:
        await server.close()


def viewer(server, *, protocol="foxglove.sdk.v1", query="", **options):
    address = f"ws://{server.endpoint}/{query}"
    return client.connect(
        address, subprotocols=[protocol], compression=None, proxy=None, max_size=None, **options
    )


async def received(connection):
    return await asyncio.wait_for(connection.recv(), DEADLINE_S)


async def said(connection):
    return json.loads(await received(connection))


async def message(connection):
    data = await received(connection)
    return (*struct.unpack_from("<BIQ", data), data[13:])


@pytest.mark.parametrize("protocol", ["foxglove.sdk.v1", "foxglove.websocket.v1"])
def test_a_viewer_gets_the_messages_of_the_topics_that_it_shows(protocol):
    opened = []

    async def main():
        async with serving(on_subscribe=opened.append) as server:
            early = server.topic("/early", "schema")
            async with viewer(server, protocol=protocol) as connection:
                assert (await said(connection))["op"] == "serverInfo"
                (channel,) = (await said(connection))["channels"]
                assert (channel["id"], channel["topic"], channel["schemaName"]) == (
                    1,
                    "/early",
                    "schema",
                )
                late = server.topic("/late", "other")
                assert (await said(connection))["channels"][0]["id"] == 2
                await connection.send(SUBSCRIBE)
                await until(lambda: opened == [early])
                assert (early.has_sinks(), late.has_sinks()) == (True, False)
                large = bytes(range(256)) * 5000
                late.log(b"nobody looks", log_time=1)
                early.log(large, log_time=2**40)
                assert await message(connection) == (1, 7, 2**40, large)
                await connection.send(json.dumps({"op": "unsubscribe", "subscriptionIds": [7]}))
                await until(lambda: not early.has_sinks())
                await connection.send(SUBSCRIBE)
                await until(early.has_sinks)
            await until(lambda: not early.has_sinks())  # it has gone

    asyncio.run(main())


@pytest.mark.parametrize(
    ("options", "is_let_in"),
    [
        ({}, True),
        ({"origin": "https://app.foxglove.dev"}, True),
        ({"origin": "http://localhost:8080"}, True),  # named below
        ({"origin": "http://127.0.0.1:9999"}, False),
        ({"origin": "null"}, False),
        ({"origin": "file://"}, False),
        ({"additional_headers": {"Sec-Fetch-Site": "cross-site"}}, False),
    ],
)
def test_a_page_of_another_origin_is_refused_and_told_how_to_let_it_in(options, is_let_in, caplog):
    async def main():
        async with serving(Guard.parse(["http://localhost:8080"], None)) as server:
            if is_let_in:
                async with viewer(server, **options) as connection:
                    assert (await said(connection))["op"] == "serverInfo"
            else:
                for _ in range(2):
                    with pytest.raises(exceptions.InvalidStatus, match="403"):
                        async with viewer(server, **options):
                            pass

    asyncio.run(main())
    assert len(warnings(caplog)) == (not is_let_in)
    assert all("--allow lets hosts and origins in" in line for line in warnings(caplog))


def test_with_a_token_only_those_who_have_it_are_let_in():
    async def main():
        async with serving(Guard(token="a-long-token")) as server:  # noqa: S106  of this test
            with pytest.raises(exceptions.InvalidStatus, match="401"):
                async with viewer(server):
                    pass
            async with viewer(server, query="?token=a-long-token") as connection:
                assert (await said(connection))["op"] == "serverInfo"

    asyncio.run(main())


def test_a_viewer_that_never_reads_costs_a_bounded_size_and_no_other_waits():
    async def main():
        async with serving() as server, viewer(server) as slow, viewer(server) as quick:
            topic = server.topic("/large", "schema")
            for connection in (slow, quick):
                await connection.send(SUBSCRIBE)
            await until(lambda: len(topic.subscribers) == 2)
            slow.transport.pause_reading()
            for n in range(40):
                topic.log(n.to_bytes(2, "little") * 2**20, log_time=n)
                while isinstance(found := await quick.recv(), str):
                    pass
                assert found[13:15] == n.to_bytes(2, "little")
            waiting = max(each._waiting._n_bytes for each in topic.subscribers)
            assert 0 < waiting <= BUFFERED_BYTES
            slow.transport.abort()

    asyncio.run(main())


def test_the_owner_gets_in_beside_100_silent_clients():
    async def main():
        async with serving() as server, AsyncExitStack() as stack:
            for _ in range(100):
                _, writer = await stack.enter_async_context(connected(server.endpoint))
                writer.write(b"GET / HTTP/1.1\r\nHost: 127")
            async with viewer(server) as connection:
                assert (await said(connection))["op"] == "serverInfo"
            await until(lambda: len(server._guests) <= MOST_BROWSERS)

    asyncio.run(main())


def test_the_end_waits_for_nobody():
    async def main():
        async with AsyncExitStack() as stack, serving() as server:
            for sent in (b"", b"GET / HTTP/1.1\r\nHost: 127", b""):
                _, writer = await stack.enter_async_context(connected(server.endpoint))
                writer.write(sent)
            await until(lambda: len(server._guests) == 3)
            closing = asyncio.create_task(server.close())
            await asyncio.wait_for(closing, REQUEST_S / 3)

    asyncio.run(main())


@pytest.mark.parametrize(
    "request_text",
    ["hello", "[" * 60_000, "[1]", "{}", '{"op": "subscribe"}',
     '{"op": "subscribe", "subscriptions": 5}',
     '{"op": "subscribe", "subscriptions": [{"id": -1, "channelId": 1}]}',
     '{"op": "subscribe", "subscriptions": [{"id": [], "channelId": []}]}',
     '{"op": "unsubscribe", "subscriptionIds": [[], 99]}', '{"op": "getParameters"}', b"\x00\xff"],
)  # fmt: skip
def test_what_is_not_of_the_protocol_is_left_out(request_text, caplog):
    async def main():
        async with serving() as server, viewer(server) as connection:
            topic = server.topic("/here", "schema")
            await connection.send(request_text)
            await connection.send(SUBSCRIBE)
            await until(topic.has_sinks)

    asyncio.run(main())
    assert warnings(caplog) == []


def test_subscriptions_have_numbers_of_32_bits_and_others_are_left_out():
    asked = []

    async def main():
        async with serving(on_subscribe=asked.append) as server, viewer(server) as connection:
            topic, end = (server.topic(name, "schema") for name in ("/here", "/end"))
            await connection.send(subscribe([-1, -(2**31), 2**32, 1.5, "7", None]))
            await connection.send(subscribe([0, 2**32 - 1]))
            await connection.send(subscribe([1], channel=2))
            await until(lambda: end in asked)
            assert asked == [topic, topic, end]
            for each in (topic, end):
                each.log(b"m", log_time=5)
            for number in (0, 2**32 - 1, 1):
                while isinstance(found := await received(connection), str):
                    pass
                assert found == struct.pack("<BIQ", 1, number, 5) + b"m"

    asyncio.run(main())


def test_a_viewer_has_1000_subscriptions_at_most():
    asked = []

    async def main():
        async with serving(on_subscribe=asked.append) as server, viewer(server) as connection:
            server.topic("/here", "schema")
            end = server.topic("/end", "schema")
            await connection.send(subscribe(range(999)))
            await connection.send(subscribe([2000], channel=2))
            await connection.send(subscribe([3000]))
            await connection.send(json.dumps({"op": "unsubscribe", "subscriptionIds": [5]}))
            await connection.send(subscribe([4000], channel=2))
            await until(lambda: asked.count(end) == 2)
            assert len(asked) == 999 + 2

    asyncio.run(main())


def test_a_number_that_a_subscription_has_is_left_out_until_it_is_free():
    asked = []

    async def main():
        async with serving(on_subscribe=asked.append) as server:
            first, second, end = (server.topic(name, "schema") for name in ("/1", "/2", "/end"))
            async with viewer(server) as connection:
                await connection.send(subscribe([7], channel=1))
                await connection.send(subscribe([7], channel=2))
                await connection.send(subscribe([8], channel=3))
                await until(lambda: end in asked)
                assert (first.has_sinks(), second.has_sinks()) == (True, False)
                await connection.send(json.dumps({"op": "unsubscribe", "subscriptionIds": [7]}))
                await connection.send(subscribe([7], channel=2))
                await until(second.has_sinks)
                assert not first.has_sinks()
            await until(lambda: not (first.has_sinks() or second.has_sinks() or end.has_sinks()))
        assert asked == [first, end, second]

    asyncio.run(main())


def test_resets_and_other_protocols_are_quiet(caplog, capfd):
    async def main():
        async with serving() as server:
            for data in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01", b"GET /" + b"9" * 9000):
                for _ in range(20):
                    stranger = socket.create_connection(server.endpoint.address)
                    stranger.setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                    )
                    stranger.sendall(data)
                    stranger.close()
                await asyncio.sleep(0.01)
            async with viewer(server) as connection:
                assert (await said(connection))["op"] == "serverInfo"

    asyncio.run(main())
    assert len(warnings(caplog)) <= 1  # the request without a host
    assert capfd.readouterr().err == ""
