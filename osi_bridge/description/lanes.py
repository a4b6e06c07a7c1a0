# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Decoding of lanes, lane boundaries and road markings into records of numpy columns.

Each list of a message is decoded separately: a list that did not change costs only a comparison.
Ids of physical lanes and of logical lanes are separate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from osi3.osi_lane_pb2 import Lane as OsiLane
from osi3.osi_lane_pb2 import LaneBoundary
from osi3.osi_logicallane_pb2 import LogicalLane
from osi3.osi_roadmarking_pb2 import RoadMarking

from osi_bridge.description.conditions import water_film_mm
from osi_bridge.description.limits import MAX_ANGLE_RAD, MAX_DIMENSION_M, MAX_POSITION_M

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence, Sized

    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
    from google.protobuf.message import Message
    from numpy.typing import NDArray

__all__ = [
    "LANE_LISTS",
    "BoundaryLine",
    "Lane",
    "LaneFault",
    "LaneNetwork",
    "PaintedMark",
    "network",
]

MOST_POINTS = 100_000
"""Largest number of points of one line: 2 km with a point every 2 cm."""
MOST_POINTS_IN_ALL = 1_000_000
"""Largest number of points of one list; further lines are left out."""
MAX_SIZE_M = 100.0
"""Largest width or height of a line. [m]"""
_MARK_LIMITS = np.array([[MAX_POSITION_M], [MAX_ANGLE_RAD], [MAX_DIMENSION_M]])

Point3 = tuple[float, float, float]


