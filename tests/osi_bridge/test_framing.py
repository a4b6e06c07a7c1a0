# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages on a TCP connection, wherever it is cut."""

import asyncio
import struct
import tracemalloc

import pytest

from osi_bridge import (
    BrokenFraming,
    ConnectionReader,
    framed,
    open_trace,
    other_protocol,
    read_message,
)
from tests.osi_bridge.helpers import MESSAGES, save

LIMIT = 100
SHORT = [b"a", b"\x00" * 7, b"\x04\x00\x00\x00"]
STREAM = b"".join(map(framed, SHORT))


async def read_all(reader, max_bytes=LIMIT):
    """Return the messages of a connection, and what broke it, None if it ended as it should."""
    messages = []
    try:
        while (data := await read_message(reader, max_bytes)) is not None:
            messages.append(data)
    except BrokenFraming as error:
        return messages, str(error)
    return messages, None


def received(data, max_bytes=LIMIT):
    """Return what ``read_all`` does for these bytes and no more."""

    async def read():
        reader = asyncio.StreamReader()
        reader.feed_data(data)
        reader.feed_eof()
        return await read_all(reader, max_bytes)

    return asyncio.run(read())


def test_a_message_has_its_length_before_it_as_in_a_trace_file(tmp_path):
    assert framed(b"abc") == b"\x03\x00\x00\x00abc"
    path = save(tmp_path / "trace.osi", b"".join(map(framed, MESSAGES)))
    assert [raw.data for raw in open_trace(path)] == MESSAGES
    assert received(path.read_bytes(), 10_000) == (MESSAGES, None)


@pytest.mark.parametrize("cut", range(len(STREAM) + 1))
def test_a_cut_loses_the_cut_message_only(cut):
    ends = [len(b"".join(map(framed, SHORT[:n]))) for n in range(len(SHORT) + 1)]
    n_whole = sum(end <= cut for end in ends[1:])
    messages, problem = received(STREAM[:cut])
    assert messages == SHORT[:n_whole]
    after = cut - ends[n_whole]  # bytes of the message that is cut
    if after == 0:
        assert problem is None
    elif after < 4:
        assert problem == f"the connection ends within the length of a message, {after_of(after)}"
    elif after == 4:
        size = len(SHORT[n_whole])
        assert problem == f"the connection ends before a message of {size} bytes"
    else:
        size = len(SHORT[n_whole])
        assert problem == f"the connection ends within a message, {after_of(after - 4, size)}"


def after_of(n, size=4):
    return f"after {n} of {size} bytes"


@pytest.mark.parametrize("size", [LIMIT + 1, 2**31, 2**32 - 1])
def test_an_impossible_length_is_refused_with_what_was_expected(size):
    messages, problem = received(framed(b"good") + struct.pack("<I", size) + b"x" * 9)
    assert messages == [b"good"]
    assert problem == f"got a message of {size} bytes, expected at most {LIMIT}"


def test_a_message_may_be_empty():
    assert received(framed(b"") + framed(b"a") + framed(b"")) == ([b"", b"a", b""], None)


def test_the_longest_message_is_taken():
    assert received(framed(b"x" * LIMIT)) == ([b"x" * LIMIT], None)


def test_a_length_above_the_limit_is_refused_before_anything_else_has_come():
    async def read():
        reader = asyncio.StreamReader()
        reader.feed_data(struct.pack("<I", LIMIT + 1))
        return await asyncio.wait_for(read_all(reader), 1.0)

    assert asyncio.run(read())[1] is not None


def test_an_announced_length_takes_no_memory():
    tracemalloc.start()
    try:
        messages, problem = received(struct.pack("<I", 2**31 - 1) + b"x" * 9, 2**31)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (messages, problem) == (
        [],
        f"the connection ends within a message, {after_of(9, 2**31 - 1)}",
    )
    assert peak_bytes < 2**20


def test_bytes_may_come_one_by_one():
    async def read():
        reader = asyncio.StreamReader()
        reading = asyncio.create_task(read_all(reader))
        for byte in STREAM:
            reader.feed_data(bytes([byte]))
            await asyncio.sleep(0)
        reader.feed_eof()
        return await reading

    assert asyncio.run(read()) == (SHORT, None)


@pytest.mark.parametrize("cut", [0, 1])
def test_what_had_come_before_a_connection_was_lost_is_read(cut):
    async def read():
        reader = ConnectionReader()
        reader.feed_data(STREAM[: len(STREAM) - cut])
        reader.set_exception(ConnectionResetError())
        assert isinstance(reader.lost, ConnectionResetError)
        return await read_all(reader)

    messages, problem = asyncio.run(read())
    assert messages == SHORT[: len(SHORT) - cut]
    assert (problem is None) == (cut == 0)


def test_a_message_longer_than_the_readers_buffer_is_taken():
    message = bytes(range(256)) * 64

    async def read():
        async def serve(reader, writer):
            taken.set_result(await read_all(reader, len(message)))
            writer.close()

        taken = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=64)
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(framed(message) * 2)
        writer.close()
        await writer.wait_closed()
        result = await asyncio.wait_for(taken, 5.0)
        server.close()
        await server.wait_closed()
        return result

    assert asyncio.run(read()) == ([message] * 2, None)


CLIENT_HELLO = b"\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03" + bytes(194)
"""Of TLS 1.2: a record of 200 bytes, which holds a hello of 196; as a length it is 66 326."""


@pytest.mark.parametrize("limit", [LIMIT, 2**31])
@pytest.mark.parametrize(
    ("data", "name"),
    [
        (f"{word} / HTTP/1.1\r\n".encode(), "HTTP")
        for word in ("GET", "HEAD", "POST", "PUT", "PATCH")
    ]
    + [(b"PRI * HTTP/2.0\r\n", "HTTP"), (b"HTTP/1.1 200 OK\r\n", "HTTP")],
)
def test_another_protocol_is_named_and_not_taken_for_a_length(data, name, limit):
    assert received(STREAM + data, limit) == (
        SHORT,
        f"the peer speaks {name}, expected messages that follow their length",
    )


def test_tls_is_told_from_a_message_whose_length_has_the_same_bytes():
    assert other_protocol(CLIENT_HELLO) == "TLS"
    assert "the peer speaks TLS" in received(CLIENT_HELLO, 10**6)[1]
    (length,) = struct.unpack("<I", CLIENT_HELLO[:4])
    message = b"\x0a\x06" + bytes(length - 2)
    assert received(framed(message), 10**6) == ([message], None)


def test_a_connection_tells_whether_it_has_begun():
    async def main():
        reader = ConnectionReader()
        assert not await reader.has_begun(0.001)
        reader.feed_data(b"ab")
        assert await reader.has_begun(0.001)
        assert await reader.read(9) == b"ab"
        ended = ConnectionReader()
        ended.feed_eof()
        assert not await ended.has_begun(60)

    asyncio.run(main())
