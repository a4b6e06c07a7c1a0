# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Decoding of OSI object lists into columns. Each protobuf field is accessed only once."""

from __future__ import annotations

from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from osi3.osi_object_pb2 import MovingObject, StationaryObject
from osi3.osi_trafficlight_pb2 import TrafficLight
from osi3.osi_trafficsign_pb2 import TrafficSign

from osi_bridge.description.axles import REAR, axle_fault, axles_are_wrong
from osi_bridge.description.limits import (
    MAX_ANGLE_RAD,
    MAX_DIMENSION_M,
    MAX_POSITION_M,
)
from osi_bridge.records import ObjectKind, ObjectStates, SkippedObject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
    from google.protobuf.message import Message
    from numpy.typing import NDArray

__all__ = ["ObjectList", "join", "read_objects", "text"]

_FIELDS = (
    *(f"position.{axis}" for axis in "xyz"),
    *(f"orientation.{angle}" for angle in ("roll", "pitch", "yaw")),
    *(f"dimension.{side}" for side in ("length", "width", "height")),
)
_UNITS = ("m",) * 3 + ("rad",) * 3 + ("m",) * 3
_HIGHEST = np.repeat([MAX_POSITION_M, MAX_ANGLE_RAD, MAX_DIMENSION_M], 3)
_LOWEST = np.repeat([-MAX_POSITION_M, -MAX_ANGLE_RAD, 0.0], 3)


class ObjectList(NamedTuple):
    """One of GroundTruth's lists of objects, decoded.

    Attributes
    ----------
    states : ObjectStates
        Columns with one row per usable object.
    skipped : tuple of SkippedObject
        Objects of the list that were left out, and rear axles that were ignored.
    messages : tuple of protobuf messages
        The message of each row of `states`: a MovingObject, StationaryObject, TrafficSign or
        TrafficLight.
    """

    states: ObjectStates
    skipped: tuple[SkippedObject, ...]
    messages: tuple[Any, ...]


def text(value: str | bytes) -> str:
    """Return a protobuf string as str: protobuf gives bytes if it is not valid UTF-8.

    ``value`` is the content of a string field, as protobuf gives it. Invalid bytes become U+FFFD.
    """
    return value if isinstance(value, str) else value.decode("utf-8", "replace")


def _names(enum: EnumTypeWrapper) -> dict[int, str]:
    names: dict[int, str] = {}
    for name, number in enum.items():
        names.setdefault(number, name)
    return names


_MOVING = _names(MovingObject.Type)
_VEHICLE = _names(MovingObject.VehicleClassification.Type)
_STATIONARY = _names(StationaryObject.Classification.Type)
_SIGN = _names(TrafficSign.MainSign.Classification.Type)
_ICON = _names(TrafficLight.Classification.Icon)


def _moving(message: Message) -> tuple[Any, str, str]:
    vehicle = message.HasField("vehicle_classification")
    subtype = _VEHICLE[message.vehicle_classification.type] if vehicle else ""
    return message, _MOVING[message.type], subtype


def _stationary(message: Message) -> tuple[Any, str, str]:
    return message, _STATIONARY[message.classification.type], ""


def _sign(message: Message) -> tuple[Any, str, str]:
    return message.main_sign, _SIGN[message.main_sign.classification.type], ""


def _light(message: Message) -> tuple[Any, str, str]:
    return message, _ICON[message.classification.icon], ""


_READERS: dict[ObjectKind, Callable[[Any], tuple[Any, str, str]]] = {
    ObjectKind.MOVING: _moving,
    ObjectKind.STATIONARY: _stationary,
    ObjectKind.TRAFFIC_SIGN: _sign,
    ObjectKind.TRAFFIC_LIGHT: _light,
}


