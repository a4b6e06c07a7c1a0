# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A node in DDS, and readers of Cyclone DDS in this process: what they see of each other."""

import os
import time

import pytest

from lidar_app.exports.ros2_messages import CLOCK, CLOUD
from lidar_app.ros2 import node as module
from lidar_app.ros2.dds_types import TYPE_HASHES, message_classes
from lidar_app.ros2.node import Node
from lidar_app.ros2.settings import Quality
from osi_lidar.errors import OutputError
from tests.builders.extras import needs
from tests.osi_lidar.live.streams import until

pytestmark = needs("cyclonedds")
DOMAIN = 5 + 5 * (os.getpid() % 20)  # and the four after it; tests side by side have others
CLOCK_BYTES = bytes([0, 1, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0])  # 3 s and 5 ns in CDR


@pytest.fixture(autouse=True)
def this_machine(monkeypatch):
    """Let nodes find others on this machine only."""
    monkeypatch.delenv("CYCLONEDDS_URI", raising=False)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


@pytest.fixture
def node():
    made = Node(DOMAIN)
    yield made
    made.close()


@pytest.fixture
def policy():
    """Return the policies of Cyclone DDS."""
    from cyclonedds.qos import Policy

    return Policy


def reader(topic, kind, *policies, domain=DOMAIN):
    """Return a reader as a node of ROS 2 has one."""
    from cyclonedds.domain import DomainParticipant
    from cyclonedds.qos import Qos
    from cyclonedds.sub import DataReader
    from cyclonedds.topic import Topic

    told = Topic(DomainParticipant(domain), f"rt{topic}", message_classes()[kind])
    return DataReader(told.participant, told, qos=Qos(*policies))


def test_a_reader_gets_the_message_and_a_late_one_only_what_is_latched(node, policy):
    early = reader("/a", CLOCK, policy.Reliability.Reliable(0))
    writers = [node.writer(name, CLOCK, Quality(), latched=name == "/b") for name in ("/a", "/b")]
    until(lambda: writers[0].n_subscribers == 1, "the reader is there")
    for writer in writers:
        assert writer.write(CLOCK_BYTES)
    (got,) = early.take(2)
    assert (got.clock.sec, got.clock.nanosec) == (3, 5)
    late = reader("/a", CLOCK, policy.Reliability.Reliable(0))
    latched = reader("/b", CLOCK, policy.Reliability.Reliable(0), policy.Durability.TransientLocal)
    until(lambda: latched.read(1), "the latched message is there")
    assert not late.read(1)
    assert node.wait_until_received(1.0)


def test_an_endpoint_states_hash_quality_and_representation(node, policy):
    node.writer("/a", CLOUD, Quality(reliable=False, depth=7))
    listener = reader("/a", CLOUD, policy.Reliability.BestEffort)
    until(listener.get_matched_publications, "the writer is there")
    (handle,) = listener.get_matched_publications()
    seen = listener.get_matched_publication_data(handle)
    assert seen.topic_name == "rt/a"
    assert seen.type_name == "sensor_msgs::msg::dds_::PointCloud2_"
    assert seen.qos[policy.Userdata].data == f"typehash={TYPE_HASHES[CLOUD]};".encode()
    assert seen.qos[policy.Reliability] == policy.Reliability.BestEffort
    assert seen.qos[policy.Durability] == policy.Durability.Volatile
    assert seen.qos[policy.DataRepresentation].use_cdrv0_representation


def test_a_reader_that_asks_for_more_is_told_once_by_its_policy(node, policy):
    writer = node.writer("/a", CLOCK, Quality(reliable=False))
    strict = reader("/a", CLOCK, policy.Reliability.Reliable(0))
    policies = []
    until(lambda: policies.append(writer.newly_refused()) or policies[-1], "it is refused")
    assert policies[-1] == "reliability"
    assert writer.newly_refused() is None
    assert writer.n_subscribers == 0
    del strict


def test_a_reader_of_another_domain_sees_nothing(node):
    writer = node.writer("/a", CLOCK, Quality())
    elsewhere = reader("/a", CLOCK, domain=DOMAIN + 1)
    assert writer.write(CLOCK_BYTES)
    assert writer.n_subscribers == 0
    assert not elsewhere.take(1)


def test_a_closed_node_is_gone_and_another_may_follow(node):
    for _ in range(3):
        second = Node(DOMAIN + 2)
        second.writer("/a", CLOCK, Quality()).write(CLOCK_BYTES)
        begin_s = time.monotonic()
        second.close()
        assert time.monotonic() - begin_s < 60.0
    assert not node._writers


def test_a_network_that_is_not_there_is_told_in_one_line(monkeypatch):
    uri = "<CycloneDDS><Domain><General><Interfaces><NetworkInterface name='none'/></Interfaces>"
    monkeypatch.setenv("CYCLONEDDS_URI", f"{uri}</General></Domain></CycloneDDS>")
    with pytest.raises(OutputError, match=f"--ros2: DDS does not start in domain {DOMAIN + 3}: "):
        Node(DOMAIN + 3)


@pytest.mark.parametrize("uri", [None, ""])
def test_a_node_that_other_machines_may_reach_is_told(monkeypatch, caplog, uri):
    if uri is not None:
        monkeypatch.setenv("CYCLONEDDS_URI", uri)
    monkeypatch.delenv("ROS_AUTOMATIC_DISCOVERY_RANGE")
    Node(DOMAIN + 4).close()
    assert caplog.messages == [module.OPEN]


@pytest.mark.parametrize(
    ("environment", "local"),
    [
        ({}, False),
        ({"ROS_LOCALHOST_ONLY": "1"}, True),
        ({"ROS_LOCALHOST_ONLY": "0"}, False),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}, True),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}, False),
        ({"ROS_LOCALHOST_ONLY": "1", "CYCLONEDDS_URI": "file://cyclone.xml"}, False),
        ({"ROS_LOCALHOST_ONLY": "1", "CYCLONEDDS_URI": ""}, True),
    ],
)
def test_ros_says_whether_a_node_stays_on_this_machine(environment, local):
    assert module._is_local(environment) is local


@pytest.mark.parametrize("range_", ["SUBNET", "LOCALHOST"])
def test_the_users_configuration_of_cyclone_dds_comes_last(range_):
    environment = {"ROS_AUTOMATIC_DISCOVERY_RANGE": range_}
    own = [module.FOR_OTHERS, *[module.THIS_MACHINE] * (range_ == "LOCALHOST")]
    assert module._configuration(environment) == ",".join(own)
    environment["CYCLONEDDS_URI"] = "file:///a.xml"
    assert module._configuration(environment) == f"{module.FOR_OTHERS},file:///a.xml"
