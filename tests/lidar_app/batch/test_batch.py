# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Batches on this machine: each job once, failures as rows, and the same bytes after a kill."""

import json
import os
import re
import sys
import tempfile
from dataclasses import replace

import pytest

from lidar_app.batch import work
from lidar_app.batch.contents import assets_among
from lidar_app.batch.outputs import work_folder
from lidar_app.batch.rows import Outcome, read_rows, write_index
from lidar_app.batch.running import Machines, run_batch
from lidar_app.batch.scratch import make_scratch
from lidar_app.batch.shards import Shard
from lidar_app.batch.table import Job, read_jobs
from osi_lidar.errors import InputError, OutputError
from tests.builders.batches import (
    answers_here,
    batch,
    in_one_process,
    index_of,
    left_by,
    outputs,
    plan_in,
    planned,
    table_of,
    write_traces,
)
from tests.commands import assert_one_line, run


def test_each_job_is_done_once_and_told_in_the_index(tmp_path, monkeypatch):
    write_traces(tmp_path / "traces", 2)
    jobs = table_of(
        tmp_path,
        "trace,seed,out,sensors.0.max_range_m",
        "traces/drive000.osi,1,,",
        "traces/drive001.osi,1,near,5.0",
        "traces/drive000.osi,1,,",
    )
    result = batch(tmp_path, jobs=jobs)
    assert result.exit_code == 0, result.output
    first, near, again = rows = index_of(tmp_path / "out")
    assert [row["status"] for row in rows] == ["done"] * 3
    assert {**first, "number": 2} == again
    assert (first["frames"], first["rays"], first["seed"]) == (2, 12, 1)
    assert first["points"] > near["points"] == 0  # the box is 8 m ahead
    assert json.loads(near["changes"]) == {"sensors.0.max_range_m": 5.0}
    assert near["uri"] == str(tmp_path / "out" / "near")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        first["job"], "near", "rows", "index.parquet"
    }  # fmt: skip
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("*/*")}
    in_one_process(monkeypatch)
    result = batch(tmp_path, jobs=jobs)
    assert result.exit_code == 0, result.output
    assert "Ended earlier" in result.stdout
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("*/*")} == before
    result = run("info", tmp_path / "out" / "index.parquet", "--json")
    assert json.loads(result.stdout)["rays"] == 36


def test_a_failure_is_a_row_and_the_others_go_on(tmp_path, monkeypatch):
    good, gone, _ = write_traces(tmp_path / "traces", 3)
    (tmp_path / "traces" / "drive002.osi").write_bytes(good.read_bytes()[:-9])
    (tmp_path / "traces" / "noise.osi").write_bytes(b"no trace at all")
    jobs = table_of(
        tmp_path, "trace,sensor", *(f"traces/drive00{n}.osi," for n in range(3)),
        "traces/noise.osi,", "traces/drive000.osi,VLP-17",
    )  # fmt: skip
    kept = gone.read_bytes()
    gone.unlink()
    result = batch(tmp_path, jobs=jobs)
    assert result.exit_code == 1, result.output
    assert "4 of 5 jobs failed" in result.stderr
    rows = index_of(tmp_path / "out")
    found = [row["status"] for row in rows]
    assert found == ["done", "failed", "damaged", "failed", "failed"]
    assert f"{gone}: no such file" in rows[1]["error"]
    assert "unknown sensor 'VLP-17'" in rows[4]["error"]
    assert not any("\n" in row["error"] for row in rows)
    assert rows[2]["frames"] == 1
    assert not list((tmp_path / "out").glob(".*"))  # nothing half written
    result = batch(tmp_path, "--status", jobs=jobs)
    assert result.exit_code == 1
    assert "Failed" in result.stdout
    gone.write_bytes(kept)
    in_one_process(monkeypatch)
    assert batch(tmp_path, jobs=jobs).exit_code == 1
    assert index_of(tmp_path / "out")[1]["status"] == "failed"
    assert "3 of 5 jobs failed" in batch(tmp_path, "--retry-failed", jobs=jobs).stderr
    assert index_of(tmp_path / "out")[1]["status"] == "done"


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no modes there")
@pytest.mark.parametrize("named", [True, False])
def test_a_scratch_folder_that_others_may_write_is_one_line(tmp_path, monkeypatch, named):
    """A configuration that is copied there may name Python code, and its name can be foreseen."""
    write_traces(tmp_path / "traces", 1)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("USER", "me")
    scratch = tmp_path / ("scratch" if named else "osi-lidar-me")
    scratch.mkdir()
    scratch.chmod(0o777)
    command = ("batch", tmp_path / "traces", "--out", tmp_path / "out", "--workers", 1)
    result = run(*command, *(("--scratch", scratch) if named else ()))
    assert_one_line(
        result, 2, f"--scratch {scratch}", "a folder that only you can write", "chmod go-w"
    )
    assert not (tmp_path / "out").exists()


