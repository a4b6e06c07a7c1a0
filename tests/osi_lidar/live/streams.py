# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams in a thread of the test or as processes, and whoever is at their other ends."""

import csv
import json
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache

import numpy as np
from osi3.osi_sensordata_pb2 import SensorData
from pypcd4 import PointCloud

from osi_bridge import FrameDecoder, open_trace
from osi_lidar import LidarModel
from osi_lidar.config import Config, default_config
from osi_lidar.live.endpoint import Endpoint
from osi_lidar.live.outside_requests import Reread, Stop
from osi_lidar.live.stream import StreamSettings, stream
from osi_lidar.live.stream_model import warm_up
from tests.builders.prepared import PreparedCommand

PATIENCE_S = 300.0
"""After which something hangs. Nothing that a test claims depends on a time."""
FATES = ("answered", "skipped", "late", "rejected", "unprocessed", "dropped")


def tiny(**sections):
    """Return the configuration of a sensor with four beams, so that a message takes no time."""
    pattern = {"kind": "angles", "horizontal_deg": [0, 5], "vertical_deg": [0, -5]}
    return Config.model_validate({"sensors": [{"name": "s", "pattern": pattern}], **sections})


def answers(configuration, messages, message_type="SensorView"):
    """Return the SensorData that a model of its own gives for the messages of one source."""
    model, decoder = LidarModel(configuration), FrameDecoder(message_type)
    return [
        model.step(decoder.decode(data, index)).sensor_data for index, data in enumerate(messages)
    ]


def until(condition, what):
    """Wait until a condition holds."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline_s, f"waited in vain until {what}"
        time.sleep(0.002)


@cache
def compile_kernels():
    """Have kernels compiled before anybody waits for a stream: that may take minutes."""
    for configuration in (tiny(), default_config("VLP-16")):
        warm_up(configuration)


class Live:
    """A stream in a thread: what it does, and how it ended."""

    def __init__(self, configuration, *, stop=None, **settings):
        self.stop, self.reread = stop or Stop(), Reread()
        self.report = self.error = self.state = None
        endpoints = {"source": "127.0.0.1:0"} | {
            name: settings.pop(name)
            for name in ("source", "publish", "control", "foxglove")
            if name in settings
        }
        named = {name: Endpoint.parse(name, text, udp=True) for name, text in endpoints.items()}
        self._settings = StreamSettings(**named, **settings)
        self._configuration = configuration
        self._open = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        try:
            self.report = stream(
                self._settings,
                self._configuration,
                stop=self.stop,
                reread=self.reread,
                on_status=self._look,
            )
        except BaseException as error:  # noqa: BLE001  raised in the test's own thread
            self.error = error
        self._open.set()

    def _look(self, state):
        self.state = state
        self._open.set()

    def begin(self):
        compile_kernels()
        self._thread.start()
        assert self._open.wait(PATIENCE_S)
        if self.error is not None:
            self._thread.join()
            raise self.error

    def end(self):
        """Stop, and return what run.json says."""
        self.stop.request()
        return self.joined()

    def joined(self):
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        if self.error is not None:
            raise self.error
        return self.report.content

    @property
    def counters(self):
        return self.state.counters

    @property
    def port(self):
        return port_of(self.state.source)

    @property
    def publish_port(self):
        return port_of(self.state.publish)

    @property
    def control_port(self):
        return port_of(self.state.control)

    def until_done(self, n_messages):
        """Wait until so many messages have come and each has met its fate."""
        until(
            lambda: self.counters.received == sum_of_fates(asdict(self.counters)) >= n_messages,
            f"{n_messages} messages are done: {self.counters}",
        )


@contextmanager
def streaming(configuration, **settings):
    """Run a stream in a thread for as long as the block takes."""
    live = Live(configuration, **{"backlog": "queue"} | settings)
    live.begin()
    try:
        yield live
    finally:
        live.stop.request()
        live._thread.join(PATIENCE_S)


def port_of(text):
    return int(text.rsplit(":", 1)[1])


class Peer:
    """A TCP connection to a stream."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        with suppress(ConnectionError):  # a stream may hang up before all is sent
            self.socket.sendall(data)

    def finish(self):
        """Send no more, and return when the other end has hung up, so that another may come."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)
        self.until_hung_up()

    def until_hung_up(self):
        with suppress(ConnectionError):
            while self.socket.recv(65536):
                pass

    def reset(self):
        """Vanish as a program that crashes does."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def message(self):
        """Return the next message, None where the connection has ended."""
        prefix = self._exactly(4)
        return None if prefix is None else self._exactly(struct.unpack("<I", prefix)[0])

    def messages(self):
        """Return all messages until the connection ends."""
        return list(iter(self.message, None))

    def _exactly(self, size):
        data = bytearray()
        while len(data) < size:
            try:
                piece = self.socket.recv(size - len(data))
            except ConnectionError:
                return None
            if not piece:
                return None
            data += piece
        return bytes(data)


