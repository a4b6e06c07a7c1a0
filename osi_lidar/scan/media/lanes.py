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
    """Return the paths of a scan, in which hits on lanes with their own film have wet materials.

    The primitive of such a hit is replaced by the primitive that stands for the surface under the
    film, see `lidar_scenery.weather.lanes.rows`. The hits of ``paths`` are copied, not changed. If
    no lane has a film of its own, the result is ``paths`` itself. ``exposure`` is the scan, and
    ``shots`` has its rays.
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
