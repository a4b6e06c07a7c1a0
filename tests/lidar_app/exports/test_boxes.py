# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Boxes of a run's messages, and their images: hand-made clouds, and KITTI's projection."""

import numpy as np
import pytest

from lidar_app.exports.boxes import LARGELY, PARTLY, UNKNOWN, VISIBLE, MessageBoxes, occlusions
from lidar_app.exports.kitti_camera import HEIGHT, PROJECTION, WIDTH, image_box
from lidar_app.exports.kitti_files import CAMERA_FROM_LIDAR
from lidar_app.exports.scan_points import deskewed_scans
from osi_lidar.output.stored import open_run
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from osi_lidar.scan.from_config import pose_matrix
from tests.builders.messages import HOST_ID, Thing, host
from tests.builders.runs import SENSORS, write_worlds
from tests.builders.worlds import config

CAR, WALL = 2, 3


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    """Return a run in which a car drives at 10 m/s, 20 m ahead, and a wall hides its left half."""
    folder = tmp_path_factory.mktemp("boxes")
    wall = Thing(WALL, (10.0, 2.0, 1.5), dimension_m=(0.2, 4.0, 3.0), kind="stationary_object")
    worlds = [[host(), Thing(CAR, (20.0 + n, 0.0, 0.75)), wall] for n in range(3)]
    trace = write_worlds(folder / "drive.osi", worlds)
    sensor = {**SENSORS[0], "mounting": {"x_m": 1.2, "z_m": 0.5}}
    pattern = {
        "kind": "grid",
        "horizontal": {"min_deg": -9.95, "max_deg": 9.95, "step_deg": 0.1},
        "vertical": {"min_deg": -5.05, "max_deg": 5.05, "step_deg": 0.1},
    }
    replay(FrameSource(trace), config(sensors=[{**sensor, "pattern": pattern}]), folder / "run")
    return open_run(folder / "run")


def boxes_of(run, number):
    scan = list(run.scans)[number]
    ((_, points),) = deskewed_scans(run, [scan])
    return MessageBoxes(run).of(scan, points), points


def test_boxes_have_the_place_the_size_and_the_velocity_of_their_objects(drive):
    boxes, _ = boxes_of(drive, 1)
    assert HOST_ID not in boxes.object_id
    assert boxes.object_id.tolist() == [CAR, WALL]
    assert boxes.names.tolist()[0] == ("car", "vehicle")
    assert boxes.moves.tolist() == [True, False]
    assert boxes.world_from_box[0].tolist() == pose_matrix((21.0, 0.0, 0.75), (0, 0, 0)).tolist()
    assert boxes.size_m[0].tolist() == [4.0, 2.0, 1.5]
    np.testing.assert_allclose(boxes.velocity_m_s, [[10.0, 0, 0], [0, 0, 0]], atol=1e-9)


def test_velocities_at_the_ends_are_those_of_the_next_message(drive):
    for number in (0, 2):
        np.testing.assert_allclose(boxes_of(drive, number)[0].velocity_m_s[0], [10.0, 0.0, 0.0])


def test_half_of_a_car_behind_a_wall_is_visible(drive):
    boxes, points = boxes_of(drive, 0)
    assert boxes.points[0] == np.count_nonzero(points["object_id"] == CAR)
    # the edge of the wall is in the middle plane of car and sensor
    assert boxes.visibility[0] == pytest.approx(0.5, abs=0.02)
    assert boxes.visibility[1] == 1.0
    assert occlusions(boxes.visibility).tolist() == [PARTLY, VISIBLE]


def test_occlusion_follows_visibility():
    states = occlusions(np.array([1.0, 0.8, 0.79, 0.4, 0.39, 0.0, np.nan]))
    assert states.tolist() == [VISIBLE, VISIBLE, PARTLY, PARTLY, LARGELY, LARGELY, UNKNOWN]


def test_the_image_of_a_box_is_that_of_its_corners():
    pose = CAMERA_FROM_LIDAR @ pose_matrix((20.0, 0.0, -1.0), (0.0, 0.0, 0.0))
    shown = image_box(pose, np.array([4.0, 2.0, 1.5]))
    focal, centre_x = PROJECTION[0, 0], PROJECTION[0, 2]
    # the near face, 18 m away, is widest
    assert shown.right - centre_x == pytest.approx(focal * 1.0 / 18.0)
    assert shown.bottom - PROJECTION[1, 2] == pytest.approx(focal * 1.75 / 18.0)
    assert shown.truncation == 0.0


def test_half_of_a_box_beside_the_image_is_truncated():
    # x of the image is 0 where y = x cx / f: there the middle of a thin plate stands
    at = 20.0 * PROJECTION[0, 2] / PROJECTION[0, 0]
    pose = CAMERA_FROM_LIDAR @ pose_matrix((20.0, at, 0.0), (0.0, 0.0, 0.0))
    shown = image_box(pose, np.array([1e-6, 2.0, 1.0]))
    assert shown.left == 0.0
    assert shown.truncation == pytest.approx(0.5, abs=1e-6)


def test_a_box_around_the_camera_is_cut_at_its_near_plane():
    pose = CAMERA_FROM_LIDAR @ pose_matrix((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    shown = image_box(pose, np.array([4.0, 2.0, 1.5]))
    assert shown[:4] == (0.0, 0.0, WIDTH - 1, HEIGHT - 1)
    assert 0.9 < shown.truncation < 1.0


@pytest.mark.parametrize("place", [(-20.0, 0.0, 0.0), (5.0, 30.0, 0.0), (5.0, 0.0, 20.0)])
def test_what_is_behind_or_beside_the_image_has_no_box(place):
    pose = CAMERA_FROM_LIDAR @ pose_matrix(place, (0.0, 0.0, 0.0))
    assert image_box(pose, np.array([4.0, 2.0, 1.5])) is None
