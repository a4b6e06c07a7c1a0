# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Text files of measured materials: lines, and rows of two numbers."""

from __future__ import annotations

import math
import re
import reprlib
from typing import TYPE_CHECKING

import numpy as np

from material_mapping.errors import DatabaseError
from material_mapping.files import read_database_file

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

MAX_FILE_BYTES = 16 * 2**20  # the largest file of ECOSTRESS has 60 kB
HIGHEST_OF_FRACTIONS = 2.0
"""A spectrum that never exceeds this may be in fractions instead of percent. [%]

In ECOSTRESS, the spectra of 36 rocks are so low although they are in percent.
"""
MISSING_PERCENT = -99.0
"""Reflectances at or below this mark missing data; files use -999 or -1.23e34, for example. [%]"""


def material_name(path: Path) -> str:
    """Return the name of the file ``path`` without folders and ``.spectrum.txt`` or ``.txt``.

    It is the name of the material in the file. Upper and lower case of the ending do not matter.
    """
    return re.sub(r"(\.spectrum)?\.txt$", "", path.name, flags=re.IGNORECASE)


def read_lines(path: Path) -> list[str]:
    """Return the lines of the small text file ``path``: UTF-8, else Latin-1; any line ends.

    The lines come without their ends.

    Raises
    ------
    DatabaseError
        The file cannot be read, is blank, is larger than 16 MiB, or contains a NUL byte, so that it
        is not a text file.
    """
    content = read_database_file(path, MAX_FILE_BYTES)
    if b"\0" in content:
        raise DatabaseError(path, "not a text file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if not text.strip():
        raise DatabaseError(path, "the file is empty")
    return re.split(r"\r\n|\r|\n", text)


def number(text: str) -> float | None:
    """Return the finite number that a text states; None for any other text, such as ``1_000``."""
    if "_" in text or not text.isascii():  # valid in Python only
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def pair_in(path: Path, line: str, line_number: int, *, names: str) -> tuple[float, float]:
    """Return the two numbers of a line of text; raise DatabaseError if it is anything else.

    The error states ``path``, ``line_number`` (from 1), and what the columns should be: ``names``,
    such as "angle [deg] and reflectance".
    """
    fields = line.split()
    if len(fields) != 2:
        got = f"got {reprlib.repr(line.strip())}, {counted(len(fields), 'column')}"
        mark = next((mark for mark in ",;" if mark in line), None)
        hint = "" if mark is None else f", separated by blanks, not by {mark!r}"
        raise DatabaseError(path, f"{got}, expected two: {names}{hint}", line_number)
    return _number_in(path, fields[0], line_number), _number_in(path, fields[1], line_number)


def _number_in(path: Path, field: str, line_number: int) -> float:
    value = number(field)
    if value is None:
        point = "" if number(field.replace(",", ".", 1)) is None else " with a decimal point"
        problem = f"got {reprlib.repr(field)}, expected a number{point}"
        raise DatabaseError(path, problem, line_number)
    return value


def cause_of(percent: float) -> str:
    """Return a question on the likely cause of an impossible reflectance [%], for an error text.

    For example "is its unit percent?" for a reflectance that is too high.
    """
    if percent <= MISSING_PERCENT:
        return "is it a mark of missing data? Then remove its row"
    if percent < 0.0:
        return "is the zero of the measurement wrong?"
    return "is its unit percent?"


def counted(count: int, thing: str) -> str:
    """Return a count with its noun, such as ``1 row`` or ``2 rows``.

    ``thing`` is the noun in the singular; an "s" follows it unless ``count`` is 1.
    """
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def frozen(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a read-only copy of the values as float64."""
    array = np.array(values, np.float64)
    array.flags.writeable = False
    return array
