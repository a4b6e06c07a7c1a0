# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `dataset`: the same bytes, its card, and one line for each mistake."""

import hashlib
import json
import re
import shutil

import pytest

from lidar_app.datasets.class_map import read_class_map
from lidar_app.datasets.scenes import DataScene
from lidar_app.datasets.sources import find_sources
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.data_sets import write_drives
from tests.builders.files import written
from tests.builders.messages import host
from tests.builders.runs import write_worlds
from tests.builders.worlds import ONE_BEAM, config
from tests.commands import assert_one_line, run
from tests.lidar_app.datasets.conftest import write

FORMS = ("nuscenes", "openpcdet", "kitti", "semantickitti")


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("form", FORMS)
def test_the_same_runs_give_the_same_bytes_in_any_order(form, drives, data_set, tmp_path):
    runs = sorted(path for path in drives.iterdir() if path.name.startswith("drive_"))
    command = ("dataset", *runs[::-1], "--format", form, "--split", "6/2/2", "--workers", 1)
    assert run(*command, "--out", tmp_path / "set").exit_code == 0
    assert contents(tmp_path / "set") == contents(data_set(form))


@pytest.mark.parametrize("form", FORMS)
def test_the_card_tells_the_hash_of_the_files_and_the_runs(form, drives, data_set):
    folder = data_set(form)
    card = (folder / "README.md").read_text()
    digest = hashlib.sha256()
    for name, data in sorted(contents(folder).items(), key=lambda each: each[0].split("/")):
        if name not in ("README.md", "export.json"):
            digest.update(f"{hashlib.sha256(data).hexdigest()}  {name}\n".encode())
    assert digest.hexdigest() in card
    for number in range(5):
        trace = hashlib.sha256((drives / "traces" / f"{number}.osi").read_bytes()).hexdigest()
        assert re.search(
            rf"drive_{number} \| (train|val|test) \| {number}.osi \| `{trace[:16]}`", card
        )
    assert "| train | 3 | 72 |" in card
    assert f"osi-lidar dataset drive_0 drive_1 drive_2 drive_3 drive_4 --format {form}" in card
    assert "Licence of the inputs: not stated" in card
    assert "estimated" not in card


def test_names_and_licences_are_text_in_the_card(drives, tmp_path):
    name = "a|<script>alert(1)<`b`>[c](d)"
    shutil.copytree(drives / "drive_0", tmp_path / "runs" / name)
    out = tmp_path / "set |<b>"
    made = run(
        *("dataset", drives, tmp_path / "runs" / name, "--format", "openpcdet"),
        *("--licence", "CC BY 4.0|<img src=x onerror=alert(1)>", "--workers", 1, "--out", out),
    )
    assert made.exit_code == 0, made.output
    card = (out / "README.md").read_text()
    page = "\n".join(line for line in card.splitlines() if not line.startswith("    "))  # no code
    for tag in ("<script", "<img", "<b>", "SetLayout", "[c](d)"):
        assert tag not in page
    assert "- Layout: openpcdet" in page
    assert "Licence of the inputs: CC BY 4.0&#124;&lt;img src=x onerror=alert(1)&gt;." in page
    assert "a&#124;&lt;script&gt;alert(1)&lt;&#96;b&#96;&gt;&#91;c&#93;(d) | " in page
    rows = [line for line in page.splitlines() if line.startswith("| a&#124;")]
    assert [row.count(" | ") for row in rows] == [6, 6]  # of runs, of scenes


def test_a_trace_is_in_one_split_with_all_its_runs(drives, tmp_path):
    for number in range(3):
        shutil.copytree(drives / f"drive_{number}", tmp_path / "more" / f"drive_{number}")
    result = run(
        *("dataset", drives, tmp_path / "more", "--format", "openpcdet", "--split", ".6/.2/.2"),
        *("--out", tmp_path / "set", "--sensor", "front", "--workers", 1),
    )
    assert result.exit_code == 0, result.output
    rows = re.findall(
        r"\| (\S+) \| (train|val|test) \| (\d).osi", (tmp_path / "set/README.md").read_text()
    )
    assert len(rows) == 8
    assert len({name for name, *_ in rows}) == 8  # names have their folder where they are alike
    assert len({(trace, split) for _, split, trace in rows}) == 5


