# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of foreign Parquet tables, bounded because repeated values take no bytes in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lidar_base.files.bounds import (
    FREE_ROWS,
    MOST_ARRAYS,
    check_at_most,
    most_at_once,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyarrow.parquet import ParquetFile

_MOST_ROWS = 1000  # unpacked together
_MOST_TOGETHER = 2**25  # bytes of them, if each has the longest text of its column


def checked_rows(table: ParquetFile, n_bytes: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of an open table; ``n_bytes`` is the size of its file.

    Raises
    ------
    BoundError
        The table has more rows, columns or text than a file of this size may have.
    """
    head = table.metadata
    check_at_most(head.num_columns, MOST_ARRAYS, "columns")
    check_at_most(head.num_rows, FREE_ROWS + n_bytes, "rows")
    n_most = most_at_once(n_bytes)
    # a look at its columns would end the process where their statistics contradict the schema
    stated = [head.row_group(number).total_byte_size for number in range(head.num_row_groups)]
    largest = max(stated, default=1)
    check_at_most(largest, n_most, "bytes of a group of rows")
    n_unpacked, n_rows = 0, min(max(_MOST_TOGETHER // max(largest, 1), 1), _MOST_ROWS)
    for batch in table.iter_batches(batch_size=n_rows):
        rows = batch.to_pylist()
        texts = (each for row in rows for each in row.values() if isinstance(each, str))
        n_unpacked += sum(map(len, texts))  # not those of the batch: it may have each text once
        check_at_most(n_unpacked, n_most, "characters of its rows")
        yield from rows
