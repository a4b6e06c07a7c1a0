# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Publish the results of a model to ROS 2 during a run: clouds, transforms and time.

Clouds and static transforms equal those of `lidar_app.exports.ros2`, byte for byte. Poses of the
host are equal, too, but one message holds all poses of a step. Nodes may start in any order: a late
subscriber gets /tf_static and all later messages.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from lidar_app.exports.ros2_layouts import LAYOUTS
from lidar_app.exports.ros2_messages import (
    BASE,
    CLOCK,
    CLOUD,
    MAP,
    TRANSFORMS,
    cloud_message,
    cloud_rows,
    host_poses,
    message_types,
    stamp,
    transforms_message,
)
from lidar_app.exports.scan_points import begin_ns, reports_of
from lidar_app.ros2.dds_types import EXTRA
from lidar_app.ros2.node import Node
from lidar_app.ros2.settings import DOMAIN_VARIABLE, Quality, frames_of
from osi_lidar.output.frame_table import row_of
from osi_lidar.output.stored import StoredSensor
from osi_lidar.scan.from_config import mounting_position, pose_matrix

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from lidar_app.ros2.node import TopicWriter
    from lidar_app.ros2.settings import Ros2Settings
    from osi_lidar.config import Config, Sensor
    from osi_lidar.live.viewers import Moment
    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.frame_table import FrameRow
    from osi_lidar.scan.step import Step

logger = logging.getLogger(__name__)

ALONE_S = 10.0
"""Time without any subscriber after which the log says what may be wrong. [s]"""
_MOVING = Quality(depth=100)  # of /tf, as tf2_ros publishes it
_FIXED = Quality(depth=1)  # of /tf_static, as tf2_ros publishes it
_TIME = Quality(depth=1)  # of /clock; reliable suits subscribers of both kinds
_MOST_POSES = 256  # remembered times: scans of one message overlap those of the last
_POLL_S = 0.01
_SETTLE_S = 0.2  # time to find all endpoints of a new node


class LiveScan(NamedTuple):
    """A scan of the running model, in the form in which exports read a scan of a stored run.

    Attributes
    ----------
    row : FrameRow
        Sensor, times and poses of the scan, as a row of frames.csv states them.
    points : structured (n_point,)
        Points of the scan's cloud.
    """

    row: FrameRow
    points: Rows


