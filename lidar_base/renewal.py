# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which blocks of a result are new, and which are those of an earlier result."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMBERS = count()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Renewal:
    """Which parts of a result are new, and which earlier result the others are taken from.

    Attributes
    ----------
    number : int
        Of this result, unlike that of any other.
    after : int or None
        Number of the earlier result; None if all is new.
    changed : bool (n_block,)
        Of each block of beams, whether it is new.
    """

    number: int
    after: int | None
    changed: NDArray[np.bool_]

    @classmethod
    def of(cls, changed: NDArray[np.bool_], *, after: int | None = None) -> Renewal:
        """Return a new result's."""
        return cls(number=next(_NUMBERS), after=after, changed=changed)
