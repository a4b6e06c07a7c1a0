# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The outcome of each job, one small file each, and the Parquet index that they make."""

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
"""How a job ended: complete; up to where its trace is damaged; not at all; and not yet."""
INDEX_MARK = b"osi_lidar_batch"
"""Key of the index's metadata, with the version that wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A row of the index.

    Attributes
    ----------
    row : str
        Name of the row, see `Job.key`.
    number : int
        Place in the table, from 0.
    job : str
        Name of the job, a hash of its contents; empty if it is not known.
    trace, sensor, config, out, seed, changes : str, int
        What the table says; changes as JSON, the seed null if it is not stated.
    status : str
        "done", "damaged", "failed" or "not run".
    frames, points, rays, fallbacks : int
        Counts of the run.
    seconds, run_seconds : float
        Time of the job, and of the run in it. [s]
    uri : str
        Where the outputs are.
    outputs_sha256 : str
        Hash over names and contents of all outputs but run.json.
    error : str
        Why it failed, one line.
    version, options : str
        Version of osi-lidar, and hash of the options of the batch.
    trace_stamp, trace_sha256 : str
        Size and time of the trace, or its ETag, and its hash.
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
        """Whether outputs are missing, or some of their frames."""
        return self.status in (FAILED, DAMAGED)


class JobAnswer(NamedTuple):
    """The row of a job, and whether it was run now; no row where it is to be done later."""

    outcome: Outcome | None
    is_new: bool = False


Take: TypeAlias = "Callable[[JobAnswer], None]"
"""What takes the answers of a batch, one by one."""


def waiting(job: Job, options: str = "") -> Outcome:
    """Return the row of a job that was not run."""
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
    """Return the row of a job that has failed, with the reason in one line."""
    return replace(outcome, status=FAILED, error=" ".join(shown_text(str(error)).split()))


def read_row(out: str, job: Job) -> Outcome | None:
    """Return the row that an earlier process of this version has written, None without one."""
    address = _address(out, job)
    return _outcome(files_at(address).read(address), job)


def read_rows(out: str, jobs: Sequence[Job]) -> list[Outcome]:
    """Return the rows of all jobs, in their order."""
    addresses = {job.key: _address(out, job) for job in jobs}
    found = files_at(out).read_all(list(dict.fromkeys(addresses.values())))
    rows = ((job, _outcome(found.get(addresses[job.key]), job)) for job in jobs)
    return [row or waiting(job) for job, row in rows]


def write_row(out: str, outcome: Outcome) -> None:
    """Write the row of a job.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    content = json.dumps(asdict(outcome), ensure_ascii=False) + "\n"
    address = joined(joined(out, ROWS), f"{outcome.row}.json")
    files_at(address).write(address, content.encode())


def write_index(out: str, rows: Iterable[Outcome]) -> str:
    """Write the index of a batch, and return its address.

    Raises
    ------
    OutputError
        If it cannot be written, or pyarrow is not installed.
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
    """Check that the place of the index is free, or holds the index of a batch.

    Raises
    ------
    OutputError
        If another table is there.
    """
    address = joined(out, INDEX)
    content = files_at(address).read(address)
    if content is not None and INDEX_MARK not in content:  # among the key values at its end
        raise OutputError(f"{address}: is not replaced, no batch wrote it")


def counts(rows: Iterable[Outcome]) -> Mapping[str, int]:
    """Return how many jobs ended in which way."""
    found = dict.fromkeys((DONE, DAMAGED, FAILED, WAITING), 0)
    for row in rows:
        found[row.status] += 1
    return found


def _address(out: str, job: Job) -> str:
    return joined(joined(out, ROWS), f"{job.key}.json")


def _outcome(content: bytes | None, job: Job) -> Outcome | None:
    """Return the row that a file holds; None if it is none, or another version wrote it."""
    try:
        row: Any = finite_json(content or b"null")
        found = Outcome(**row)
    except (TypeError, ValueError):
        return None
    return replace(found, number=job.number) if found.version == __version__ else None
