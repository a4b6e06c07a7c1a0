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
"""Number of last commits whose changes are kept."""
_FEW_BOXES = 32  # up to this number, boxes are tested one by one
_CUBE_M = 2.0  # edge of cubes: changed boxes in the same cube become one


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneChanges:
    """Differences between two states of a scene.

    A ray that misses all boxes keeps its previous hit; so does a ray whose previous hit, or largest
    range, is nearer than the boxes. Each of the n rows is an old or new position of an instance.
    An instance that moved has two rows; an instance that was removed or added has one. The box of
    an instance that moves while rays are shot covers its positions at all times from 0 to 1.

    Attributes
    ----------
    everything : bool
        True if any ray may be affected: after the first commit, a move of the anchor, or a new
        mesh. Then the boxes do not matter.
    instance : int64 (n,)
        Index of the instance. A new instance may have the index of a removed one.
    lower_m, upper_m : float32 (n, 3)
        Corners of the box around the instance, in the anchor frame. They allow for the rounding of
        the instance's coordinates, but not of the rays' coordinates. [m]
    """

    everything: bool
    instance: NDArray[np.int64]
    lower_m: NDArray[np.float32]
    upper_m: NDArray[np.float32]


class ChangeLog:
    """Log of the changes of a scene's last `MOST_COMMITS` commits."""

    def __init__(self) -> None:
        self._commits: deque[SceneChanges] = deque(maxlen=MOST_COMMITS)
        self._n_commits = 0

    def add(self, changes: SceneChanges) -> None:
        """Append the changes of one more commit; only the last `MOST_COMMITS` are kept."""
        self._commits.append(changes)
        self._n_commits += 1

    def since(self, n_commits: int) -> SceneChanges:
        """Return all changes made after the first ``n_commits`` commits.

        ``everything`` is True if more than `MOST_COMMITS`, 16, followed.
        """
        n = self._n_commits - n_commits
        if n > len(self._commits):
            return joined((), everything=True)
        recent = list(self._commits)[len(self._commits) - n :]
        return recent[0] if n == 1 else joined(recent)


def joined(parts: Sequence[SceneChanges], *, everything: bool = False) -> SceneChanges:
    """Return the changes of all parts in one record: the rows of each part, one after the other.

    ``everything`` of the record is True if it is True here or in any part.
    """
    none = np.zeros((0, 3), np.float32)
    return SceneChanges(
        everything=everything or any(part.everything for part in parts),
        instance=np.concatenate([np.zeros(0, np.int64), *(part.instance for part in parts)]),
        lower_m=np.concatenate([none, *(part.lower_m for part in parts)]),
        upper_m=np.concatenate([none, *(part.upper_m for part in parts)]),
    )


def gathered(
    lower_m: NDArray[np.float32], upper_m: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Merge boxes whose centres lie in the same cube of a grid of 2 m; up to 32 boxes stay as is.

    For example, the limbs of a person, at old and new positions, become one or two boxes.

    Parameters
    ----------
    lower_m, upper_m : float32 (n, 3)
        Corners of boxes. [m]

    Returns
    -------
    float32 (n_gathered, 3), float32 (n_gathered, 3)
        Corners of boxes that together cover at least the same. [m]
    """
    if len(lower_m) <= _FEW_BOXES:
        return lower_m, upper_m
    cube = np.floor((lower_m + upper_m) * (0.5 / _CUBE_M))
    order = np.lexsort(cube.T)
    cube = cube[order]
    first = np.flatnonzero(np.append(True, (cube[1:] != cube[:-1]).any(axis=1)))
    low: NDArray[np.float32] = np.minimum.reduceat(lower_m[order], first)
    high: NDArray[np.float32] = np.maximum.reduceat(upper_m[order], first)
    return low, high
