# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Mirrored points: hidden are those that lie behind returns where their object was recorded."""

import numpy as np
import pytest

from lidar_gap.records import ScanCloud
from lidar_gap.twin.actors.mirroring import hidden_halves
from lidar_gap.twin.actors.tracks import ActorTrack, FrameBox

BEHIND, BEFORE, BESIDE = (12.0, 0.0, 0.0), (8.0, 0.0, 0.0), (0.0, 12.0, 0.0)
POINTS_M = np.array([BEHIND, BEFORE, BESIDE])
AT_SENSOR = FrameBox(box_from_sensor=np.eye(4), size_m=np.ones(3))


def wall(x_m):
    """Return the cloud of a wall ahead, a return each 0.2 deg."""
    y, z = np.meshgrid(*2 * [x_m * np.tan(np.radians(np.arange(-1.0, 1.01, 0.2)))])
    points_m = np.stack([np.full(y.size, x_m), y.ravel(), z.ravel()], axis=1)
    return ScanCloud(name="wall", points_m=points_m, range_m=np.linalg.norm(points_m, axis=1))


def track(*frames):
    """Return a track of an object that some frames show, at the pose of the sensor."""
    return ActorTrack(name="a", category="car", boxes=dict.fromkeys(frames, AT_SENSOR))


@pytest.mark.parametrize("frames", [(0,), (2,), (0, 2), (0, 2, 4), range(6)])
def test_frames_without_the_object_and_frames_left_out_count_for_nothing(frames):
    """The wall is 10 m off in used frames, and behind all points in those that are left out."""
    used = np.array([True, False, True, False, True, False])
    clouds = [wall(10.0 if each else 50.0) for each in used]
    tracks = [track(*range(6)), track(*frames), track(*frames)]
    whole, own, none = hidden_halves([POINTS_M, POINTS_M, None], tracks, clouds, used)
    assert none is None
    assert whole.tolist() == own.tolist() == [True, False, False]


@pytest.mark.parametrize(("n_hidden", "hidden"), [(7, False), (8, True), (10, True)])
def test_a_point_is_hidden_in_four_fifths_of_the_frames_of_its_object(n_hidden, hidden):
    clouds = [wall(10.0 if number < n_hidden else 50.0) for number in range(12)]
    used = np.ones(12, np.bool_)
    (found,) = hidden_halves([POINTS_M], [track(*range(10))], clouds, used)
    assert found.tolist() == [hidden, False, False]
