# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Export as a ROS 2 bag, without ROS: writes the messages of `ros2_messages`."""

from __future__ import annotations

import heapq
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from lidar_app.exports.export_run import Export, failures_as_os_error, library
from lidar_app.exports.labels import Labelling
from lidar_app.exports.ros2_layouts import LAYOUTS, PointLayout, with_truth
from lidar_app.exports.ros2_messages import (
    BASE,
    CLOUD,
    MAP,
    TRANSFORMS,
    cloud_message,
    cloud_rows,
    host_poses,
    message_types,
    ros_names,
    transforms_message,
)
from lidar_app.exports.scan_points import base_from_sensor, begin_ns, reports_of
from osi_lidar.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from rosbags.interfaces import Connection
    from rosbags.rosbag2 import Writer
    from rosbags.typesys.store import Typestore

    from osi_lidar.output.stored import StoredRun

STORAGES = ("sqlite3", "mcap")
_FOREVER = "{sec: 9223372036, nsec: 854775807}"
_LATCHED = (  # late subscribers get static transforms, too
    "- {history: 1, depth: 1, reliability: 1, durability: 1, liveliness: 1, "
    f"deadline: {_FOREVER}, lifespan: {_FOREVER}, liveliness_lease_duration: {_FOREVER}, "
    "avoid_ros_namespace_conventions: false}"
)


class _Message(NamedTuple):
    """A message of the bag, and the time at which it is played [ns]."""

    time_ns: int
    topic: str
    content: object


def write_ros2(export: Export, *, layout: str, storage: str, truth: bool = False) -> None:
    """Write a run as a bag of ROS 2.

    Parameters
    ----------
    export : Export
        The run, and the folder to write.
    layout : {"xyzirt", "autoware"}
        Fields of the points, see `ros2_layouts`.
    storage : {"sqlite3", "mcap"}
        File format inside of the bag.
    truth : bool
        Whether points get the fields label and instance, see `ros2_layouts.TRUTH`.

    Raises
    ------
    InputError
        If a cloud cannot be read, or two sensors would get the same name.
    OutputError
        If rosbags is not installed, or too old for the storage.
    """
    types = message_types("ros2")
    chosen = LAYOUTS[layout]
    names = ros_names((each.name for each in export.run.sensors), export.run.folder)
    mountings = {each.name: base_from_sensor(export.run, each) for each in export.run.sensors}
    static = ((0, names[each], pose) for each, pose in mountings.items())
    first_ns = max(min(scan.row.begin_ns for scan in export.run.scans), 0)
    fixed = _Message(first_ns, "/tf_static", transforms_message(types, BASE, static))
    topics = [chosen.topic.format(name) for name in names.values()]
    with failures_as_os_error(sqlite3.Error), closing(_bag(export.path, storage)) as bag:
        to = {topic: _connection(bag, types, topic, CLOUD) for topic in topics}
        for topic, latched in (("/tf", False), ("/tf_static", True)):
            to[topic] = _connection(bag, types, topic, TRANSFORMS, latched=latched)
        clouds = _clouds(types, chosen, names, export, truth=truth)
        moves = _moves(types, export.run, mountings)
        for message in heapq.merge([fixed], moves, clouds, key=lambda each: each.time_ns):
            at = to[message.topic]
            data = bytes(types.serialize_cdr(message.content, at.msgtype))
            bag.write(at, message.time_ns, data)


def _bag(path: Path, storage: str) -> Writer:
    """Return an open bag; storage "mcap" requires rosbags 0.10."""
    rosbag2 = library("rosbags.rosbag2", "ros2")
    plugins = getattr(rosbag2, "StoragePlugin", None)
    bag: Writer
    if plugins is not None:
        bag = rosbag2.Writer(path, version=8, storage_plugin=plugins[storage.upper()])
    elif storage == "sqlite3":
        bag = rosbag2.Writer(path)
    else:
        raise OutputError(
            "--storage mcap: needs rosbags 0.10 or newer, which ouster-sdk 1.0 does not allow: "
            "uninstall ouster-sdk, or use --storage sqlite3"
        )
    bag.open()
    return bag


def _connection(
    bag: Writer, types: Typestore, topic: str, kind: str, *, latched: bool = False
) -> Connection:
    """Add a topic to a bag, with the quality of service that a player must offer."""
    quality: Any = _LATCHED if latched else ""
    parse = getattr(library("rosbags.rosbag2.metadata", "ros2"), "parse_qos", None)
    if parse is not None and hasattr(bag, "storage_plugin"):
        quality = parse(quality)
    return bag.add_connection(topic, kind, typestore=types, offered_qos_profiles=quality)


def _clouds(
    types: Typestore, layout: PointLayout, names: Mapping[str, str], export: Export, *, truth: bool
) -> Iterator[_Message]:
    """Yield the clouds of all scans: stamped with their begin, played at their end."""
    labelling = Labelling(export.run) if truth else None
    reports = {each.name: reports_of(each) for each in export.run.sensors}
    for scan in export.scans:
        points, row = scan.points(), scan.row
        rows = cloud_rows(layout, scan, points, reports[row.sensor])
        if labelling is not None:
            rows = with_truth(rows, labelling.of(points))
        frame = names[row.sensor]
        content = cloud_message(types, rows, time_ns=begin_ns(scan, points), frame=frame)
        yield _Message(row.end_ns, layout.topic.format(frame), content)


def _moves(
    types: Typestore, run: StoredRun, mountings: Mapping[str, NDArray[np.float64]]
) -> Iterator[_Message]:
    """Yield the poses of the host at begin and end of each scan, in the order of time."""
    for time_ns, pose in host_poses(run.rows, mountings).items():
        yield _Message(time_ns, "/tf", transforms_message(types, MAP, [(time_ns, BASE, pose)]))
