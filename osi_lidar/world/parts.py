# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The moving parts of objects, such as wheels, during a scan; parts of far objects rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.columns import rows_of
from lidar_scenery import articulation
from lidar_scenery.articulation.instances import Posed
from lidar_scenery.articulation.odometer import Ways
from lidar_scenery.articulation.together import poses_of

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping

    from numpy.typing import NDArray

    from osi_lidar.world.object_records import Placed
    from osi_lidar.world.shutter import Shutter


LEAVES_M = 20.0
"""Distance beyond the reach of all rays from which on the parts of an object rest. [m]

They move again when the object is within the reach."""
SPARE_M = 5.0
"""Largest distance by which parts may stand out of an object's box. [m]"""


def shown_parts(shutter: Shutter, far: Collection[int]) -> tuple[PartsInScan, int]:
    """Return the moving parts as rays see them, and the number of intervals that a scan needs.

    ``shutter`` is the time interval of the scan, with its messages. Between the ends of intervals,
    parts move evenly. ``far`` are the OSI ids of objects whose parts rest, because no ray meets
    them. Their parts still count for the number of intervals, so that near parts move alike,
    whatever is far. Their wheels do not: shown wheels never change the number (see `Travel`).
    """
    parts, last = PartsInScan(shutter, shown=True, far=far), shutter.messages[-1].parts
    wheeled = {
        each
        for each in far
        if each in last and type(last[each].assembly) is articulation.WheeledVehicle
    }
    others = any(each in last and each not in wheeled for each in far)
    asked = PartsInScan(shutter, shown=True, far=wheeled) if others else parts
    return parts, asked.n_interval


class PartsInScan:
    """The moving parts of objects during a scan, and their poses at any time of it.

    Parameters
    ----------
    shutter : Shutter
        Time interval of the scan, with its messages.
    shown : bool
        Whether parts are as rays see them: wheels keep their last angle. Else all poses are exact.
    far : container of int
        OSI ids of objects that are left out.
    """

    def __init__(self, shutter: Shutter, *, shown: bool, far: Container[int] = ()) -> None:
        self._heard_s, self._shown = shutter.heard_s, shown
        *before, last = [each.parts for each in shutter.messages]
        if far:
            last = {object_id: each for object_id, each in last.items() if object_id not in far}
        self._ways = Ways([*before, last], self._heard_s)

    @property
    def n_interval(self) -> int:
        """Smallest number of intervals of the scan that the motion of the parts needs."""
        going = self._ways.at(self._heard_s, shown=self._shown)
        return max((each.moves.n_interval(each.travel) for each in going), default=1)

    def posed(self, time_s: NDArray[np.float64]) -> dict[int, Posed]:
        """Return the parts' poses at times since the start of the scan, by OSI id of object.

        ``time_s`` has the times, float64 (n_step,) [s]. An object without moving parts has no
        entry.
        """
        going = self._ways.at(time_s, shown=self._shown)
        poses = poses_of(going)
        return {
            object_id: Posed(assembly, poses[object_id])
            for ids, assemblies, _, _ in going
            for object_id, assembly in zip(ids, assemblies, strict=True)
        }


class BodyKeys(NamedTuple):
    """Poses between which rigid bodies (objects and their parts) move during a scan.

    Attributes
    ----------
    time_s : float64 (n_key,)
        Times of the poses since the start of the scan. [s]
    world_from_body : float64 (n_body, n_key, 4, 4)
        Poses: first of the objects of the last message, in its order, then of n_part parts. The
        parts of an object follow each other; the first is its body, such as a chassis. [m]
    part_instance : int64 (n_part,)
        Instance in the scene of each part.
    """

    time_s: NDArray[np.float64]
    world_from_body: NDArray[np.float64]
    part_instance: NDArray[np.int64]


