# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What is published is what `export ros2` writes of the same run, byte by byte."""

import logging

import pytest
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

from lidar_app.exports.ros2_messages import CLOCK, CLOUD, TRANSFORMS
from lidar_app.ros2 import publisher as module
from lidar_app.ros2.settings import Quality, Ros2Settings
from osi_bridge import FrameDecoder, write_trace
from osi_lidar import LidarModel
from osi_lidar.errors import InputError
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import host, message
from tests.builders.runs import SENSORS, drive
from tests.builders.worlds import config
from tests.commands import run
from tests.lidar_app.ros2.recorded import RecordedNode

TYPES = get_typestore(Stores.ROS2_HUMBLE)
PHYSICAL = {"name": "0-top", "preset": "VLP-16", "fidelity": "physical", "mounting": {"z_m": 1.9}}
TOPICS = {"xyzirt": "/{}/points", "autoware": "/sensing/lidar/{}/pointcloud_raw_ex"}
"""Topics of the bags."""


@pytest.fixture(autouse=True)
def node(monkeypatch):
    """Let publishers have a node that records; return those that were made."""
    made = []

    def make(domain):
        made.append(RecordedNode(domain))
        return made[-1]

    monkeypatch.setattr(module, "Node", make)
    return made


def published(trace, chosen, folder, settings, monkeypatch):
    """Replay a trace with a publisher; return the messages of each topic."""
    made = []
    monkeypatch.setattr(module, "Node", lambda domain: made.append(RecordedNode(domain)) or made[0])
    with module.serving_ros2(settings, chosen) as (publisher, _):

        def on_step(done):
            publisher.publish(done.step)
            return True

        replay(FrameSource(trace), chosen, folder, on_step=on_step)
    assert made[0].is_closed
    return {topic: writer.messages for topic, writer in made[0].topics.items()}


def bagged(folder, bag, layout):
    """Export a run, and return the messages of each topic as bytes."""
    result = run("export", "ros2", folder, "--out", bag, "--layout", layout)
    assert result.exit_code == 0, result.output
    topics = {}
    with Reader(bag) as reader:
        for connection, _, data in reader.messages():
            topics.setdefault(connection.topic, []).append(bytes(data))
    return topics


def poses(messages):
    """Return the transforms of TFMessages by time and child."""
    return {
        (each.header.stamp.sec, each.header.stamp.nanosec, each.child_frame_id): each
        for data in messages
        for each in TYPES.deserialize_cdr(data, TRANSFORMS).transforms
    }


@pytest.mark.long
@pytest.mark.parametrize("layout", TOPICS)
def test_clouds_and_transforms_have_the_bytes_of_the_bag(tmp_path, layout, monkeypatch):
    trace = tmp_path / "drive.osi"
    write_trace(trace, drive(), message_type="SensorView")
    chosen = config(sensors=[*SENSORS, PHYSICAL])
    settings = Ros2Settings(topic=TOPICS[layout], layout=layout)
    live = published(trace, chosen, tmp_path / "run", settings, monkeypatch)
    bag = bagged(tmp_path / "run", tmp_path / "bag", layout)
    clouds = {topic for topic in bag if not topic.startswith("/tf")}
    assert {TOPICS[layout].format(name) for name in ("front", "left", "lidar_0_top")} == clouds
    for topic in (*clouds, "/tf_static"):
        assert live[topic] == bag[topic], topic
    assert poses(live["/tf"]) == poses(bag["/tf"])
    times = [TYPES.deserialize_cdr(data, CLOCK).clock for data in live["/clock"]]
    assert [(each.sec, each.nanosec) for each in times] == [(0, 0), (0, 10**8), (0, 2 * 10**8)]


def test_poses_come_again_when_time_begins_again(node):
    """Of a stream whose source has restarted: tf2 clears its buffer when time jumps back."""
    model, decoder = LidarModel(config()), FrameDecoder("SensorView")
    steps = [model.step(decoder.decode(data, n)) for n, data in enumerate(drive())]
    live = module.Ros2Publisher(config(), Ros2Settings(topic="/p"))
    for _ in range(2):
        for step in steps:
            live.publish(step)
    assert len(poses(node[0].topics["/tf"].messages)) == len(steps)
    assert len(node[0].topics["/tf"].messages) == 2 * len(steps)
    assert len(node[0].topics["/tf_static"].messages) == 1


