# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Replays and streams that publish to ROS 2: another process listens; options are refused."""

import itertools
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

from lidar_app.exports.ros2_messages import CLOCK, CLOUD, TRANSFORMS
from lidar_app.ros2.publisher import serving_ros2
from lidar_app.ros2.settings import Ros2Settings
from osi_bridge import FrameDecoder, write_trace
from osi_lidar import LidarModel
from tests.builders.extras import needs
from tests.builders.messages import framed, host, message, moving
from tests.builders.runs import drive
from tests.commands import assert_one_line, run
from tests.osi_lidar.live.streams import PATIENCE_S, Peer, streaming, tiny, until

TYPES = get_typestore(Stores.ROS2_HUMBLE)
REPOSITORY = Path(__file__).parents[3]
LISTENER = REPOSITORY / "tests" / "builders" / "ros2_listener.py"
DOMAIN = 110 + os.getpid() % 100  # tests side by side have others
PATTERN = "{kind: angles, horizontal_deg: [-2, 0, 2], vertical_deg: [-3, -6]}"
CONFIG = f"""
sensors:
  - {{name: front, pattern: {PATTERN}, mounting: {{x_m: 1.0, z_m: 1.5}}}}
  - {{name: 0-left, pattern: {PATTERN}, mounting: {{y_m: 0.8, z_m: 1.2, yaw_deg: 90.0}}}}
"""


@pytest.fixture(autouse=True)
def this_machine(monkeypatch):
    """Let nodes find others on this machine only."""
    monkeypatch.delenv("CYCLONEDDS_URI", raising=False)
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


@pytest.fixture
def inputs(tmp_path):
    """Return a trace and a configuration of two sensors."""
    trace, config = tmp_path / "drive.osi", tmp_path / "c.yaml"
    write_trace(trace, drive(), message_type="SensorView")
    config.write_text(CONFIG)
    return trace, config


@contextmanager
def listening(folder, **kinds):
    """Run a listener of topics with these types while the block runs."""
    folder.mkdir()
    topics = [f"/{name.replace('__', '/')}={kind}" for name, kind in kinds.items()]
    command = [sys.executable, str(LISTENER), str(DOMAIN), str(folder), *topics]
    paths = os.pathsep.join([str(REPOSITORY), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def heard(folder, topic):
    """Return the messages of a topic, in their order."""
    return [path.read_bytes() for path in sorted(folder.glob(f"{topic.replace('/', '_')}.*"))]


def assert_are_the_last(got, expected):
    """Assert that messages were received from some on, each filled up to a multiple of 4 bytes."""
    filled = [each + bytes(-len(each) % 4) for each in expected]
    assert got
    assert got == filled[-len(got) :]


@needs("cyclonedds")
@pytest.mark.slow
def test_another_process_gets_the_bytes_of_the_bag_from_a_replay(tmp_path, inputs, monkeypatch):
    trace, config = inputs
    monkeypatch.setattr("lidar_app.cli.running.replay.PATIENCE_S", PATIENCE_S)
    topics = {"lidar__front": CLOUD, "lidar__lidar_0_left": CLOUD, "clock": CLOCK}
    with listening(
        tmp_path / "heard", **topics, car__tf=TRANSFORMS, car__tf_static=TRANSFORMS
    ) as listener:
        options = ["--ros2", "/lidar/{}", "--ros2-domain", DOMAIN, "--ros2-namespace", "car"]
        done = run("replay", trace, "-c", config, "--out", tmp_path / "run", *options)
        assert done.exit_code == 0, done.output
        assert listener.wait(PATIENCE_S) == 0  # as the node has gone
    result = run("export", "ros2", tmp_path / "run", "--out", tmp_path / "bag")
    assert result.exit_code == 0, result.output
    bag = {}
    with Reader(tmp_path / "bag") as reader:
        for connection, _, data in reader.messages():
            bag.setdefault(connection.topic, []).append(bytes(data))
    for name in ("front", "lidar_0_left"):
        got = heard(tmp_path / "heard", f"/lidar/{name}")
        assert_are_the_last(got, bag[f"/{name}/points"])
        assert all(TYPES.deserialize_cdr(data, CLOUD).width > 0 for data in got)
    assert_are_the_last(heard(tmp_path / "heard", "/car/tf_static"), bag["/tf_static"])
    moves = heard(tmp_path / "heard", "/car/tf")
    assert {TYPES.deserialize_cdr(data, TRANSFORMS).transforms[0].child_frame_id
            for data in moves} == {"base_link"}  # fmt: skip
    assert 1 <= len(heard(tmp_path / "heard", "/clock")) <= 3


@needs("cyclonedds")
@pytest.mark.slow
def test_a_stream_goes_on_when_a_listener_is_killed_and_another_comes_late(tmp_path):
    messages = (framed([message([host()], 0.1 * number)]) for number in itertools.count())
    settings = Ros2Settings(topic="/lidar/points", domain=DOMAIN)
    with streaming(tiny(), ros2=partial(serving_ros2, settings)) as live, Peer(live.port) as source:

        def is_heard(folder):
            """Send a message, and tell whether a listener has had clouds and what is static."""
            source.send(next(messages))
            return len(heard(folder, "/lidar/points")) > 1 and heard(folder, "/tf_static")

        for name in ("first", "second"):
            folder = tmp_path / name
            with listening(folder, lidar__points=CLOUD, tf_static=TRANSFORMS) as listener:
                until(partial(is_heard, folder), "clouds are heard")
                (static,) = heard(folder, "/tf_static")  # was published before it came
                transforms = TYPES.deserialize_cdr(static, TRANSFORMS).transforms
                assert [each.child_frame_id for each in transforms] == ["s"]
                listener.kill()
            before = live.counters.answered
            for _ in range(9):
                source.send(next(messages))
            until(lambda least=before: live.counters.answered >= least + 9, "it goes on")
        source.finish()
        content = live.end()
    assert content["status"] == "complete"
    assert content["stream"]["answered"] == content["stream"]["received"] > 18


@needs("cyclonedds")
@pytest.mark.slow
def test_a_replay_goes_on_without_a_listener_that_has_stopped(tmp_path, caplog):
    model, decoder = LidarModel(tiny()), FrameDecoder("SensorView")
    settings = Ros2Settings(topic="/p", domain=DOMAIN, patience_s=0.1)
    with (
        listening(tmp_path / "heard", p=CLOUD) as listener,
        serving_ros2(settings, tiny()) as (publisher, _),
    ):
        until(lambda: publisher._clouds["s"].n_subscribers, "the listener is known")
        for number, data in enumerate(moving(4)):
            publisher.publish(model.step(decoder.decode(data, number)))
            if number == 1:
                until(lambda: heard(tmp_path / "heard", "/p"), "a cloud is heard")
                listener.send_signal(signal.SIGSTOP)
    told = [line for line in caplog.messages if "does not keep up, or has died" in line]
    assert len(told) == 1


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
        (["--ros2", "/{}", "--workers", "2"], ["--ros2: one process publishes, got options"]),
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
    words = f"{package} is not installed: needs the extra ros2-live, pip install"
    monkeypatch.setitem(sys.modules, module, None)
    done = run("replay", trace, "-c", config, "--out", tmp_path / "run", "--ros2", "/{}")
    assert_one_line(done, 2, words)
    assert not (tmp_path / "run").exists()
    streamed = run("stream", "--listen", "127.0.0.1:0", "--for", 0.1, "-c", config, "--ros2", "/{}")
    assert_one_line(streamed, 2, words)
