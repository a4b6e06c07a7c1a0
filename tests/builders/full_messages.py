# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages that state all that is read, and any number in them set to any value."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from osi3.osi_lane_pb2 import Lane, LaneBoundary
from osi3.osi_object_pb2 import MovingObject, StationaryObject
from osi3.osi_roadmarking_pb2 import RoadMarking
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_trafficsign_pb2 import TrafficSign

from tests.builders.bones import ROOT_M, SIZE
from tests.builders.lanes import with_films
from tests.builders.messages import Thing, host, message

BONE = MovingObject.PedestrianAttributes.Bone
_INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
_WHOLE = (0, 1, -1, 999, 10**9, 2**31, 2**32, 9_300_000_000, -9_300_000_000, 2**62, 2**63)
_REAL = (
    *(0.0, -0.0, 1.0, -1.0, 5e-324, 1e-30, 1e5, -1e5, 1e9, -1e9, 2.0**31, 2.0**32, 2.0**63),
    *(1e20, -1e20, 1e30, 1e38, -1e38, 3.5e38, 1e300, -1e300, math.inf, -math.inf, math.nan),
)


class Number(NamedTuple):
    """A numeric field: the way to it, an index behind each list, and what describes it."""

    path: tuple[str | int, ...]
    field: FieldDescriptor

    @property
    def name(self) -> str:
        """The way to it, as text."""
        return ".".join(map(str, self.path))


def full_view(number: int = 0, *, step_s: float = 0.1, speed_m_s: float = 25.0) -> SensorView:
    """Return a message in which cars, people and things stand on a wet road, in rain."""
    time_s = step_s * number
    way_m = speed_m_s * time_s
    things = [
        host(way_m, rear_axle_m=(-1.4, 0.0, -0.3), velocity_m_s=(speed_m_s, 0.0, 0.0)),
        Thing(2, (12.0 + way_m, -1.0, 0.75), velocity_m_s=(speed_m_s, 0.0, 0.0)),
        Thing(3, (6.0 + way_m, 1.5, 0.875), dimension_m=SIZE, osi_type=3),
        Thing(4, (8.0 + way_m, 2.0 + 0.1 * number, 0.9), dimension_m=SIZE, osi_type=3),
        Thing(5, (20.0, 6.0, 2.0), dimension_m=(6.0, 3.0, 4.0), kind="stationary_object",
              osi_type=StationaryObject.Classification.TYPE_BUILDING, material=1),
        Thing(6, (15.0, -4.0, 2.0), math.pi, (0.1, 0.6, 0.6), "traffic_sign"),
        Thing(7, (18.0, -4.0, 3.0), math.pi, (0.3, 0.3, 0.9), "traffic_light"),
    ]  # fmt: skip
    view = SensorView.FromString(with_films(message(things, time_s), (0.5, 1.0)))
    truth = view.global_ground_truth
    for vehicle in truth.moving_object[:2]:
        _add_wheels(vehicle)
    _add_bones(truth.moving_object[2])
    sign = truth.traffic_sign[0].main_sign.classification
    sign.type = TrafficSign.MainSign.Classification.TYPE_SPEED_LIMIT_BEGIN
    sign.value.value = 50.0
    outline = truth.stationary_object[0].base.base_polygon
    for x_m, y_m in ((-3.0, -1.5), (3.0, -1.5), (3.0, 1.5), (-3.0, 1.5)):
        outline.add(x=x_m, y=y_m)
    truth.stationary_object[0].color_description.rgb.red = 0.5
    _add_paint(truth)
    _add_weather(truth)
    view.mounting_position.position.x = 1.0
    return view


def _add_wheels(vehicle: Message) -> None:
    stated = vehicle.vehicle_attributes
    stated.bbcenter_to_rear.x, stated.bbcenter_to_rear.z = -1.4, -0.3
    stated.bbcenter_to_front.x, stated.bbcenter_to_front.z = 1.4, -0.3
    stated.radius_wheel = 0.33
    stated.ground_clearance = 0.15
    for x_m, y_m in ((-1.4, 0.8), (1.4, 0.8)):
        wheel = stated.wheel_data.add(wheel_radius=0.33, width=0.2, rotation_rate=70.0)
        wheel.position.x, wheel.position.y, wheel.position.z = x_m, y_m, -0.42
        wheel.orientation.yaw = 0.1


def _add_bones(person: Message) -> None:
    stated = person.pedestrian_attributes
    root = stated.bbcenter_to_root
    root.x, root.y, root.z = ROOT_M
    for name, z_m in (("UPPER_LEG_L", 0.9), ("LOWER_LEG_L", 0.5), ("UPPER_ARM_R", 1.4)):
        bone = stated.skeleton_bone.add(type=BONE.Type.Value(f"TYPE_{name}"))
        bone.position.y, bone.position.z = 0.1, z_m
        bone.orientation.roll = -0.5 * math.pi


