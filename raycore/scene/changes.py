# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of the scene from commit to commit, and the boxes in which rays can be affected."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_COMMITS = 16
"""Number of commits whose changes are kept; older ones are forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneChanges:
    """Differences between two states of a scene.

    A ray that misses all the boxes, or whose range ends before them, keeps its previous hit. Each
    row is a place, old or new, of an instance: an instance that moved has two rows, and one that
    was removed or added has one. The box of an instance that moves while rays are shot covers its
    places at all times from 0 to 1.

    Attributes
    ----------
    everything : bool
        True if any ray may be affected: after the first commit, a move of the anchor, or a new
        mesh. Then the boxes do not matter.
    instance : int64 (n,)
        Index of the instance. A new instance may have the index of a removed one.
    lower_m, upper_m : float32 (n, 3)
        Corners of the box around it, in the anchor frame. They allow for the rounding of the
        instance's coordinates, not for that of rays. [m]
    """

    everything: bool
    instance: NDArray[np.int64]
    lower_m: NDArray[np.float32]
    upper_m: NDArray[np.float32]


class ChangeLog:
    """Log of the changes of the last commits."""

    def __init__(self) -> None:
        self._commits: deque[SceneChanges] = deque(maxlen=MOST_COMMITS)
        self._n_commits = 0

    def add(self, changes: SceneChanges) -> None:
        """Append the changes of the next commit."""
        self._commits.append(changes)
        self._n_commits += 1

    def since(self, n_commits: int) -> SceneChanges:
        """Return all changes made after the first ``n_commits`` commits."""
        n = self._n_commits - n_commits
        if n > len(self._commits):
            return joined((), everything=True)
        recent = list(self._commits)[len(self._commits) - n :]
        return recent[0] if n == 1 else joined(recent)


def joined(parts: Sequence[SceneChanges], *, everything: bool = False) -> SceneChanges:
    """Return the changes of all parts in one record."""
    none = np.zeros((0, 3), np.float32)
    return SceneChanges(
        everything=everything or any(part.everything for part in parts),
        instance=np.concatenate([np.zeros(0, np.int64), *(part.instance for part in parts)]),
        lower_m=np.concatenate([none, *(part.lower_m for part in parts)]),
        upper_m=np.concatenate([none, *(part.upper_m for part in parts)]),
    )
