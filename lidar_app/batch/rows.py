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
from osi_lidar.errors import InputError, OutputError
from osi_lidar.output.parquet_file import NO_PARQUET
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lidar_app.batch.table import Job

DONE, DAMAGED, FAILED, WAITING = "done", "damaged", "failed", "not run"
"""Status of a job. Damaged: outputs end where the trace is damaged. Failed: no outputs."""
_STATUSES = (DONE, DAMAGED, FAILED, WAITING)
_KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float, int),
    "int | None": (int, type(None)),
}
_MOST = 2**63 - 1  # in the index
INDEX_MARK = b"osi_lidar_batch"
"""Metadata key in the index; its value is the version of osi-lidar that wrote the index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a job: a row of the index ``index.parquet``.

    Attributes
    ----------
    row : str
        Hash of the job's row in the table of jobs, see `Job.key`.
    number : int
        Index of that row, from 0.
    job : str
        Hash of all that the outputs depend on, see `job_id`; empty if inputs could not be read.
    trace, sensor, config, out, seed, changes : str, int
        The job, as its row in the table of jobs states it. Changes are JSON without the seed,
        which is None if it is not stated.
    status : str
        "done"; "damaged" (outputs end where the trace is damaged); "failed"; or "not run".
    frames, points, rays, fallbacks : int
        Numbers of frames read, of points, of rays traced, and of substitutions for unusable input.
    seconds, run_seconds : float
        Duration of the whole job, and of its replay alone. [s]
    uri : str
        Address of the folder of outputs.
    outputs_sha256 : str
        Hash over names and contents of all outputs but ``run.json`` and ``job.json``.
    error : str
        Why the job failed, or where its trace is damaged; one line, else empty.
    version, options : str
        Version of osi-lidar, and `BatchPlan.options`, a hash of the options.
    trace_stamp, trace_sha256 : str
        Size and time (or ETag) of the trace, and the hash of its content.
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
        """Whether the job failed or its trace is damaged; False if the job was not run."""
        return self.status in (FAILED, DAMAGED)


class JobAnswer(NamedTuple):
    """A worker's answer for a job.

    Attributes
    ----------
    outcome : Outcome or None
        The job's outcome; None: the job is still to be done.
    is_new : bool
        Whether the job was run just now, not in an earlier batch.
    """

    outcome: Outcome | None  # None: the job is still to be done
    is_new: bool = False  # whether the job was run now, not in an earlier batch


Take: TypeAlias = "Callable[[JobAnswer], None]"
"""Function that is called with each answer of a batch."""


def waiting(job: Job, options: str = "") -> Outcome:
    """Return the outcome of a job that has not run yet: status "not run", and no results.

    ``options`` is `BatchPlan.options`, the hash of the options of the batch.
    """
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
    """Return a copy of an outcome with the status "failed" and the error's text in one line."""
    return replace(outcome, status=FAILED, error=" ".join(shown_text(str(error)).split()))


def read_row(out: str, job: Job) -> Outcome | None:
    """Return the stored outcome of a job, with the job's present number in the table.

    `out` is the address of the batch's outputs. None if there is no outcome, its file is damaged or
    has a value that no batch writes, or another version of osi-lidar wrote it.
    """
    address = _address(out, job)
    return _outcome(files_at(address).read(address), job)


def read_rows(out: str, jobs: Sequence[Job]) -> list[Outcome]:
    """Return one outcome for each job, in the order of jobs, as `read_row` reads it.

    `out` is the address of the batch's outputs. A job without a stored outcome gets the status "not
    run".
    """
    addresses = {job.key: _address(out, job) for job in jobs}
    found = files_at(out).read_all(list(dict.fromkeys(addresses.values())))
    rows = ((job, _outcome(found.get(addresses[job.key]), job)) for job in jobs)
    return [row or waiting(job) for job, row in rows]


def write_row(out: str, outcome: Outcome) -> None:
    """Write the outcome of a job as a JSON file into the folder ``rows`` of a batch's outputs.

    `out` is the address of these outputs. An earlier file of the job is replaced. Raise OutputError
    if the file cannot be written.
    """
    content = json.dumps(asdict(outcome), ensure_ascii=False) + "\n"
    address = joined(joined(out, ROWS), f"{outcome.row}.json")
    files_at(address).write(address, content.encode())


def write_index(out: str, rows: Iterable[Outcome]) -> str:
    """Write outcomes into the index ``index.parquet`` of a batch, and return its address.

    `out` is the address of the batch's outputs. The index has a line for each of `rows`, in their
    order. An earlier index is replaced. Raise OutputError if the index cannot be written, a file
    that no batch wrote has its name, or pyarrow is not installed.
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
    """Check that ``index.parquet`` in the folder of outputs is absent, or the index of a batch.

    `out` is the address of that folder. Raise OutputError if another file has that name, or it
    cannot be read.
    """
    address = joined(out, INDEX)
    try:
        content = files_at(address).read(address)
    except InputError as error:
        raise OutputError(str(error)) from error
    if content is not None and INDEX_MARK not in content:  # the metadata is at the end of the file
        raise OutputError(
            f"{address}: exists, and no batch wrote it, so it is not replaced; choose another --out"
        )


def counts(rows: Iterable[Outcome]) -> Mapping[str, int]:
    """Return the number of `rows` (outcomes) with each status, 0 for a status that none has."""
    found = dict.fromkeys(_STATUSES, 0)
    for row in rows:
        found[row.status] += 1
    return found


def _address(out: str, job: Job) -> str:
    return joined(joined(out, ROWS), f"{job.key}.json")


def _outcome(content: bytes | None, job: Job) -> Outcome | None:
    """Return the row in a file; None if it holds no sound row, or another version wrote it."""
    try:
        row: Any = finite_json(content or b"null")
        found = Outcome(**row)
    except (TypeError, ValueError):
        return None
    if found.version != __version__ or not _is_sound(found):
        return None
    return replace(found, number=job.number)


def _is_sound(row: Outcome) -> bool:
    """Return whether the status is known, and each value has the type of its column."""
    values = [(getattr(row, each.name), _KINDS[str(each.type)]) for each in fields(Outcome)]
    fit = all(isinstance(value, kinds) for value, kinds in values)
    whole = [value for value, _ in values if isinstance(value, int)]
    return fit and row.status in _STATUSES and all(abs(each) <= _MOST for each in whole)