def _add_paint(truth: Message) -> None:
    kinds = LaneBoundary.Classification
    for line, kind in zip(
        truth.lane_boundary,
        (kinds.TYPE_GUARD_RAIL, kinds.TYPE_DASHED_LINE, kinds.TYPE_SOLID_LINE),
        strict=True,
    ):
        line.classification.type, line.classification.color = kind, kinds.COLOR_WHITE
        for point in line.boundary_line:
            point.width, point.height = 0.15, 0.8
        line.color_description.rgb.red = 0.9
    for lane in truth.lane:
        lane.classification.type = Lane.Classification.TYPE_DRIVING
        for x_m in (-20.0, 100.0):
            lane.classification.centerline.add(x=x_m, y=0.0, z=0.0)
    for name in ("logical_lane_boundary", "logical_lane"):
        getattr(truth, name).add().id.value = 300
    for x_m in (-20.0, 100.0):
        place = truth.logical_lane_boundary[0].boundary_line.add().position
        place.x, place.y, place.z = x_m, 8.0, 0.0
    truth.logical_lane[0].left_boundary_id.add().value = 300
    mark = truth.road_marking.add()
    mark.id.value = 400
    mark.classification.type = RoadMarking.Classification.TYPE_GENERIC_LINE
    mark.classification.monochrome_color = RoadMarking.Classification.COLOR_WHITE
    base = mark.base
    base.position.x, base.position.z = 10.0, 0.01
    base.orientation.pitch = -0.5 * math.pi
    base.dimension.length, base.dimension.width, base.dimension.height = 0.01, 3.0, 0.5


def _add_weather(truth: Message) -> None:
    own = truth.environmental_conditions
    own.precipitation = 5
    own.fog = 6
    own.temperature = 285.0
    own.relative_humidity = 90.0
    own.atmospheric_pressure = 100_000.0
    own.ambient_illumination = 8
    own.wind.speed, own.wind.origin_direction = 8.0, 1.0
    own.sun.azimuth, own.sun.elevation, own.sun.intensity = -1.6, 0.1, 50_000.0
    own.clouds.fractional_cloud_cover = 5
    truth.proj_frame_offset.position.x = 100.0


def numbers(message: Message) -> Iterator[Number]:
    """Yield every number that a message may state.

    Lists in `_LISTS` yield the numbers of each entry, other lists the numbers of the first one.
    """
    yield from _numbers(message, message.DESCRIPTOR, (), ())


def _numbers(
    message: Message, descriptor: Descriptor, path: tuple[str | int, ...], seen: tuple[str, ...]
) -> Iterator[Number]:
    for field in descriptor.fields:
        if field.message_type is None:
            if field.cpp_type != FieldDescriptor.CPPTYPE_STRING:
                yield Number((*path, field.name), field)
        elif field.message_type.full_name not in seen:
            inner = (*seen, field.message_type.full_name)
            if not field.is_repeated:
                part = getattr(message, field.name)
                yield from _numbers(part, field.message_type, (*path, field.name), inner)
                continue
            entries = getattr(message, field.name)
            for index in range(len(entries) if field.name in _LISTS else 1):
                entry = (
                    entries[index] if index < len(entries) else field.message_type._concrete_class()
                )
                way = (*path, field.name, index)
                yield from _numbers(entry, field.message_type, way, inner)


_LISTS = ("moving_object", "lane_boundary")


def extremes(number: Number) -> tuple[float | int, ...]:
    """Return the values that a field can hold and that programs do not expect."""
    field = number.field
    if field.cpp_type in _INTEGERS:
        least, most = _INTEGERS[field.cpp_type]
        whole = (value for value in _WHOLE if least <= value <= most)
        return (*dict.fromkeys((least, most, *whole)),)
    if field.enum_type is not None:
        known = sorted(each.number for each in field.enum_type.values)
        return (*known, known[-1] + 1, 2**31 - 1)
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return (False, True)
    return _REAL


def set_to(message: Message, number: Number, value: float) -> None:
    """Set a number of a message; one beyond an enumeration stays on the wire."""
    *way, last = number.path
    for name, after in zip(way, [*way[1:], last], strict=True):
        if isinstance(name, int):
            continue
        part = getattr(message, name)
        if isinstance(after, int):
            while len(part) <= after:
                part.add()
            message = part[after]
        else:
            part.SetInParent()
            message = part
    field = number.field
    if field.enum_type is not None and value not in field.enum_type.values_by_number:
        message.ClearField(field.name)
        wire = _varint(field.number << 3) + _varint(int(value))
        message.MergeFromString(wire)
    elif field.is_repeated:
        message.ClearField(field.name)
        getattr(message, field.name).append(value)
    else:
        setattr(message, field.name, value)


def _varint(value: int) -> bytes:
    low, high = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(high) if high else bytes([low])
