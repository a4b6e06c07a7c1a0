# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ghosts in wet roads: light that the water mirrors, and that comes back the same way.

The water mirrors the share F of the light, on the way out and again on the way back, so that a
target of reflectivity R appears below the road with F^2 R. For each beam that meets a wet road, one
ray is traced in the mirrored direction; its echo is as sharp as the echo of a wall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_base.block_kernels import workers
from lidar_scenery.weather.ground import LEVEL
from osi_lidar.scan.fused_kernels import SurfaceArrays
from osi_lidar.scan.media.ghosts.road_kernels import (
    MetArrays,
    MirroredArrays,
    WetArrays,
    find_wet,
    see_mirrored,
    send_mirrored,
)
from osi_lidar.scan.media.ghosts.seen import Ghosts
from raycore.records import ALL_OF_IT, Shots
from raycore.trace.tracer import new_tracer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.weather.ground import WetGround
    from osi_lidar.scan.records import Exposure, Paths
    from raycore.records import HitArrays

LEAST = 0.03
"""Beams are not followed if water mirrors less than this share of the light, out and back. This is
the case below an angle of incidence of about 73 deg."""
_PACKET = 16  # rays come in whole packets, of any width, which the tracer takes as they are


class RoadMirror:
    """Finds the ghosts that beams see in wet roads."""

    def __init__(self) -> None:
        self._tracer = new_tracer()

    def ghosts(
        self, exposure: Exposure, shots: Shots, paths: Paths, ground: WetGround
    ) -> Ghosts | None:
        """Return the ghosts that beams see in wet roads, a row for each beam.

        The result is None if no road mirrors more than the share `LEAST`. ``exposure`` is the scan,
        ``shots`` its rays, and ``paths`` the surfaces that these rays met. ``ground`` states which
        materials are wet, and the share of the light that they mirror.
        """
        n_beam, poses = len(shots) // shots.n_sub, exposure.poses
        surfaces, hits = SurfaceArrays.of(exposure.surfaces, exposure.table), paths.hits.arrays
        wet = WetArrays(
            ground.film,
            ground.cosines,
            ground.mirrored_twice,
            np.ascontiguousarray(poses[:, 2, :3]),
            LEVEL,
        )
        mirrored = np.empty(n_beam, np.float32)
        find_wet(surfaces, wet, MetArrays(hits, paths.share, shots.moment), workers(), mirrored)
        beams = np.flatnonzero(mirrored > LEAST)
        if not beams.size:
            return None
        beams = np.append(beams, beams[-1:].repeat(-len(beams) % _PACKET))
        sent = _mirrored(shots, hits, beams)
        met = self._tracer.trace(exposure.scene, sent, poses)
        seen = Ghosts.none(n_beam)
        see_mirrored(surfaces, met.arrays, beams, mirrored, workers(), seen)
        return seen


def _mirrored(shots: Shots, hits: HitArrays, beams: NDArray[np.intp]) -> Shots:
    """Return the mirrored rays of some beams that meet wet roads."""
    n = len(beams)
    sent = MirroredArrays(
        np.empty((n, 3), np.float32), np.empty((3, n), np.float32), np.empty(n, np.float32)
    )
    send_mirrored(shots.ray_arrays, hits, beams, shots.n_sub, workers(), sent)
    return Shots(
        **sent._asdict(),
        time=shots.time if len(shots.time) == 1 else shots.time[beams],
        moment=shots.moment if len(shots.moment) == 1 else shots.moment[beams],
        weight=ALL_OF_IT,
        max_range_m=shots.max_range_m,
        coherent=True,  # off a level road neighbours stay neighbours
    )