def body_keys(shutter: Shutter, placed: Mapping[int, Placed], *, blur: bool) -> BodyKeys:
    """Return the poses between which objects and their parts move during a scan.

    Parameters
    ----------
    shutter : Shutter
        The scan.
    placed : mapping of int to Placed
        The objects in the scene, by OSI id.
    blur : bool
        Whether poses are at evenly spaced times of the scan; else they are at the times of the
        messages, and at evenly spaced times between them if the motion of the parts needs more.
    """
    parts = PartsInScan(shutter, shown=False)
    time_s, keys = shutter.object_keys(blur=blur, n_interval=parts.n_interval)
    posed = parts.posed(time_s)
    bodies = [keys]
    instances: list[int] = []
    for row, object_id in enumerate(shutter.frame.objects.object_id.tolist()):
        if object_id in posed and object_id in placed and placed[object_id].parts:
            poses = keys[row][:, None] @ posed[object_id].object_from_part
            bodies.append(np.swapaxes(poses, 0, 1))
            instances += placed[object_id].instances
    return BodyKeys(time_s, np.concatenate(bodies), np.array(instances, np.int64))


class RayReach(NamedTuple):
    """A sphere that contains all rays of a scan.

    Attributes
    ----------
    center_m : float64 (3,)
        A place near the sensors, in the world. [m]
    radius_m : float
        Largest distance of a ray from the centre, even after mirrors. [m]
    """

    center_m: NDArray[np.float64]
    radius_m: float

    @classmethod
    def of(cls, shutter: Shutter, range_m: float) -> RayReach:
        """Return the sphere for rays that end within ``range_m`` [m] of the vehicle's origin.

        ``shutter`` is the time interval of the scan, with its messages. The centre of the sphere is
        the vehicle's last position; its radius includes the vehicle's motion in the scan.
        """
        vehicle, body_from_vehicle, _ = shutter.carrier()
        places_m = vehicle.world_from_body[:, :3, 3]
        moved_m = np.linalg.norm(places_m - places_m[-1], axis=1).max()
        beside_m = np.linalg.norm(body_from_vehicle[:3, 3])
        return cls(places_m[-1], float(moved_m + beside_m) + range_m)


class FarObjects:
    """Finds the objects that are too far for any ray, scan after scan."""

    def __init__(self) -> None:
        self._far = np.empty(0, np.uint64)

    def of(self, shutter: Shutter, range_m: float) -> set[int]:
        """Return the OSI ids of the objects that no ray of a scan can meet.

        ``shutter`` is the time interval of the scan, with its messages. The result is empty if no
        object has moving parts. Rays end within ``range_m`` [m] of the vehicle's origin. An object
        becomes far at `LEAVES_M` beyond their reach, and stays far until it is within the reach.
        Its motion between the scan's messages counts as if it came nearer by all of it.
        """
        before, self._far = self._far, np.empty(0, np.uint64)
        objects, last = shutter.frame.objects, shutter.messages[-1]
        if not last.parts:
            return set()
        reach = RayReach.of(shutter, range_m)
        away_m = np.linalg.norm(last.world_from_object[:, :3, 3] - reach.center_m, axis=1)
        away_m -= SPARE_M + reach.radius_m
        if not (away_m > 0.0).any():
            return set()
        away_m -= 0.5 * np.linalg.norm(objects.dimension_m, axis=1) + _moved_m(shutter)
        was_far = np.isin(objects.object_id, before)
        is_far = away_m > np.where(was_far, 0.0, LEAVES_M)
        self._far = objects.object_id[is_far]
        return set(self._far.tolist())


def _moved_m(shutter: Shutter) -> NDArray[np.float64]:
    """Return how far the last message's objects moved between the messages of a scan, float64 (n,).

    An object that is missing in earlier messages is taken to rest before it appears. [m]
    """
    ids, last = shutter.frame.objects.object_id, shutter.messages[-1].world_from_object
    moved_m, later = np.zeros(len(ids)), last[:, :3, 3]
    for each in shutter.messages[-2::-1]:
        row = rows_of(each.frame.objects.object_id, ids)
        place_m = each.world_from_object[row, :3, 3] if len(each.world_from_object) else later
        step_m = np.linalg.norm(place_m - later, axis=1)
        moved_m += np.where(row < 0, 0.0, step_m)
        later = np.where((row < 0)[:, None], later, place_m)
    return moved_m
