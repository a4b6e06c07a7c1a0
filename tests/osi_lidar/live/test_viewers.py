# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A viewer that connects to a stream gets what comes, and what came last."""

import json
import struct
import sys
import time
from contextlib import ExitStack, suppress

import numpy as np
import pytest
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import FrameDecoder, framed
from osi_lidar import LidarModel
from osi_lidar.live.viewers import Moment, Viewers
from tests.builders.messages import Thing, host, message, moving
from tests.commands import assert_one_line, run
from tests.osi_lidar.live.streams import PATIENCE_S, Peer, streaming, tiny, until

PROTOCOL = ["foxglove.sdk.v1"]
VIEW = "osi-lidar.OSMPSensorViewIn"
TOPICS = {VIEW, "/tf", "/objects", "/s/points", "/s/range_image"}


class Channel:
    """What the server's channels do, for one viewer."""

    def __init__(self, topic):
        self.topic, self.is_open, self.sent = topic, False, []

    def has_sinks(self):
        return self.is_open

    def log(self, data, *, log_time):
        self.sent.append((log_time, data))


def shown(messages, viewers, configuration):
    """Answer messages and show them."""
    model, decoder = LidarModel(configuration), FrameDecoder("SensorView")
    for index, data in enumerate(messages):
        frame = decoder.decode(data, index)
        viewers.show(Moment(data, frame, model.step(frame)))


@pytest.fixture
def channels():
    pytest.importorskip("foxglove_schemas_protobuf")
    return {}


@pytest.fixture
def viewers(channels):
    return Viewers(lambda topic, _: channels.setdefault(topic, Channel(topic)), tiny())


def test_a_viewer_gets_the_last_message_of_a_topic_as_it_opens_it(viewers, channels):
    shown(moving(3), viewers, tiny())
    assert set(channels) == TOPICS
    assert not any(channel.sent for channel in channels.values())  # nobody looks
    channels[VIEW].is_open = True
    viewers.on_subscribe(channels[VIEW])
    assert channels[VIEW].sent == [(200_000_000, moving(3)[2])]
    assert not channels["/s/points"].sent


def test_a_viewer_gets_each_message_of_the_topics_that_it_shows(viewers, channels):
    shown(moving(1), viewers, tiny())
    channels["/s/points"].is_open = channels["/tf"].is_open = True
    shown(moving(3), viewers, tiny())
    assert [time_ns for time_ns, _ in channels["/s/points"].sent] == [0, 10**8, 2 * 10**8]
    assert len(channels["/tf"].sent) == 3
    assert not channels[VIEW].sent


def test_a_viewer_sees_objects_that_only_the_first_message_holds(viewers, channels):
    sign = Thing(9, (5.0, 1.0, 2.0), kind="traffic_sign")
    shown([message([host(), sign]), message([host()], 0.1)], viewers, tiny())
    channels[VIEW].is_open = True
    viewers.on_subscribe(channels[VIEW])
    ((_, data),) = channels[VIEW].sent
    (found,) = SensorView.FromString(data).global_ground_truth.traffic_sign
    assert found.id.value == 9


def test_without_a_vehicle_sensors_hang_below_the_world(viewers, channels):
    transforms = pytest.importorskip("foxglove_schemas_protobuf.FrameTransforms_pb2")
    wall = Thing(9, (5.0, 0.0, 0.0), kind="stationary_object")
    shown([message([wall], host_id=None)], viewers, tiny())
    channels["/tf"].is_open = True
    viewers.on_subscribe(channels["/tf"])
    ((_, data),) = channels["/tf"].sent
    (one,) = transforms.FrameTransforms.FromString(data).transforms
    assert (one.parent_frame_id, one.child_frame_id) == ("global", "s")
    assert one.translation.z == 1.9  # the default mounting, as a pose in the world


@pytest.mark.parametrize("library", ["websockets", "foxglove_schemas_protobuf"])
def test_a_missing_extra_is_one_line(config, monkeypatch, library, tmp_path):
    if library == "websockets":
        monkeypatch.setitem(sys.modules, "websockets.asyncio", None)
    else:
        monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    out = tmp_path / "out"
    options = ("--config", config, "--out", out, "--foxglove", 0)
    assert_one_line(run("stream", "--listen", 0, *options), 2, "is not installed: pip install")
    assert not out.exists()


def next_message(socket):
    """Return channel id, time and bytes of the next message: `MessageData` of the protocol."""
    received = socket.recv(timeout=PATIENCE_S)
    kind, subscription, time_ns = struct.unpack_from("<BIQ", received)
    assert kind == 1
    return subscription, time_ns, received[13:]


@pytest.mark.slow
def test_a_client_of_foxgloves_protocol_reads_a_stream():
    client = pytest.importorskip("websockets.sync.client")
    cloud = pytest.importorskip("foxglove_schemas_protobuf.PointCloud_pb2").PointCloud
    messages = moving(3)
    with streaming(tiny(), foxglove="127.0.0.1:0") as live:
        until(lambda: live.state.foxglove and live.state.source, "all addresses are open")
        address = f"ws://{live.state.foxglove}"
        with Peer(live.port) as peer, ExitStack() as stack:
            peer.send(framed(messages[0]))
            ids, deadline_s = {}, time.monotonic() + PATIENCE_S
            while set(ids) != TOPICS:  # connect once all are there
                assert time.monotonic() < deadline_s
                stack.close()
                viewer = stack.enter_context(client.connect(address, subprotocols=PROTOCOL))
                assert json.loads(viewer.recv(timeout=PATIENCE_S))["op"] == "serverInfo"
                with suppress(TimeoutError):
                    advertised = json.loads(viewer.recv(timeout=0.5))["channels"]
                    ids = {each["topic"]: each["id"] for each in advertised}
            wanted = [{"id": number, "channelId": number} for number in ids.values()]
            viewer.send(json.dumps({"op": "subscribe", "subscriptions": wanted}))
            first = dict(next_message(viewer)[::2] for _ in TOPICS)  # what came before
            assert first[ids[VIEW]] == messages[0]
            peer.send(framed(messages[1]))
            second = [next_message(viewer) for _ in TOPICS]
            assert {time_ns for _, time_ns, _ in second} == {100_000_000}
            points = cloud.FromString({each[0]: each[2] for each in second}[ids["/s/points"]])
            expected = answer_points(messages[:2])
            added = [
                *((name, "u1") for name in ("red", "green", "blue", "alpha")),
                ("label", "<u2"),
            ]
            shown = np.frombuffer(points.data, [*expected.dtype.descr, *added])
            for name in expected.dtype.names:
                assert np.array_equal(shown[name], expected[name])


def answer_points(messages):
    """Return the points that a model of its own gives for the last message."""
    model, decoder = LidarModel(tiny()), FrameDecoder("SensorView")
    steps = [model.step(decoder.decode(data, index)) for index, data in enumerate(messages)]
    return steps[-1].scans[0].cloud.points


def test_a_port_in_use_is_one_line(config):
    pytest.importorskip("websockets")
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("stream", "--listen", 0, "--foxglove", port, "--config", config)
        assert_one_line(result, 2, f"--foxglove 127.0.0.1:{port}", "Address already in use")
