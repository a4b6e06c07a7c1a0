# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run variants of a configuration in parallel, and find the best one."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from lidar_app.batch.objective import Tally
from lidar_app.batch.sweep_records import DIED, NOT_RUN, OUT_OF_MEMORY, Row, Sweep
from lidar_app.batch.variation import variants
from lidar_base.files.shown_paths import shown_text
from material_mapping import MaterialError
from osi_bridge import OsiError, empty_frame
from osi_lidar.config import load_config
from osi_lidar.errors import OsiLidarError
from osi_lidar.run.cluster import cores, n_workers, working_alone
from osi_lidar.run.replay import model_of
from raycore.errors import RayCoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from distributed import Client, Future

    from lidar_app.batch.objective import Objective
    from lidar_app.batch.sweep_log import SweepLog
    from lidar_app.batch.sweep_records import SweepPlan
    from lidar_app.batch.variation import Key, Value
    from osi_bridge import Frame
    from osi_lidar.run.frame_source import FrameSource

_LOOK_S = 0.02
_AHEAD = 8  # variants per worker: the one that runs, and the queue


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One variant of a sweep, as a worker of the cluster gets it.

    Attributes
    ----------
    config : Path
        File of the configuration that the sweep varies.
    changes : dict of tuple to object
        Values to set in the configuration, by key path such as ("sensors", 0, "preset").
    source : FrameSource or None
        The trace to replay; None: the static scene is scanned once.
    objective : Objective
        The quantity to compute.
    threads : int or None
        Number of threads of the run; None: as many as the worker has.
    """

    config: Path
    changes: dict[Key, object]  # key in the configuration, and the value to set
    source: FrameSource | None  # the trace; None: the static scene is scanned once
    objective: Objective
    threads: int | None  # number of threads of the run; None: as the worker has


def run_sweep(
    client: Client,
    plan: SweepPlan,
    log: SweepLog | None = None,
    on_progress: Callable[[int], bool] = lambda _: True,
) -> Sweep:
    """Run all variants in the workers of a dask cluster, and return a sweep with all outcomes.

    The row of a variant that failed, or was not run because of an interrupt, has an error.

    Parameters
    ----------
    client : distributed.Client
        Client of a dask cluster. All workers must see the same files under the same names.
    plan : SweepPlan
        The variants and the objective.
    log : SweepLog, optional
        Log of finished variants. A row is added as soon as its variant finishes, if `Row.is_final`
        is true. A variant that has a row in the log already is not run.
    on_progress : callable
        Called many times a second with the number of finished variants; returning False
        ends the sweep, which is interrupted if a variant is missing then.

    Raises
    ------
    InputError
        If there are too many variants, or a key is varied twice.
    OutputError
        If a row cannot be written.
    """
    values = variants(plan.variations)
    rows = {} if log is None else {row.values: row for row in log.rows}
    for row in _rows(client, _tasks(client, plan, [each for each in values if each not in rows])):
        if row is not None:
            rows[row.values] = row
            if log is not None and row.is_final:
                log.add(row)
        if not on_progress(len(rows)):
            break
    return Sweep(
        variations=plan.variations,
        objective=plan.objective,
        rows=tuple(rows.get(each) or Row(values=each, error=NOT_RUN) for each in values),
        interrupted=any(each not in rows for each in values),
    )


def _tasks(
    client: Client, plan: SweepPlan, values: Iterable[tuple[Value, ...]]
) -> Iterator[tuple[tuple[Value, ...], Task]]:
    """Yield the values of the varied keys and the task of each variant."""
    threads = None if client.cluster is None else max(cores() // n_workers(client), 1)
    keys = [each.key for each in plan.variations]
    for chosen in values:
        yield (
            chosen,
            Task(
                config=plan.config.file.absolute(),
                changes=plan.config.changes | dict(zip(keys, chosen, strict=True)),
                source=plan.source,
                objective=plan.objective,
                threads=threads,
            ),
        )


def _rows(client: Client, tasks: Iterator[tuple[tuple[Value, ...], Task]]) -> Iterator[Row | None]:
    """Yield rows as variants finish, and None every 20 ms while none does."""
    running: dict[Future, tuple[Value, ...]] = {}
    try:
        while True:
            room = _AHEAD * n_workers(client) - len(running)
            for chosen, task in islice(tasks, max(room, 0)):
                running[client.submit(run_variant, task, pure=False)] = chosen
            if not running:
                return
            ended = [future for future in running if future.done()]
            for future in ended:
                objective, error = _outcome(future)
                yield Row(values=running.pop(future), objective=objective, error=shown_text(error))
            if not ended:
                time.sleep(_LOOK_S)
                yield None
    finally:
        client.cancel(list(running))


def run_variant(task: Task) -> tuple[float | int | None, str]:
    """Run one variant of a sweep in this process, and return its objective or its error.

    Errors of osi-lidar, such as a wrong configuration or trace, are returned as text. Any other
    exception is raised.

    Parameters
    ----------
    task : Task
        Configuration file with the values to set in it, trace, objective, and number of threads.

    Returns
    -------
    objective : float, int or None
        Value of the quantity `Task.objective`; None if the variant failed.
    error : str
        Why the variant failed, in one line; empty if it succeeded.
    """
    with working_alone(task.threads):
        try:
            config = load_config(task.config, changes=task.changes)
            if task.objective.placement is not None:
                return task.objective.placement.value(config, task.source), ""
            model, tally = model_of(config, task.source), Tally(task.objective)
            frames: Iterable[Frame] = [empty_frame()] if task.source is None else task.source
            for frame in frames:
                tally.add(model, model.step(frame))
            return tally.value(model.materials.entries), ""
        except (OsiLidarError, OsiError, RayCoreError, MaterialError) as error:
            return None, " ".join(str(error).split())


def _outcome(future: Future) -> tuple[float | int | None, str]:
    """Return objective and error of a task; if its worker died, the error says so."""
    from distributed import KilledWorker

    try:
        number, error = future.result()
    except KilledWorker:
        return None, DIED
    except MemoryError:
        return None, OUT_OF_MEMORY
    return number, error
