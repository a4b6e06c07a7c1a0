# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a Parquet table, in particular of the index of a batch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lidar_app.batch.rows import INDEX_MARK
from lidar_app.show.info.record import Info
from lidar_base.errors import BoundError
from lidar_base.files.parquet_rows import checked_rows
from osi_lidar.errors import InputError
from osi_lidar.output.parquet_file import NO_PARQUET

if TYPE_CHECKING:
    from pathlib import Path

    from pyarrow.parquet import ParquetFile

_SUMS = ("frames", "points", "rays", "fallbacks", "seconds")
_MOST_LISTED = 20


def parquet_info(path: Path) -> Info:
    """Return the content of a Parquet table: number of rows, and names of columns.

    The index of a batch has its number of jobs, sums over the jobs, and a list of the first 20
    failures. `path` is the file.

    Raises
    ------
    InputError
        If the table cannot be read, or pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise InputError(f"{path}: {NO_PARQUET}") from None
    try:
        file = parquet.ParquetFile(path)
        metadata = file.schema_arrow.metadata or {}
        if INDEX_MARK in metadata:
            return _batch(path, file, metadata[INDEX_MARK].decode())
    except (pa.ArrowException, BoundError, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is not a Parquet table: {error}") from None
    except (LookupError, TypeError, ValueError):  # it is marked as an index, but lacks columns
        raise InputError(
            f"{path}: is marked as the index of a batch, but lacks some of its columns"
        ) from None
    facts: dict[str, object] = {
        "rows": file.metadata.num_rows,
        "row_groups": file.metadata.num_row_groups,
        "columns": list(file.schema_arrow.names),
    }
    return Info(path=path, kind="Parquet table", facts=facts)


def _batch(path: Path, file: ParquetFile, version: str) -> Info:
    """Return the content of the index of a batch."""
    rows = list(checked_rows(file, path.stat().st_size))
    states = [row["status"] for row in rows]
    facts: dict[str, object] = {
        "made_by": f"osi-lidar {version}",
        "jobs": len(rows),
        "ended": {each: states.count(each) for each in dict.fromkeys(states)},
        "traces": len({row["trace"] for row in rows}),
        **{name: sum(row[name] for row in rows) for name in _SUMS},
    }
    endless = [name for name in _SUMS if not math.isfinite(float(str(facts[name])))]
    if endless:
        raise InputError(f"{path}: {endless[0]}: got {facts[endless[0]]}, expected finite numbers")
    failures = [
        {"number": row["number"], "trace": row["trace"], "error": row["error"]}
        for row in rows
        if row["error"]
    ]
    return Info(
        path=path,
        kind="Index of a batch",
        facts=facts,
        lists={"failures": failures[:_MOST_LISTED]},
    )
