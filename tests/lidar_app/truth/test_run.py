# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The tables of boxes and scans beside a run."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lidar_app.truth.run import TABLES, has_truth, replay_with_truth, write_truth
from lidar_app.truth.tables import BOX_COLUMNS, BOXES, SCAN_COLUMNS, SCANS
from lidar_base.files.own_files import LIST
from osi_bridge import write_trace
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.config import load_config
from osi_lidar.errors import InputError, OutputError
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from osi_lidar.scan.from_config import pose_matrix
from tests.builders.extras import needs
from tests.builders.files import written
from tests.builders.messages import Thing, host, message
from tests.builders.runs import GRID, SENSORS, write_worlds
from tests.builders.threads import kernel_threads
from tests.builders.tilted import N_FRAMES, make_tilted, world_from_host, world_from_lidar
from tests.builders.worlds import config
from tests.commands import assert_one_line
from tests.commands import run as command

pytestmark = needs("pyarrow")
CAR, WALL, POLE = 2, 3, 4
WORLD = [
    host(),
    Thing(CAR, (20.0, 1.0, 0.75)),
    Thing(WALL, (12.0, 2.0, 1.0), dimension_m=(0.2, 3.0, 2.0), kind="stationary_object"),
    Thing(POLE, (-15.0, 0.0, 1.0), dimension_m=(0.2, 0.2, 4.0), kind="stationary_object"),
]
RATE = {
    "name": "rate",
    "preset": "VLP-16",
    "columns": 180,
    "timing": "sensor_rate",
    "mounting": {"x_m": 1.0, "z_m": 1.9},
}


def table(path):
    """Return the columns of a Parquet file, as lists by name."""
    from pyarrow import parquet

    return parquet.read_table(path).to_pydict()


def rows_of(boxes, object_id, sensor="front"):
    """Return the rows of an object, each as a dict."""
    rows = [dict(zip(boxes, values, strict=True)) for values in zip(*boxes.values(), strict=True)]
    return [row for row in rows if (row["object_id"], row["sensor"]) == (object_id, sensor)]


def driven(thing, way_m):
    x_m, y_m, z_m = thing.position_m
    return replace(thing, position_m=(x_m + way_m, y_m, z_m))


def worlds(n=4, step_m=0.5):
    """Return messages in which the car drives on."""
    return [[WORLD[0], driven(WORLD[1], step_m * index), *WORLD[2:]] for index in range(n)]


def run_of(folder, things, *, sensors=SENSORS, **sections):
    """Replay worlds with their truth; return the folder of the run and both tables."""
    trace = write_worlds(folder / "drive.osi", things)
    chosen = config(sensors=list(sensors), **sections)
    replay_with_truth(FrameSource(trace), chosen, folder / "run")
    return folder / "run", table(folder / "run" / BOXES), table(folder / "run" / SCANS)


def test_tables_have_the_columns_that_they_state(tmp_path):
    _, boxes, scans = run_of(tmp_path, worlds(1))
    assert tuple(boxes) == tuple(each.name for each in BOX_COLUMNS)
    assert tuple(scans) == tuple(each.name for each in SCAN_COLUMNS)


def test_points_are_those_of_the_clouds(tmp_path):
    folder, boxes, scans = run_of(tmp_path, worlds())
    assert scans["scan"] == list(range(8))
    assert scans["frame"] == [0, 0, 1, 1, 2, 2, 3, 3]
    for scan, file in zip(scans["scan"], scans["file"], strict=True):
        cloud = read_pcd(folder / file)
        found, count = np.unique(cloud["object_id"], return_counts=True)
        expected = dict(zip(found.tolist(), count.tolist(), strict=True))
        expected.pop(2**32 - 1, None)
        of_scan = [row for row, each in enumerate(boxes["scan"]) if each == scan]
        got = {boxes["object_id"][row]: boxes["points"][row] for row in of_scan}
        assert {key: n for key, n in got.items() if n} == expected
        assert scans["points"][scan] == len(cloud)
        assert scans["labelled"][scan] == sum(expected.values())


