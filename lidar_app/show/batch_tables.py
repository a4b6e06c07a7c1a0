# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the outcome of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.batch.addresses import joined
from lidar_app.batch.rows import counts
from lidar_app.batch.table import INDEX
from lidar_base.tables import facts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lidar_app.batch.rows import Outcome
    from lidar_app.batch.running import BatchReport
    from lidar_app.batch.shards import Shard
    from lidar_base.tables import Table

_SHOWN = 5


def batch_table(batch: BatchReport, place: str, shard: Shard) -> Table:
    """Return a table with the outcome of one shard (part) of a batch, and its first five failures.

    `place` is the address of the folder of outputs.
    """
    rows: dict[str, object] = {
        "Jobs": f"{batch.n_jobs}" + (f", shard {shard}" if shard.count > 1 else ""),
        "Run now": batch.n_new,
        "Ended earlier": len(batch.outcomes) - batch.n_new,
        "Points": f"{sum(one.points for one in batch.outcomes):,}",
    }
    return facts("Batch", {**rows, **_failures(batch.failures), "Index": joined(place, INDEX)})


def status_table(rows: Sequence[Outcome], place: str) -> Table:
    """Return a table with the number of jobs of each status, points, and the first five failures.

    `rows` are the outcomes of all jobs; `place` is the address of the folder of outputs.
    """
    found = {status.capitalize(): number for status, number in counts(rows).items() if number}
    failures = _failures([row for row in rows if row.has_failed])
    sums = {"Points": f"{sum(row.points for row in rows):,}"}
    return facts("Batch", {"Jobs": len(rows), **found, **sums, **failures, "Outputs": place})


def _failures(rows: Iterable[Outcome]) -> dict[str, object]:
    """Return the reasons of the first failures, labelled by the index of the job."""
    listed = list(rows)
    shown = {f"Job {row.number}: {row.status}": row.error for row in listed[:_SHOWN]}
    more = len(listed) - _SHOWN
    return {**shown, **({"More": f"{more} failed"} if more > 0 else {})}
