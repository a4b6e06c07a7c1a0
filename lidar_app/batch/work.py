# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run jobs one by one in a process; kernels, meshes and hashes stay for later jobs."""

from __future__ import annotations

import logging
import time
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from lidar_app.batch.addresses import base_name, joined, protocol
from lidar_app.batch.contents import job_id
from lidar_app.batch.files import StoredFiles
from lidar_app.batch.inputs import Inputs, TraceInput, opened, opened_config
from lidar_app.batch.outputs import (
    Finished,
    add_files,
    check_replaceable,
    finished,
    publish,
    work_folder,
)
from lidar_app.batch.rows import (
    DAMAGED,
    DONE,
    FAILED,
    JobAnswer,
    Outcome,
    failed,
    read_row,
    waiting,
    write_row,
)
from lidar_app.batch.table import RUN_MARK
from lidar_app.bundle.scenario import TraceReading
from lidar_app.truth.run import TABLES, has_truth, replay_with_truth, write_truth
from lidar_base.files.unfinished import remove_tree
from lidar_base.files.whole_files import make_folder
from material_mapping import MaterialError
from osi_bridge import OsiError
from osi_lidar.errors import OsiLidarError, OutputError
from osi_lidar.output.frame_table import TABLE_NAME
from osi_lidar.run.cluster import working_alone
from osi_lidar.run.replay import replay
from raycore.errors import RayCoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from lidar_app.batch.plan import BatchPlan
    from lidar_app.batch.table import Job
    from lidar_app.bundle.opening import OpenBundle
    from osi_lidar.config import Config
    from osi_lidar.run.report import Report

    _Given = tuple[TraceInput, OpenBundle | None]
    """A trace, and None; or the file of a bundle, and the bundle."""

logger = logging.getLogger(__name__)
_PROBLEMS = (OsiLidarError, OsiError, RayCoreError, MaterialError)
_OUT_OF_MEMORY = "there is not enough memory"


class _StopError(Exception):
    """The batch ends; files of the unfinished job stay, so that the next batch can resume it."""


class _ElsewhereError(Exception):
    """Another process of the batch is making these outputs."""


