# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bags of ROS 2: databases and clouds, written without a recorder."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from mcap.writer import Writer

CLOUD = "sensor_msgs/msg/PointCloud2"
_DATATYPE = {"i1": 1, "u1": 2, "i2": 3, "u2": 4, "i4": 5, "u4": 6, "f4": 7, "f8": 8}


def ros_types() -> Any:
    """Return the types of messages that recordings are read with."""
    from lidar_gap.reading.packets import message_types

    return message_types(Path("bag"))


def cloud_message(rows: np.ndarray, *, stamp_ns: int = 0, **changed: object) -> bytes:
    """Return a PointCloud2 of structured rows."""
    types = ros_types()
    kinds = types.types
    stamp = kinds["builtin_interfaces/msg/Time"](*divmod(stamp_ns, 10**9))
    field = kinds["sensor_msgs/msg/PointField"]
    placed = [(name, *rows.dtype.fields[name][:2]) for name in rows.dtype.names]
    size = rows.dtype.itemsize
    content = {
        "header": kinds["std_msgs/msg/Header"](stamp=stamp, frame_id="a"),
        "height": 1,
        "width": len(rows),
        "fields": [
            field(name=name, offset=at, datatype=_DATATYPE[kind.base.str[1:]],
                  count=int(np.prod(kind.shape, dtype=int)))
            for name, kind, at in placed
        ],
        "is_bigendian": False,
        "point_step": size,
        "row_step": size * len(rows),
        "data": np.frombuffer(rows.tobytes(), np.uint8),
        "is_dense": True,
    }  # fmt: skip
    return bytes(types.serialize_cdr(kinds[CLOUD](**{**content, **changed}), CLOUD))


def database(path: Path, topic: str, kind: str, messages: Iterable[tuple[int, bytes]]) -> Path:
    """Write or add to a database: messages of a topic with their times [ns]."""
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE IF NOT EXISTS topics (id INTEGER, name TEXT, type TEXT)")
        base.execute(
            "CREATE TABLE IF NOT EXISTS messages (topic_id INTEGER, timestamp INTEGER, data BLOB)"
        )
        (number,) = base.execute("SELECT count(*) FROM topics").fetchone()
        base.execute("INSERT INTO topics VALUES (?, ?, ?)", (number, topic, kind))
        rows = [(number, stamp_ns, raw) for stamp_ns, raw in messages]
        base.executemany("INSERT INTO messages VALUES (?, ?, ?)", rows)
        base.commit()
    return path


def ros_mcap(path: Path, topics: Mapping[str, Iterable[tuple[int, bytes]]]) -> Path:
    """Write an MCAP file of clouds: messages by topic, with their times [ns]."""
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        schema = writer.register_schema(CLOUD, "ros2msg", b"")
        for topic, messages in topics.items():
            channel = writer.register_channel(topic, "cdr", schema)
            for stamp_ns, raw in messages:
                writer.add_message(channel, stamp_ns, raw, stamp_ns)
        writer.finish()
    return path


def ros1_bag(path: Path, raw: bytes, topic: str = "/points") -> Path:
    """Write a bag of ROS 1 with one cloud, given as a message of ROS 2."""
    from rosbags.rosbag1 import Writer as Bag
    from rosbags.typesys import Stores, get_typestore

    types = get_typestore(Stores.ROS1_NOETIC)
    message = ros_types().deserialize_cdr(raw, CLOUD)
    header = types.types["std_msgs/msg/Header"](
        seq=0, stamp=message.header.stamp, frame_id=message.header.frame_id
    )
    message.header = header
    with Bag(path) as bag:
        connection = bag.add_connection(topic, CLOUD, typestore=types)
        bag.write(connection, 5, types.serialize_ros1(message, CLOUD))
    return path
