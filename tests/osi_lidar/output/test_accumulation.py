# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds of a run, laid together in the world: walls that stand coincide, whatever moves."""

import math

import numpy as np
import pytest
from matplotlib.image import imread

import osi_lidar
from lidar_app.exports.scan_points import scans_in_world
from osi_bridge import NO_OBJECT
from osi_lidar.errors import InputError
from osi_lidar.output.accumulation import accumulate, accumulated, scans_within, thinned
from osi_lidar.output.frame_table import FrameRow
from osi_lidar.output.stored import open_run
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.messages import Thing, host
from tests.builders.runs import write_worlds
from tests.builders.worlds import config
from tests.commands import assert_one_line, run

FAR_M = 5_400_000.0
"""A northing in UTM: float32 would round the world to half a metre there."""
WALL_M = 12.0
WALLS = {
    10: ("x", 1.0), 11: ("x", -1.0), 12: ("y", 1.0), 13: ("y", -1.0)
}  # fmt: skip
"""The walls of a square room by their OSI ids: axis and side."""
SPEED_M_S, TURN_RAD_S = 15.0, 0.4
MOUNTING = {"x_m": 1.0, "y_m": 0.2, "z_m": 0.6, "yaw_deg": 20.0, "pitch_deg": 3.0}


def room():
    """Return four walls that face inwards at 12 m from the world's (0, FAR_M)."""
    thick = {"x": (0.2, 30.0, 30.0), "y": (30.0, 0.2, 30.0)}
    away = WALL_M + 0.1
    places = {"x": (away, 0.0), "y": (0.0, away)}
    return [
        Thing(number, (side * places[axis][0], FAR_M + side * places[axis][1], 0.0),
              dimension_m=thick[axis], kind="stationary_object")
        for number, (axis, side) in WALLS.items()
    ]  # fmt: skip


def driver(time_s):
    """Return the host on a circle."""
    angle = TURN_RAD_S * time_s
    radius_m = SPEED_M_S / TURN_RAD_S / 10.0  # it slides, so that the room need not be large
    x_m, y_m = radius_m * math.sin(angle), radius_m * (1.0 - math.cos(angle))
    return host(x_m=x_m, y_m=FAR_M + y_m, yaw_rad=angle)


def write_drive(path, n=5, step_s=0.1, first_s=0.0):
    worlds = ([driver(first_s + step_s * k), *room()] for k in range(n))
    return write_worlds(path, worlds, step_s=step_s)


def sensors(*names, output=None, **changes):
    one = {"preset": "VLP-16", "columns": 360, "mounting": MOUNTING, "range_limit": None, **changes}
    each = [{**one, "name": name} for name in names]
    return config(sensors=each, scene={"ground": "none"}, output=output or {})


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    return write_drive(tmp_path_factory.mktemp("drive") / "drive.osi")


@pytest.fixture(scope="module")
def driven(trace):
    """Return the folder of a run with rolling shutter, which is on by default."""
    replay(FrameSource(trace), sensors("front", "rear"), trace.parent / "out")
    return trace.parent / "out"


def largest_error_m(points):
    """Return the largest distance of points from the faces of their walls [m]."""
    errors = []
    for number, (axis, side) in WALLS.items():
        on_wall = points[points["object_id"] == number]
        assert len(on_wall) > 500
        face_m = side * WALL_M + (FAR_M if axis == "y" else 0.0)
        near = np.abs(on_wall[f"normal_{axis}"]) > 0.99  # not its ends
        errors.append(np.abs(on_wall[axis][near] - face_m).max())
    return max(errors)


def test_walls_coincide_to_a_millimetre_with_a_rolling_shutter(driven):
    points = accumulate(driven)
    assert largest_error_m(points) < 1e-3
    assert points.dtype["x"] == points.dtype["y"] == points.dtype["z"] == np.float64
    assert set(points["frame"].tolist()) == {0, 1, 2, 3, 4}
    assert set(points["sensor"].tolist()) == {"front", "rear"}


def test_poses_at_the_end_alone_would_not_do(driven):
    """The skew that is taken out here is a hundred times the error that is left."""
    points = accumulate(driven, sensors=["front"])
    from_end = [
        scan.world_from_sensor[:3, :3] @ xyz(scan.cloud.points).T + scan.world_from_sensor[:3, 3:]
        for scan in scans_of(driven)
    ]
    skew_m = np.abs(np.concatenate(from_end, axis=1).T - xyz(points)).max()
    assert skew_m > 0.1


