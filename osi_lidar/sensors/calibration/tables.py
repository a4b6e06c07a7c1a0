# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of makers' text files and CSV tables, with or without a byte order mark."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

from lidar_base.errors import BoundError, SmallFileError
from lidar_base.files.bounds import MOST_TEXT_BYTES
from lidar_base.files.json_files import check_csv
from lidar_base.files.small_files import read_small_file
from lidar_base.unfollowed import Unfollowed
from osi_lidar.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from lidar_base.unfollowed import NotFollowed

MOST_BYTES = 256 * 2**20
"""Size limit of a calibration file. [byte]"""

Row = tuple[int, list[str]]
"""Line number, from 1, and cells of a line."""


def read_bytes(file: Path) -> bytes:
    """Return the content of a file.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, is empty, or is too large.
    """
    try:
        content = read_small_file(file, MOST_BYTES)
    except SmallFileError as error:
        raise ConfigurationError(f"{file}: {error}") from None
    if not content.strip():
        raise ConfigurationError(f"{file}: is empty, expected the maker's file of a sensor")
    return content


def as_text(file: Path, content: bytes) -> str:
    """Return a file's text, in UTF-8 with or without a byte order mark.

    ``content`` has the bytes of the file, ``file`` is its path for error messages.

    Raises
    ------
    ConfigurationError
        If the content is not such text, or is too large.
    """
    if len(content) > MOST_TEXT_BYTES:
        raise ConfigurationError(f"{file}: too large, expected at most {MOST_TEXT_BYTES >> 20} MiB")
    try:
        text = content.decode("utf-8-sig")
        check_csv(text)
    except BoundError as error:
        raise ConfigurationError(f"{file}: {error}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{file}: not a text file in UTF-8") from None
    if "\0" in text:
        raise ConfigurationError(f"{file}: not a text file in UTF-8")
    return text


def csv_rows(file: Path, text: str) -> list[Row]:
    """Return the lines of a CSV file with at least one cell that is not blank: (number, cells).

    ``text`` is the text of the file, ``file`` its path for error messages. Lines count from 1.
    Cells have no blanks at their ends.

    Raises
    ------
    ConfigurationError
        If the text is not CSV.
    """
    reader = csv.reader(text.splitlines())
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except csv.Error as error:
        raise ConfigurationError(f"{file}: line {reader.line_num}: {error}") from None
    return [(line, cells) for line, cells in rows if any(cells)]


def number(file: Path, line: int, cells: list[str], column: int, what: str) -> float:
    """Return the finite number in a cell of a line.

    Parameters
    ----------
    file, line : Path, int
        The file and the number of the line, for error messages.
    cells : list of str
        Cells of the line.
    column : int
        Index of the cell, from 0.
    what : str
        Name of the value, for error messages.

    Raises
    ------
    ConfigurationError
        If the cell is absent or no finite number; the message names file and line.
    """
    got = cells[column] if column < len(cells) else ""
    try:
        value = float(got)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ConfigurationError(f"{file}: line {line}: {what}: got {got!r:.40}, expected a number")
    return value


def channel(file: Path, line: int, cells: list[str], column: int, *, most: int) -> int:
    """Return the channel number in a cell of a line, 1 to ``most``.

    Parameters
    ----------
    file, line : Path, int
        The file and the number of the line, for error messages.
    cells : list of str
        Cells of the line.
    column : int
        Index of the cell, from 0.
    most : int
        Largest allowed number.

    Raises
    ------
    ConfigurationError
        If the cell is absent or no such number; the message names file and line.
    """
    value = number(file, line, cells, column, "channel")
    if value != int(value) or not 1 <= value <= most:
        raise ConfigurationError(
            f"{file}: line {line}: channel: got {cells[column]!r:.40}, expected 1 to {most}"
        )
    return int(value)


def columns_not_read(rows: Sequence[Row], read: Collection[int]) -> tuple[NotFollowed, ...]:
    """Return descriptions of a table's ignored contents: columns not read, cells without a heading.

    Parameters
    ----------
    rows : sequence of Row
        The headings, and the lines below.
    read : collection of int
        The columns that are read, from 0.
    """
    unfollowed = Unfollowed()
    line, head = rows[0]
    for column, heading in enumerate(head):
        if heading and column not in read:
            unfollowed.add(f"column {heading:.40}", f"line {line}")
    for below, cells in rows[1:]:
        if len(cells) > len(head) and any(cells[len(head) :]):
            unfollowed.add("cells without a heading", f"line {below}")
    return unfollowed.kinds