def test_qualities_are_those_of_drivers_and_of_tf2(node):
    best = Quality(reliable=False, depth=2)
    module.Ros2Publisher(config(), Ros2Settings(topic="/p", quality=best, namespace="car"))
    assert {topic: writer.offered for topic, writer in node[0].topics.items()} == {
        "/p": (CLOUD, best, False),
        "/car/tf": (TRANSFORMS, Quality(depth=100), False),
        "/car/tf_static": (TRANSFORMS, Quality(depth=1), True),
        "/clock": (CLOCK, Quality(depth=1), False),
    }
    module.Ros2Publisher(config(), Ros2Settings(topic="/p", clock=False, domain=5))
    assert "/clock" not in node[1].topics
    assert node[1].domain == 5


def test_names_that_are_alike_in_ros_are_refused_before_a_node_is_made(node):
    sensors = [{**SENSORS[0], "name": name} for name in ("a-b", "a_b")]
    with pytest.raises(InputError, match="--ros2: sensors a-b, a_b would have equal names in ROS"):
        module.Ros2Publisher(config(sensors=sensors), Ros2Settings(topic="/{}/p"))
    assert node == []


@pytest.fixture
def listening(caplog, monkeypatch):
    """Return a publisher of one sensor, its writer, and its clock."""
    caplog.set_level(logging.INFO, module.__name__)
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    writer = RecordedNode(4).writer("/p", CLOUD, Quality())
    subscribers = module.Subscribers(Ros2Settings(topic="/p", domain=4), [writer])
    return subscribers, writer, now


def test_a_topic_that_nobody_hears_is_told_once_after_a_while(listening, caplog):
    subscribers, _, now = listening
    for now[0] in (0.0, module.ALONE_S, module.ALONE_S + 0.1, 1e3):
        subscribers.log_changes()
    (line,) = caplog.messages
    assert line.startswith("/p: no subscriber yet in domain 4; it needs the same ROS_DOMAIN_ID")


def test_subscribers_that_come_and_go_are_told_and_their_end_is_no_wrong_domain(listening, caplog):
    subscribers, writer, now = listening
    for writer.n_subscribers in (1, 1, 2, 0):
        subscribers.log_changes()
    now[0] = 1e3
    subscribers.log_changes()
    assert caplog.messages == ["/p: 1 subscriber", "/p: 2 subscribers", "/p: 0 subscribers"]


def test_a_subscriber_that_asks_for_more_is_told_once(listening, caplog):
    subscribers, writer, _ = listening
    for writer.refused in ("reliability", "reliability", None):
        subscribers.log_changes()
    (line,) = caplog.messages
    assert "/p: a subscriber asks for another reliability than is offered" in line


def test_a_step_that_nobody_takes_in_time_is_told_once(tmp_path, caplog, monkeypatch):
    trace = tmp_path / "drive.osi"
    write_trace(trace, drive(), message_type="SensorView")
    monkeypatch.setattr(RecordedNode, "wait_until_received", lambda *_: False)
    settings = Ros2Settings(topic="/{}/p", patience_s=1e-9)
    published(trace, config(sensors=list(SENSORS)), tmp_path / "run", settings, monkeypatch)
    assert sum("does not keep up" in line for line in caplog.messages) == 1


def test_a_stream_tells_once_that_the_clouds_it_keeps_are_not_taken(node, caplog):
    model, decoder = LidarModel(config()), FrameDecoder("SensorView")
    step = model.step(decoder.decode(drive()[0], 0))
    live = module.Ros2Publisher(config(), Ros2Settings(topic="/p", quality=Quality(depth=3)))
    told = []
    for node[0].received in (True, False, False, True, False, False, False, False, False):
        live.publish(step)
        told.append(sum("does not keep up" in line for line in caplog.messages))
    assert told == [0, 0, 0, 0, 0, 0, 1, 1, 1]


def test_times_that_ros_cannot_count_are_refused_in_one_line(tmp_path, monkeypatch):
    trace = tmp_path / "drive.osi"
    write_trace(trace, [message([host()], 2.0**31)], message_type="SensorView")
    with pytest.raises(InputError, match="ROS 2 counts in 32 bits"):
        published(trace, config(), tmp_path / "run", Ros2Settings(topic="/p"), monkeypatch)
