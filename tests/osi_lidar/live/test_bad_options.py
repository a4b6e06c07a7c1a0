# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a user of stream and play may get wrong on the command line: one line, exit 2."""

import socket

import pytest

from tests.commands import assert_one_line, run
from tests.osi_lidar.live.streams import Process


def test_a_port_in_use_is_one_line(config, tmp_path):
    out = tmp_path / "out"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for option in ("--publish", "--metrics", "--control"):
            result = run("stream", "--listen", 0, option, port, "--config", config, "--out", out)
            assert_one_line(result, 2, f"{option} 127.0.0.1:{port}", "Address already in use")
        result = run("stream", "--listen", port, "--config", config, "--out", out)
        assert_one_line(result, 2, f"--listen 127.0.0.1:{port}", "Address already in use")


@pytest.mark.parametrize("option", ["--listen", "--publish"])
def test_a_port_in_use_writes_nothing_and_ends_the_process(tmp_path, config, option):
    out = tmp_path / "out"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = {"--listen": 0, "--publish": 0, option: taken.getsockname()[1]}
        command = [part for pair in ports.items() for part in pair]
        with Process("stream", *command, "--config", config, "--out", out) as streamed:
            assert streamed.wait() == 2
    assert "Address already in use" in streamed.lines[-1]
    assert not out.exists()


HOSTS = ("nowhere.invalid", "a..b", "a" * 64)


@pytest.mark.parametrize("host_name", HOSTS, ids=["unknown", "empty label", "long label"])
@pytest.mark.parametrize("option", ["--connect", "--listen", "--publish", "play", "udp"])
def test_a_host_name_that_does_not_resolve_is_one_line(
    trace, config, monkeypatch, option, host_name
):
    lookup = socket.getaddrinfo

    def no_network(name, *arguments, **options):
        if name == HOSTS[0]:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return lookup(name, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    end = f"{host_name}:48198"
    command = {
        "--connect": ["stream", "--connect", end],
        "--listen": ["stream", "--listen", end],
        "--publish": ["stream", "--listen", 0, "--publish", end],
        "play": ["play", trace, "--connect", end],
        "udp": ["stream", "--listen", f"udp://{end}"],
    }[option]
    out = config.with_name("out")
    options = [] if option == "play" else ["--config", config, "--out", out]
    assert_one_line(run(*command, *options), 2, "does not resolve", host_name)
    assert not out.exists()


BAD_OPTIONS = {
    "neither": ([], "say where the simulator is: --connect"),
    "both": (["--listen", 0, "--connect", 1], "or --listen PORT (got both)"),
    "no port": (["--listen", "localhost"], "expected [udp://]HOST:PORT"),
    "port": (["--listen", "127.0.0.1:65536"], "--listen: got '127.0.0.1:65536'"),
    "udp connect": (["--connect", "udp://127.0.0.1:1"], "UDP is not supported here"),
    "udp publish": (["--listen", 0, "--publish", "udp://127.0.0.1:1"], "UDP is not supported here"),
    "backlog": (["--listen", 0, "--backlog", "newest"], "--backlog: got 'newest'"),
    "backlog of none": (["--listen", 0, "--backlog", "queue:0"], "--backlog: got 'queue:0'"),
    "answer": (["--listen", 0, "--answer", "all"], "--answer: got 'all', expected usable or every"),
    "answer over udp": (
        ["--listen", "udp://0", "--answer", "every"],
        "UDP has no way back",
    ),
    "skip and answer": (
        ["--listen", 0, "--answer", "every", "--backlog", "latest"],
        "--answer every: got --backlog latest",
    ),
    "type": (["--listen", 0, "--type", "SensorData"], "--type: got 'SensorData'"),
    "message of none": (["--listen", 0, "--max-message", 0], "--max-message: got 0"),
    "message too long": (["--listen", 0, "--max-message", 4096], "--max-message: got 4096"),
    "time": (["--listen", 0, "--for", -1], "--for: got -1"),
    "no time": (["--listen", 0, "--for", "nan"], "--for: got nan"),
    "sensor": (["--listen", 0, "--sensor", "XYZ-1"], "XYZ-1"),
    "control": (["--listen", 0, "--control", "x"], "--control: got 'x'"),
    "metrics": (["--listen", 0, "--metrics", "x"], "--metrics: got 'x'"),
}


@pytest.mark.parametrize("kind", BAD_OPTIONS)
def test_a_bad_option_of_stream_is_one_line(tmp_path, kind):
    options, words = BAD_OPTIONS[kind]
    assert_one_line(run("stream", *options, "--out", tmp_path / "out"), 2, words)
    assert not (tmp_path / "out").exists()


def test_an_output_folder_in_use_is_one_line(tmp_path, config):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").touch()
    command = ("stream", "--listen", 0, "--config", config, "--out", tmp_path / "out")
    assert_one_line(run(*command), 2, "not empty")


@pytest.mark.parametrize("speed", ["0", "-1", "nan", "inf", "1e6", "fast"])
def test_a_bad_speed_is_one_line(trace, speed):
    words = f"--speed: got '{speed}', expected a number above 0, below 1e6, or max"
    assert_one_line(run("play", trace, "--listen", 0, "--speed", speed), 2, words)


def test_a_trace_that_is_not_there_is_one_line(tmp_path):
    assert_one_line(run("play", tmp_path / "no.osi", "--listen", 0), 2, "no such file")
