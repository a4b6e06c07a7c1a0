# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of a step, as bytes, for another process or for the run that resumes a killed run.

A step has any number of tables. Each one has the key of its output format, a name (such as the
name of a sensor) and columns. The bytes are a numpy archive without pickled objects.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.errors import NOT_NUMPY
from lidar_base.files.arrays import zipped_arrays

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_SEPARATOR = "\t"


class StepTable(NamedTuple):
    """Rows that a step adds to one file of an output format, as columns of the same length."""

    key: str
    """The format's key in the section ``output`` of the configuration."""
    name: str
    """Name of the file among the format's files, such as a sensor's name."""
    columns: Mapping[str, NDArray[np.generic]]
    """The columns by name."""


def packed(tables: Sequence[StepTable]) -> bytes:
    """Return tables as bytes, which `unpacked` turns into tables again; empty without tables.

    ``tables`` is a sequence of `StepTable`. Their keys, names and column names contain no tab.
    """
    if not tables:
        return b""
    arrays = {
        _SEPARATOR.join((str(number), table.key, table.name, column)): values
        for number, table in enumerate(tables)
        for column, values in table.columns.items()
    }
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type] # its stub has a switch among the names
    return stream.getvalue()


def unpacked(data: bytes) -> list[StepTable]:
    """Return the tables that `packed` turned into bytes, a list of `StepTable`.

    ``data`` are all these bytes. If they are empty, the list is empty.

    Raises
    ------
    ValueError
        If the bytes are not complete.
    """
    if not data:
        return []
    found: dict[str, tuple[str, str, dict[str, NDArray[np.generic]]]] = {}
    try:
        for entry, array in zipped_arrays(io.BytesIO(data), len(data)).items():
            number, key, name, column = entry.split(_SEPARATOR)
            found.setdefault(number, (key, name, {}))[2][column] = array
    except NOT_NUMPY as error:
        raise ValueError(str(error)) from error
    return [StepTable(*each) for each in found.values()]
