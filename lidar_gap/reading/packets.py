# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS bags: lidar packets, or point clouds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from lidar_base.unfollowed import NotFollowed
from lidar_gap.reading.bag_bounds import bound_chunks, check_packed_files
from lidar_gap.reading.bag_files import bag_files, rows_of
from lidar_gap.reading.columns import scan_cloud, with_columns
from lidar_gap.reading.mcap_files import ros_messages
from lidar_gap.reading.sources import RecordedSource, chosen_source
from lidar_gap.reading.tables import damage_as_input_error
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray
    from rosbags.typesys.store import Typestore

    from lidar_gap.records import ScanCloud

    _Messages: TypeAlias = Callable[[str], Iterator[bytes]]

ROS_1, SQLITE, MCAP = b"#ROSBAG V2.0\n", b"SQLite format 3\0", b"\x89MCAP0\r\n"
NO_ROSBAGS = "rosbags is not installed: pip install 'osi-lidar[recordings]'"
NO_DPKT = "dpkt is not installed: pip install 'osi-lidar[recordings]'"
NO_DECODER = "velodyne-decoder is not installed: pip install 'osi-lidar[recordings]'"

# message definitions, because bags of ROS 2 may lack them
_DEFINITIONS = {
    "velodyne_msgs/msg/VelodynePacket": "builtin_interfaces/Time stamp\nuint8[1206] data\n",
    "velodyne_msgs/msg/VelodyneScan": (
        "std_msgs/Header header\nvelodyne_msgs/VelodynePacket[] packets\n"
    ),
    "pandar_msgs/msg/PandarPacket": (
        "builtin_interfaces/Time stamp\nuint8[1500] data\nuint32 size\n"
    ),
    "pandar_msgs/msg/PandarScan": "std_msgs/Header header\npandar_msgs/PandarPacket[] packets\n",
    "nebula_msgs/msg/NebulaPacket": "builtin_interfaces/Time stamp\nuint8[] data\n",
    "nebula_msgs/msg/NebulaPackets": (
        "std_msgs/Header header\nnebula_msgs/NebulaPacket[] packets\n"
    ),
}
_SCANS = tuple(name for name in _DEFINITIONS if not name.endswith("Packet"))
_CLOUD = "sensor_msgs/msg/PointCloud2"
# numpy types, by the type numbers of PointField
_FIELD_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}


@dataclass(frozen=True, slots=True)
class Packets:
    """The packets of one lidar, in the order of their arrival.

    Attributes
    ----------
    stamp_s : float64 (n_packet,)
        Time of arrival. [s]
    payload : list of bytes
        Content of each packet.
    """

    stamp_s: NDArray[np.float64]
    payload: list[bytes]


def bag_content(path: Path, wanted: str | None = None) -> Packets | list[ScanCloud]:
    """Return the packets of a ROS bag, or its clouds if it holds no packets.

    Parameters
    ----------
    path : Path
        A ROS 1 bag (.bag), one file of a ROS 2 bag (.db3, .mcap), or the folder of a ROS 2 bag.
    wanted : str, optional
        The topic to read. Default: the only topic of packets; without packets, the only topic of
        clouds.

    Raises
    ------
    InputError
        If the bag cannot be read, rosbags is not installed, or the bag has no topic of a lidar. If
        ``wanted`` is not in the bag, or is None and there are several topics.
    """
    with damage_as_input_error(path, "a ROS bag"):
        types = message_types(path)
        type_of, messages = _opened(path, types)
        sources = topics_of(type_of)
        if not sources:
            got = ", ".join(sorted(set(type_of.values()))) or "no topic"
            raise InputError(
                f"{path}: got {got}, expected a topic of packets (Velodyne, Hesai) or PointCloud2"
            )
        topic = sources[chosen_source(path, sources, wanted)].name
        decoded = (types.deserialize_cdr(raw, type_of[topic]) for raw in messages(topic))
        if type_of[topic] == _CLOUD:
            return [_cloud(path, number, each) for number, each in enumerate(decoded)]
        pairs = [pair for message in decoded for pair in _stamped(message)]
    return Packets(np.array([stamp for stamp, _ in pairs]), [payload for _, payload in pairs])


def bag_types(path: Path) -> Mapping[str, str]:
    """Return the message type of each topic of a ROS bag, such as "sensor_msgs/msg/PointCloud2".

    Parameters
    ----------
    path : Path
        A ROS 1 bag (.bag), one file of a ROS 2 bag (.db3, .mcap), or the folder of a ROS 2 bag.

    Raises
    ------
    InputError
        If the bag cannot be read, or rosbags is not installed.
    """
    with damage_as_input_error(path, "a ROS bag"):
        return _opened(path, message_types(path))[0]


