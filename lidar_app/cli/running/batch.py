# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``batch``."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.completion import known_sensors
from lidar_app.cli.parts.console import EXIT_INTERRUPTED, EXIT_MISSING, fail, stoppable, tell
from lidar_app.cli.parts.options import (
    FidelityOption,
    FramesOption,
    Messages,
    StrictOption,
    frame_slice,
)
from lidar_app.cli.parts.parameters import (
    CLUSTER,
    INPUT,
    OUT,
    OUTPUT,
    SENSOR,
    argument,
    option,
    switch,
)
from lidar_app.cli.parts.weather import WeatherOption, asked_weather
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lidar_app.batch.plan import BatchPlan
    from lidar_app.batch.table import Job

_KEPT_GB = 20.0


@dataclass(frozen=True)
class Spread:
    """Values of options of ``osi-lidar batch``: where jobs run, and which of them.

    Attributes
    ----------
    shard : str or None
        "I/N": every Nth job from number I on, 0 to N - 1. "/N": the scheduler sets I in an
        environment variable. None: as the scheduler sets it, else all jobs.
    workers : int or None
        Number of processes on this machine; None: one for each core.
    scheduler : str or None
        Address of a dask cluster, such as "tcp://host:8786", instead of processes here; None: none.
    scratch : Path or None
        Folder for copies from object storage; None: one in the system's temporary folder.
    scratch_gb : float
        Limit for copied traces that stay in the folder for later jobs. [GB]
    """

    shard: str | None = option(
        "I/N",
        "Run every Nth job, from number I (0 to N - 1); /N takes I from the scheduler. Default: "
        "SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or AWS_BATCH_JOB_ARRAY_INDEX, else all jobs.",
        CLUSTER,
    )
    workers: int | None = option(
        "N", "Processes on this machine. Default: one per core.", CLUSTER, limits=(1, None)
    )
    scheduler: str | None = option(
        "ADDRESS",
        "Dask cluster instead of processes here, as tcp://host:8786. Default: none.",
        CLUSTER,
    )
    scratch: Path | None = option(
        "DIR",
        "Folder for copies from object storage. Default: one in the system's temporary folder.",
        CLUSTER,
    )
    scratch_gb: float = option(
        "GB",
        "Limit for copied traces that stay in the scratch folder for later jobs.",
        CLUSTER,
        default=_KEPT_GB,
        limits=(0, None),
    )


@dataclass(frozen=True)
class BatchMode:
    """Values of options of ``osi-lidar batch`` for what it does.

    Attributes
    ----------
    status : bool
        True: the progress of the batch is shown, and nothing is run.
    retry_failed : bool
        Whether jobs that have failed earlier are run again.
    truth : bool
        Whether the ground truth (boxes.parquet, scans.parquet) of each run is written, also of runs
        that are done.
    """

    status: bool = switch("Show how far the batch is, and run nothing.", OUTPUT)
    retry_failed: bool = switch("Run the failed jobs again.", OUTPUT)
    truth: bool = switch(
        "Write the ground truth (boxes.parquet, scans.parquet) of each run, also of runs that are "
        "done.",
        OUTPUT,
    )


@dataclass(frozen=True)
class Reading(Messages):
    """Values of options of ``osi-lidar batch`` for how all traces are read, as in `Messages`.

    Attributes
    ----------
    frames : str or None
        Frames of each trace, as "START:STOP[:STEP]"; None: all frames.
    """

    frames: FramesOption = None


