# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a source may do wrong: one line each, and the next good message is answered."""

import random
import signal
import socket
import struct
import sys
import threading

import pytest
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import ConnectionReader
from osi_lidar.live import endpoint
from osi_lidar.live.stream_model import StreamModel
from tests.builders.messages import Thing, framed, host, message, moving, truth_of
from tests.osi_lidar.live.streams import (
    PATIENCE_S,
    Peer,
    Process,
    answers,
    assert_balanced,
    assert_whole,
    send,
    streaming,
    tiny,
    until,
)

GOOD = moving(3)
MIB = 2**20
BATCH = 50


def view(**fields):
    """Return a SensorView with a timestamp and these fields only."""
    built = SensorView()
    built.timestamp.seconds = 1
    for name, value in fields.items():
        getattr(built, name).value = value
    return built.SerializeToString()


def without_timestamp():
    built = SensorView.FromString(GOOD[0])
    built.ClearField("timestamp")
    built.global_ground_truth.ClearField("timestamp")
    return built.SerializeToString()


def sensor_data():
    built = SensorData()
    built.timestamp.seconds = 1
    built.sensor_id.value = 3
    built.moving_object.add().header.tracking_id.value = 4
    return built.SerializeToString()


BROKEN = {
    "length above the limit": (
        struct.pack("<I", MIB + 1),
        f"{MIB + 1} bytes, expected at most {MIB}",
    ),
    "greatest length": (b"\xff" * 4, "a message of 4294967295 bytes"),
    "a web browser": (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "the peer speaks HTTP"),
    "cut within a length": (b"\x10\x00", "within the length of a message, after 2 of 4 bytes"),
    "cut after a length": (b"\x10\x00\x00\x00", "before a message of 16 bytes"),
    "cut within a message": (framed(GOOD[:1])[:-1], "within a message, after"),
}
BAD = {
    "no protobuf": (b"\xff" * 40, "not a SensorView message"),
    "text": (b"hello, world", "not a SensorView message"),
    "another type": (truth_of(GOOD[0]), "looks like a GroundTruth"),
    "the answer's type": (sensor_data(), "looks like a SensorData"),
    "no ground truth": (view(host_vehicle_id=1, sensor_id=4), "no global_ground_truth"),
    "no timestamp": (without_timestamp(), "no timestamp"),
    "older than the last": (message([host()], time_s=0.05), "older than the last one"),
}
FIRST = {
    "no protobuf": (b"\xff" * 40, "its type is not recognised"),
    "the answer's type": (sensor_data(), "looks like a SensorData"),
    "no timestamp": (without_timestamp(), "no timestamp"),
}


def warnings_of(caplog):
    return [record.getMessage() for record in caplog.records if record.levelname != "INFO"]


def assert_answers(live, subscriber, good=GOOD):
    """Assert that a source that comes now gets the answers of a model of its own."""
    before = live.counters.received
    send(live.port, framed(good))
    assert [subscriber.message() for _ in good] == answers(tiny(), good)
    live.until_done(before + len(good))


@pytest.fixture
def live():
    with streaming(tiny(), publish="127.0.0.1:0", max_bytes=MIB) as running:
        yield running
        assert_balanced(running.end()["stream"])


@pytest.fixture
def subscriber(live):
    with Peer(live.publish_port) as peer:
        until(lambda: live.counters.subscribers, "the subscriber is there")
        yield peer


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_framing_closes_the_connection_with_one_line(live, subscriber, caplog, kind):
    data, words = BROKEN[kind]
    with Peer(live.port) as source:
        source.send(framed(GOOD) + data)
        if "cut" in kind:
            source.finish()
        source.until_hung_up()
    assert [subscriber.message() for _ in GOOD] == answers(tiny(), GOOD)
    (line,) = warnings_of(caplog)
    assert words in line
    assert line.endswith("connection closed")
    assert_answers(live, subscriber)
    assert (live.counters.connections, live.counters.connections_broken) == (2, 1)
    assert live.counters.received == 2 * len(GOOD)


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_message_is_counted_told_and_skipped(live, subscriber, caplog, kind):
    data, words = BAD[kind]
    expected = answers(tiny(), GOOD)
    send(live.port, framed([*GOOD[:2], data, GOOD[2]]))
    assert [subscriber.message() for _ in GOOD] == expected
    (line,) = warnings_of(caplog)
    assert line.startswith("message 2: ")
    assert words in line
    assert line.endswith("skipped")
    live.until_done(4)
    assert live.counters.answered == 3
    assert live.counters.rejected + live.counters.late == 1
    assert live.counters.late == (kind == "older than the last")


@pytest.mark.parametrize("kind", FIRST)
def test_a_bad_first_message_decides_nothing(live, subscriber, caplog, kind):
    data, words = FIRST[kind]
    good = [truth_of(data) for data in GOOD]
    send(live.port, framed([data, *good]))
    answered = [subscriber.message() for _ in good]
    first, *others = warnings_of(caplog)
    assert words in first
    assert all("declares no host vehicle" in line for line in others)
    assert answered == answers(tiny(), good, "GroundTruth")
    live.until_done(4)
    assert live.counters.rejected == 1


