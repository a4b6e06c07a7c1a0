# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a commit of the scene has changed, and where rays can tell."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_COMMITS = 16
"""What was changed by earlier commits is forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneChanges:
    """What differs between two states of a scene.

    A ray that passes all the boxes by, or whose range ends before them, meets what it met before.
    Rows are places: one for where an instance was, and one for where it is, so that one that moved
    has two, and one that was removed or added has one. An instance that moves while rays are shot
    is everywhere between times 0 and 1.

    Attributes
    ----------
    everything : bool
        True if any ray may tell: after the first commit, a move of the anchor, or a new mesh. Then
        the boxes do not matter.
    instance : int64 (n,)
        Which instance. One that took the index of a removed one has that index, too.
    lower_m, upper_m : float32 (n, 3)
        Corners of the box around it, in the anchor frame. They allow for the rounding of its own
        coordinates, not for that of rays. [m]
    """

    everything: bool
    instance: NDArray[np.int64]
    lower_m: NDArray[np.float32]
    upper_m: NDArray[np.float32]


class ChangeLog:
    """The changes of the last commits."""

    def __init__(self) -> None:
        self._commits: deque[SceneChanges] = deque(maxlen=MOST_COMMITS)
        self._n_commits = 0

    def add(self, changes: SceneChanges) -> None:
        """Take the changes of the next commit."""
        self._commits.append(changes)
        self._n_commits += 1

    def since(self, n_commits: int) -> SceneChanges:
        """Return all that has changed since there were so many commits."""
        n = self._n_commits - n_commits
        if n > len(self._commits):
            return joined((), everything=True)
        recent = list(self._commits)[len(self._commits) - n :]
        return recent[0] if n == 1 else joined(recent)


def joined(parts: Sequence[SceneChanges], *, everything: bool = False) -> SceneChanges:
    """Return the changes of all parts as one."""
    none = np.zeros((0, 3), np.float32)
    return SceneChanges(
        everything=everything or any(part.everything for part in parts),
        instance=np.concatenate([np.zeros(0, np.int64), *(part.instance for part in parts)]),
        lower_m=np.concatenate([none, *(part.lower_m for part in parts)]),
        upper_m=np.concatenate([none, *(part.upper_m for part in parts)]),
    )
