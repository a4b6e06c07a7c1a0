# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run the jobs of a shard, on this machine or a cluster, and write the index of all jobs."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.batch.addresses import IN_MEMORY, joined, protocol
from lidar_app.batch.files import files_at
from lidar_app.batch.rows import check_index, read_rows, write_index
from lidar_app.batch.shards import shard_of
from lidar_app.batch.table import ROWS
from lidar_base.files.unfinished import unfinished_name
from osi_lidar.errors import OutputError
from osi_lidar.output.folder_check import check_folder
from osi_lidar.output.parquet_file import NO_PARQUET, is_parquet_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lidar_app.batch.plan import BatchPlan
    from lidar_app.batch.rows import JobAnswer, Outcome, Take
    from lidar_app.batch.shards import Shard
    from lidar_app.batch.table import Job

_PROBE = "probe"


@dataclass(slots=True)
class BatchReport:
    """Outcomes of the jobs of a shard.

    Attributes
    ----------
    n_jobs : int
        Number of jobs of the shard; equal rows of the table of jobs count once.
    outcomes : list of Outcome
        One for each job that has ended, in the order in which they ended.
    n_new : int
        Number of jobs that this batch has run; the others had ended in an earlier one.
    """

    n_jobs: int
    outcomes: list[Outcome] = field(default_factory=list)
    n_new: int = 0

    def take(self, answer: JobAnswer) -> None:
        """Add the outcome of a job to `outcomes`; also count the job in `n_new` if it was run now.

        Parameters
        ----------
        answer : JobAnswer
            What a worker has returned for the job. Without an outcome, nothing changes.
        """
        if answer.outcome is not None:
            self.outcomes.append(answer.outcome)
            self.n_new += answer.is_new

    @property
    def failures(self) -> list[Outcome]:
        """Outcomes of jobs that failed or whose trace is damaged, sorted by number in the table.

        Failures of an earlier batch that were not tried again are included.
        """
        return sorted(
            (each for each in self.outcomes if each.has_failed), key=lambda one: one.number
        )

    @property
    def is_complete(self) -> bool:
        """Whether all jobs of the shard have ended."""
        return len(self.outcomes) == self.n_jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """Where jobs run: in processes of this machine, or in a dask cluster.

    Attributes
    ----------
    workers : int, optional
        Number of processes of this machine; default: one for each core.
    scheduler : str, optional
        Address of a dask scheduler. If stated, its workers run the jobs.
    """

    workers: int | None = None
    scheduler: str | None = None


def run_batch(
    plan: BatchPlan,
    jobs: Sequence[Job],
    shard: Shard,
    machines: Machines,
    on_progress: Callable[[int], bool] = lambda _: True,
) -> BatchReport:
    """Run the jobs of a shard that have not ended before, and write the index of all jobs.

    A job that failed in an earlier batch runs again if the plan says so (`retry_failed`), or if the
    options have changed since. The index is the file ``index.parquet`` of the batch. It has a row
    for each job of all shards. A job without an outcome has the status "not run" there.

    Parameters
    ----------
    plan : BatchPlan
        Options that all jobs share.
    jobs : sequence of Job
        All jobs of the batch.
    shard : Shard
        The jobs that this call runs.
    machines : Machines
        Where the jobs run.
    on_progress : callable
        Called several times a second with the number of jobs that have ended; returning False ends
        the batch.

    Returns
    -------
    BatchReport
        Outcomes of all jobs of the shard that have ended, in this batch or an earlier one.

    Raises
    ------
    OsiLidarError
        If no outputs can be written, or the cluster is not reached.
    """
    check_place(plan.out)
    _check_config(plan, jobs)
    plan = replace(plan, options=_options(plan))
    own = shard_of(jobs, shard)
    report = BatchReport(len(own))
    _spread(plan, own, machines, report.take, lambda: on_progress(len(report.outcomes)))
    write_index(plan.out, read_rows(plan.out, jobs))
    return report


def _spread(
    plan: BatchPlan, jobs: Sequence[Job], machines: Machines, take: Take, going: Callable[[], bool]
) -> None:
    """Run jobs on a cluster, in this process, or in several processes."""
    if machines.scheduler is not None:
        from lidar_app.batch.clusters import in_cluster
        from osi_lidar.run.cluster import cluster

        with cluster(scheduler=machines.scheduler) as client:
            in_cluster(client, plan, jobs, take, going)
    elif any(each.startswith(IN_MEMORY) for each in (plan.out, *(job.trace for job in jobs))):
        _in_this_process(plan, jobs, take, going)
    else:
        from lidar_app.batch.processes import in_processes

        n = min(machines.workers or cores(), max(len(jobs), 1))
        in_processes(replace(plan, threads=max(cores() // n, 1)), jobs, n, take, going)


def _check_config(plan: BatchPlan, jobs: Sequence[Job]) -> None:
    """Check the configuration of the plan before any job runs, if a job uses it unchanged.

    If the configuration is a bundle, one warning names its Python code, for all jobs.
    """
    from lidar_app.batch.inputs import Inputs, opened_config

    users = [job for job in jobs if not job.config]
    if not users:
        return
    inputs = Inputs(plan.scratch, plan.out, plan.keep_bytes)
    with opened_config(inputs, plan.config) as bundle:
        plain = next((job for job in users if not (job.sensor or job.changes)), None)
        if plain is not None:
            plan.configuration(plain, inputs, None if bundle is None else bundle.config)


def _options(plan: BatchPlan) -> str:
    """Return a hash of all options that affect jobs, with the stamp of the configuration."""
    from lidar_app.batch.contents import hash_of_words

    seen = files_at(plan.config).stamp_of(plan.config) if plan.config else None
    said = [plan.config, seen, plan.sensor, plan.fidelity, plan.changes, *plan.asked]
    said += ["truth"] if plan.truth else []
    return hash_of_words(said)[:16]


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_place(out: str) -> None:
    """Check that outputs and the index of a batch can be written at the address `out`.

    An empty file is written and removed; the folders that are created for it stay. Raise
    OutputError if files cannot be written there, a file that no batch wrote has the index's name,
    or pyarrow is not installed.
    """
    if is_parquet_missing():
        raise OutputError(NO_PARQUET)
    if not protocol(out):
        check_folder(Path(out), overwrite=True)
    check_index(out)
    probe = joined(joined(out, ROWS), unfinished_name(_PROBE))
    files_at(out).write(probe, b"")
    files_at(out).remove(probe)


def _in_this_process(
    plan: BatchPlan,
    jobs: Sequence[Job],
    take: Take,
    going: Callable[[], bool],
) -> None:
    """Run jobs one by one in this process, as only its memory holds the inputs or outputs."""
    from lidar_app.batch.work import JobWorker

    worker = JobWorker(plan)
    for job in jobs:
        take(worker.perform(job, going=going))
        if not going():
            return