def topics_of(type_of: Mapping[str, str], *, all_kinds: bool = False) -> list[RecordedSource]:
    """Return the topics of a bag that hold lidar packets or clouds (PointCloud2), as sources.

    Parameters
    ----------
    type_of : mapping of str to str
        Message type of each topic, as from `bag_types`.
    all_kinds : bool
        Whether to return topics of all other message types, too.

    Returns
    -------
    list of RecordedSource
        Its ``is_usable`` is True for topics of packets. If the bag has none, it is True for topics
        of PointCloud2 instead.
    """
    default = _SCANS if any(kind in _SCANS for kind in type_of.values()) else (_CLOUD,)
    return [
        RecordedSource(topic, kind, also=(topic.lstrip("/"),), is_usable=kind in default)
        for topic, kind in type_of.items()
        if all_kinds or kind in (*_SCANS, _CLOUD)
    ]


def _opened(path: Path, types: Typestore) -> tuple[Mapping[str, str], _Messages]:
    """Return message types by topic, and a function that yields a topic's messages, of any bag."""
    files = bag_files(path) if path.is_dir() else [path]
    if files and all(_begins(file, SQLITE) for file in files):
        return _stored(files)
    if path.is_dir() or _begins(path, ROS_1):
        return _recorded(path, types)
    if _begins(path, MCAP):
        return ros_messages(path)
    raise InputError(f"{path}: is not a ROS bag, expected .bag, .db3 or .mcap")


def _begins(path: Path, magic: bytes) -> bool:
    """Return whether a file begins with these bytes."""
    with path.open("rb") as file:
        return file.read(len(magic)) == magic


def _stored(files: list[Path]) -> tuple[dict[str, str], Callable[[str], Iterator[bytes]]]:
    """Return the same as `_opened` for a bag of databases (.db3).

    The databases are read without the bag's metadata, because metadata of old recorders lack fields
    that rosbags requires.
    """

    def messages(topic: str) -> Iterator[bytes]:
        query = (
            "SELECT data FROM messages JOIN topics ON topics.id = topic_id "
            "WHERE name = ? ORDER BY timestamp"
        )
        return (raw for file in files for (raw,) in rows_of(file, query, topic))

    types = (row for file in files for row in rows_of(file, "SELECT name, type FROM topics"))
    return dict(types), messages


def _recorded(
    path: Path,
    types: Typestore,
) -> tuple[dict[str, str], Callable[[str], Iterator[bytes]]]:
    """Return the same as `_opened` for other bags, by rosbags; messages are converted to ROS 2."""
    from rosbags.highlevel import AnyReader  # noqa: PLC0415  an optional dependency

    check_packed_files(path)
    with AnyReader([path], default_typestore=types) as reader:
        type_of = {each.topic: each.msgtype for each in reader.connections}

    def messages(topic: str) -> Iterator[bytes]:
        with AnyReader([path], default_typestore=types) as reader:
            bound_chunks(reader)
            chosen = [each for each in reader.connections if each.topic == topic]
            for connection, _, raw in reader.messages(connections=chosen):
                yield raw if reader.is2 else bytes(types.ros1_to_cdr(raw, connection.msgtype))

    return type_of, messages


def message_types(path: Path) -> Typestore:
    """Return rosbags' store of message types, for ROS 2 and for drivers of lidars.

    ``path`` only appears in the error.

    Raises
    ------
    InputError
        If rosbags is not installed.
    """
    try:
        from rosbags.typesys import (  # noqa: PLC0415  an optional dependency
            Stores,
            get_types_from_msg,
            get_typestore,
        )
    except ImportError as error:
        raise InputError(f"{path}: {NO_ROSBAGS}") from error
    store = get_typestore(Stores.ROS2_HUMBLE)
    for name, text in _DEFINITIONS.items():
        store.register(get_types_from_msg(text, name))
    return store


def _stamped(message: Any) -> Iterator[tuple[float, bytes]]:  # noqa: ANN401
    """Yield time [s] and payload of each packet of a message."""
    for packet in message.packets:
        size = getattr(packet, "size", len(packet.data))
        yield packet.stamp.sec + 1e-9 * packet.stamp.nanosec, packet.data[:size].tobytes()


def _cloud(path: Path, number: int, message: Any) -> ScanCloud:  # noqa: ANN401
    """Return the cloud of a PointCloud2 message."""
    order = ">" if message.is_bigendian else "<"
    single = [field for field in message.fields if field.count <= 1]
    kind = np.dtype(
        {
            "names": [field.name for field in single],
            "formats": [order + _FIELD_TYPES[field.datatype] for field in single],
            "offsets": [field.offset for field in single],
            "itemsize": message.point_step,
        }
    )
    rows = np.frombuffer(message.data.tobytes(), kind, count=message.width * message.height)
    columns = {name: rows[name] for name in kind.names or ()}
    stamp = message.header.stamp
    cloud = scan_cloud(
        path,
        f"{path.stem}-{number:06d}",
        columns,
        stamp_s=stamp.sec + 1e-9 * stamp.nanosec,
    )
    several = [field for field in message.fields if field.count > 1]
    passed = [NotFollowed(f"column {each.name:.60} of {each.count} values") for each in several]
    return with_columns(cloud, not_followed=(*cloud.not_followed, *passed))
