# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command twin, from recorded clouds to a configuration that scans at once."""

import json

import numpy as np
import pytest

from lidar_base.files.own_files import note
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.run.pose_files import Poses, write_poses
from tests.commands import assert_one_line, run
from tests.lidar_gap.twin import room

N_FRAME = 4
QUICK = ("--voxel", 0.06, "--depth", 6, "--no-refine", "--sensor", "VLP-16")


@pytest.fixture(scope="module", autouse=True)
def _surfaces():
    """Skip where the library that makes surfaces is missing, or cannot be loaded."""
    pytest.importorskip("open3d", reason="the extra twin", exc_type=ImportError)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Clouds of the room as PCD files, and their poses."""
    folder = tmp_path_factory.mktemp("recording")
    room.write_room(folder)
    poses = room.path_of_poses(N_FRAME)
    write_poses(folder / "poses.csv", Poses(world_from_sensor=poses))
    result = run(
        "scan", "-c", folder / "room.yaml", "--poses", folder / "poses.csv", "-o", folder / "run"
    )
    assert result.exit_code == 0, result.output
    return folder


@pytest.mark.long
def test_a_recorded_room_becomes_a_scene_that_scan_uses_at_once(recording, tmp_path):
    out = tmp_path / "scene.glb"
    files = (recording / "run", recording / "poses.csv")
    result = run("gap", "twin", *files, "--out", out, *QUICK, "--leave-out", "1,3:", "--white", 100)
    assert result.exit_code == 0, result.output
    assert str(tmp_path / "scene.yaml") in result.stdout
    again = run("scan", "-c", tmp_path / "scene.yaml", "-o", tmp_path / "again")
    assert again.exit_code == 0, again.output
    clouds = [tmp_path / "again" / "lidar" / f"{n:06d}.pcd" for n in range(N_FRAME)]
    points = read_pcd(clouds[1])
    assert len(points) > 5000
    reflectivity = np.median(points["reflectivity"])
    assert 0.3 < reflectivity < 0.7  # walls of 0.6, many at a slant


@pytest.mark.long
def test_a_mesh_without_materials_is_written_as_ply(recording, tmp_path):
    out = tmp_path / "scene.ply"
    result = run("gap", "twin", recording / "run", recording / "poses.csv", "-o", out, *QUICK)
    assert result.exit_code == 0, result.output
    assert out.read_bytes().startswith(b"ply")
    assert not (tmp_path / "scene.materials.yaml").exists()


@pytest.mark.long
def test_the_null_test_stands_beside_a_comparison(recording, tmp_path):
    """Of the two clouds that are not in the map; a cloud of an earlier null test is not there."""
    null = tmp_path / "null"
    (null / "first").mkdir(parents=True)
    (null / "first" / "000002.pcd").touch()
    note(null / "first", ["000002.pcd"], "gap twin")
    files = (recording / "run", recording / "poses.csv")
    options = ("--voxel", 0.06, "--depth", 6, "--no-refine", "--sensor", "OS1-32", "--columns", 512)
    made = run(
        "gap",
        "twin",
        *files,
        "-o",
        tmp_path / "a.glb",
        *options,
        "--leave-out",
        "1,3",
        "--null",
        null,
    )
    assert made.exit_code == 0, made.output
    assert f"--null {null / 'first'} {null / 'again'}" in made.stdout
    for part in ("first", "again"):
        assert [each.name for each in sorted((null / part).glob("[!.]*"))] == [
            "000000.pcd",
            "000001.pcd",
        ]
    assert {"ring", "column", "normal_x"} <= set(
        read_pcd(null / "again" / "000000.pcd").dtype.names
    )
    clouds = recording / "run" / "lidar"
    compared = run(
        *("gap", "compare", clouds / "000001.pcd", null / "first" / "000000.pcd"),
        *("--null", null / "first", null / "again", "--out", tmp_path / "compare"),
        *("--sensor", "OS1-32", "--columns", 512),
    )
    assert compared.exit_code == 0, compared.output
    assert "null test" in compared.stdout
    report = json.loads((tmp_path / "compare" / "report.json").read_text())
    assert len(report["null_test"]["frames"]) == 2
    found = report["null_test"]["total"]
    median_mm, iou = 1e3 * found["median_m"], found["iou"]
    assert f"null test: median {median_mm:.1f} mm, IoU {iou:.3f}" in made.stdout
    assert 0 < median_mm < 20
    assert iou > 0.9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--sensor", "VLP-61"), ("VLP-61",)),
        (("--null", "poses.csv"), ("poses.csv", "cannot be written")),
        (("--out", "scene.stl"), ("scene.stl", ".glb or .ply")),
        (("--leave-out", "7"), ("--leave-out", "'7'")),
        (("--leave-out", "x:2"), ("--leave-out", "'x:2'")),
        (("--leave-out", "0:"), ("all 4 clouds are left out",)),
        (("--white", "nan"), ("--white", "above 0")),
        (("--max-range", "inf"), ("--max-range", "finite")),
        (("--sensor", "VLP-61"), ("unknown sensor",)),
        (("--calibration", "none.json"), ("none.json",)),
    ],
)
def test_an_option_that_cannot_be_used_is_one_line(recording, tmp_path, options, words):
    files = (recording / "run", recording / "poses.csv")
    given = [recording / each if each == "poses.csv" else each for each in options]
    result = run("gap", "twin", *files, "--out", tmp_path / "scene.glb", *QUICK, *given)
    assert_one_line(result, 2, *words)


def test_poses_that_are_too_few_are_one_line(recording, tmp_path):
    poses = tmp_path / "few.csv"
    poses.write_text("x,y,z\n0,0,0\n")
    result = run("gap", "twin", recording / "run", poses, "-o", tmp_path / "scene.glb")
    assert_one_line(result, 2, "4 clouds and 1 poses")


def test_poses_that_are_named_as_those_of_the_twin_are_kept(recording, tmp_path):
    poses = tmp_path / "scene.poses.csv"
    poses.write_bytes((recording / "poses.csv").read_bytes())
    result = run("gap", "twin", recording / "run", poses, "-o", tmp_path / "scene.glb", *QUICK)
    assert_one_line(result, 2, "scene.poses.csv", "is an input")
    assert poses.read_bytes() == (recording / "poses.csv").read_bytes()


@pytest.mark.long
def test_clouds_too_far_apart_for_a_surface_are_one_line(recording, tmp_path):
    poses = tmp_path / "far.csv"
    poses.write_text("x,y,z\n" + "".join(f"{n}e7,0,0\n" for n in range(N_FRAME)))
    result = run("gap", "twin", recording / "run", poses, "-o", tmp_path / "scene.glb", *QUICK)
    assert_one_line(result, 2, "no surface")
