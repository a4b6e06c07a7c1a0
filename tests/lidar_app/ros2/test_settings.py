# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of topics, domains and qualities of service: what is taken, and what is refused."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lidar_app.ros2.settings import Quality, Ros2Settings, domain_of, frames_of
from osi_lidar.errors import InputError

WORDS = st.text(string.ascii_letters, min_size=1, max_size=8)


@given(st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, max_size=2))
def test_a_relative_topic_is_below_the_namespace_and_an_absolute_one_is_not(words, spaces):
    name, namespace = "/".join(words), "/".join(spaces)
    relative = Ros2Settings(topic=name, namespace=namespace)
    absolute = Ros2Settings(topic=f"/{name}", namespace=namespace)
    assert relative.cloud_topics({"a": "a"}) == {"a": "/" + "/".join([*spaces, *words])}
    assert absolute.cloud_topics({"a": "a"}) == {"a": f"/{name}"}
    assert relative.below("tf") == "/" + "/".join([*spaces, "tf"])


def test_each_sensor_has_its_topic_by_its_name_in_ros():
    frames = frames_of(["OS1-128", "0"])
    assert Ros2Settings(topic="/lidar/{}/points").cloud_topics(frames) == {
        "OS1-128": "/lidar/OS1_128/points",
        "0": "/lidar/lidar_0/points",
    }


def test_two_sensors_in_one_topic_are_refused():
    message = "--ros2: got '/points' for the sensors a, b, expected a topic in which {} stands"
    with pytest.raises(InputError, match=re.escape(message)):
        Ros2Settings(topic="/points").cloud_topics({"a": "a", "b": "b"})


@pytest.mark.parametrize(
    "name", ["", "/", "/a//b", "/1a", "a b", "/a-b", "/a/", "/a__b", "/ä", "~/a"]
)
def test_a_name_that_ros_does_not_allow_is_refused(name):
    with pytest.raises(InputError, match=f"--ros2: got {re.escape(repr(name))}, expected words of"):
        Ros2Settings(topic=name)


@pytest.mark.parametrize(
    ("topic", "name"),
    [("/x_{}", "_a"), ("/tf", "a"), ("/tf_static", "a"), ("/clock", "a"), ("tf", "a")],
)
def test_a_name_that_a_sensor_spoils_and_topics_of_other_messages_are_refused(topic, name):
    with pytest.raises(InputError, match="--ros2: got "):
        Ros2Settings(topic=topic, namespace="car").cloud_topics({name: name})


def test_a_namespace_that_ros_does_not_allow_is_refused():
    with pytest.raises(InputError, match="--ros2-namespace: got 'car 1', expected words of"):
        Ros2Settings(topic="/a", namespace="car 1")


def test_quality_is_reliable_or_not_with_a_depth():
    assert Quality.parse("-q", "reliable") == Quality()
    assert Quality.parse("-q", "best_effort") == Quality(reliable=False)
    assert Quality.parse("-q", "best_effort:1000") == Quality(reliable=False, depth=1000)


@pytest.mark.parametrize(
    "text", ["", "best", "reliable:", "reliable:0", "reliable:1001", ":5", "reliable:" + 5000 * "9"]
)
def test_another_quality_is_refused(text):
    with pytest.raises(InputError, match=f"-q: got {text!r:.40}, expected reliable"):
        Quality.parse("-q", text)


@pytest.mark.parametrize(
    ("option", "variable", "domain"),
    [(None, None, 0), (None, "", 0), (None, "7", 7), (3, "7", 3), (232, "x", 232)],
)
def test_the_domain_is_that_of_the_option_else_of_the_environment(
    monkeypatch, option, variable, domain
):
    if variable is None:
        monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    else:
        monkeypatch.setenv("ROS_DOMAIN_ID", variable)
    assert domain_of(option) == domain


def test_a_number_that_is_no_domain_is_refused_by_the_name_of_where_it_stands(monkeypatch):
    for option in (-1, 233):
        with pytest.raises(InputError, match=f"--ros2-domain: got '{option}', expected 0 to 232"):
            domain_of(option)
    for stated in ("car", 5000 * "9"):
        monkeypatch.setenv("ROS_DOMAIN_ID", stated)
        message = f"ROS_DOMAIN_ID: got {stated!r:.40}, expected 0 to 232"
        with pytest.raises(InputError, match=message):
            domain_of(None)
