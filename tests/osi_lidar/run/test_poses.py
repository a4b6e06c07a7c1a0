# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scans of a static scene from several poses, against closed forms."""

import json

import numpy as np
import pytest
from pypcd4 import PointCloud

from osi_lidar import load_config
from osi_lidar.errors import ConfigurationError
from osi_lidar.run.poses import configured_poses
from osi_lidar.run.replay import scan
from tests.builders.refusals import one_line

WALL_M = 20.0


@pytest.fixture
def configure(tmp_path):
    """Write a configuration with a wide wall at x = 20 m, and read it."""
    corners = [(WALL_M, y, z) for y in (-500, 500) for z in (-100, 100)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["f 1 3 4 2"]
    (tmp_path / "mesh.obj").write_text("\n".join(lines) + "\n")

    def write(poses, **sensor):
        config = {
            "sensors": [{"name": "s", "preset": "VLP-16", "range_limit": None, **sensor}],
            "scene": {"environment": [{"mesh": "mesh.obj", "up": "z"}], "ground": "none"},
            "poses": poses,
        }
        path = tmp_path / "config.yaml"
        path.write_text(json.dumps(config))  # JSON is YAML
        return load_config(path)

    return write


def cloud(folder, number):
    return PointCloud.from_path(folder / "s" / f"{number:06d}.pcd").pc_data


def test_each_pose_gives_a_frame_seen_from_there(configure, tmp_path):
    """The wall lies 20 m, 15 m and, after a quarter turn to the right, 20 m to the left."""
    config = configure([{}, {"x_m": 5.0, "z_m": 1.0}, {"yaw_deg": -90.0}])
    report = scan(config, tmp_path / "out")
    assert (report.record.frames_read, report.fallbacks[0].reason) == (3, "no rule matches it")
    for number, (axis, distance) in enumerate([("x", 20.0), ("x", 15.0), ("y", 20.0)]):
        points = cloud(tmp_path / "out", number)
        assert len(points) > 1000
        np.testing.assert_allclose(points[axis], distance, atol=2e-3)


def test_a_mounting_of_its_own_is_added_to_the_pose(configure, tmp_path):
    config = configure([{"x_m": 5.0}], mounting={"x_m": 2.0, "z_m": 0.0})
    scan(config, tmp_path / "out")
    np.testing.assert_allclose(cloud(tmp_path / "out", 0)["x"], 13.0, atol=2e-3)


def test_a_sensor_that_approaches_a_wall_sees_it_nearer_with_every_column(configure, tmp_path):
    """At 10 m/s over a sweep of 0.1 s: beams ahead fire at half time, 0.5 m before the end."""
    poses = [{"time_s": 5.0, "x_m": 0.0}, {"time_s": 5.5, "x_m": 5.0}]
    scan(configure(poses, rotation_rate_hz=10), tmp_path / "out")
    points = cloud(tmp_path / "out", 1)
    ahead = np.abs(np.arctan2(points["y"], points["x"])) < 0.01
    assert ahead.any()
    np.testing.assert_allclose(points["x"][ahead], 15.5, atol=0.01)
    np.testing.assert_allclose(cloud(tmp_path / "out", 0)["x"], 20.0, atol=2e-3)  # at rest


def test_a_pose_where_the_sensor_passes_makes_no_frame(configure, tmp_path):
    poses = [
        {"time_s": 0.0, "x_m": 0.0, "scan": False},
        {"time_s": 0.1, "x_m": 1.0},
        {"time_s": 9.0, "x_m": 3.0, "scan": False},
        {"time_s": 9.1, "x_m": 4.0},
    ]
    report = scan(configure(poses, rotation_rate_hz=10), tmp_path / "out")
    assert report.record.frames_read == 2
    for number, end_m in enumerate((1.0, 4.0)):
        points = cloud(tmp_path / "out", number)
        ahead = np.abs(np.arctan2(points["y"], points["x"])) < 0.01
        np.testing.assert_allclose(points["x"][ahead], 20.5 - end_m, atol=0.01)


def test_a_sweep_of_the_sensors_own_time_begins_between_the_poses_around(configure, tmp_path):
    """The wall is seen from poses that went on at 10 m/s, over two of them."""
    poses = [
        {"x_m": 0.0, "time_s": 100.0},
        {"x_m": 4.0, "time_s": 100.4, "scan": False},
        {"x_m": 4.5, "time_s": 100.45},
    ]
    report = scan(configure(poses), tmp_path / "out")
    (sensor,) = report.record.time["sensors"].values()
    assert sensor["scan_takes_s"] == pytest.approx(0.1)
    points = cloud(tmp_path / "out", 1)
    ahead = np.abs(np.arctan2(points["y"], points["x"])) < 0.01
    moment_s = 1e-9 * points["time_ns"][ahead]
    np.testing.assert_allclose(points["x"][ahead], 20.0 - 3.5 - 10.0 * moment_s, atol=0.01)


@pytest.mark.parametrize(
    "poses",
    [
        [],
        [{"time_s": 1.0}, {}],
        [{"time_s": 1.0}, {"time_s": 1.0}],
        [{"time_s": 0.0}, {"time_s": 1e18}],
    ],
)
def test_a_list_with_times_for_some_or_out_of_order_is_refused(configure, poses):
    with pytest.raises(ConfigurationError, match="poses: "):
        configured_poses(configure(poses))


def test_poses_that_span_too_long_are_refused_with_their_times(configure):
    poses = [{"time_s": 5.0}, {"time_s": 7.0}, {"time_s": 2e9}]
    with one_line(ConfigurationError, "time_s from 5 to 2e+09, expected at most 1e+09 s"):
        configured_poses(configure(poses))


def test_a_pose_that_looks_straight_up_stays_exact(configure, tmp_path):
    """Pitched by -90 deg the sensor's x points up, so that the wall lies below its z axis."""
    scan(configure([{"pitch_deg": -90.0, "yaw_deg": 30.0}]), tmp_path / "out")
    points = cloud(tmp_path / "out", 0)
    # wall normal x in the world = R' x: with yaw 30 and pitch -90 it is (0, -0.5, -0.866)
    distance = -0.5 * points["y"] - np.cos(np.radians(30)) * points["z"]
    np.testing.assert_allclose(distance, WALL_M, atol=2e-3)