@dataclass(frozen=True)
class JobSetup:
    """Values of options of ``osi-lidar batch`` for the configurations of its jobs.

    Attributes
    ----------
    config : str or None
        Path or URL of the configuration (YAML) of jobs without one; None: one OS1-128.
    sensor : str or None
        Known sensor of jobs without one, in place of the configured sensors; None: as configured.
    fidelity : {"ideal", "physical"} or None
        Fidelity of all sensors; None: as configured.
    strict : bool
        True: a job fails if no rule maps a visual material. False: as configured.
    weather : str or None
        "auto", "none", or the path of a weather file; None: as configured.
    change : list of str, or None
        Values to set in all configurations, each as "KEY=VALUE" with a dotted key; None: none.
    """

    config: str | None = option(
        "FILE",
        "Configuration (YAML), a path or a URL, for jobs without one. Default: one OS1-128.",
        INPUT,
        "--config",
        "-c",
    )
    sensor: str | None = option(
        "NAME",
        "Known sensor for jobs without one, in place of the configured sensors. Default: as "
        "configured.",
        SENSOR,
        complete=known_sensors,
    )
    fidelity: FidelityOption = None
    strict: StrictOption = False
    weather: WeatherOption = None
    change: list[str] | None = option(
        "KEY=VALUE",
        "Value of a key of all configurations; repeatable. Default: none.",
        INPUT,
        "--set",
    )

    def changes(self) -> Iterator[tuple[tuple[str | int, ...], object]]:
        """Yield the values to set in all configurations: of `strict`, `weather`, then `change`.

        Yields
        ------
        key : tuple of (str or int)
            Path of a key in the configuration, such as ("sensors", 0, "preset").
        value : object
            The new value.

        Raises
        ------
        InputError, ConfigurationError
            If a text in `change` has another form or several values, or the weather cannot be used.
        """
        from lidar_app.batch.variation import read_variation

        if self.strict:
            yield ("materials", "default"), None
        weather = asked_weather(self.weather)
        if weather is not None:
            yield ("weather",), weather.model_dump(mode="json")
        for text in self.change or ():
            try:
                found = read_variation(text)
            except InputError as error:
                raise InputError(str(error).replace("--vary", "--set")) from None
            if len(found.values) != 1:
                raise InputError(f"--set: got {text!r}, expected one value")
            yield found.key, found.values[0]


def batch(
    jobs: Annotated[
        str,
        argument(
            "JOBS",
            "Table of jobs (.csv, .parquet), or traces: a folder, a glob, a prefix of a bucket.",
        ),
    ],
    out: Annotated[str, option("URI", "Folder or prefix of a bucket for all outputs.", *OUT)],
    setup: JobSetup,
    *,
    reading: Reading,
    spread: Spread,
    asked: BatchMode,
) -> None:
    """Replay many traces: each job once, on any scheduler, with an index of all results."""
    from lidar_app.batch.addresses import absolute
    from lidar_app.batch.running import Machines, run_batch
    from lidar_app.batch.shards import find_shard, shard_of
    from lidar_app.batch.table import read_jobs

    place = absolute(out)
    found = read_jobs(jobs, place)
    if asked.status:
        _show(place, found)
        return
    shard = find_shard(spread.shard, os.environ)
    plan = _plan(place, setup, reading, spread, asked)
    machines = Machines(workers=spread.workers, scheduler=spread.scheduler)
    with stoppable("jobs", len(shard_of(found, shard)), unit="jobs") as going:
        done = run_batch(plan, found, shard, machines, going)
    from lidar_app.show.batch_tables import batch_table

    tell(batch_table(done, place, shard))
    if not done.is_complete:
        fail("interrupted; the same command goes on from here", EXIT_INTERRUPTED)
    if done.failures:
        _fail(len(done.failures), done.n_jobs)


def _plan(
    place: str, setup: JobSetup, reading: Reading, spread: Spread, asked: BatchMode
) -> BatchPlan:
    """Return the options that all jobs share."""
    from lidar_app.batch.addresses import absolute
    from lidar_app.batch.plan import GIGABYTE, BatchPlan
    from lidar_app.batch.scratch import check_scratch, default_scratch

    chosen = frame_slice(reading.frames)
    scratch = (spread.scratch or default_scratch()).absolute()
    check_scratch(scratch)
    return BatchPlan(
        out=place,
        scratch=scratch,
        config="" if setup.config is None else absolute(setup.config),
        sensor=setup.sensor or "",
        fidelity=setup.fidelity,
        changes=json.dumps(list(setup.changes())),
        message_type=reading.message_type,
        host_id=reading.host,
        frames=(chosen.start, chosen.stop, chosen.step),
        source=reading.source,
        truth=asked.truth,
        retry_failed=asked.retry_failed,
        keep_bytes=int(spread.scratch_gb * GIGABYTE),
    )


def _show(place: str, jobs: Sequence[Job]) -> None:
    """Show the progress of a batch, and update its index."""
    from lidar_app.batch.rows import WAITING, read_rows, write_index
    from lidar_app.show.batch_tables import status_table

    rows = read_rows(place, jobs)
    if any(row.status != WAITING for row in rows):
        write_index(place, rows)
    tell(status_table(rows, place))
    n_failed = sum(row.has_failed for row in rows)
    if n_failed:
        _fail(n_failed, len(rows))


def _fail(n_failed: int, n_jobs: int) -> None:
    """Show how many jobs have failed, and end the command with exit code 1."""
    fail(
        f"{n_failed} of {n_jobs} jobs failed: the index has the reasons, --retry-failed runs "
        "them again",
        EXIT_MISSING,
    )
