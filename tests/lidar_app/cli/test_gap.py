# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands ``gap metrics`` and ``gap apply``, as a user types them."""

import json

import numpy as np
import pytest

from osi_lidar.clouds.pcd import read_pcd, write_pcd
from tests.builders.extras import needs
from tests.builders.packets import capture, velodyne_packets
from tests.builders.task_tables import box_rows, plan_rows, trajectory_rows, written
from tests.commands import assert_one_line, run

N_RING, N_COLUMN = 4, 90
ROW = np.dtype(
    [(name, "<f4") for name in ("x", "y", "z", "intensity", "range")]
    + [("ring", "<u2"), ("column", "<u4"), ("echo", "u1"), ("n_echoes", "u1")]
)


@pytest.fixture
def tables(tmp_path):
    """Return options for the tables of a real run, given as those of both runs."""
    boxes = written(tmp_path / "boxes.csv", box_rows())
    paths = written(tmp_path / "paths.csv", trajectory_rows(aside_m=(3.0, 1.0)))
    plans = written(tmp_path / "plans.json", plan_rows())
    return {
        "--boxes-real": boxes,
        "--boxes-sim": boxes,
        "--labels": boxes,
        "--trajectories-real": paths,
        "--trajectories-sim": paths,
        "--plans-real": plans,
        "--plans-sim": plans,
    }


def metrics(options, *more):
    return run("gap", "metrics", *(word for pair in options.items() for word in pair), *more)


