# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Data sets of runs in a bucket: those of the same runs on this machine, and nothing is left."""

import json
import shutil
from types import SimpleNamespace

import pytest

from lidar_app.datasets import stored_runs
from lidar_app.truth.run import replay_with_truth
from osi_lidar.config import load_config
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.data_sets import write_drives
from tests.builders.extras import needs
from tests.builders.files import written
from tests.commands import assert_one_line, run
from tests.lidar_app.datasets.test_data_set import contents

pytestmark = [needs("pyarrow"), needs("fsspec")]
SENSOR = "sensors: [{name: roof, preset: VLP-16, columns: 300}]"
COMMAND = ("--format", "openpcdet", "--split", "1/0/1", "--workers", 1)


@pytest.fixture
def folder(tmp_path, memory):
    """Replay two traces, one with tables of truth; put runs and traces into a bucket, too."""
    config = load_config(written(tmp_path / "lidar.yaml", SENSOR))
    write_drives(tmp_path / "traces")
    for number, replayed in enumerate((replay_with_truth, replay)):
        name, own = f"{number}.osi", tmp_path / "runs" / str(number)
        trace = tmp_path / "traces" / name
        replayed(FrameSource(trace), config, own)
        memory.pipe_file(f"memory://in/{name}", trace.read_bytes())
        for file in own.rglob("*"):
            if file.is_file():
                place = f"memory://out/set/{number}/{file.relative_to(own).as_posix()}"
                memory.pipe_file(place, file.read_bytes())
        change(memory, number, lambda report, name=name: file_of(report, f"memory://in/{name}"))
    return tmp_path


def file_of(report, name):
    report["input"]["file"] = name


def change(memory, number, by):
    """Change the run.json of a run in the bucket."""
    place = f"memory://out/set/{number}/run.json"
    report = json.loads(memory.cat_file(place))
    by(report)
    memory.pipe_file(place, json.dumps(report).encode())


def made(folder, name, *inputs):
    """Make a data set, and return its files, without the card that has its name."""
    result = run("dataset", *inputs, *COMMAND, "--out", folder / name)
    assert result.exit_code == 0, result.output
    found = contents(folder / name)
    del found["README.md"]
    return found


def test_runs_in_a_bucket_give_the_set_of_the_same_runs_here(folder, memory):
    """The first has tables of truth, the second is traced again, from its trace in the bucket."""
    before = {name: memory.cat_file(name) for name in memory.find("memory://")}
    found = made(folder, "there", "memory://out/set")
    assert not list(folder.glob(".*"))
    assert {name: memory.cat_file(name) for name in memory.find("memory://")} == before
    assert found == made(folder, "here", folder / "runs")
    one = made(folder, "one", "memory://out/set/1", "memory://out/set/0", "memory://out/set")
    assert one == found


def test_a_run_whose_trace_is_gone_is_read_as_one_here_is(folder, memory):
    memory.rm_file("memory://in/0.osi")
    shutil.rmtree(folder / "traces")
    here = made(folder, "here", folder / "runs" / "0")
    assert made(folder, "there", "memory://out/set/0") == here


def test_a_run_names_no_trace_of_another_storage(folder, memory):
    change(memory, 0, lambda report: file_of(report, "http://127.0.0.1:1/0.osi"))
    shutil.rmtree(folder / "traces")
    here = made(folder, "here", folder / "runs" / "0")
    assert made(folder, "there", "memory://out/set/0") == here


def test_outputs_that_a_batch_has_not_finished_are_one_line(folder, memory):
    listed = {"frames.csv": {"bytes": 7, "sha256": ""}}
    memory.pipe_file("memory://out/set/1/job.json", json.dumps({"files": listed}).encode())
    result = run("dataset", "memory://out/set", *COMMAND, "--out", folder / "none")
    told = "memory://out/set/1: frames.csv is missing or has another size than job.json lists"
    assert_one_line(result, 2, told)


def test_names_that_no_file_here_can_have_are_one_line(folder, memory):
    memory.store["/out/set/1/../../gone"] = memory.store["/out/set/1/run.json"]
    result = run("dataset", "memory://out/set", *COMMAND, "--out", folder / "none")
    assert_one_line(result, 2, "contains '../../gone', expected names without .. and backslash")
    assert not (folder / "none").exists()


def test_copies_that_a_disk_has_no_room_for_are_one_line(folder, monkeypatch):
    monkeypatch.setattr(stored_runs.shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    result = run("dataset", "memory://out/set", *COMMAND, "--out", folder / "none")
    assert_one_line(result, 2, "copies of the runs need")
    assert not list(folder.glob(".*"))
