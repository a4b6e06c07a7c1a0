# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects and signals that are paint: crosswalks, parking spaces, stop lines."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.opendrive.attributes import PartError
from lidar_scenery.roads.opendrive.marks import BOLD_M, WIDTH_M, Stretch, dashes, material_of
from lidar_scenery.roads.opendrive.objects.ground import ACROSS_M, ALONG_M
from lidar_scenery.roads.opendrive.surface import frames_at
from lidar_scenery.roads.painted import LIFT_M
from lidar_scenery.roads.parts import Strip
from lidar_scenery.shapes.triangulation import NOT_FILLED, triangulated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.objects.ground import RoadGround
    from lidar_scenery.roads.opendrive.objects.rows import GaplessRow
    from lidar_scenery.roads.opendrive.records import MapObject, Marking
    from lidar_scenery.roads.opendrive.remarks import MapRemarks

BAR_M = 0.5
"""Width of the bars of a crosswalk, and of the gaps between them (German sign 293). [m]"""

_PAINT = "marking_white"


def object_paint(
    ground: RoadGround, thing: MapObject, remarks: MapRemarks, name: str
) -> Iterator[Strip]:
    """Yield the paint of an object of a map, such as a crosswalk, as strips on the road.

    The markings and the filled outlines of the object are painted. An object that has neither is
    noted in `remarks`: a crosswalk then gets bars, any other object nothing.

    Parameters
    ----------
    ground : RoadGround
        The road of the object.
    thing : MapObject
        The object.
    remarks : MapRemarks
        Takes the notes.
    name : str
        Name of the object in notes.

    Raises
    ------
    PartError
        If a marking has an unknown corner or side, paint is too large, or an outline crosses
        itself. Also if the object lies far beyond its road, or if its box is needed and its length
        or width is not stated.
    BoundError
        If the map needs more points than the size of its file allows.
    """
    pose = ground.pose_of(thing)
    outlines = [ground.corners(thing, outline, pose)[0][:, :2] for outline in thing.outlines]
    for marking in thing.markings:
        quads = _line_quads(_marked_points(thing, marking, outlines), marking)
        material = material_of(marking.color, remarks, name)
        _note_line(marking, quads, remarks, name)
        yield from ground.patches(in_world(quads, pose), thing.s_m, material)
    filled = _filled_ones(thing, outlines)
    if filled:
        quads = np.concatenate([_filled(outline) for outline in filled])
        material = material_of(thing.paint_color, remarks, name)
        yield from ground.patches(in_world(quads, pose), thing.s_m, material)
    elif thing.markings:
        return
    elif thing.kind == "crosswalk":
        used = f"bars of {BAR_M:g} m with gaps of {BAR_M:g} m"
        remarks.add(name, used, "it states no markings")
        turned = abs(np.cos(thing.angles_rad[0])) < np.sqrt(0.5)
        bars = crosswalk_bars(np.concatenate(outlines or [_box(thing)]), turned=turned)
        yield from ground.patches(in_world(bars, pose), thing.s_m, _PAINT)
    else:
        remarks.add(name, "nothing", f"it states no markings, as a {thing.kind}")


def row_paint(row: GaplessRow, thing: MapObject, remarks: MapRemarks, name: str) -> Iterator[Strip]:
    """Yield the paint of an object that is repeated without gaps: a ribbon along the road.

    Only a road mark is painted, and only if its width is known and its row follows the road. Any
    other row yields nothing and is noted in `remarks`; `name` is the name of the object `thing` in
    notes.

    Raises
    ------
    PartError
        If the ribbon takes too many points.
    BoundError
        If the map needs more points than the size of its file allows.
    """
    width = row.course.width_m or thing.width_m
    if thing.kind != "roadMark" or row.course.detached or not width:
        reason = f"rows without gaps are not painted for a {thing.kind}"
        if thing.kind == "roadMark":
            reason = "its row without gaps is detached or states no width"
        remarks.add(name, "nothing", reason)
        return
    material = material_of(thing.paint_color, remarks, name)
    for span in row.spans():
        s = row.stations(span, ALONG_M)
        yield from _ribbon(row.ground, s, row.sides_m(s), material)


def _ribbon(
    ground: RoadGround, s_m: NDArray[np.float64], sides_m: NDArray[np.float64], material: str
) -> Iterator[Strip]:
    """Yield paint between two lateral offsets (2, n) at stations (n,) of a road."""
    left, right = sides_m
    lines = math.ceil(float((left - right).max()) / ACROSS_M) + 2
    frames = frames_at(ground.road, s_m)
    points = []
    for share in np.linspace(0.0, 1.0, lines):
        t = (1.0 - share) * right + share * left
        line = frames.points(t)
        line[:, 2] = ground.surface_z(s_m, t) + LIFT_M
        points.append(line)
    for low, high in pairwise(points):
        yield Strip(material=material, left_m=high, right_m=low)


def _filled_ones(
    thing: MapObject, outlines_m: list[NDArray[np.float64]]
) -> list[NDArray[np.float64]]:
    """Return the outlines (n, 2) that are filled with paint.

    These are closed outlines whose fill is paint. All outer outlines of a road mark without
    markings count too, whatever their fill.
    """
    usual = thing.kind == "roadMark" and not thing.markings
    return [
        points
        for outline, points in zip(thing.outlines, outlines_m, strict=True)
        if outline.closed and (outline.fill == "paint" or (usual and outline.outer))
    ]


