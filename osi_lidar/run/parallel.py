# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A replay in several processes, each with an interval of the trace: the same bytes as in one.

Each process follows the messages before its interval (they are decoded, and the scene is kept in
step with them, see ``LidarModel.follow``) and traces only its own. It writes its clouds into the
folder of the run and all else into a journal; the journals are then joined in their order.
"""

from __future__ import annotations

import logging
import time
import uuid
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from material_mapping import MaterialError
from osi_bridge import DamagedTrace, OsiError, TraceError
from osi_lidar.errors import ClusterError, InputError, OsiLidarError, OutputError
from osi_lidar.model import LidarModel
from osi_lidar.output.files import remove
from osi_lidar.output.run_folder import FRAME_COLUMNS, remove_clouds
from osi_lidar.run.cluster import cores, n_workers, working_alone
from osi_lidar.run.journal import Journal, read_journal
from osi_lidar.run.replay import (
    Progress,
    Report,
    describe,
    prepare,
    report_content,
    take,
    without_interrupts,
)
from raycore.errors import RayCoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from osi_lidar.config import Config
    from osi_lidar.output.run_folder import Rows, RunFolder
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.run.intervals import Interval
    from osi_lidar.world.fallbacks import Fallback

logger = logging.getLogger(__name__)
_STOP = ".stop.part"
_TRACED, _POINTS, _FILE = map(FRAME_COLUMNS.index, ("traced", "points", "file"))
_LOOK_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One interval of a replay, as a task."""

    number: int
    interval: Interval
    source: FrameSource
    config: Config
    out: Path
    described: dict[str, object]
    topic: str
    threads: int | None

    @property
    def journal(self) -> Path:
        """Where all but the clouds is written."""
        return self.out / f".interval-{self.number:03d}.part"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """How a part ended: what run.json would say if it were the last one."""

    content: dict[str, Any]
    damage: tuple[int, int, str] | None
    fallbacks: list[Fallback]
    warnings: list[str]
    error: str | None


