# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Empty messages, and a source that waits for an answer to each of its messages."""

import asyncio
import socket
from types import SimpleNamespace

import pytest

from osi_bridge import framed as frame
from osi_lidar.live import answers_to_source
from osi_lidar.live.answers_to_source import WayBack
from osi_lidar.live.backlog import make_backlog
from osi_lidar.live.counters import Counters
from osi_lidar.live.stream_model import StreamModel
from tests.builders.messages import framed, host, message, moving
from tests.osi_lidar.live.helpers import arrival, warnings
from tests.osi_lidar.live.streams import (
    PATIENCE_S,
    Peer,
    answers,
    assert_balanced,
    assert_whole,
    streaming,
    tiny,
    until,
)

MESSAGES = moving(4)
EVERY = {"answer": "every", "backlog": None, "publish": "127.0.0.1:0"}


class Proxy(Peer):
    """A source that behaves as ASAM's OSMPCNetworkProxy, with `sender` and `receiver` set.

    In each step it sends its input, with a length of 0 where that is empty, then blocks until the
    length and the bytes of an answer have come.
    """

    def step(self, data):
        self.socket.sendall(frame(data))
        return self.message()


class ListeningProxy(Proxy):
    """The same, built with FMU_LISTEN: it waits for whoever connects."""

    def __init__(self):
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(PATIENCE_S)
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"

    def accept(self):
        self.socket, _ = self._server.accept()
        self.socket.settimeout(PATIENCE_S)
        self._server.close()


def test_each_step_of_a_proxy_has_one_answer_and_an_empty_input_an_empty_one(tmp_path):
    straggler, garbage = message([host()], time_s=0.05), b"\xff" * 40
    sent = [b"", *MESSAGES[:2], b"", garbage, straggler, *MESSAGES[2:], b""]
    given = iter(answers(tiny(), MESSAGES))
    expected = [next(given) if data in MESSAGES else b"" for data in sent]
    with (
        streaming(tiny(), out=tmp_path / "out", **EVERY) as live,
        Peer(live.publish_port) as subscriber,
        Proxy(live.port) as proxy,
    ):
        until(lambda: live.counters.subscribers, "the subscriber is there")
        assert [proxy.step(data) for data in sent] == expected
        live.end()
        assert proxy.message() is None
        assert subscriber.messages() == expected
    counters = assert_whole(tmp_path / "out")["stream"]
    assert (counters["received"], counters["answered"]) == (6, 4)
    assert (counters["late"], counters["rejected"], counters["connections_broken"]) == (1, 1, 0)
    assert (counters["empty"], counters["sent_back"]) == (3, 9)


def test_a_proxy_that_listens_is_connected_to():
    proxy = ListeningProxy()
    with streaming(tiny(), source=proxy.address, connect=True, **EVERY):
        proxy.accept()
        with proxy:
            assert [proxy.step(data) for data in [b"", *MESSAGES]] == [
                b"",
                *answers(tiny(), MESSAGES),
            ]


def test_a_receiver_beside_a_sender_never_waits_in_vain():
    """Two proxies, one of which sends and one of which receives, as in step by step masters."""
    with streaming(tiny(), **EVERY) as live, Proxy(live.port) as sender:
        assert sender.step(b"") == b""
        with Peer(live.publish_port) as receiver:
            got = [receiver.message()]
            for data in MESSAGES:
                sender.step(data)
                got.append(receiver.message())
            assert got == [b"", *answers(tiny(), MESSAGES)]


def test_empty_messages_are_no_messages(caplog):
    """Whatever the backlog: they neither open a connection nor take the place of another one."""
    sent = framed([b"", MESSAGES[0], b"", *MESSAGES[1:], b""])
    with streaming(tiny(), publish="127.0.0.1:0") as live, Peer(live.publish_port) as subscriber:
        until(lambda: live.counters.subscribers, "the subscriber is there")
        with Peer(live.port) as source:
            source.send(sent)
            source.finish()
        assert [subscriber.message() for _ in MESSAGES] == answers(tiny(), MESSAGES)
        counters = live.end()["stream"]
    assert_balanced(counters)
    assert (counters["received"], counters["empty"], counters["sent_back"]) == (4, 3, 0)
    assert (counters["connections_broken"], counters["rejected"]) == (0, 0)
    assert warnings(caplog) == []


def test_a_source_that_has_sent_all_still_gets_its_answers():
    with streaming(tiny(), once=True, **EVERY) as live:
        with Peer(live.port) as source:
            source.send(framed([*MESSAGES, b""]))
            source.socket.shutdown(socket.SHUT_WR)
            assert source.messages() == [*answers(tiny(), MESSAGES), b""]
        assert live.joined()["stream"]["sent_back"] == 5


def test_a_source_that_does_not_read_is_told_and_does_not_keep_the_stream(caplog, monkeypatch):
    monkeypatch.setattr(answers_to_source, "PATIENCE_S", 0.01)
    large = SimpleNamespace(sensor_data=bytes(2**25))
    monkeypatch.setattr(StreamModel, "answer", lambda *_: large)
    with streaming(tiny(), **EVERY) as live, Peer(live.port) as source:
        source.send(framed(MESSAGES))
        until(lambda: warnings(caplog), "it is told")
        live.end()
    (line,) = warnings(caplog)
    assert line.endswith("does not read the answers that are sent to it; the stream waits")


class Gone:
    """The writer of a connection that is lost before an answer, or while it is sent."""

    def __init__(self, *, known):
        self.transport, self.known, self.sent = self, known, []
        self.writelines = self.sent.append

    def set_write_buffer_limits(self, *, high):
        """Take any limit."""

    def is_closing(self):
        return self.known

    async def drain(self):
        raise ConnectionResetError


@pytest.mark.parametrize("known", [True, False])
def test_a_source_that_is_gone_is_no_problem(known):
    async def main():
        back = WayBack(writer, counters)
        back.expect()
        await back.send(b"late")
        await asyncio.wait_for(back.settled(), PATIENCE_S)

    counters, writer = Counters(), Gone(known=known)
    asyncio.run(main())
    assert counters.sent_back == 0
    assert len(writer.sent) == (not known)


@pytest.mark.parametrize("kind", ["queue", "latest"])
def test_empty_messages_that_wait_are_not_unprocessed(kind):
    async def main():
        counters = Counters()
        backlog = make_backlog(kind, counters)
        backlog.offer(arrival(opens=True))
        backlog.offer(arrival(b""))
        backlog.close()
        assert counters.unprocessed == 1

    asyncio.run(main())