def send(port, data):
    """Be a source that connects, sends these bytes and ends."""
    with Peer(port) as source:
        source.send(data)
        source.finish()


def fresh_command(arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "osi_lidar", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


class Process:
    """The command as a process; its lines on stderr are kept as they come.

    A fresh one is Python's own from its beginning to its end; others are `PreparedCommand`.
    """

    def __init__(self, *arguments, fresh=False):
        compile_kernels()
        self.lines = []
        begin = fresh_command if fresh or sys.platform == "win32" else PreparedCommand
        self._process = begin([*map(str, arguments)])
        self.pid = self._process.pid
        self._reading = [
            threading.Thread(target=self._read_errors),
            threading.Thread(target=self._read_output),
        ]
        for thread in self._reading:
            thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
        self.wait()

    def _read_errors(self):
        with self._process.stderr as lines:
            self.lines.extend(line.rstrip("\n") for line in lines)

    def _read_output(self):
        with self._process.stdout as output:
            self.output = output.read()

    def running(self):
        return self._process.poll() is None

    def signal(self, number):
        self._process.send_signal(number)

    def wait(self):
        """Return the exit code."""
        code = self._process.wait(PATIENCE_S)
        for thread in self._reading:
            thread.join(PATIENCE_S)
        return code

    def until(self, condition, what):
        """Wait until a condition holds, or the process has ended without."""
        until(lambda: condition() or not self.running(), f"{what}: {self.lines}")
        if not self.running():
            self.wait()  # for its last lines
        assert condition(), f"not {what}: {self.lines}"

    def line(self, pattern):
        """Wait for a line on stderr that matches; return the match."""
        compiled = re.compile(pattern)

        def found():
            return next(filter(None, map(compiled.search, self.lines)), None)

        self.until(found, f"{pattern!r} is told")
        return found()

    def port(self, of="listening"):
        return int(self.line(rf"{of} at .*:(\d+)$")[1])


def sum_of_fates(counters):
    return sum(counters[fate] for fate in FATES)


def assert_balanced(counters):
    """Assert that every message that came is counted by what became of it."""
    assert counters["received"] == sum_of_fates(counters), counters


def assert_whole(out):
    """Assert that all files of a run are complete and agree; return run.json."""
    assert not list(out.rglob("*.part"))
    content = json.loads((out / "run.json").read_text())
    assert content["complete"] is True
    assert content["status"] == "complete"
    counters = content["stream"]
    assert_balanced(counters)
    assert content["frames_read"] == counters["answered"]
    with (out / "frames.csv").open() as file:
        rows = list(csv.DictReader(file))
    n_sensors = len(content["config"]["sensors"])
    assert len(rows) == n_sensors * counters["answered"]
    assert sum(int(row["traced"]) for row in rows) == n_sensors * content["frames_traced"]
    clouds = {row["file"]: int(row["points"]) for row in rows}
    assert {path.relative_to(out).as_posix() for path in out.rglob("*.pcd")} == set(clouds)
    for name, n_points in clouds.items():
        assert PointCloud.from_path(out / name).points == n_points
    traces = list(out.glob("*_sd_*"))
    assert [path.name for path in traces] == [content["sensor_data"]] * bool(rows)
    for path in traces:
        assert f"_{counters['answered']}_" in path.name
        messages = [SensorData.FromString(raw.data) for raw in open_trace(path)]
        assert len(messages) == counters["answered"]
        times = [m.timestamp.seconds * 10**9 + m.timestamp.nanos for m in messages]
        np.testing.assert_array_equal(times, [int(row["time_ns"]) for row in rows[::n_sensors]])
    return content
