# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Annotations of nuScenes: boxes in key frames, and instances (objects over time)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_app.datasets.box_times import points_inside
from lidar_app.datasets.formats.nuscenes_tables import Row, linked, listed, token
from lidar_app.exports.scan_points import end_pose, xyz_m
from osi_lidar.clouds.pcd import pose_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_app.datasets.scenes import Sample

MOVING_M_S = 0.5
"""Least speed of an object that counts as moving. [m/s]"""
_LEVELS = (0.4, 0.6, 0.8)
"""Bounds between the four levels of visibility. [1]"""
_ROUNDED_M = 1e-3


class _KeyFrameObject(NamedTuple):
    """An object in a key frame."""

    category: str
    pose: NDArray[np.float64]
    size_m: NDArray[np.float64]
    speed_m_s: float  # NaN if not known
    points: int
    alone: float
    inside: int = 0


class Annotations:
    """Collects the boxes in the key frames of a scene, and makes nuScenes' annotations of them.

    Parameters
    ----------
    key : str
        Unique key of the scene.
    names : sequence of str
        Name of the class for each class index; the index 0 means no class.
    shift_m : float64 (3,)
        Origin of the data set's world, in OSI's world. [m]
    """

    def __init__(self, key: str, names: Sequence[str], shift_m: NDArray[np.float64]) -> None:
        self._key, self._names, self._shift_m = key, names, shift_m
        self._seen: dict[int, dict[int, _KeyFrameObject]] = {}
        self._places_m: dict[int, list[NDArray[np.float64]]] = {}

    def add(self, frame: int, sample: Sample) -> None:
        """Add the boxes of one sensor's scan that belongs to a key frame.

        An object's points of all sensors are added up. Its box is taken from the first sensor with
        points on it.

        Parameters
        ----------
        frame : int
            Index of the key frame, from 0.
        sample : Sample
            The scan, with its points and boxes.
        """
        boxes = sample.boxes
        pose = end_pose(sample.scan)
        written_m = xyz_m(sample.points).astype(np.float32)
        places_m = written_m.astype(np.float64) @ pose[:3, :3].T + pose[:3, 3]
        self._places_m.setdefault(frame, []).append(places_m)
        for row, object_id in enumerate(boxes.object_id.tolist()):
            seen = _KeyFrameObject(
                category=self._names[sample.box_classes[row]],
                pose=boxes.world_from_box[row],
                size_m=boxes.size_m[row],
                speed_m_s=float(np.linalg.norm(boxes.velocity_m_s[row])),
                points=int(boxes.points[row]),
                alone=float(np.nan_to_num(boxes.alone[row])),
            )
            frames = self._seen.setdefault(object_id, {})
            if frame in frames:
                known = frames[frame]
                points, alone = known.points + seen.points, known.alone + seen.alone
                first = known if known.points else seen
                seen = first._replace(points=points, alone=alone)
            frames[frame] = seen

    def count(self, frame: int) -> None:
        """Count the points inside each box of a key frame, after all its scans were added.

        Call it once for each key frame; `frame` is its index.
        """
        places_m = np.concatenate(self._places_m.pop(frame))
        places_m = places_m[np.argsort(places_m[:, 0])]
        for frames in self._seen.values():
            if frame in frames:
                seen = frames[frame]
                frames[frame] = seen._replace(inside=_n_inside(places_m, seen))

    def rows(self, samples: Sequence[str]) -> tuple[list[Row], list[Row]]:
        """Return the rows of sample_annotation.json, and the rows of instance.json.

        Parameters
        ----------
        samples : sequence of str
            Token of the sample for each key frame, by the index of the key frame.
        """
        annotations: list[Row] = []
        instances: list[Row] = []
        for object_id, frames in self._seen.items():
            instance = token(self._key, "instance", object_id)
            moves = any(seen.speed_m_s > MOVING_M_S for seen in frames.values())
            own: list[Row] = []
            following = math.nan
            for frame in sorted(frames, reverse=True):  # unknown: as in the next frame
                seen = frames[frame]
                following = following if math.isnan(seen.speed_m_s) else seen.speed_m_s
                seen = seen._replace(speed_m_s=following)
                own.insert(0, self._row(instance, samples[frame], seen, moves=moves))
            annotations += linked(own)
            instances.append(
                {
                    "token": instance,
                    "category_token": token("category", next(iter(frames.values())).category),
                    "nbr_annotations": len(own),
                    "first_annotation_token": own[0]["token"],
                    "last_annotation_token": own[-1]["token"],
                }
            )
        return annotations, instances

    def _row(self, instance: str, sample: str, seen: _KeyFrameObject, *, moves: bool) -> Row:
        length_m, width_m, height_m = seen.size_m
        attribute = _attribute(seen.category, seen.speed_m_s, moves=moves)
        visibility = min(seen.points / seen.alone, 1.0) if seen.alone else 0.0
        return {
            "token": token(instance, sample),
            "sample_token": sample,
            "instance_token": instance,
            "visibility_token": str(1 + int(np.searchsorted(_LEVELS, visibility, side="right"))),
            "attribute_tokens": [token("attribute", attribute)] if attribute else [],
            "translation": listed(seen.pose[:3, 3] - self._shift_m),
            "size": listed(np.array([width_m, length_m, height_m])),
            "rotation": list(pose_row(seen.pose)[3:]),
            "num_lidar_pts": seen.inside,
            "num_radar_pts": 0,
        }


def _n_inside(places_m: NDArray[np.float64], seen: _KeyFrameObject) -> int:
    """Return the number of points in a box; points must be sorted by x."""
    reach_m = 0.5 * float(np.linalg.norm(seen.size_m)) + _ROUNDED_M
    x_m = seen.pose[0, 3]
    first, last = np.searchsorted(places_m[:, 0], (x_m - reach_m, x_m + reach_m))
    return int(np.count_nonzero(points_inside(places_m[first:last], seen.pose, seen.size_m)))


def _attribute(category: str, speed_m_s: float, *, moves: bool) -> str | None:
    """Return the attribute of an object in a key frame; None without one.

    Parameters
    ----------
    category : str
        Category of the object.
    speed_m_s : float
        Speed of the object. [m/s]
    moves : bool
        Whether the object moves in any key frame; a vehicle that never moves is parked.
    """
    is_moving = speed_m_s > MOVING_M_S
    if category in ("vehicle.bicycle", "vehicle.motorcycle"):
        return "cycle.with_rider"
    if category.startswith("vehicle."):
        return f"vehicle.{'moving' if is_moving else 'stopped' if moves else 'parked'}"
    if category.startswith("human.pedestrian."):
        return f"pedestrian.{'moving' if is_moving else 'standing'}"
    return None
