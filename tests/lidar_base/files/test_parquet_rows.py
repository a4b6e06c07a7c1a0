# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parquet tables of few bytes that stand for many rows or much text."""

import io

import pytest

from lidar_base.errors import BoundError
from lidar_base.files.parquet_rows import checked_rows
from tests.builders.extras import needs


@needs("pyarrow")
@pytest.mark.parametrize(
    ("texts", "problem"),
    [(["a"] * 1_000_000, "rows: got"), (["x" * 2**20] * 2000, "characters of its rows: got")],
    ids=["rows", "text"],
)
def test_a_table_has_rows_and_text_in_proportion_to_its_bytes(texts, problem):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    column = pa.array(texts[:1]).dictionary_encode()
    rows = pa.DictionaryArray.from_arrays(pa.array([0] * len(texts)), column.dictionary)
    parquet.write_table(pa.table({"trace": rows}), file, compression="zstd")
    n_bytes = file.tell()
    with pytest.raises(BoundError, match=problem):
        list(checked_rows(parquet.ParquetFile(file), n_bytes))
