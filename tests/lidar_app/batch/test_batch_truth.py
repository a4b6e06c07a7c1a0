# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Batches with tables of truth: with the runs, added to runs that are done, and after a kill."""

import json
from dataclasses import replace

import pytest

from lidar_app.batch import work
from lidar_app.batch.contents import hash_of
from lidar_app.batch.running import Machines, run_batch
from lidar_app.batch.shards import Shard
from lidar_app.batch.table import read_jobs
from lidar_app.truth.run import TABLES, write_truth
from tests.builders.batches import (
    answers_here,
    batch,
    in_one_process,
    index_of,
    left_by,
    outputs,
    plan_in,
    write_traces,
)


@pytest.fixture
def traces(tmp_path):
    """Return a folder with two traces."""
    write_traces(tmp_path / "traces", 2, n_frames=4)
    return tmp_path / "traces"


def done(plan, jobs, **options):
    """Do jobs in this process, and return their rows."""
    return [answer.outcome for answer in answers_here(plan, jobs, **options)]


def plan_with_truth(folder, out):
    return plan_in(folder, folder / out, truth=True)


def counted(monkeypatch, *names):
    """Return a list that has the name of each function of the module `work` that is called."""
    calls = []

    def counting(name):
        real = getattr(work, name)

        def called(*given, **named):
            calls.append(name)
            return real(*given, **named)

        return called

    for name in names:
        monkeypatch.setattr(work, name, counting(name))
    return calls


@pytest.mark.usefixtures("traces")
def test_the_tables_are_outputs_as_all_others(tmp_path, monkeypatch):
    in_one_process(monkeypatch)
    result = batch(tmp_path, "--truth")
    assert result.exit_code == 0, result.output
    for row in index_of(tmp_path / "out"):
        folder = tmp_path / "out" / row["job"]
        manifest = json.loads((folder / "job.json").read_text())
        assert row["outputs_sha256"] == manifest["outputs_sha256"]
        for name in TABLES:
            assert manifest["files"][name]["sha256"] == hash_of(folder / name)


def test_tables_that_are_added_later_are_those_of_the_runs_and_nothing_is_replayed(
    tmp_path, traces, monkeypatch
):
    whole, plan = plan_with_truth(tmp_path, "whole"), plan_with_truth(tmp_path, "out")
    jobs = read_jobs(str(traces), plan.out)
    expected = done(whole, jobs)
    done(replace(plan, truth=False), jobs)
    calls = counted(monkeypatch, "replay", "replay_with_truth", "write_truth")
    rows = done(plan, jobs)
    assert calls == ["write_truth"] * 2
    assert outputs(plan.out) == outputs(whole.out)
    assert [row.outputs_sha256 for row in rows] == [row.outputs_sha256 for row in expected]
    done(plan, jobs)
    done(replace(plan, truth=False), jobs)
    assert calls == ["write_truth"] * 2


def test_tables_that_a_data_set_has_written_are_not_made_again(tmp_path, traces, monkeypatch):
    plan = plan_with_truth(tmp_path, "out")
    jobs = read_jobs(str(traces), plan.out)
    for row in done(replace(plan, truth=False), jobs):
        write_truth(tmp_path / "out" / row.job)
    calls = counted(monkeypatch, "replay", "replay_with_truth", "write_truth")
    rows = done(plan, jobs)
    assert calls == []
    assert [row.outputs_sha256 for row in rows] == [
        row.outputs_sha256 for row in done(plan_with_truth(tmp_path, "whole"), jobs)
    ]


@pytest.mark.parametrize(("first", "second"), [(True, True), (True, False), (False, True)])
def test_a_stopped_job_ends_with_the_bytes_of_an_undisturbed_one(
    tmp_path, traces, first, second, of_a_dead_process
):
    plan = plan_in(tmp_path, tmp_path / "out", truth=first)
    jobs = read_jobs(str(traces / "drive000.osi"), plan.out)
    steps = iter([True, True, False])
    assert done(plan, jobs, going=lambda: next(steps)) == [None]
    left_by(of_a_dead_process, tmp_path / "out")
    plan = replace(plan, truth=second)
    done(plan, jobs)
    whole = replace(plan, out=str(tmp_path / "whole"))
    done(whole, jobs)
    assert outputs(plan.out) == outputs(whole.out)


def test_tables_of_a_stopped_job_are_absent_and_come_the_next_time(tmp_path, traces):
    plan = plan_with_truth(tmp_path, "out")
    jobs = read_jobs(str(traces / "drive000.osi"), plan.out)
    done(replace(plan, truth=False), jobs)
    before, steps = outputs(plan.out), iter([True, False])
    assert done(plan, jobs, going=lambda: next(steps)) == [None]
    assert outputs(plan.out) == before
    done(plan, jobs)
    done(plan_with_truth(tmp_path, "whole"), jobs)
    assert outputs(plan.out) == outputs(tmp_path / "whole")


def test_tables_are_added_in_a_bucket(tmp_path, traces, memory):
    for path in traces.iterdir():
        memory.pipe_file(f"memory://in/{path.name}", path.read_bytes())
    plan = plan_in(tmp_path, "memory://out/set", truth=True)
    jobs = read_jobs("memory://in", plan.out)
    run_batch(replace(plan, truth=False), jobs, Shard(), Machines())
    report = run_batch(plan, jobs, Shard(), Machines())
    assert (report.n_new, report.failures) == (2, [])
    here = done(plan_with_truth(tmp_path, "here"), read_jobs(str(traces), ""))
    for row, own in zip(report.outcomes, here, strict=True):
        manifest = json.loads(memory.cat_file(f"{row.uri}/job.json"))
        assert set(manifest["files"]) >= set(TABLES)
        for name in TABLES:
            table = (tmp_path / "here" / own.job / name).read_bytes()
            assert memory.cat_file(f"{row.uri}/{name}") == table
    assert run_batch(plan, jobs, Shard(), Machines()).n_new == 0
