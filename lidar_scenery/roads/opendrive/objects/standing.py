# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects along a road: built-in shapes, extruded outlines, rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.opendrive.attributes import PartError
from lidar_scenery.roads.opendrive.objects.bodies import area_body, wall_body
from lidar_scenery.roads.opendrive.objects.copies import LEAST_M, box_of, copies
from lidar_scenery.roads.opendrive.objects.ground import moved
from lidar_scenery.roads.opendrive.objects.kinds import PAINTED, kind_of
from lidar_scenery.roads.opendrive.objects.paint import object_paint, row_paint
from lidar_scenery.roads.opendrive.objects.rows import (
    MATERIALS,
    OTHER_MATERIAL,
    GaplessRow,
    note_row,
)
from lidar_scenery.roads.parts import Standing, Strip
from osi_bridge.description.details import ObjectDetails

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.objects.ground import RoadGround
    from lidar_scenery.roads.opendrive.objects.kinds import Kind, Size
    from lidar_scenery.roads.opendrive.records import MapObject, Repeat
    from lidar_scenery.roads.opendrive.remarks import MapRemarks

_ROUND = 32
"""Corners of a round object."""
_BUILDING = "Building_Plaster", "Building_Roof_Felt"
_OTHER = "Object_Unknown", "Object_Unknown"
"""Materials of the sides and of the top."""


class ObjectMaker(NamedTuple):
    """Makes shapes, faces and paint from the objects of one road.

    Attributes
    ----------
    ground : RoadGround
        The road with its sampled surface.
    remarks : MapRemarks
        Takes notes on guesses and omissions.
    """

    ground: RoadGround
    remarks: MapRemarks  # takes notes on guesses and omissions

    def parts(self, thing: MapObject) -> Iterator[Standing | Strip]:
        """Yield the drawn parts of an object of the map (``thing``) and of its copies.

        A `Standing` is a built-in shape; a `Strip` is a face or paint on the road.

        Raises
        ------
        PartError
            If the object has too many copies, an outline that has no area, crosses itself or has
            too many corners, paint that cannot be drawn, or a place far beyond its road.
        """
        name = f"road {self.ground.road.name}, object {thing.name}"
        kind = kind_of(thing)
        size = self._size_m(thing, kind, name)
        for course in thing.repeats:
            if course.distance_m == 0.0 and course.length_m > 0.0:
                yield from self._row(thing, course, (kind, size), name)
        for one in copies(self.ground, thing, self.remarks, name):
            self._note_place(one, name)
            if one.kind in PAINTED:
                yield from object_paint(self.ground, one, self.remarks, name)
            elif one.outlines and kind.has_outline:
                yield from self._outlined(one, kind, size)
            else:
                yield self._standing(one, kind, self._size_of(one, size))

    def _row(
        self, thing: MapObject, course: Repeat, looks: tuple[Kind, Size], name: str
    ) -> Iterator[Strip]:
        """Yield the faces or the paint of a row without gaps."""
        kind, (_, width, height) = looks
        row = GaplessRow(self.ground, course, (width, height), thing.square)
        note_row(row, thing, self.remarks, name)
        if thing.kind in PAINTED:
            yield from row_paint(row, thing, self.remarks, name)
            return
        for body in row.bodies():
            yield from body.strips(MATERIALS.get(kind.shape, OTHER_MATERIAL))

    def _note_place(self, one: MapObject, name: str) -> None:
        """Note it if an object lies beyond the reference line of its road."""
        s = np.array([one.s_m, *(c.along_m for o in one.outlines for c in o.corners if c.on_road)])
        if one.copy is not None:
            s[1:] = one.s_m + (s[1:] - one.copy.origin_m[0]) * one.copy.scale[0]
        self.ground.note_beyond(s, self.remarks, name)

    def _size_m(self, thing: MapObject, kind: Kind, name: str) -> Size:
        """Return length, width and height; a size that the map does not state is as usual."""
        rows = thing.repeats
        stated = {
            "length": thing.length_m
            or (rows and all(row.length_of_each_m or row.distance_m == 0.0 for row in rows)),
            "width": thing.width_m or (rows and all(row.width_m for row in rows)),
            "height": thing.height_m or (rows and all(row.height_m for row in rows)),
        }
        around = box_of(thing.outlines) if any(row.distance_m == 0.0 for row in rows) else ()
        sizes = zip(
            (thing.length_m, thing.width_m, thing.height_m),
            around or (0.0, 0.0, 0.0),
            kind.usual_m,
            strict=True,
        )
        length, width, height = (own or outer or usual for own, outer, usual in sizes)
        if thing.kind not in PAINTED and not (thing.outlines and kind.has_outline):
            usual = zip(stated.items(), kind.usual_m, strict=True)
            missing = [f"{side} {value:g} m" for (side, known), value in usual if not known]
            if missing:
                used = f"{', '.join(missing)}, as of a usual {kind.shape}"
                self.remarks.add(name, used, "the map does not state it")
        return length, width, height

    @staticmethod
    def _size_of(one: MapObject, size_m: Size) -> Size:
        sizes = one.length_m, one.width_m, one.height_m
        length, width, height = (
            usual if own is None else own for own, usual in zip(sizes, size_m, strict=True)
        )
        return length, width, height

    def _standing(self, one: MapObject, kind: Kind, size_m: Size) -> Standing:
        outline = _circle(size_m) if one.is_round and kind.shape == "object" else ()
        return Standing(
            shape=kind.shape,
            dimension_m=size_m,
            world_from_object=moved(self.ground.pose_of(one), 0.0, 0.0, 0.5 * size_m[2]),
            details=ObjectDetails(outline_m=outline),
        )

    def _outlined(self, one: MapObject, kind: Kind, size_m: Size) -> Iterator[Standing | Strip]:
        pose = self.ground.pose_of(one)
        for outline in one.outlines:
            corners, heights = self.ground.corners(one, outline, pose)
            # stated corner heights hold if any is above 0; else the object's height holds
            missing = np.isnan(heights) if (heights > 0.0).any() else np.full(len(heights), True)
            heights = np.where(missing, one.height_m or 0.0, heights)
            if outline.closed:
                yield from _extruded(corners, heights, pose, kind)
            elif len(corners) > 1:
                world = corners @ pose[:3, :3].T + pose[:3, 3]
                body = wall_body(world, heights, size_m[1])
                yield from body.strips(MATERIALS.get(kind.shape, OTHER_MATERIAL))