def test_the_same_fault_again_and_again_is_told_once(live, subscriber, caplog):
    data = [BAD["no protobuf"][0]] * 50
    send(live.port, framed([GOOD[0], *data, *GOOD[1:]]))
    assert [subscriber.message() for _ in GOOD] == answers(tiny(), GOOD)
    assert len(warnings_of(caplog)) == 1
    live.until_done(53)
    assert live.counters.rejected == 50


def test_a_run_that_begins_again_is_answered(live, subscriber):
    """Time runs back to the start: the source plays its scenario again."""
    send(live.port, framed(GOOD * 2))
    times = [SensorData.FromString(subscriber.message()).timestamp.nanos for _ in GOOD * 2]
    assert times == [0, 100_000_000, 200_000_000] * 2
    live.until_done(6)
    assert (live.counters.answered, live.counters.late) == (6, 0)


def test_a_source_that_crashes_is_told_and_the_next_one_let_in(live, subscriber, caplog):
    with Peer(live.port) as source:
        source.send(framed(GOOD) + b"\x10")
        assert [subscriber.message() for _ in GOOD] == answers(tiny(), GOOD)
        source.reset()
    until(lambda: live.counters.connections_broken, "the end is noticed")
    (line,) = warnings_of(caplog)
    assert "reset" in line
    assert_answers(live, subscriber)


def test_a_crash_of_the_source_loses_no_message_that_came_whole(monkeypatch):
    """The queue is full, so that most of them wait in the connection's own buffer."""
    answer, go = StreamModel.answer, threading.Event()

    def held_up(stream_model, one):
        assert go.wait(PATIENCE_S)
        return answer(stream_model, one)

    class Watched(ConnectionReader):
        def feed_data(self, data):
            super().feed_data(data)
            n_bytes[0] += len(data)

        def set_exception(self, exc):
            super().set_exception(exc)
            lost.set()

    n_bytes, lost = [0], threading.Event()
    monkeypatch.setattr(endpoint, "ConnectionReader", Watched)
    monkeypatch.setattr(StreamModel, "answer", held_up)
    messages = moving(100)
    with streaming(tiny(), backlog="queue:1") as live:
        with Peer(live.port) as source:
            source.send(framed(messages) + b"\x10")
            until(lambda: live.counters.received > 1, "the queue is full")
            until(lambda: n_bytes[0] == len(framed(messages)) + 1, "all has come")
            source.reset()
            until(lost.is_set, "the connection is lost")
        go.set()
        until(lambda: live.counters.connections_broken, "the end is noticed")
        live.until_done(live.counters.received)
        counters = live.end()["stream"]
    assert counters["answered"] == counters["received"] == len(messages)


def test_a_connection_that_brings_nothing_is_no_fault(live, subscriber, caplog):
    send(live.port, b"")
    assert_answers(live, subscriber)
    assert not warnings_of(caplog)
    assert live.counters.connections_broken == 0


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_length_takes_no_memory_before_its_bytes_have_come():
    """Sixty connections announce 2047 MiB each."""
    with Process("stream", "--listen", 0, "--max-message", 2047, "--sensor", "VLP-16") as streamed:
        port = streamed.port()
        for _ in range(60):
            send(port, struct.pack("<I", 2047 * MIB) + b"x" * 1000)
        with open(f"/proc/{streamed.pid}/status") as status:  # noqa: PTH123
            (peak,) = [line for line in status if line.startswith("VmHWM")]
        assert int(peak.split()[1]) < 1_000_000
        assert streamed.running()


def offsets(messages):
    """Return where to cut: about each length and each end, and here and there within messages.

    That a cut at any byte is one of these, `test_listening` shows of the bytes alone.
    """
    n_bytes = len(framed(messages))
    ends = [len(framed(messages[:n])) for n in range(len(messages) + 1)]
    near = {end + shift for end in ends for shift in (-2, -1, 0, 1, 3, 4, 5)}
    return sorted(near.union(range(0, n_bytes, 60)) & set(range(n_bytes + 1)))


def whole_before(messages, offset):
    """Return the messages that a cut at an offset lets through."""
    return [m for i, m in enumerate(messages) if len(framed(messages[: i + 1])) <= offset]


def test_a_cut_loses_at_most_the_cut_message(live, subscriber):
    data = framed(GOOD)
    n_received = n_broken = 0
    expected = {n: answers(tiny(), GOOD[:n]) for n in range(len(GOOD) + 1)}
    for offset in offsets(GOOD):
        send(live.port, data[:offset])
        n_whole = len(whole_before(GOOD, offset))
        n_broken += len(framed(GOOD[:n_whole])) != offset
        send(live.port, data)
        for answer in [*expected[n_whole], *expected[len(GOOD)]]:
            assert subscriber.message() == answer
        n_received += n_whole + len(GOOD)
        live.until_done(n_received)
    assert live.counters.connections_broken == n_broken == len(offsets(GOOD)) - 1 - len(GOOD)
    assert live.counters.answered == live.counters.received == n_received
    assert live.counters.connections == 2 * len(offsets(GOOD))


