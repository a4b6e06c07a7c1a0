# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Jobs and runs in object storage as inputs: replayed or copied to a temporary folder."""

from __future__ import annotations

import logging
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lidar_app.batch.addresses import absolute, base_name, names_trace, protocol
from lidar_app.batch.files import files_at
from lidar_app.batch.inputs import Inputs, opened_config
from lidar_app.batch.plan import BatchPlan
from lidar_app.batch.table import Job, names_jobs, names_many, read_jobs
from lidar_app.bundle import names_bundle
from lidar_app.bundle.opening import open_bundle
from lidar_app.bundle.scenario import TraceReading
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

    from lidar_app.bundle.opening import OpenBundle
    from osi_lidar.config import Config

logger = logging.getLogger(__name__)

_RUNS = ".runs"  # ending of the folder of replays


class _Replay(NamedTuple):
    """A trace to replay, with its configuration, output folder, job and plan.

    For a bundle, the configuration is None: the process that replays the bundle unpacks it.
    """

    trace: Path
    config: Config | None
    folder: Path
    job: Job
    plan: BatchPlan


class SetInputs(NamedTuple):
    """Inputs of a data set.

    Attributes
    ----------
    folders : tuple of Path
        Folders of runs, or folders that contain runs.
    jobs : tuple of Job
        Jobs to replay; equal jobs are listed only once.
    words : tuple of str
        Addresses of the jobs, sorted: URLs and globs as given, files and folders by name only.
    stored : tuple of BucketRun
        Runs in object storage, which have to be copied.
    """

    folders: tuple[Path, ...]
    jobs: tuple[Job, ...]
    words: tuple[str, ...]
    stored: tuple[BucketRun, ...] = ()

    @property
    def traces(self) -> tuple[str, ...]:
        """The file names of the traces that the jobs replay, each once, sorted."""
        return tuple(sorted({base_name(job.trace) for job in self.jobs}))


def read_inputs(addresses: Sequence[str], out: Path) -> SetInputs:
    """Return the runs and the replay jobs at some addresses; no trace is opened.

    Parameters
    ----------
    addresses : sequence of str
        Folders of runs, on this machine or in a bucket, or what `osi-lidar batch` takes as jobs.
    out : Path
        Folder of the data set; traces in it are left out.

    Raises
    ------
    InputError
        If a table of jobs is invalid, an address has no jobs, or runs in a bucket are incomplete.
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
    """Return whether an address holds jobs; a folder that contains runs does not."""
    path = Path(address)
    if protocol(address) or not path.is_dir():
        return names_jobs(address) or path.is_file()
    return not holds_runs(path) and any(names_trace(each.name) for each in path.rglob("*"))


@contextmanager
def replayed(
    chosen: SetInputs, config: str | None, out: Path, workers: int | None = None
) -> Iterator[list[Path]]:
    """Copy runs from buckets and replay jobs; yield the folders of all runs during a block.

    Parameters
    ----------
    chosen : SetInputs
        Folders of runs, runs in buckets, and jobs.
    config : str or None
        Address of the configuration of jobs that state none. None: the configuration in the job's
        bundle, else the default with one sensor.
    out : Path
        Folder of the data set; copies and replays are beside it, and are removed after the block.
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
        replays = _replays(chosen.jobs, plan, work, inputs, workers)
        runs = list(in_order(_replay, replays, workers))
        with _unpacked(replays, work):
            yield [*chosen.folders, *copies, *runs]
    except OSError as error:
        raise OutputError(f"{work}: cannot be written: {cause_of(error)}") from error
    finally:
        remove_tree(work)


@contextmanager
def _unpacked(replays: Sequence[_Replay], folder: Path) -> Iterator[None]:
    """Keep bundles of replays unpacked during a block, as runs refer to the traces in them."""
    with ExitStack() as stack:
        for file in dict.fromkeys(each.trace for each in replays if names_bundle(each.job.trace)):
            stack.enter_context(open_bundle(file, folder, warns=False))
        yield


