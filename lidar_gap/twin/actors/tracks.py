# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tracks: the boxes of each labelled object over the frames, and the points in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.objects import FOOT_M
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.records import ScanCloud
    from lidar_gap.tasks.boxes import Boxes

MARGIN_M = 0.1
"""Enlargement of a box on all sides except the bottom: labels are accurate to 5 cm. [m]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameBox:
    """The box of a track in one frame.

    Attributes
    ----------
    box_from_sensor : float64 (4, 4)
        Transform from the frame of the cloud to the frame of the box: origin in the centre, x along
        the length.
    size_m : float64 (3,)
        Length, width, height. [m]
    """

    box_from_sensor: NDArray[np.float64]
    size_m: NDArray[np.float64]

    @property
    def sensor_from_box(self) -> NDArray[np.float64]:
        """The pose of the box in the frame of the cloud, float64 (4, 4)."""
        return np.asarray(np.linalg.inv(self.box_from_sensor), np.float64)

    def inside(self, points_m: NDArray[np.float64], margin_m: float) -> NDArray[np.bool_]:
        """Return which points of a cloud lie in the box, bool (n,).

        Points less than `FOOT_M` above the bottom of the box may belong to the ground. They do not
        count as inside.

        Parameters
        ----------
        points_m : float64 (n, 3)
            Points in the frame of the cloud. [m]
        margin_m : float
            Enlargement of the box on all sides except the bottom. [m]
        """
        own = self.own(points_m)
        half = 0.5 * self.size_m
        within = (np.abs(own) <= half + margin_m).all(axis=1)
        return np.asarray(within & (own[:, 2] >= FOOT_M - half[2]))

    def own(self, points_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Transform points from the frame of the cloud to the frame of the box, float64 (n, 3) [m].

        ``points_m`` has the points in the frame of the cloud, float64 (n, 3) [m].
        """
        turned: NDArray[np.float64] = points_m @ self.box_from_sensor[:3, :3].T
        return turned + self.box_from_sensor[:3, 3]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActorTrack:
    """The track of a labelled object: its boxes in the frames that contain it.

    Attributes
    ----------
    name : str
        Id of the object in the table.
    category : str
        Class of the object: the most frequent class of its boxes.
    boxes : dict of int to FrameBox
        Box in each frame that contains the object, by index of the frame's cloud.
    """

    name: str
    category: str
    boxes: dict[int, FrameBox]


def tracks_of(path: Path, labels: Boxes, names: Sequence[str]) -> list[ActorTrack]:
    """Return the tracks of labelled objects, in the order of their first boxes in the table.

    Parameters
    ----------
    path : Path
        The table, for messages.
    labels : Boxes
        Boxes of the table, with track ids. Each box is in the coordinate frame of one cloud, and
        ``Boxes.frame`` has the number of this cloud, as from `frame_numbers`. Boxes whose number
        belongs to no cloud are left out.
    names : sequence of str
        Names of the clouds, one for each frame.

    Raises
    ------
    InputError
        If the table has no ids, a track has two boxes in a frame, or no box belongs to a cloud.
    """
    if labels.track is None:
        raise InputError(f"{path}: has no column 'id', expected the track of each box")
    row_of = {number: row for row, number in enumerate(frame_numbers(names))}
    rows = np.array([row_of.get(number, -1) for number in labels.frame.tolist()], np.int64)
    if (rows < 0).all():
        raise InputError(
            f"{path}: no box is in the frame of a cloud: got frame {labels.frame[0]}, expected "
            f"{', '.join(map(str, list(row_of)[:3]))}"
        )
    of_track: dict[str, list[int]] = {}
    for box in np.flatnonzero(rows >= 0).tolist():
        of_track.setdefault(str(labels.track[box]), []).append(box)
    return [_track(path, name, labels, of_track[name], rows) for name in of_track]


def frame_numbers(names: Sequence[str]) -> list[int]:
    """Return a number for each cloud: its name, such as 000007 or a time; or else its index.

    ``names`` has the names of all clouds (sequence of str). They are used as numbers if all are
    distinct whole numbers.
    """
    if all(name.isascii() and name.isdigit() for name in names) and len(set(names)) == len(names):
        return [int(name) for name in names]
    return list(range(len(names)))


def in_any_box(
    cloud: ScanCloud, tracks: Sequence[ActorTrack], row: int, margin_m: float = MARGIN_M
) -> NDArray[np.bool_]:
    """Return which points of a cloud lie in a box of any labelled object, bool (n_point,).

    Points less than `FOOT_M` above the bottom of a box do not count as inside.

    Parameters
    ----------
    cloud : ScanCloud
        The cloud, with n_point points.
    tracks : sequence of ActorTrack
        The labelled objects.
    row : int
        Index of the cloud in the recording, as in `ActorTrack.boxes`.
    margin_m : float
        Enlargement of each box on all sides except the bottom. [m]
    """
    found = np.zeros(len(cloud), dtype=bool)
    for track in tracks:
        if row in track.boxes:
            found |= track.boxes[row].inside(cloud.points_m, margin_m)
    return found


def _track(
    path: Path, name: str, labels: Boxes, boxes: list[int], rows: NDArray[np.int64]
) -> ActorTrack:
    kinds, times = np.unique(labels.category[boxes], return_counts=True)
    found: dict[int, FrameBox] = {}
    for box in boxes:
        row = int(rows[box])
        if row in found:
            raise InputError(
                f"{path}: got id {name} twice in frame {labels.frame[box]}, expected it once"
            )
        found[row] = _frame_box(labels, box)
    return ActorTrack(name=name, category=str(kinds[times.argmax()]), boxes=found)


def _frame_box(labels: Boxes, box: int) -> FrameBox:
    cos, sin = np.cos(labels.yaw_rad[box]), np.sin(labels.yaw_rad[box])
    matrix = np.eye(4)
    matrix[:3, :3] = [[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]]
    matrix[:3, 3] = -matrix[:3, :3] @ labels.centre_m[box]
    return FrameBox(box_from_sensor=matrix, size_m=labels.size_m[box])