def read_objects(kind: ObjectKind, messages: Iterable[Any]) -> ObjectList:
    """Decode one of GroundTruth's object lists.

    An object without an id or a position, or with an impossible number (not finite, a dimension
    that is negative or above 10 km, a position beyond 1e9 m, an angle above 1e6 rad), is left out
    and listed in `skipped` of the result. Dimensions that are zero or absent stay zero; the code
    that places the object interprets them. A rear axle that does not fit its vehicle is listed in
    `skipped` as well; in `states` it is NaN.

    Parameters
    ----------
    kind : ObjectKind
        Which list it is: moving or stationary objects, traffic signs or traffic lights.
    messages : iterable of protobuf messages
        The entries of this list.
    """
    read = _READERS[kind]
    ids: list[int] = []
    numbers: list[float] = []  # flat: numpy converts that faster than tuples
    names: list[tuple[str, str, str]] = []
    used: list[Any] = []
    skipped: list[SkippedObject] = []
    for message in messages:
        body, type_name, subtype_name = read(message)
        base = body.base
        if not message.HasField("id"):
            skipped.append(SkippedObject(object_id=None, kind=kind, reason="id is missing"))
            continue
        object_id = message.id.value
        if not base.HasField("position"):
            reason = "base.position is missing"
            skipped.append(SkippedObject(object_id=object_id, kind=kind, reason=reason))
            continue
        p, o, d = base.position, base.orientation, base.dimension
        numbers += (p.x, p.y, p.z, o.roll, o.pitch, o.yaw, d.length, d.width, d.height)
        numbers += _rear_axle(message) if kind is ObjectKind.MOVING else _UNKNOWN
        ids.append(object_id)
        names.append((type_name, subtype_name, text(body.model_reference)))
        used.append(message)
    if not ids:
        return ObjectList(_EMPTY, tuple(skipped), ())
    table = np.array(numbers, np.float64).reshape(len(ids), -1)
    rows, rear_axle_m = table[:, :9], table[:, 9:].copy()
    good = np.asarray(((rows >= _LOWEST) & (rows <= _HIGHEST)).all(axis=1))
    if not good.all():
        skipped += [
            SkippedObject(object_id=ids[i], kind=kind, reason=_fault(rows[i]))
            for i in np.flatnonzero(~good)
        ]
        rows, rear_axle_m = rows[good], rear_axle_m[good]
        ids, names = list(compress(ids, good)), list(compress(names, good))
        used = list(compress(used, good))
    rear_axle_m, set_aside = _usable_axles(tuple(ids), rear_axle_m.tobytes(), rows[:, 6:].tobytes())
    states = _states(kind, ids, names, rows, rear_axle_m)
    return ObjectList(states, (*skipped, *set_aside), tuple(used))


_UNKNOWN = (np.nan, np.nan, np.nan)
NEXT_SOURCE = "the next source of its rear axle"
"""What replaces a rear axle that is ignored, in words: `SkippedObject.used` of its entry."""


@lru_cache(maxsize=8)  # axles and boxes rarely change from message to message
def _usable_axles(
    ids: tuple[int, ...], axles: bytes, boxes: bytes
) -> tuple[NDArray[np.float64], tuple[SkippedObject, ...]]:
    """Return the rear axles that fit their vehicles, and those set aside with the reason.

    `axles` and `boxes` are the bytes of the stated axles and of the dimensions, float64 (n, 3)
    each [m]. Rear axles that are not finite, or beyond 10 km, count as not stated.
    """
    rear_axle_m = np.frombuffer(axles).reshape(-1, 3).copy()
    dimension_m = np.frombuffer(boxes).reshape(-1, 3)
    rear_axle_m[~(np.abs(rear_axle_m) <= MAX_DIMENSION_M).all(axis=1)] = np.nan
    set_aside = []
    for i in np.flatnonzero(axles_are_wrong(rear_axle_m, dimension_m, REAR)).tolist():
        fault = axle_fault(rear_axle_m[i], dimension_m[i], REAR)
        rear_axle_m[i] = np.nan
        set_aside.append(
            SkippedObject(object_id=ids[i], kind=ObjectKind.MOVING, reason=fault, used=NEXT_SOURCE)
        )
    return _frozen(rear_axle_m), tuple(set_aside)