class Ros2Publisher:
    """Publishes clouds, transforms and time of each step of a model to ROS 2, until `close`.

    Parameters
    ----------
    config : Config
        Configuration with the sensors.
    settings : Ros2Settings
        Topics, names and quality of service.

    Raises
    ------
    InputError
        If two sensors have the same name in ROS or the same topic.
    OutputError
        If a library is not installed, or DDS does not start.
    """

    def __init__(self, config: Config, settings: Ros2Settings) -> None:
        self._settings = settings
        self._frames = frames_of(sensor.name for sensor in config.sensors)
        topics = settings.cloud_topics(self._frames)
        self._types = message_types(EXTRA)
        self._layout = LAYOUTS[settings.layout]
        self._reports = {each.name: reports_of(_stored(each)) for each in config.sensors}
        self._mountings = {each.name: _mounted(each) for each in config.sensors}
        self._node = Node(settings.domain)
        self._clouds = {
            name: self._node.writer(topic, CLOUD, settings.quality)
            for name, topic in topics.items()
        }
        self._moves = self._node.writer(settings.below("tf"), TRANSFORMS, _MOVING)
        self._static = self._node.writer(
            settings.below("tf_static"), TRANSFORMS, _FIXED, latched=True
        )
        self._clock = self._node.writer("/clock", CLOCK, _TIME) if settings.clock else None
        self._subscribers = Subscribers(settings, [*self._clouds.values()])
        self._posed: deque[int] = deque(maxlen=_MOST_POSES)
        self._time_ns = 0
        self._is_placed = False

    @property
    def address(self) -> str:
        """Text with the topics of the clouds and the DDS domain."""
        topics = ", ".join(writer.topic for writer in self._clouds.values())
        return f"{topics} (domain {self._settings.domain})"

    def show(self, moment: Moment) -> None:
        """Publish the clouds, host poses and time of ``moment.step``; the same as `publish`.

        A stream calls this method of its viewers after each message. A moment is an OSI message of
        the stream, with the step in which the model has scanned it.
        """
        self.publish(moment.step)

    def publish(self, step: Step) -> None:
        """Publish the time, the poses of the host vehicle, and the clouds of a step.

        Only host poses at times without a published pose are sent. Before its own messages, the
        first step waits up to `Ros2Settings.patience_s` for a subscriber, and publishes the poses
        of the sensors on the vehicle at /tf_static. At its end, each step waits up to the same time
        until all reliable subscribers have received its messages.

        Parameters
        ----------
        step : Step
            Result of the model for one OSI message: its time, and the scans with their clouds.

        Raises
        ------
        InputError
            If the time is too large for ROS.
        OutputError
            If DDS cannot write.
        """
        scans = [
            LiveScan(row_of(scan, frame=step.index, time_ns=step.time_ns), scan.cloud.points)
            for scan in step.scans
        ]
        if step.time_ns < self._time_ns:
            self._posed.clear()  # time goes back: tf2 drops its buffer
        self._time_ns = step.time_ns
        patience_s = self._settings.patience_s
        if not self._is_placed:
            self._subscribers.wait_for_one(patience_s)
            self._place_sensors()
        if not patience_s:
            self._subscribers.count_behind(has_all=self._node.wait_until_received(0.0))
        if self._clock is not None:
            self._send(self._clock, CLOCK, self._time(step))
        self._move([scan.row for scan in scans])
        for scan in scans:
            self._publish_cloud(scan)
        if patience_s and not self._node.wait_until_received(patience_s):
            self._subscribers.tell_slow()
        self._subscribers.log_changes()

    def close(self) -> None:
        """End the node."""
        self._node.close()

    def _publish_cloud(self, scan: LiveScan) -> None:
        row, points = scan
        rows = cloud_rows(self._layout, scan, points, self._reports[row.sensor])
        frame = self._frames[row.sensor]
        message = cloud_message(self._types, rows, time_ns=begin_ns(scan, points), frame=frame)
        self._send(self._clouds[row.sensor], CLOUD, message)

    def _place_sensors(self) -> None:
        """Publish the mountings of the sensors as static transforms."""
        mounted = ((0, self._frames[name], pose) for name, pose in self._mountings.items())
        self._send(self._static, TRANSFORMS, transforms_message(self._types, BASE, mounted))
        self._is_placed = True

    def _move(self, rows: list[FrameRow]) -> None:
        """Publish the poses of the host at times without a published pose."""
        poses = host_poses(rows, self._mountings).items()
        new = [(time_ns, BASE, pose) for time_ns, pose in poses if time_ns not in self._posed]
        self._posed.extend(time_ns for time_ns, *_ in new)
        if new:
            self._send(self._moves, TRANSFORMS, transforms_message(self._types, MAP, new))

    def _time(self, step: Step) -> object:
        return self._types.types[CLOCK](clock=stamp(self._types, max(step.time_ns, 0)))

    def _send(self, writer: TopicWriter, kind: str, message: object) -> None:
        if not writer.write(self._types.serialize_cdr(message, kind)):
            self._subscribers.tell_slow()


