# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The jobs of a batch: rows of a table, or the traces of a folder, a glob or a bucket."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lidar_app.batch.addresses import absolute, joined, names_trace, parent, protocol
from lidar_app.batch.files import StoredFiles, files_at
from lidar_base.errors import BoundError
from lidar_base.files.bounds import MOST_ARRAYS, MOST_TABLE_BYTES, check_at_most
from lidar_base.files.json_files import check_csv
from lidar_base.files.natural_order import natural_key
from lidar_base.files.parquet_rows import checked_rows
from lidar_base.near_match import near_match
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Value: TypeAlias = "float | int | bool | str | None"
_VALUES = (float, int, bool, str, type(None))
TRACE, SENSOR, CONFIG, SEED, OUT = COLUMNS = ("trace", "sensor", "config", "seed", "out")
"""Fixed columns of a table; all other columns are keys of the configuration."""
RUN_MARK = "run.json"
_TABLES = (".csv", ".parquet")
INDEX, ROWS = "index.parquet", "rows"
"""The index of a batch, and the folder with its rows as JSON files."""
_PLAIN_NAME = re.compile(r"[^./\\\0][^/\\\0]{0,199}")
_PATTERN = re.compile(r"[*?\[]")
_EXPECTED = (
    "expected a table (.csv, .parquet), a trace, a folder or prefix with traces, or a glob of them"
)


class Job(NamedTuple):
    """A job of a batch: a row of the table of jobs, or one trace.

    Attributes
    ----------
    number : int
        Index of the row or trace, from 0.
    trace, config : str
        Absolute addresses. If `config` is empty, the job has the configuration of the batch.
    sensor : str
        Name of a preset; empty: as the batch has it.
    out : str
        Name of the output folder; empty: the name from `job_id`.
    changes : tuple of (str, value)
        Pairs of a dotted key and the value to set in the configuration, such as the seed.
    """

    number: int
    trace: str
    sensor: str = ""
    config: str = ""
    out: str = ""
    changes: tuple[tuple[str, Value], ...] = ()

    @property
    def key(self) -> str:
        """Hash of all fields except `number`, 24 hexadecimal digits; equal jobs have one key.

        The outcome of the job is stored in a file with the name KEY.json.
        """
        content = json.dumps(self[1:], ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:24]


def names_jobs(address: str) -> bool:
    """Return whether the form of an address shows that it names jobs; no file is looked at.

    True for a URL, a glob, or a suffix of a table of jobs, a trace or a bundle. The path of a
    folder gives False, as the folder may hold jobs or runs.
    """
    return (
        protocol(address) != ""
        or address.lower().endswith(_TABLES)
        or names_trace(address)
        or names_many(address)
    )


def names_many(address: str) -> bool:
    """Return whether an address is a glob, which contains ``*``, ``?`` or ``[``."""
    return _PATTERN.search(address) is not None


def read_jobs(address: str, out: str) -> list[Job]:
    """Return the jobs at an address: one for each row of a table, or for each trace.

    Traces are sorted by name, so that "9" precedes "10". No trace and no configuration is opened.

    Parameters
    ----------
    address : str
        A table, a folder, a prefix of a bucket, a glob, or a trace.
    out : str
        Absolute address of the outputs. Traces below `out` are no jobs if `address` is a folder
        or a prefix; neither are hidden traces, and traces in the folder of a run.

    Raises
    ------
    InputError
        If there are no jobs at the address, the table or a row of it cannot be used, two different
        jobs share an output folder, or an input lies in the output folder of a job.
    """
    found = absolute(address)
    if found.lower().endswith(_TABLES):
        files = files_at(found)
        seen = files.stamp_of(found)
        if seen is not None and seen.size > MOST_TABLE_BYTES:
            raise InputError(f"{address}: too large, expected at most {MOST_TABLE_BYTES >> 20} MiB")
        content = files.read(found)
        if content is None:
            raise InputError(f"{address}: no such file, {_EXPECTED}")
        read_rows = _csv_rows if found.lower().endswith(".csv") else _parquet_rows
        rows = read_rows(found, content)
        jobs = [_job(number, found, where, row) for number, (where, row) in enumerate(rows)]
    else:
        jobs = [Job(number, trace) for number, trace in enumerate(_traces(found, out))]
    if not jobs:
        raise InputError(f"{address}: contains no jobs, {_EXPECTED}")
    _check_names(address, jobs)
    _check_apart(address, jobs, out)
    return jobs


