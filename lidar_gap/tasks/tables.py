# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of other programs, as CSV with a header or as a JSON list of objects."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lidar_base.errors import BoundError, SmallFileError
from lidar_base.files.json_files import check_csv, check_json
from lidar_base.files.small_files import read_small_file
from lidar_base.near_match import near_match
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

MOST_BYTES = 2**30
"""Size limit of a table. [byte]"""
_LARGEST = 1e100  # volumes of larger boxes are not finite
_WHOLE = np.iinfo(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column that a table may have.

    Attributes
    ----------
    name : str
        Heading in CSV, key in JSON.
    kind : {"number", "whole", "text"}
        A float64 up to 1e100 ("number"), an int64 ("whole"), or a text that is not empty.
    needed : bool
        Whether the table must have it.
    positive : bool
        Whether numbers must be above 0.
    """

    name: str
    kind: Literal["number", "whole", "text"] = "number"
    needed: bool = True
    positive: bool = False

    @property
    def expected(self) -> str:
        """The expected content of a cell, in words."""
        words = {"number": "a number", "whole": "a whole number", "text": "a text"}[self.kind]
        return f"{words} above 0" if self.positive else words

    def value(self, cell: str) -> float | int | str | None:
        """Return the value of a cell as a float, int or str, by the kind of the column.

        ``cell`` is the text of the cell. Return None if it is empty or not allowed in this column.
        """
        if self.kind == "text":
            return cell or None
        try:
            number = float(cell)
            whole = int(cell) if cell.lstrip("+-").isdigit() else int(number)
        except (ValueError, OverflowError):
            return None
        if self.positive and not number > 0.0:
            return None
        if self.kind == "number":
            return number if abs(number) <= _LARGEST else None
        exact = number.is_integer() and _WHOLE.min <= whole <= _WHOLE.max
        return whole if exact else None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputTable:
    """The columns of a table that `read_table` was asked for, with checked values.

    Attributes
    ----------
    path : Path
        The file, for messages.
    columns : dict of str to array (n_row,)
        Values (float64, int64 or text) by name of the column; optional columns may be missing.
    place : {"line", "entry"}
        Word for a row in messages: line of a CSV file, entry of a JSON list.
    numbers : list of int
        Number of each row's line or entry in the file, from 1.
    """

    path: Path
    columns: dict[str, NDArray[Any]]
    place: str
    numbers: list[int]

    def __len__(self) -> int:
        return len(self.numbers)

    def error(self, row: int, words: str) -> InputError:
        """Return an InputError about a row; it is not raised.

        The message has the file, the line or entry in the file, and a text.

        Parameters
        ----------
        row : int
            Index of the row, from 0.
        words : str
            The text.
        """
        return InputError(f"{self.path}: {self.place} {self.numbers[row]}: {words}")

    def check_unique(self, *names: str) -> None:
        """Check that no two rows have the same values in all columns named in ``names`` (str each).

        Raises
        ------
        InputError
            If two rows have the same values; the message names the later row and the values.
        """
        seen: dict[tuple[Any, ...], int] = {}
        keys = zip(*(self.columns[name].tolist() for name in names), strict=True)
        for row, key in enumerate(keys):
            if key in seen:
                what = ", ".join(f"{name} {v}" for name, v in zip(names, key, strict=True))
                first = f"{self.place} {self.numbers[seen[key]]}"
                raise self.error(row, f"got {what} twice, first in {first}")
            seen[key] = row


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raw:
    """A table with its cells as texts: a list of texts for each column."""

    place: str
    numbers: list[int]
    cells: dict[str, list[str]]


def read_table(path: Path, columns: Sequence[Column]) -> InputTable:
    """Read a CSV table with a header, or a JSON list of objects if the file ends in ``.json``.

    Columns may be in any order, and unknown columns are ignored. A table without rows is allowed.

    Parameters
    ----------
    path : Path
        The file.
    columns : sequence of Column
        The columns to read, and what their cells may contain.

    Raises
    ------
    InputError
        If the file cannot be read, lacks a column, or has a cell of another kind; the message
        names line and column.
    """
    text = _text(path)
    names = [column.name for column in columns]
    is_json = path.suffix.lower() == ".json"
    raw = _read_json(path, text, names) if is_json else _read_csv(path, text)
    found = {}
    for column in columns:
        if column.name in raw.cells:
            found[column.name] = _values(path, raw, column)
        elif column.needed:
            hint = near_match(column.name, raw.cells)
            raise InputError(
                f"{path}: has no column {column.name!r}{hint} (it has {', '.join(raw.cells)})"
            )
    return InputTable(path=path, columns=found, place=raw.place, numbers=raw.numbers)


def _text(path: Path) -> str:
    try:
        text = read_small_file(path, MOST_BYTES).decode("utf-8-sig")
    except SmallFileError as error:
        raise InputError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not a text in UTF-8, expected a CSV or JSON table") from None
    if "\0" in text or not text.strip():
        what = "is not a text" if text.strip() else "is empty"
        raise InputError(f"{path}: {what}, expected a CSV or JSON table")
    return text


def _read_csv(path: Path, text: str) -> _Raw:
    try:
        check_csv(text)
        reader = csv.reader(text.splitlines())
        lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except BoundError as error:
        raise InputError(f"{path}: {error}") from None
    except csv.Error as error:
        raise InputError(f"{path}: line {reader.line_num}: {error}") from None
    filled = [(number, cells) for number, cells in lines if any(cells)]
    if not filled:
        raise InputError(f"{path}: all cells are empty, expected a header with names of columns")
    (first, header), rows = filled[0], filled[1:]
    double = [name for name in header if header.count(name) > 1]
    if double:
        raise InputError(f"{path}: line {first}: got the column {double[0]!r} twice")
    for number, cells in rows:
        if len(cells) != len(header):
            raise InputError(
                f"{path}: line {number}: got {len(cells)} cells, expected {len(header)} "
                "as in the header"
            )
    columns = zip(*(cells for _, cells in rows), strict=True) if rows else ([] for _ in header)
    return _Raw(
        place="line",
        numbers=[number for number, _ in rows],
        cells={name: list(cells) for name, cells in zip(header, columns, strict=True)},
    )


def _read_json(path: Path, text: str, names: Sequence[str]) -> _Raw:
    try:
        check_json(text)
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f"line {error.lineno}: " if isinstance(error, json.JSONDecodeError) else ""
        reason = (
            error.msg
            if isinstance(error, json.JSONDecodeError)
            else str(error)[:80]
            if isinstance(error, BoundError)
            else "cannot be parsed"
        )
        raise InputError(f"{path}: {where}is not JSON: {reason}") from None
    if not isinstance(rows, list):
        raise InputError(f"{path}: got {type(rows).__name__}, expected a list of objects")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError(
                f"{path}: entry {number}: got {type(row).__name__}, expected an object"
            )
    present = [name for name in names if not rows or any(name in row for row in rows)]
    others = sorted({str(key) for row in rows for key in row} - set(names))
    return _Raw(
        place="entry",
        numbers=list(range(1, len(rows) + 1)),
        cells={name: list(_json_cells(rows, name)) for name in present}
        | {name: [] for name in others},
    )


def _json_cells(rows: list[dict[str, object]], name: str) -> Iterator[str]:
    """Yield the values of a key as texts; empty if a value is missing, or no number or text."""
    for row in rows:
        value = row.get(name)
        plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
        yield str(value).strip() if plain else ""


def _values(path: Path, raw: _Raw, column: Column) -> NDArray[Any]:
    """Return the cells of a column as numbers or texts."""
    values = []
    for number, cell in zip(raw.numbers, raw.cells[column.name], strict=True):
        value = column.value(cell)
        if value is None:
            raise InputError(
                f"{path}: {raw.place} {number}, column {column.name}: got {cell!r:.40}, "
                f"expected {column.expected}"
            )
        values.append(value)
    kinds: dict[str, Any] = {"number": np.float64, "whole": np.int64, "text": np.str_}
    return np.array(values, kinds[column.kind])
