# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Copies of objects that are repeated with gaps: their places and sizes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.opendrive.attributes import PartError
from lidar_scenery.roads.opendrive.objects.kinds import PAINTED
from lidar_scenery.roads.opendrive.records import Copy
from lidar_scenery.roads.opendrive.surface import held_m
from osi_bridge.rotation import rotation_from_orientation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_scenery.roads.opendrive.objects.ground import RoadGround
    from lidar_scenery.roads.opendrive.records import MapObject, Outline, Repeat
    from lidar_scenery.roads.opendrive.remarks import MapRemarks

MOST_REPEATS = 10_000
"""Largest number of copies in a row; a row with more is left out."""
LEAST_M = 0.01
"""Least length, width and height of a copy, and of an object that is drawn by its closed outline; a
smaller one is left out. Heights of painted copies do not matter. [m]"""

_BESIDE_M = 1e-6  # a copy at most this far beyond the reference line counts as on its end


def copies(
    ground: RoadGround, thing: MapObject, remarks: MapRemarks, name: str
) -> Iterator[MapObject]:
    """Yield the object itself if it is not repeated, else each copy of it in its rows.

    A row is one <repeat> of the object. A row without gaps is one long body, so it has no copies,
    except for a row of 0 m, which has one. Copies beyond the reference line of the road, or thinner
    than `LEAST_M`, are left out and noted in `remarks` under `name`.

    Parameters
    ----------
    ground : RoadGround
        The road on which the copies stand.
    thing : MapObject
        The object.
    remarks : MapRemarks
        Takes the notes.
    name : str
        Name of the object in notes.

    Raises
    ------
    PartError
        If a row has too many copies, or a detached row begins or ends far beyond the road.
    BoundError
        If the map needs more points or objects than the size of its file allows.
    """
    if not thing.repeats:
        yield thing
    own_m = _own_sizes_m(thing)
    rows = [row for row in thing.repeats if row.distance_m != 0.0 or row.length_m <= 0.0]
    places = [_places_m(ground, row, remarks, name) for row in rows]  # all, before one is made
    for row, own_places in zip(rows, places, strict=True):
        if row.distance_m == 0.0:
            remarks.add(name, "one copy", "its row without gaps is 0 m long")
        for ds_m in own_places:
            one = _copy(thing, row, float(ds_m))
            sizes = _sizes_m(row, one)
            stated = sizes[:2] if thing.kind in PAINTED else sizes
            if min(size for size in (*stated, 1.0) if size is not None) < LEAST_M:
                remarks.add(name, "nothing", "its row tapers off to copies of no size")
                continue
            length, width, height = (
                1.0 if size is None or own < LEAST_M else size / own
                for size, own in zip(sizes, own_m, strict=True)
            )
            origin = thing.s_m, thing.t_m, thing.z_offset_m
            pose = _detached_pose(ground, row, one) if row.detached else None
            yield replace(one, copy=Copy(origin, (length, width, height), pose))


def _places_m(
    ground: RoadGround, row: Repeat, remarks: MapRemarks, name: str
) -> NDArray[np.float64]:
    """Return the distances of copies from the start of their row.

    Copies beyond the reference line of the road are left out and noted.
    """
    distance = row.distance_m or 1.0
    count = math.floor(row.length_m / distance + 1e-9) + 1
    within = min(row.length_m, ground.road.length_m - row.s_m)
    last = math.floor(within / distance + 1e-9) + 1 if within >= 0.0 else 0
    first = math.ceil(max(-row.s_m, 0.0) / distance)
    if last - first > MOST_REPEATS:
        raise PartError(
            f"it is repeated more often than {MOST_REPEATS} times, the most that are drawn"
        )
    ground.road.allowance.take_objects(max(last - first, 0), len(ground.surfaces))
    ds = distance * np.arange(first, max(first, last), dtype=np.float64)
    own = np.abs(held_m(ground.road, row.s_m + ds) - row.s_m - ds) <= _BESIDE_M
    if missing := count - int(own.sum()):
        reason = "they lie beyond the reference line of their road"
        remarks.add(f"{name} ({missing} of {count} copies)", "nothing", reason)
    return ds[own]


def _copy(thing: MapObject, row: Repeat, ds_m: float) -> MapObject:
    """Return a copy at a distance from the start of its row, with place and size interpolated."""
    share = ds_m / row.length_m if row.length_m > 0.0 else 0.0

    def at(ends: tuple[float, float]) -> float:
        return (1.0 - share) * ends[0] + share * ends[1]

    each, width, height = row.length_of_each_m, row.width_m, row.height_m
    return replace(
        thing,
        s_m=row.s_m + ds_m,
        t_m=at(row.t_m),
        z_offset_m=at(row.z_offset_m),
        length_m=at(each) if each else thing.length_m,
        width_m=at(width) if width else thing.width_m,
        height_m=at(height) if height else thing.height_m,
        is_round=row.is_round or (thing.is_round and each is None and width is None),
    )


def _sizes_m(row: Repeat, one: MapObject) -> tuple[float | None, float | None, float | None]:
    """Return length, width and height of a copy; None where its row does not state them."""
    return (
        one.length_m if row.length_of_each_m else None,
        one.width_m if row.width_m else None,
        one.height_m if row.height_m else None,
    )


def _detached_pose(ground: RoadGround, row: Repeat, one: MapObject) -> NDArray[np.float64]:
    """Return the pose (4, 4) of a copy in a detached row, which is a straight line."""
    first, last = ground.ends_of(row)
    away = last - first
    pose = ground.pose(row.s_m, row.t_m[0], row.z_offset_m[0], one.angles_rad)
    if row.length_m > 0.0:
        heading, pitch, roll = one.angles_rad
        yaw = heading + math.atan2(away[1], away[0])
        pose[:3, :3] = rotation_from_orientation((roll, pitch, yaw))
        pose[:3, 3] = first + (one.s_m - row.s_m) / row.length_m * away
    return pose


def _own_sizes_m(thing: MapObject) -> tuple[float, float, float]:
    """Return the length, width and height that the outlines of an object are drawn for.

    These are the sizes of the object's box. A size that the map does not state, or that is smaller
    than the outlines, is taken from the box around the outlines.
    """
    around = box_of(thing.outlines)
    stated = thing.length_m, thing.width_m, thing.height_m
    length, width, height = (
        own if own is not None and own >= least - LEAST_M else least
        for own, least in zip(stated, around, strict=True)
    )
    return length, width, height


def box_of(outlines: tuple[Outline, ...]) -> tuple[float, float, float]:
    """Return length, width and height of the box around outlines of an object [m].

    Length and width are along the coordinates of the corners: the axes of the object, or along and
    across the road. The box reaches from the lowest corner to the highest top; heights that the map
    does not state count as 0. Without corners, all three are 0.
    """
    rows = np.array([corner[2:] for outline in outlines for corner in outline.corners], np.float64)
    if not len(rows):
        return 0.0, 0.0, 0.0
    length, width = np.ptp(rows[:, :2], axis=0).tolist()
    tops = rows[:, 2] + np.nan_to_num(rows[:, 3])
    return length, width, float(tops.max() - rows[:, 2].min())