def test_what_has_no_class_is_counted_and_listed(drives, tmp_path):
    own = written(tmp_path / "own.yaml", "classes: {thing: {box: true, of: [pedestrian, wall]}}")
    told = write(drives, tmp_path / "set", "nuscenes", "--classes", own).output
    words = " ".join(told.split())
    share = re.search(r"Points without a class: (\d+) of (\d+) \((.*?) %\): (.*?)\.", words)
    lost, total, percent, listed = share.groups()
    assert 0 < int(lost) < int(total)
    assert float(percent) == pytest.approx(100 * int(lost) / int(total), abs=0.1)
    counted = dict(re.findall(r"(\w+) (\d+)", listed))
    assert set(counted) == {"asphalt_worn", "car", "tree"}
    assert sum(map(int, counted.values())) == int(lost)
    assert re.search(r"Moving objects in scans without a class: (\d+): car \1\.", words)
    card = " ".join((tmp_path / "set" / "README.md").read_text().split())
    assert share.group() in card
    assert "own.yaml" in card


def test_an_earlier_set_is_replaced_on_demand_only(drives, tmp_path):
    write(drives, tmp_path / "set", "openpcdet")
    command = ("dataset", drives, "--format", "kitti", "--out", tmp_path / "set")
    assert_one_line(run(*command), 2, "set: exists; give --overwrite")
    assert (tmp_path / "set" / "points").is_dir()
    assert run(*command, "--overwrite").exit_code == 0
    assert not (tmp_path / "set" / "points").exists()
    (tmp_path / "set" / "mine.txt").write_text("mine")
    assert_one_line(run(*command, "--overwrite"), 2, "is not replaced", "mine.txt")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--format", "waymo"), ["--format: got 'waymo', expected nuscenes, openpcdet, kitti or"]),
        (("--format", "kitti", "--split", "1/x"), ["--split: got '1/x', expected the shares"]),
        (("--format", "kitti", "--classes", "kiti"), ["--classes: got 'kiti'", "'kitti'"]),
        (("--format", "kitti", "--classes", "gone.yaml"), ["gone.yaml"]),
        (("--format", "kitti", "--sensor", "frnt"), ["got sensor 'frnt'", "'front'"]),
    ],
)
def test_a_wrong_option_is_one_line_and_writes_nothing(options, words, drives, tmp_path):
    result = run("dataset", drives, *options, "--out", tmp_path / "out" / "set")
    assert_one_line(result, 2, *words)
    assert not (tmp_path / "out").exists()


def test_an_unknown_class_in_the_map_is_one_line(drives, tmp_path):
    own = written(tmp_path / "own.yaml", "classes: {thing: {of: [pedestrain]}}")
    command = ("dataset", drives, "--format", "kitti", "--classes", own)
    words = ("own.yaml: thing: pedestrain: expected an OSI type", "'pedestrian'")
    assert_one_line(run(*command, "--out", tmp_path / "set"), 2, *words)
    assert not (tmp_path / "set").exists()


def test_numbers_that_nuscenes_has_no_room_for_are_one_line(drives, tmp_path):
    own = written(tmp_path / "own.yaml", "classes: {thing: {number: 65, of: [car]}}")
    command = ("dataset", drives, "--format", "nuscenes", "--classes", own)
    assert_one_line(run(*command, "--out", tmp_path / "set"), 2, "thing: got the number 65")
    assert not list(tmp_path.glob("*set*"))


def test_a_folder_without_runs_is_one_line(tmp_path):
    command = ("--format", "kitti", "--out", tmp_path / "set")
    (tmp_path / "empty").mkdir()
    assert_one_line(run("dataset", tmp_path / "empty", *command), 2, "empty: contains no run")
    assert_one_line(run("dataset", tmp_path / "gone", *command), 2, "gone: no such folder")


