# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects without gaps along a road: rails, walls, hedges as faces that follow it."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.opendrive.objects.bodies import Body, upright, wall_body
from lidar_scenery.roads.opendrive.stations import line_breaks, refined
from lidar_scenery.roads.opendrive.surface import frames_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.objects.ground import RoadGround
    from lidar_scenery.roads.opendrive.records import MapObject, Repeat, Span
    from lidar_scenery.roads.opendrive.remarks import MapRemarks

MATERIALS = MappingProxyType(
    {
        "guard_rail": "rail_steel",
        "barrier": "barrier_concrete",
        "bush": "Tree_Leaves",
        "tree": "Tree_Leaves",
    }
)
OTHER_MATERIAL = "wall_concrete"

_BELOW_M = 0.01
"""A body that begins higher above the ground has a face below. [m]"""
_CUT_M = 0.01  # least length cut off at the end of a road that is noted
_TURN_RAD = 1e-3


class GaplessRow(NamedTuple):
    """A long object along a road, such as a rail: an object that is repeated without gaps.

    Attributes
    ----------
    ground : RoadGround
        The road of the object.
    course : Repeat
        Where the object runs along the road.
    size_m : (float, float)
        Width and height, if `course` states none. [m]
    square : bool
        Whether heights are perpendicular to the road's surface; else they are vertical.
    """

    ground: RoadGround
    course: Repeat  # where the object runs along the road
    size_m: tuple[float, float]  # width and height, if `course` states none
    square: bool  # whether heights are perpendicular to the road's surface, else vertical

    def spans(self) -> Iterator[Span]:
        """Yield the stretches (start, end) of the road along which the row runs, as stations [m].

        These are the parts of the row where the road has a reference line.
        """
        start, end = self.course.s_m, self.course.s_m + self.course.length_m
        for low, high in self.ground.road.spans:
            if min(end, high) > max(start, low):
                yield max(start, low), min(end, high)

    def bodies(self) -> Iterator[Body]:
        """Yield the bodies of the row: one for each span of the road's reference line below it.

        A detached row, which does not follow the road, yields one straight body.

        Raises
        ------
        PartError
            If a body takes too many points, or a detached row begins or ends far beyond the road.
        BoundError
            If the map needs more points than the size of its file allows.
        """
        if self.course.detached:
            yield self._straight()
            return
        for span in self.spans():
            yield self._body(self.stations(span))

    def sides_m(self, s_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the lateral offsets of the row's left side, then its right side, (2, n) [m].

        `s_m` has n stations. Offsets count from the reference line and are positive to the left.
        """
        t, width = self._at(s_m, self.course.t_m, self._width_m())
        return np.stack([t + 0.5 * width, t - 0.5 * width])

    def stations(self, span_m: Span, step_m: float | None = None) -> NDArray[np.float64]:
        """Return stations along a stretch, rising, (n,) [m]; the row is nearly straight in between.

        Parameters
        ----------
        span_m : (float, float)
            Start and end of the stretch, as stations. [m]
        step_m : float, optional
            Largest distance between stations; None: no limit. [m]
        """
        start, end = span_m
        allowance = self.ground.road.allowance
        allowance.take(sum(len(surface.s_m) for surface in self.ground.surfaces))
        words = f"its row at s = {start:g} m"
        bare = line_breaks(self.ground.road, span_m, words)
        parts = [np.array(span_m)]
        for surface in self.ground.surfaces:
            first, last = surface.section.start_m, surface.section.end_m
            bare = bare[(bare < first) | (bare > last)]
            parts.append(surface.s_m)
        if step_m is not None:
            allowance.take((end - start) / step_m)
            parts.append(np.arange(start, end, step_m))
        s = np.unique(np.concatenate([*parts, bare]))

        def edges(s_m: NDArray[np.float64]) -> NDArray[np.float64]:
            allowance.take(8 * len(s_m))
            body = self._body(s_m)
            up = body.up * body.heights_m[:, None]
            lines = [body.left_m, body.right_m, body.left_m + up, body.right_m + up]
            return np.repeat(lines, 2, axis=0)  # pairs of the same line: faces may be twisted

        return refined(s[(s >= start) & (s <= end)], edges, words, 8)

    def _body(self, s_m: NDArray[np.float64]) -> Body:
        heights = self.course.height_m or (self.size_m[1],) * 2
        lift, height = self._at(s_m, self.course.z_offset_m, heights)
        frames = frames_at(self.ground.road, s_m)
        sides = self.sides_m(s_m)
        left, right = (frames.points(t) + lift[:, None] * [0.0, 0.0, 1.0] for t in sides)
        up = frames.axes(sides.mean(axis=0))[:, :, 2] if self.square else upright(len(s_m))
        return Body(left, right, height, bool((lift > _BELOW_M).any()), up)

    def _straight(self) -> Body:
        """Return the body of a detached row, straight from start to end."""
        ends = self.ground.ends_of(self.course)
        heights = np.array(self.course.height_m or (self.size_m[1],) * 2)
        floats = max(self.course.z_offset_m) > _BELOW_M
        return wall_body(ends, heights, np.array(self._width_m()), has_bottom=floats)

    def _width_m(self) -> tuple[float, float]:
        return self.course.width_m or (self.size_m[0], self.size_m[0])

    def _at(
        self, s_m: NDArray[np.float64], *pairs: tuple[float, float]
    ) -> Iterator[NDArray[np.float64]]:
        """Yield for each pair (value at start, value at end) its values at stations, linearly."""
        share = (s_m - self.course.s_m) / self.course.length_m
        for first, last in pairs:
            yield (1.0 - share) * first + share * last


def note_row(row: GaplessRow, thing: MapObject, remarks: MapRemarks, name: str) -> None:
    """Note in `remarks` which properties of an object repeated without gaps are ignored.

    These are its length beyond the reference line, and the outlines and angles of its object.

    Parameters
    ----------
    row : GaplessRow
        The row: a long object along the road.
    thing : MapObject
        The object that the map repeats.
    remarks : MapRemarks
        Takes the notes.
    name : str
        Name of the object in the notes.
    """
    missing = row.course.length_m - sum(end - start for start, end in row.spans())
    if missing > _CUT_M and not row.course.detached:
        reason = "it reaches beyond the reference line of its road"
        remarks.add(f"{name} ({missing:g} m)", "the row without them", reason)
    if thing.outlines:
        used, reason = "a bar of its width and height", "outlines of rows without gaps are not read"
        remarks.add(name, used, reason)
    heading, *lean = thing.angles_rad
    if max(abs(math.sin(heading)), *map(abs, lean)) > _TURN_RAD:  # sin: half a turn changes no bar
        used, reason = (
            "a bar along the row",
            "hdg, pitch and roll of rows without gaps are not read",
        )
        remarks.add(name, used, reason)
