# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects along a road: built-in shapes, extruded outlines, rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.opendrive.attributes import PartError
from lidar_scenery.roads.opendrive.objects.bodies import wall_body
from lidar_scenery.roads.opendrive.objects.ground import moved
from lidar_scenery.roads.opendrive.objects.kinds import PAINTED, kind_of
from lidar_scenery.roads.opendrive.objects.paint import object_paint
from lidar_scenery.roads.opendrive.objects.rows import (
    MATERIALS,
    OTHER_MATERIAL,
    row_body,
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

MOST_REPEATS = 10_000
"""A row of more objects is left out."""

_LEAST_M = 0.01
"""An outline that is flatter or thinner is left out. [m]"""


class ObjectMaker(NamedTuple):
    """What it takes to make the objects of a road."""

    ground: RoadGround
    remarks: MapRemarks

    def parts(self, thing: MapObject) -> Iterator[Standing | Strip]:
        """Return the parts of an object.

        Raises
        ------
        PartError
            If it has too many repetitions, no area, or lies far beyond its road.
        """
        name = f"road {self.ground.road.name}, object {thing.name}"
        kind = kind_of(thing)
        size = self._size_m(thing, kind, name)
        for row in thing.repeats:
            if row.distance_m <= 0.0 and thing.kind not in PAINTED:
                body = row_body(self.ground, row, size)
                if body is not None:
                    yield from body.strips(MATERIALS.get(kind.shape, OTHER_MATERIAL))
        for one in _repeated(thing, self.ground.road.length_m):
            self._note_place(one, name)
            if one.kind in PAINTED:
                yield from object_paint(self.ground, one, self.remarks, name)
            elif one.outlines and kind.has_outline:
                yield from self._outlined(one, kind, size)
            else:
                yield self._standing(one, kind, self._size_of(one, size))

    def _note_place(self, one: MapObject, name: str) -> None:
        """Note where an object lies beyond the reference line of its road."""
        s = np.array([one.s_m, *(c.along_m for o in one.outlines for c in o.corners if c.on_road)])
        self.ground.note_beyond(s, self.remarks, name)

    def _size_m(self, thing: MapObject, kind: Kind, name: str) -> Size:
        """Return length, width and height, the usual ones where the map states none."""
        rows = thing.repeats
        stated = {
            "length": thing.length_m
            or (rows and all(row.length_of_each_m or row.distance_m <= 0.0 for row in rows)),
            "width": thing.width_m or (rows and all(row.width_m for row in rows)),
            "height": thing.height_m or (rows and all(row.height_m for row in rows)),
        }
        size = thing.length_m, thing.width_m, thing.height_m
        length, width, height = (a or b for a, b in zip(size, kind.usual_m, strict=True))
        if thing.kind not in PAINTED and not (thing.outlines and kind.has_outline):
            usual = zip(stated.items(), kind.usual_m, strict=True)
            missing = [f"{side} {value:g} m" for (side, known), value in usual if not known]
            if missing:
                used = f"{', '.join(missing)}, as of a usual {kind.shape}"
                self.remarks.add(name, used, "the map does not state it")
        return length, width, height

    @staticmethod
    def _size_of(one: MapObject, size_m: Size) -> Size:
        return one.length_m or size_m[0], one.width_m or size_m[1], one.height_m or size_m[2]

    def _standing(self, one: MapObject, kind: Kind, size_m: Size) -> Standing:
        pose = self.ground.pose(one.s_m, one.t_m, one.z_offset_m, one.angles_rad)
        return Standing(
            shape=kind.shape,
            dimension_m=size_m,
            world_from_object=moved(pose, 0.0, 0.0, 0.5 * size_m[2]),
        )

    def _outlined(self, one: MapObject, kind: Kind, size_m: Size) -> Iterator[Standing | Strip]:
        pose = self.ground.pose(one.s_m, one.t_m, one.z_offset_m, one.angles_rad)
        for outline in one.outlines:
            corners, heights = self.ground.corners(outline, pose)
            heights = np.where(heights > 0.0, heights, one.height_m or 0.0)
            if outline.closed:
                yield _extruded(corners, heights, pose, kind)
            elif len(corners) > 1:
                world = corners @ pose[:3, :3].T + pose[:3, 3]
                body = wall_body(world, heights, size_m[1])
                yield from body.strips(MATERIALS.get(kind.shape, OTHER_MATERIAL))


def _extruded(
    corners_m: NDArray[np.float64],
    heights_m: NDArray[np.float64],
    pose: NDArray[np.float64],
    kind: Kind,
) -> Standing:
    """Return an outline from its lowest corner to the highest of its tops."""
    keep = np.linalg.norm(corners_m - np.roll(corners_m, 1, axis=0), axis=1) > _LEAST_M
    corners, tops = corners_m[keep], (corners_m[:, 2] + heights_m)[keep]
    if len(corners) < 3:
        raise PartError(f"its outline has {len(corners)} different corners, expected 3 or more")
    low = np.array([*corners[:, :2].min(axis=0), corners[:, 2].min()])
    high = np.array([*corners[:, :2].max(axis=0), tops.max()])
    size = high - low
    if size.min() < _LEAST_M:
        raise PartError(f"its outline is {size.min():g} m thin, expected {_LEAST_M:g} m or more")
    middle = 0.5 * (low + high)
    outline = corners[:, :2] - middle[:2]
    after = np.roll(outline, -1, axis=0)
    if (outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0]).sum() < 0.0:
        outline = outline[::-1]
    return Standing(
        shape="building" if kind.shape == "building" else "object",
        dimension_m=(float(size[0]), float(size[1]), float(size[2])),
        world_from_object=moved(pose, *middle),
        details=ObjectDetails(outline_m=tuple((float(x), float(y)) for x, y in outline)),
    )


def _repeated(thing: MapObject, road_length_m: float) -> Iterator[MapObject]:
    """Return the object itself, or each of its repetitions that has gaps."""
    if not thing.repeats:
        yield thing
    for row in thing.repeats:
        if row.distance_m <= 0.0:
            continue
        length = min(row.length_m, road_length_m - row.s_m)
        if length / row.distance_m > MOST_REPEATS:
            raise PartError(f"it is repeated over {MOST_REPEATS} times")
        for place in range(math.floor(length / row.distance_m + 1e-9) + 1 if length >= 0.0 else 0):
            yield _instance(thing, row, place * row.distance_m)


def _instance(thing: MapObject, row: Repeat, ds_m: float) -> MapObject:
    share = ds_m / row.length_m if row.length_m > 0.0 else 0.0

    def at(ends: tuple[float, float]) -> float:
        return (1.0 - share) * ends[0] + share * ends[1]

    return replace(
        thing,
        s_m=row.s_m + ds_m,
        t_m=at(row.t_m),
        z_offset_m=at(row.z_offset_m),
        length_m=at(row.length_of_each_m) if row.length_of_each_m else thing.length_m,
        width_m=at(row.width_m) if row.width_m else thing.width_m,
        height_m=at(row.height_m) if row.height_m else thing.height_m,
    )