def figures(options, *more):
    result = metrics(options, *more, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_identical_runs_give_0_0_1_1_0_0(tables):
    found = figures(tables)
    assert (found["labels"]["delta_ap"], found["labels"]["delta_recall"]) == (0.0, 0.0)
    assert (found["agreement"]["ap"], found["agreement"]["recall"]) == (1.0, 1.0)
    assert found["trajectories"]["min_ade_m"] == 0.0
    assert found["plans"]["discrepancy_m2"] == 0.0


def test_figures_of_different_runs_are_those_of_the_definitions(tables, tmp_path):
    # 3 of 4 found; modes 3 m and 1 m beside; 10 x 6 waypoints 1 m aside
    tables["--boxes-sim"] = written(tmp_path / "sim.json", box_rows(3))
    tables["--trajectories-real"] = written(tmp_path / "real.csv", trajectory_rows())
    tables["--plans-sim"] = written(tmp_path / "aside.csv", plan_rows(aside_m=1.0))
    found = figures(tables)
    assert (found["agreement"]["ap"], found["agreement"]["recall"]) == (0.75, 0.75)
    assert (found["labels"]["delta_ap"], found["labels"]["delta_recall"]) == (0.25, 0.25)
    assert found["agreement"]["classes"]["car"]["n_found"] == 3
    # recall .3 of 4 labels: 2 actors
    assert found["trajectories"] == {
        "min_ade_m": 1.0,
        "n_actors": 2,
        "matched_by": "boxes",
        "recall": 0.5,
    }
    assert (found["plans"]["discrepancy_m2"], found["plans"]["mean_m2"]) == (60.0, 1.0)
    shown = metrics(tables).output
    for word in ("detection agreement, AP", "car", "0.75", "Delta recall", "1 m", "60 m2"):
        assert word in shown, word


def test_trajectories_alone_are_matched_by_the_names_of_actors(tables):
    names = ("--trajectories-real", "--trajectories-sim")
    found = figures({name: tables[name] for name in names})
    assert found["trajectories"]["matched_by"] == "actor"
    assert found["trajectories"]["n_actors"] == 4
    assert (found["agreement"], found["labels"], found["plans"]) == (None, None, None)


def test_real_detections_below_the_least_score_are_no_labels(tables):
    found = figures(tables, "--least-score", "0.75")  # .9 and .8 remain
    assert found["agreement"]["n_labels"] == 2
    assert found["rules"]["least_score"] == 0.75


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "got no tables"),
        (["--boxes-real", "boxes.csv"], "boxes: got a table of the real run only"),
        (["--labels", "boxes.csv"], "labels: got no boxes"),
        (["--boxes-real", "no.csv", "--boxes-sim", "no.csv"], "no.csv: no such file"),
        (["--plans-real", "boxes.csv", "--plans-sim", "boxes.csv"], "has no column 'waypoint'"),
        (["--iou", "0"], "--iou: got 0"),
        (["--recall", "1.5"], "--recall: got 1.5"),
        (["--overlap", "2d"], "--overlap: got '2d', expected 3d or bev"),
        (["--interpolation", "11"], "--interpolation: got '11', expected none or envelope"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(
    tables, tmp_path, monkeypatch, options, words
):
    monkeypatch.chdir(tmp_path)
    given = {} if not options or options[0] in tables else tables
    assert_one_line(metrics(given, *options), 2, words)


def points(pixels, range_m=10.0, n_echoes=1):
    """Return points in some pixels (ring, column), by the angles of their beams."""
    ring, column = np.array(pixels).T
    elevation, azimuth = np.radians(5.0 - 3.0 * ring), np.radians(-4.0 * column)
    rows = np.zeros(len(ring), ROW)
    rows["ring"], rows["column"], rows["n_echoes"] = ring, column, n_echoes
    rows["range"], rows["intensity"] = range_m, 7.0
    rows["x"] = range_m * np.cos(elevation) * np.cos(azimuth)
    rows["y"] = range_m * np.cos(elevation) * np.sin(azimuth)
    rows["z"] = range_m * np.sin(elevation)
    return rows


@pytest.fixture
def clouds(tmp_path):
    """Write two frames of both runs: 300 pixels are simulated, 240 real, 200 both, 1 m apart."""
    pixels = [(ring, column) for ring in range(N_RING) for column in range(N_COLUMN)][:340]
    for name in ("000000.pcd", "000001.pcd"):
        for run_name, chosen, range_m in (
            ("sim", pixels[:300], 10.0),
            ("real", pixels[100:], 11.0),
        ):
            folder = tmp_path / run_name
            folder.mkdir(exist_ok=True)
            write_pcd(folder / name, points(chosen, range_m))
    return tmp_path


def apply(clouds, operators, *options):
    paths = clouds / "real", clouds / "sim", "--out", clouds / "out"
    return run("gap", "apply", operators, *paths, *options)


def test_apply_writes_a_cloud_for_each_pair_and_a_manifest(clouds):
    result = apply(clouds, "drop,add,modify=0:200")
    assert result.exit_code == 0, result.output
    assert "dropped 200" in result.output
    for name in ("000000.pcd", "000001.pcd"):
        got = read_pcd(clouds / "out" / name)
        expected = read_pcd(clouds / "real" / name)
        assert np.allclose(np.sort(got["x"]), np.sort(expected["x"]))
        assert set(got["intensity"]) == {7.0}
    manifest = json.loads((clouds / "out" / "manifest.json").read_text())
    assert manifest["totals"] == {
        "frames": 2,
        "n_real": 480,
        "n_sim": 600,
        "n_points": 480,
        "dropped": 200,
        "added": 80,
        "modified": 400,
    }
    assert [each["real"] for each in manifest["frames"]] == ["000000", "000001"]


def test_apply_writes_rows_of_kitti(clouds):
    result = apply(clouds, "drop", "--format", "bin")
    assert result.exit_code == 0, result.output
    rows = np.fromfile(clouds / "out" / "000001.bin", "<f4").reshape(-1, 4)
    assert len(rows) == 200
    assert np.allclose(np.linalg.norm(rows[:, :3], axis=1), 10.0, atol=1e-4)


def test_limits_by_range_hold_for_simulated_ranges(clouds):
    assert "modified 0" in apply(clouds, "modify=10.5:20", "--by", "range").output


@pytest.mark.parametrize(
    ("operators", "options", "words"),
    [
        ("lose", [], "no operator 'lose'"),
        ("modify=3", [], "expected two limits"),
        ("drop", ["--by", "angle"], "--by: got 'angle', expected difference or range"),
        ("drop", ["--format", "las"], "--format: got 'las', expected pcd, bin or npy"),
        ("drop", ["--sensor", "HDL-65"], "HDL-65"),
        ("drop", ["--calibration", "no.json"], "no.json"),
    ],
)
def test_apply_refuses_in_one_line_and_writes_nothing(clouds, operators, options, words):
    assert_one_line(apply(clouds, operators, *options), 2, words)
    assert not list((clouds / "out").glob("*"))


def test_runs_of_different_length_and_full_folders_are_refused(clouds):
    (clouds / "sim" / "000001.pcd").unlink()
    assert_one_line(apply(clouds, "drop"), 2, "got 2 real and 1 simulated frames")
    (clouds / "out" / "note").write_text("")
    assert_one_line(apply(clouds, "drop"), 2, "not empty")


def test_apply_does_not_replace_the_clouds_it_has_read(clouds):
    before = (clouds / "sim" / "000000.pcd").read_bytes()
    paths = clouds / "real", clouds / "sim", "--out", clouds / "sim"
    result = run("gap", "apply", "drop", *paths, "--overwrite")
    assert_one_line(result, 2, "000000.pcd", "nothing is overwritten")
    assert (clouds / "sim" / "000000.pcd").read_bytes() == before


@needs("dpkt", "velodyne_decoder")
def test_one_sensor_of_a_capture_is_compared_and_two_are_asked_for(tmp_path):
    two = capture(tmp_path / "two.pcap", velodyne_packets(1), velodyne_packets(1, 20.0))
    one = capture(tmp_path / "one.pcap", velodyne_packets(1, 20.0))
    words = ("gap", "compare", two, one, "--fast", "--pictures", "0", "--out", tmp_path / "out")
    assert_one_line(run(*words), 2, "has 2 sources", "1.1.1.1:2368", "1.1.1.2:2369", "--source")
    result = run(*words, "--source", "1.1.1.2", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["not_followed"] == []
    for command in (("view", two), ("gap", "calibrate", two)):
        assert_one_line(run(*command), 2, "has 2 sources", "--source")
    assert_one_line(
        run("view", one, "--beside-source", "a"), 2, "--beside-source: needs --beside RECORDING"
    )
