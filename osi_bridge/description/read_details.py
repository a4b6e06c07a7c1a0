# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Decoding of an object's details, on demand: only the code that makes its shape needs them."""

from __future__ import annotations

import colorsys
import math
from typing import TYPE_CHECKING, Any

from osi3.osi_object_pb2 import MovingObject, StationaryObject
from osi3.osi_trafficlight_pb2 import TrafficLight

from osi_bridge.description.axles import FRONT, REAR, axle_fault
from osi_bridge.description.details import ObjectDetails, Point3, Wheel
from osi_bridge.description.limits import (
    MAX_DIMENSION_M,
    MAX_SPEED_M_S,
    MOST_WHEELS,
    are_within,
)
from osi_bridge.records import ObjectKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
    from google.protobuf.message import Message

    from osi_bridge.records import Frame

__all__ = ["message_of", "object_details", "stated_point"]

MOST_CORNERS = 1000
"""Limit for the corners of a base polygon; more are not plausible."""
MOST_ON_SIGN = 1e6
"""Largest accepted number on a traffic sign, in the sign's unit."""
_DIGITS = 3  # decimals: lengths to 1 mm, so that equal objects have equal details

_ROLE = MovingObject.VehicleClassification.Role
_MATERIAL = StationaryObject.Classification.Material
_COLOR = StationaryObject.Classification.Color
_LAMP = TrafficLight.Classification.Color
_NAMED_COLORS: dict[str, Point3] = {
    "YELLOW": (0.9, 0.8, 0.1),
    "GREEN": (0.1, 0.5, 0.15),
    "BLUE": (0.1, 0.2, 0.6),
    "VIOLET": (0.45, 0.15, 0.55),
    "RED": (0.7, 0.08, 0.08),
    "ORANGE": (0.95, 0.5, 0.05),
    "BLACK": (0.03, 0.03, 0.03),
    "GREY": (0.5, 0.5, 0.5),
    "GRAY": (0.5, 0.5, 0.5),
    "WHITE": (0.95, 0.95, 0.95),
}


def object_details(frame: Frame, row: int) -> ObjectDetails:
    """Return what OSI states of one of a frame's objects, such as its wheels and its colour.

    Impossible values count as not stated, such as a negative radius, a coordinate beyond 10 km, or
    a colour outside 0 to 1. If the frame has no message of the object, no detail is stated.
    Lengths are rounded to 1 mm and colours to 0.01, so that equal objects have equal details.

    Parameters
    ----------
    frame : Frame
        The frame.
    row : int
        Row of the object in `frame.objects`.

    Returns
    -------
    ObjectDetails
        Of a moving object: wheels, axles, ground clearance, trailer, role, colour, outline and
        speed. Of a stationary object: colour, material and outline. Of a traffic sign: its number.
        Of a traffic light: the colour of its light.
    """
    message = message_of(frame, row)
    if message is None:
        return ObjectDetails()
    return _READERS[ObjectKind(frame.objects.kind[row])](message)


def message_of(frame: Frame, row: int) -> Message | None:
    """Return the protobuf message of the object in a row of `frame.objects`; None if missing."""
    if row < len(frame.moving):
        return frame.moving[row]
    object_id, at = int(frame.objects.object_id[row]), row - len(frame.moving)
    for messages in frame.static:
        if at < len(messages):
            if messages[at].id.value == object_id:  # false only if an id occurred twice
                return messages[at]
            break
        at -= len(messages)
    every = (message for messages in frame.static for message in messages)
    return next((message for message in every if message.id.value == object_id), None)


def _moving(message: Message) -> ObjectDetails:
    stated, kind = message.vehicle_attributes, message.vehicle_classification
    wheels = (_wheel(wheel) for wheel in stated.wheel_data[:MOST_WHEELS])
    velocity = message.base.velocity
    speed = math.hypot(velocity.x, velocity.y, velocity.z)
    return ObjectDetails(
        wheels=tuple(wheel for wheel in wheels if wheel is not None),
        wheel_radius_m=_length(stated.radius_wheel),
        ground_clearance_m=_length(stated.ground_clearance),
        front_axle_m=_axle(message, "bbcenter_to_front", FRONT),
        rear_axle_m=_axle(message, "bbcenter_to_rear", REAR),
        has_trailer=kind.has_trailer,
        role=_name(_ROLE, kind.role, "ROLE_"),
        color=_color(message),
        outline_m=_outline(message.base.base_polygon),
        speed_m_s=round(speed, 1) if speed <= MAX_SPEED_M_S else 0.0,
    )


def _axle(message: Message, name: str, side: float) -> Point3 | None:
    """Return the vector to a stated axle; None if it is not stated or does not fit the vehicle."""
    axle_m = stated_point(message.vehicle_attributes, name)
    box = message.base.dimension
    box_m = box.length, box.width, box.height
    return None if axle_m is None or axle_fault(axle_m, box_m, side) else axle_m


