# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Summary of a trace, without a simulation run: messages, times, objects, lanes, references."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError
from osi3.osi_sensordata_pb2 import SensorData

from osi_bridge.description.limits import checked_time_ns
from osi_bridge.description.unused_fields import NOT_SEARCHED, UnusedFields
from osi_bridge.errors import DamagedTrace, LateMessage, OsiInputError, UndecodableMessage
from osi_bridge.ground_truth import FrameDecoder
from osi_bridge.records import ObjectKind
from osi_bridge.traces.reader import open_trace

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from google.protobuf.message import Message

    from osi_bridge.description.lanes import LaneNetwork
    from osi_bridge.records import Frame, HostVehicle, MessageType, MountingPosition
    from osi_bridge.traces.binary import RawMessage
    from osi_bridge.traces.reader import TraceReader

__all__ = ["ObjectGroup", "TraceContents", "trace_contents"]

MOST_MESSAGES, MOST_BYTES = 200, 2**28
"""Approximate limits of the messages decoded by default: number, and total size [bytes]."""


@dataclass(slots=True, kw_only=True)
class ObjectGroup:
    """The objects of a trace that have the same type and the same model reference.

    Attributes
    ----------
    kind : ObjectKind
        List of the ground truth that the objects come from.
    type_name, subtype_name : str
        Names from OSI's enumerations, such as "TYPE_VEHICLE" and "TYPE_CAR"; "" = none.
    model_reference : str
        OSI's model_reference of the objects; "" = none.
    ids : set of int
        OSI ids.
    least_m, most_m : (float, float, float)
        Smallest and largest length, width and height of the objects. The three sides may come from
        different objects. [m]
    """

    kind: ObjectKind
    type_name: str
    subtype_name: str
    model_reference: str
    ids: set[int] = field(default_factory=set)
    least_m: tuple[float, float, float]
    most_m: tuple[float, float, float]


@dataclass(slots=True, kw_only=True)
class TraceContents:
    """Summary of the messages of a trace.

    Attributes
    ----------
    path : Path
        The trace.
    message_type : str
        "SensorView", "GroundTruth" or "SensorData".
    n_messages, n_decoded : int
        Number of complete messages before any damage, and number of decoded messages.
    first_ns, last_ns : int or None
        Times of the first and of the last decoded message; messages after a restart of time do not
        count. None if no message was decoded. [ns]
    n_until_last : int
        Number of messages after the first message of the trace, up to the message at ``last_ns``.
    time_restarts : bool
        Whether time goes back, so that a decoded message is older than the one before it.
    osi_version : tuple of int or None
        Version of OSI that the messages state: major, minor, patch.
    hosts : tuple of int
        OSI ids of the host vehicles.
    objects : tuple of ObjectGroup
        Objects by type and model reference, in the order in which they appear.
    lanes : LaneNetwork or None
        Lanes of the last decoded message with lanes.
    map_reference, environment_reference : str
        GroundTruth's map_reference and model_reference; "" = none.
    mounting : MountingPosition or None
        Pose of the virtual sensor that a SensorView is for.
    host_roof_m : (float, float, float) or None
        Centre of the top of the first host's box, in the vehicle frame (origin: rear axle). [m]
    lists : mapping of str to int
        Largest number of entries of each list in SensorData messages, by the name of the list.
    fields : UnusedFields
        Fields that messages set but the model does not read.
    damage : DamagedTrace or None
        Damage of the trace; None if there is none.
    """

    path: Path
    message_type: MessageType
    n_messages: int = 0
    n_decoded: int = 0
    first_ns: int | None = None
    last_ns: int | None = None
    n_until_last: int = 0
    time_restarts: bool = False
    osi_version: tuple[int, int, int] | None = None
    hosts: tuple[int, ...] = ()
    objects: tuple[ObjectGroup, ...] = ()
    lanes: LaneNetwork | None = None
    map_reference: str = ""
    environment_reference: str = ""
    mounting: MountingPosition | None = None
    host_roof_m: tuple[float, float, float] | None = None
    lists: Mapping[str, int] = field(default_factory=dict)
    fields: UnusedFields = NOT_SEARCHED
    damage: DamagedTrace | None = None

    @property
    def rate_hz(self) -> float | None:
        """Messages per second from ``first_ns`` to ``last_ns``; None if time does not increase."""
        if self.first_ns is None or self.last_ns is None or self.last_ns <= self.first_ns:
            return None
        return self.n_until_last / (1e-9 * (self.last_ns - self.first_ns))


def trace_contents(
    path: str | os.PathLike[str],
    *,
    message_type: str | None = None,
    source: str | None = None,
    thorough: bool = False,
) -> TraceContents:
    """Return a summary of a trace.

    Parameters
    ----------
    path : path
        The trace: `.osi`, `.mcap` or `.txth`, plain or compressed as `.gz` or `.xz`.
    message_type : str, optional
        "SensorView", "GroundTruth" or "SensorData". Default: found by name and content of the file.
    source : str, optional
        Topic to read, if an MCAP file has several channels of the type.
    thorough : bool
        Whether every message is decoded. Otherwise, about 200 evenly spread messages are decoded,
        or fewer if they have more than 256 MiB in total, so that large traces take seconds. If only
        reading the file tells the number of messages (`TraceReader.count` is None), the interval
        doubles after each 200 decoded messages, and more than 200 may be decoded.

    Raises
    ------
    TraceError, OsiInputError
        The file is not a trace, or its first message cannot be used. Later damage is reported in
        ``damage`` of the result.
    """
    reader = open_trace(path, message_type=message_type, source=source)
    found = TraceContents(path=Path(path), message_type=reader.message_type)
    look = _Answers(found) if found.message_type == "SensorData" else _Truth(found)
    wanted = _Sample(reader) if not thorough else None
    try:
        for raw in reader:
            if wanted is None or wanted.takes(raw.index):
                _add_content(raw, look, found)
            found.n_messages += 1
    except DamagedTrace as damage:
        found.damage = damage
    return found


