# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What is published to ROS 2 reaches other processes, whoever made their DDS."""

import itertools
import os
import signal
from functools import partial

import pytest
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

from lidar_app.exports.ros2_messages import CLOCK, CLOUD, TRANSFORMS
from lidar_app.ros2.dds_types import TYPE_HASHES
from lidar_app.ros2.node import THIS_MACHINE
from lidar_app.ros2.publisher import serving_ros2
from lidar_app.ros2.settings import Quality, Ros2Settings
from osi_bridge import FrameDecoder, write_trace
from osi_lidar import LidarModel
from tests.builders.extras import needs
from tests.builders.messages import framed, host, message, moving
from tests.builders.runs import drive
from tests.commands import run
from tests.interop import ros2_listeners
from tests.interop.ros2_listeners import CYCLONE_DDS, EVENTS, assert_are_the_last, heard
from tests.osi_lidar.live.streams import PATIENCE_S, Peer, streaming, tiny, until

pytestmark = [needs("cyclonedds"), pytest.mark.slow]
TYPES = get_typestore(Stores.ROS2_HUMBLE)
DOMAIN = 110 + os.getpid() % 100  # tests side by side have others
PATTERN = "{kind: angles, horizontal_deg: [-2, 0, 2], vertical_deg: [-3, -6]}"
CONFIG = f"""
sensors:
  - {{name: front, pattern: {PATTERN}, mounting: {{x_m: 1.0, z_m: 1.5}}}}
  - {{name: 0-left, pattern: {PATTERN}, mounting: {{y_m: 0.8, z_m: 1.2, yaw_deg: 90.0}}}}
"""


LONG_LEASE = """<CycloneDDS><Domain>
<Discovery><LeaseDuration>3600 s</LeaseDuration></Discovery>
</Domain></CycloneDDS>"""
"""Of a node that others keep for an hour if they do not hear of its end."""


def events(folder):
    """Return what a listener has told."""
    return (folder / EVENTS).read_text()


def dds_name(kind):
    """Return the name in DDS of a type of ROS 2."""
    package, _, name = kind.split("/")
    return f"{package}::msg::dds_::{name}_"


@pytest.fixture(autouse=True)
def this_machine(monkeypatch):
    """Let nodes find others on this machine only."""
    monkeypatch.delenv("CYCLONEDDS_URI", raising=False)
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


@pytest.fixture(params=["Cyclone DDS", "Fast DDS"])
def listening(request):
    """Return what runs a listener in the domain of these tests."""
    listener = CYCLONE_DDS
    if request.param == "Fast DDS":
        listener = (str(request.getfixturevalue("fast_dds_listener")),)
    return partial(ros2_listeners.listening, listener, DOMAIN)


def test_another_process_gets_the_bytes_of_the_bag_from_a_replay(tmp_path, listening, monkeypatch):
    trace, config = tmp_path / "drive.osi", tmp_path / "c.yaml"
    write_trace(trace, drive(), message_type="SensorView")
    config.write_text(CONFIG)
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


def test_a_stream_goes_on_when_a_listener_is_killed_and_another_comes_late(tmp_path, listening):
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
    assert content["stream"]["answered"] > 18  # others are skipped where the machine is busy


@pytest.mark.parametrize("patience_s", [0.1, 0.0], ids=["replay", "stream"])
def test_a_listener_that_has_stopped_is_told_and_does_not_stop_others(
    tmp_path, listening, caplog, patience_s
):
    model, decoder = LidarModel(tiny()), FrameDecoder("SensorView")
    settings = Ros2Settings(
        topic="/p", domain=DOMAIN, patience_s=patience_s, quality=Quality(depth=2)
    )
    with (
        listening(tmp_path / "heard", p=CLOUD) as listener,
        serving_ros2(settings, tiny()) as (publisher, _),
    ):
        until(lambda: publisher._clouds["s"].n_subscribers, "the listener is known")
        for number, data in enumerate(moving(6)):
            publisher.publish(model.step(decoder.decode(data, number)))
            if number == 1:
                until(lambda: heard(tmp_path / "heard", "/p"), "a cloud is heard")
                listener.send_signal(signal.SIGSTOP)
    told = [line for line in caplog.messages if "does not keep up, or has died" in line]
    assert len(told) == 1


def test_fast_dds_sees_what_each_topic_is_and_offers_and_that_a_node_has_ended(
    tmp_path, fast_dds_listener, monkeypatch
):
    monkeypatch.setenv("CYCLONEDDS_URI", f"{THIS_MACHINE},{LONG_LEASE}")
    topics = {"/clock": CLOCK, "/p": CLOUD, "/tf": TRANSFORMS, "/tf_static": TRANSFORMS}
    kinds = {topic[1:]: kind for topic, kind in topics.items()}
    settings, command = Ros2Settings(topic="/p", domain=DOMAIN), [str(fast_dds_listener)]
    with ros2_listeners.listening(command, DOMAIN, tmp_path / "heard", **kinds) as listener:
        with serving_ros2(settings, tiny()) as (publisher, _):
            writers = publisher._node._writers
            until(lambda: all(each.n_subscribers for each in writers), "it finds all topics")
            until(lambda: events(tmp_path / "heard").count("matched") == 4, "it is found, too")
        assert listener.wait(PATIENCE_S) == 0  # told by the node: its lease has not run out
    told = sorted(line for line in events(tmp_path / "heard").splitlines() if "writer" in line)
    assert told == [
        f"writer rt{topic} {dds_name(kind)} 1 {int(topic == '/tf_static')} "
        f"typehash={TYPE_HASHES[kind]};"
        for topic, kind in topics.items()
    ]
