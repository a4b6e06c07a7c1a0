# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fields of structured rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def with_field(rows: NDArray[np.void], name: str, values: NDArray[np.generic]) -> NDArray[np.void]:
    """Return a copy of structured rows (n,), with a column (n,) as their last field."""
    wider = np.empty(len(rows), [*rows.dtype.descr, (name, values.dtype.str)])
    n_bytes = rows.dtype.itemsize
    # whole rows: field by field takes twice as long
    before = rows.view(np.uint8).reshape(len(rows), n_bytes)
    wider.view(np.uint8).reshape(len(rows), wider.dtype.itemsize)[:, :n_bytes] = before
    wider[name] = values
    return wider
