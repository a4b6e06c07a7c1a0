# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Batches in processes and clusters: deaths, kills, Ctrl-C and shards change no byte."""

import multiprocessing
import os
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from lidar_app.batch.processes import _Crew
from lidar_app.batch.rows import read_rows
from lidar_app.batch.running import Machines, run_batch
from lidar_app.batch.shards import Shard
from lidar_app.batch.table import read_jobs
from lidar_base.compiled import COMPILING
from osi_lidar.errors import ClusterError
from tests.builders.batches import (
    answers_here,
    batch,
    in_one_process,
    index_of,
    outputs,
    plan_in,
    planned,
    table_of,
    write_config,
    write_traces,
)
from tests.builders.refusals import one_line
from tests.commands import run


def test_a_process_that_dies_fails_its_job_alone(tmp_path):
    plan, jobs = planned(tmp_path, 3)
    killed = []

    def kill_the_first_one(_):
        if not killed:
            killed.extend(each.kill() for each in multiprocessing.active_children())
        return True

    report = run_batch(plan, jobs, Shard(), Machines(workers=1), kill_the_first_one)
    assert [row.status for row in report.outcomes] == ["failed", "done", "done"]
    assert "its process died (SIGKILL)" in report.outcomes[0].error
    assert [row["status"] for row in index_of(plan.out)] == ["failed", "done", "done"]


def test_processes_that_compile_kernels_are_told_of_once(tmp_path, caplog):
    crew = _Crew(plan_in(tmp_path, tmp_path), deque(), take=print)
    ends = [multiprocessing.Pipe() for _ in range(2)]
    crew.members += [SimpleNamespace(connection=end) for end, _ in ends]
    for _, other in ends:
        other.send(("warning", COMPILING))
        other.send(("warning", COMPILING))
    for _ in range(2):
        crew.listen()
    assert caplog.messages == [COMPILING]


def test_a_process_that_is_told_to_end_leaves_its_job_to_the_next_one(tmp_path):
    plan, jobs = planned(tmp_path, 3, n_frames=4)
    told = []

    def tell_one_to_end(n_done):
        if n_done == 1 and not told:
            told.extend(each.terminate() for each in multiprocessing.active_children())
        return True

    report = run_batch(plan, jobs, Shard(), Machines(workers=1), tell_one_to_end)
    assert [row.status for row in report.outcomes] == ["done"] * 3


def test_ctrl_c_leaves_jobs_for_the_next_time(tmp_path, monkeypatch):
    plan, jobs = planned(tmp_path, 3)
    report = run_batch(plan, jobs, Shard(), Machines(workers=1), lambda n: n < 1)
    assert not report.is_complete
    assert not report.failures
    in_one_process(monkeypatch)
    assert run_batch(plan, jobs, Shard(), Machines(workers=1)).is_complete


def test_two_shards_and_a_kill_give_the_bytes_of_an_undisturbed_batch(tmp_path):
    write_traces(tmp_path / "traces", 6, n_frames=3)
    plan = plan_in(tmp_path, tmp_path / "whole")
    jobs = read_jobs(str(tmp_path / "traces"), plan.out)
    answers_here(plan, jobs)
    command = [
        *(sys.executable, "-m", "osi_lidar", "batch", tmp_path / "traces", "--quiet"),
        *("--config", tmp_path / "lidar.yaml", "--out", tmp_path / "out", "--workers", "1"),
    ]
    command = [str(word) for word in command]
    killed = subprocess.Popen(command, start_new_session=True)
    deadline = time.monotonic() + 60
    while not list((tmp_path / "out").glob("*/run.json")) and time.monotonic() < deadline:
        time.sleep(0.03)
    killed.kill()
    killed.wait()
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:  # until its worker has noticed
            os.killpg(killed.pid, 0)
            time.sleep(0.03)
    first = subprocess.Popen([*command, "--shard", "0/2"])
    plan = replace(plan, out=str(tmp_path / "out"))
    assert run_batch(plan, jobs, Shard(1, 2), Machines(workers=1)).is_complete  # beside the first
    assert first.wait(120) == 0
    assert outputs(tmp_path / "out") == outputs(tmp_path / "whole")
    assert run(*command[3:], "--status").exit_code == 0
    assert [row["status"] for row in index_of(tmp_path / "out")] == ["done"] * 6