class _Sample:
    """Chooses messages at regular intervals; the interval grows if the number is unknown.

    Parameters
    ----------
    reader : TraceReader
        The trace.
    """

    def __init__(self, reader: TraceReader) -> None:
        shares = (reader.count or 0) / MOST_MESSAGES, reader.path.stat().st_size / MOST_BYTES
        self._stride = max(1, *map(math.ceil, shares))
        self._grows = reader.count is None
        self._taken = self._next = 0

    def takes(self, index: int) -> bool:
        """Return whether to decode a message; call this for each message in order."""
        if index < self._next:
            return False
        self._taken += 1
        if self._grows and self._taken % MOST_MESSAGES == 0:
            self._stride *= 2
        self._next = index + self._stride
        return True


def _add_content(raw: RawMessage, look: _Truth | _Answers, found: TraceContents) -> None:
    try:
        time_ns = look.read(raw)
    except LateMessage:
        return
    except OsiInputError as error:
        if raw.index == 0:
            raise
        raise DamagedTrace(
            found.path, frame=raw.index, offset=raw.offset, reason=str(error)
        ) from error
    found.n_decoded += 1
    found.first_ns = time_ns if found.first_ns is None else found.first_ns
    found.time_restarts |= found.last_ns is not None and time_ns < found.last_ns
    if not found.time_restarts:
        found.last_ns, found.n_until_last = time_ns, raw.index


class _Truth:
    """Collects the summary of SensorView and GroundTruth messages."""

    def __init__(self, found: TraceContents) -> None:
        self._found = found
        self._groups: dict[tuple[int, str, str, str], ObjectGroup] = {}
        self._decoder = FrameDecoder(found.message_type, thorough=True)
        self._decoder.name(found.path)

    def read(self, raw: RawMessage) -> int:
        frame = self._decoder.decode(raw.data, raw.index)
        found = self._found
        found.osi_version = found.osi_version or frame.osi_version
        found.map_reference = frame.map_reference
        found.environment_reference = frame.environment_reference
        found.mounting = found.mounting or frame.virtual_mounting
        found.lanes = frame.lanes or found.lanes
        found.fields = frame.fields
        host = frame.host
        if host is not None and host.object_id not in found.hosts:
            found.hosts = (*found.hosts, host.object_id)
            found.host_roof_m = found.host_roof_m or _roof_m(frame, host)
        self._add(frame)
        found.objects = tuple(self._groups.values())
        return frame.time_ns

    def _add(self, frame: Frame) -> None:
        objects = frame.objects
        columns = (
            objects.kind.tolist(),
            objects.type_name,
            objects.subtype_name,
            objects.model_reference,
        )
        ids, sides_m = objects.object_id.tolist(), objects.dimension_m.tolist()
        for key, object_id, size_m in zip(zip(*columns, strict=True), ids, sides_m, strict=True):
            group = self._groups.get(key)
            if group is None:
                size = (size_m[0], size_m[1], size_m[2])
                kind, type_name, subtype_name, reference = key
                group = self._groups[key] = ObjectGroup(
                    kind=ObjectKind(kind),
                    type_name=type_name,
                    subtype_name=subtype_name,
                    model_reference=reference,
                    least_m=size,
                    most_m=size,
                )
            group.ids.add(object_id)
            group.least_m = _each(min, group.least_m, size_m)
            group.most_m = _each(max, group.most_m, size_m)


def _roof_m(frame: Frame, host: HostVehicle) -> tuple[float, float, float]:
    x, y, z = (-host.rear_axle_from_center_m).tolist()
    return x, y, z + 0.5 * float(frame.objects.dimension_m[host.index, 2])


def _each(choose: Any, one: Any, other: Any) -> tuple[float, float, float]:  # noqa: ANN401
    x, y, z = map(choose, one, other)
    return x, y, z


class _Answers:
    """Collects the summary of SensorData messages."""

    def __init__(self, found: TraceContents) -> None:
        self._found = found

    def read(self, raw: RawMessage) -> int:
        try:
            message = SensorData.FromString(raw.data)
        except DecodeError as error:
            raise UndecodableMessage(f"not a SensorData message ({error})") from error
        stated = message.version
        if stated.version_major and self._found.osi_version is None:
            version = stated.version_major, stated.version_minor, stated.version_patch
            self._found.osi_version = version
        lists = dict(self._found.lists)
        for name, n in _lists(message):
            lists[name] = max(n, lists.get(name, 0))
        self._found.lists = lists
        seconds, nanos = int(message.timestamp.seconds), int(message.timestamp.nanos)
        return checked_time_ns(seconds * 1_000_000_000 + nanos)


def _lists(message: Message, before: str = "") -> list[tuple[str, int]]:
    """Return names and lengths of the lists in a message and its sensors that are not empty."""
    found = []
    for part, value in message.ListFields():
        name = f"{before}{part.name}"
        if part.is_repeated:
            found.append((name, len(value)))
            if name.endswith("_sensor"):
                for number, sensor in enumerate(value):
                    found += _lists(sensor, f"{name}[{number}].")
        elif part.name == "feature_data":
            found += _lists(value)
    return found