def scans_of(folder):
    model = osi_lidar.LidarModel(sensors("front"))
    trace = folder.parent / "drive.osi"
    return [model.step(frame).scans[0] for frame in FrameSource(trace)]


def xyz(points):
    return np.stack([points[axis].astype(float) for axis in "xyz"], axis=1)


def test_deskewed_clouds_are_exact(trace, tmp_path):
    replay(FrameSource(trace), sensors("front", deskew=True), tmp_path / "out")
    assert largest_error_m(accumulate(tmp_path / "out")) < 3e-5


def test_scans_that_take_as_long_as_several_messages_use_the_poses_of_all():
    """Each message moves the sensor; those between the ends of a scan are rows of others."""
    row = FrameRow(9, 1000, "s", 1, "s/9.pcd", 900, 1000, np.zeros(7), np.zeros(7))
    ends = [700, 900, 930, 960, 960, 1000, 1000]
    earlier = [row._replace(end_ns=end) for end in ends]
    assert [each.end_ns for each in scans_within(row, earlier)] == [930, 960]
    back_in_time = [row._replace(end_ns=end) for end in (950, 5000, 970)]
    assert [each.end_ns for each in scans_within(row, back_in_time)] == [970]


def test_normals_are_in_the_world_and_other_fields_as_in_the_clouds(driven):
    points = accumulate(driven, sensors=["rear"], frames=slice(2, 3))
    cloud = scans_of(driven)[2].cloud.points
    assert points.dtype.names == (
        "x", "y", "z", "frame", "sensor",
        *(name for name in cloud.dtype.names if name not in set("xyz")),
    )  # fmt: skip
    for name in ("range", "intensity", "ring", "column", "material_id", "time_ns"):
        assert len(points[name]) == len(cloud)
    east = points[(points["object_id"] == 10) & (points["x"] < WALL_M + 0.01)]
    np.testing.assert_allclose(east["normal_x"], -1.0, atol=1e-5)
    np.testing.assert_allclose(east["normal_y"], 0.0, atol=1e-3)


def test_true_places_are_in_the_world_too(trace, tmp_path):
    noisy = sensors("front", noise={"range_sigma_m": 0.5}, output={"ground_truth": True})
    pytest.importorskip("pyarrow", reason="ground truth is also written as Parquet")
    replay(FrameSource(trace), noisy, tmp_path / "out")
    points = accumulate(tmp_path / "out")
    true = points.copy()
    for axis in "xyz":
        true[axis] = points[f"true_{axis}"]
    assert largest_error_m(true) < 1e-3
    assert largest_error_m(points) > 0.5


def test_frames_and_sensors_are_chosen(driven):
    points = accumulate(driven, sensors=["rear"], frames=slice(1, 5, 2))
    assert set(points["frame"].tolist()) == {1, 3}
    assert set(points["sensor"].tolist()) == {"rear"}
    assert set(accumulate(driven, frames=slice(-1, None))["frame"].tolist()) == {4}


def test_chosen_frames_lie_as_in_the_whole_run_if_a_scan_takes_several_messages(tmp_path):
    """The poses during a scan are those of earlier frames, which are not chosen."""
    worlds = ([host(y_m=FAR_M, yaw_rad=0.01 * k**2), *room()] for k in range(9))
    trace, out = write_worlds(tmp_path / "turn.osi", worlds, step_s=0.05), tmp_path / "out"
    replay(FrameSource(trace), sensors("front", "rear", rotation_rate_hz=5), out)
    everything = accumulate(out)
    assert largest_error_m(everything) < 1e-3
    for frames in (slice(7, 8), slice(8, 9), slice(4, None, 2)):
        wanted = np.isin(everything["frame"], range(9)[frames])
        found = accumulate(out, frames=frames)
        np.testing.assert_array_equal(found, everything[wanted])
        found = accumulate(out, frames=frames, sensors=["rear"])
        np.testing.assert_array_equal(found, everything[wanted & (everything["sensor"] == "rear")])
        stored = open_run(out).chosen(frames=frames)
        exported = [points for _, points in scans_in_world(stored, stored.scans)]
        names = list(exported[0].dtype.names)
        np.testing.assert_array_equal(np.concatenate(exported), everything[wanted][names])