def test_a_dask_cluster_gives_the_same_bytes(tmp_path):
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from osi_lidar.run.cluster import cluster

    write_traces(tmp_path / "traces", 4)
    (tmp_path / "traces" / "drive003.osi").write_bytes(b"no trace")
    plan = plan_in(tmp_path, tmp_path / "whole")
    jobs = read_jobs(str(tmp_path / "traces"), plan.out)
    answers_here(plan, jobs)
    with cluster(workers=1) as client:
        result = batch(tmp_path, "--scheduler", client.scheduler.address)
    assert result.exit_code == 1, result.output
    assert "1 of 4 jobs failed" in result.stderr
    assert outputs(tmp_path / "out") == outputs(tmp_path / "whole")


def test_a_scheduler_that_dies_is_one_line_and_no_failure_of_jobs(tmp_path):
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    from lidar_app.batch.clusters import in_cluster
    from osi_lidar.run.cluster import cluster

    plan, jobs = planned(tmp_path, 8, n_frames=5)
    taken = []

    def take(answer):
        taken.append(answer)
        owner.cluster.close()

    with cluster(workers=1) as owner:
        address = owner.scheduler.address
        with (
            one_line(ClusterError, match=f"{address}: lost the connection to the dask scheduler"),
            cluster(scheduler=address, timeout_s=5.0) as client,  # so long it tries again
        ):
            in_cluster(client, plan, jobs, take, lambda: True)
    assert 0 < len(taken) < len(jobs)
    rows = read_rows(plan.out, jobs)
    assert not any(row.has_failed for row in rows)
    answers_here(plan, jobs)
    assert {row.status for row in read_rows(plan.out, jobs)} == {"done"}


def test_many_rows_start_at_once_and_take_little_memory(tmp_path):
    rows = (f"traces/{number}.osi,{number},1.5" for number in range(10_000))
    jobs = table_of(tmp_path, "trace,seed,weather.rain_mm_h", *rows)
    code = (
        "import sys, time\n"
        "import lidar_app.cli.main, lidar_app.batch.running, lidar_app.batch.processes\n"
        "from lidar_app.batch.shards import Shard, shard_of\n"
        "from lidar_app.batch.table import read_jobs\n"
        "jobs = shard_of(read_jobs(sys.argv[1], '/out'), Shard(1, 4))\n"
        "state = open('/proc/self/status').read() if sys.platform == 'linux' else 'VmHWM: 0'\n"
        "print(len(jobs), time.process_time(), state.split('VmHWM:')[1].split()[0])\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / jobs)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert int(said[0]) == 2500
    assert float(said[1]) < 5.0  # of the processor, not of a busy machine
    assert int(said[2]) < 100_000  # kB: no kernels are loaded


@pytest.mark.slow
def test_a_thousand_jobs_survive_ten_kills_and_eight_shards(tmp_path):
    write_traces(tmp_path / "traces", 1000)
    write_config(tmp_path)
    command = [sys.executable, "-m", "osi_lidar", "batch", str(tmp_path / "traces"), "--quiet"]
    command += ["--config", str(tmp_path / "lidar.yaml"), "--out"]
    subprocess.run([*command, str(tmp_path / "whole")], check=True)
    rows = index_of(tmp_path / "whole")
    assert sum(row["seconds"] - row["run_seconds"] for row in rows) / len(rows) < 0.3
    for moment_s in np.random.default_rng(10).uniform(2.0, 20.0, 10):
        process = subprocess.Popen([*command, str(tmp_path / "killed")])
        with suppress(subprocess.TimeoutExpired):
            process.wait(moment_s)
        process.kill()
        process.wait()
    subprocess.run([*command, str(tmp_path / "killed")], check=True)
    assert outputs(tmp_path / "killed") == outputs(tmp_path / "whole")
    for shard in range(8):
        subprocess.run([*command, str(tmp_path / "parts"), "--shard", f"{shard}/8"], check=True)
        done = [row["number"] for row in index_of(tmp_path / "parts") if row["status"] == "done"]
        assert done == [number for number in range(1000) if number % 8 <= shard]
    assert outputs(tmp_path / "parts") == outputs(tmp_path / "whole")
