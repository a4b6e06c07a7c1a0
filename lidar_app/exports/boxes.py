# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes of the objects in a scan: pose, size, number of points, and visibility."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.exports.object_track import HeardObjects, ObjectTrack
from lidar_app.exports.scan_points import end_pose, xyz_m
from lidar_scenery.classes import named_types
from osi_bridge import NO_OBJECT, ObjectKind
from osi_lidar.output.stored import input_messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from osi_bridge import ObjectStates
    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.frame_table import FrameRow
    from osi_lidar.output.stored import StoredRun, StoredScan

VISIBLE, PARTLY, LARGELY, UNKNOWN = range(4)
"""KITTI's states of occlusion."""
LEAST_VISIBLE, LEAST_PARTLY = 0.8, 0.4
"""Least visibility of a fully visible box, and of a partly occluded box. [1]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanBoxes:
    """Boxes of the objects in a scan; each array has one row per box.

    Attributes
    ----------
    object_id : uint64 (n,)
        OSI ids of the objects.
    names : object (n,)
        For each object a tuple of str: the names of its type, the most specific first.
    moves : bool (n,)
        Whether the object is a MovingObject in OSI.
    world_from_box : float64 (n, 4, 4)
        Pose of the box's centre at the end of the scan: x along the length, z up. [m]
    world_from_box_begin : float64 (n, 4, 4)
        The same at the begin of the scan; as at the end if the run has no motion blur. [m]
    size_m : float64 (n, 3)
        Length, width, height. [m]
    velocity_m_s : float64 (n, 3)
        Velocity in the world; NaN if not known. [m/s]
    points : int64 (n,)
        Number of points on the object.
    alone : float64 (n,)
        Number of points that the object would have if nothing hid it; NaN if not known.
    """

    object_id: NDArray[np.uint64]
    names: NDArray[np.object_]
    moves: NDArray[np.bool_]
    world_from_box: NDArray[np.float64]
    world_from_box_begin: NDArray[np.float64]
    size_m: NDArray[np.float64]
    velocity_m_s: NDArray[np.float64]
    points: NDArray[np.int64]
    alone: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.object_id)

    @property
    def visibility(self) -> NDArray[np.float64]:
        """`points` divided by `alone`, at most 1, float64 (n,); NaN if not known."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.minimum(self.points / self.alone, 1.0)

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> ScanBoxes:
        """Return a copy with only some boxes.

        `which` is a mask, bool (n,), or row indices, whose order the copy has.
        """
        columns = {each.name: getattr(self, each.name)[which] for each in fields(self)}
        return replace(self, **columns)


def tuples(names: Sequence[tuple[str, ...]]) -> NDArray[np.object_]:
    """Return an object array (n,) whose elements are the n tuples in `names`.

    ``np.array`` would make it two-dimensional if all tuples are equally long.
    """
    column = np.empty(len(names), object)
    column[:] = names
    return column


