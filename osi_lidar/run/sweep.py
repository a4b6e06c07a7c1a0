# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run variants of a configuration side by side, and find the best one."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from material_mapping import MaterialError
from osi_bridge import OsiError, empty_frame
from osi_lidar.config import load_config
from osi_lidar.errors import OsiLidarError
from osi_lidar.model import LidarModel
from osi_lidar.run.cluster import cores, n_workers, working_alone
from osi_lidar.run.objective import Tally
from osi_lidar.run.variation import variants
from raycore.errors import RayCoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from osi_bridge import Frame
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.run.objective import Objective
    from osi_lidar.run.variation import Key, Value, Variation

_LOOK_S = 0.1
_NOT_RUN = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One variant: the values that replace those of the configuration."""

    config: Path
    changes: dict[Key, Value]
    source: FrameSource | None
    objective: Objective
    threads: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What became of a variant.

    Attributes
    ----------
    values : tuple
        One for each key that varies.
    objective : float or None
        What it came to; None where the variant failed.
    error : str
        Why it failed, one line; empty if it did not.
    """

    values: tuple[Value, ...]
    objective: float | int | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """All variants, in their order.

    Attributes
    ----------
    variations : tuple of Variation
        The keys that vary.
    objective : Objective
        What was counted.
    rows : tuple of Row
        One for each variant.
    interrupted : bool
        Whether some were not run, because the end was asked for.
    """

    variations: tuple[Variation, ...]
    objective: Objective
    rows: tuple[Row, ...]
    interrupted: bool

    @property
    def best(self) -> Row | None:
        """The best variant, the first of several; None if all failed."""
        done = [row for row in self.rows if row.objective is not None]
        if not done:
            return None
        return max(done, key=lambda row: self.objective.sign * (row.objective or 0))

    @property
    def failed(self) -> tuple[Row, ...]:
        """The variants that failed."""
        return tuple(row for row in self.rows if row.error)


def run_sweep(  # noqa: PLR0913  as many choices
    client: Any,  # noqa: ANN401  dask has no types
    config: Path,
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
    config : Path
        The configuration that is varied.
    variations : sequence of Variation
        Keys and their values; all combinations are run.
    objective : Objective
        What is counted.
    source : FrameSource, optional
        A trace that each variant replays; without one the static scene is scanned once.
    on_progress : callable
        Called with the number of finished variants; no more are begun if it returns False.

    Raises
    ------
    InputError
        If there are too many variants.
    """
    values = variants(variations)
    threads = None if client.cluster is None else max(cores() // n_workers(client), 1)
    tasks = [
        Task(
            config=config.absolute(),
            changes={each.key: value for each, value in zip(variations, chosen, strict=True)},
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
    """Return what a variant comes to, or why it failed: what a worker does."""
    with working_alone(task.threads):
        try:
            config = load_config(task.config, changes=task.changes)
            folder = None if task.source is None else task.source.path.parent
            model, tally = LidarModel(config, trace_folder=folder), Tally(task.objective)
            frames: Iterable[Frame] = [empty_frame()] if task.source is None else task.source
            for frame in frames:
                tally.add(model, model.step(frame))
            return tally.value(model.materials.entries), ""
        except (OsiLidarError, OsiError, RayCoreError, MaterialError) as error:
            return None, " ".join(str(error).split())


def _outcome(future: Any) -> tuple[float | int | None, str]:  # noqa: ANN401
    """Return what a task gave; what a worker died of is the error of its variant."""
    from distributed import KilledWorker  # noqa: PLC0415  an extra

    if not future.done():
        return None, _NOT_RUN
    try:
        number, error = future.result()
    except KilledWorker:
        return None, "a worker died of it, perhaps for want of memory"
    except MemoryError:
        return None, "there is not enough memory for it"
    return number, error