def test_a_copy_is_not_read_from_a_scratch_folder_that_others_may_write(tmp_path):
    plan = plan_in(tmp_path, tmp_path / "out")
    make_scratch(plan.scratch)
    assert plan.scratch.stat().st_mode & 0o777 == 0o700
    plan.scratch.chmod(0o770)
    with pytest.raises(OutputError, match="chmod go-w"):
        make_scratch(plan.scratch)


def test_status_runs_nothing(tmp_path):
    write_traces(tmp_path / "traces", 2)
    result = batch(tmp_path, "--status")
    assert result.exit_code == 0, result.output
    assert "Not run" in result.stdout
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--shard", "8/8"), "--shard: got '8/8'"),
        (("--set", "seed"), "--set: got 'seed'"),
        (("--set", "seed=1,2"), "--set: got 'seed=1,2', expected one value"),
        (("--out", "s4://bucket/x"), "unknown protocol 's4'"),
    ],
)
def test_options_that_make_no_sense_are_one_line(tmp_path, options, words):
    write_traces(tmp_path / "traces", 1)
    assert_one_line(batch(tmp_path, *options), 2, words)


def test_outputs_that_cannot_be_written_are_one_line(tmp_path):
    write_traces(tmp_path / "traces", 1)
    (tmp_path / "file").touch()
    assert_one_line(batch(tmp_path, out="file"), 2, "is not a folder")


def test_equal_contents_are_one_job_wherever_they_lie(tmp_path):
    (trace,) = write_traces(tmp_path / "traces", 1)
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / trace.name).write_bytes(trace.read_bytes())
    plan = plan_in(tmp_path, tmp_path / "out")
    jobs = read_jobs(str(tmp_path / "*" / "*.osi"), plan.out)
    answers = answers_here(plan, jobs)
    assert len({each.outcome.job for each in answers}) == 1
    assert [each.is_new for each in answers] == [True, False]
    assert [row.status for row in read_rows(plan.out, jobs)] == ["done", "done"]


def test_what_failed_with_other_options_is_run_again(tmp_path, monkeypatch):
    in_one_process(monkeypatch)
    write_traces(tmp_path / "traces", 1)
    jobs = table_of(tmp_path, "trace,scene.ground", "traces/drive000.osi,nowhere")
    assert batch(tmp_path, jobs=jobs).exit_code == 1
    jobs = table_of(tmp_path, "trace,sensors.0.preset", "traces/drive000.osi,VLP-16")
    assert batch(tmp_path, jobs=jobs).exit_code == 1  # it has a pattern already
    (tmp_path / "lidar.yaml").write_text("sensors: [{preset: VLP-32C}]\n")
    options = ("--out", tmp_path / "out", "--workers", 1)
    result = run("batch", tmp_path / jobs, "--config", tmp_path / "lidar.yaml", *options)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    "change",
    [
        {"changes": '[[["seed"], 3]]'},
        {"sensor": "VLP-16"},
        {"fidelity": "physical"},
        {"message_type": "GroundTruth"},
        {"host_id": 1},
        {"frames": (1, None, None)},
        {"source": "topic"},
        {"truth": True},
        {"retry_failed": True},
    ],
    ids="".join,
)
def test_a_job_that_failed_is_run_again_with_each_other_option(tmp_path, monkeypatch, change):
    in_one_process(monkeypatch)
    (tmp_path / "damaged.osi").write_bytes(b"")
    jobs = [Job(0, str(tmp_path / "damaged.osi"), sensor="nobody")]
    plan = plan_in(tmp_path, tmp_path / "out")

    def n_new(plan):
        report = run_batch(plan, jobs, Shard(), Machines())
        assert [row.status for row in report.failures] == ["failed"]
        return report.n_new

    assert [n_new(each) for each in (plan, plan, replace(plan, **change))] == [1, 0, 1]


def test_a_configuration_that_no_job_can_use_is_one_line(tmp_path):
    write_traces(tmp_path / "traces", 2)
    result = batch(tmp_path, "--set", "sensors.0.max_range=5")
    assert_one_line(result, 2, "did you mean 'max_range_m'")
    assert not list((tmp_path / "out" / "rows").iterdir())


