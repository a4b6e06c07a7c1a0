# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Films of water on lanes, as rays meet them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.block_kernels import workers
from osi_lidar.scan.media.lane_kernels import MetOnRoads, rows_on_lanes

if TYPE_CHECKING:
    from osi_lidar.scan.records import Exposure, Paths
    from raycore.records import Shots


def on_lanes(exposure: Exposure, shots: Shots, paths: Paths) -> Paths:
    """Return the paths, in which rays that end on a lane with its own film end on the film.

    The primitive of such a hit becomes the film's primitive, see `lanes.rows`.
    """
    if exposure.ground is None or exposure.ground.lanes is None:
        return paths
    films, hits = exposure.ground.lanes, paths.hits
    met = MetOnRoads(
        *shots.ray_arrays, hits.range_m, hits.instance, hits.primitive, *paths.legs[:3],
        shots.moment, np.ascontiguousarray(exposure.poses),
    )  # fmt: skip
    primitive = np.empty(len(hits), np.uint32)
    rows_on_lanes(films.areas, films.rows_in(exposure.surfaces), met, workers(), primitive)
    return replace(paths, hits=replace(hits, primitive=primitive))