def _replays(
    jobs: Sequence[Job], plan: BatchPlan, work: Path, inputs: Inputs, workers: int | None
) -> list[_Replay]:
    """Return the replays of jobs, each with its own folder, after checking all jobs."""
    for job in jobs:
        if files_at(job.trace).stamp_of(job.trace) is None:
            raise InputError(f"{job.trace}: no such file")
    named: set[str] = set()
    configs = _configurations(jobs, plan, inputs, named)
    replays = []
    for number, job in enumerate(jobs):
        make_folder(work)
        place = f"{number:05d}"  # keeps runs with equal names apart
        trace = inputs.placed_in(inputs.trace(job.trace, None), work / "traces" / place)
        folder = work / place / (job.out or _stem(trace.name))
        config = None if _holds_bundle(job, plan) else configs[_setup(job)]
        replays.append(_Replay(trace, config, folder, job, plan))
    for each in replays:
        with _scenario_of(each, named):
            pass  # checks bundles, and warns of code in them
    if replays:
        logger.warning(
            "%s replayed, %s at a time, and the runs are not kept; give runs of `batch --truth` "
            "instead to replay nothing",
            "1 job is" if len(replays) == 1 else f"{len(replays)} jobs are",
            number_of(len(replays), workers),
        )
    return replays


def _stem(name: str) -> str:
    """Return the name of a trace or a bundle without its suffixes."""
    return Path(name).stem if names_bundle(name) else trace_stem(name)


def _holds_bundle(job: Job, plan: BatchPlan) -> bool:
    """Return whether the trace or the configuration of a job is a bundle."""
    return names_bundle(job.trace) or names_bundle(job.config or plan.config)


@contextmanager
def _scenario_of(
    asked: _Replay, named: set[str] | None = None
) -> Iterator[tuple[FrameSource, Config]]:
    """Yield trace and configuration of a replay; bundles are unpacked during the block.

    `named`: bundles whose Python code a warning has named; new ones are added. None: no warnings.
    """
    job, plan = asked.job, asked.plan
    if asked.config is not None:
        yield FrameSource(asked.trace), asked.config
        return

    def warns(address: str) -> bool:
        is_new = named is not None and address not in named
        if named is not None:
            named.add(address)
        return is_new

    inputs = Inputs(plan.scratch, plan.out, plan.keep_bytes)
    address = job.config or plan.config
    is_own = not address  # its own configuration is used
    with ExitStack() as stack:
        bundle: OpenBundle | None = None
        other: OpenBundle | None = None
        if names_bundle(job.trace):
            bundle = stack.enter_context(
                open_bundle(asked.trace, warns=is_own and warns(job.trace))
            )
        if names_bundle(address):
            other = stack.enter_context(opened_config(inputs, address, warns=warns(address)))
        chosen = other or bundle
        config = plan.configuration(job, inputs, None if chosen is None else chosen.config)
        if bundle is None:
            yield FrameSource(asked.trace), config
        else:
            yield TraceReading().else_of(bundle.manifest.reads).of(bundle.trace), config


def _configurations(
    jobs: Sequence[Job], plan: BatchPlan, inputs: Inputs, named: set[str]
) -> dict[Job, Config]:
    """Return the configuration for each distinct setup (see `_setup`) of jobs without bundles.

    The configuration of the plan is checked even if no job uses it, and added to `named`.
    """
    configs = {}
    with opened_config(inputs, plan.config) as bundle:
        file = None if bundle is None else bundle.config
        if plan.config:
            configs[Job(0, "")] = plan.configuration(Job(0, ""), inputs, file)
    named.add(plan.config)
    for job in jobs:
        if _holds_bundle(job, plan):
            continue
        setup = _setup(job)
        try:
            configs[setup] = configs.get(setup) or plan.configuration(setup, inputs)
        except ConfigurationError as error:
            raise ConfigurationError(f"{job.trace}: {error}") from None
    return configs


def _setup(job: Job) -> Job:
    """Return a job with only the values that affect its configuration."""
    return job._replace(number=0, trace="", out="")


def _replay(asked: _Replay) -> Path:
    """Replay a whole trace, with tables of ground truth if pyarrow is there; return the folder."""
    run = replay if is_parquet_missing() else replay_with_truth
    with _scenario_of(asked) as (source, config):
        report = run(source, config, asked.folder)
        if report.damage is not None:
            raise InputError(str(report.damage))
    return asked.folder
