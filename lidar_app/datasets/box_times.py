# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes and points of one scan brought to the same time, as objects move while they are scanned.

During a scan of, say, 100 ms, objects move. The pose of a box is known at begin and end of the
scan; in between it is interpolated. There are three ways to bring boxes and points to one time:

- ``at-points``: each box has the pose of its object at the median time of the points on it. Points
  stay as they are. If the seam of the scan cuts an object, one half is outside of the box.
- ``at-end``: each box has the pose of its object at the end of the scan. Points stay as they are,
  so fast objects leave points outside of their boxes.
- ``carried``: boxes as with ``at-end``. Points on moving objects are moved with them to the end of
  the scan, like a motion compensation that knows the motion of each object.

Boxes are a little larger than the objects. Points lie on the surfaces of objects: with boxes of
exact size, rounding would put half of the points outside, and tools would not count them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from lidar_app.exports.scan_points import after_ns, begin_ns, end_pose, has, xyz_m
from raycore.scene.motion import bodies_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_app.exports.boxes import ScanBoxes
    from osi_lidar.output.accumulation import Rows
    from osi_lidar.output.stored import StoredScan

BoxTime: TypeAlias = Literal["at-points", "at-end", "carried"]
AT_POINTS: Final = "at-points"
AT_END: Final = "at-end"
CARRIED: Final = "carried"

MARGIN_M = 0.01
"""Margin of boxes around objects, on each side. [m]"""
_LOOKS = 3  # iterations of `_passed`: time and pose depend on each other
_BEGIN_AND_END = np.array([0.0, 1.0])


def brought_together(
    scan: StoredScan, points: Rows, boxes: ScanBoxes, when: BoxTime
) -> tuple[Rows, ScanBoxes]:
    """Return the points and boxes of a scan, both brought to one time as `when` says.

    Parameters
    ----------
    scan : StoredScan
        The scan.
    points : structured (n_point,)
        Points of the scan, in the sensor frame at the end of the scan. Without the field `time_ns`
        or `object_id`, boxes and points are as for 'at-end'.
    boxes : ScanBoxes
        Boxes of the scan, with poses at begin and end of the scan.
    when : {'at-points', 'at-end', 'carried'}
        'at-points': a box is at the median time of its points. 'at-end': boxes are at the end of
        the scan. 'carried': as 'at-end', and points on moving objects are moved to the end, too.

    Returns
    -------
    structured (n_point,)
        The points; a copy if some were moved.
    ScanBoxes
        The boxes with `world_from_box` at that time, and sizes that include `MARGIN_M`.
    """
    boxes = replace(boxes, size_m=boxes.size_m + 2.0 * MARGIN_M)
    moves = (boxes.world_from_box != boxes.world_from_box_begin).any(axis=(1, 2))
    if when == AT_END or not moves.any() or not has(points, "time_ns", "object_id"):
        return points, boxes
    moving = np.flatnonzero(moves)
    keys = np.stack([boxes.world_from_box_begin[moving], boxes.world_from_box[moving]], axis=1)
    share = after_ns(scan, points) / max(scan.row.end_ns - begin_ns(scan, points), 1)
    rows = _rows_of(points["object_id"], boxes.object_id[moving])
    if when == CARRIED:
        return _carried(points, share, rows, keys, end_pose(scan)), boxes
    poses = boxes.world_from_box.copy()
    for n, own in enumerate(rows):
        at = _median(share[own]) if len(own) else _passed(scan, points, share, keys[n])
        poses[moving[n]] = bodies_at(_BEGIN_AND_END, keys[n : n + 1], np.array([at]))[0, 0]
    return points, replace(boxes, world_from_box=poses)


def points_inside(
    places_m: NDArray[np.float64], frame_from_box: NDArray[np.float64], size_m: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return a mask of points that lie in a box or on its sides, bool (n_point,).

    Parameters
    ----------
    places_m : float64 (n_point, 3)
        Points. [m]
    frame_from_box : float64 (4, 4)
        Pose of the box's centre in the frame of the points. [m]
    size_m : float64 (3,)
        Length, width, height. [m]
    """
    in_box_m = (places_m - frame_from_box[:3, 3]) @ frame_from_box[:3, :3]
    return np.asarray((np.abs(in_box_m) <= 0.5 * size_m).all(axis=1))


def _rows_of(
    object_id: NDArray[np.unsignedinteger], chosen: NDArray[np.uint64]
) -> list[NDArray[np.intp]]:
    """Return for each chosen object the rows of its points."""
    order = np.argsort(object_id, kind="stable")
    ids = object_id[order]
    first = np.searchsorted(ids, chosen, side="left")
    last = np.searchsorted(ids, chosen, side="right")
    return [order[one:other] for one, other in zip(first, last, strict=True)]


def _median(share: NDArray[np.float64]) -> float:
    """Return the lower median: unlike a mean of two values, it is the time of a real point."""
    return float(np.quantile(share, 0.5, method="lower"))


def _carried(
    points: Rows,
    share: NDArray[np.float64],
    rows: list[NDArray[np.intp]],
    keys: NDArray[np.float64],
    world_from_sensor: NDArray[np.float64],
) -> Rows:
    """Move the points on some objects to where the objects are at the end of the scan."""
    places_m = xyz_m(points).astype(np.float64)
    sensor_from_world = np.linalg.inv(world_from_sensor)
    for own, key in zip(rows, keys, strict=True):
        moments, moment = np.unique(share[own], return_inverse=True)
        then = bodies_at(_BEGIN_AND_END, key[None], moments)[0]
        moved = sensor_from_world @ key[1] @ np.linalg.inv(then) @ world_from_sensor
        turned = (moved[moment, :3, :3] @ places_m[own, :, None])[:, :, 0]
        places_m[own] = turned + moved[moment, :3, 3]
    carried: Rows = points.copy()
    for axis, name in enumerate("xyz"):
        carried[name] = places_m[:, axis]
    return carried


def _passed(
    scan: StoredScan, points: Rows, share: NDArray[np.float64], key: NDArray[np.float64]
) -> float:
    """Return the time at which beams passed an object without points, as a share of the scan."""
    passed = 1.0
    if not len(points):
        return passed
    sensor_from_world = np.linalg.inv(end_pose(scan))
    places_m = xyz_m(points).astype(np.float64)
    away_m = np.linalg.norm(places_m, axis=1)
    along = places_m / np.where(away_m > 0.0, away_m, np.inf)[:, None]
    for _ in range(_LOOKS):
        (pose,) = bodies_at(_BEGIN_AND_END, key[None], np.array([passed]))[0]
        passed = float(share[np.argmax(along @ (sensor_from_world @ pose[:, 3])[:3])])
    return passed