def test_one_point_is_kept_in_each_cube(driven):
    everything, few = accumulate(driven), accumulate(driven, voxel_m=0.5)
    cells = np.floor(xyz(few) / 0.5)
    assert len(np.unique(cells, axis=0)) == len(few) < len(everything) / 5
    assert {tuple(cell) for cell in np.floor(xyz(everything) / 0.5)} == set(map(tuple, cells))


def test_the_first_point_of_a_cube_stays():
    row = [("x", "<f8"), ("y", "<f8"), ("z", "<f8"), ("frame", "<u4")]
    points = np.array([(0.9, 0, 0, 3), (-0.1, 0, 0, 4), (0.1, 0, 0, 1), (5, 0, 0, 2)], row)
    assert thinned(points, 1.0)["frame"].tolist() == [3, 4, 2]
    assert len(thinned(points[:0], 1.0)) == 0


def test_a_cloud_that_is_repeated_is_there_once(tmp_path):
    still = write_worlds(tmp_path / "still.osi", [[host(), Thing(2, (20.0, 0.0, 0.75))]] * 4)
    report = replay(FrameSource(still), sensors("front"), tmp_path / "out")
    points = accumulate(tmp_path / "out")
    assert len(points) == report.record.points > 0
    assert set(points["frame"].tolist()) == {0}
    assert set(accumulate(tmp_path / "out", frames=slice(2, 4))["frame"].tolist()) == {2}


def test_what_is_no_object_is_so_whatever_the_width_of_ids(driven):
    points = accumulate(driven)
    assert points.dtype["object_id"] == np.uint64
    assert set(points["object_id"].tolist()) <= {*WALLS, int(NO_OBJECT)}


def test_the_package_has_it_and_the_ways_are_those_of_the_sensors(driven):
    assert osi_lidar.accumulate is accumulate
    found = accumulated(driven, frames=slice(0, 3))
    assert {name: way.shape for name, way in found.ways_m.items()} == {
        "front": (3, 3), "rear": (3, 3)
    }  # fmt: skip
    np.testing.assert_allclose(found.start, scans_of(driven)[0].world_from_sensor, atol=1e-9)


def test_what_cannot_be_laid_together_is_one_line(driven, trace, tmp_path):
    with pytest.raises(InputError, match=r"sensor 'fornt', expected one of front, rear.*front"):
        accumulate(driven, sensors=["fornt"])
    with pytest.raises(InputError, match="no clouds in these frames"):
        accumulate(driven, frames=slice(90, 95))
    with pytest.raises(InputError, match="voxel size: got 0 m, expected at least"):
        accumulate(driven, voxel_m=0.0)
    with pytest.raises(InputError, match=r"no frames\.csv"):
        accumulate(tmp_path)
    lines = [line.split(",")[:8] for line in (driven / "frames.csv").read_text().splitlines()]
    (tmp_path / "frames.csv").write_text("\n".join(map(",".join, lines)) + "\n")
    with pytest.raises(InputError, match="has no poses, as an older version of osi-lidar wrote it"):
        accumulate(tmp_path)
    out = tmp_path / "out"
    replay(FrameSource(trace), sensors("front", output={"pcd": "none"}), out)
    with pytest.raises(InputError, match=r"has no clouds .*output\.pcd: none"):
        accumulate(out)


@pytest.mark.long
def test_the_command_draws_them(driven, tmp_path):
    picture = tmp_path / "a.png"
    result = run(
        "preview", driven, "--accumulate", "--sensor", "front", "--frames", "0:3",
        "--voxel", "0.1", "--out", picture,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert imread(picture).shape == (1200, 1800, 4)
    assert run("preview", driven, "--accumulate").exit_code == 0
    assert imread(driven / "accumulated.png").shape == (1200, 1800, 4)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--frames", "0:1"], ["--frames", "needs --accumulate"]),
        (["--accumulate", "--frame", "0"], ["both --frame and --accumulate"]),
        (["--accumulate", "--voxel", "-1"], ["voxel size: got -1 m"]),
        (["--accumulate", "--frames", "3"], ["--frames: got '3'"]),
    ],
)
def test_the_command_says_what_it_cannot_do(driven, arguments, words):
    assert_one_line(run("preview", driven, *arguments), 2, *words)
