# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The choice of the channel of an MCAP file whose messages are read."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lidar_base.files.sources import RecordedSource, SourceChoiceError, number_of_source
from osi_bridge.errors import TraceError, UnchosenSourceError
from osi_bridge.traces.mcap import McapChannel, read_channels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from osi_bridge.traces.mcap import Channels

__all__ = ["choose_channel"]

_PREFERENCE = ("SensorView", "GroundTruth", "SensorData")


def choose_channel(path: Path, message_type: str | None, source: str | None) -> McapChannel:
    """Return the channel to read from an MCAP file that may have several channels of OSI messages.

    With `source`, the result is the channel of this name, even if the channel is empty. Without
    `source`, empty channels are ignored unless all channels are empty. SensorView channels are
    preferred to GroundTruth channels, and these to SensorData channels. If several channels have
    the preferred type, the choice is an error.

    Parameters
    ----------
    path : Path
        The MCAP file.
    message_type : str, optional
        Consider only channels of this type: "SensorView", "GroundTruth" or "SensorData".
    source : str, optional
        Topic of the channel. If several channels have this topic, "#" and the id of the channel
        follow it, as in "/osi#2".

    Raises
    ------
    TraceError
        The file is not an MCAP file, or has no such OSI channel in protobuf encoding.
    UnchosenSourceError
        `source` names no such channel or several; or it is None, and several channels of the
        preferred type remain.
    """
    channels, counts = read_channels(path)
    known = _osi_channels(channels, counts)
    wanted = [message_type] if message_type else list(_PREFERENCE)
    fitting = [channel for name in wanted for channel in known if channel.message_type == name]
    if not fitting:
        expected = message_type or "SensorView or GroundTruth"
        raise TraceError(
            path,
            f"it contains {_held(channels) or 'no channel'}, "
            f"expected a channel with OSI {expected} in protobuf encoding",
        )
    try:
        return fitting[number_of_source(_sources(fitting), source)]
    except SourceChoiceError as error:
        raise UnchosenSourceError(path, str(error)) from error


def _held(channels: Channels) -> str:
    """Return a text of one line that lists all channels."""
    held = ", ".join(
        f"{channel.topic} ({schema.name if schema else 'no schema'}, "
        f"{channel.message_encoding or 'no encoding'})"
        for channel, schema in channels.values()
    )
    return " ".join(held.split())


def _osi_channels(channels: Channels, counts: Mapping[int, int]) -> list[McapChannel]:
    """Return the channels of OSI messages in protobuf."""
    known: list[McapChannel] = []
    for channel, schema in channels.values():
        package, _, name = ("" if schema is None else schema.name).rpartition(".")
        if channel.message_encoding == "protobuf" and package == "osi3" and name in _PREFERENCE:
            known.append(McapChannel(channel.id, channel.topic, name, counts.get(channel.id)))
    return known


def _sources(channels: Sequence[McapChannel]) -> list[RecordedSource]:
    """Return channels as sources to choose from; channels of the first one's type are preferred."""
    filled = [each for each in channels if each.n_messages != 0] or channels
    by_default = {each.id for each in filled if each.message_type == filled[0].message_type}
    topics = Counter(each.topic for each in channels)
    return [
        RecordedSource(
            each.topic if topics[each.topic] == 1 else f"{each.topic}#{each.id}",
            each.message_type,
            each.n_messages,
            also=(each.topic, each.topic.lstrip("/")),
            is_usable=each.id in by_default,
            unit="messages",
        )
        for each in channels
    ]
