# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Options of replays and streams for ROS 2 that are refused. `tests/interop` listens to them."""

import sys

import pytest

from osi_bridge import write_trace
from tests.builders.runs import drive
from tests.commands import assert_one_line, run

PATTERN = "{kind: angles, horizontal_deg: [-2, 0, 2], vertical_deg: [-3, -6]}"
CONFIG = f"""
sensors:
  - {{name: front, pattern: {PATTERN}, mounting: {{x_m: 1.0, z_m: 1.5}}}}
  - {{name: 0-left, pattern: {PATTERN}, mounting: {{y_m: 0.8, z_m: 1.2, yaw_deg: 90.0}}}}
"""


@pytest.fixture
def inputs(tmp_path):
    """Return a trace and a configuration of two sensors."""
    trace, config = tmp_path / "drive.osi", tmp_path / "c.yaml"
    write_trace(trace, drive(), message_type="SensorView")
    config.write_text(CONFIG)
    return trace, config


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--ros2", "/a b"], ["--ros2: got '/a b', expected words of letters"]),
        (["--ros2", "/points"], ["--ros2: got '/points' for the sensors front, 0-left", "{}"]),
        (
            ["--ros2", "/{}", "--ros2-domain", "300"],
            ["--ros2-domain: got '300', expected 0 to 232"],
        ),
        (
            ["--ros2", "/{}", "--ros2-qos", "best"],
            ["--ros2-qos: got 'best', expected reliable[:N]"],
        ),
        (["--ros2", "/{}", "--ros2-namespace", "1"], ["--ros2-namespace: got '1'"]),
        (["--ros2-domain", "3"], ["--ros2-domain: needs --ros2 TOPIC, got none"]),
        (["--no-ros2-clock"], ["--ros2-clock: needs --ros2 TOPIC, got none"]),
        (["--ros2", "/{}", "--workers", "2"], ["--ros2: works in one process only, got"]),
    ],
)
def test_options_that_mean_nothing_are_refused_before_anything_is_written(
    tmp_path, inputs, options, words
):
    trace, config = inputs
    done = run("replay", trace, "-c", config, "--out", tmp_path / "run", *options)
    assert_one_line(done, 2, *words)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("module", ["rosbags.typesys", "cyclonedds.domain"])
def test_a_library_that_is_absent_is_told_in_one_line(tmp_path, inputs, monkeypatch, module):
    trace, config = inputs
    package = module.partition(".")[0]
    words = f"{package} is not installed: pip install 'osi-lidar[ros2-live]'"
    monkeypatch.setitem(sys.modules, module, None)
    done = run("replay", trace, "-c", config, "--out", tmp_path / "run", "--ros2", "/{}")
    assert_one_line(done, 2, words)
    assert not (tmp_path / "run").exists()
    streamed = run("stream", "--listen", "127.0.0.1:0", "--for", 0.1, "-c", config, "--ros2", "/{}")
    assert_one_line(streamed, 2, words)
