# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Recognition of OSI message types, which the serialised bytes do not state."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_sensorviewconfiguration_pb2 import SensorViewConfiguration

from osi_bridge.errors import UndecodableMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from google.protobuf.message import Message

    from osi_bridge.records import MessageType

__all__ = ["MESSAGE_CLASSES", "check_type", "guess_message_type", "has_all_fields", "is_message"]

MESSAGE_CLASSES: dict[str, Any] = {
    "SensorView": SensorView,
    "GroundTruth": GroundTruth,
    "SensorData": SensorData,
}
_ALL_CLASSES: dict[str, Any] = {
    **MESSAGE_CLASSES,
    "SensorViewConfiguration": SensorViewConfiguration,
}
# the first message may have only a timestamp, whose field is the same in all types
_LOOK_AT_MESSAGES = 8
_LOOK_AT_FIELDS = 5000  # the first message may carry a whole map
_MOST_UNKNOWN = 0.5  # a newer OSI adds some fields; a wrong type leaves most of them unknown


def is_message(message_type: str, data: bytes) -> bool:
    """Return whether protobuf can decode bytes as a type of message; most wrong types pass as well.

    Parameters
    ----------
    message_type : str
        The assumed type: "SensorView", "GroundTruth" or "SensorData".
    data : bytes
        One serialised message.
    """
    try:
        MESSAGE_CLASSES[message_type].FromString(data)
    except DecodeError:
        return False
    return True


def guess_message_type(messages: Iterable[bytes]) -> MessageType | None:
    """Return the type of OSI messages: the type with the smallest share of unknown fields.

    Up to 8 messages are tried in turn. If one type fits a message better than all others, it is the
    result; if several fit equally well, the next message is tried.
    If a message is decoded as a wrong type, most of its fields are unknown. For example,
    GroundTruth's list of moving objects has the same field number as SensorView's mounting
    position, but other content.

    Parameters
    ----------
    messages : iterable of bytes
        Serialised messages of one type, from the first message on.

    Returns
    -------
    str or None
        "SensorView", "GroundTruth" or "SensorData". None if none of the messages decides, if one is
        empty, or if more than half of a message's fields are unknown to every type.
    """
    for data in islice(messages, _LOOK_AT_MESSAGES):
        unknown = {name: _unknown_share(name, data) for name in MESSAGE_CLASSES}
        best = min(unknown.values())
        fitting = [name for name, share in unknown.items() if share == best]
        if best > _MOST_UNKNOWN:
            return None
        if len(fitting) == 1:
            return cast("MessageType", fitting[0])
    return None


def has_all_fields(message_type: str, messages: Iterable[bytes]) -> bool:
    """Return whether the first 8 messages decode as a type of message without any unknown field.

    The result is False if one of them cannot be decoded, is empty, or has a timestamp of 1e9 or
    more nanoseconds beside its seconds; it is True without messages.

    Parameters
    ----------
    message_type : str
        The assumed type: "SensorView", "GroundTruth", "SensorData" or "SensorViewConfiguration".
    messages : iterable of bytes
        Serialised messages; those after the eighth are not looked at.
    """
    first = islice(messages, _LOOK_AT_MESSAGES)
    return not any(_unknown_share(message_type, data) for data in first)


def check_type(message_type: str, data: bytes) -> None:
    """Check that no other type of message fits the bytes better.

    Parameters
    ----------
    message_type : str
        The expected type: "SensorView", "GroundTruth", "SensorData" or "SensorViewConfiguration".
    data : bytes
        One message.

    Raises
    ------
    UndecodableMessage
        The bytes look like a message of another type.
    """
    unknown = {name: _unknown_share(name, data) for name in _ALL_CLASSES}
    best = min(unknown, key=lambda name: (unknown[name], name != message_type))
    if best != message_type:
        raise UndecodableMessage(f"looks like a {best}, expected a {message_type} message")


def _unknown_share(message_type: str, data: bytes) -> float:
    """Return the fraction of fields, at any depth, that are unknown to this message type."""
    try:
        message = _ALL_CLASSES[message_type].FromString(data)
    except DecodeError:
        return 1.0
    if message_type in MESSAGE_CLASSES and message.timestamp.nanos >= 1_000_000_000:
        return 1.0
    known = unknown = 0
    for n_known, n_unknown in islice(_count_fields(message), _LOOK_AT_FIELDS):
        known += n_known
        unknown += n_unknown
    return unknown / (known + unknown) if known + unknown else 1.0


def _count_fields(message: Message) -> Iterator[tuple[int, int]]:
    """Yield the numbers of known and unknown fields of a message and of each message in it."""
    fields = message.ListFields()
    yield len(fields), len(UnknownFieldSet(message))
    for field, value in fields:
        if field.message_type is not None:
            for part in value if field.is_repeated else (value,):
                yield from _count_fields(part)
