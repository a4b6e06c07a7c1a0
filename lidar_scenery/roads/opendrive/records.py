# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of the contents of an OpenDRIVE map; lengths in metres, angles in radians."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.allowance import Allowance
    from lidar_scenery.roads.opendrive.cubics import Cubics
    from lidar_scenery.roads.opendrive.reference_line import LinePiece


Span = tuple[float, float]
"""The first and the last station of a stretch. [m]"""


class MarkLine(NamedTuple):
    """A painted line of a mark: repeated as dashes, or drawn once.

    With a space of 0 it is continuous. A width of None means the width of the mark.
    """

    length_m: float
    space_m: float
    t_offset_m: float
    s_offset_m: float
    width_m: float | None
    color: str = ""
    once: bool = False


class RoadMark(NamedTuple):
    """A mark along the outer border of a lane; width None: not stated."""

    s_offset_m: float
    kind: str
    color: str
    bold: bool
    width_m: float | None
    height_m: float
    lines: tuple[MarkLine, ...]
    sways: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapLane:
    """A lane of a lane section.

    Attributes
    ----------
    number : int
        Positive on the left of the centre lane, negative on the right.
    kind : str
        Type of the lane, such as "driving".
    start_m : float
        Station from which offsets along the lane count. [m]
    level : bool
        Whether the lane stays horizontal on a road that rolls.
    widths, borders : Cubics
        The width of the lane, and the lateral offset of its outer border, which counts only if no
        width is set. [m]
    heights_m : float64 (n, 3)
        Offset along the lane, height of the inner border and height of the outer border above
        the road. [m]
    materials : tuple of (float, str)
        Offset along the lane, and the surface from that offset on.
    marks : tuple of RoadMark
        Marks along the outer border of the lane, in order.
    """

    number: int
    kind: str
    start_m: float
    level: bool
    widths: Cubics
    borders: Cubics
    heights_m: NDArray[np.float64]
    materials: tuple[tuple[float, str], ...]
    marks: tuple[RoadMark, ...]


class LaneSection(NamedTuple):
    """Lanes between two stations, both sides from the centre outwards."""

    start_m: float
    end_m: float
    centre: MapLane | None
    left: tuple[MapLane, ...]
    right: tuple[MapLane, ...]


class CrossSection(NamedTuple):
    """Height of a cross-section above the road's plane, as a polynomial of the lateral offset."""

    s_m: float
    heights: Cubics


class Corner(NamedTuple):
    """A corner of an outline: in the object's axes, or, if `on_road`, in road coordinates.

    A height that the map does not state is NaN.
    """

    name: str
    on_road: bool
    along_m: float
    across_m: float
    z_m: float
    height_m: float


class Outline(NamedTuple):
    """An outline of an object: an area if closed, else a line; inner ones lie within outer ones."""

    name: str
    closed: bool
    outer: bool
    fill: str
    corners: tuple[Corner, ...]


class Repeat(NamedTuple):
    """A row of copies of an object; a distance of 0 means one long object without gaps.

    Pairs are values at the start and at the end of the row; `None` means the object's value. A
    detached row runs straight from its start to its end.
    """

    s_m: float
    length_m: float
    distance_m: float
    t_m: tuple[float, float]
    length_of_each_m: tuple[float, float] | None
    width_m: tuple[float, float] | None
    height_m: tuple[float, float] | None
    z_offset_m: tuple[float, float]
    is_round: bool
    detached: bool


class Copy(NamedTuple):
    """Difference between a copy and the object that it repeats.

    The outlines of a copy are the object's outlines, moved with the origin and scaled.
    """

    origin_m: tuple[float, float, float]
    """Station, lateral offset and height of the object's origin. [m]"""
    scale: tuple[float, float, float]
    """Factors along, across and upwards."""
    pose: NDArray[np.float64] | None
    """Pose (4, 4) of a copy in a detached row; None for a copy that follows the road."""


class Marking(NamedTuple):
    """A painted line along a side or between corners of an object; `None` means not stated."""

    side: str
    outline: str
    corners: tuple[str, ...]
    width_m: float | None
    bold: bool
    color: str
    line_m: float
    space_m: float
    start_m: float
    stop_m: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapObject:
    """An object along a road; `None` means that the map does not state a value.

    A `square` object stands perpendicular to the road's surface, any other object upright.
    """

    name: str
    kind: str
    words: str
    s_m: float
    t_m: float
    z_offset_m: float
    angles_rad: tuple[float, float, float]
    length_m: float | None
    width_m: float | None
    height_m: float | None
    is_round: bool
    square: bool
    paint_color: str
    outlines: tuple[Outline, ...]
    repeats: tuple[Repeat, ...]
    markings: tuple[Marking, ...]
    copy: Copy | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Signal:
    """A sign or a light along a road; `None` means that the map does not state a value.

    `has_zeros` is true if zOffset is 0, and width and height are 0 or not stated.
    """

    name: str
    kind: str
    country: str
    words: str
    is_dynamic: bool
    faces_along: bool
    s_m: float
    t_m: float
    z_offset_m: float | None
    angles_rad: tuple[float, float, float]
    width_m: float | None
    height_m: float | None
    has_zeros: bool
    value: float | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Road:
    """A road; `elevation` in m, roll and crossfalls in rad, along the reference line.

    `spans` are the stretches that have a reference line, in order: usually one, the whole road.
    `allowance` counts the points of the whole map.
    """

    name: str
    length_m: float
    kind: str
    country: str
    geometries: tuple[LinePiece, ...]
    spans: tuple[Span, ...]
    elevation: Cubics
    roll: Cubics
    left_fall: Cubics
    right_fall: Cubics
    shapes: tuple[CrossSection, ...]
    lane_offset: Cubics
    sections: tuple[LaneSection, ...]
    allowance: Allowance
