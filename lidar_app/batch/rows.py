# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The outcome of each job as a small JSON file, and the Parquet index of all outcomes."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lidar_app.batch.addresses import joined
from lidar_app.batch.files import files_at
from lidar_app.batch.table import INDEX, ROWS, SEED
from lidar_base.files.json_files import finite_json
from lidar_base.files.shown_paths import shown_text
from osi_lidar.errors import OutputError
from osi_lidar.output.parquet_file import NO_PARQUET
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lidar_app.batch.table import Job

DONE, DAMAGED, FAILED, WAITING = "done", "damaged", "failed", "not run"
"""Status of a job. Damaged: outputs end where the trace is damaged. Failed: no outputs."""
INDEX_MARK = b"osi_lidar_batch"
"""Metadata key in the index; its value is the version of osi-lidar that wrote the index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A row of the index.

    Attributes
    ----------
    row : str
        Name of the row, see `Job.key`.
    number : int
        Index in the table, from 0.
    job : str
        Name of the job, a hash of all its inputs; empty if they could not be read.
    trace, sensor, config, out, seed, changes : str, int
        Values of the row in the table. Changes are JSON; the seed is None if it is not stated.
    status : str
        "done", "damaged", "failed" or "not run".
    frames, points, rays, fallbacks : int
        Counts of the run.
    seconds, run_seconds : float
        Duration of the job, and of its run. [s]
    uri : str
        Address of the outputs.
    outputs_sha256 : str
        Hash over names and contents of all outputs but run.json.
    error : str
        Why the job failed, or where its trace is damaged; one line.
    version, options : str
        Version of osi-lidar, and hash of the options of the batch.
    trace_stamp, trace_sha256 : str
        Size and time (or ETag) of the trace, and its hash.
    """

    row: str
    number: int
    job: str = ""
    trace: str
    sensor: str = ""
    config: str = ""
    out: str = ""
    seed: int | None = None
    changes: str = "{}"
    status: str = WAITING
    frames: int = 0
    points: int = 0
    rays: int = 0
    fallbacks: int = 0
    seconds: float = 0.0
    run_seconds: float = 0.0
    uri: str = ""
    outputs_sha256: str = ""
    error: str = ""
    version: str = __version__
    options: str = ""
    trace_stamp: str = ""
    trace_sha256: str = ""

    @property
    def has_failed(self) -> bool:
        """Whether outputs are missing, or incomplete because the trace is damaged."""
        return self.status in (FAILED, DAMAGED)


class JobAnswer(NamedTuple):
    """The row of a job, and whether the job was run now; without a row, it is still to be done."""

    outcome: Outcome | None
    is_new: bool = False


Take: TypeAlias = "Callable[[JobAnswer], None]"
"""Function that is called with each answer of a batch."""


def waiting(job: Job, options: str = "") -> Outcome:
    """Return a row for a job with the status "not run" and without results."""
    changes = dict(job.changes)
    seed = changes.pop(SEED, None)
    return Outcome(
        row=job.key,
        number=job.number,
        trace=job.trace,
        sensor=job.sensor,
        config=job.config,
        out=job.out,
        seed=seed if isinstance(seed, int) else None,
        changes=json.dumps(changes, ensure_ascii=False),
        options=options,
    )


def failed(outcome: Outcome, error: object) -> Outcome:
    """Return a copy of a row with status "failed" and the reason in one line."""
    return replace(outcome, status=FAILED, error=" ".join(shown_text(str(error)).split()))


def read_row(out: str, job: Job) -> Outcome | None:
    """Return the stored row of a job; None if there is none, it is damaged, or of another version.

    The version is osi-lidar's. The row's number is the job's.
    """
    address = _address(out, job)
    return _outcome(files_at(address).read(address), job)


def read_rows(out: str, jobs: Sequence[Job]) -> list[Outcome]:
    """Return the stored rows of all jobs, in order; a job without one is "not run"."""
    addresses = {job.key: _address(out, job) for job in jobs}
    found = files_at(out).read_all(list(dict.fromkeys(addresses.values())))
    rows = ((job, _outcome(found.get(addresses[job.key]), job)) for job in jobs)
    return [row or waiting(job) for job, row in rows]


def write_row(out: str, outcome: Outcome) -> None:
    """Write the row of a job as a JSON file into the folder ``rows`` of a batch.

    Raises
    ------
    OutputError
        If the row cannot be written.
    """
    content = json.dumps(asdict(outcome), ensure_ascii=False) + "\n"
    address = joined(joined(out, ROWS), f"{outcome.row}.json")
    files_at(address).write(address, content.encode())


def write_index(out: str, rows: Iterable[Outcome]) -> str:
    """Write rows as the index ``index.parquet`` of a batch, in place of an earlier index.

    Return its address.

    Raises
    ------
    OutputError
        If the index cannot be written, another table is there, or pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise OutputError(NO_PARQUET) from None
    check_index(out)
    rows = list(rows)
    names = [each.name for each in fields(Outcome)]
    kinds = {"number": pa.int64(), "seed": pa.int64(), "seconds": pa.float64(),
             "run_seconds": pa.float64()}  # fmt: skip
    kinds.update(dict.fromkeys(("frames", "points", "rays", "fallbacks"), pa.int64()))
    schema = pa.schema(
        [(name, kinds.get(name, pa.string())) for name in names],
        metadata={INDEX_MARK: __version__},
    )
    columns = [[getattr(row, name) for row in rows] for name in names]
    table = pa.table(
        [
            pa.array(each, schema.field(name).type)
            for name, each in zip(names, columns, strict=True)
        ],
        schema=schema,
    )
    content = io.BytesIO()
    parquet.write_table(table, content, compression="zstd")
    address = joined(out, INDEX)
    files_at(address).write(address, content.getvalue())
    return address


def check_index(out: str) -> None:
    """Check that the address of the index is free, or holds the index of a batch.

    Raises
    ------
    OutputError
        If another table is there.
    """
    address = joined(out, INDEX)
    content = files_at(address).read(address)
    if content is not None and INDEX_MARK not in content:  # the metadata is at the end of the file
        raise OutputError(
            f"{address}: exists, and no batch wrote it, so it is not replaced; choose another --out"
        )


def counts(rows: Iterable[Outcome]) -> Mapping[str, int]:
    """Return the number of rows by status, with 0 for statuses that no row has."""
    found = dict.fromkeys((DONE, DAMAGED, FAILED, WAITING), 0)
    for row in rows:
        found[row.status] += 1
    return found


def _address(out: str, job: Job) -> str:
    return joined(joined(out, ROWS), f"{job.key}.json")


def _outcome(content: bytes | None, job: Job) -> Outcome | None:
    """Return the row in a file; None if it holds no row, or another version wrote it."""
    try:
        row: Any = finite_json(content or b"null")
        found = Outcome(**row)
    except (TypeError, ValueError):
        return None
    return replace(found, number=job.number) if found.version == __version__ else None
