# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The record of the content of a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """Content of a file or folder.

    Attributes
    ----------
    path : Path
        The file or folder.
    kind : str
        Kind of the file or folder, such as "OSI trace".
    facts : mapping of str to object
        Facts by key; a key ends with the unit, if any. A fact that is None is not known.
    lists : mapping of str to sequence of mapping
        Tables by title; a table is a list of rows, which have equal keys.
    """

    path: Path
    kind: str
    facts: Mapping[str, object] = field(default_factory=dict)
    lists: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)
