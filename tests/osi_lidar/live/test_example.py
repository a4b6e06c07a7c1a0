# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The subscriber that the documentation shows works, and what it lists is there."""

import re
import signal
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from osi3.osi_sensordata_pb2 import SensorData
from typer.main import get_command

from lidar_app.cli.main import app
from osi_lidar import load_config
from osi_lidar.live.counters import Counters
from osi_lidar.live.metrics import _Collector
from osi_lidar.live.state import StreamState
from osi_lidar.live.stream import stream_content
from tests.builders.messages import moving
from tests.commands import OF_EVERY_COMMAND
from tests.osi_lidar.live.streams import FATES, PATIENCE_S, Process, answers, until

REPOSITORY = Path(__file__).resolve().parents[3]
EXAMPLE = REPOSITORY / "examples" / "subscribe.py"
PAGE = (REPOSITORY / "docs" / "reference" / "stream.md").read_text(encoding="utf-8")
LINE = re.compile(r"(\d+\.\d{3}) s  (\d+) detections, from (\d+\.\d\d) m")
OTHER_KEYS = {"last_changes", "latency_ms", "per_second"}


def test_example_prints_what_each_message_holds(config, trace, tmp_path):
    lines = tmp_path / "lines"
    anywhere = "127.0.0.1:0"
    command = ["stream", "--listen", anywhere, "--publish", anywhere, "--backlog", "queue"]
    with Process(*command, "--config", config) as stream:
        to = f"127.0.0.1:{stream.port()}"
        at = f"127.0.0.1:{stream.port('SensorData')}"
        with (
            lines.open("w") as output,
            subprocess.Popen([sys.executable, EXAMPLE, at], stdout=output) as subscriber,
            Process("play", trace, "--connect", to, "--loop", "--speed", "10"),
        ):
            until(lambda: lines.read_text().count("\n") >= 8, "there are eight lines")
            stream.signal(signal.SIGTERM)
            assert subscriber.wait(PATIENCE_S) == 0
        assert stream.wait() == 0

    found = [LINE.fullmatch(line).groups() for line in lines.read_text().splitlines()]
    turn = [shown(SensorData.FromString(data)) for data in answers(load_config(config), moving())]
    first = turn.index(found[0])
    assert found == [turn[(first + index) % len(turn)] for index in range(len(found))]


def shown(message):
    """Return what a line should say of a message."""
    (sensor,) = message.feature_data.lidar_sensor
    nearest_m = min(detection.position.distance for detection in sensor.detection)
    time_s = message.timestamp.seconds + 1e-9 * message.timestamp.nanos
    return f"{time_s:.3f}", str(len(sensor.detection)), f"{nearest_m:.2f}"


def names_below(heading):
    """Return the names in the first column of the tables below a heading of the page."""
    section = re.split(r"\n#", PAGE.split(f"{heading}\n")[1])[0]
    cells = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^` ]+)", cell)]


@pytest.mark.parametrize("command", ["stream", "play"])
def test_options_are_all_listed(command):
    params = get_command(app).commands[command].params
    known = {opt for param in params for opt in param.opts if opt.startswith("--")}
    assert set(names_below(f"### Options of {command}")) == known - OF_EVERY_COMMAND


def test_counters_are_all_explained():
    names = names_below("## Counters")
    counters = {field.name for field in fields(Counters)} - {"subscribers"}  # of the moment
    assert set(names) == counters | OTHER_KEYS
    assert set(names) == set(stream_content(StreamState()))
    assert f"    received = {' + '.join(FATES)}\n" in PAGE


def test_metrics_are_all_named():
    counters = {f"osi_lidar_{field.name}" for field in fields(Counters)} - {"osi_lidar_subscribers"}
    others = {family.name for family in _Collector(StreamState()).collect()} - counters
    named = {re.sub(r"_total|\{.*", "", name) for name in names_below("### Metrics")}
    assert named == others | {"osi_lidar_<counter>"}