def test_a_damaged_cloud_in_the_middle_leaves_nothing(drives, tmp_path):
    shutil.copytree(drives / "drive_0", tmp_path / "run")
    max((tmp_path / "run" / "left").glob("*.pcd")).write_bytes(b"no cloud")
    result = run("dataset", tmp_path / "run", "--format", "kitti", "--out", tmp_path / "set")
    assert_one_line(result, 2, "left")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_run_without_trace_and_tables_is_one_line(drives, tmp_path):
    shutil.copytree(
        drives / "drive_0", tmp_path / "run", ignore=shutil.ignore_patterns("*.parquet")
    )
    report = json.loads((tmp_path / "run" / "run.json").read_text())
    report["input"]["file"] = str(tmp_path / "gone.osi")
    (tmp_path / "run" / "run.json").write_text(json.dumps(report))
    result = run("dataset", tmp_path / "run", "--format", "kitti", "--out", tmp_path / "set")
    assert_one_line(result, 2, "gone.osi: no such file, but the run was made from it")
    (source,) = find_sources([tmp_path / "run"])
    assert source.trace == report["input"]["sha256"]
    for sha256 in (None, 3):
        report["input"]["sha256"] = sha256
        (tmp_path / "run" / "run.json").write_text(json.dumps(report))
        (source,) = find_sources([tmp_path / "run"])
        assert source.trace == "gone.osi"  # the name is what is left of it


def test_runs_are_found_in_the_folders_of_a_batch(drives, tmp_path):
    shutil.copytree(drives / "drive_0", tmp_path / "jobs" / "ab" / "run")
    shutil.copytree(drives / "drive_1", tmp_path / "jobs" / "cd" / "run")
    (tmp_path / "jobs" / "half").mkdir()
    found = find_sources([tmp_path / "jobs", tmp_path / "jobs" / "ab"])
    assert [each.name for each in found] == ["ab_run", "cd_run"]


def test_traces_are_replayed_and_give_the_set_of_their_runs(tmp_path):
    write_drives(tmp_path / "traces")
    file = written(tmp_path / "lidar.yaml", "sensors: [{name: roof, preset: VLP-16, columns: 300}]")
    traces = [tmp_path / "traces" / f"{number}.osi" for number in range(2)]
    command = ("--format", "openpcdet", "--split", "1/0/1", "--workers", 1)
    result = run("dataset", *traces, "-c", file, *command, "--out", tmp_path / "set")
    assert result.exit_code == 0, result.output
    for trace in traces:
        assert run("replay", trace, "-c", file, "--out", tmp_path / trace.stem).exit_code == 0
    runs = [tmp_path / trace.stem for trace in traces]
    assert run("dataset", *runs, *command, "--out", tmp_path / "other").exit_code == 0
    made, other = contents(tmp_path / "set"), contents(tmp_path / "other")
    for each in (made, other):
        del each["README.md"]
    assert made == other
    card = (tmp_path / "set" / "README.md").read_text()
    assert "osi-lidar dataset 0.osi 1.osi --config lidar.yaml --format openpcdet" in card
    assert not list(tmp_path.glob(".*"))


def test_a_trace_that_cannot_be_read_is_one_line_and_leaves_nothing(tmp_path):
    trace = written(tmp_path / "bad.osi", "no trace")
    result = run("dataset", trace, "--format", "kitti", "--out", tmp_path / "set")
    assert_one_line(result, 2, "bad.osi")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.osi"]


@pytest.mark.parametrize(
    ("listed", "n_labelled"), [("unlabelled: [host]", 0), ("unlabelled: [tree]", 1)]
)
def test_a_host_that_is_listed_as_unlabelled_does_not_get_the_class_of_its_type(
    tmp_path, listed, n_labelled
):
    down = {"name": "down", "pattern": ONE_BEAM, "mounting": {"z_m": 3.0, "pitch_deg": 90.0}}
    trace = write_worlds(tmp_path / "drive.osi", [[host()]])
    seen = config(sensors=[down], scene={"host_visible": True})
    run_folder = tmp_path / "run"
    replay(FrameSource(trace), seen, run_folder)
    own = written(tmp_path / "own.yaml", f"{listed}\nclasses: {{car: {{of: [vehicle, car]}}}}\n")
    (source,) = find_sources([run_folder])
    scene = DataScene(source, read_class_map(str(own), ()))
    (sample,) = scene.samples()
    assert sample.points["object_id"].tolist() == [source.run.host_object_id]
    assert sample.classes.tolist() == [n_labelled]
