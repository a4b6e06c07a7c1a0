# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of foreign files of text."""

from __future__ import annotations

import json
import math

from lidar_base.files.bounds import BYTES_OF_VALUE, FREE_VALUES, check_at_most


def check_json(text: str | bytes) -> None:
    """Check that a JSON text has no more values than its size allows.

    Python bounds the depth and the digits of whole numbers by itself: ``json`` raises
    RecursionError and ValueError.

    Raises
    ------
    BoundError
        It has more.
    """
    marks = (b"{", b"[", b",", b":") if isinstance(text, bytes) else ("{", "[", ",", ":")
    _check_values(len(text), sum(map(text.count, marks)))  # type: ignore[arg-type]


def finite_json(text: str | bytes) -> object:
    """Return what a JSON text holds, whose numbers are all finite.

    Python alone takes ``Infinity``, ``NaN`` and 1e999.

    Raises
    ------
    ValueError
        It is no JSON, has another number, or values within each other hundreds of times.
    """
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("too many brackets within each other") from None


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"got {number:.20}, expected a finite number")
    return value


def check_csv(text: str) -> None:
    """Check that a table as text has no more values than its size allows.

    Raises
    ------
    BoundError
        It has more.
    """
    _check_values(len(text), text.count(",") + text.count("\n"))


def _check_values(n_bytes: int, n_values: int) -> None:
    check_at_most(n_values, FREE_VALUES + n_bytes // BYTES_OF_VALUE, "values in the file")
