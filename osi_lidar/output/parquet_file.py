# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parquet files that are written row group by row group, completely or not at all."""

from __future__ import annotations

import importlib.util
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lidar_base.files.unfinished import unfinished_name
from lidar_base.files.whole_files import cause_of, remove
from osi_lidar.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_WORDS, _FLOATS = {"label", "string"}, {"float32", "float64"}
NO_PARQUET = "pyarrow is not installed: pip install 'osi-lidar[parquet]'"


class TableColumn(NamedTuple):
    """Name, type and unit of a column of a Parquet file.

    Attributes
    ----------
    name : str
        Name of the column.
    type_name : str
        Arrow's name of the values' type, such as "float32"; or "label" for texts of which each is
        stored once, as a dictionary.
    unit : str
        Unit of the values, such as "m"; empty if there is none.
    """

    name: str
    type_name: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """The values of a column of type "label": the value in row i is ``names[row[i]]``.

    Attributes
    ----------
    names : sequence of str
        The different texts.
    row : integers (n_row,)
        For each row of the table, the index into ``names``.
    """

    names: Sequence[str]
    row: NDArray[Any]


def is_parquet_missing() -> bool:
    """Return whether the library that writes Parquet is not installed."""
    return importlib.util.find_spec("pyarrow") is None


class ParquetFile:
    """A Parquet file under construction, with a temporary name until it is closed.

    Parameters
    ----------
    path : Path
        The file; it is replaced if it exists.
    columns : sequence of TableColumn
        The columns of the file.
    metadata : mapping
        Metadata of the file, to which the units of the columns are added, as JSON.

    Raises
    ------
    OutputError
        If the file cannot be written, or pyarrow is not installed.
    """

    def __init__(
        self, path: Path, columns: Sequence[TableColumn], metadata: Mapping[str, str] | None = None
    ) -> None:
        try:
            import pyarrow as pa  # noqa: PLC0415  an optional dependency
            from pyarrow import parquet  # noqa: PLC0415
        except ImportError as error:
            raise OutputError(NO_PARQUET) from error
        self._pa = pa
        self._is_broken = False
        self._path = path
        self._part = path.with_name(unfinished_name(path.name))
        units = {column.name: column.unit for column in columns if column.unit}
        self._schema = pa.schema(
            [self._field(column) for column in columns],
            metadata={**(metadata or {}), "units": json.dumps(units)},
        )
        try:
            self._writer = parquet.ParquetWriter(
                self._part,
                self._schema,
                compression="zstd",
                # measured values hardly repeat: a dictionary of them takes five times as long
                use_dictionary=[each.name for each in columns if each.type_name in _WORDS],
                use_byte_stream_split=[each.name for each in columns if each.type_name in _FLOATS],
            )
        except OSError as error:
            raise self._failure(error) from error

    def _field(self, column: TableColumn) -> Any:  # noqa: ANN401  pyarrow has no types
        pa = self._pa
        if column.type_name == "label":
            kind = pa.dictionary(pa.int32(), pa.string())
        else:
            kind = pa.type_for_alias(column.type_name)
        return pa.field(column.name, kind, metadata={"unit": column.unit} if column.unit else None)

    def write(self, columns: Mapping[str, Any]) -> None:
        """Write rows as one row group, even if there are no rows.

        Parameters
        ----------
        columns : mapping of str to array, list or Labels
            The values of each column, by name. A column without any value may be None, except the
            first column, whose length is the number of rows.

        Raises
        ------
        OutputError
            If the file cannot be written; it is then removed.
        """
        n_rows = len(columns[self._schema.names[0]])
        arrays = [self._array(columns[field.name], field.type, n_rows) for field in self._schema]
        table = self._pa.table(arrays, schema=self._schema)
        try:
            self._writer.write_table(table, row_group_size=max(n_rows, 1))
        except OSError as error:
            self._give_up()
            raise self._failure(error) from error

    def _array(self, values: Any, kind: Any, n_rows: int) -> Any:  # noqa: ANN401
        pa = self._pa
        if values is None:
            return pa.nulls(n_rows, kind)
        if isinstance(values, Labels):
            row = pa.array(values.row, kind.index_type)
            return pa.DictionaryArray.from_arrays(row, pa.array(values.names, kind.value_type))
        return pa.array(values, kind)

    def close(self) -> None:
        """Complete and rename the file; does nothing if a row group could not be written.

        Raises
        ------
        OutputError
            If the file cannot be completed.
        """
        if self._is_broken:
            return
        try:
            self._writer.close()
            self._part.replace(self._path)
        except OSError as error:
            raise self._failure(error) from error
        finally:
            remove(self._part)

    def _give_up(self) -> None:
        """Remove the file: rows that follow a broken row group could not be read."""
        self._is_broken = True
        with suppress(OSError):
            self._writer.close()
        remove(self._part)

    def _failure(self, error: OSError) -> OutputError:
        words = cause_of(error)
        return OutputError(f"{self._path}: cannot be written: {words}")
