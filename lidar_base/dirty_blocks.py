# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Dirty blocks: which blocks of a result differ from an earlier result."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMBERS = count()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DirtyBlocks:
    """The blocks of a result that are new; all others equal the blocks of an earlier result.

    Attributes
    ----------
    number : int
        Identifies this result; no other result has the same number.
    after : int or None
        Number of the earlier result; None if all blocks are new.
    changed : bool (n_block,)
        True for each block that is new.
    """

    number: int
    after: int | None
    changed: NDArray[np.bool_]

    @classmethod
    def of(cls, changed: NDArray[np.bool_], *, after: int | None = None) -> DirtyBlocks:
        """Return the record of a new result, with a number that no other result has.

        Parameters
        ----------
        changed : bool (n_block,)
            True for each block that differs from the earlier result.
        after : int, optional
            Number of the earlier result; default: there is none, so all blocks are new.
        """
        return cls(number=next(_NUMBERS), after=after, changed=changed)
