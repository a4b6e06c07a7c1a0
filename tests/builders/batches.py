# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small batches: traces of two messages, a sensor of a few rays, and the outputs as bytes."""

import json
import re
from pathlib import Path

import pyarrow.parquet

from lidar_app.batch import processes, running
from lidar_app.batch.plan import BatchPlan
from lidar_app.batch.table import read_jobs
from lidar_app.batch.work import JobWorker
from tests.builders.messages import Thing, host
from tests.builders.runs import write_worlds
from tests.commands import run

CONFIG = """sensors:
  - name: front
    pattern: {kind: angles, horizontal_deg: [-2, 0, 2], vertical_deg: [-1, 0]}
    mounting: {z_m: 1.0}
    noise: {range_sigma_m: 0.01}
"""


def write_traces(folder, n, *, n_frames=2):
    """Write traces that differ in where a box stands, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        write_worlds(
            folder / f"drive{number:03d}.osi",
            [[host(x_m=0.1 * k), Thing(7, (8.0 + 0.01 * number, 0, 1))] for k in range(n_frames)],
        )
        for number in range(n)
    ]


def write_config(folder):
    """Write the configuration, and return its path."""
    path = folder / "lidar.yaml"
    if not path.exists():
        path.write_text(CONFIG)
    return path


def plan_in(folder, out, **values):
    """Return a plan with the configuration of a folder, one thread, and a scratch folder there."""
    given = {"config": str(write_config(folder)), "scratch": folder / "scratch", "threads": 1}
    return BatchPlan(out=str(out), **{**given, **values})


def planned(folder, n, *, n_frames=2):
    """Write traces; return a plan with outputs in ``folder / "out"``, and the jobs."""
    write_traces(folder / "traces", n, n_frames=n_frames)
    plan = plan_in(folder, folder / "out")
    return plan, read_jobs(str(folder / "traces"), plan.out)


def answers_here(plan, jobs, **options):
    """Do jobs in this process, and return the answers."""
    worker = JobWorker(plan)
    return [worker.perform(job, **options) for job in jobs]


def left_by(process, out):
    """Give the one unfinished folder of outputs to another process, by what marks its files."""
    (left,) = out.glob(".*.part")
    left.rename(left.with_name(re.sub(r"[^.]+(?=\.part$)", process, left.name)))


def in_one_process(monkeypatch):
    """Let batches do their jobs in this process from now on, as they do those in its memory."""

    def here(plan, jobs, _n_processes, take, going):
        running._in_this_process(plan, jobs, take, going)

    monkeypatch.setattr(processes, "in_processes", here)


def batch(folder, *options, jobs="traces", out="out"):
    """Give the command ``batch`` with the configuration of a folder and one process."""
    chosen = ("--config", write_config(folder), "--workers", 1, "--scratch", folder / "scratch")
    return run("batch", folder / jobs, "--out", folder / out, *chosen, *options)


def table_of(folder, *lines):
    """Write a table of jobs, and return its address."""
    (folder / "jobs.csv").write_text("\n".join(lines) + "\n")
    return str(folder / "jobs.csv")


def index_of(out):
    """Return the rows of an index."""
    return pyarrow.parquet.read_table(Path(out) / "index.parquet").to_pylist()


def outputs(out):
    """Return the bytes of all outputs by path; of run.json, what does not depend on time."""
    found = {}
    for path in sorted(Path(out).rglob("*")):
        name = path.relative_to(out).as_posix()
        if path.is_dir() or name.startswith("rows/") or name == "index.parquet":
            continue
        found[name] = path.read_bytes()
        if path.name == "run.json":
            report = json.loads(found[name])
            report["made_with"].pop("frames_unknown", None)  # of processes that were killed
            found[name] = {k: v for k, v in report.items() if k != "seconds"}
    return found