def replay_on(  # noqa: PLR0913  as many choices
    client: Any,  # noqa: ANN401  dask has no types
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
        As of ``run.replay``.
    n_intervals : int, optional
        Parts of the trace; default: as many as workers.
    on_progress : callable
        Called with the number of answered frames; the run ends, with whole files, if it returns
        False.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError, MaterialError
        As ``run.replay``. The frames before the one that could not be answered stay.
    """
    began_s = time.perf_counter()
    described = describe(source)
    # what cannot be used is told before anything is written, and the workers find meshes parsed
    with _collected_warnings():  # the workers' are shown
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
    stop = out / _STOP
    remove(stop)
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
        )
        for number, interval in enumerate(parts)
    ]
    try:
        done = _finished(client, tasks, stop, lambda n: on_progress(kept.n_frames + n))
        return _joined(folder, tasks, done, kept.points, began_s)
    finally:
        for file in (stop, *(task.journal for task in tasks)):
            remove(file)


def run_part(part: Part) -> Done:
    """Answer the frames of an interval: what a worker does."""
    with working_alone(part.threads), ExitStack() as stack:
        warnings = stack.enter_context(_collected_warnings())
        model = LidarModel(part.config, trace_folder=part.source.path.parent)
        progress = Progress(interval=part.interval)
        told_s = 0.0

        def on_step(progress: Progress) -> bool:
            nonlocal told_s
            if time.monotonic() - told_s > _LOOK_S:
                told_s = time.monotonic()
                _tell(part, progress.frames_read - part.interval.begin)
            return not (part.out / _STOP).exists()

        error = None
        try:
            with part.journal.open("wb") as file:
                journal = Journal(file, part.out, part.config)
                try:
                    with journal:
                        take(iter(part.source), model, journal.write, on_step, progress)
                finally:
                    progress.take_back(journal.unwritten)
        except (OsiLidarError, OsiError, RayCoreError, MaterialError) as problem:
            progress.status, error = "failed", str(problem)
        except OSError as problem:
            progress.status = "failed"
            error = f"{part.out}: cannot be written: {problem.strerror or problem}"
        damage = progress.damage
        return Done(
            content=report_content(model, progress, part.described),
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
    """Keep warnings for the process that shows them."""
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
    client: Any,  # noqa: ANN401
    tasks: Sequence[Part],
    stop: Path,
    on_progress: Callable[[int], bool],
) -> list[Done]:
    """Let the workers do all tasks, or end early where that is asked for."""
    answered: dict[int, int] = {}
    client.subscribe_topic(tasks[0].topic, lambda event: answered.update([event[1]]))
    futures = client.map(run_part, tasks, pure=False)
    try:
        while not all(future.done() for future in futures):
            if not on_progress(sum(answered.values())):
                stop.touch()
            time.sleep(_LOOK_S)
        return [_result(future) for future in futures]
    finally:
        stop.touch()
        client.cancel(futures)
        client.unsubscribe_topic(tasks[0].topic)


def _result(future: Any) -> Done:  # noqa: ANN401
    from distributed import KilledWorker  # noqa: PLC0415  an extra

    try:
        done: Done = future.result()
    except KilledWorker as error:
        raise ClusterError(
            "a worker died, perhaps for want of memory; `--resume` goes on with what is whole"
        ) from error
    return done


def _joined(
    folder: RunFolder, tasks: Sequence[Part], done: Sequence[Done], n_points: int, began_s: float
) -> Report:
    """Join what the parts have written, up to the first one that did not come to its end."""
    last = next(
        (n for n, one in enumerate(done) if one.content["status"] != "complete"), len(done) - 1
    )
    with without_interrupts():
        steps = chain.from_iterable(read_journal(task.journal) for task in tasks[: last + 1])
        content = _content(tasks, done[: last + 1])
        content["points"] = n_points + sum(one.content["points"] for one in done[: last + 1])
        problem, lost = _add(folder, steps)
        _take_back(content, lost)
        unused = chain.from_iterable(read_journal(task.journal) for task in tasks[last + 1 :])
        for rows in (*lost, *(rows for _, rows, _ in unused)):
            remove_clouds(folder.path, _clouds(rows))
        content["seconds"]["total"] = round(time.perf_counter() - began_s, 6)
        with suppress(OSError):  # a worker may have died, and another one done its work
            folder.remove_unfinished()
        folder.finish(content)
    end = done[last]
    for line in dict.fromkeys(end.warnings):
        logger.warning("%s", line)
    if problem is not None:
        raise problem
    if end.error is not None:
        raise InputError(end.error)
    damage = None
    if end.damage is not None:
        frame, offset, reason = end.damage
        damage = DamagedTrace(tasks[0].source.path, frame=frame, offset=offset, reason=reason)
    return Report(status=content["status"], damage=damage, content=content, fallbacks=end.fallbacks)


def _content(tasks: Sequence[Part], done: Sequence[Done]) -> dict[str, Any]:
    """Return what run.json says: the last part has followed or answered all frames."""
    content = done[-1].content
    if content["frames_read"] < tasks[len(done) - 1].interval.begin:  # it did not get there
        content = {**done[-2].content, "status": content["status"], "complete": False}
    stages = done[0].content["seconds"]
    seconds = {name: round(sum(one.content["seconds"][name] for one in done), 6) for name in stages}
    return {**content, "seconds": seconds}


def _add(
    folder: RunFolder, steps: Iterator[tuple[int, Rows, bytes]]
) -> tuple[OutputError | TraceError | None, list[Rows]]:
    """Add steps to the folder; return why one could not be, and the rows from that one on."""
    for time_ns, rows, sensor_data in steps:
        try:
            folder.add(rows, sensor_data, time_ns)
        except (OutputError, TraceError) as error:  # noqa: PERF203  one at most
            return error, [rows, *(others for _, others, _ in steps)]
    return None, []


def _take_back(content: dict[str, Any], lost: Sequence[Rows]) -> None:
    """Count steps no more: they could not be added."""
    if lost:
        content.update(status="failed", complete=False)
    for rows in lost:
        traced = [row for row in rows if row[_TRACED]]
        content["frames_read"] -= 1
        content["frames_traced" if traced else "frames_unchanged"] -= 1
        content["points"] -= sum(int(str(row[_POINTS])) for row in traced)


def _clouds(rows: Rows) -> list[str]:
    """Return the names of the clouds that rows of frames.csv have written."""
    return [str(row[_FILE]) for row in rows if row[_TRACED] and row[_FILE]]
