# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of PCD files of osi-lidar and of other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_gap.reading.columns import RING, scan_cloud
from lidar_gap.reading.sources import PATH_ALONE
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.clouds.pcd_header import read_header

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.reading.sources import Given
    from lidar_gap.records import ScanCloud


def read_pcd_cloud(path: Path, _given: Given = PATH_ALONE) -> list[ScanCloud]:
    """Read the PCD file ``path`` as a list of one cloud.

    An organised cloud is a grid of points. If it has no field of laser numbers (`RING`), the rows
    of the grid are taken as rings, or its columns if they are fewer. ``_given`` has the options
    given by the user; they are not used.

    Raises
    ------
    InputError
        If the file is not a PCD file, is damaged, or has no x, y and z.
    """
    rows = read_pcd(path)
    names = rows.dtype.names or ()
    columns: dict[str, NDArray[Any]] = {name: rows[name] for name in names}
    lower = {name.lower() for name in names}
    if (
        "x" in lower
        and lower.isdisjoint(RING)
        and (ring := _ring_of_rows(path, len(rows))) is not None
    ):
        columns["ring"] = ring
    return [scan_cloud(path, path.stem, columns)]


def _ring_of_rows(path: Path, n_point: int) -> NDArray[np.int32] | None:
    """Return the ring of each point of an organised cloud: index along its shorter side."""
    header = read_header(path)
    width, height = header.width or n_point, header.height
    if height < 2 or width < 2 or width * height != n_point:
        return None
    row, column = np.divmod(np.arange(n_point, dtype=np.int32), np.int32(width))
    return row if height <= width else column