def test_a_box_is_told_as_its_message_states_it(tmp_path):
    _, boxes, _ = run_of(tmp_path, worlds())
    row = rows_of(boxes, CAR)[2]
    assert [row[name] for name in "xyz"] == pytest.approx([21.0, 1.0, 0.75])
    assert [row[name] for name in ("length", "width", "height")] == [4.0, 2.0, 1.5]
    assert (row["kind"], row["osi_type"], row["osi_class"]) == (
        "moving",
        "TYPE_VEHICLE",
        "TYPE_CAR",
    )
    assert row["time_ns"] == 200_000_000
    assert not row["is_host"]
    (wall, *_) = rows_of(boxes, WALL)
    assert (wall["kind"], wall["osi_type"]) == ("stationary", wall["osi_class"])
    assert wall["visibility"] == 1.0
    assert row["points_alone"] > row["points"] > 0
    assert row["visibility"] == np.float32(row["points"] / row["points_alone"])


def test_velocity_is_that_between_scans_where_messages_state_none(tmp_path):
    _, boxes, _ = run_of(tmp_path, worlds())
    first, *later = rows_of(boxes, CAR)
    assert all(math.isnan(first[name]) for name in ("vx", "vy", "vz"))
    assert [[row["vx"], row["vy"], row["vz"]] for row in later] == [
        pytest.approx([5.0, 0.0, 0.0])
    ] * 3
    assert [row["vx"] for row in rows_of(boxes, WALL)] == [0.0] * 4


def test_an_object_that_was_put_elsewhere_has_no_velocity(tmp_path):
    scene = {"teleport": {"speed_m_s": 100.0}}
    _, boxes, _ = run_of(tmp_path, worlds(2, step_m=15.0), scene=scene)
    assert math.isnan(rows_of(boxes, CAR)[1]["vx"])


def test_velocity_is_as_stated_where_a_message_states_it(tmp_path):
    from osi3.osi_sensorview_pb2 import SensorView

    view = SensorView.FromString(message(WORLD))
    velocity = view.global_ground_truth.moving_object[1].base.velocity
    velocity.x, velocity.y = 7.0, -1.0
    write_trace(tmp_path / "t.osi", [view.SerializeToString()], message_type="SensorView")
    chosen = config(sensors=list(SENSORS))
    replay_with_truth(FrameSource(tmp_path / "t.osi"), chosen, tmp_path / "run")
    (row,) = rows_of(table(tmp_path / "run" / BOXES), CAR)
    assert [row["vx"], row["vy"], row["vz"]] == [7.0, -1.0, 0.0]


def test_tracks_count_objects_in_the_order_of_their_appearance(tmp_path):
    _, boxes, _ = run_of(tmp_path, worlds(3))
    known = dict(zip(boxes["object_id"], boxes["track"], strict=True))
    assert sorted(known.values()) == list(range(len(known)))
    assert {row["track"] for row in rows_of(boxes, CAR)} == {known[CAR]}


def test_a_scan_that_repeats_another_has_rows_of_its_own(tmp_path):
    _, boxes, scans = run_of(tmp_path, [WORLD] * 3)
    assert scans["file"][::2] == ["front/000000.pcd"] * 3
    first, second, _ = rows_of(boxes, CAR)
    differing = {key for key in first if first[key] != second[key]}
    assert differing == {"scan", "time_ns", "vx", "vy", "vz"}
    assert second["vx"] == 0.0


def test_a_world_without_objects_has_scans_and_no_boxes(tmp_path):
    _, boxes, scans = run_of(tmp_path, [[host()], [host(x_m=1.0)]], sensors=[*SENSORS, RATE])
    assert boxes["scan"] == []
    assert tuple(boxes) == tuple(each.name for each in BOX_COLUMNS)
    assert scans["labelled"] == [0] * len(scans["scan"])


def test_a_host_that_is_shown_is_told_as_such(tmp_path):
    down = {
        "name": "front",
        "pattern": GRID,
        "mounting": {"x_m": 1.0, "z_m": 2.5, "pitch_deg": 40.0},
    }
    _, boxes, _ = run_of(tmp_path, [WORLD], sensors=[down], scene={"host_visible": True})
    assert [row["is_host"] for row in rows_of(boxes, 1)] == [True]


