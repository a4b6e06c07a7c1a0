# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The tables of ground truth of the runs of a data set; missing tables are written once."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lidar_app.datasets.processes import in_order, number_of
from lidar_app.truth.run import has_truth, write_truth
from lidar_app.truth.tables import BOXES
from osi_lidar.errors import ConfigurationError, InputError, OutputError
from osi_lidar.output.parquet_file import is_parquet_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lidar_app.datasets.record import SetRequest
    from lidar_app.datasets.sources import RunSource

logger = logging.getLogger(__name__)


class _Lacking(NamedTuple):
    """A run without tables, and another folder for them if the run is read-only."""

    run: Path
    other: Path


class Written(NamedTuple):
    """Where the tables of ground truth of a run were written.

    `folder` is None if they could not be written. `reason` says why they are not beside the run; it
    is empty if they are.
    """

    folder: Path | None
    reason: str = ""


Watched: TypeAlias = "Callable[[Iterable[Written], int], Iterable[Written]]"
"""Function that shows progress, such as a progress bar.

It takes an iterable of results (`Written`) and their number, and returns an iterable of them.
"""


@contextmanager
def with_tables(
    sources: Sequence[RunSource], wanted: SetRequest, watched: Watched = lambda each, _: each
) -> Iterator[list[RunSource]]:
    """Write missing tables of ground truth of runs; yield the runs with `RunSource.tables` set.

    Runs without tables are traced again. New tables stay beside the run for the next call; tables
    of a read-only run exist until the block ends. With ``wanted.estimate`` or without pyarrow,
    nothing is written, and `tables` stays None for runs without tables. It is also None for a run
    that cannot be traced again. Warnings say how many runs are traced again, and which ones cannot.

    Parameters
    ----------
    sources, wanted : sequence of RunSource, SetRequest
        The runs, and the request, which says whether tables are written, and by how many processes.
    watched : callable
        Takes the results in the order of the runs, and their number; returns an iterable of the
        results that shows progress.

    Raises
    ------
    OsiLidarError, OsiError, RayCoreError
        If a trace or mesh has become damaged, a disk is full, or a process dies.
    """
    found = [
        replace(each, tables=each.run.folder) if has_truth(each.run.folder) else each
        for each in sources
    ]
    lacking = [n for n, each in enumerate(found) if each.tables is None]
    if wanted.estimate or is_parquet_missing() or not lacking:
        yield found
        return
    _tell(len(lacking), number_of(len(lacking), wanted.workers))
    with TemporaryDirectory(prefix="osi-lidar.truth.") as other:
        items = [_Lacking(found[n].run.folder, Path(other, str(n))) for n in lacking]
        answers = watched(in_order(_write, items, wanted.workers), len(lacking))
        for n, answer in zip(lacking, answers, strict=True):
            found[n] = replace(found[n], tables=answer.folder)
            if answer.reason:
                logger.warning(answer.reason)
        yield found


def _tell(n: int, processes: int) -> None:
    """Warn that runs without tables are traced again."""
    runs, their = (
        ("1 run has", "its trace is") if n == 1 else (f"{n} runs have", "their traces are")
    )
    where = f", on {processes} processes" if processes > 1 else ""
    logger.warning(
        "%s no %s: %s traced again%s; `batch --truth` and `replay --truth` would write it with the "
        "run",
        *(runs, BOXES, their, where),
    )


def _write(item: _Lacking) -> Written:
    """Write the tables of a run beside it, or into another folder if that is impossible."""
    try:
        try:
            write_truth(item.run)
        except OutputError as error:
            write_truth(item.run, item.other)
            return Written(item.other, f"{error}: its tables of truth are not kept")
    except (InputError, ConfigurationError) as error:
        return Written(None, f"visibility is estimated: {error}")
    return Written(item.run)
