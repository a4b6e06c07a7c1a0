# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``compare``, as a user gives it."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest

from lidar_app.cli.real import compare
from lidar_gap.compare import pictures
from osi_lidar.clouds.pcd import write_pcd
from tests.builders.scans import N_COLUMNS, N_RINGS, room_scan, without
from tests.commands import assert_one_line, run

N = N_RINGS * N_COLUMNS


def write_cloud(path, cloud):
    """Write a cloud as a PCD file."""
    columns = {axis: cloud.points_m[:, number] for number, axis in enumerate("xyz")}
    columns = {name: values.astype(np.float32) for name, values in columns.items()}
    columns |= {"range": cloud.range_m.astype(np.float32)}
    if cloud.ring is not None:
        columns |= {"ring": cloud.ring.astype(np.uint16)}
    columns |= {"column": cloud.column.astype(np.uint32)}
    if cloud.normal is not None:
        columns |= {f"normal_{a}": cloud.normal[:, n] for n, a in enumerate("xyz")}
    rows = np.zeros(len(cloud), [(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        rows[name] = values
    path.parent.mkdir(exist_ok=True)
    write_pcd(path, rows)


@pytest.fixture
def folders(tmp_path):
    """Return folders of three real and three simulated frames."""
    for number in range(3):
        real = room_scan(sigma_m=0.01, seed=number)
        write_cloud(tmp_path / "real" / f"{number}.pcd", without(real, "normal"))
        kept = np.arange(N) % N_COLUMNS // 36 != number  # a tenth of the columns is missing
        write_cloud(tmp_path / "sim" / f"{number}.pcd", room_scan().rows(kept))
    return tmp_path / "real", tmp_path / "sim"


@pytest.fixture
def _undrawn(monkeypatch):
    """Draw no pictures, for tests that look at the report alone."""
    monkeypatch.setattr(compare, "can_draw", lambda: False)


undrawn = pytest.mark.usefixtures("_undrawn")


def compared(folders, *options):
    """Compare into the folder "out"; return what the command said, and the report."""
    out = folders[0].parent / "out"
    result = run("gap", "compare", *folders, *options, "--out", out)
    assert result.exit_code == 0, result.output
    return result, json.loads((out / "report.json").read_text())


def test_tables_pictures_and_report_are_made(folders):
    result, report = compared(folders, "--standing", "--pictures", 2)
    assert "simulated against real" in result.output
    assert sorted(path.name for path in (folders[0].parent / "out").glob("[!.]*")) == [
        "budget.png",
        "echoes.png",
        "frame_000000.png",
        "frame_000002.png",
        "noise.png",
        "report.json",
        "report.md",
        "returns.png",
    ]
    total = report["sim_against_real"]["total"]
    assert total["recall"] == pytest.approx(0.9)
    # the median of the absolute value of normal errors is 0.6745 sigma
    assert total["median_m"] == pytest.approx(0.01 * 0.6745, rel=0.05)
    assert len(report["real_against_real"]["frames"]) == 2
    assert report["real"]["noise_m"] == pytest.approx(0.01, rel=0.1)
    assert report["sim"]["noise_m"] < 1e-5
    assert report["return_probability"]["real_over_incidence_deg"] is not None


def test_a_second_real_recording_and_a_null_test_are_compared_beside(folders):
    real, sim = folders
    _, report = compared(folders, "--real-again", real, "--null", sim, sim, "--fast")
    assert report["real_against_real"]["total"]["iou"] == 1
    assert report["null_test"]["total"]["median_m"] == 0
    assert report["sim_against_real"]["total"]["chamfer_m"] is None
    assert report["given"]["null"] == [str(sim), str(sim)]


@undrawn
def test_single_files_are_compared_as_json(folders):
    result, report = compared([each / "0.pcd" for each in folders], "--json", "--pictures", 0)
    assert json.loads(result.stdout) == report
    assert [frame["name"] for frame in report["sim_against_real"]["frames"]] == ["0"]


def test_pictures_of_an_earlier_run_are_removed(folders, monkeypatch):
    for of_all in ("budget", "returns", "noise", "echoes"):
        monkeypatch.setattr(pictures, f"{of_all}_picture", lambda _, path: path)
    out = folders[0].parent / "out"
    compared(folders, "--fast", "--pictures", 2)
    compared(folders, "--fast", "--pictures", 1)
    assert [path.name for path in out.glob("frame_*.png")] == ["frame_000000.png"]


@undrawn
def test_boxes_leave_pixels_out(folders):
    """A box below the sensor hides beams that look down more than about 10 deg."""
    mask = folders[0].parent / "mask.yaml"
    mask.write_text("boxes: [{center_m: [0, 0, -1], size_m: [8, 8, 0.2]}]\n")
    _, report = compared(folders, "--mask", mask, "--fast", "--pictures", 0)
    assert 0 < report["image"]["pixels_compared"] < N


@undrawn
def test_the_rings_of_a_known_sensor_are_taken(tmp_path):
    """Rings of -15 to 15 deg every 2 deg are those of a VLP-16."""
    write_cloud(tmp_path / "real.pcd", room_scan())
    files = [tmp_path / "real.pcd", tmp_path / "real.pcd"]
    _, report = compared(files, "--sensor", "VLP-16", "--fast", "--pictures", 0)
    assert report["image"]["rings"] == 16
    assert report["sim_against_real"]["total"]["iou"] == 1


def numbered(number):
    """Return what a report says of the rings of a scan whose rings have other numbers or none."""

    def told(tmp_path, *options):
        scan = room_scan()
        ring = None if number is None else number(scan.ring).astype(np.int32)
        for name in ("real", "sim"):
            write_cloud(tmp_path / f"{name}.pcd", replace(scan, ring=ring))
        files = [tmp_path / "real.pcd", tmp_path / "sim.pcd"]
        result, report = compared(files, "--fast", "--pictures", 0, *options)
        said = report["image"]["ring_numbers"]
        assert said in " ".join(result.output.split())
        return said

    return told


@undrawn
def test_rings_have_the_numbers_of_the_clouds_or_of_the_sensor_and_that_is_said(tmp_path):
    low = numbered(lambda ring: ring + 69)
    assert low(tmp_path) == "rings 69 to 84, as the clouds number them"
    gaps = numbered(lambda ring: 2 * ring)
    assert gaps(tmp_path) == "16 of the rings 0 to 30, as the clouds number them"
    of_sensor = low(tmp_path, "--sensor", "VLP-16")
    assert of_sensor == "rings 0 to 15, as the known sensor counts them"
    none = numbered(None)
    assert none(tmp_path).startswith("rings 0 to 15, counted")


def test_unequal_numbers_of_frames_are_refused_in_one_line(folders):
    real, sim = folders
    (sim / "2.pcd").unlink()
    words = "got 2 frames, expected 3"
    assert_one_line(run("gap", "compare", real, sim, "--out", real.parent / "out"), 2, words)


def test_help_says_what_is_compared_with_what():
    words = " ".join(run("gap", "compare", "--help").output.split())
    assert "A frame of SIM is compared with the frame of REAL of the same name" in words
    assert "simulated minus the real range" in words


@undrawn
def test_too_few_columns_are_told(tmp_path, caplog):
    """A scan of 2048 columns has two points in each pixel of an image of 1024."""
    for name in ("real", "sim"):
        write_cloud(tmp_path / f"{name}.pcd", without(room_scan(n_columns=2048), "normal"))
    files = [tmp_path / "real.pcd", tmp_path / "sim.pcd"]
    options = ("--sensor", "OS1-16", "--fast", "--pictures", 0)
    _, report = compared(files, *options)
    assert report["image"]["columns"] == 1024
    assert [each.partition(" share")[0] for each in caplog.messages] == [
        "real: 50 % of the points",
        "sim: 50 % of the points",
    ]
    caplog.clear()
    _, report = compared(files, *options, "--columns", 2048)
    assert report["image"]["columns"] == 2048
    assert not caplog.messages


def test_what_cannot_be_compared_is_told_in_one_line(folders, tmp_path):
    real, sim = folders
    one = real / "0.pcd"
    empty = tmp_path / "empty.pcd"
    write_cloud(empty, room_scan().rows(np.zeros(N, np.bool_)))
    assert_one_line(run("gap", "compare", one, tmp_path / "none.pcd"), 2, "none.pcd")
    assert_one_line(run("gap", "compare", one, sim), 2, "got 3 frames", "expected 1")
    assert_one_line(run("gap", "compare", one, empty), 2, "empty", "no points")
    assert_one_line(run("gap", "compare", one, one, "--standing"), 2, "--standing", "one frame")
    assert_one_line(
        run("gap", "compare", real, sim, "--standing", "--real-again", real), 2, "--real-again"
    )
    assert_one_line(run("gap", "compare", one, one, "--sensor", "VLP-61"), 2, "VLP-61")
    assert_one_line(run("gap", "compare", one, one, "--columns", 512), 2, "--sensor")
    assert_one_line(
        run("gap", "compare", one, one, "--calibration", tmp_path / "none.json"), 2, "none"
    )
    assert_one_line(run("gap", "compare", one, one, "--calibration", one), 2, "0.pcd")
    assert_one_line(run("gap", "compare", one, one, "--mask", tmp_path / "none.png"), 2, "none.png")
    assert_one_line(run("gap", "compare", one, one, "--null", one, sim), 2, "got 3 frames")
    assert_one_line(run("gap", "compare", one, one, "--out", one), 2, "cannot be written")


@undrawn
def test_clouds_of_another_sensor_are_told(tmp_path, caplog):
    """The rings of 15 to -15 deg are not those of 2 to -25 deg of an HDL-64E."""
    write_cloud(tmp_path / "a.pcd", room_scan())
    compared([tmp_path / "a.pcd"] * 2, "--sensor", "HDL-64E", "--fast", "--pictures", 0)
    assert "deg off the rings of the sensor" in caplog.messages[0]


def test_clouds_without_a_common_pixel_are_told(tmp_path):
    scan = room_scan()
    upper = np.arange(N) < N / 2
    write_cloud(tmp_path / "a.pcd", scan.rows(upper))
    write_cloud(tmp_path / "b.pcd", scan.rows(~upper))
    result = run("gap", "compare", tmp_path / "a.pcd", tmp_path / "b.pcd", "--sensor", "VLP-16")
    assert_one_line(result, 2, "b", "shares no pixel")


def test_a_cloud_outside_the_field_of_view_is_told(tmp_path):
    """A laser scanner of 110 deg to the front, and a cloud that lies behind it."""
    scan = room_scan()
    write_cloud(tmp_path / "a.pcd", scan.rows(scan.points_m[:, 0] < 0))
    result = run(
        "gap", "compare", tmp_path / "a.pcd", tmp_path / "a.pcd", "--sensor", "Ibeo-LUX-4L"
    )
    assert_one_line(result, 2, "outside the rings", "--sensor")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"column": np.arange(N, dtype=np.int32) % N_COLUMNS * 1000},
            "no columns found: column numbers",
        ),
        ({"ring": np.arange(N, dtype=np.int32)}, "no rings found: the clouds have 5760 different"),
        ({"points_m": np.tile([0.0, 0.0, 2.0], (N, 1))}, "the same azimuth"),
    ],
)
def test_numbers_that_are_not_those_of_lasers_and_firings_are_told(tmp_path, change, words):
    write_cloud(tmp_path / "a.pcd", replace(room_scan(), **change))
    assert_one_line(run("gap", "compare", tmp_path / "a.pcd", tmp_path / "a.pcd"), 2, words)


