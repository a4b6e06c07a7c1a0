# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of values in YAML files of materials; every error is one line with file and key."""

from __future__ import annotations

import math
import reprlib
from typing import TYPE_CHECKING, Any, TypeVar

from lidar_base.near_match import near_match
from material_mapping.errors import MappingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Value = TypeVar("Value")

WAVELENGTHS_NM = (200.0, 20_000.0)
"""Shortest and longest wavelength that a file may name. [nm]"""


def table_of(content: object, *, file: str, key: str) -> dict[str, Any]:
    """Return a table whose keys are strings, or raise MappingError."""
    if not isinstance(content, dict):
        raise MappingError(
            f"got {reprlib.repr(content)}, expected a table of keys", file=file, key=key
        )
    return content


def check_keys(content: Mapping[str, Any], known: tuple[str, ...], *, file: str, key: str) -> None:
    """Raise MappingError for the first key that is not known."""
    for name in content:
        if name not in known:
            hint = near_match(name, known)
            message = f"unknown key {name!r}, expected one of {', '.join(known)}{hint}"
            raise MappingError(message, file=file, key=key)


def one_of(content: object, known: Iterable[str], *, file: str, key: str) -> str:
    """Return the content if it is a known word, or raise MappingError with the nearest one."""
    words = tuple(known)
    if not isinstance(content, str) or content not in words:
        expected = f"expected one of {', '.join(words)}{near_match(str(content), words)}"
        raise MappingError(f"got {reprlib.repr(content)}, {expected}", file=file, key=key)
    return content


def number(content: object, *, file: str, key: str) -> float:
    """Return a number, or raise MappingError."""
    if isinstance(content, bool) or not (
        isinstance(content, int | float) and math.isfinite(content)
    ):
        raise MappingError(f"got {reprlib.repr(content)}, expected a number", file=file, key=key)
    return float(content)


def text(content: object, *, file: str, key: str) -> str:
    """Return a text without line breaks, or raise MappingError."""
    if not isinstance(content, str):
        raise MappingError(f"got {reprlib.repr(content)}, expected a text", file=file, key=key)
    return " ".join(content.split())


def wavelength(content: object, *, file: str, key: str) -> float:
    """Return a wavelength [nm], or raise MappingError."""
    wavelength_nm = number(content, file=file, key=key)
    low, high = WAVELENGTHS_NM
    if not low <= wavelength_nm <= high:
        message = f"wavelength {wavelength_nm:g} nm, expected {low:.0f} to {high:.0f}"
        raise MappingError(message, file=file, key=key)
    return wavelength_nm


def by_wavelength(
    content: object, read: Callable[..., Value], *, file: str, key: str
) -> dict[float | None, Value]:
    """Return values by increasing wavelength; a single value has the key None."""
    if not isinstance(content, dict):
        return {None: read(content, file=file, key=key)}
    if not content:
        raise MappingError("is empty, expected {wavelength in nm: value}", file=file, key=key)
    values: dict[float, Value] = {}
    for word, each in content.items():
        wavelength_nm = wavelength(_plain_number(word), file=file, key=key)
        if wavelength_nm in values:
            raise MappingError(f"{wavelength_nm:g} nm is given twice", file=file, key=key)
        values[wavelength_nm] = read(each, file=file, key=f"{key}.{word}")
    return dict(sorted(values.items()))


def _plain_number(word: str) -> object:
    """Return a key as a number if it is one; in the file, keys are strings."""
    try:
        return float(word)
    except ValueError:
        return word