def test_occlusion_and_truncation_are_of_what_is_hidden_and_outside(tmp_path):
    # the beams end at 30 deg: of the box on that ray half is outside; a wall hides another car
    sideways = Thing(
        7, (11.0, 10.0 * math.tan(math.radians(30.0)), 1.5), dimension_m=(0.1, 4.0, 0.5)
    )
    behind = Thing(8, (20.0, -2.0, 0.75))
    wall = Thing(9, (9.0, -1.2, 1.0), dimension_m=(0.1, 2.0, 3.0), kind="stationary_object")
    _, boxes, _ = run_of(tmp_path, [[host(), sideways, behind, wall]], sensors=SENSORS[:1])
    (aside,), (hidden,) = rows_of(boxes, 7), rows_of(boxes, 8)
    assert 0.3 < aside["truncation"] < 0.7
    assert hidden["truncation"] == 0.0
    assert (hidden["points"], hidden["visibility"], hidden["occlusion"]) == (0, 0.0, 2)
    assert (rows_of(boxes, 9)[0]["occlusion"], rows_of(boxes, 9)[0]["visibility"]) == (0, 1.0)


def test_poses_are_those_of_sensor_and_rear_axle(tmp_path):
    _, _, scans = run_of(tmp_path, [WORLD])
    # the rear axle is at (x - 1.2, y, z - 0.45) of the host's centre, the sensor at 1, 0, 1.5
    assert [scans[name][0] for name in ("host_x", "host_y", "host_z")] == pytest.approx(
        [-1.2, 0, 0.3]
    )
    assert [scans[name][0] for name in "xyz"] == pytest.approx([-0.2, 0.0, 1.8])
    assert [scans[f"host_{name}"][0] for name in ("qw", "qx", "qy", "qz")] == [1.0, 0.0, 0.0, 0.0]


def test_poses_of_a_tilted_sensor_and_rear_axle_turn_about_all_axes(tmp_path):
    scans = table(make_tilted(tmp_path, replay_with_truth) / SCANS)
    for frame in range(N_FRAMES):
        for prefix, expected in (("", world_from_lidar(frame)), ("host_", world_from_host(frame))):
            numbers = [scans[prefix + name][frame] for name in ("x", "y", "z")]
            np.testing.assert_allclose(numbers, expected[:3, 3], atol=1e-8)
            turn = [scans[prefix + name][frame] for name in ("qx", "qy", "qz", "qw")]
            found = Rotation.from_quat(turn).as_matrix()
            np.testing.assert_allclose(found, expected[:3, :3], atol=1e-8)


def test_truncation_is_the_same_where_sensor_and_object_are_tilted_together(tmp_path):
    """Half of a box is beyond the last beams, at 30 deg, however the sensor is mounted."""
    found = []
    for number, angles_deg in enumerate([(0.0, 0.0, 0.0), (20.0, -15.0, 10.0)]):
        turned = dict(zip(("roll_deg", "pitch_deg", "yaw_deg"), angles_deg, strict=True))
        sensor = {**SENSORS[0], "mounting": {"x_m": 1.0, "z_m": 1.5, **turned}}
        # the rear axle is at (-1.2, 0, 0.3), so the sensor is at (-0.2, 0, 1.8)
        roll, pitch, yaw = np.radians(angles_deg).tolist()
        world_from_sensor = pose_matrix((-0.2, 0.0, 1.8), (roll, pitch, yaw))
        x, y, z, _ = world_from_sensor @ [11.0, 10.0 * math.tan(math.radians(30.0)), -0.3, 1.0]
        angles_rad = {"roll_rad": roll, "pitch_rad": pitch, "yaw_rad": yaw}
        box = Thing(7, (x, y, z), dimension_m=(0.1, 4.0, 0.5), **angles_rad)
        (tmp_path / str(number)).mkdir()
        things, scene = [[host(), box]], {"ground": "none"}
        _, boxes, _ = run_of(tmp_path / str(number), things, sensors=[sensor], scene=scene)
        (row,) = rows_of(boxes, 7)
        found.append((row["points"], row["points_alone"], row["truncation"]))
    assert found[0][0] > 10
    assert 0.3 < found[0][2] < 0.7
    assert found[1] == found[0]


