# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compact encoding of tables for the browser: codes, differences, byte planes, gzip.

A chunk is the gzip of: the length of the header [uint32], the header (JSON), and the columns in the
order of the header. Each column is a sequence of unsigned codes; `Codes.header` defines their
meaning. Numbers are stored as differences between adjacent rows, with the sign in the lowest bit,
so that small differences have small codes. The lowest bytes of all rows come first, then the next
bytes: higher bytes are nearly always zero, and gzip removes them.
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
_LARGEST = 1e300  # spans of numbers up to this, and their steps, are finite
_FINEST = 65_534  # codes of a float column without a given step


@dataclass(frozen=True, slots=True, kw_only=True)
class Codes:
    """A column of a table, encoded as whole numbers (codes).

    Attributes
    ----------
    name : str
        Name of the column.
    codes : uint32 (n,)
        A code for each row.
    header : mapping
        Meaning of the codes. Either it has a ``table`` of texts, and a code is an index into it. Or
        it has numbers: code k means ``offset`` + k ``step``. If ``none`` is 1, code 0 means "no
        number", and the other codes are one higher.
    """

    name: str
    codes: NDArray[np.uint32]
    header: Mapping[str, Any] = field(default_factory=dict)


def number_codes(name: str, values: NDArray[Any], *, step: float | None = None) -> Codes:
    """Encode a column of numbers as whole numbers from 0, which take few bytes.

    Parameters
    ----------
    name : str
        Name of the column.
    values : int or float (n,)
        Integers are encoded exactly. Floats are rounded to multiples of the step above the least
        value; a float that is not finite, or beyond 1e300, becomes "no number".
    step : float, optional
        Step for floats; it is multiplied by ten until the codes fit into 32 bits. Default: the span
        of the values divided by 65 534, rounded up to 1, 2 or 4 times a power of ten.
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
    """Return the multiple of a step below a number, or the number if doubles are too coarse."""
    floor = float(np.floor(low / step) * step)
    return floor if 0 <= low - floor <= step else low


def _whole_codes(name: str, values: NDArray[Any]) -> Codes:
    """Encode integers as differences from the least, or by a table if they are too far apart."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    if high - low >= MOST_CODES:
        return table_codes(name, values)
    wide = values if values.dtype == np.uint64 else values.astype(np.int64)
    codes = (wide - wide.dtype.type(low)).astype(np.uint32)
    return Codes(name=name, codes=codes, header={"offset": str(low), "step": 1, "none": 0})


def table_codes(name: str, values: NDArray[Any], *, absent: int | None = None) -> Codes:
    """Encode a column of repeated values as indices into a table of texts, one text per value.

    Parameters
    ----------
    name : str
        Name of the column.
    values : int or str (n,)
        The values; the table has each different one once, in increasing order, as ``str`` writes
        it.
    absent : int, optional
        A value that means that there is none, such as an invalid id; its text is "none".
    """
    known, codes = np.unique(values, return_inverse=True)
    table = ["none" if absent is not None and each == absent else str(each) for each in known]
    return Codes(name=name, codes=codes.reshape(-1).astype(np.uint32), header={"table": table})


def rounded_step(least: float) -> float:
    """Return the smallest number of at least ``least`` that is 1, 2 or 4 times a power of ten.

    If ``least`` is NaN or not above 0, the result is 1.
    """
    if not least > 0.0:
        return 1.0
    least = max(least, 1.0 / _LARGEST)
    power = 10.0 ** np.floor(np.log10(least))
    found = next(each for each in (1, 2, 4, 10) if each * power >= least * (1 - 1e-12))
    return float(f"{found * power:.6g}")


def encode_chunk(columns: Sequence[Codes], about: Mapping[str, Any]) -> bytes:
    """Return the columns of a table as a chunk: a JSON header and all codes, gzipped.

    Parameters
    ----------
    columns : sequence of Codes
        The columns; they may differ in their number of rows, which the header states.
    about : mapping
        Further entries of the header, as plain values for JSON.
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
