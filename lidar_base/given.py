# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A check for values whose type allows None, but that cannot be None here."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def given(value: T | None) -> T:
    """Return a value that cannot be None here; None would be a bug: AssertionError."""
    if value is None:
        raise AssertionError("got None, but the caller promised a value")
    return value