class JobWorker:
    """Runs jobs of a batch one by one; kernels, meshes and hashes stay loaded for the next job.

    Parameters
    ----------
    plan : BatchPlan
        Options that all jobs share.
    """

    def __init__(self, plan: BatchPlan) -> None:
        self._plan = plan
        self._inputs = Inputs(plan.scratch, plan.out, plan.keep_bytes)

    def perform(
        self,
        job: Job,
        *,
        claim: Callable[[str], bool] = lambda _: True,
        going: Callable[[], bool] = lambda: True,
    ) -> JobAnswer:
        """Run a job unless it is done; store and return its outcome, which may be a failure.

        A job is done if its outputs are complete. It also counts as done if an earlier run with
        the same options failed, unless the plan retries such jobs (`retry_failed`).

        Parameters
        ----------
        job : Job
            The job.
        claim : callable
            Called with the name of the output folder before the outputs are made. If it returns
            False, another process is making the outputs, and the job is not run.
        going : callable
            Called after each step. If it returns False, the job ends, and a later batch can
            resume it.

        Returns
        -------
        JobAnswer
            The outcome, and whether the job was run now. The outcome is None if `claim` or `going`
            has returned False.
        """
        began_s = time.perf_counter()
        row, earlier = waiting(job, self._plan.options), None
        try:
            earlier = read_row(self._plan.out, job)
            if earlier and self._stays_failed(earlier):
                return JobAnswer(earlier)
            row, is_new = self._done(job, earlier, claim, going)
            if is_new:
                row = replace(row, seconds=round(time.perf_counter() - began_s, 6))
            elif earlier and earlier.job == row.job and not earlier.has_failed:
                return JobAnswer(earlier)
        except (_StopError, _ElsewhereError):
            return JobAnswer(None)
        except _PROBLEMS as error:
            row, is_new = failed(row, error), True
        except MemoryError:
            row, is_new = failed(row, _OUT_OF_MEMORY), True
        except Exception as error:  # a fault of one job must not end the others
            logger.debug("job of %s", job.trace, exc_info=True)
            row, is_new = failed(row, f"{type(error).__name__}: {error}"), True
        return JobAnswer(self._written(row), is_new)

    def _stays_failed(self, earlier: Outcome) -> bool:
        """Return whether a job has failed with the same options, and is not to be retried."""
        has_failed = earlier.status == FAILED and earlier.options == self._plan.options
        return has_failed and not self._plan.retry_failed

    def _done(
        self,
        job: Job,
        earlier: Outcome | None,
        claim: Callable[[str], bool],
        going: Callable[[], bool],
    ) -> tuple[Outcome, bool]:
        """Make the outputs of a job unless they exist; return its row, and whether they are new."""
        trace = self._inputs.trace(job.trace, _known(earlier))
        address = job.config or self._plan.config
        with (
            opened(self._inputs, trace, warns=not address) as bundle,
            opened_config(self._inputs, address, warns=bool(job.config)) as other,
        ):
            chosen = other or bundle
            file = None if chosen is None else chosen.config
            config = self._plan.configuration(job, self._inputs, file)
            return self._done_with(job, config, (trace, bundle), claim, going)

    def _done_with(
        self,
        job: Job,
        config: Config,
        given: _Given,
        claim: Callable[[str], bool],
        going: Callable[[], bool],
    ) -> tuple[Outcome, bool]:
        """Do the work of `_done` with an opened trace or bundle."""
        plan, inputs = self._plan, self._inputs
        trace, bundle = given
        name = job_id(
            trace.sha256,
            inputs.beside(job.trace) if bundle is None else "",
            inputs.contents.of_config(config),
            name=base_name(job.trace) if bundle is None else bundle.trace.name,
            asked=plan.asked,
        )
        place = plan.place(job.out or name)
        found = finished(place, name)
        is_new = found is None or self._lacks_truth(found)
        if found is None or is_new:
            if found is None:
                check_replaceable(place)
            if not claim(job.out or name):
                raise _ElsewhereError
            with working_alone(plan.threads):
                if found is None:
                    found = self._run(config, given, job.out or name, name, going)
                else:
                    found = self._with_truth(given, place, name, going)
        row = replace(
            waiting(job, plan.options),
            job=name,
            uri=place,
            trace_stamp=trace.stamp,
            trace_sha256=trace.sha256,
            outputs_sha256=found.outputs_sha256,
        )
        return _with_figures(row, found.report), is_new

    def _run(
        self, config: Config, given: _Given, out: str, job: str, going: Callable[[], bool]
    ) -> Finished:
        """Make the outputs of a job, and move them to their final address."""
        make_folder(self._plan.work)
        folder, is_left = work_folder(self._plan.work, out)
        if is_left and (self._plan.truth or _has_table(folder)):  # tables cannot be resumed
            remove_tree(folder)
            is_left = False
        kept = False
        try:
            with _placed(self._inputs, given) as file:
                source = _reading(self._plan, given).of(file, slice(*self._plan.frames))
                made = replay_with_truth if self._plan.truth else replay
                run = partial(made, source, config, folder, on_step=lambda _: going())
                if not _replayed(run, folder, go_on=is_left):
                    kept = True
                    raise _StopError
            return publish(folder, self._plan.place(out), job, _address(given))
        finally:
            if not kept:
                remove_tree(folder)

    def _lacks_truth(self, found: Finished) -> bool:
        return self._plan.truth and not found.names.issuperset(TABLES)

    def _with_truth(
        self, given: _Given, place: str, job: str, going: Callable[[], bool]
    ) -> Finished:
        """Add tables of ground truth to complete outputs; existing tables are only listed."""
        if not protocol(place) and has_truth(Path(place)):
            return add_files(Path(place), TABLES, place, job)

        def stop() -> None:
            if not going():
                raise _StopError

        make_folder(self._plan.work)
        own, _ = work_folder(self._plan.work, f"{job}.truth")
        remove_tree(own)
        try:
            with _placed(self._inputs, given) as file:
                run = _fetched(place, own / "run")
                write_truth(run, own / "tables", trace=file, after_step=stop)
            return add_files(own / "tables", TABLES, place, job)
        finally:
            remove_tree(own)

    def _written(self, row: Outcome) -> Outcome:
        """Write a row, and return it; if it cannot be written, the returned row has failed."""
        try:
            write_row(self._plan.out, row)
        except OsiLidarError as error:
            return row if row.status == FAILED else failed(row, error)
        return row