def _rear_axle(message: Message) -> tuple[float, float, float]:
    attributes = message.vehicle_attributes
    if not attributes.HasField("bbcenter_to_rear"):
        return _UNKNOWN
    rear = attributes.bbcenter_to_rear
    return rear.x, rear.y, rear.z


def _fault(row: NDArray[np.float64]) -> str:
    """Return a text that names the first impossible number of an object and the allowed range."""
    for name, unit, value, low, high in zip(_FIELDS, _UNITS, row, _LOWEST, _HIGHEST, strict=True):
        if not np.isfinite(value):
            return f"base.{name} is {value}"
        if not low <= value <= high:
            return f"base.{name} is {value:g} {unit}, expected {low:g} to {high:g} {unit}"
    raise AssertionError(row)


def _states(
    kind: ObjectKind,
    ids: Sequence[int],
    names: Sequence[tuple[str, str, str]],
    rows: NDArray[np.float64],
    rear_axle_m: NDArray[np.float64],
) -> ObjectStates:
    types, subtypes, references = zip(*names, strict=True) if names else ((), (), ())
    return ObjectStates(
        object_id=_frozen(np.array(ids, np.uint64)),
        kind=_frozen(np.full(len(ids), kind, np.uint8)),
        type_name=types,
        subtype_name=subtypes,
        model_reference=references,
        position_m=_frozen(rows[:, 0:3].copy()),
        orientation_rad=_frozen(rows[:, 3:6].copy()),
        dimension_m=_frozen(rows[:, 6:9].copy()),
        rear_axle_from_center_m=_frozen(rear_axle_m),
    )


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


_EMPTY = _states(ObjectKind.MOVING, (), (), np.empty((0, 9)), np.empty((0, 3)))


def join(parts: Sequence[ObjectStates]) -> tuple[ObjectStates, tuple[SkippedObject, ...]]:
    """Join lists of objects into one, without objects whose id an earlier object already has.

    Parameters
    ----------
    parts : sequence of ObjectStates
        The lists, at least one. They are not changed.

    Returns
    -------
    states : ObjectStates
        The remaining objects, in the order of the lists. If only one list has objects and no id is
        repeated, it is this list itself.
    skipped : tuple of SkippedObject
        One entry for each object left out.
    """
    filled = [part for part in parts if len(part)] or parts[:1]
    if len(filled) == 1 and len(set(filled[0].object_id.tolist())) == len(filled[0]):
        return filled[0], ()
    names = (
        "object_id",
        "kind",
        "position_m",
        "orientation_rad",
        "dimension_m",
        "rear_axle_from_center_m",
    )
    column = {name: np.concatenate([getattr(part, name) for part in filled]) for name in names}
    types = [name for part in filled for name in part.type_name]
    subtypes = [name for part in filled for name in part.subtype_name]
    references = [name for part in filled for name in part.model_reference]
    _, first = np.unique(column["object_id"], return_index=True)
    skipped: tuple[SkippedObject, ...] = ()
    if len(first) < len(types):
        keep = np.sort(first)
        skipped = tuple(
            SkippedObject(
                object_id=int(column["object_id"][i]),
                kind=ObjectKind(column["kind"][i]),
                reason="an earlier object of the same message has its id",
            )
            for i in np.setdiff1d(np.arange(len(types)), keep)
        )
        column = {name: values[keep] for name, values in column.items()}
        types, subtypes, references = (
            [values[i] for i in keep] for values in (types, subtypes, references)
        )
    states = ObjectStates(
        **{name: _frozen(values) for name, values in column.items()},
        type_name=tuple(types),
        subtype_name=tuple(subtypes),
        model_reference=tuple(references),
    )
    return states, skipped