def _circle(size_m: Size) -> tuple[tuple[float, float], ...]:
    """Return the corners of a polygon for a round object."""
    turns = np.arange(_ROUND) * (2.0 * np.pi / _ROUND)
    circle = 0.5 * np.column_stack([size_m[0] * np.cos(turns), size_m[1] * np.sin(turns)])
    return tuple((x, y) for x, y in circle.tolist())


def _extruded(
    corners_m: NDArray[np.float64],
    heights_m: NDArray[np.float64],
    pose: NDArray[np.float64],
    kind: Kind,
) -> Iterator[Standing | Strip]:
    """Yield a body from an outline upwards: a shape if bottom and top are level, else faces."""
    keep = np.linalg.norm(corners_m - np.roll(corners_m, 1, axis=0), axis=1) > LEAST_M
    corners, heights = corners_m[keep], heights_m[keep]
    if len(corners) < 3:
        raise PartError(f"its outline has {len(corners)} different corners, expected 3 or more")
    tops = corners[:, 2] + heights
    low = np.array([*corners[:, :2].min(axis=0), corners[:, 2].min()])
    high = np.array([*corners[:, :2].max(axis=0), tops.max()])
    size = high - low
    if (thin := min(size.min(), heights.max())) < LEAST_M:
        raise PartError(f"its outline is {thin:g} m thin, expected {LEAST_M:g} m or more")
    after = np.roll(corners, -1, axis=0)
    if (corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]).sum() < 0.0:
        corners, tops = corners[::-1], tops[::-1]
    is_building = kind.shape == "building"
    if np.ptp(corners[:, 2]) > LEAST_M or np.ptp(tops) > LEAST_M:
        rings = corners, np.column_stack([corners[:, :2], tops])
        bottom, top = (ring @ pose[:3, :3].T + pose[:3, 3] for ring in rings)
        yield from area_body(bottom, top, _BUILDING if is_building else _OTHER)
        return
    middle = 0.5 * (low + high)
    outline = corners[:, :2] - middle[:2]
    yield Standing(
        shape="building" if is_building else "object",
        dimension_m=(float(size[0]), float(size[1]), float(size[2])),
        world_from_object=moved(pose, *middle),
        details=ObjectDetails(outline_m=tuple((float(x), float(y)) for x, y in outline)),
    )
