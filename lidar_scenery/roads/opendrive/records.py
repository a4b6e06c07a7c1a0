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
    """One of the painted lines of a road mark: repeated as dashes, continuous, or drawn once.

    Attributes
    ----------
    length_m : float
        Length of a dash, or of a line that is drawn once. [m]
    space_m : float
        Gap between dashes; 0 for a continuous line. [m]
    t_offset_m : float
        Lateral offset of the line from the border of the lane, positive to the left. [m]
    s_offset_m : float
        Offset of the line's start along the road, from the start of the mark. [m]
    width_m : float or None
        Width of the line; if None or 0, it has the width of the mark. [m]
    color : str
        Name of the colour; empty for the colour of the mark.
    once : bool
        Whether the line is drawn once.
    """

    length_m: float  # of a dash, or of a line that is drawn once
    space_m: float  # gap between dashes; 0: the line is continuous
    t_offset_m: float  # lateral offset of the line from the lane's border, positive to the left
    s_offset_m: float  # offset of the line's start along the road, from the start of the mark
    width_m: float | None  # None: the width of the mark
    color: str = ""  # "": the colour of the mark
    once: bool = False


class RoadMark(NamedTuple):
    """A road mark along the outer border of a lane, up to the start of the lane's next mark.

    Attributes
    ----------
    s_offset_m : float
        Station of its start, from ``MapLane.start_m``. [m]
    kind : str
        OpenDRIVE's type, such as "solid broken".
    color : str
        Name of the colour, such as "standard".
    bold : bool
        Whether the map states a bold weight; the mark is then broader if it states no width.
    width_m, height_m : float or None, float
        Width of the lines; None if not stated. Height above the road, 0 if not stated. [m]
    lines : tuple of MarkLine
        Its lines; if empty, they follow from `kind`.
    sways : bool
        Whether the map states a sway, which is ignored.
    """

    s_offset_m: float  # station of its start, from ``MapLane.start_m``
    kind: str  # OpenDRIVE's type, such as "solid broken"
    color: str
    bold: bool
    width_m: float | None  # None: not stated
    height_m: float
    lines: tuple[MarkLine, ...]  # empty: the lines follow from `kind`
    sways: bool  # whether the map states a sway, which is ignored


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapLane:
    """A lane of a lane section.

    Attributes
    ----------
    number : int
        OpenDRIVE's lane id: positive on the left of the centre lane, negative on the right.
    kind : str
        Type of the lane, such as "driving".
    start_m : float
        Station from which offsets along the lane count. [m]
    level : bool
        Whether the lane stays horizontal on a road that rolls.
    widths, borders : Cubics
        The width of the lane, and the lateral offset of its outer border. The border is used only
        if the map states no width. [m]
    heights_m : float64 (n, 3)
        Each row has an offset along the lane, and from there on the heights of the inner and of the
        outer border above the road. [m]
    materials : tuple of (float, str)
        Each entry has an offset along the lane [m], and the surface from that offset on.
    marks : tuple of RoadMark
        Marks along the outer border of the lane, by rising offset.
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
    """The lanes of a road between the stations `start_m` and `end_m` [m].

    `centre` is the centre lane, None if the map has none. `left` and `right` have the other lanes
    on each side of it, from the centre outwards.
    """

    start_m: float  # station
    end_m: float  # station
    centre: MapLane | None
    left: tuple[MapLane, ...]  # from the centre outwards
    right: tuple[MapLane, ...]  # from the centre outwards


class CrossSection(NamedTuple):
    """Shape of a road's cross-section at station `s_m` [m].

    `heights` is a function of the lateral offset [m]: the height above the road's plane [m].
    """

    s_m: float  # station
    heights: Cubics  # function of the lateral offset


class Corner(NamedTuple):
    """A corner of an outline: in the object's axes, or, if `on_road`, in road coordinates.

    `name` is its id in the map. `along_m` is x in the object's axes or the station, `across_m` is y
    or the lateral offset, and `z_m` is the height in the object's axes or above the road [m].
    `height_m` is the height of the object above the corner; NaN if the map states none [m].
    """

    name: str
    on_road: bool
    along_m: float  # x in the object's axes, or station
    across_m: float  # y in the object's axes, or lateral offset
    z_m: float  # in the object's axes, or above the road
    height_m: float  # of the object above the corner; NaN: not stated


class Outline(NamedTuple):
    """An outline of an object: its id (`name`), and its `corners` in order.

    `closed` says whether it bounds an area; else it is a line. `outer` is False for an outline
    within an outer one. `fill` is OpenDRIVE's fillType, such as "paint".
    """

    name: str
    closed: bool  # whether the outline bounds an area; else it is a line
    outer: bool  # False for an outline within an outer outline
    fill: str  # OpenDRIVE's fillType, such as "paint"
    corners: tuple[Corner, ...]


class Repeat(NamedTuple):
    """A row of copies of an object along a road: OpenDRIVE's <repeat>.

    Each pair of numbers has the value at the start and the value at the end of the row.

    Attributes
    ----------
    s_m, length_m : float
        Station at which the row starts, and its length along the road. [m]
    distance_m : float
        Distance between copies; 0 for one long object without gaps. [m]
    t_m, z_offset_m : (float, float)
        Lateral offset, positive to the left, and height above the road. [m]
    length_of_each_m, width_m, height_m : (float, float) or None
        Size of the copies; None if the size of the object itself is used. [m]
    is_round : bool
        Whether the map states a radius in place of length and width.
    detached : bool
        Whether the row runs straight from its start to its end; else it follows the road.
    """

    s_m: float  # station at which the row starts
    length_m: float
    distance_m: float  # between copies; 0: one long object without gaps
    t_m: tuple[float, float]
    length_of_each_m: tuple[float, float] | None
    width_m: tuple[float, float] | None
    height_m: tuple[float, float] | None
    z_offset_m: tuple[float, float]
    is_round: bool
    detached: bool


class Copy(NamedTuple):
    """Place and size of one copy of an object in a row, from which its outlines follow.

    The outlines of the object are moved from `origin_m` to the place of the copy, and scaled by
    `scale`.
    """

    origin_m: tuple[float, float, float]
    """Station, lateral offset and height of the repeated object's origin. [m]"""
    scale: tuple[float, float, float]
    """Length, width and height of the copy, each divided by the same size of the object. [1]"""
    pose: NDArray[np.float64] | None
    """Pose world_from_object, (4, 4), in a detached row; None for a copy that follows the road."""


