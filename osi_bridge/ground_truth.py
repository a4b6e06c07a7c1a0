# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Decoding of OSI GroundTruth and SensorView messages into one `Frame` each."""

from __future__ import annotations

from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge.ambient_light import ambient_lux, sun_of
from osi_bridge.description.conditions import ConditionsReader
from osi_bridge.description.lanes import LANE_LISTS, LaneNetwork, network
from osi_bridge.description.limits import (
    MAX_ANGLE_RAD,
    MAX_POSITION_M,
    are_within,
    checked_time_ns,
)
from osi_bridge.description.stated_lists import StatedLists
from osi_bridge.description.unused_field_search import UnusedFieldSearch
from osi_bridge.errors import LateMessage, MissingTimestamp, OsiInputError, UndecodableMessage
from osi_bridge.host_vehicle import HostFinder, declared_hosts, stated_part
from osi_bridge.message_types import check_type, guess_message_type
from osi_bridge.objects import ObjectList, join, read_objects, text
from osi_bridge.order import MessageOrder, Place
from osi_bridge.records import (
    Frame,
    MessageType,
    MountingPosition,
    ObjectKind,
    ObjectStates,
    SkippedObject,
    Sun,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from google.protobuf.message import Message

__all__ = ["FrameDecoder", "carrier_frame", "empty_frame", "message_time_ns"]

_CLASSES: dict[str, Any] = {"SensorView": SensorView, "GroundTruth": GroundTruth}
MOST_OBJECTS = 100_000
"""Most objects that a strict decoder accepts: more would block a live stream for minutes."""
_STATIC = {
    "stationary_object": partial(read_objects, ObjectKind.STATIONARY),
    "traffic_sign": partial(read_objects, ObjectKind.TRAFFIC_SIGN),
    "traffic_light": partial(read_objects, ObjectKind.TRAFFIC_LIGHT),
}

_CARRIER_ID = 0


class FrameDecoder:
    """Decoder of the messages of one trace or stream, in order and starting with the first.

    Content that only the first message has applies to all messages: stationary objects, traffic
    signs, traffic lights, lanes, references of environment and map, the host and its rear axle. A
    list of the first message applies until a later message has entries in the same list. From then
    on, each message's own list applies, even if it is empty.

    Parameters
    ----------
    message_type : str
        "SensorView" or "GroundTruth".
    host_id : int, optional
        OSI id of the host vehicle; overrides the ids in the messages.
    strict : bool
        Whether to refuse a SensorView without ground truth, a message that looks like another type,
        and a message with more than 100 000 objects.
    thorough : bool
        Whether to search every message for unread fields, or only some; see `UnusedFieldSearch`.

    Raises
    ------
    OsiInputError
        The message type is neither "SensorView" nor "GroundTruth".
    """

    def __init__(
        self,
        message_type: MessageType,
        host_id: int | None = None,
        *,
        strict: bool = False,
        thorough: bool = False,
    ) -> None:
        if message_type not in _CLASSES:
            raise OsiInputError(f"message type {message_type}: expected SensorView or GroundTruth")
        self.message_type: MessageType = message_type
        self._strict = strict
        self._host = HostFinder(host_id)
        self._order = MessageOrder()
        self._first = True
        self._static_lists = StatedLists(_STATIC)
        self._stated_lanes = StatedLists(LANE_LISTS)
        self._lane_lists: list[Any] = []
        self._lanes: LaneNetwork | None = None
        self._environment_reference = ""
        self._map_reference = ""
        self._frame_offset_m: tuple[float, float, float] | None = None
        self._ambient_lux: float | None = None
        self._sun: Sun | None = None
        self._weather = ConditionsReader()
        self._search = UnusedFieldSearch(thorough=thorough)

    def name(self, trace: Path) -> None:
        """Set the trace file, which warnings about the host name; each is given once per file."""
        self._host.trace = trace

    def prime(self, data: bytes) -> None:
        """Read static objects, lanes and references from a GroundTruth that precedes all messages.

        Its lists apply as the class describes for lists of the first message.

        Raises
        ------
        UndecodableMessage
            `data` is not a GroundTruth message, or looks like a message of another type.
        """
        truth = _parse("GroundTruth", data)
        check_type("GroundTruth", data)
        self._static(truth)
        self._read_lanes(truth)
        self._keep_references(truth)

    def decode(self, data: bytes, index: int) -> Frame:
        """Decode one message.

        If time goes back, the message begins a new run (see `order`). Its lists then apply like the
        lists of a first message. A list that is empty in it keeps the previous run's first list, if
        this still applied, because the actual first message of the new run may be lost.

        Parameters
        ----------
        data : bytes
            One serialised message.
        index : int
            Number of the message in the trace, from 0; only for the frame and its ``fields``.

        Returns
        -------
        Frame

        Raises
        ------
        UndecodableMessage
            `data` is not a message of this decoder's type, or `strict` refuses it, see the class.
        MissingTimestamp
            Neither the message nor its ground truth has a timestamp, or it is beyond 64 bits of
            nanoseconds.
        LateMessage
            The message is late by the rule in `order`; it changes nothing.
        UnknownHost
            The requested host vehicle is not a moving object when it is chosen, see `HostFinder`.
        """
        message = _parse(self.message_type, data)
        if self._strict:
            _check_content(self.message_type, message, data)
        view = message if self.message_type == "SensorView" else None
        truth = message if view is None else message.global_ground_truth
        time_ns = _time_ns(message, truth)  # this raises before any part of the message is kept
        place = self._order.place(time_ns)
        if place is Place.LATE:
            raise LateMessage(f"its time is {1e-9 * time_ns:.9g} s, before the last one")
        self._first |= place is Place.RESTART
        moving = read_objects(ObjectKind.MOVING, truth.moving_object)
        static, skipped = self._static(truth)
        self._read_lanes(truth)
        objects, repeated = join([moving.states, *(part.states for part in static)])
        moving = _without_repeated(moving)
        self._keep_references(truth)
        self._first = False
        host = self._host.find(declared_hosts(view, truth), moving)
        self._order.take(time_ns)
        self._search.search(message, index)
        return Frame(
            index=index,
            time_ns=time_ns,
            message_type=self.message_type,
            objects=objects,
            skipped=(*moving.skipped, *skipped, *repeated),
            host=host,
            environment_reference=self._environment_reference,
            map_reference=self._map_reference,
            sensor_id=_sensor_id(view),
            virtual_mounting=_mounting(view),
            frame_offset_m=self._frame_offset_m,
            osi_version=_osi_version(message, truth),
            ambient_lux=self._ambient_lux,
            sun=self._sun,
            conditions=self._weather.conditions,
            moving=moving.messages,
            static=tuple(part.messages for part in static),
            place=place,
            lanes=self._lanes,
            fields=self._search.found,
        )

    def decode_objects(self, data: bytes) -> tuple[int, ObjectStates]:
        """Return only the time [ns] and the objects of `data`, one serialised message.

        Messages may be in any order. Static objects of the message that is decoded first also count
        for messages without any, until a message has a list of its own, as the class describes.

        Raises
        ------
        UndecodableMessage, MissingTimestamp
            As for `decode` of a decoder that is not strict.
        """
        message = _parse(self.message_type, data)
        truth = message.global_ground_truth if self.message_type == "SensorView" else message
        time_ns = _time_ns(message, truth)
        moving = read_objects(ObjectKind.MOVING, truth.moving_object)
        static, _ = self._static(truth)
        self._first = False
        return time_ns, join([moving.states, *(part.states for part in static)])[0]

    def _static(self, truth: Message) -> tuple[Sequence[ObjectList], Sequence[SkippedObject]]:
        """Return the three static lists that apply now, and the objects skipped in this message."""
        applied = self._static_lists.of(truth, first=self._first)
        skipped = [one for each in applied if not each.is_kept for one in each.content.skipped]
        return [each.content for each in applied], skipped

    def _read_lanes(self, truth: Message) -> None:
        lists = [each.content for each in self._stated_lanes.of(truth, first=self._first)]
        code = int(truth.country_code) or (self._lanes.country_code if self._lanes else 0)
        same = len(lists) == len(self._lane_lists) and all(map(is_, lists, self._lane_lists))
        if not same:
            self._weather.hear_lanes(truth.lane)
        if not same or (self._lanes is not None and code != self._lanes.country_code):
            self._lane_lists, self._lanes = lists, network(lists, code)

    def _keep_references(self, truth: Message) -> None:
        self._environment_reference = text(truth.model_reference) or self._environment_reference
        self._map_reference = text(truth.map_reference) or self._map_reference
        if truth.HasField("proj_frame_offset"):
            offset = truth.proj_frame_offset.position
            if are_within((offset.x, offset.y, offset.z), MAX_POSITION_M):
                self._frame_offset_m = offset.x, offset.y, offset.z
        stated_lux = ambient_lux(truth)
        self._ambient_lux = self._ambient_lux if stated_lux is None else stated_lux
        self._sun = sun_of(truth) or self._sun
        self._weather.hear(truth)


def message_time_ns(message_type: MessageType, data: bytes) -> int:
    """Return the timestamp of a serialised OSI message, in nanoseconds.

    `message_type` is "SensorView" or "GroundTruth"; `data` is one message of this type.

    Raises
    ------
    UndecodableMessage, MissingTimestamp
        As raised by `FrameDecoder.decode`.
    """
    message = _parse(message_type, data)
    truth = message.global_ground_truth if message_type == "SensorView" else message
    return _time_ns(message, truth)


def empty_frame(time_ns: int = 0) -> Frame:
    """Return a frame at the time `time_ns` [ns] without objects, for scans of a static scene."""
    seconds, nanos = divmod(time_ns, 1_000_000_000)
    message = GroundTruth()
    message.timestamp.seconds, message.timestamp.nanos = seconds, nanos
    return FrameDecoder("GroundTruth").decode(message.SerializeToString(), 0)


def carrier_frame(
    index: int,
    time_ns: int,
    position_m: tuple[float, float, float],
    orientation_rad: tuple[float, float, float],
) -> Frame:
    """Return a frame with only a host vehicle, which carries sensors through a static scene.

    Parameters
    ----------
    index : int
        Number of the frame.
    time_ns : int
        Time of the frame. [ns]
    position_m, orientation_rad : tuple of float
        Origin of the vehicle frame in the world, and its roll, pitch and yaw. [m], [rad]
    """
    seconds, nanos = divmod(time_ns, 1_000_000_000)
    message = GroundTruth()
    message.timestamp.seconds, message.timestamp.nanos = seconds, nanos
    message.host_vehicle_id.value = _CARRIER_ID
    carrier = message.moving_object.add()
    carrier.id.value = _CARRIER_ID
    place, turn = carrier.base.position, carrier.base.orientation
    place.x, place.y, place.z = position_m
    turn.roll, turn.pitch, turn.yaw = orientation_rad
    carrier.vehicle_attributes.bbcenter_to_rear.x = 0.0
    carrier.vehicle_attributes.bbcenter_to_rear.SetInParent()
    return FrameDecoder("GroundTruth").decode(message.SerializeToString(), index)


def _without_repeated(moving: ObjectList) -> ObjectList:
    """Return the moving objects without duplicate ids, as in the joined list."""
    ids = moving.states.object_id.tolist()
    if len(set(ids)) == len(ids):
        return moving
    first = dict(zip(ids[::-1], moving.messages[::-1], strict=True))
    states, _ = join([moving.states])
    messages = tuple(first[object_id] for object_id in states.object_id.tolist())
    return ObjectList(states, moving.skipped, messages)


def _parse(message_type: MessageType, data: bytes) -> Message:
    try:
        return _CLASSES[message_type].FromString(data)
    except DecodeError as error:
        raise UndecodableMessage(f"not a {message_type} message ({error})") from error


def _check_content(message_type: MessageType, message: Message, data: bytes) -> None:
    """Refuse bytes that protobuf accepts as this type, but that have no usable content."""
    view = message_type == "SensorView"
    truth = message.global_ground_truth if view else message
    lists = ("moving_object", *_STATIC)
    n_objects = sum(len(getattr(truth, name)) for name in lists)
    if n_objects > MOST_OBJECTS:
        raise UndecodableMessage(f"got {n_objects} objects, expected at most {MOST_OBJECTS}")
    if truth.moving_object:  # messages of other types do not decode to moving objects
        return
    looks_like = guess_message_type([data])
    if looks_like not in (message_type, None):
        raise UndecodableMessage(f"looks like a {looks_like}, expected a {message_type} message")
    if view and not message.HasField("global_ground_truth"):
        raise UndecodableMessage("the SensorView has no global_ground_truth")


def _time_ns(message: Message, truth: Message) -> int:
    for source in (message, truth):
        if source.HasField("timestamp"):
            stated = source.timestamp
            return checked_time_ns(int(stated.seconds) * 1_000_000_000 + int(stated.nanos))
    raise MissingTimestamp("the message has no timestamp")


def _osi_version(message: Message, truth: Message) -> tuple[int, int, int] | None:
    for source in (message, truth):
        stated = source.version
        if stated.version_major:
            return stated.version_major, stated.version_minor, stated.version_patch
    return None


def _sensor_id(view: Message | None) -> int | None:
    stated = stated_part(view, "sensor_id")
    return None if stated is None else int(stated.value)


def _mounting(view: Message | None) -> MountingPosition | None:
    stated = stated_part(view, "mounting_position")
    if stated is None:
        return None
    position, orientation = stated.position, stated.orientation
    place = position.x, position.y, position.z
    angles = orientation.roll, orientation.pitch, orientation.yaw
    if not are_within(place, MAX_POSITION_M) or not are_within(angles, MAX_ANGLE_RAD):
        return None  # counts as not stated; no beam depends on it
    return MountingPosition(position_m=place, orientation_rad=angles)