def _note_line(
    marking: Marking, quads_m: NDArray[np.float64], remarks: MapRemarks, name: str
) -> None:
    if not len(quads_m):
        reason = "one of its markings has no length, or dashes of no length"
        remarks.add(name, "nothing", reason)
    elif marking.width_m is None:
        remarks.add(name, f"{_width_m(marking):g} m wide", "a marking of it states no width")


def _width_m(marking: Marking) -> float:
    return marking.width_m or (BOLD_M if marking.bold else WIDTH_M)


def _filled(outline_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an outline (n, 2) as triangles (k, 4, 2), each with its last corner repeated."""
    triangles = triangulated(outline_m) if len(outline_m) > 2 else None
    if triangles is None:
        raise PartError(f"its outline has {NOT_FILLED}; expected a simple outline")
    return outline_m[triangles[:, [0, 1, 2, 2]]]


def crosswalk_bars(corners_m: NDArray[np.float64], *, turned: bool) -> NDArray[np.float64]:
    """Return the corners of the bars of a crosswalk in its own frame, x, y, (k, 4, 2) [m].

    Raise PartError if the crosswalk is less than 0.5 m wide across its bars, or 999.5 m or more.

    Parameters
    ----------
    corners_m : float64 (n, 2)
        x, y of points whose bounds the bars fill, in the frame of the object. [m]
    turned : bool
        Whether the object is turned by about a right angle to the road. The bars are then parallel
        to y, else to x.
    """
    along, across = (1, 0) if turned else (0, 1)
    low, high = corners_m.min(axis=0), corners_m.max(axis=0)
    count = int((high[across] - low[across] + BAR_M) / (2.0 * BAR_M))
    if not 0 < count < 1000:
        raise PartError(f"it is {high[across] - low[across]:g} m wide, expected 0.5 to 1000 m")
    first = 0.5 * (low[across] + high[across]) - (count - 0.5) * BAR_M
    bars = np.empty((count, 4, 2))
    bars[:, :, along] = [low[along], high[along], high[along], low[along]]
    starts = first + 2.0 * BAR_M * np.arange(count)
    bars[:, :, across] = starts[:, None] + [0.0, 0.0, BAR_M, BAR_M]
    return bars


def _box(thing: MapObject) -> NDArray[np.float64]:
    """Return the corners of an object's box: rear right, front right, front left, rear left."""
    if not (thing.length_m and thing.width_m):
        raise PartError("it has no length or width, expected both for its box")
    u, v = 0.5 * thing.length_m, 0.5 * thing.width_m
    return np.array([(-u, -v), (u, -v), (u, v), (-u, v)])


def _marked_points(
    thing: MapObject, marking: Marking, outlines_m: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the points (n, 2) along which a marking runs, in the axes of its object.

    A marking names corners of one outline: of the stated outline, else of the first outline that
    has all these corners.
    """
    if marking.corners:
        for outline, points in zip(thing.outlines, outlines_m, strict=True):
            names = [corner.name for corner in outline.corners]
            is_own = not marking.outline or marking.outline == outline.name
            if is_own and {*marking.corners} <= {*names}:
                return points[[names.index(name) for name in marking.corners]]
        known = {corner.name for outline in thing.outlines for corner in outline.corners}
        missing = min({*marking.corners} - known, default=marking.corners[0])
        raise PartError(f"its marking refers to corner {missing!r:.40}, which no outline has")
    sides = {"right": (0, 1), "front": (1, 2), "left": (3, 2), "rear": (0, 3)}
    if marking.side not in sides:
        raise PartError(
            f"its marking is on side {marking.side!r:.40}, expected one of {', '.join(sides)}"
        )
    return _box(thing)[list(sides[marking.side])]


def _line_quads(points_m: NDArray[np.float64], marking: Marking) -> NDArray[np.float64]:
    """Return the dashes (k, 4, 2) of a marking along points (n, 2)."""
    quads = []
    for first, last in pairwise(points_m):
        length = float(np.linalg.norm(last - first))
        stop = length - marking.stop_m
        if stop <= marking.start_m:
            continue
        direction = (last - first) / length
        side = 0.5 * _width_m(marking) * np.array([-direction[1], direction[0]])
        if marking.space_m > 0.0:
            stretch = Stretch(marking.start_m, marking.start_m, stop)
            intervals = dashes(marking.line_m, marking.space_m, stretch)
        else:
            intervals = np.array([[marking.start_m, stop]])
        for start, end in [] if intervals is None else intervals:
            a, b = first + start * direction, first + end * direction
            quads.append([a - side, b - side, b + side, a + side])
    return np.array(quads, np.float64).reshape(-1, 4, 2)


def in_world(quads_m: NDArray[np.float64], pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map points of an object's ground plane into the world, and return their x, y [m].

    Parameters
    ----------
    quads_m : float64 (..., 2)
        x, y of points in the frame of the object; z is 0. [m]
    pose : float64 (4, 4)
        Pose world_from_object of the object. [m]
    """
    world: NDArray[np.float64] = quads_m @ pose[:2, :2].T + pose[:2, 3]
    return world
