# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of options that are more than a word or a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from lidar_base.near_match import near_match
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

Choice = TypeVar("Choice", bound=str)


def checked_choice(option: str, got: str, allowed: Iterable[Choice]) -> Choice:
    """Return the value of an option, or raise InputError with those that are allowed."""
    *others, last = allowed
    found = next((each for each in (*others, last) if each == got), None)
    if found is None:
        hint = near_match(got, (*others, last))
        raise InputError(f"{option}: got {got!r}, expected {', '.join(others)} or {last}{hint}")
    return found


def frame_slice(text: str | None) -> slice:
    """Return START:STOP[:STEP] as a slice of frame numbers.

    Raises
    ------
    InputError
        If the text is not of that form.
    """
    if text is None:
        return slice(None)
    parts = text.split(":")
    try:
        numbers = [int(part) if part.strip() else None for part in parts]
    except ValueError:
        numbers = []
    start, stop, step = (*numbers, None, None, None)[:3]
    usable = len(parts) in (2, 3) and len(numbers) == len(parts)
    empty = stop is not None and stop <= (start or 0)
    if not usable or (start or 0) < 0 or empty or (step is not None and step < 1):
        raise InputError(
            f"--frames: got {text!r}, expected START:STOP or START:STOP:STEP, such as 10:20"
        )
    return slice(start, stop, step)
