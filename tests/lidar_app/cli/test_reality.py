# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands of ``gap reality`` on a recording that the test makes: another unit in an office."""

import hashlib
import json
import shutil
import subprocess

import numpy as np
import pytest
import yaml
from pypcd4 import PointCloud

from lidar_gap.reality.boxes import write_scene
from lidar_gap.reality.office import office
from osi_lidar.clouds.pcd import write_pcd
from osi_lidar.run.poses import carried
from osi_lidar.run.replay import at_each_message
from tests.builders.worlds import steps_at_rest
from tests.commands import assert_one_line, run

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
N_SCAN = 3
FIELDS = ("x", "y", "z", "ring")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return a folder with a mirror of a recording, and its description."""
    place = tmp_path_factory.mktemp("site")
    mirror = place / "mirrors" / "recordings"
    mirror.mkdir(parents=True)
    sensor = {
        "preset": "VLP-16",
        "fidelity": "physical",
        "returns": {"mode": "last_strongest"},
        "columns": 900,
    }
    config = write_scene(place / "scene", office(), sensor)
    files = {}
    _, steps = steps_at_rest(carried(at_each_message(config), timed=False), N_SCAN)
    for number, step in enumerate(steps):
        path = mirror / f"{number:06d}.pcd"
        write_pcd(path, step.scans[0].cloud.points)
        files[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(mirror)]
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "Scans")):
        subprocess.run([*git, *words], check=True, capture_output=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    (place / "own").mkdir()
    keys = {
        "title": "A simulated office", "sensor": "VLP-16", "unit": "simulated", "place": "office",
        "repository": "us/recordings", "commit": head.stdout.strip(), "licence": "MIT",
        "files": files, "clouds": sorted(files), "scene": "office", "returns": "last_strongest",
        "tuned": ["noise"],
    }  # fmt: skip
    (place / "own" / "simulated-office.yaml").write_text(yaml.safe_dump(keys))
    return place


def fetched(site, folder):
    result = run(
        "gap", "reality", "fetch", "--descriptions", site / "own", "--from", site / "mirrors",
        "--out", folder / "pack",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return folder / "pack"


def test_three_commands_judge_a_sensor_by_itself_as_within(site, tmp_path):
    pack = fetched(site, tmp_path)
    own = "--descriptions", site / "own"
    result = run("gap", "reality", "measure", pack, *own, "--out", tmp_path / "m.json")
    assert result.exit_code == 0, result.output
    figures = json.loads((tmp_path / "m.json").read_text())["recordings"]["simulated-office"]
    assert figures["frames"] == N_SCAN
    assert figures["figures"]["second_return_share"]["value"] > 0.005

    folders = tmp_path / "one", tmp_path / "two"
    for folder in folders:
        result = run("gap", "reality", "score", pack, *own, "--out", folder)
        assert result.exit_code == 0, result.output
    first, again = (json.loads((folder / "score.json").read_text()) for folder in folders)
    assert first == again
    assert first["sum"]["beyond"] == 0
    assert first["sum"]["within"] >= 5
    rows = first["recordings"]["simulated-office"]["rows"]
    silent = {name for name, row in rows.items() if row["verdict"] == "not told"}
    assert all("signal" in name for name in silent)  # only simulated files state an SNR
    assert rows["temporal_sigma_by_reflectivity_m"]["tuned"]
    assert not rows["mixed_share"]["tuned"]
    for name in ("score.json", "score.html"):
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    page = (folders[0] / "score.html").read_text()
    assert "A simulated office" in page
    assert "MIT" in page
    assert "<script" not in page


def test_clouds_of_another_simulator_without_intensity_are_judged_by_what_they_tell(site, tmp_path):
    pack = fetched(site, tmp_path)
    subject = tmp_path / "subject" / "simulated-office"
    subject.mkdir(parents=True)
    config = write_scene(tmp_path / "scene", office(), {"preset": "VLP-16"})
    _, steps = steps_at_rest(config, N_SCAN)
    for number, step in enumerate(steps):
        points = step.scans[0].cloud.points
        columns = np.column_stack([points[name].astype(np.float32) for name in FIELDS])
        cloud = PointCloud.from_points(columns, FIELDS, (np.float32,) * len(FIELDS))
        cloud.save(subject / f"{number:06d}.pcd")
    result = run(
        "gap", "reality", "score", pack, "--descriptions", site / "own",
        "--subject", tmp_path / "subject", "--out", tmp_path / "out",
        "--write", tmp_path / "scenes",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    rows = json.loads((tmp_path / "out" / "score.json").read_text())["recordings"]
    verdicts = {name: row["verdict"] for name, row in rows["simulated-office"]["rows"].items()}
    assert verdicts["second_return_share"] == "not told"
    assert verdicts["temporal_sigma_by_reflectivity_m"] == "not told"
    assert verdicts["elevation_deg"] == "not asked"  # the same table
    assert verdicts["second_return_share"] == "not told"
    written = sorted(each.name for each in (tmp_path / "scenes" / "simulated-office").iterdir())
    assert {"config.yaml", "materials.yaml", "scene.obj"} <= set(written)
    assert (
        "materials.yaml" in (tmp_path / "scenes" / "simulated-office" / "config.yaml").read_text()
    )


def test_a_changed_byte_ends_every_command_in_one_line(site, tmp_path):
    pack = fetched(site, tmp_path)
    file = next(pack.rglob("000001.pcd"))
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    own = "--descriptions", site / "own"
    for command in ("measure", "score"):
        result = run("gap", "reality", command, pack, *own, "--out", tmp_path / command)
        assert_one_line(
            result, 2, file, "simulated-office", "differs from its description", "fetch it again"
        )
    result = run("gap", "reality", "fetch", *own, "--from", site / "mirrors", "--out", pack)
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 2
    assert "1 of 3 files" in result.stderr


def test_what_is_not_there_is_one_line(site, tmp_path):
    own = "--descriptions", site / "own"
    result = run("gap", "reality", "measure", tmp_path / "nowhere", *own, "--out", tmp_path / "m")
    assert_one_line(result, 2, "no such file", "fetch the recording simulated-office")
    pack = fetched(site, tmp_path)
    result = run(
        "gap", "reality", "score", pack, *own, "--subject", tmp_path / "none", "--out",
        tmp_path / "out",
    )  # fmt: skip
    assert_one_line(
        result,
        2,
        "has no folder with the name of a recording, expected at least one of simulated-office",
    )
    assert not (tmp_path / "out").exists()
    assert_one_line(run("gap", "reality", "measure", pack, "--only", "x"), 2, "got 'x'")


def test_a_recording_is_never_an_output_and_a_foreign_file_no_recording(site, tmp_path):
    pack = fetched(site, tmp_path)
    own = "--descriptions", site / "own"
    file = next(pack.rglob("000001.pcd"))
    result = run("gap", "reality", "measure", pack, *own, "--out", file)
    assert_one_line(result, 2, file, "is an input")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "score.html").write_text("mine")
    result = run("gap", "reality", "score", pack, *own, "--out", tmp_path / "out")
    assert_one_line(result, 2, "score.html")
    assert (tmp_path / "out" / "score.html").read_text() == "mine"


def test_too_few_points_name_the_recording_and_the_side(site, tmp_path):
    pack = fetched(site, tmp_path)
    subject = tmp_path / "subject" / "simulated-office"
    subject.mkdir(parents=True)
    points = np.ones((9, 3), np.float32)
    cloud = PointCloud.from_points(points, FIELDS[:3], (np.float32,) * 3)
    cloud.save(subject / "000000.pcd")
    result = run(
        "gap", "reality", "score", pack, "--descriptions", site / "own",
        "--subject", tmp_path / "subject", "--out", tmp_path / "out",
    )  # fmt: skip
    assert_one_line(result, 2, "simulated-office, simulated:", "9 points")


def test_fetch_tells_every_file_for_programs(site, tmp_path):
    result = run(
        "gap", "reality", "fetch", "--descriptions", site / "own", "--from", site / "mirrors",
        "--out", tmp_path / "pack", "--json",
    )  # fmt: skip
    told = json.loads(result.stdout)
    assert told["fetched"] == N_SCAN
    assert {each["state"] for each in told["files"]} == {"fetched"}