class LaneFault(NamedTuple):
    """A lane, boundary or road marking that was left out, or read only in part.

    ``reason`` says in words why.
    """

    part: str
    """Kind of the element, such as "lane boundary"."""
    id: int | None
    """OSI id, None if it has none."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundaryLine:
    """A lane boundary: a line of at least two points.

    Attributes
    ----------
    id : int
        OSI id.
    points_m : float64 (n, 3)
        Points of the line in the world, without successive duplicates. [m]
    width_m, height_m : float64 (n,)
        Width and height at each point; 0 if absent or impossible. [m]
    dash : uint8 (n,)
        OSI's enumeration Dash: 2 start, 3 continue, 4 end, 5 gap; 0 = not stated.
    type_name, color_name : str
        OSI's names without their prefix, such as "SOLID_LINE" and "WHITE"; "" for logical
        boundaries.
    color : (float, float, float) or None
        Red, green and blue, 0 to 1; None if not stated as rgb, or impossible.
    """

    id: int
    points_m: NDArray[np.float64]
    width_m: NDArray[np.float64]
    height_m: NDArray[np.float64]
    dash: NDArray[np.uint8]
    type_name: str = ""
    color_name: str = ""
    color: Point3 | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lane:
    """A physical or logical lane.

    Attributes
    ----------
    id : int
        OSI id.
    type_name, subtype_name : str
        OSI's names without their prefix, such as "NONDRIVING" and "SIDEWALK". A logical lane has no
        subtype.
    left_ids, right_ids, free_ids : tuple of int
        Ids of the boundaries on the left, on the right, and around an intersection.
    centerline_m : float64 (n, 3)
        Points of the centre line in the world; empty if absent, and for logical lanes. [m]
    road_type : str
        Road type of a logical lane, such as "MOTORWAY"; "" for physical lanes.
    water_film_mm : float or None
        Thickness of the water on the lane; None if not stated, and for logical lanes. [mm]
    """

    id: int
    type_name: str
    subtype_name: str = ""
    left_ids: tuple[int, ...] = ()
    right_ids: tuple[int, ...] = ()
    free_ids: tuple[int, ...] = ()
    centerline_m: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 3)))
    road_type: str = ""
    water_film_mm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PaintedMark:
    """A road marking other than a lane boundary: a stop line, an arrow, a symbol.

    Attributes
    ----------
    id : int
        OSI id.
    position_m, orientation_rad, dimension_m : float64 (3,)
        Centre of the bounding box in the world, its roll, pitch and yaw, and its length, width and
        height. In OSI, the box has a pitch of -90 degrees, so that its height lies along the road.
        [m], [rad], [m]
    outline_m : float64 (n, 2)
        Base polygon in the box's axes; empty if absent. [m]
    type_name, color_name : str
        OSI's names without their prefix.
    """

    id: int
    position_m: NDArray[np.float64]
    orientation_rad: NDArray[np.float64]
    dimension_m: NDArray[np.float64]
    outline_m: NDArray[np.float64]
    type_name: str
    color_name: str


class _Lines(NamedTuple):
    """One decoded list of GroundTruth: elements by id, and faults."""

    parts: Mapping[int, Any]
    faults: tuple[LaneFault, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaneNetwork:
    """All lanes, boundaries and road markings of a message.

    Successive messages in which these have not changed share one `LaneNetwork` object.

    Attributes
    ----------
    boundaries, lanes, markings : mapping
        Physical lane boundaries, lanes and road markings by id, in the order of the message.
    logical_boundaries, logical_lanes : mapping
        Boundaries and lanes of OSI's logical lanes, by id.
    country_code : int
        ISO 3166-1 numeric code, 0 = not stated.
    faults : tuple of LaneFault
        Elements that were left out, or read only in part.
    """

    boundaries: Mapping[int, BoundaryLine] = field(default_factory=dict)
    lanes: Mapping[int, Lane] = field(default_factory=dict)
    markings: Mapping[int, PaintedMark] = field(default_factory=dict)
    logical_boundaries: Mapping[int, BoundaryLine] = field(default_factory=dict)
    logical_lanes: Mapping[int, Lane] = field(default_factory=dict)
    country_code: int = 0
    faults: tuple[LaneFault, ...] = ()


def network(lists: Sequence[_Lines], country_code: int) -> LaneNetwork | None:
    """Return the lanes, boundaries and road markings of a message; None if it has none.

    ``lists`` has one decoded list for each entry of `LANE_LISTS`, in that order: the result of the
    entry's reader, with elements by id and faults. ``country_code`` is an ISO 3166-1 number.
    """
    if not any(one.parts or one.faults for one in lists):
        return None
    names = ("boundaries", "lanes", "markings", "logical_boundaries", "logical_lanes")
    return LaneNetwork(
        **{name: one.parts for name, one in zip(names, lists, strict=True)},
        country_code=country_code,
        faults=tuple(fault for one in lists for fault in one.faults),
    )


class _ImpossibleError(Exception):
    """An element cannot be used; the text gives the reason."""


def _names(enum: EnumTypeWrapper, prefix: str) -> dict[int, str]:
    return {number: name.removeprefix(prefix) for name, number in reversed(enum.items())}


_BOUNDARY = _names(LaneBoundary.Classification.Type, "TYPE_")
_COLOR = _names(LaneBoundary.Classification.Color, "COLOR_")
_LANE = _names(OsiLane.Classification.Type, "TYPE_")
_SUBTYPE = _names(OsiLane.Classification.Subtype, "SUBTYPE_")
_LOGICAL = _names(LogicalLane.Type, "TYPE_")
_ROAD = _names(LogicalLane.RoadType, "ROAD_TYPE_")
_MARK = _names(RoadMarking.Classification.Type, "TYPE_")
_PAINT = _names(RoadMarking.Classification.Color, "COLOR_")


def _reader(part: str, read: Callable[[Any, list[str]], Any]) -> Callable[[Iterable[Any]], _Lines]:
    """Return a reader for a list, which keeps the first element of each id and lists faults."""

    def read_list(messages: Iterable[Any]) -> _Lines:
        parts: dict[int, Any] = {}
        faults: list[LaneFault] = []
        n_points = 0
        for message in messages:
            own_id = int(message.id.value) if message.HasField("id") else None
            remarks: list[str] = []
            own_points = len(getattr(message, "boundary_line", ()))
            n_points += own_points if own_points <= MOST_POINTS else 0
            fault = _fault(own_id, parts, n_points)
            if own_id is None or fault:
                remarks.append(fault)
            else:
                try:
                    parts[own_id] = read(message, remarks)
                except _ImpossibleError as error:
                    remarks = [str(error)]
            faults += [LaneFault(part, own_id, remark) for remark in remarks]
        return _Lines(parts, tuple(faults))

    return read_list


def _fault(own_id: int | None, parts: Mapping[int, Any], n_points: int) -> str:
    """Return why an element is left out, "" if it is read."""
    if own_id is None:
        return "id is missing"
    if own_id in parts:
        return "an earlier one of the same message has its id"
    if n_points > MOST_POINTS_IN_ALL:
        return f"the message has more than {MOST_POINTS_IN_ALL} points"
    return ""


def _columns(rows: list[float], width: int, remarks: list[str]) -> NDArray[np.float64]:
    """Return rows of `width` numbers, without impossible points and successive duplicates."""
    table = np.array(rows, np.float64).reshape(-1, width)
    usable = (np.abs(table[:, :3]) <= MAX_POSITION_M).all(axis=1)
    if not usable.all():
        remarks.append(f"{np.count_nonzero(~usable)} of its {len(table)} points are impossible")
        table = table[usable]
    moved = np.ones(len(table), np.bool_)
    moved[1:] = (np.diff(table[:, :3], axis=0) != 0.0).any(axis=1)
    return table[moved]


def _check_count(points: Sized) -> None:
    if len(points) > MOST_POINTS:
        raise _ImpossibleError(f"{len(points)} points, expected at most {MOST_POINTS}")


def _frozen(values: Any, dtype: Any = np.float64) -> NDArray[Any]:  # noqa: ANN401
    array = np.array(values, dtype)
    array.flags.writeable = False
    return array


def _line(own_id: int, table: NDArray[np.float64], **more: Any) -> BoundaryLine:  # noqa: ANN401
    if len(table) < 2:
        raise _ImpossibleError("fewer than two points")
    sizes = table[:, 3:5]
    sizes = np.where((sizes >= 0.0) & (sizes <= MAX_SIZE_M), sizes, 0.0)
    return BoundaryLine(
        id=own_id,
        points_m=_frozen(table[:, :3]),
        width_m=_frozen(sizes[:, 0]),
        height_m=_frozen(sizes[:, 1]),
        dash=_frozen(table[:, 5], np.uint8),
        **more,
    )


def _boundary(message: Message, remarks: list[str]) -> BoundaryLine:
    _check_count(message.boundary_line)
    rows = [
        value
        for point in message.boundary_line
        for p in (point.position,)
        for value in (p.x, p.y, p.z, point.width, point.height, point.dash)
    ]
    stated = message.classification
    return _line(
        message.id.value,
        _columns(rows, 6, remarks),
        type_name=_BOUNDARY[stated.type],
        color_name=_COLOR[stated.color],
        color=_rgb(message),
    )


def _logical_boundary(message: Message, remarks: list[str]) -> BoundaryLine:
    _check_count(message.boundary_line)
    points = (point.position for point in message.boundary_line)
    rows = [value for p in points for value in (p.x, p.y, p.z, 0.0, 0.0, 0.0)]
    return _line(message.id.value, _columns(rows, 6, remarks))


def _rgb(message: Message) -> Point3 | None:
    if not message.color_description.HasField("rgb"):
        return None
    rgb = message.color_description.rgb
    color = rgb.red, rgb.green, rgb.blue
    return color if all(0.0 <= part <= 1.0 for part in color) else None


def _ids(identifiers: Iterable[Any]) -> tuple[int, ...]:
    return tuple(int(one.value) for one in identifiers)


def _lane(message: Message, remarks: list[str]) -> Lane:
    stated = message.classification
    _check_count(stated.centerline)
    rows = [value for p in stated.centerline for value in (p.x, p.y, p.z)]
    return Lane(
        id=message.id.value,
        type_name=_LANE[stated.type],
        subtype_name=_SUBTYPE[stated.subtype],
        left_ids=_ids(stated.left_lane_boundary_id),
        right_ids=_ids(stated.right_lane_boundary_id),
        free_ids=_ids(stated.free_lane_boundary_id),
        centerline_m=_frozen(_columns(rows, 3, remarks)),
        water_film_mm=water_film_mm(message),
    )


def _logical_lane(message: Message, _remarks: list[str]) -> Lane:
    return Lane(
        id=message.id.value,
        type_name=_LOGICAL[message.type],
        left_ids=_ids(message.left_boundary_id),
        right_ids=_ids(message.right_boundary_id),
        road_type=_ROAD[message.road_type],
    )


def _mark(message: Message, _remarks: list[str]) -> PaintedMark:
    base, stated = message.base, message.classification
    p, o, d = base.position, base.orientation, base.dimension
    pose = np.array([[p.x, p.y, p.z], [o.roll, o.pitch, o.yaw], [d.length, d.width, d.height]])
    _check_count(base.base_polygon)
    outline = np.array([(c.x, c.y) for c in base.base_polygon], np.float64).reshape(-1, 2)
    possible = (np.abs(pose) <= _MARK_LIMITS).all() and (pose[2] >= 0.0).all()
    if not possible or not (np.abs(outline) <= MAX_DIMENSION_M).all():
        raise _ImpossibleError("its pose, size or base polygon is not finite or out of bounds")
    return PaintedMark(
        id=message.id.value,
        position_m=_frozen(pose[0]),
        orientation_rad=_frozen(pose[1]),
        dimension_m=_frozen(pose[2]),
        outline_m=_frozen(outline),
        type_name=_MARK[stated.type],
        color_name=_PAINT[stated.monochrome_color],
    )


LANE_LISTS: Mapping[str, Callable[[Iterable[Any]], _Lines]] = {
    "lane_boundary": _reader("lane boundary", _boundary),
    "lane": _reader("lane", _lane),
    "road_marking": _reader("road marking", _mark),
    "logical_lane_boundary": _reader("logical lane boundary", _logical_boundary),
    "logical_lane": _reader("logical lane", _logical_lane),
}
"""A reader for each of GroundTruth's lists of lanes, boundaries and markings, by name of the field.

A reader takes the messages of the list. It returns the decoded elements by id, and the faults.
"""
