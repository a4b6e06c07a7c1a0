# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of truth of the runs of a data set: each scan is traced once, over all calls."""

import shutil

import pytest

from lidar_app.truth.run import TABLES, has_truth
from osi_lidar.model import LidarModel
from tests.builders.batches import in_one_process, write_config
from tests.builders.data_sets import write_drives
from tests.builders.extras import needs
from tests.builders.files import written
from tests.commands import run
from tests.lidar_app.datasets.conftest import write
from tests.lidar_app.datasets.test_data_set import contents

pytestmark = needs("pyarrow")


@pytest.fixture
def steps(monkeypatch):
    """Return a list that grows with each step of a model in this process."""
    made, step = [], LidarModel.step

    def counted(model, *given, **named):
        made.append(model)
        return step(model, *given, **named)

    monkeypatch.setattr(LidarModel, "step", counted)
    return made


@pytest.fixture
def runs(drives, tmp_path):
    """Return a folder with two runs without tables."""
    for name in ("drive_0", "drive_1"):
        shutil.copytree(drives / name, tmp_path / "runs" / name)
        for table in TABLES:
            (tmp_path / "runs" / name / table).unlink(missing_ok=True)
    return tmp_path / "runs"


@pytest.mark.long
def test_two_data_sets_trace_each_scan_once_and_say_so(runs, tmp_path, steps, caplog):
    write(runs, tmp_path / "first", "openpcdet", "--workers", 1)
    assert "2 runs have no boxes.parquet: their traces are traced again; `batch" in caplog.text
    assert len(steps) == 2 * 12
    assert all(has_truth(each) for each in runs.iterdir())
    caplog.clear()
    write(runs, tmp_path / "second", "openpcdet")
    write(runs, tmp_path / "third", "nuscenes")
    assert len(steps) == 2 * 12
    assert not caplog.text
    assert contents(tmp_path / "first").keys() == contents(tmp_path / "second").keys()


def test_runs_of_a_batch_with_truth_are_read_as_they_are(tmp_path, steps, caplog, monkeypatch):
    in_one_process(monkeypatch)
    write_drives(tmp_path / "traces", 1)
    command = ("batch", tmp_path / "traces", "--config", write_config(tmp_path))
    result = run(
        *(*command, "--truth", "--workers", 1),
        *("--out", tmp_path / "out", "--scratch", tmp_path / "scratch"),
    )
    assert result.exit_code == 0, result.output
    steps.clear()
    write(tmp_path / "out", tmp_path / "set", "openpcdet")
    assert not steps
    assert "traced" not in caplog.text


@pytest.mark.long
def test_any_number_of_processes_makes_the_same_tables_and_sets(runs, tmp_path, caplog):
    shutil.copytree(runs, tmp_path / "other" / "runs")
    write(runs, tmp_path / "one" / "set", "openpcdet", "--workers", 1)
    write(tmp_path / "other" / "runs", tmp_path / "two" / "set", "openpcdet", "--workers", 2)
    assert ", on 2 processes" in caplog.text
    assert contents(tmp_path / "one" / "set") == contents(tmp_path / "two" / "set")
    for name in TABLES:
        here = tmp_path / "other" / "runs" / "drive_1" / name
        assert (runs / "drive_1" / name).read_bytes() == here.read_bytes()


@pytest.mark.long
def test_jobs_are_replayed_in_processes_with_the_same_bytes(tmp_path, caplog):
    write_drives(tmp_path / "traces")
    options = ("--format", "openpcdet", "-c", write_config(tmp_path), "--split", "1")
    for n in (1, 2):
        out = ("--workers", n, "--out", tmp_path / str(n) / "set")
        result = run("dataset", tmp_path / "traces", *options, *out)
        assert result.exit_code == 0, result.output
        assert f"2 jobs are replayed, {n} at a time, and the runs are not kept" in caplog.text
    assert contents(tmp_path / "1" / "set") == contents(tmp_path / "2" / "set")


def test_tables_that_cannot_be_beside_the_run_are_told_and_used(runs, tmp_path, caplog):
    (runs / "drive_0" / "boxes.parquet").mkdir()  # stands in the way
    write(runs, tmp_path / "set", "openpcdet", "--workers", 1)
    assert "its tables of truth are not kept" in caplog.text
    assert "exact" in (tmp_path / "set" / "README.md").read_text()


def test_runs_of_a_batch_with_tables_of_a_data_set_are_still_replaced(tmp_path, monkeypatch):
    in_one_process(monkeypatch)
    write_drives(tmp_path / "traces", 1)
    written(tmp_path / "jobs.csv", "trace,out\ntraces/0.osi,a\n")
    command = ("batch", tmp_path / "jobs.csv", "--config", write_config(tmp_path), "--workers", 1)
    command += ("--out", tmp_path / "out", "--scratch", tmp_path / "scratch")
    assert run(*command).exit_code == 0
    write(tmp_path / "out", tmp_path / "set", "openpcdet")
    assert has_truth(tmp_path / "out" / "a")
    result = run(*command, "--set", "seed=5")
    assert result.exit_code == 0, result.output
    assert not has_truth(tmp_path / "out" / "a")
