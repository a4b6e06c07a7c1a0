# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables as bytes that a browser decodes by itself: codes, differences, byte planes, gzip.

A chunk is gzip of: the length of the header [uint32], the header (JSON), and the bytes of the
columns in its order. Each column is a row of unsigned codes; `Codes.header` says what they mean.
Codes of numbers are stored as differences from row to row, whose sign is the lowest bit, so that
small differences have small codes. The lowest bytes of all rows come first, then the next ones: the
higher ones are nearly always zero, and gzip makes nothing of them.
"""

from __future__ import annotations

import gzip
import json
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

GZIP_LEVEL = 6
MOST_CODES = 2**32
_LARGEST = 1e300  # spans of such numbers, and their steps, are finite
_FINEST = 65_534  # codes of a float column without a step of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Codes:
    """A column of a chunk.

    Attributes
    ----------
    name : str
        Its name.
    codes : uint32 (n,)
        A code for each row.
    header : mapping
        What the codes mean: ``table`` (the code is a place in it), or ``offset`` and ``step`` of
        numbers, ``none`` = 1 where code 0 means "no number" and the others count from 1.
    """

    name: str
    codes: NDArray[np.uint32]
    header: Mapping[str, Any] = field(default_factory=dict)


def number_codes(name: str, values: NDArray[Any], *, step: float | None = None) -> Codes:
    """Return the codes of numbers.

    Parameters
    ----------
    name : str
        Name of the column.
    values : int or float (n,)
        Integers are coded exactly. Floats are rounded to multiples of the step above the least
        of them; those that are not finite, or beyond 1e300, have no number.
    step : float, optional
        For floats. It grows tenfold until the codes fit; default: 65 534 steps from the least to
        the largest, rounded up to 1, 2 or 4 times a power of ten.
    """
    if values.dtype.kind in "iub":
        return _whole_codes(name, values)
    values = values.astype(np.float64)
    finite = np.abs(values) <= _LARGEST
    known = values[finite]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    step = rounded_step((high - low) / _FINEST) if step is None else step
    while (high - low) / step >= MOST_CODES - 2:
        step *= 10.0
    low = _on_step(low, step)
    none = int(len(known) < len(values))
    codes = np.zeros(len(values), np.uint32)
    codes[finite] = np.rint((known - low) / step).astype(np.int64) + none
    return Codes(name=name, codes=codes, header={"offset": low, "step": step, "none": none})


def _on_step(low: float, step: float) -> float:
    """Return the multiple of a step below a number, where doubles tell multiples apart."""
    floor = float(np.floor(low / step) * step)
    return floor if 0 <= low - floor <= step else low


def _whole_codes(name: str, values: NDArray[Any]) -> Codes:
    """Return integers as distances from the least; those too far apart as places in a table."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    if high - low >= MOST_CODES:
        return table_codes(name, values)
    wide = values if values.dtype == np.uint64 else values.astype(np.int64)
    codes = (wide - wide.dtype.type(low)).astype(np.uint32)
    return Codes(name=name, codes=codes, header={"offset": str(low), "step": 1, "none": 0})


def table_codes(name: str, values: NDArray[Any], *, absent: int | None = None) -> Codes:
    """Return values as places in the table of those that occur, as text; ``absent`` is "none"."""
    known, codes = np.unique(values, return_inverse=True)
    table = ["none" if absent is not None and each == absent else str(each) for each in known]
    return Codes(name=name, codes=codes.reshape(-1).astype(np.uint32), header={"table": table})


def rounded_step(least: float) -> float:
    """Return the smallest of 1, 2 and 4 times a power of ten that is not below a number."""
    if not least > 0.0:
        return 1.0
    least = max(least, 1.0 / _LARGEST)
    power = 10.0 ** np.floor(np.log10(least))
    found = next(each for each in (1, 2, 4, 10) if each * power >= least * (1 - 1e-12))
    return float(f"{found * power:.6g}")


def encode_chunk(columns: Sequence[Codes], about: Mapping[str, Any]) -> bytes:
    """Return the columns of a table as a chunk.

    Parameters
    ----------
    columns : sequence of Codes
        The header states the rows of the first, and of each that has another number of them.
    about : mapping
        What the header says beside them; JSON.
    """
    planes, entries = [], []
    n_row = len(columns[0].codes) if columns else 0
    for column in columns:
        codes = column.codes.astype(np.uint32)
        is_table = "table" in column.header
        stored = codes if is_table else _differences(codes)
        n_byte = (int(stored.max(initial=0)).bit_length() + 7) // 8
        planes += [(stored >> (8 * place)).astype(np.uint8) for place in range(n_byte)]
        rows = {} if len(codes) == n_row else {"rows": len(codes)}
        entries.append({"name": column.name, "bytes": n_byte, **rows, **column.header})
    header = json.dumps({**about, "rows": n_row, "columns": entries}).encode()
    body = b"".join(plane.tobytes() for plane in planes)
    packed = struct.pack("<I", len(header)) + header + body
    return gzip.compress(packed, GZIP_LEVEL, mtime=0)


def _differences(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the difference of each code from its predecessor, modulo 2**32, sign bit lowest."""
    change = np.diff(codes, prepend=np.uint32(0)).astype(np.uint32).view(np.int32)
    return ((change << 1) ^ (change >> 31)).view(np.uint32)