def occlusions(visibility: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return KITTI's state of occlusion for each visibility, uint8 (n,).

    States are 0 (fully visible) if the visibility is 0.8 or more, 1 (partly occluded) if it is 0.4
    or more, 2 (largely occluded) below that, and 3 (unknown) if it is NaN.
    """
    states = np.where(visibility >= LEAST_PARTLY, PARTLY, LARGELY)
    states = np.where(visibility >= LEAST_VISIBLE, VISIBLE, states)
    return np.where(np.isnan(visibility), UNKNOWN, states).astype(np.uint8)


class MessageBoxes:
    """Boxes from the OSI messages of a run, with numbers of points from its clouds.

    Poses between two messages are interpolated. An object that is not in the earlier message is
    taken to be at rest. An object that jumps is interpolated, too, unlike in tables of ground
    truth. Velocities follow from positions in the previous and the next message. The number of
    points without occlusion (`ScanBoxes.alone`) is an estimate: the points on the object, plus the
    points of other surfaces in front of its box, as seen from the sensor at the end of the scan.

    Parameters
    ----------
    run : StoredRun
        The run.

    Raises
    ------
    InputError
        If the trace of the run is gone or has changed.
    """

    def __init__(self, run: StoredRun) -> None:
        host_id = run.host_object_id
        self._host_id = np.uint64(NO_OBJECT if host_id is None else host_id)
        self._track = ObjectTrack(
            {each.frame.index: HeardObjects.of(each.frame) for each in input_messages(run)}
        )
        self._blurs = {each.name: each.settings.get("motion_blur") is True for each in run.sensors}

    @property
    def types(self) -> dict[int, tuple[str, ...]]:
        """Names of each object's type, by OSI id: the subtype, if stated, then the type."""
        moments = self._track.moments.values()
        return {each: names for moment in moments for each, names in named_types(moment.objects)}

    def of(self, scan: StoredScan, points: Rows, /) -> ScanBoxes:
        """Return the boxes of a scan, without the host and boxes whose `alone` is 0.

        Parameters
        ----------
        scan : StoredScan
            The scan.
        points : structured (n_point,)
            Points of the scan, in the sensor frame at the end of the scan.
        """
        boxes = self._all(scan.row)
        is_other = boxes.object_id != self._host_id
        boxes = boxes.chosen(is_other & (boxes.size_m > 0.0).all(axis=1))
        places, ids = xyz_m(points).astype(np.float64), points["object_id"].astype(np.uint64)
        sensor_from_box = np.linalg.inv(end_pose(scan)) @ boxes.world_from_box
        on, alone = np.zeros(len(boxes), np.int64), np.zeros(len(boxes))
        for row, pose in enumerate(sensor_from_box):
            is_on = ids == boxes.object_id[row]
            on[row] = np.count_nonzero(is_on)
            alone[row] = on[row] + _n_before(places[~is_on], pose, boxes.size_m[row])
        return replace(boxes, points=on, alone=alone).chosen(alone > 0)

    def _all(self, scan: FrameRow) -> ScanBoxes:
        """Return the boxes of all objects, without their points."""
        frame = scan.frame
        objects = self._track.moments[frame].objects
        end = self._track.poses(frame, scan.end_ns)
        return ScanBoxes(
            object_id=objects.object_id,
            names=tuples([names for _, names in named_types(objects)]),
            moves=objects.kind == ObjectKind.MOVING,
            world_from_box=end,
            world_from_box_begin=(
                self._track.poses(frame, scan.begin_ns) if self._blurs[scan.sensor] else end
            ),
            size_m=objects.dimension_m,
            velocity_m_s=self._velocities(frame, objects),
            points=np.zeros(len(objects), np.int64),
            alone=np.full(len(objects), np.nan),
        )

    def _velocities(self, frame: int, objects: ObjectStates) -> NDArray[np.float64]:
        """Return velocities from positions over time; NaN if only this message has the object."""
        track = self._track
        numbers = (track.before.get(frame, frame), track.after.get(frame, frame))
        begin, end = (
            {**_places(track.moments[frame]), **_places(track.moments[each])} for each in numbers
        )
        velocities = np.full((len(objects), 3), np.nan)
        for row, each in enumerate(objects.object_id.tolist()):
            (begin_ns, begin_m), (end_ns, end_m) = begin[each], end[each]
            if end_ns > begin_ns:
                velocities[row] = (end_m - begin_m) / (1e-9 * (end_ns - begin_ns))
        return velocities


def _places(frame: HeardObjects) -> dict[int, tuple[int, NDArray[np.float64]]]:
    """Return time and position of the objects of a message, by OSI id. [ns], [m]."""
    objects = frame.objects
    return {
        each: (frame.time_ns, place)
        for each, place in zip(objects.object_id.tolist(), objects.position_m, strict=True)
    }


def _n_before(
    places_m: NDArray[np.float64], pose: NDArray[np.float64], size_m: NDArray[np.float64]
) -> int:
    """Return the number of points in front of a box whose beams would have met the box.

    Parameters
    ----------
    places_m : float64 (n_point, 3)
        Points in the sensor frame. [m]
    pose : float64 (4, 4)
        Pose of the box in the sensor frame. [m]
    size_m : float64 (3,)
        Length, width, height. [m]
    """
    centre, radius = pose[:3, 3], 0.5 * float(np.linalg.norm(size_m))
    away = float(np.linalg.norm(centre))
    if away <= radius:
        return 0
    ranges = np.linalg.norm(places_m, axis=1)
    least = np.sqrt(away**2 - radius**2) * ranges  # within the cone around the bounding sphere
    near = places_m[(places_m @ centre >= least) & (ranges < away + radius) & (ranges > 0.0)]
    origin, directions = -centre @ pose[:3, :3], near @ pose[:3, :3]
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = np.stack([(side * 0.5 * size_m - origin) / directions for side in (-1.0, 1.0)])
    enters = np.nanmax(sides.min(axis=0), axis=1, initial=0.0)
    leaves = np.nanmin(sides.max(axis=0), axis=1, initial=np.inf)
    return int(np.count_nonzero((enters <= leaves) & (enters > 1.0)))
