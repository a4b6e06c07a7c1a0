# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bags of ROS 2, without ROS: clouds as PointCloud2, and the transforms that place them.

Frames are ``map`` (the world of the trace), ``base_link`` (the centre of the host's rear axle) and
the names of the sensors, with x forward, y left and z up (REP 103, REP 105).
"""

from __future__ import annotations

import heapq
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lidar_app.exports.export_run import Export, failures_told, library
from lidar_app.exports.labels import Labelling
from lidar_app.exports.ros2_layouts import LAYOUTS, PointLayout, with_truth
from lidar_app.exports.scan_points import VELOCITY, base_from_sensor, begin_ns, has, reports_of
from lidar_base.fields import with_field
from osi_lidar.clouds.cloud import NEAR_IR
from osi_lidar.clouds.pcd import pose_row
from osi_lidar.errors import InputError, OutputError
from osi_lidar.output.accumulation import matrix_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray
    from rosbags.interfaces import Connection
    from rosbags.rosbag2 import Writer
    from rosbags.typesys.store import Typestore

    from osi_lidar.output.stored import StoredRun, StoredScan
    from osi_lidar.sensors.reports import Reports

STORAGES = ("sqlite3", "mcap")
MAP, BASE = "map", "base_link"
_CLOUD, _TRANSFORMS = "sensor_msgs/msg/PointCloud2", "tf2_msgs/msg/TFMessage"
_TYPES = {"f4": 7, "u1": 2, "u2": 4, "u4": 6}  # numbers of sensor_msgs/msg/PointField
_MOST_SECONDS = 2**31
_FOREVER = "{sec: 9223372036, nsec: 854775807}"
_LATCHED = (  # static transforms reach who subscribes late
    "- {history: 1, depth: 1, reliability: 1, durability: 1, liveliness: 1, "
    f"deadline: {_FOREVER}, lifespan: {_FOREVER}, liveliness_lease_duration: {_FOREVER}, "
    "avoid_ros_namespace_conventions: false}"
)


class _Message(NamedTuple):
    """A message of the bag, and when it is played [ns]."""

    time_ns: int
    topic: str
    content: object


def write_ros2(export: Export, *, layout: str, storage: str, truth: bool = False) -> None:
    """Write a run as a bag of ROS 2.

    Parameters
    ----------
    export : Export
        What is written, and where.
    layout : {"xyzirt", "autoware"}
        Rows of the points, see `ros2_layouts`.
    storage : {"sqlite3", "mcap"}
        File format inside of the bag.
    truth : bool
        Whether points have class and object too, as further fields.

    Raises
    ------
    InputError
        If a cloud cannot be read, or two sensors get the same name.
    OutputError
        If rosbags is not installed, or too old for the storage.
    """
    typesys = library("rosbags.typesys", "ros2")
    types = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    chosen = LAYOUTS[layout]
    names = _names(export.run)
    mountings = {each.name: base_from_sensor(export.run, each) for each in export.run.sensors}
    base = _header(types, 0, BASE)
    static = [_transform(types, base, names[each], pose) for each, pose in mountings.items()]
    first_ns = max(min(scan.row.begin_ns for scan in export.run.scans), 0)
    fixed = _Message(first_ns, "/tf_static", types.types[_TRANSFORMS](transforms=static))
    topics = [chosen.topic.format(name) for name in names.values()]
    with failures_told(sqlite3.Error), closing(_bag(export.path, storage)) as bag:
        to = {topic: _connection(bag, types, topic, _CLOUD) for topic in topics}
        for topic, latched in (("/tf", False), ("/tf_static", True)):
            to[topic] = _connection(bag, types, topic, _TRANSFORMS, latched=latched)
        clouds = _clouds(types, chosen, names, export, truth=truth)
        moves = _moves(types, export.run, mountings)
        for message in heapq.merge([fixed], moves, clouds, key=lambda each: each.time_ns):
            at = to[message.topic]
            bag.write(at, message.time_ns, types.serialize_cdr(message.content, at.msgtype))


def _bag(path: Path, storage: str) -> Writer:
    """Return an open bag; rosbags writes MCAP from version 0.10 on."""
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
            "install one without the other, or take sqlite3"
        )
    bag.open()
    return bag


def _connection(
    bag: Writer, types: Typestore, topic: str, kind: str, *, latched: bool = False
) -> Connection:
    """Return the connection of a topic, with the quality of service that a player offers."""
    quality: Any = _LATCHED if latched else ""
    parse = getattr(library("rosbags.rosbag2.metadata", "ros2"), "parse_qos", None)
    if parse is not None and hasattr(bag, "storage_plugin"):
        quality = parse(quality)
    return bag.add_connection(topic, kind, typestore=types, offered_qos_profiles=quality)


def _names(run: StoredRun) -> dict[str, str]:
    """Return the names of the sensors as ROS allows them, by their own."""
    names = {each.name: re.sub(r"\W", "_", each.name, flags=re.ASCII) for each in run.sensors}
    names = {own: f"lidar_{name}" if name[0].isdigit() else name for own, name in names.items()}
    if len(set(names.values())) < len(names):
        raise InputError(f"{run.folder}: got sensors {', '.join(names)}, which are alike in ROS")
    return names


def _clouds(
    types: Typestore, layout: PointLayout, names: Mapping[str, str], export: Export, *, truth: bool
) -> Iterator[_Message]:
    """Yield the messages of all scans."""
    labelling = Labelling(export.run) if truth else None
    reports = {each.name: reports_of(each) for each in export.run.sensors}
    for scan in export.scans:
        yield _cloud(types, layout, names, scan, (reports[scan.row.sensor], labelling))


def _cloud(
    types: Typestore,
    layout: PointLayout,
    names: Mapping[str, str],
    scan: StoredScan,
    means: tuple[Reports, Labelling | None],
) -> _Message:
    """Return the message of a scan: stamped with its begin, and played at its end."""
    points, (reports, labelling) = scan.points(), means
    rows = layout.rows(scan, points, reports)
    for name in (VELOCITY, NEAR_IR):
        if has(points, name):
            rows = with_field(rows, name, points[name])
    if labelling is not None:
        rows = with_truth(rows, labelling.of(points))
    fields: Any = rows.dtype.fields
    described = [
        types.types["sensor_msgs/msg/PointField"](
            name=name, offset=fields[name][1], datatype=_TYPES[fields[name][0].str[1:]], count=1
        )
        for name in rows.dtype.names or ()
    ]
    content = types.types[_CLOUD](
        header=_header(types, begin_ns(scan, points), names[scan.row.sensor]),
        height=1,
        width=len(rows),
        fields=described,
        is_bigendian=False,
        point_step=rows.itemsize,
        row_step=rows.nbytes,
        data=rows.view(np.uint8),
        is_dense=True,
    )
    return _Message(scan.row.end_ns, layout.topic.format(names[scan.row.sensor]), content)


def _moves(
    types: Typestore, run: StoredRun, mountings: Mapping[str, NDArray[np.float64]]
) -> Iterator[_Message]:
    """Yield the poses of the host at the begin and the end of each scan, by their times."""
    poses: dict[int, NDArray[np.float64]] = {}
    for row in run.rows:
        begin = max(row.begin_ns, 0), row.begin_pose  # ROS has no negative times
        for time_ns, pose in (begin, (row.end_ns, row.end_pose)):
            if pose is not None and time_ns not in poses:
                poses[time_ns] = matrix_of(pose) @ np.linalg.inv(mountings[row.sensor])
    for time_ns in sorted(poses):
        transform = _transform(types, _header(types, time_ns, MAP), BASE, poses[time_ns])
        yield _Message(time_ns, "/tf", types.types[_TRANSFORMS](transforms=[transform]))


def _transform(types: Typestore, header: object, child: str, pose: NDArray[np.float64]) -> object:
    """Return a pose as TransformStamped."""
    x, y, z, qw, qx, qy, qz = pose_row(pose)
    of = types.types
    return of["geometry_msgs/msg/TransformStamped"](
        header=header,
        child_frame_id=child,
        transform=of["geometry_msgs/msg/Transform"](
            translation=of["geometry_msgs/msg/Vector3"](x=x, y=y, z=z),
            rotation=of["geometry_msgs/msg/Quaternion"](x=qx, y=qy, z=qz, w=qw),
        ),
    )


def _header(types: Typestore, time_ns: int, frame: str) -> object:
    seconds, rest_ns = divmod(time_ns, 1_000_000_000)
    if not -_MOST_SECONDS <= seconds < _MOST_SECONDS:
        raise InputError(f"time {seconds} s: ROS 2 counts seconds in 32 bits, less than 2**31")
    stamp = types.types["builtin_interfaces/msg/Time"](sec=seconds, nanosec=rest_ns)
    return types.types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame)
