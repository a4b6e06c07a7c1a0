# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Data sets of a run in which nothing is level: boxes and poses are those of the messages."""

import json

import numpy as np
import pytest

from lidar_app.datasets.boxes import TableBoxes
from lidar_app.exports.boxes import MessageBoxes
from lidar_app.exports.scan_points import deskewed_scans
from lidar_app.truth.run import replay_with_truth
from osi_lidar.output.accumulation import accumulate
from osi_lidar.output.stored import open_run
from tests.builders.extras import needs
from tests.builders.tilted import (
    CAR,
    N_FRAMES,
    PLATE,
    SIZE_M,
    host_from_lidar,
    make_tilted,
    points_in_world,
    world_from_car,
    world_from_host,
    world_from_lidar,
)
from tests.lidar_app.datasets.conftest import write
from tests.lidar_app.datasets.test_nuscenes import rotation

pytestmark = needs("pyarrow")
MARGINS_M = 0.02
"""Boxes of data sets are larger than their objects by a centimetre on each side."""


@pytest.fixture(scope="module")
def tilted(tmp_path_factory):
    return make_tilted(tmp_path_factory.mktemp("tilted"), replay_with_truth)


@pytest.fixture(scope="module")
def tables(tilted, tmp_path_factory):
    """Return the rows of each table of the nuScenes data set of the run."""
    folder = tmp_path_factory.mktemp("nuscenes") / "set"
    write(tilted, folder, "nuscenes")
    return {
        path.stem: json.loads(path.read_text())
        for path in (folder / "v1.0-trainval").glob("*.json")
    }


def car_of(run, boxes_of, scan, points):
    boxes = boxes_of(run).of(scan, points)
    return boxes.chosen(boxes.object_id == CAR)


def of_table(run):
    return TableBoxes(run, run.folder)


@pytest.mark.parametrize("boxes_of", [of_table, MessageBoxes], ids=["table", "messages"])
def test_a_tilted_box_has_its_pose_and_its_points(tilted, boxes_of):
    run = open_run(tilted)
    for frame, (scan, points) in enumerate(deskewed_scans(run, run.scans)):
        car = car_of(run, boxes_of, scan, points)
        for poses in (car.world_from_box, car.world_from_box_begin):
            np.testing.assert_allclose(poses[0][:3, :3], world_from_car(frame)[:3, :3], atol=1e-9)
        np.testing.assert_allclose(car.world_from_box[0], world_from_car(frame), atol=1e-9)
        assert car.points[0] == np.count_nonzero(points["object_id"] == CAR) > 100


def test_the_part_that_a_plate_hides_is_estimated_for_a_tilted_box_too(tilted):
    """The tables count beams that meet the car alone; messages and clouds lead near to that."""
    run = open_run(tilted)
    for scan, points in deskewed_scans(run, run.scans):
        assert (points["object_id"] == PLATE).any()
        exact, estimated = (
            car_of(run, each, scan, points).alone[0] for each in (of_table, MessageBoxes)
        )
        assert exact > 1.3 * np.count_nonzero(points["object_id"] == CAR)
        assert estimated == pytest.approx(exact, rel=0.01)


def test_openpcdet_has_the_centre_and_the_heading_in_the_tilted_lidar(tilted, tmp_path):
    write(tilted, tmp_path / "set", "openpcdet")
    expected = accumulate(tilted)
    for frame in range(N_FRAMES):
        points = np.load(tmp_path / "set" / "points" / f"{frame:06d}.npy")[:, :3]
        chosen = expected[expected["frame"] == frame]
        in_world = np.stack([chosen[axis] for axis in "xyz"], axis=1)
        np.testing.assert_allclose(points_in_world(points, frame), in_world, atol=1e-5)
        lines = (tmp_path / "set" / "labels" / f"{frame:06d}.txt").read_text().splitlines()
        (line,) = lines
        *numbers, heading = map(float, line.split()[:7])
        lidar_from_car = np.linalg.inv(world_from_lidar(frame)) @ world_from_car(frame)
        size_m = np.array(SIZE_M) + MARGINS_M
        np.testing.assert_allclose(numbers, [*lidar_from_car[:3, 3], *size_m], atol=1e-5)
        # the direction of the car's x axis, seen from above the lidar
        ahead = (lidar_from_car @ [1.0, 0.0, 0.0, 0.0])[:2]
        assert heading == pytest.approx(np.angle(complex(*ahead)), abs=1e-5)


def posed(row):
    """Return rotation and translation of a row of nuScenes as a matrix."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation(row["rotation"]), row["translation"]
    return pose


def test_nuscenes_has_the_mounting_and_the_poses_of_the_tilted_host(tables):
    channels = {row["token"]: row["channel"] for row in tables["sensor"]}
    mounted = {channels[row["sensor_token"]]: posed(row) for row in tables["calibrated_sensor"]}
    np.testing.assert_allclose(mounted["LIDAR_TOP"], host_from_lidar(), atol=1e-8)
    poses = {row["timestamp"]: posed(row) for row in tables["ego_pose"]}
    assert sorted(poses) == [100_000 * frame for frame in range(N_FRAMES)]
    for frame, pose in enumerate(poses[each] for each in sorted(poses)):
        expected = world_from_host(frame)
        np.testing.assert_allclose(pose[:3, :3], expected[:3, :3], atol=1e-8)
        # the data set's world is OSI's, but for its origin
        moved = pose[:3, 3] - poses[0][:3, 3]
        np.testing.assert_allclose(moved, (expected - world_from_host(0))[:3, 3], atol=1e-8)


def test_cameras_of_nuscenes_are_level_on_the_host_where_the_lidar_is_tilted(tables):
    channels = {row["token"]: row["channel"] for row in tables["sensor"]}
    cameras = [
        posed(row)
        for row in tables["calibrated_sensor"]
        if channels[row["sensor_token"]].startswith("CAM_")
    ]
    assert len(cameras) == 6
    for pose in cameras:
        np.testing.assert_allclose(pose[:3, 1], [0.0, 0.0, -1.0], atol=1e-9)  # y is down
        np.testing.assert_allclose(pose[:3, 3], host_from_lidar()[:3, 3], atol=1e-9)


def test_annotations_of_nuscenes_are_tilted_and_hold_the_points(tables, tilted):
    points = accumulate(tilted)
    (pose,) = (posed(row) for row in tables["ego_pose"] if row["timestamp"] == 0)
    shift_m = pose[:3, 3] - world_from_host(0)[:3, 3]
    width_length_height_m = np.array(SIZE_M)[[1, 0, 2]] + MARGINS_M
    (row,) = (
        row
        for row in tables["sample_annotation"]
        if np.allclose(row["size"], width_length_height_m)
    )
    expected = world_from_car(0)
    np.testing.assert_allclose(posed(row)[:3, :3], expected[:3, :3], atol=1e-8)
    np.testing.assert_allclose(row["translation"], expected[:3, 3] + shift_m, atol=1e-8)
    on_car = (points["frame"] == 0) & (points["object_id"] == CAR)
    assert row["num_lidar_pts"] == np.count_nonzero(on_car)