def _csv_rows(address: str, content: bytes) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield the place of each row of a CSV table (file and line), and its non-empty values."""
    try:
        check_csv(text := content.decode("utf-8-sig"))
        reader = csv.reader(io.StringIO(text, newline=""))
        header = [name.strip() for name in next(reader, [])]
        _check_columns(address, header)
        for row in reader:
            where = f"{address}:{reader.line_num}"
            if len(row) > len(header):
                raise InputError(f"{where}: got {len(row)} values, expected {len(header)}")
            given = {name: each.strip() for name, each in zip(header, row, strict=False)}
            if any(given.values()):
                yield where, {name: _scalar(name, each) for name, each in given.items() if each}
    except (UnicodeDecodeError, BoundError, csv.Error) as error:
        raise InputError(f"{address}: is not a CSV table in UTF-8: {error}") from None


def _parquet_rows(address: str, content: bytes) -> Iterator[tuple[str, dict[str, Value]]]:
    """Yield the place of each row of a Parquet table, and its non-empty values."""
    try:
        from pyarrow import ArrowException, BufferReader
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise InputError(
            f"{address}: pyarrow is not installed: pip install 'osi-lidar[parquet]'"
        ) from None
    try:
        table = ParquetFile(BufferReader(content))
        _check_columns(address, table.schema_arrow.names)
        for number, row in enumerate(checked_rows(table, len(content))):
            where = f"{address}: row {number}"
            for name, each in row.items():
                if not isinstance(each, _VALUES):
                    kind = type(each).__name__
                    raise InputError(f"{where}: {name}: got {kind}, expected a number or a text")
            yield where, {name: each for name, each in row.items() if each not in (None, "")}
    except (ArrowException, BoundError, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{address}: is not a Parquet table: {error}") from None


def _check_columns(address: str, names: Sequence[str]) -> None:
    """Check that a table has the column "trace", no column twice, and no unknown column."""
    check_at_most(len(names), MOST_ARRAYS, "columns")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{address}: has the column {name!r} twice")
        if name not in COLUMNS and not ("." in name and all(name.split("."))):
            raise InputError(
                f"{address}: unknown column {name!r}{near_match(name, COLUMNS)}, expected "
                f"{', '.join(COLUMNS)}, or a key with dots such as weather.rain_mm_h"
            )
    if TRACE not in names:
        raise InputError(
            f"{address}: has no column 'trace', expected the path or URL of a trace for each job"
        )


def _scalar(name: str, text: str) -> Value:
    """Return the value of a cell: a number, boolean or text; `null` is None."""
    if name in COLUMNS and name != SEED:
        return text
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        return float(text)
    return {"true": True, "false": False, "null": None}.get(text.lower(), text)


def _job(number: int, table: str, where: str, row: dict[str, Value]) -> Job:
    """Return the job of a row."""
    if not row.get(TRACE):
        raise InputError(f"{where}: has no trace, expected its path or URL in the column 'trace'")
    base = parent(table)
    config, out = str(row.get(CONFIG) or ""), str(row.get(OUT) or "")
    if out and (not _PLAIN_NAME.fullmatch(out) or out in (INDEX, ROWS)):
        raise InputError(
            f"{where}: out: got {out!r}, expected the name of a folder, without a path"
        )
    changes = [(name, each) for name, each in row.items() if name not in COLUMNS]
    if SEED in row:
        changes.insert(0, (SEED, row[SEED]))
    return Job(
        number=number,
        trace=absolute(str(row[TRACE]), base),
        sensor=str(row.get(SENSOR) or ""),
        config=config and absolute(config, base),
        out=out,
        changes=tuple(changes),
    )


def _check_names(address: str, jobs: Iterable[Job]) -> None:
    """Check that different jobs have different output folders."""
    named: dict[str, Job] = {}
    for job in jobs:
        other = named.setdefault(job.out, job) if job.out else job
        if other.key != job.key:
            raise InputError(
                f"{address}: out: two different jobs have the output folder {job.out!r}; give each "
                "job its own"
            )


def _check_apart(address: str, jobs: Sequence[Job], out: str) -> None:
    """Check that no input lies in the output folder of a job."""
    given = {absolute(address), *(each for job in jobs for each in (job.trace, job.config))}
    held = {folder: each for each in given if each for folder in _folders_above(each)}
    for name in {job.out for job in jobs if job.out}:
        place = joined(out, name)
        inner = next((held[each] for each in (place, _real(place)) if each in held), None)
        if inner is not None:
            raise InputError(
                f"{address}: out: the output folder {name!r} contains the input {inner}; choose "
                "another name"
            )


def _folders_above(address: str) -> Iterator[str]:
    """Yield all folders above a file, with symbolic links both as they are and resolved."""
    if not protocol(address):
        yield from map(str, [*Path(address).parents, *Path(_real(address)).parents])
        return
    while parent(address) != address and address:
        address = parent(address)
        yield address


def _real(address: str) -> str:
    return address if protocol(address) else os.path.realpath(address)


def _traces(address: str, out: str) -> list[str]:
    """Return the traces at an address, in the natural order of their names."""
    if protocol(address):
        return _stored_traces(address, out)
    path = Path(address)
    if path.is_file():
        if names_trace(address):
            return [address]
        raise InputError(f"{address}: {_EXPECTED}")
    if path.is_dir():
        names = files_at(address).below(address)
        return [joined(address, name) for name in _in_no_run(names, _relative(out, address))]
    if names_many(address):
        found = Path(path.anchor).glob(str(path.relative_to(path.anchor)))
        traces = (str(each) for each in found if names_trace(each.name) and each.is_file())
        return sorted(traces, key=natural_key)
    raise InputError(f"{address}: no such file or folder, {_EXPECTED}")


def _stored_traces(address: str, out: str) -> list[str]:
    """Return the traces at an address of object storage."""
    files = StoredFiles(address)
    if names_many(address):
        return [each for each in files.matching(address) if names_trace(each)]
    if names_trace(address):
        return [address]
    names = files.below(address)
    if not names:
        raise InputError(f"{address}: no such bucket or prefix, {_EXPECTED}")
    return [joined(address, name) for name in _in_no_run(names, _relative(out, address))]


def _relative(inner: str, outer: str) -> str | None:
    """Return the path of `inner` relative to `outer`, None if it does not lie below it."""
    start = outer.rstrip("/\\")
    rest = inner.removeprefix(start).replace("\\", "/") if inner.startswith(start) else ""
    return rest[1:] + "/" if len(rest) > 1 and rest[0] == "/" else None


def _in_no_run(names: Iterable[str], out: str | None) -> list[str]:
    """Return the traces among files, except hidden ones, outputs, and files in runs."""
    names = sorted(names, key=natural_key)
    runs = {each.rpartition("/")[0] for each in names if each.rpartition("/")[2] == RUN_MARK}
    return [
        name
        for name in names
        if names_trace(name)
        and name.rpartition("/")[0] not in runs
        and not (out is not None and name.startswith(out))
        and not any(part.startswith(".") for part in name.split("/"))
    ]