def test_images_count_where_a_mesh_may_use_them():
    names = ["camera/1.jpg", "car/car.gltf", "car/car.bin", "car/textures/a.png", "x.xodr", "a.osi"]
    assert assets_among(names) == ["car/car.gltf", "car/car.bin", "car/textures/a.png", "x.xodr"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_in_place_of_a_trace_is_one_line(tmp_path):
    os.mkfifo(tmp_path / "pipe.osi")
    plan = plan_in(tmp_path, tmp_path / "out")
    (answer,) = answers_here(plan, [Job(0, str(tmp_path / "pipe.osi"))])
    assert "is a device or a pipe" in answer.outcome.error


@pytest.mark.parametrize("change", ["trace", "config", "mesh", "map", "seed", "frames"])
def test_other_contents_are_another_job(tmp_path, change):
    (trace,) = write_traces(tmp_path / "traces", 1)
    plan = plan_in(tmp_path, tmp_path / "out")
    jobs = read_jobs(str(trace), plan.out)
    (first,) = answers_here(plan, jobs)
    if change == "trace":
        trace = write_traces(tmp_path / "traces", 1, n_frames=3)
    elif change == "config":
        config = tmp_path / "lidar.yaml"
        plan = replace(plan, config=str(config.rename(tmp_path / "other.yaml")))
        (tmp_path / "other.yaml").write_text(
            (tmp_path / "other.yaml").read_text() + "scene: {ground: 0.1}\n"
        )
    elif change in ("mesh", "map"):
        (tmp_path / "traces" / {"mesh": "car.obj", "map": "town.xodr"}[change]).write_text("x")
    elif change == "frames":
        plan = replace(plan, frames=(0, 1, None))
    else:
        jobs = [jobs[0]._replace(changes=(("seed", 3),))]
    (second,) = answers_here(plan, jobs)
    assert first.outcome.status == second.outcome.status == "done"
    assert second.outcome.job != first.outcome.job


def test_outputs_that_lack_a_file_are_made_anew(tmp_path):
    plan, jobs = planned(tmp_path, 1)
    answers_here(plan, jobs)
    before = outputs(plan.out)
    (cloud,) = (tmp_path / "out").rglob("000001.pcd")
    cloud.unlink()
    (answer,) = answers_here(plan, jobs)
    assert answer.is_new
    assert outputs(plan.out) == before


def test_a_full_disk_fails_one_job_and_leaves_nothing(tmp_path, monkeypatch):
    plan, jobs = planned(tmp_path, 2)
    real, calls = work.replay, []

    def full_once(*given, **named):
        calls.append(given)
        if len(calls) == 1:
            real(*given, **named)
            raise OutputError("cannot be written: No space left on device")
        return real(*given, **named)

    monkeypatch.setattr(work, "replay", full_once)
    first, second = answers_here(plan, jobs)
    assert (first.outcome.status, second.outcome.status) == ("failed", "done")
    assert first.outcome.error.endswith("No space left on device")
    assert [path.name for path in (tmp_path / "out").iterdir() if path.name != "rows"] == [
        second.outcome.job
    ]


def test_a_stopped_job_is_resumed_with_the_same_bytes(tmp_path, of_a_dead_process):
    plan, jobs = planned(tmp_path, 1, n_frames=6)
    steps = iter([True, True, True, False])
    (answer,) = answers_here(plan, jobs, going=lambda: next(steps))
    assert answer.outcome is None
    left_by(of_a_dead_process, tmp_path / "out")
    (answer,) = answers_here(plan, jobs)
    assert answer.outcome.status == "done"
    answers_here(replace(plan, out=str(tmp_path / "whole")), jobs)
    assert outputs(plan.out) == outputs(tmp_path / "whole")


def test_what_a_living_process_writes_is_left_alone(tmp_path):
    own, is_left = work_folder(tmp_path, "a")
    assert not is_left
    alive = own.with_name(re.sub(r"-\d+-\d+\.part$", f"-{os.getppid()}-0.part", own.name))
    alive.mkdir()
    assert work_folder(tmp_path, "a") == (own, False)
    assert alive.is_dir()


def test_a_folder_that_no_batch_made_is_left_alone(tmp_path):
    write_traces(tmp_path / "traces", 1)
    plan = plan_in(tmp_path, tmp_path / "out")
    jobs = read_jobs(table_of(tmp_path, "trace,out", "traces/drive000.osi,precious"), plan.out)
    (tmp_path / "out" / "precious").mkdir(parents=True)
    thesis = tmp_path / "out" / "precious" / "thesis.txt"
    thesis.write_text("thesis")
    (answer,) = answers_here(plan, jobs)
    assert answer.outcome.status == "failed"
    assert answer.outcome.error.endswith(
        "thesis.txt, which no batch wrote, so the folder is not replaced; choose another one"
    )
    assert [each.name for each in thesis.parent.iterdir()] == ["thesis.txt"]
    assert not list((tmp_path / "out").glob(".*.part"))


@pytest.mark.parametrize("name", ["notes.txt", "VLP-16/notes.pcd", "000001.png"])
def test_a_file_among_the_outputs_of_a_batch_keeps_them(tmp_path, name):
    write_traces(tmp_path / "traces", 1)
    plan = plan_in(tmp_path, tmp_path / "out")
    jobs = read_jobs(table_of(tmp_path, "trace,out", "traces/drive000.osi,a"), plan.out)
    answers_here(plan, jobs)
    own = tmp_path / "out" / "a" / name
    own.parent.mkdir(exist_ok=True)
    own.write_text("mine")
    (answer,) = answers_here(plan, jobs)  # complete
    assert answer.outcome.status == "done"
    changed = replace(plan, changes='[[["seed"], 5]]', options="other")
    (answer,) = answers_here(changed, jobs)
    words = (
        f": contains {name}, which no batch wrote, so the folder is not replaced; choose another"
    )
    assert words in answer.outcome.error
    assert own.read_text() == "mine"
    own.unlink()
    (answer,) = answers_here(replace(changed, retry_failed=True), jobs)
    assert answer.outcome.status == "done"


def test_outputs_are_not_written_behind_a_link(tmp_path):
    write_traces(tmp_path / "traces", 1)
    plan = plan_in(tmp_path, tmp_path / "out")
    jobs = read_jobs(table_of(tmp_path, "trace,out", "traces/drive000.osi,a"), plan.out)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").symlink_to(tmp_path / "elsewhere")
    (answer,) = answers_here(plan, jobs)
    assert answer.outcome.error.endswith("is a link, so it is not replaced; choose another folder")
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("out", ["traces", "deep"])
def test_a_job_cannot_have_its_outputs_around_an_input(tmp_path, out):
    write_traces(tmp_path / "traces", 1)
    write_traces(tmp_path / "deep" / "er", 1)
    table = table_of(tmp_path, "trace,out", f"traces/drive000.osi,{out}", "deep/er/drive000.osi,b")
    with pytest.raises(InputError, match=f"the output folder '{out}' contains the input"):
        read_jobs(table, str(tmp_path))


def test_an_index_that_no_batch_wrote_is_left_alone(tmp_path, monkeypatch):
    in_one_process(monkeypatch)
    plan, jobs = planned(tmp_path, 1)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "index.parquet").write_bytes(b"mine")
    with pytest.raises(OutputError, match="no batch wrote it, so it is not replaced"):
        run_batch(plan, jobs, Shard(), Machines(workers=1))
    assert (tmp_path / "out" / "index.parquet").read_bytes() == b"mine"
    (tmp_path / "out" / "index.parquet").unlink()
    assert run_batch(plan, jobs, Shard(), Machines(workers=1)).n_new == 1


@pytest.mark.parametrize(
    "change", [{"status": "paused"}, {"points": "many"}, {"frames": None}, {"rays": 10**30}]
)
def test_a_row_that_no_batch_writes_is_as_good_as_none(tmp_path, change):
    plan, jobs = planned(tmp_path, 2)
    answers_here(plan, jobs)
    row = tmp_path / "out" / "rows" / f"{jobs[1].key}.json"
    row.write_text(json.dumps({**json.loads(row.read_text()), **change}))
    result = batch(tmp_path, "--status")
    assert result.exit_code == 0, result.output
    assert re.search(r"Done\W+1\b", result.stdout)
    assert re.search(r"Not run\W+1\b", result.stdout)
    assert [each["status"] for each in index_of(tmp_path / "out")] == ["done", "not run"]


def test_sums_of_an_index_that_are_not_finite_are_one_line(tmp_path):
    row = Outcome(row="a", number=0, trace="a.osi", seconds=float("nan"))
    index = write_index(str(tmp_path), [row])
    assert_one_line(run("info", index, "--json"), 2, "seconds: got nan, expected finite numbers")