def test_clouds_of_second_echoes_only_are_compared(folders):
    path = folders[0] / "second.pcd"
    rows = np.zeros(N, [(a, "<f4") for a in "xyz"] + [("echo", "u1"), ("n_echoes", "u1")])
    rows["x"], rows["y"], rows["z"] = room_scan().points_m.T
    rows["echo"], rows["n_echoes"] = 1, 2
    write_pcd(path, rows)
    _, report = compared([path, path], "--sensor", "VLP-16", "--fast", "--pictures", 0)
    assert report["sim_against_real"]["total"]["iou"] == 1


@undrawn
def test_masks_of_any_numbers_are_used_or_told(folders):
    folder = folders[0].parent
    options = ("--fast", "--pictures", 0)
    box = folder / "mask.yaml"
    box.write_text("boxes: [{center_m: [0, 0, 1.0e+300], size_m: [1, 1.0e+308, 1]}]\n")
    compared(folders, "--mask", box, *options)
    image = folder / "mask.npy"
    np.save(image, np.zeros((N_RINGS, N_COLUMNS, 0)))
    assert_one_line(
        run("gap", "compare", *folders, "--mask", image), 2, "mask.npy", "expected (16, 360)"
    )


def test_a_pipe_in_place_of_a_file_does_not_block(folders):
    pipe = folders[0].parent / "pipe.png"
    os.mkfifo(pipe)
    for option in ("--mask", "--calibration"):
        assert_one_line(run("gap", "compare", *folders, option, pipe), 2, "pipe.png", "is a")


def test_pictures_of_a_recording_are_kept(folders):
    picture = folders[0] / "frame_000000.png"
    picture.write_bytes(b"a camera's")
    result = run("gap", "compare", *folders, "--fast", "--pictures", 0, "--out", folders[0])
    assert result.exit_code == 0, result.output
    assert picture.read_bytes() == b"a camera's"