class Subscribers:
    """Watches the subscribers of the clouds: logs their number, and problems with likely causes.

    Parameters
    ----------
    settings : Ros2Settings
        Settings of the node.
    writers : list of TopicWriter
        The writers of the clouds.
    """

    def __init__(self, settings: Ros2Settings, writers: list[TopicWriter]) -> None:
        self._settings = settings
        self._writers = writers
        self._counts = dict.fromkeys((writer.topic for writer in writers), 0)
        self._logged: set[str] = set()
        self._begin_s = time.monotonic()
        self._had_some = False
        self._n_behind = 0

    def log_changes(self) -> None:
        """Log changes of the number of subscribers of each cloud, and warn of likely mistakes.

        A warning says if a subscriber asks for a quality of service that is not offered, and so
        gets nothing. Another one says if there has been no subscriber at all for `ALONE_S`. Each
        warning is logged once.
        """
        for writer in self._writers:
            count = writer.n_subscribers
            if count != self._counts[writer.topic]:
                noun = "subscriber" if count == 1 else "subscribers"
                logger.info("%s: %d %s", writer.topic, count, noun)
                self._counts[writer.topic] = count
            policy = writer.newly_refused()
            if policy is not None:
                self._tell_once(
                    f"{writer.topic}: a subscriber asks for another {policy} than is offered, and "
                    "gets nothing; --ros2-qos reliable suits subscribers of both kinds"
                )
        self._had_some |= any(self._counts.values())
        if not self._had_some and time.monotonic() - self._begin_s > ALONE_S:
            self._tell_once(
                f"{', '.join(self._counts)}: no subscriber yet in domain {self._settings.domain}; "
                f"it needs the same {DOMAIN_VARIABLE} and a network that both are in"
            )

    def wait_for_one(self, most_s: float) -> None:
        """Wait for a subscriber of a cloud, then a moment for its subscriptions to other topics.

        Parameters
        ----------
        most_s : float
            Longest time to wait for it; 0: do not wait. [s]
        """
        end_s = time.monotonic() + most_s
        while time.monotonic() < end_s:
            if any(writer.n_subscribers for writer in self._writers):
                time.sleep(_SETTLE_S)
                return
            time.sleep(_POLL_S)

    def count_behind(self, *, has_all: bool) -> None:
        """Count consecutive steps at which a reliable subscriber lacks earlier messages.

        Warn once when the count reaches the depth of the queue: older messages may then be lost.

        Parameters
        ----------
        has_all : bool
            Whether all reliable subscribers have received all earlier messages; resets the count.
        """
        self._n_behind = 0 if has_all else self._n_behind + 1
        if self._n_behind == self._settings.quality.depth:
            self.tell_slow()

    def tell_slow(self) -> None:
        """Warn that a subscriber does not keep up; further calls do nothing."""
        self._tell_once("ROS 2: a subscriber does not keep up, or has died; it may miss messages")

    def _tell_once(self, text: str) -> None:
        if text not in self._logged:
            self._logged.add(text)
            logger.warning("%s", text)


@contextmanager
def serving_ros2(settings: Ros2Settings, config: Config) -> Iterator[tuple[Ros2Publisher, str]]:
    """Start a publisher to ROS 2 for a ``with`` block, and close it at the end of the block.

    Parameters
    ----------
    settings : Ros2Settings
        Topics, names and quality of service.
    config : Config
        Configuration with the sensors whose clouds are published.

    Yields
    ------
    (Ros2Publisher, str)
        The publisher, and a text for the user: the topics of the clouds and the DDS domain.

    Raises
    ------
    InputError
        If two sensors have the same name in ROS or the same topic.
    OutputError
        If a library is not installed, or DDS does not start.
    """
    publisher = Ros2Publisher(config, settings)
    try:
        yield publisher, publisher.address
    finally:
        publisher.close()


def _stored(sensor: Sensor) -> StoredSensor:
    """Return a sensor as a stored run holds it, with only the name and the preset."""
    return StoredSensor(name=sensor.name, settings={"preset": sensor.preset})


def _mounted(sensor: Sensor) -> NDArray[np.float64]:
    """Return the pose of a sensor on its vehicle, (4, 4) [m]."""
    mounting = mounting_position(sensor.mounting)
    return pose_matrix(mounting.position_m, mounting.orientation_rad)
