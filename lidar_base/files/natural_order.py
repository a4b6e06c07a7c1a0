# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The order of names in which numbers count as numbers: part 2 is before part 10."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_PARTS = re.compile(r"([^0-9]*)([0-9]*)")


def natural_key(name: str) -> list[tuple[str, int]]:
    """Return the sort key of a name; upper and lower case are the same."""
    return [(text, int(digits or 0)) for text, digits in _PARTS.findall(name.lower())]


def in_natural_order(paths: Iterable[Path]) -> list[Path]:
    """Return paths in the natural order of their folders and names."""
    return sorted(paths, key=lambda path: ([natural_key(part) for part in path.parts], path))