def test_a_sensor_at_its_own_rate_has_boxes_where_they_are_when_its_scans_end(tmp_path):
    _, boxes, scans = run_of(tmp_path, worlds(6, step_m=0.4), sensors=[RATE])
    for row in rows_of(boxes, CAR, "rate"):
        assert row["x"] == pytest.approx(20.0 + 4.0 * row["time_ns"] / 1e9)
    assert scans["time_ns"] == sorted(scans["time_ns"])


def files_of(folder):
    """Return the files of a run by name, but for run.json; names of traces tell the time."""
    return {
        (str(each.parent.relative_to(folder)), each.name.split("Z_sd_")[-1]): each.read_bytes()
        for each in sorted(folder.rglob("*"))
        if each.is_file() and each.name not in {LIST, "run.json"}
    }


@pytest.mark.long
def test_the_run_is_the_same_as_without_truth_for_any_number_of_threads(tmp_path):
    trace = write_worlds(tmp_path / "drive.osi", worlds())
    physical = {**SENSORS[0], "fidelity": "physical", "name": "eye"}
    chosen = config(sensors=[*SENSORS, physical, RATE])
    replay(FrameSource(trace), chosen, tmp_path / "plain")
    with kernel_threads(2):
        replay_with_truth(FrameSource(trace), chosen, tmp_path / "run")
    with kernel_threads(1):
        replay_with_truth(FrameSource(trace), chosen, tmp_path / "one")
    with_truth = files_of(tmp_path / "run")
    tables = {name: data for name, data in with_truth.items() if name[1] in {BOXES, SCANS}}
    assert len(tables) == 2
    assert files_of(tmp_path / "run") == files_of(tmp_path / "plain") | tables
    assert files_of(tmp_path / "one") == with_truth


def test_an_existing_run_gets_the_same_tables_by_running_it_again(tmp_path):
    trace = write_worlds(tmp_path / "drive.osi", worlds(5))
    chosen, some = config(sensors=[*SENSORS, RATE], seed=3), slice(1, 4)
    replay(FrameSource(trace, frames=some), chosen, tmp_path / "plain")
    write_truth(tmp_path / "plain", tmp_path / "truth")
    replay_with_truth(FrameSource(trace, frames=some), chosen, tmp_path / "run")
    for name in (BOXES, SCANS):
        assert (tmp_path / "truth" / name).read_bytes() == (tmp_path / "run" / name).read_bytes()
    assert not {BOXES, SCANS} & {each.name for each in (tmp_path / "plain").iterdir()}


def test_a_run_that_was_interrupted_gets_the_tables_of_its_frames(tmp_path):
    trace, chosen = write_worlds(tmp_path / "drive.osi", worlds()), config(sensors=list(SENSORS))
    out = tmp_path / "run"
    replay(FrameSource(trace), chosen, out, on_step=lambda progress: progress.frames_read < 2)
    write_truth(out)
    replay_with_truth(FrameSource(trace, frames=slice(2)), chosen, tmp_path / "short")
    for name in TABLES:
        assert (out / name).read_bytes() == (tmp_path / "short" / name).read_bytes()


def test_a_run_whose_trace_has_changed_is_refused(tmp_path):
    trace = write_worlds(tmp_path / "drive.osi", worlds(2))
    replay(FrameSource(trace), config(sensors=list(SENSORS)), tmp_path / "run")
    write_worlds(trace, worlds(3))
    with pytest.raises(
        InputError, match=r"drive\.osi: the trace, a mesh or osi-lidar has changed since the run"
    ):
        write_truth(tmp_path / "run")
    trace.unlink()
    with pytest.raises(InputError, match=r"drive\.osi: no such file"):
        write_truth(tmp_path / "run")
    assert not (tmp_path / "run" / BOXES).exists()


