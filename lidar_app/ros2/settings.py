# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of a ROS 2 node: topics, names and quality of service."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lidar_app.exports.ros2_messages import ros_names
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DEPTH = 20
"""Number of messages that a writer keeps for slow subscribers: two seconds at 10 Hz.

With 5 messages, as in ROS 2's profile for sensors, a subscriber in Python missed 4 of 100 clouds of
2.9 MB.
"""
MOST_DEPTH = 1000
MOST_DOMAIN = 232
"""Greatest domain: RTPS uses UDP ports from 7400 + 250 * domain on, at most 65535."""
DOMAIN_VARIABLE = "ROS_DOMAIN_ID"
_KINDS = {"reliable": True, "best_effort": False}
_NAME = re.compile(r"(/[A-Za-z_][A-Za-z0-9_]*)+")
_ALLOWED = "words of letters, digits and _ that do not begin with a digit, between /"
_SENSOR = "{}"
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Quality of service of a ROS 2 topic; its history is "keep last".

    Attributes
    ----------
    reliable : bool
        Whether lost packets are sent again (reliable); else best effort.
    depth : int
        Depth of the history: number of messages that are kept to be sent again.
    """

    reliable: bool = True
    depth: int = DEPTH

    @classmethod
    def parse(cls, option: str, text: str) -> Quality:
        """Parse ``reliable`` or ``best_effort``, optionally with ``:N``, the depth (else `DEPTH`).

        Parameters
        ----------
        option : str
            Name of the command-line option, for the error message.
        text : str
            Value of the option, such as ``reliable:5``.

        Raises
        ------
        InputError
            If the text does not have this form.
        """
        kind, colon, digits = text.partition(":")
        depth = _number(digits)
        if kind not in _KINDS or (colon and not 1 <= depth <= MOST_DEPTH):
            raise InputError(
                f"{option}: got {text!r:.40}, expected reliable[:N] or best_effort[:N], "
                f"N from 1 to {MOST_DEPTH}"
            )
        return cls(reliable=_KINDS[kind], depth=depth if colon else DEPTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ros2Settings:
    """Settings of the ROS 2 node.

    Attributes
    ----------
    topic : str
        Topic of the clouds; ``{}`` stands for the name of the sensor. A topic that does not begin
        with / is relative to the namespace.
    namespace : str
        Namespace of /tf and /tf_static, and of a relative topic; empty for none.
    layout : {"xyzirt", "autoware"}
        Fields of the points, see `lidar_app.exports.ros2_layouts`.
    quality : Quality
        Quality of service of the clouds.
    domain : int
        DDS domain; equals ROS_DOMAIN_ID of the subscribers.
    clock : bool
        Whether the time of the messages is published at /clock.
    patience_s : float
        Longest time that a step waits for reliable subscribers; 0 for a live source. [s]

    Raises
    ------
    InputError
        If the topic or the namespace is not a valid name.
    """

    topic: str
    namespace: str = ""
    layout: str = "xyzirt"
    quality: Quality = Quality()
    domain: int = 0
    clock: bool = True
    patience_s: float = 0.0

    def __post_init__(self) -> None:
        within = self.namespace.strip("/")
        if within:
            _checked("--ros2-namespace", self.namespace, f"/{within}")
        _checked("--ros2", self.topic, self._cloud_topic(_SENSOR).replace(_SENSOR, "sensor"))

    def below(self, name: str) -> str:
        """Return the name of a topic below the namespace; unchanged if it begins with /."""
        return name if name.startswith("/") else _below(self.namespace, name)

    def cloud_topics(self, frames: Mapping[str, str]) -> dict[str, str]:
        """Return the topic of each sensor's clouds, by the name of the sensor.

        Parameters
        ----------
        frames : mapping of str to str
            Name of each sensor in ROS, by the name of the sensor, see `frames_of`.

        Raises
        ------
        InputError
            If several sensors would share a topic, or a topic is not a valid name, or is reserved
            for transforms or time.
        """
        if len(frames) > 1 and _SENSOR not in self.topic:
            raise InputError(
                f"--ros2: got {self.topic!r} for the sensors {', '.join(frames)}, expected a topic "
                f"in which {_SENSOR} stands for the sensor's name, such as "
                f"'/lidar/{_SENSOR}/points'"
            )
        topics = {own: self._cloud_topic(frame) for own, frame in frames.items()}
        taken = {self.below("tf"), self.below("tf_static"), "/tf", "/tf_static", "/clock"}
        for topic in topics.values():
            _checked("--ros2", topic, topic)
            if topic in taken:
                raise InputError(
                    f"--ros2: got {topic!r}, which is the topic of transforms or of the clock, "
                    "expected another topic"
                )
        return topics

    def _cloud_topic(self, sensor: str) -> str:
        return self.below(self.topic.replace(_SENSOR, sensor))


def frames_of(sensors: Iterable[str]) -> dict[str, str]:
    """Return the name of each sensor's frame in ROS, by the name of the sensor.

    Raises
    ------
    InputError
        If two sensors would get the same frame.
    """
    return ros_names(sensors, "--ros2")


def domain_of(option: int | None) -> int:
    """Return the DDS domain: `option` if it is given, else ROS_DOMAIN_ID if it is set, else 0.

    Raises
    ------
    InputError
        If the value is not a number from 0 to `MOST_DOMAIN`.
    """
    where, text = "--ros2-domain", str(option)
    if option is None:
        where, text = DOMAIN_VARIABLE, os.environ.get(DOMAIN_VARIABLE) or "0"
    domain = _number(text)
    if not 0 <= domain <= MOST_DOMAIN:
        raise InputError(f"{where}: got {text!r:.40}, expected 0 to {MOST_DOMAIN}")
    return domain


def _number(text: str) -> int:
    """Return an integer of up to 9 digits, -1 for any other text."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else -1


def _below(namespace: str, name: str) -> str:
    within = namespace.strip("/")
    return f"/{within}/{name}" if within else f"/{name}"


def _checked(option: str, text: str, name: str) -> None:
    if not _NAME.fullmatch(name) or "__" in name:
        raise InputError(f"{option}: got {text!r}, expected {_ALLOWED}")
