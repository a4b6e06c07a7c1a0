# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of objects at the time when sensors saw them, so that boxes and points coincide.

A page draws each point where it was measured, but a fast object moves on until the scan ends. So
each object gets its pose at the median time of its points, as with `at-points` of data sets.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.columns import rows_of
from osi_bridge import orientation_from_rotation
from osi_lidar.world.history import object_poses
from raycore.scene.motion import bodies_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from lidar_app.exports.object_track import ObjectTrack
    from lidar_app.show.page.object_points import ObjectPoints
    from osi_bridge import ObjectStates
    from raycore.scene.jumps import JumpLimits

_BEGIN_AND_END = np.array([0.0, 1.0])


class ObjectScan(NamedTuple):
    """What is needed of a scan to find the poses at which it saw objects.

    Attributes
    ----------
    begin_ns, end_ns : int
        Begin and end of the scan. [ns]
    blurs : bool
        Whether each beam sees objects at its own firing time; otherwise at the end of the scan.
    objects : ObjectPoints
        Number and median time of the scan's points on each object.
    """

    begin_ns: int
    end_ns: int
    blurs: bool
    objects: ObjectPoints


def objects_at_scan_times(
    track: ObjectTrack, frame: int, scans: Iterable[ObjectScan], limits: JumpLimits
) -> ObjectStates:
    """Return the objects of a message, with their poses at the time when sensors saw them.

    If several sensors see an object, the one with the most points on it counts. An object without
    points, or one that jumped, keeps its pose in the message.

    Parameters
    ----------
    track : ObjectTrack
        Objects of this message and of earlier ones.
    frame : int
        Frame number of the message.
    scans : iterable of ObjectScan
        The scans of the message's frame.
    limits : JumpLimits
        Limits of motion; an object that is faster has jumped.
    """
    objects = track.moments[frame].objects
    most, moved = np.zeros(len(objects), np.int64), object_poses(objects)
    for scan in scans:
        place = rows_of(scan.objects.object_id, objects.object_id)
        rows = np.flatnonzero(place >= 0)
        rows = rows[scan.objects.n_point[place[rows]] > most[rows]]
        most[rows] = scan.objects.n_point[place[rows]]
        moved[rows] = _poses(track, frame, scan, limits, rows)
    rows = np.flatnonzero((moved != object_poses(objects)).any(axis=(1, 2)))
    position_m, orientation_rad = objects.position_m.copy(), objects.orientation_rad.copy()
    position_m[rows] = moved[rows, :3, 3]
    orientation_rad[rows] = orientation_from_rotation(moved[rows, :3, :3])
    return replace(objects, position_m=position_m, orientation_rad=orientation_rad)


def _poses(
    track: ObjectTrack,
    frame: int,
    scan: ObjectScan,
    limits: JumpLimits,
    rows: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return poses at which a scan saw objects of a message, float64 (n, 4, 4) [m].

    Parameters as for `objects_at_scan_times`; `rows` are the rows of objects with points.
    """
    moment = track.moments[frame]
    first_ns = min(each.time_ns for each in track.moments.values())  # objects rest until then
    begin_ns = min(max(scan.begin_ns, first_ns), scan.end_ns)
    end, stated = track.poses(frame, scan.end_ns)[rows], object_poses(moment.objects)[rows]
    begin = track.poses(frame, begin_ns)[rows] if scan.blurs else end
    share = np.ones(len(rows))
    if scan.objects.median_ns is not None and scan.end_ns > begin_ns:
        place = rows_of(scan.objects.object_id, moment.objects.object_id[rows])
        median_ns = scan.begin_ns + scan.objects.median_ns[place]
        share = np.clip((median_ns - begin_ns) / (scan.end_ns - begin_ns), 0.0, 1.0)
    keys = np.stack([begin, end, stated], axis=1)
    times_s = 1e-9 * (np.array([begin_ns, scan.end_ns, moment.time_ns]) - begin_ns)
    jumps = limits.jumps(keys, times_s, lambda _body, _step: 0.0).any(axis=1)
    moves = (keys != keys[:, -1:]).any(axis=(1, 2, 3)) & ~jumps
    for row in np.flatnonzero(moves).tolist():
        at = share[row : row + 1]
        stated[row] = bodies_at(_BEGIN_AND_END, keys[row : row + 1, :2], at)[0, 0]
    return stated