class Marking(NamedTuple):
    """A painted line along a side of an object's box, or along corners of its outline.

    Attributes
    ----------
    side : str
        "right", "front", "left" or "rear"; it counts only if there are no `corners`.
    outline : str
        Name of the outline of the corners; empty if not stated.
    corners : tuple of str
        Names of the corners along which the line runs.
    width_m : float or None
        Width of the line; None if not stated. [m]
    bold : bool
        Whether the map states a bold weight; the line is then broader if it states no width.
    color : str
        Name of the colour, such as "white".
    line_m, space_m : float
        Length of a dash, and of the gap after it; a gap of 0 makes the line continuous. [m]
    start_m, stop_m : float
        Offsets of the first dash from the start of each edge, and of the end of the line from the
        end of each edge. [m]
    """

    side: str  # "right", "front", "left" or "rear"; used if there are no `corners`
    outline: str  # name of the outline of the corners; "": not stated
    corners: tuple[str, ...]  # names of corners along which the line runs
    width_m: float | None  # None: not stated
    bold: bool
    color: str
    line_m: float  # length of a dash
    space_m: float  # gap between dashes; 0: the line is continuous
    start_m: float  # offset of the first dash from the start of each edge
    stop_m: float  # offset of the end of the line from the end of each edge


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapObject:
    """An object along a road, as the map states it; None means that the map states no value.

    Attributes
    ----------
    name, kind : str
        OpenDRIVE's id and type, such as "pole".
    words : str
        Its subtype and name, with a blank between them.
    s_m, t_m, z_offset_m : float
        Station, lateral offset (positive to the left), and height above the road. [m]
    angles_rad : (float, float, float)
        Heading relative to the road, pitch and roll. [rad]
    length_m, width_m, height_m : float or None
        Size; if the map states a radius only, length and width are the diameter. [m]
    is_round : bool
        Whether the map states a radius in place of length and width.
    square : bool
        Whether it stands perpendicular to the road's surface; else it is upright.
    paint_color : str
        Name of the colour of its paint; empty if not stated.
    outlines, repeats, markings : tuple of Outline, tuple of Repeat, tuple of Marking
        Its outlines, the rows in which it is repeated, and the painted lines along its edges.
    copy : Copy or None
        Place and size of the copy, if this is a copy in a row of the object; else None.
    """

    name: str  # OpenDRIVE's id
    kind: str  # OpenDRIVE's type, such as "pole"
    words: str  # its subtype and name
    s_m: float  # station
    t_m: float  # lateral offset
    z_offset_m: float  # height above the road
    angles_rad: tuple[float, float, float]  # heading relative to the road, pitch, roll
    length_m: float | None
    width_m: float | None
    height_m: float | None
    is_round: bool  # whether the map states a radius in place of length and width
    square: bool  # whether it stands perpendicular to the road's surface; else it is upright
    paint_color: str
    outlines: tuple[Outline, ...]
    repeats: tuple[Repeat, ...]
    markings: tuple[Marking, ...]
    copy: Copy | None = None  # for a copy in a row of the object


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Signal:
    """A sign, a light or a painted signal of a road; None means that the map states no value.

    Attributes
    ----------
    name, kind : str
        OpenDRIVE's id; and its type, the number of the sign in its country's catalogue.
    country, words, text : str
        Code of the country, name of the signal in the map, and text on the signal; or empty.
    is_dynamic : bool
        Whether its state can change, as of a traffic light.
    faces_along : bool
        Whether it faces in the direction of rising stations.
    s_m, t_m : float
        Station, and lateral offset (positive to the left). [m]
    z_offset_m : float or None
        Height of its lower edge above the road. [m]
    angles_rad : (float, float, float)
        Heading relative to the road, pitch and roll. [rad]
    width_m, height_m : float or None
        Its size. [m]
    has_zeros : bool
        Whether `z_offset_m` is 0, and width and height are 0 in the map or not stated.
    value : float or None
        Value of the signal, such as a speed limit.
    """

    name: str  # OpenDRIVE's id
    kind: str  # OpenDRIVE's type: the number of the sign in its country's catalogue
    country: str
    words: str  # its name in the map
    is_dynamic: bool
    faces_along: bool  # whether it faces in the direction of rising stations
    s_m: float  # station
    t_m: float  # lateral offset
    z_offset_m: float | None  # height of its lower edge above the road
    angles_rad: tuple[float, float, float]  # heading relative to the road, pitch, roll
    width_m: float | None
    height_m: float | None
    has_zeros: bool  # zOffset is 0, and width and height are 0 or not stated
    value: float | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Road:
    """A road of a map: reference line, lane sections and profiles, without its objects.

    Attributes
    ----------
    name, kind, country : str
        OpenDRIVE's id; its type, such as "motorway"; code of the country. The last two are empty if
        not stated.
    length_m : float
        Length of the reference line. [m]
    geometries : tuple of LinePiece
        Pieces of the reference line, by rising station.
    spans : tuple of (float, float)
        Stretches with a reference line, as stations; usually one, the whole road. [m]
    elevation, roll, left_fall, right_fall, lane_offset : Cubics
        Functions of the station [m]: height of the reference line [m], superelevation [rad],
        crossfall on the left and on the right of the reference line [rad], and lateral offset of
        the centre lane [m].
    shapes : tuple of CrossSection
        Shapes of the cross-section; empty if the map states none.
    sections : tuple of LaneSection
        The lane sections.
    allowance : Allowance
        Counts the points of the whole map.
    """

    name: str  # OpenDRIVE's id
    length_m: float
    kind: str  # OpenDRIVE's type, such as "motorway"; "": not stated
    country: str  # code of the country; "": not stated
    geometries: tuple[LinePiece, ...]  # pieces of the reference line
    spans: tuple[Span, ...]  # stretches with a reference line; usually one, the whole road
    elevation: Cubics  # height of the reference line [m]
    roll: Cubics  # superelevation [rad]
    left_fall: Cubics  # crossfall on the left of the reference line [rad]
    right_fall: Cubics  # crossfall on the right of the reference line [rad]
    shapes: tuple[CrossSection, ...]
    lane_offset: Cubics  # lateral offset of the centre lane [m]
    sections: tuple[LaneSection, ...]
    allowance: Allowance  # counts the points of the whole map
