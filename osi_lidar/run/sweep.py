# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run variants of a configuration in parallel, and find the best one."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from material_mapping import MaterialError
from osi_bridge import OsiError, empty_frame
from osi_lidar.config import load_config
from osi_lidar.errors import OsiLidarError
from osi_lidar.run.cluster import cores, n_workers, working_alone
from osi_lidar.run.objective import Tally
from osi_lidar.run.replay import model_of
from osi_lidar.run.variation import variants
from raycore.errors import RayCoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from distributed import Client, Future

    from osi_bridge import Frame
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.run.objective import Objective
    from osi_lidar.run.variation import Key, Value, Variation

_LOOK_S = 0.1
_NOT_RUN = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unvaried:
    """The configuration that variants change: a file, and values that options put in place."""

    file: Path
    changes: dict[Key, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One variant: the values to change in the configuration, and how to run it."""

    config: Path
    changes: dict[Key, object]
    source: FrameSource | None
    objective: Objective
    threads: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The outcome of a variant.

    Attributes
    ----------
    values : tuple
        The value of each varied key.
    objective : float or None
        The value of the objective; None if the variant failed.
    error : str
        Why the variant failed, one line; empty if it did not.
    """

    values: tuple[Value, ...]
    objective: float | int | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The outcome of a sweep.

    Attributes
    ----------
    variations : tuple of Variation
        The varied keys.
    objective : Objective
        The objective.
    rows : tuple of Row
        The outcome of each variant, in order.
    interrupted : bool
        Whether the sweep was interrupted, so that some variants were not run.
    """

    variations: tuple[Variation, ...]
    objective: Objective
    rows: tuple[Row, ...]
    interrupted: bool

    @property
    def best(self) -> Row | None:
        """The best variant, the first one in case of a tie; None if all failed."""
        done = [row for row in self.rows if row.objective is not None]
        if not done:
            return None
        return max(done, key=lambda row: self.objective.sign * (row.objective or 0))

    @property
    def failed(self) -> tuple[Row, ...]:
        """The variants that failed."""
        return tuple(row for row in self.rows if row.error)


def run_sweep(  # noqa: PLR0913  as many choices
    client: Client,
    config: Unvaried,
    variations: Sequence[Variation],
    objective: Objective,
    *,
    source: FrameSource | None = None,
    on_progress: Callable[[int], bool] = lambda _: True,
) -> Sweep:
    """Run all variants in the processes of a cluster.

    Parameters
    ----------
    client : distributed.Client
        See ``cluster.cluster``. All workers see the same files under the same names.
    config : Unvaried
        The configuration to vary.
    variations : sequence of Variation
        Keys and their values; every combination is run.
    objective : Objective
        The objective.
    source : FrameSource, optional
        The trace that each variant replays; without one, the static scene is scanned once.
    on_progress : callable
        Called with the number of finished variants; returning False starts no more of them.

    Raises
    ------
    InputError
        If there are too many variants.
    """
    keys, values = [each.key for each in variations], variants(variations)
    threads = None if client.cluster is None else max(cores() // n_workers(client), 1)
    tasks = [
        Task(
            config=config.file.absolute(),
            changes=config.changes | dict(zip(keys, chosen, strict=True)),
            source=source,
            objective=objective,
            threads=threads,
        )
        for chosen in values
    ]
    futures = client.map(run_variant, tasks, pure=False)
    interrupted = False
    try:
        while not (interrupted or all(future.done() for future in futures)):
            time.sleep(_LOOK_S)
            interrupted = not on_progress(sum(future.done() for future in futures))
        outcomes = [_outcome(future) for future in futures]
    finally:
        client.cancel(futures)
    rows = [
        Row(values=chosen, objective=number, error=error)
        for chosen, (number, error) in zip(values, outcomes, strict=True)
    ]
    return Sweep(
        variations=tuple(variations),
        objective=objective,
        rows=tuple(rows),
        interrupted=interrupted,
    )


def run_variant(task: Task) -> tuple[float | int | None, str]:
    """Run a variant in a worker; return its objective, or why it failed."""
    with working_alone(task.threads):
        try:
            config = load_config(task.config, changes=task.changes)
            model, tally = model_of(config, task.source), Tally(task.objective)
            frames: Iterable[Frame] = [empty_frame()] if task.source is None else task.source
            for frame in frames:
                tally.add(model, model.step(frame))
            return tally.value(model.materials.entries), ""
        except (OsiLidarError, OsiError, RayCoreError, MaterialError) as error:
            return None, " ".join(str(error).split())


def _outcome(future: Future) -> tuple[float | int | None, str]:
    """Return the result of a task; the death of a worker is the error of its variant."""
    from distributed import KilledWorker  # noqa: PLC0415  an extra

    if not future.done():
        return None, _NOT_RUN
    try:
        number, error = future.result()
    except KilledWorker:
        return None, "its worker died, perhaps because it ran out of memory"
    except MemoryError:
        return None, "there is not enough memory"
    return number, error
