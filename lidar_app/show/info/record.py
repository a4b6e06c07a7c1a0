# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The record of what a file holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """What a file or folder holds.

    Attributes
    ----------
    path : Path
        The file or folder.
    kind : str
        What it is, such as "OSI trace".
    facts : mapping of str to object
        Facts by key, with the unit as the key's ending; None: not known, not shown.
    lists : mapping of str to sequence of mapping
        Tables by title: rows of the same keys.
    """

    path: Path
    kind: str
    facts: Mapping[str, object] = field(default_factory=dict)
    lists: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
