# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds in blocks of beams, of which unchanged ones are copied instead of made anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from osi_lidar.clouds.cloud import Cloud

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lidar_base.dirty_blocks import DirtyBlocks


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BlockCloud(Cloud):
    """A cloud that tells which blocks of its beams may differ from an earlier cloud of the sensor.

    Whoever has processed the earlier cloud, such as the encoder of OSI detections, needs to process
    only these blocks. Blocks of beams follow each other in the order of the scan pattern.

    Attributes
    ----------
    dirty : DirtyBlocks
        Which blocks may differ, and the number of the earlier cloud.
    start_of_block : int64 (n_block + 1,)
        Row of the first point of each block in ``points``, then the number of all points.
    """

    dirty: DirtyBlocks
    start_of_block: NDArray[np.int64]
