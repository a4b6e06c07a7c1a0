# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The hidden half of a symmetric object, filled in by mirroring the recorded half.

A mirrored point is used only if it was hidden behind returns in the recording. Elsewhere, the
recording has better information: for example, beams pass windows without a return, and mirrored
points behind these windows would wrongly return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import KDTree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.records import ScanCloud
    from lidar_gap.twin.actors.tracks import ActorTrack

MIRROR = (1.0, -1.0, 1.0)
_BEHIND_M = 0.1  # points farther behind a return than this are hidden
_BEAMS = 4  # number of beams nearest to the direction of a point; one must end before the point
_BESIDE_DEG = 0.6  # largest angle to these beams; rings of coarse sensors are farther apart
_HIDDEN = 0.8  # share of the track's frames in which a point must be hidden


def hidden_halves(
    points_m: Sequence[NDArray[np.float64] | None],
    tracks: Sequence[ActorTrack],
    clouds: Sequence[ScanCloud],
    used: NDArray[np.bool_],
) -> list[NDArray[np.bool_] | None]:
    """Return which mirrored points of symmetric objects were hidden in the recording.

    Mirroring copies the recorded half of an object to its other half. A copy counts as hidden if it
    lies behind returns, seen from the sensor, in at least 80 % of the used clouds that contain the
    object.

    Parameters
    ----------
    points_m : sequence of float64 (n, 3) or None
        Mirrored points of each track, in the frame of its box; None for a track without mirroring.
        [m]
    tracks : sequence of ActorTrack
        The labelled objects.
    clouds : sequence of ScanCloud
        All clouds of the recording.
    used : bool (n_cloud,)
        Whether each cloud is used to make bodies.

    Returns
    -------
    list of bool (n,) or None
        For each track, whether each of its mirrored points was hidden; None for a track without
        mirroring.
    """
    n_hidden = [None if each is None else np.zeros(len(each)) for each in points_m]
    n_frames = np.zeros(len(tracks))
    for row in np.flatnonzero(used).tolist():
        tree, range_m = _directions(clouds[row].points_m)
        for number, track in enumerate(tracks):
            own, count = points_m[number], n_hidden[number]
            if own is None or count is None or row not in track.boxes:
                continue
            n_frames[number] += 1
            pose = track.boxes[row].sensor_from_box
            count += _hidden(own @ pose[:3, :3].T + pose[:3, 3], tree, range_m)
    return [
        None if count is None else np.asarray(count >= _HIDDEN * n)
        for count, n in zip(n_hidden, n_frames.tolist(), strict=True)
    ]


def _directions(points_m: NDArray[np.float64]) -> tuple[KDTree, NDArray[np.float64]]:
    """Return a search tree of the directions of a cloud's points, and their ranges [m]."""
    range_m = np.maximum(np.linalg.norm(points_m, axis=1), 1e-6)
    return KDTree(points_m / range_m[:, None]), range_m


def _hidden(
    points_m: NDArray[np.float64], tree: KDTree, range_m: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which points lie behind a return of a neighbouring beam, bool (n,)."""
    own_m = np.maximum(np.linalg.norm(points_m, axis=1), 1e-6)
    reach = 2.0 * np.sin(np.radians(0.5 * _BESIDE_DEG))
    _, near = tree.query(points_m / own_m[:, None], k=_BEAMS, distance_upper_bound=reach)
    ends_m = np.append(range_m, np.inf)[near]
    hidden: NDArray[np.bool_] = (ends_m < own_m[:, None] - _BEHIND_M).any(axis=1)
    return hidden