def _stationary(message: Message) -> ObjectDetails:
    named = _name(_COLOR, message.classification.color, "COLOR_")
    return ObjectDetails(
        color=_color(message) or _NAMED_COLORS.get(named),
        material=_name(_MATERIAL, message.classification.material, "MATERIAL_"),
        outline_m=_outline(message.base.base_polygon),
    )


def _sign(message: Message) -> ObjectDetails:
    stated = message.main_sign.classification
    value = stated.value.value
    known = stated.HasField("value") and are_within([value], MOST_ON_SIGN)
    return ObjectDetails(sign_value=round(value, _DIGITS) if known else None)


def _light(message: Message) -> ObjectDetails:
    named = _name(_LAMP, message.classification.color, "COLOR_")
    return ObjectDetails(color=_NAMED_COLORS.get(named))


_READERS: dict[ObjectKind, Callable[[Any], ObjectDetails]] = {
    ObjectKind.MOVING: _moving,
    ObjectKind.STATIONARY: _stationary,
    ObjectKind.TRAFFIC_SIGN: _sign,
    ObjectKind.TRAFFIC_LIGHT: _light,
}


def _name(enum: EnumTypeWrapper, number: int, prefix: str) -> str:
    """Return the name of an enumeration's member; "" if it is "UNKNOWN", "OTHER" or not defined."""
    name = enum.Name(number).removeprefix(prefix) if number in enum.values() else ""
    return "" if name in ("UNKNOWN", "OTHER") else name


def _wheel(message: Message) -> Wheel | None:
    center_m = stated_point(message, "position")
    if center_m is None:
        return None
    return Wheel(
        center_m=center_m,
        radius_m=_length(message.wheel_radius),
        width_m=_length(message.width),
    )


def _length(value: float) -> float | None:
    """Return a length in metres, rounded to 1 mm; None if it is not stated or impossible."""
    return round(value, _DIGITS) if 0.0 < value <= MAX_DIMENSION_M else None


def stated_point(message: Message, field: str) -> Point3 | None:
    """Return a vector (x, y, z) of a message, rounded to 1 mm [m].

    None if it is not stated, or has a coordinate that is not finite or beyond 10 km. ``field`` is
    the name of the vector's field in the protobuf message ``message``.
    """
    if not message.HasField(field):
        return None
    vector = getattr(message, field)
    return _possible(vector.x, vector.y, vector.z)


def _possible(x: float, y: float, z: float) -> Point3 | None:
    if not are_within((x, y, z), MAX_DIMENSION_M):
        return None
    return round(x, _DIGITS), round(y, _DIGITS), round(z, _DIGITS)


def _outline(corners: Iterable[Any]) -> tuple[tuple[float, float], ...]:
    """Return a base polygon counter-clockwise [m]; empty if the corners make no polygon."""
    points = [(corner.x, corner.y) for corner in list(corners)[: MOST_CORNERS + 1]]
    possible = all(are_within(point, MAX_DIMENSION_M) for point in points)
    if not 3 <= len(points) <= MOST_CORNERS or not possible:
        return ()
    after = points[1:] + points[:1]
    twice_area = sum(x * v - u * y for (x, y), (u, v) in zip(points, after, strict=True))
    ordered = points if twice_area > 0.0 else points[::-1]
    return tuple((round(x, _DIGITS), round(y, _DIGITS)) for x, y in ordered)


def _color(message: Message) -> Point3 | None:
    """Return the colour of an object as red, green, blue; None if not stated or impossible."""
    if not message.HasField("color_description"):
        return None
    stated, parts = message.color_description, (math.nan,) * 3
    if stated.HasField("rgb"):
        parts = stated.rgb.red, stated.rgb.green, stated.rgb.blue
    elif stated.HasField("rgbir"):
        parts = stated.rgbir.red, stated.rgbir.green, stated.rgbir.blue
    elif stated.HasField("grey"):
        parts = (stated.grey.grey,) * 3
    elif stated.HasField("hsv"):
        hue, saturation, value = stated.hsv.hue / 360.0, stated.hsv.saturation, stated.hsv.value
        parts = colorsys.hsv_to_rgb(hue, saturation, value) if math.isfinite(hue) else parts
    elif stated.HasField("cmyk"):
        light = 1.0 - stated.cmyk.key
        inks = stated.cmyk.cyan, stated.cmyk.magenta, stated.cmyk.yellow
        parts = light * (1 - inks[0]), light * (1 - inks[1]), light * (1 - inks[2])
    if not all(0.0 <= part <= 1.0 for part in parts):
        return None
    return round(parts[0], 2), round(parts[1], 2), round(parts[2], 2)
