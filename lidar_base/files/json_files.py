# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of foreign JSON and CSV texts: the number of values, and finite numbers."""

from __future__ import annotations

import json
import math

from lidar_base.files.bounds import BYTES_OF_VALUE, FREE_VALUES, check_at_most


def check_json(text: str | bytes) -> None:
    """Check that a JSON text has no more values than its size allows.

    Depth and long integers need no check here: ``json`` itself raises RecursionError or ValueError.

    Raises
    ------
    BoundError
        The text has more values.
    """
    marks = (b"{", b"[", b",", b":") if isinstance(text, bytes) else ("{", "[", ",", ":")
    _check_values(len(text), sum(map(text.count, marks)))  # type: ignore[arg-type]


def finite_json(text: str | bytes) -> object:
    """Return the content of a JSON text in which all numbers must be finite.

    Python's ``json`` alone would accept ``Infinity``, ``NaN`` and 1e999.

    Raises
    ------
    ValueError
        The text is not JSON, has an infinite number or NaN, or is nested too deeply.
    """
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("brackets are nested too deeply") from None


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"got {number:.20}, expected a finite number")
    return value


def check_csv(text: str) -> None:
    """Check that a CSV text has no more values than its size allows.

    Raises
    ------
    BoundError
        The text has more values.
    """
    _check_values(len(text), text.count(",") + text.count("\n"))


def _check_values(n_bytes: int, n_values: int) -> None:
    check_at_most(n_values, FREE_VALUES + n_bytes // BYTES_OF_VALUE, "values in the file")
