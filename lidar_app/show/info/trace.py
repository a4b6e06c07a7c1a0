# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of an OSI trace, and of other MCAP files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.show.info.record import Info
from osi_bridge import UnchosenSourceError, mcap_channels, trace_contents

if TYPE_CHECKING:
    from pathlib import Path

    from osi_bridge import ObjectGroup, TraceContents


def trace_info(path: Path, source: str | None = None) -> Info:
    """Return the content of an OSI trace, and the message fields that osi-lidar ignores.

    Parameters
    ----------
    path : Path
        The trace.
    source : str, optional
        Topic to read, for an MCAP file with several channels of OSI messages. If such a file is
        given without a topic, only the channels are listed.

    Returns
    -------
    Info
        Facts such as number of messages, times and host vehicle. The list ``objects`` has a row for
        each type of object, the list ``channels`` one for each channel of an MCAP file.

    Raises
    ------
    TraceError, OsiInputError
        If the file is not a trace, or its first message cannot be used.
    """
    facts: dict[str, object]
    try:
        found = trace_contents(path, source=source)
    except UnchosenSourceError as error:
        if source is not None:
            raise
        facts = {"messages": error.problem}
        return Info(path=path, kind="OSI trace", facts=facts, lists={"channels": _channels(path)})
    facts = {
        "messages": found.n_messages,
        "message_type": found.message_type,
        "looked_into": None if found.n_decoded == found.n_messages else found.n_decoded,
        **_times(found),
        "osi_version": None if found.osi_version is None else ".".join(map(str, found.osi_version)),
        "host_vehicle": list(found.hosts) or None,
        "virtual_sensor_at_m": None if found.mounting is None else list(found.mounting.position_m),
        **_road(found),
        "model_reference": found.environment_reference or None,
        "lists": dict(found.lists) or None,
        "damage": None if found.damage is None else str(found.damage),
    }
    lists = {
        "objects": [_row(group) for group in found.objects],
        "channels": _channels(path),
        "not_followed": [each._asdict() for each in found.fields.not_followed],
    }
    return Info(path=path, kind="OSI trace", facts=facts, lists=lists)


def mcap_info(path: Path) -> Info:
    """Return the channels of an MCAP file, at `path`, that has no OSI messages in protobuf.

    The list ``channels`` of the result has topic, schema, encoding and number of messages of each.

    Raises
    ------
    TraceError
        If the file is not an MCAP file, or is damaged before the first channel.
    """
    return Info(path=path, kind="MCAP without OSI messages", lists={"channels": _channels(path)})


def _times(found: TraceContents) -> dict[str, object]:
    if found.first_ns is None or found.last_ns is None:
        return {}
    return {
        "first_time_s": 1e-9 * found.first_ns,
        "duration_s": round(1e-9 * (found.last_ns - found.first_ns), 6),
        "time_restarts": found.time_restarts or None,
        "rate_hz": None if found.rate_hz is None else round(found.rate_hz, 3),
    }


def _road(found: TraceContents) -> dict[str, object]:
    lanes = found.lanes
    counts = {}
    if lanes is not None:
        counts = {
            "lanes": len(lanes.lanes),
            "boundaries": len(lanes.boundaries),
            "markings": len(lanes.markings),
            "logical_lanes": len(lanes.logical_lanes),
        }
    return {**counts, "map_reference": found.map_reference or None}


def _row(group: ObjectGroup) -> dict[str, object]:
    names = filter(None, (group.type_name, group.subtype_name))
    return {
        "list": group.kind.name.lower(),
        "type": " ".join(name.removeprefix("TYPE_") for name in names),
        "number": len(group.ids),
        "size_m": " x ".join(f"{side:.2f}" for side in group.most_m),
        "model_reference": group.model_reference,
        "osi_ids": [str(each) for each in sorted(group.ids)],
    }


def _channels(path: Path) -> list[dict[str, object]]:
    if ".mcap" not in (suffix.lower() for suffix in path.suffixes):
        return []
    return [
        {
            "topic": each.topic,
            "schema": each.schema,
            "encoding": each.encoding,
            "messages": each.n_messages,
        }
        for each in mcap_channels(path)
    ]
