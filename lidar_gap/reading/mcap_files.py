# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Single MCAP files: clouds for viewers (foxglove.PointCloud), and ROS 2 messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_gap.reading.columns import scan_cloud
from lidar_gap.reading.sources import RecordedSource, chosen_source
from lidar_gap.reading.tables import damage_as_input_error
from osi_bridge import EDGES, POINT_CLOUD, cloud_reader, mcap_channels, mcap_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lidar_gap.reading.columns import Rows
    from lidar_gap.records import ScanCloud
    from osi_bridge import ChannelSummary


def viewer_clouds(path: Path, wanted: str | None = None) -> list[ScanCloud] | None:
    """Return the foxglove.PointCloud messages of an MCAP file as clouds.

    `osi-lidar export mcap` writes such files.

    Parameters
    ----------
    path : Path
        The file.
    wanted : str, optional
        Topic to read, or the name of its sensor, which is the first part of the topic. Default: the
        only topic of foxglove.PointCloud.

    Returns
    -------
    list of ScanCloud or None
        Clouds in the frame of their sensor; None if the file has no such topic.

    Raises
    ------
    InputError
        If the file is damaged, or if it is open which topic to read: ``wanted`` fits none or
        several, or it is None and there are several.
    """
    with damage_as_input_error(path, "an MCAP file of clouds"):
        clouds = (each for each in mcap_channels(path) if each.schema == POINT_CLOUD)
        found = [each for each in clouds if each.encoding == "protobuf" and each.topic != EDGES]
        if not found:
            return None
        sources = [_source(each) for each in found]
        channel = found[chosen_source(path, sources, wanted)]
        read = cloud_reader(channel.definition)
        return [
            _cloud(path, message.index, read(message.data))
            for message in mcap_messages(path, channel)
        ]


def _source(channel: ChannelSummary) -> RecordedSource:
    sensor = channel.topic.strip("/").partition("/")[0]
    return RecordedSource(channel.topic, channel.schema, channel.n_messages, (sensor,))


def _cloud(path: Path, number: int, rows: Rows) -> ScanCloud:
    columns = {name: rows[name] for name in rows.dtype.names or ()}
    return scan_cloud(path, f"{path.stem}-{number:06d}", columns)


def ros_messages(path: Path) -> tuple[dict[str, str], Callable[[str], Iterator[bytes]]]:
    """Return the message type of each topic of an MCAP file, and a function that reads a topic.

    No metadata.yaml is needed beside the file.

    Parameters
    ----------
    path : Path
        The MCAP file.

    Returns
    -------
    types : dict of str to str
        Name of the message type, by topic.
    messages : callable
        Takes a topic of the file, and yields its ROS 2 messages, each as serialised bytes.
    """
    channels = {each.topic: each for each in mcap_channels(path)}

    def messages(topic: str) -> Iterator[bytes]:
        return (each.data for each in mcap_messages(path, channels[topic]))

    return {topic: each.schema for topic, each in channels.items()}, messages