def test_a_run_with_other_points_is_refused_and_nothing_is_written(tmp_path):
    trace = write_worlds(tmp_path / "drive.osi", worlds(2))
    replay(FrameSource(trace), config(sensors=list(SENSORS)), tmp_path / "run")
    path = tmp_path / "run" / "frames.csv"
    first, *others, last = path.read_text().splitlines()
    cells = last.split(",")
    cells[4] = "7"
    path.write_text("\n".join([first, *others, ",".join(cells)]) + "\n")
    with pytest.raises(
        InputError, match=r"frame 1 of left: traced again, it has \d+ points, but the run has 7"
    ):
        write_truth(tmp_path / "run", tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def test_a_target_that_is_a_file_is_refused(tmp_path):
    trace = write_worlds(tmp_path / "drive.osi", worlds(1))
    replay(FrameSource(trace), config(sensors=list(SENSORS)), tmp_path / "run")
    with pytest.raises(OutputError, match=r"drive\.osi: cannot be written: File exists"):
        write_truth(tmp_path / "run", trace)


def test_a_run_whose_configuration_is_damaged_is_refused(tmp_path):
    trace = write_worlds(tmp_path / "drive.osi", worlds(1))
    replay(FrameSource(trace), config(sensors=list(SENSORS)), tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    content = json.loads(path.read_text())
    content["config"]["seed"] = "many"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"run\.json: config\.seed: "):
        write_truth(tmp_path / "run")


def test_the_tables_of_an_earlier_run_go_with_it(tmp_path):
    folder, _, _ = run_of(tmp_path, worlds(1))
    chosen = config(sensors=list(SENSORS))
    replay(FrameSource(tmp_path / "drive.osi"), chosen, folder, overwrite=True)
    assert not {BOXES, SCANS} & {each.name for each in folder.iterdir()}


def test_tables_hold_the_frames_before_an_interruption(tmp_path):
    trace = write_worlds(tmp_path / "drive.osi", worlds(4))
    chosen = config(sensors=list(SENSORS))
    replay_with_truth(
        FrameSource(trace), chosen, tmp_path / "run", on_step=lambda done: done.frames_read < 2
    )
    assert table(tmp_path / "run" / SCANS)["frame"] == [0, 0, 1, 1]


def replayed(folder, *options):
    """Replay a trace by the command line into a folder, and return its result."""
    trace = write_worlds(folder / "drive.osi", worlds(3))
    grid = ("--sensor", "VLP-16", "--out", folder / "run")
    return command("replay", trace, *grid, *options)


def test_replay_writes_the_tables_when_it_is_asked(tmp_path):
    assert replayed(tmp_path, "--truth").exit_code == 0
    assert has_truth(tmp_path / "run")
    tables = [(tmp_path / "run" / name).read_bytes() for name in TABLES]
    assert replayed(tmp_path, "--overwrite").exit_code == 0
    assert not has_truth(tmp_path / "run")
    write_truth(tmp_path / "run")
    assert [(tmp_path / "run" / name).read_bytes() for name in TABLES] == tables


def test_what_cannot_be_had_with_truth_is_one_line(tmp_path):
    assert_one_line(replayed(tmp_path, "--truth", "--resume"), 2, "both --resume and --truth")
    assert_one_line(
        replayed(tmp_path, "--truth", "--workers", 2), 2, "--truth: works in one process only"
    )
    assert not (tmp_path / "run").exists()


def test_a_resumed_run_does_not_keep_the_tables_of_some_of_its_frames(tmp_path):
    trace = write_worlds(tmp_path / "drive.osi", worlds(4))
    chosen = load_config(written(tmp_path / "c.yaml", "version: 1\n"), sensor="VLP-16")
    stop = {"on_step": lambda done: done.frames_read < 2}
    replay_with_truth(FrameSource(trace), chosen, tmp_path / "run", **stop)
    assert has_truth(tmp_path / "run")
    options = ("-c", tmp_path / "c.yaml", "--sensor", "VLP-16", "--out", tmp_path / "run")
    result = command("replay", trace, *options, "--resume")
    assert result.exit_code == 0, result.output
    assert not {BOXES, SCANS} & {each.name for each in (tmp_path / "run").iterdir()}