def test_a_stream_that_connects_loses_at_most_the_cut_message(monkeypatch):
    """The source hangs up; the stream comes again and gets all of it."""
    monkeypatch.setattr(endpoint, "FIRST_PAUSE_S", 0.0005)
    monkeypatch.setattr(endpoint, "LONGEST_PAUSE_S", 0.0005)
    data = framed(GOOD)
    n_expected = 0
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_S)
        end = f"127.0.0.1:{server.getsockname()[1]}"
        with streaming(tiny(), source=end, connect=True) as live:
            for offset in offsets(GOOD):
                for part in (data[:offset], data):
                    with server.accept()[0] as connection:
                        connection.sendall(part)
                n_expected += len(whole_before(GOOD, offset)) + len(GOOD)
            live.until_done(n_expected)
            counters = live.end()["stream"]
    assert counters["answered"] == counters["received"] == n_expected
    assert counters["connections_broken"] == len(offsets(GOOD)) - 1 - len(GOOD)


class Mutator:
    """Makes messages that are nearly good, and bytes that are not."""

    def __init__(self, seed):
        self._random = random.Random(seed)  # noqa: S311  not for secrets
        crowd = [host(), Thing(2, (9.0, 0, 1)), Thing(3, (5.0, 2, 1), kind="stationary_object")]
        view = message(crowd, time_s=0.5, environment="a.obj")
        self._seeds = [*GOOD, view, truth_of(view), sensor_data()]

    def message(self):
        data = bytearray(self._random.choice(self._seeds))
        change = self._random.choice((self._noise, self._flip, self._cut, self._double, self._mix))
        for _ in range(self._random.choice((1, 1, 1, 2, 8))):
            change(data)
        return bytes(data) or b"\0"

    def _noise(self, data):
        data[:] = self._random.randbytes(self._random.randrange(1, 300))

    def _flip(self, data):
        for _ in range(self._random.choice((1, 2, 5))):
            data[self._at(data)] = self._random.randrange(256)

    def _cut(self, data):
        del data[self._at(data) :]
        data += b"\0" * (not data)

    def _double(self, data):
        start, end = sorted((self._at(data), self._at(data)))
        data[start:start] = data[start:end]

    def _mix(self, data):
        other = self._random.choice(self._seeds)
        data[self._at(data) :] = other[self._random.randrange(len(other)) :]
        data += b"\0" * (not data)

    def _at(self, data):
        return self._random.randrange(len(data))


@pytest.mark.parametrize("n_frames", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_mutated_messages_leave_the_stream_running(live, subscriber, n_frames):
    mutator = Mutator(seed=n_frames)
    good = [message([host(x_m=5.0), Thing(2, (9.0 + i, 0, 1))], time_s=1e6 + i) for i in range(3)]
    expected = answers(tiny(), good)
    late = message([host()], time_s=1e6 + 1.95)
    n_sent = 0
    for number in range(n_frames // BATCH):
        mutated = [mutator.message() for _ in range(BATCH)]
        send(live.port, framed(mutated) + (b"\xff" * 5 if number % 2 else b""))
        send(live.port, framed([*good, late]))
        last = next(answer for answer in iter(subscriber.message, None) if answer == expected[0])
        assert [last, subscriber.message(), subscriber.message()] == expected
        n_sent += BATCH + len(good) + 1
        live.until_done(n_sent)
    counters = live.counters
    assert counters.received == n_sent
    assert counters.rejected > n_frames // 10
    assert counters.answered > n_frames // 10
    assert counters.late >= n_frames // BATCH
    assert counters.connections_broken == n_frames // BATCH // 2


@pytest.mark.parametrize("backlog", ["latest", "queue:2"])
def test_a_process_outlives_all_faults_and_tells_each_in_one_line(tmp_path, config, backlog):
    out = tmp_path / "out"
    messages = {words: data for data, words in BAD.values()}
    command = ("--listen", 0, "--publish", 0, "--max-message", 1, "--backlog", backlog)
    with Process("stream", *command, "--out", out, "--config", config) as streamed:
        port = streamed.port()
        for data, words in BROKEN.values():
            send(port, data)
            streamed.line(words)
        with Peer(streamed.port("SensorData")) as subscriber:
            for words, data in messages.items():
                with Peer(port) as source:
                    for good in GOOD[:2]:  # one by one, so that none is skipped
                        source.send(framed([good]))
                        subscriber.message()
                    source.send(framed([data]))
                    streamed.line(words)
                    source.finish()
            send(port, framed(GOOD[:1]))
            assert subscriber.message() == answers(tiny(), GOOD[:1])[0]
        streamed.signal(signal.SIGTERM)
        assert streamed.wait() == 0
    warnings = [line for line in streamed.lines if line.startswith("osi-lidar: warning: ")]
    assert len(warnings) == len(BROKEN) + len(messages)
    assert "Traceback" not in "".join(streamed.lines)
    counters = assert_whole(out)["stream"]
    assert counters["connections_broken"] == len(BROKEN)
    assert counters["rejected"] + counters["late"] == len(messages)
