# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Depth of the hits of a camera's rays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from raycore.records import NOTHING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.scan.records import Scanned

NOTHING_M = np.float32(np.inf)
"""Depth of a pixel in which nothing is hit. [m]"""


def depth_along_axis(scanned: Scanned) -> NDArray[np.float32]:
    """Return the distance of each beam's hit along the sensor's x, the optical axis of a camera.

    The depth is computed from the hits, without range limits and range errors of the sensor. If a
    beam has several rays, its nearest hit counts.

    Parameters
    ----------
    scanned : Scanned
        Records of one scan; its rays, and the surfaces at which they end, are used.

    Returns
    -------
    float32 (n_beam,)
        Depth of each beam; infinite if it hits nothing. [m]
    """
    hits, rays = scanned.paths.hits, scanned.shots.rays()
    along_m = rays.origin_m[:, 0] + hits.range_m * rays.direction[0]
    of_ray = np.where(hits.instance != NOTHING, along_m, NOTHING_M)
    depth_m: NDArray[np.float32] = of_ray.reshape(-1, scanned.shots.n_sub).min(axis=1)
    return depth_m
