# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Jobs in place of runs, and runs in a bucket: in a folder that is gone afterwards."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lidar_app.batch.addresses import absolute, base_name, names_trace, protocol
from lidar_app.batch.files import files_at
from lidar_app.batch.inputs import Inputs
from lidar_app.batch.plan import BatchPlan
from lidar_app.batch.table import Job, names_jobs, names_many, read_jobs
from lidar_app.bundle import names_bundle
from lidar_app.datasets.processes import in_order, number_of
from lidar_app.datasets.sources import holds_runs
from lidar_app.datasets.stored_runs import BucketRun, copied, runs_stored_at
from lidar_app.truth.run import replay_with_truth
from lidar_base.files.unfinished import remove_left, remove_tree, unfinished_name
from lidar_base.files.whole_files import cause_of, make_folder
from osi_bridge import trace_stem
from osi_lidar.errors import ConfigurationError, InputError, OutputError
from osi_lidar.output.parquet_file import is_parquet_missing
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from osi_lidar.config import Config

logger = logging.getLogger(__name__)

_RUNS = ".runs"  # ending of the folder of replays


class _Replay(NamedTuple):
    """A trace, by which configuration it is replayed, and into which folder."""

    trace: Path
    config: Config
    folder: Path


class SetInputs(NamedTuple):
    """What a data set is made of.

    Attributes
    ----------
    folders : tuple of Path
        Folders of runs, or folders that hold such.
    jobs : tuple of Job
        What is replayed for it; jobs that say the same are there once.
    words : tuple of str
        Where the jobs were read from: URLs and globs as given, of files and folders their names.
    stored : tuple of BucketRun
        Runs in object storage, which are copied for it.
    """

    folders: tuple[Path, ...]
    jobs: tuple[Job, ...]
    words: tuple[str, ...]
    stored: tuple[BucketRun, ...] = ()

    @property
    def traces(self) -> tuple[str, ...]:
        """The names of the traces of the jobs."""
        return tuple(sorted({base_name(job.trace) for job in self.jobs}))


def read_inputs(addresses: Sequence[str], out: Path) -> SetInputs:
    """Return what is at some addresses; no trace is opened.

    Parameters
    ----------
    addresses : sequence of str
        Folders of runs, here or in a bucket, or what `osi-lidar batch` takes as jobs.
    out : Path
        The data set, in which no traces are looked for.

    Raises
    ------
    InputError
        If a table of jobs makes no sense, there is nothing at an address of jobs, or runs in a
        bucket are incomplete.
    """
    folders: list[Path] = []
    jobs: dict[str, Job] = {}
    words: list[str] = []
    stored: list[BucketRun] = []
    for address in addresses:
        place = absolute(address)
        if not _is_of_jobs(place):
            folders.append(Path(place))
            continue
        runs = runs_stored_at(place)
        if runs:
            stored += runs
            continue
        found = read_jobs(address, absolute(str(out)))
        jobs.update((job.key, job) for job in found)
        words.append(address if protocol(place) or names_many(address) else base_name(place))
    once = tuple({each.address: each for each in stored}.values())
    return SetInputs(tuple(folders), tuple(jobs.values()), tuple(sorted(words)), once)


def _is_of_jobs(address: str) -> bool:
    """Return whether jobs are at an address; a folder that holds runs is one of runs."""
    path = Path(address)
    if protocol(address) or not path.is_dir():
        return names_jobs(address) or path.is_file()
    return not holds_runs(path) and any(names_trace(each.name) for each in path.rglob("*"))


@contextmanager
def replayed(
    chosen: SetInputs, config: str | None, out: Path, workers: int | None = None
) -> Iterator[list[Path]]:
    """Yield folders of runs: given ones, copies from buckets, and one for each replayed job.

    Parameters
    ----------
    chosen : SetInputs
        Folders, runs in buckets, and jobs.
    config : str or None
        Address of the configuration of jobs that state none; default: one sensor.
    out : Path
        The data set; copies and replays are beside it until the block ends.
    workers : int, optional
        Number of processes; default: one for each core.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError
        If an input cannot be used, a trace is damaged, or a disk has no room for copies.
    """
    remove_left(out.parent, f"{out.name}{_RUNS}")
    work = (out.parent / unfinished_name(f"{out.name}{_RUNS}")).absolute()
    plan = BatchPlan(
        out=absolute(str(out)),
        scratch=work / "scratch",
        config="" if config is None else absolute(config),
    )
    inputs = Inputs(plan.scratch, plan.out, plan.keep_bytes)
    try:
        copies = copied(chosen.stored, work / "stored", inputs)
        replays = _replay_all(chosen.jobs, plan, work, inputs, workers)
        yield [*chosen.folders, *copies, *replays]
    except OSError as error:
        raise OutputError(f"{work}: cannot be written: {cause_of(error)}") from error
    finally:
        remove_tree(work)


def _replay_all(
    jobs: Sequence[Job], plan: BatchPlan, work: Path, inputs: Inputs, workers: int | None
) -> list[Path]:
    """Replay jobs into a folder, and return that of each; all that they state is checked first."""
    for job in jobs:
        if files_at(job.trace).seen(job.trace) is None:
            raise InputError(f"{job.trace}: no such file")
        if names_bundle(job.trace):
            raise InputError(f"{job.trace}: is a bundle, expected its run, by `replay` or `batch`")
    configs = _configurations(jobs, plan, inputs)
    replays = []
    for number, job in enumerate(jobs):
        make_folder(work)
        place = f"{number:05d}"  # tells runs of the same name from each other
        trace = inputs.placed_in(inputs.trace(job.trace, None), work / "traces" / place)
        folder = work / place / (job.out or trace_stem(trace.name))
        replays.append(_Replay(trace, configs[_setup(job)], folder))
    if replays:
        logger.warning(
            "%s replayed, %s at a time, and not kept; runs of `batch --truth` are read as they are",
            "1 job is" if len(replays) == 1 else f"{len(replays)} jobs are",
            number_of(len(replays), workers),
        )
    return list(in_order(_replay, replays, workers))


def _configurations(jobs: Sequence[Job], plan: BatchPlan, inputs: Inputs) -> dict[Job, Config]:
    """Return the configuration of each setup of jobs."""
    configs = {}
    if plan.config:  # checked even if no job needs it
        configs[Job(0, "")] = plan.configuration(Job(0, ""), inputs)
    for job in jobs:
        setup = _setup(job)
        try:
            configs[setup] = configs.get(setup) or plan.configuration(setup, inputs)
        except ConfigurationError as error:
            raise ConfigurationError(f"{job.trace}: {error}") from None
    return configs


def _setup(job: Job) -> Job:
    """Return what a job says of its configuration."""
    return job._replace(number=0, trace="", out="")


def _replay(asked: _Replay) -> Path:
    """Replay a whole trace, with tables of truth where they can be written; return the folder."""
    run = replay if is_parquet_missing() else replay_with_truth
    report = run(FrameSource(asked.trace), asked.config, asked.folder)
    if report.damage is not None:
        raise InputError(report.damage)
    return asked.folder
