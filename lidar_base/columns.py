# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Column records: frozen dataclasses of numpy arrays that one stage hands to the next.

Each field is annotated with its dtype, shape and unit. ``check_columns`` checks the values against
these annotations, so that the documentation of a record is also its run-time check.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

import numpy as np

from lidar_base.errors import RecordError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Column(NamedTuple):
    """Declaration of one array of a record, given as ``Annotated[array type, Column(..)]``.

    Attributes
    ----------
    dtype : str
        Dtype of the array, such as "float64".
    shape : tuple of str or int
        Length of each dimension, or a name. Dimensions with the same name must have the same length
        in all arrays of the record.
    unit : str
        Unit of the values.
    meaning : str
        What the array holds, in words.
    """

    dtype: str
    shape: tuple[str | int, ...]
    unit: str
    meaning: str


@cache
def columns_of(record_type: type[Any]) -> tuple[tuple[str, np.dtype[Any], Column], ...]:
    """Return name, dtype and declaration of each column of a record type.

    `record_type` is a dataclass, some of whose fields are annotated with a `Column`. The result has
    a tuple (str, numpy dtype, Column) for each of these fields, in their order.
    """
    hints = get_type_hints(record_type, include_extras=True)
    return tuple(
        (field.name, np.dtype(extra.dtype), extra)
        for field in fields(record_type)
        for extra in getattr(hints[field.name], "__metadata__", ())
        if isinstance(extra, Column)
    )


def check_columns(record: object) -> dict[str, int]:
    """Check a record's arrays against their annotations; return the length of each named dimension.

    `record` is a dataclass instance, whose fields are annotated with a `Column`.

    Raises
    ------
    RecordError
        If an array has another dtype or shape than declared, or two lengths disagree.
    """
    lengths: dict[str, int] = {}
    for name, dtype, column in columns_of(type(record)):  # type: ignore[arg-type]  # types hash
        value = getattr(record, name)
        if value.dtype != dtype or value.ndim != len(column.shape):
            raise RecordError(
                f"{type(record).__name__}.{name}: got {value.dtype} of {value.ndim} dimensions, "
                f"expected {dtype} {column.shape}"
            )
        for expected, got in zip(column.shape, value.shape, strict=True):
            agreed = expected if isinstance(expected, int) else lengths.setdefault(expected, got)
            if got != agreed:
                raise RecordError(
                    f"{type(record).__name__}.{name}: got shape {value.shape}, "
                    f"expected {column.shape} with {expected} = {agreed}"
                )
    return lengths


def rows_of(before: NDArray[np.uint64], after: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the position of each of some ids among other ids, int64 (n_after,).

    Parameters
    ----------
    before : uint64 (n_before,)
        The ids to search, in any order, each once.
    after : uint64 (n_after,)
        The ids to find.

    Returns
    -------
    int64 (n_after,)
        Index into `before` for each id in `after`; -1 if it is not there.
    """
    if not len(before):
        return np.full(len(after), -1, np.int64)
    order = np.argsort(before)
    place = order[np.minimum(np.searchsorted(before, after, sorter=order), len(before) - 1)]
    return np.where(before[place] == after, place, -1)
