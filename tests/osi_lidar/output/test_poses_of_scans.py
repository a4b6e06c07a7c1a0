# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The pose of the sensor of every scan: in the step, in PCD's VIEWPOINT and in frames.csv."""

import csv

import numpy as np
import pytest
from pypcd4 import PointCloud
from scipy.spatial.transform import Rotation

from osi_lidar.clouds.pcd import pose_row, write_pcd
from osi_lidar.errors import InputError
from osi_lidar.output.frame_table import read_frame_table
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import Thing, host
from tests.builders.runs import write_worlds
from tests.builders.worlds import config, instant, steps

FAR_M = 5_400_000.0
"""A northing in UTM, which float32 would round to half a metre."""
YAW_RAD = (0.0, 0.02, 0.05, 0.05)
PLACES_M = ((0.0, FAR_M, 0.75), (1.5, FAR_M + 0.1, 0.75), (3.1, FAR_M, 0.8), (3.1, FAR_M, 0.8))
MOUNTING = {"x_m": 1.0, "y_m": -0.3, "z_m": 1.6, "yaw_deg": 30.0, "pitch_deg": -5.0}
WALL = Thing(8, (10.0, FAR_M, 0.0), dimension_m=(0.2, 400.0, 40.0), kind="stationary_object")


def transform(position_m, yaw=0.0, pitch=0.0):
    """Return a pose by hand: rotations about y, then about z, then a translation."""
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_euler("ZY", (yaw, pitch)).as_matrix()
    matrix[:3, 3] = position_m
    return matrix


def expected(number):
    """Return the pose of the sensor at a message; the axle is 1.2 m behind the box's centre."""
    place = transform(PLACES_M[number], YAW_RAD[number])
    angles = np.radians((MOUNTING["yaw_deg"], MOUNTING["pitch_deg"]))
    mounted = transform([MOUNTING[f"{axis}_m"] for axis in "xyz"], *angles)
    return place @ transform((-1.2, 0.0, -0.45)) @ mounted


def worlds():
    """Return a drive along a bend that ends at rest, past a wall."""
    poses = zip(PLACES_M, YAW_RAD, strict=True)
    return [[host(*place, yaw_rad=yaw), WALL] for place, yaw in poses]


def from_row(numbers):
    """Return the pose that the seven numbers of a row or of a VIEWPOINT say."""
    x, y, z, *wxyz = map(float, numbers)
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(np.roll(wxyz, -1)).as_matrix()
    matrix[:3, 3] = x, y, z
    return matrix


def assert_pose(got, wanted):
    np.testing.assert_allclose(got, wanted, atol=2e-9)


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    """Return the folder of a run along the bend."""
    folder = tmp_path_factory.mktemp("driven")
    trace = write_worlds(folder / "bend.osi", worlds())
    replay(FrameSource(trace), sensor(), folder / "out")
    return folder / "out"


def sensor(**changes):
    one = {"name": "front", "preset": "VLP-16", "mounting": MOUNTING, "range_limit": None}
    return config(sensors=[{**one, **changes}], scene={"ground": "none"})


def test_a_scan_has_the_poses_at_its_begin_and_end():
    _, done = steps(worlds(), sensor())
    scans = [step.scans[0] for step in done]
    for number, scan in enumerate(scans):
        assert_pose(scan.world_from_sensor, expected(number))
        assert_pose(scan.world_from_sensor_at_begin, expected(max(number - 1, 0)))


def test_a_scan_from_one_pose_begins_where_it_ends():
    _, done = steps(worlds(), instant(sensor()))
    for number, step in enumerate(done):
        assert_pose(step.scans[0].world_from_sensor, expected(number))
        assert_pose(step.scans[0].world_from_sensor_at_begin, expected(number))


def test_a_repeated_scan_has_the_pose_of_the_scan_that_it_repeats():
    world = [host(), Thing(2, (20.0, 0.0, 0.75))]
    _, (first, second) = steps([world] * 2)
    assert (first.scans[0].traced, second.scans[0].traced) == (True, False)
    poses = [each.scans[0].world_from_sensor for each in (first, second)]
    np.testing.assert_array_equal(*poses)


def test_without_a_vehicle_the_mounting_is_the_pose():
    mounting = {"x_m": 3.0, "y_m": 2.0, "z_m": 1.0, "yaw_deg": 90.0}
    _, (step,) = steps([[WALL]], sensor(mounting=mounting), host_id=None)
    wanted = transform((3.0, 2.0, 1.0), np.pi / 2)
    assert_pose(step.scans[0].world_from_sensor, wanted)


def test_the_viewpoint_of_a_cloud_is_the_pose_at_the_end(driven):
    for number in range(len(PLACES_M)):
        cloud = PointCloud.from_path(driven / "front" / f"{number:06d}.pcd")
        assert_pose(from_row(cloud.metadata.viewpoint), expected(number))


def test_frames_csv_has_both_poses(driven):
    with (driven / "frames.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = ["x_m", "y_m", "z_m", "qw", "qx", "qy", "qz"]
    for number, row in enumerate(rows):
        assert_pose(from_row(row[name] for name in names), expected(number))
        begin = from_row(row[f"begin_{name}"] for name in names)
        assert_pose(begin, expected(max(number - 1, 0)))


def test_the_table_reads_back_as_written_and_without_poses_if_it_is_older(driven, tmp_path):
    rows = read_frame_table(driven)
    assert [row.frame for row in rows] == [0, 1, 2, 3]
    assert_pose(from_row(rows[2].end_pose), expected(2))
    assert_pose(from_row(rows[2].begin_pose), expected(1))
    lines = [line.split(",")[:8] for line in (driven / "frames.csv").read_text().splitlines()]
    (tmp_path / "frames.csv").write_text("\n".join(map(",".join, lines)) + "\n")
    older = read_frame_table(tmp_path)
    assert [row[:6] for row in older] == [row[:6] for row in rows]
    assert all(row.end_pose is row.begin_pose is None for row in older)


@pytest.mark.parametrize("cell", ["x", "nan", "", "0.5"])
def test_a_pose_that_is_none_is_told_with_its_line(driven, tmp_path, cell):
    lines = (driven / "frames.csv").read_text().splitlines()
    lines[2] = ",".join([*lines[2].split(",")[:-1], cell])
    (tmp_path / "frames.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"frames\.csv: line 3: got .*, expected frame,"):
        read_frame_table(tmp_path)


def test_a_cloud_without_a_pose_is_at_the_origin(tmp_path):
    points = np.zeros(3, [("x", "<f4"), ("y", "<f4"), ("z", "<f4")])
    write_pcd(tmp_path / "a.pcd", points)
    assert b"VIEWPOINT 0.0 0.0 0.0 1.0 0.0 0.0 0.0\n" in (tmp_path / "a.pcd").read_bytes()


def test_the_numbers_of_a_pose_are_plain():
    half = transform((-1e-12, 2.0, 0.1 + 1e-13), np.pi)
    text = " ".join(map(str, pose_row(half)))
    assert text == "0.0 2.0 0.1 0.0 0.0 0.0 1.0"
