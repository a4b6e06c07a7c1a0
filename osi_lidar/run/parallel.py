# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Replay in several processes, with the same bytes as in one process.

Each process answers an interval of the trace. It follows the messages before the interval: they
are decoded and update the scene, but no rays are traced (see ``LidarModel.follow``). It writes its
clouds into the folder of the run, and everything else into a journal. Finally the journals are
joined in their order.
"""

from __future__ import annotations

import logging
import time
import uuid
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from lidar_base.files.unfinished import unfinished_name
from lidar_base.files.whole_files import cause_of, remove
from lidar_base.process.interrupts import without_interrupts
from material_mapping import MaterialError
from osi_bridge import DamagedTrace, OsiError, TraceError
from osi_lidar.errors import ClusterError, InputError, OsiLidarError, OutputError
from osi_lidar.model import LidarModel
from osi_lidar.output.frame_table import FRAME_COLUMNS
from osi_lidar.output.writers import remove_scans
from osi_lidar.run.cluster import cores, n_workers, working_alone
from osi_lidar.run.journal import Entry, Journal, read_journal
from osi_lidar.run.replay import describe, model_of, prepare, take
from osi_lidar.run.report import Progress, Report, RunRecord, run_record, warn_of_few_points
from osi_lidar.run.viewer_file import write_viewer_file
from raycore.errors import RayCoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from distributed import Client, Future

    from osi_lidar.config import Config
    from osi_lidar.output.frame_table import FrameRows
    from osi_lidar.output.run_folder import RunFolder
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.run.intervals import Interval
    from osi_lidar.run.resume import Kept
    from osi_lidar.world.fallbacks import Fallback

logger = logging.getLogger(__name__)
_TRACED, _POINTS, _FILE = map(FRAME_COLUMNS.index, ("traced", "points", "file"))
_LOOK_S = 0.1
_DIED = "a worker process died, perhaps out of memory; use `--resume` to continue the run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One interval of a replay, as a task for a worker process.

    ``number`` counts the parts from 0. ``interval`` is the frames to answer. ``source``, ``config``
    and ``out`` are as for `replay`, ``described`` is the entry ``input`` of run.json, and
    ``threads`` is as for `cluster.working_alone`. The worker writes clouds into the folder ``out``,
    and all other results into the file ``journal``. It reports its progress on the dask ``topic``,
    and ends early once the file ``stop`` exists.
    """

    number: int
    interval: Interval
    source: FrameSource
    config: Config
    out: Path
    described: dict[str, object]
    topic: str
    threads: int | None
    journal: Path
    stop: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a `Part` ended.

    ``record`` is the record of a run that would end with this part: it counts all frames of the run
    until then, but only the points of this part. ``damage`` is (frame, offset in the trace, reason)
    if the trace is damaged. ``error`` is the text of the error that ended the part, if any.
    ``fallbacks`` and ``warnings`` list the substitutions of the model and the texts of warnings.
    """

    record: RunRecord
    damage: tuple[int, int, str] | None
    fallbacks: list[Fallback]
    warnings: list[str]
    error: str | None


def replay_on(  # noqa: PLR0913  as many choices
    client: Client,
    source: FrameSource,
    config: Config,
    out: Path,
    *,
    n_intervals: int | None = None,
    overwrite: bool = False,
    go_on: bool = False,
    on_progress: Callable[[int], bool] = lambda _: True,
) -> Report:
    """Replay a trace in the processes of a cluster.

    Parameters
    ----------
    client : distributed.Client
        See ``cluster.cluster``. All workers see the same files under the same names.
    source, config, out, overwrite, go_on
        As for `replay`.
    n_intervals : int, optional
        Number of parts of the trace, at most one per frame; default: one for each worker.
    on_progress : callable
        Called every 0.1 s with the number of answered frames, including resumed ones; returning
        False ends the run, with complete files.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError, MaterialError
        As for `replay`; the results of the frames before the failed one stay. ClusterError: a
        worker process died; the results of the parts before its part stay.
    """
    began_s = time.perf_counter()
    described = describe(source)
    # checks the inputs before anything is written, and parses the meshes for the workers
    with _collected_warnings():  # only the workers' warnings are shown
        LidarModel(config, trace_folder=source.path.parent)
    folder, kept, parts = prepare(
        source,
        config,
        out,
        described,
        overwrite=overwrite,
        go_on=go_on,
        n=n_intervals or n_workers(client),
    )
    folder.open()
    stop = out.absolute() / unfinished_name("stop")
    topic = f"osi-lidar-{uuid.uuid4()}"
    threads = None if client.cluster is None else max(cores() // n_workers(client), 1)
    tasks = [
        Part(
            number=number,
            interval=interval,
            source=source,
            config=config,
            out=out.absolute(),
            described=described,
            topic=topic,
            threads=threads,
            journal=out.absolute() / unfinished_name(f"interval-{number:03d}"),
            stop=stop,
        )
        for number, interval in enumerate(parts)
    ]
    try:
        done = _finished(client, tasks, stop, lambda n: on_progress(kept.n_frames + n))
        report = _joined(folder, tasks, done, kept, began_s)
    finally:
        for file in (stop, *(task.journal for task in tasks)):
            remove(file)
    write_viewer_file(out, config, report.status)
    return report


def run_part(part: Part) -> Done:
    """Answer the frames of a part in a worker, and write their clouds and the part's journal.

    Errors of the run are not raised: the result has them.
    """
    with working_alone(part.threads), ExitStack() as stack:
        warnings = stack.enter_context(_collected_warnings())
        model = model_of(part.config, part.source)
        progress = Progress(interval=part.interval)
        told_s = 0.0

        def on_step(progress: Progress) -> bool:
            nonlocal told_s
            if time.monotonic() - told_s > _LOOK_S:
                told_s = time.monotonic()
                _tell(part, progress.frames_read - part.interval.begin)
            return not part.stop.exists()

        error = None
        try:
            with part.journal.open("wb") as file:
                journal = Journal(file, part.out, part.config)
                try:
                    with journal:
                        take(part.source.messages(), model, journal.write, on_step, progress)
                finally:
                    progress.take_back(journal.unwritten)
        except (OsiLidarError, OsiError, RayCoreError, MaterialError) as problem:
            progress.status, error = "failed", str(problem)
        except OSError as problem:
            progress.status = "failed"
            error = f"{part.out}: cannot be written: {cause_of(problem)}"
        damage = progress.damage
        return Done(
            record=run_record(model, progress, part.described),
            damage=None if damage is None else (damage.frame, damage.offset, damage.reason),
            fallbacks=model.fallbacks,
            warnings=warnings,
            error=error,
        )


def _tell(part: Part, n_answered: int) -> None:
    from distributed import get_worker  # noqa: PLC0415  an extra

    get_worker().log_event(part.topic, (part.number, max(n_answered, 0)))


@contextmanager
def _collected_warnings() -> Iterator[list[str]]:
    """Collect the warnings of the block, so that the main process can show them."""
    lines: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    loggers = [logging.getLogger(f"{name}") for name in ("osi_lidar", "osi_bridge")]
    for each in loggers:
        each.addHandler(handler)
        each.propagate = False
    try:
        yield lines
    finally:
        for each in loggers:
            each.removeHandler(handler)
            each.propagate = True


def _finished(
    client: Client,
    tasks: Sequence[Part],
    stop: Path,
    on_progress: Callable[[int], bool],
) -> list[Done]:
    """Run all tasks in the workers, or stop early if ``on_progress`` returns False.

    The results end before the first part whose worker died.
    """
    answered: dict[int, int] = {}
    client.subscribe_topic(tasks[0].topic, lambda event: answered.update([event[1]]))
    futures = client.map(run_part, tasks, pure=False)
    try:
        while not all(future.done() for future in futures):
            if not on_progress(sum(answered.values())):
                stop.touch()
            time.sleep(_LOOK_S)
        return _results(futures)
    finally:
        stop.touch()
        client.cancel(futures)
        client.unsubscribe_topic(tasks[0].topic)


def _results(futures: Sequence[Future]) -> list[Done]:
    """Return the results up to the first part whose worker died; ClusterError if that is part 0."""
    done: list[Done] = []
    for future in futures:
        one = _result(future)
        if one is None:
            break
        done.append(one)
    if not done:
        raise ClusterError(_DIED)
    return done


def _result(future: Future) -> Done | None:
    """Return how a part ended; None if its worker died."""
    from distributed import KilledWorker  # noqa: PLC0415  an extra

    try:
        done: Done = future.result()
    except KilledWorker:
        return None
    return done


def _joined(
    folder: RunFolder, tasks: Sequence[Part], done: Sequence[Done], kept: Kept, began_s: float
) -> Report:
    """Join the journals of the parts, up to the first part that was not completed.

    If there are fewer results than parts, a worker died; unless a part before failed, its death is
    raised after the joining.
    """
    last = next((n for n, one in enumerate(done) if one.record.status != "complete"), len(done) - 1)
    died = done[last].record.status == "complete" and last + 1 < len(tasks)
    with without_interrupts():
        steps = chain.from_iterable(read_journal(task.journal) for task in tasks[: last + 1])
        problem, lost = _add(folder, steps)
        record = _without(_record(tasks, done[: last + 1], kept), lost)
        unused = chain.from_iterable(read_journal(task.journal) for task in tasks[last + 1 :])
        for rows in (*lost, *(each.rows for each in unused)):
            remove_scans(folder.path, _scans(rows))
        total_s = round(time.perf_counter() - began_s, 6)
        record = replace(record, seconds={**record.seconds, "total": total_s})
        record = replace(record, status="failed") if died else record
        try:
            record = replace(record, files=folder.finish(record.content()))
        finally:
            folder.remove_unfinished()  # from a worker that died and was replaced by another
    end = done[last]
    for line in dict.fromkeys(end.warnings):
        logger.warning("%s", line)
    if problem is not None:
        raise problem
    if died:
        raise ClusterError(_DIED)
    if end.error is not None:
        raise InputError(end.error)
    damage = None
    if end.damage is not None:
        frame, offset, reason = end.damage
        damage = DamagedTrace(tasks[0].source.path, frame=frame, offset=offset, reason=reason)
    warn_of_few_points(record)
    return Report(record=record, damage=damage, fallbacks=end.fallbacks)


def _record(tasks: Sequence[Part], done: Sequence[Done], kept: Kept) -> RunRecord:
    """Return the record of the run: the record of the last part, which has read all frames.

    Points and seconds are summed over all parts; the points of kept frames are added.
    """
    records = [one.record for one in done]
    record = records[-1]
    begin = tasks[len(done) - 1].interval.begin
    if record.frames_read < begin and len(records) > 1:  # it ended before its interval
        record = replace(records[-2], status=record.status)
    unknown = {"frames_unknown": kept.n_unknown} if kept.n_unknown else {}
    return replace(
        record,
        points=kept.points + sum(one.points for one in records),
        made_with={**record.made_with, **unknown},
        seconds={
            name: round(sum(one.seconds[name] for one in records), 6) for name in records[0].seconds
        },
    )


def _add(
    folder: RunFolder, steps: Iterator[Entry]
) -> tuple[OutputError | TraceError | None, list[FrameRows]]:
    """Add steps to the folder; on failure return the error and the rows of all steps left."""
    for time_ns, rows, sensor_data, tables in steps:
        try:
            folder.add(rows, sensor_data, tables, time_ns)
        except (OutputError, TraceError) as error:  # noqa: PERF203  one at most
            return error, [rows, *(other.rows for other in steps)]
    return None, []


def _without(record: RunRecord, lost: Sequence[FrameRows]) -> RunRecord:
    """Return the record of a run without the steps that could not be added."""
    if not lost:
        return record
    traced = [[row for row in rows if row[_TRACED]] for rows in lost]
    return replace(
        record,
        status="failed",
        frames_read=record.frames_read - len(lost),
        frames_traced=record.frames_traced - sum(1 for rows in traced if rows),
        points=record.points - sum(int(str(row[_POINTS])) for rows in traced for row in rows),
    )


def _scans(rows: FrameRows) -> list[tuple[str, int]]:
    """Return sensor and number of each scan that has a cloud of its own in rows of frames.csv."""
    clouds = [PurePosixPath(str(row[_FILE])) for row in rows if row[_TRACED] and row[_FILE]]
    return [(str(cloud.parent), int(cloud.stem)) for cloud in clouds]
