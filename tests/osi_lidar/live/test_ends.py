# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""However and whenever a stream is told to end: whole files, and every message is counted."""

import asyncio
import json
import random
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from osi_bridge import open_trace
from osi_lidar.live.backlog import Queue
from osi_lidar.live.outside_requests import Stop
from osi_lidar.live.publisher import Publisher
from osi_lidar.live.stream_model import StreamModel
from osi_lidar.output.run_folder import RunFolder
from tests.builders.messages import framed, moving
from tests.osi_lidar.live.streams import (
    Peer,
    Process,
    answers,
    assert_whole,
    send,
    streaming,
    tiny,
    until,
)

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
MESSAGES = moving(12)
TIME_S = 4711.0
"""How long a stream is to last that a test ends."""
HOOKS = {
    "open folder": (RunFolder, "open", 1),
    "message comes": (Queue, "offer", len(MESSAGES)),
    "answer": (StreamModel, "answer", len(MESSAGES)),
    "publish": (Publisher, "publish", len(MESSAGES)),
    "write": (StreamModel, "write", len(MESSAGES)),
}
MOMENTS = [
    (hook, call, when)
    for hook, (*_, n_calls) in HOOKS.items()
    for call in sorted({1, n_calls // 2, n_calls} - {0})
    for when in ("before", "after")
]


@pytest.mark.parametrize(("hook", "call", "when"), MOMENTS)
def test_a_stop_at_any_step_leaves_whole_files(tmp_path, monkeypatch, hook, call, when):
    owner, name, _ = HOOKS[hook]
    original, stop, n_calls = getattr(owner, name), Stop(), [0]

    def hooked(*arguments):
        n_calls[0] += 1
        if n_calls[0] == call and when == "before":
            stop.request()
        try:
            return original(*arguments)
        finally:
            if n_calls[0] == call and when == "after":
                stop.request()

    monkeypatch.setattr(owner, name, hooked)
    out = tmp_path / "out"
    settings = {"publish": "127.0.0.1:0", "backlog": "queue:3", "out": out, "stop": stop}
    with streaming(tiny(), **settings) as live:
        if hook != "open folder":
            with Peer(live.port) as source:
                source.send(framed(MESSAGES))
                live.joined()
        live.joined()
    content = assert_whole(out)
    n_answered = content["stream"]["answered"]
    assert n_answered >= {"answer": call, "publish": call, "write": call}.get(hook, 0) - (
        when == "before"
    )
    for trace in out.glob("*_sd_*"):
        assert [raw.data for raw in open_trace(trace)] == answers(tiny(), MESSAGES)[:n_answered]


def handles_signals(process):
    """Return whether the command has taken over SIGHUP, and with it all that end it."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (signal.SIGHUP - 1) & 1)
    return False


@linux
@pytest.mark.parametrize(
    ("number", "delay_ms"),
    [
        pytest.param(signal.SIGTERM, 0, marks=pytest.mark.slow),
        (signal.SIGINT, 0),
        (signal.SIGTERM, 30),
        pytest.param(signal.SIGTERM, 200, marks=pytest.mark.slow),
    ],
    ids=["term at once", "int at once", "term early", "term later"],
)
def test_a_signal_while_a_stream_starts_leaves_whole_files(tmp_path, config, number, delay_ms):
    out = tmp_path / "out"
    command = ("--listen", 0, "--publish", 0, "--out", out, "--config", config)
    with Process("stream", *command, fresh=True) as streamed:
        streamed.until(lambda: handles_signals(streamed), "signals are handled")
        time.sleep(1e-3 * delay_ms)
        streamed.signal(number)
        assert streamed.wait() == 0, streamed.lines
    assert assert_whole(out)["stream"]["received"] == 0
    assert "0 received" in streamed.output


def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def until_ready(streamed, out):
    streamed.until((out / ".frames.csv.part").exists, "the folder is open")


@posix
@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)],
    ids=["term", "int"],
)
def test_a_signal_within_a_message_leaves_whole_files(tmp_path, config, number):
    out = tmp_path / "out"
    with Process("stream", "--listen", 0, "--out", out, "--config", config) as streamed:
        port = streamed.port()
        until_ready(streamed, out)
        with Peer(port) as source:
            source.send(framed(MESSAGES[:1]) + framed(MESSAGES[1:2])[:-1])
            streamed.until(lambda: list(out.glob("s/*.pcd")), "the first message is answered")
            streamed.signal(number)
            assert streamed.wait() == 0
    counters = assert_whole(out)["stream"]
    assert counters["received"] == counters["answered"] == 1


def assert_ends_whole(folder, out, *, ends, backlog, delay_s, number):
    """Signal a stream and a player while messages go as fast as they are taken."""
    trace = folder / "trace.osi"
    play = ("play", trace, "--speed", "max", "--loop")
    command = ("--backlog", backlog, "--publish", 0, "--out", out, "--config")
    command = (*command, folder / "config.yaml")
    if ends == "listen":
        streamed = Process("stream", "--listen", 0, *command)
        player = Process(*play, "--connect", streamed.port())
    else:
        player = Process(*play, "--listen", 0)
        streamed = Process("stream", "--connect", player.port(), *command)
    with streamed, player:
        with Peer(streamed.port("SensorData")):  # and reads nothing
            streamed.until(lambda: list(out.glob("s/*.pcd")), "a message is answered")
            time.sleep(delay_s)
            streamed.signal(number)
            assert streamed.wait() == 0, streamed.lines
        player.signal(number)
        assert player.wait() == 0, player.lines
    counters = assert_whole(out)["stream"]
    assert counters["answered"] > 0
    assert counters["connections"] == 1
    assert counters["sent"] + counters["sent_dropped"] <= counters["answered"]
    assert "messages to " in player.output


@posix
@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(("listen", "queue:4", 0.0, signal.SIGTERM), marks=pytest.mark.slow),
        ("listen", "latest", 0.017, signal.SIGINT),
        ("connect", "queue", 0.031, signal.SIGTERM),
        pytest.param(("connect", "latest", 0.071, signal.SIGTERM), marks=pytest.mark.slow),
    ],
    ids=["listen queue", "listen latest", "connect queue", "connect latest"],
)
def test_a_signal_while_messages_are_traced_and_written_leaves_whole_files(trace, config, moment):
    ends, backlog, delay_s, number = moment
    trace.write_bytes(framed(moving(300)))
    out = config.parent / "out"
    assert_ends_whole(
        config.parent, out, ends=ends, backlog=backlog, delay_s=delay_s, number=number
    )


@posix
@pytest.mark.slow
def test_a_signal_at_any_of_many_moments_leaves_whole_files(trace, config):
    trace.write_bytes(framed(moving(300)))
    moments = random.Random(1)  # noqa: S311  not for secrets
    for run in range(40):
        assert_ends_whole(
            config.parent,
            config.parent / f"out_{run}",
            ends=moments.choice(("listen", "connect")),
            backlog=moments.choice(("latest", "queue:4")),
            delay_s=moments.uniform(0.0, 0.3),
            number=moments.choice((signal.SIGTERM, signal.SIGINT)),
        )


@posix
@pytest.mark.parametrize("source", ["no source", "unreachable", "udp"])
def test_a_signal_before_any_message_leaves_whole_files(tmp_path, config, source):
    unused = unused_port()
    ends = {
        "no source": ("--listen", 0),
        "unreachable": ("--connect", unused),
        "udp": ("--listen", "udp://127.0.0.1:0"),
    }
    out = tmp_path / "out"
    with Process("stream", *ends[source], "--out", out, "--config", config) as streamed:
        until_ready(streamed, out)
        if source == "unreachable":
            streamed.line("Connection refused; trying again")
        streamed.signal(signal.SIGTERM)
        assert streamed.wait() == 0
    assert assert_whole(out)["frames_read"] == 0


@posix
def test_a_second_interrupt_ends_at_once_and_leaves_no_half_files(trace, tmp_path, config):
    out = tmp_path / "out"
    trace.write_bytes(framed(moving(300)))
    command = ("--listen", 0, "--out", out, "--config", config)
    with Process("stream", *command, fresh=True) as streamed:
        with Process("play", trace, "--connect", streamed.port(), "--speed", "max", "--loop"):
            streamed.until(lambda: list(out.glob("s/*.pcd")), "a message is answered")
            while streamed.running():
                streamed.signal(signal.SIGINT)
                time.sleep(0.001)
        # Python gives up its handlers as it ends: one more interrupt is the system's to answer
        assert streamed.wait() in {0, 130, -signal.SIGINT}, streamed.lines
    assert not list(out.rglob("*.part"))
    assert (out / "run.json").exists()
    assert "Traceback" not in "".join(streamed.lines)


def test_for_ends_a_stream_that_has_no_time_before_any_message(tmp_path):
    out = tmp_path / "out"
    with streaming(tiny(), duration_s=0.0, out=out) as live:
        live.joined()
    assert assert_whole(out)["stream"]["received"] == 0


def test_for_ends_a_stream_after_its_time_and_not_before(tmp_path, monkeypatch):
    """The time is up when the test says so: the source has been answered by then."""
    waits, wait_for = [], asyncio.wait_for
    out, up = tmp_path / "out", Stop()

    async def until_up(waiting, timeout):
        if timeout != TIME_S:
            return await wait_for(waiting, timeout)
        waits.append(timeout)
        ends = [asyncio.ensure_future(each) for each in (waiting, up.wait())]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()
        raise asyncio.TimeoutError

    monkeypatch.setattr(asyncio, "wait_for", until_up)
    with streaming(tiny(), duration_s=TIME_S, out=out) as live, Peer(live.port) as source:
        source.send(framed(MESSAGES))
        live.until_done(len(MESSAGES))
        assert live.report is None
        up.request()
        live.joined()
    assert waits == [TIME_S]
    assert assert_whole(out)["stream"]["answered"] == len(MESSAGES)


def test_for_ends_a_process_with_exit_code_zero(tmp_path, config):
    """Whatever it has got by then."""
    out = tmp_path / "out"
    command = ("--listen", 0, "--for", 1, "--out", out, "--config", config)
    with Process("stream", *command) as streamed:
        port = streamed.port()
        with suppress(OSError):  # its time may be up
            send(port, framed(MESSAGES))
        assert streamed.wait() == 0
    n_received = assert_whole(out)["stream"]["received"]
    assert n_received <= len(MESSAGES)
    assert f"{n_received} received" in streamed.output


def test_once_answers_all_that_has_come_before_it_ends(tmp_path):
    out = tmp_path / "out"
    with streaming(tiny(), once=True, out=out) as live:
        with Peer(live.port) as source:
            source.send(framed(MESSAGES))
        live.joined()
    assert assert_whole(out)["stream"]["answered"] == len(MESSAGES)


def test_an_end_lets_subscribers_have_what_waits_for_them():
    with streaming(tiny(), publish="127.0.0.1:0") as live, Peer(live.publish_port) as subscriber:
        until(lambda: live.counters.subscribers, "the subscriber is there")
        send(live.port, framed(MESSAGES))
        live.until_done(len(MESSAGES))
        live.end()
        assert subscriber.messages() == answers(tiny(), MESSAGES)


@posix
def test_a_player_that_nobody_listens_to_ends_with_a_signal(trace):
    for option in ("--listen", "--connect"):
        unused = unused_port()
        port = 0 if option == "--listen" else unused
        with Process("play", trace, option, port) as player:
            player.line("listening at|trying again")
            player.signal(signal.SIGTERM)
            assert player.wait() == 0
        assert "0 messages to 0 consumers" in player.output


def test_an_unforeseen_error_leaves_whole_files(tmp_path, monkeypatch):
    """Of what was answered before, as in a replay."""
    answer = StreamModel.answer

    def failing(stream_model, message):
        if message.number == 3:
            raise MemoryError
        return answer(stream_model, message)

    monkeypatch.setattr(StreamModel, "answer", failing)
    out = tmp_path / "out"
    with streaming(tiny(), out=out) as live:
        send(live.port, framed(MESSAGES))
        with pytest.raises(MemoryError):
            live.joined()
    assert not list(out.rglob("*.part"))
    content = json.loads((out / "run.json").read_text())
    assert (content["status"], content["complete"]) == ("failed", False)
    (sensor_data,) = out.glob("*_sd_*")
    assert [raw.data for raw in open_trace(sensor_data)] == answers(tiny(), MESSAGES[:3])
