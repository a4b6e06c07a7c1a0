# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Exports of a run in which nothing is level: poses are those of the messages in all formats."""

import csv
import json
from itertools import pairwise

import laspy
import numpy as np
import pye57
import pytest
from scipy.spatial.transform import Rotation

from osi_lidar.output.accumulation import accumulate
from osi_lidar.output.stored import open_run
from tests.builders.tilted import (
    CAR,
    N_FRAMES,
    SIZE_M,
    host_from_lidar,
    make_tilted,
    points_in_world,
    world_from_car,
    world_from_host,
    world_from_lidar,
)
from tests.builders.viewer_files import decoded, poses
from tests.commands import run
from tests.lidar_app.exports.test_kitti import full_matrix, read_calib, read_points
from tests.lidar_app.exports.test_ros2 import matrix, messages

FRAMES = range(N_FRAMES)


@pytest.fixture(scope="module")
def tilted(tmp_path_factory):
    return make_tilted(tmp_path_factory.mktemp("tilted"))


@pytest.fixture(scope="module")
def in_world(tilted):
    """Return the points of each frame in the world. [m]"""
    points = accumulate(tilted)
    places = np.stack([points[axis] for axis in "xyz"], axis=1)
    return [places[points["frame"] == frame] for frame in FRAMES]


def export(form, folder, out, *options):
    result = run("export", form, folder, "--out", out, *options)
    assert result.exit_code == 0, result.output
    return out


def matrix_of(numbers):
    """Return x y z, qw qx qy qz as a matrix, by scipy."""
    x, y, z, *turn = numbers
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_quat([*turn[1:], turn[0]]).as_matrix()
    pose[:3, 3] = x, y, z
    return pose


def test_the_points_on_the_car_are_on_its_sides(tilted, in_world):
    """What the other tests build on: poses of the builder, and points of the run."""
    points = accumulate(tilted)
    for frame in FRAMES:
        own = in_world[frame][points[points["frame"] == frame]["object_id"] == CAR]
        away = (own - world_from_car(frame)[:3, 3]) @ world_from_car(frame)[:3, :3]
        outside = np.abs(away) - 0.5 * np.array(SIZE_M)
        assert len(own) > 100
        assert np.abs(outside.max(axis=1)).max() < 1e-4


def test_kitti_has_the_points_of_the_tilted_lidar_and_the_floor_of_the_car(
    tilted, in_world, tmp_path
):
    training = export("kitti", tilted, tmp_path / "k") / "training"
    for frame in FRAMES:
        points = read_points(training / "velodyne" / f"{frame:06d}.bin")[:, :3]
        np.testing.assert_allclose(points_in_world(points, frame), in_world[frame], atol=1e-5)
        (line,) = (training / "label_2" / f"{frame:06d}.txt").read_text().splitlines()
        camera = read_calib(training / "calib" / f"{frame:06d}.txt")["Tr_velo_to_cam"]
        camera_from_car = camera @ np.linalg.inv(world_from_lidar(frame)) @ world_from_car(frame)
        expected = camera_from_car @ [0.0, 0.0, -0.5 * SIZE_M[2], 1.0]
        assert [*map(float, line.split()[11:14])] == pytest.approx(expected, abs=1e-5)


def test_poses_of_semantickitti_turn_about_all_axes(tilted, in_world, tmp_path):
    sequence = export("semantickitti", tilted, tmp_path / "00")
    camera_from_lidar = full_matrix(read_calib(sequence / "calib.txt")["Tr"])
    cameras = np.loadtxt(sequence / "poses.txt").reshape(-1, 3, 4)
    for frame in FRAMES:
        first_from_lidar = (
            np.linalg.inv(camera_from_lidar) @ full_matrix(cameras[frame]) @ camera_from_lidar
        )
        points = read_points(sequence / "velodyne" / f"{frame:06d}.bin").astype(float)
        points[:, 3] = 1.0
        of_first = (points @ first_from_lidar.T)[:, :3]
        np.testing.assert_allclose(points_in_world(of_first, 0), in_world[frame], atol=2e-5)


def test_an_e57_file_and_a_table_of_arrays_and_laz_files_have_the_pose_of_each_scan(
    tilted, in_world, tmp_path
):
    file = pye57.E57(str(export("e57", tilted, tmp_path / "d.e57")))
    clouds = export("laz", tilted, tmp_path / "laz")
    with (export("npy", tilted, tmp_path / "a") / "index.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for frame in FRAMES:
        found = file.read_scan(frame)
        places = np.stack([found[f"cartesian{axis}"] for axis in "XYZ"], axis=1)
        np.testing.assert_allclose(places, in_world[frame], atol=1e-5)
        (record,) = laspy.read(clouds / "front" / f"{frame:06d}.laz").evlrs
        stated = json.loads(record.record_data)["world_from_sensor_at_end"]
        names = ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")
        listed = [float(rows[frame][name]) for name in names]
        for numbers in (stated, listed):
            np.testing.assert_allclose(matrix_of(numbers), world_from_lidar(frame), atol=1e-8)
    file.close()


def test_transforms_of_ros_lead_from_the_lidar_to_the_host_and_to_the_map(tilted, tmp_path):
    heard = messages(export("ros2", tilted, tmp_path / "bag"))
    ((mounted,),) = (each.transforms for topic, _, each in heard if topic == "/tf_static")
    assert (mounted.header.frame_id, mounted.child_frame_id) == ("base_link", "front")
    np.testing.assert_allclose(matrix(mounted.transform), host_from_lidar(), atol=1e-8)
    moved = {time_ns: each.transforms[0] for topic, time_ns, each in heard if topic == "/tf"}
    for scan in open_run(tilted).scans:
        found = matrix(moved[scan.row.end_ns].transform)
        np.testing.assert_allclose(found, world_from_host(scan.row.frame), atol=1e-8)


def test_transforms_of_mcap_lead_from_the_lidar_to_the_host_and_to_the_world(tilted, tmp_path):
    pytest.importorskip("foxglove_schemas_protobuf")
    heard = decoded(export("mcap", tilted, tmp_path / "shown.mcap"), "/tf")
    for frame, found in enumerate(poses(each) for each in heard):
        chain = ("global", "ego_vehicle_bb_center", "ego_vehicle_rear_axle", "front")
        centre, axle, mounted = (matrix_of(found[pair]) for pair in pairwise(chain))
        np.testing.assert_allclose(centre @ axle, world_from_host(frame), atol=1e-8)
        np.testing.assert_allclose(mounted, host_from_lidar(), atol=1e-8)
