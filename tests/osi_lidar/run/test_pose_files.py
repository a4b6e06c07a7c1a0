# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pose files of all layouts hold the same poses; what cannot be poses is refused in one line."""

import os

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from osi_lidar.errors import InputError
from osi_lidar.run.pose_files import Poses, read_poses, write_poses
from tests.builders.files import written
from tests.builders.refusals import one_line

ANGLES_DEG = [(0.0, 0.0, 0.0), (30.0, -10.0, 5.0), (-170.0, 80.0, 1.0)]  # yaw, pitch, roll
TIMES_S = [10.0, 10.1, 10.25]


def poses():
    matrix = np.tile(np.eye(4), (3, 1, 1))
    matrix[:, :3, :3] = Rotation.from_euler("ZYX", ANGLES_DEG, degrees=True).as_matrix()
    matrix[:, :3, 3] = [(0, 0, 0), (1, 2, 3), (-4, 5, 600_000.25)]
    return matrix


def text_of(layout):
    matrix = poses()
    turns = Rotation.from_matrix(matrix[:, :3, :3]).as_quat()
    places = matrix[:, :3, 3]
    rows = {
        "tum": [[t, *p, *q] for t, p, q in zip(TIMES_S, places, turns, strict=True)],
        "kitti": [each[:3].ravel() for each in matrix],
        "timed kitti": [[t, *each[:3].ravel()] for t, each in zip(TIMES_S, matrix, strict=True)],
        "flat": [each.ravel() for each in matrix],
        "angles": [
            [t, *p, *reversed(a)] for t, p, a in zip(TIMES_S, places, ANGLES_DEG, strict=True)
        ],
    }
    if layout == "blocks":
        stamped = matrix.copy()
        stamped[:, 3, 3] = TIMES_S
        return "\n".join(",".join(map(repr, row)) for row in stamped.reshape(-1, 4).tolist())
    head = "time_s,x_m,y_m,z_m,roll_deg,pitch_deg,yaw_deg\n" if layout == "angles" else "# a note\n"
    return head + "\n".join(" ".join(f"{v:.15g}" for v in row) for row in rows[layout])


@pytest.mark.parametrize("layout", ["tum", "kitti", "timed kitti", "flat", "blocks", "angles"])
def test_every_layout_holds_the_same_poses(tmp_path, layout):
    path = written(tmp_path / "poses.txt", text_of(layout))
    read = read_poses(path)
    np.testing.assert_allclose(read.world_from_sensor, poses(), atol=1e-9)
    if layout in {"kitti", "flat"}:
        assert read.time_s is None
    else:
        np.testing.assert_allclose(read.time_s, TIMES_S)


def test_written_poses_are_read_again(tmp_path):
    path = tmp_path / "poses.csv"
    write_poses(path, Poses(world_from_sensor=poses(), time_s=np.array(TIMES_S)))
    read = read_poses(path)
    np.testing.assert_allclose(read.world_from_sensor, poses(), atol=1e-8)
    np.testing.assert_allclose(read.time_s, TIMES_S)


def test_a_column_scan_tells_where_the_sensor_only_passes(tmp_path):
    path = written(tmp_path / "poses.csv", "time,x,y,z,scan\n0,0,0,0,0\n0.1,1,0,0,1\n")
    assert read_poses(path).scans.tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no pose"),
        ("# nothing\n", "has no pose"),
        ("1 2 3\n", "expected rows of 8"),
        ("1 2 3 4\n" * 3, "expected rows of 8"),
        ("1 0 0 0 0 1 0 0 0 0 1 x\n", "line 1"),
        ("1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0\n", "line 2: expected 12 numbers"),
        (
            "1 0 0 0 0 1 0 0 0 0 -1 0\n",
            r"pose 0 \(counted from 0\): its 3 x 3 matrix is not a rotation",
        ),
        (
            "2 0 0 0 0 2 0 0 0 0 2 0\n",
            r"pose 0 \(counted from 0\): its 3 x 3 matrix is not a rotation",
        ),
        ("0 0 0 0 0 0 0 2\n", "whose length is not 1"),
        ("1 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n", r"pose 1 \(counted from 0\): its time is not later"),
        ("time,x,y\n0,0,0\n", "has no column z"),
        ("x,y,z,x\n0,0,0,1\n", "has the column x twice"),
        ("x,y,z,yaw\n0,0,0,1\n", "got columns yaw, expected qx qy qz qw, or some of roll_deg"),
        ("x,y,z,qx,qy,qz\n0,0,0,0,0,0\n", "got columns qx, qy, qz"),
        (
            "1 0 0 0\n0 1 0 0\n0 0 1 0\n5 6 7 1\n",
            r"pose 0 \(counted from 0\): the last row .* 0 0 0",
        ),
        ("x,y,z\n1e300,0,0\n", "a coordinate is 1e\\+300, expected metres, up to 1e\\+08$"),
        (
            "1e200 0 0 0 0 1e200 0 0 0 0 1e200 0\n",
            r"pose 0 \(counted from 0\): its 3 x 3 matrix is not a rotation",
        ),
        ("0 0 0 0 1e200 0 0 1e200\n", "whose length is not 1"),
        ("time,x,y,z\n-1e308,0,0,0\n1e308,0,0,0\n", "expected seconds"),
        (
            "time,x,y,z\n0,0,0,0\n1e300,0,0,0\n",
            "expected seconds, at most 1e\\+09 from first to last$",
        ),
    ],
)
def test_what_is_not_a_pose_is_refused_in_one_line(tmp_path, text, message):
    path = written(tmp_path / "poses.txt", text)
    with one_line(InputError, str(path), match=message):
        read_poses(path)


def test_a_file_that_is_absent_is_named(tmp_path):
    with pytest.raises(InputError, match=r"absent\.csv: cannot be read"):
        read_poses(tmp_path / "absent.csv")


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    path = written(tmp_path / "poses.csv", b"\xef\xbb\xbfx,y,z\r\n1,2,3\r\n")
    assert read_poses(path).world_from_sensor[0, :3, 3].tolist() == [1.0, 2.0, 3.0]


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "poses")
    with pytest.raises(InputError, match="is a device or a pipe"):
        read_poses(tmp_path / "poses")