def _placed(inputs: Inputs, given: _Given) -> AbstractContextManager[Path]:
    """Return a context manager that gives the local file of a trace."""
    trace, bundle = given
    return inputs.placed(trace) if bundle is None else nullcontext(bundle.trace)


def _address(given: _Given) -> str:
    """Return the address of a trace, which may lie in a bundle."""
    trace, bundle = given
    return trace.address if bundle is None else f"{trace.address}/{bundle.manifest.trace}"


def _reading(plan: BatchPlan, given: _Given) -> TraceReading:
    """Return the options for reading messages, from the plan, else from the bundle."""
    said = TraceReading(message_type=plan.message_type, host_id=plan.host_id, source=plan.source)
    return said if given[1] is None else said.else_of(given[1].manifest.reads)


@cache
def worker_of(plan: BatchPlan) -> JobWorker:
    """Return this process's `JobWorker` for a plan; the first call with a plan makes it."""
    return JobWorker(plan)


def _has_table(folder: Path) -> bool:
    return any((folder / name).exists() for name in TABLES)


def _fetched(address: str, folder: Path) -> Path:
    """Return the folder of a run; from object storage, fetch its run.json and frame table."""
    if not protocol(address):
        return Path(address)
    for name in (RUN_MARK, TABLE_NAME):
        StoredFiles(address).get(joined(address, name), folder / name)
    return folder


def _replayed(run: Callable[..., Report], folder: Path, *, go_on: bool) -> bool:
    """Replay a trace into a folder; return whether the run has reached its end.

    If `go_on`, the run in the folder is resumed; if that is impossible, it starts anew.
    """
    if go_on:
        try:
            report = run(go_on=True)
        except OutputError:  # the folder belongs to another job, or is complete
            remove_tree(folder)
        else:
            return report.status != "interrupted"
    return run().status != "interrupted"


def _known(earlier: Outcome | None) -> TraceInput | None:
    """Return the trace of an earlier row with its hash; None if the row has no hash."""
    if earlier is None or not earlier.trace_sha256:
        return None
    return TraceInput(earlier.trace, earlier.trace_stamp, earlier.trace_sha256)


def _with_figures(row: Outcome, report: Mapping[str, object]) -> Outcome:
    """Return a row with status, counts and durations from run.json."""
    seconds, fallbacks = report.get("seconds"), report.get("fallbacks")
    total_s = float(seconds.get("total", 0.0)) if isinstance(seconds, dict) else 0.0
    return replace(
        row,
        status=DONE if report.get("complete") else DAMAGED,
        error=" ".join(str(report.get("damage") or "").split()),
        frames=_count(report, "frames_read"),
        points=_count(report, "points"),
        rays=_count(report, "rays_traced"),
        fallbacks=len(fallbacks) if isinstance(fallbacks, list) else 0,
        seconds=total_s,
        run_seconds=total_s,
    )


def _count(report: Mapping[str, object], key: str) -> int:
    """Return a count from run.json, 0 if it has none."""
    value = report.get(key)
    return value if isinstance(value, int) else 0
