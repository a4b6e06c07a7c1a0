# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a wet road shows: light that its water mirrors, and that comes back the same way.

The water sends the share F of the light on, and F of what comes back from there, so that a target
of reflectivity R stands below the road with F^2 R. One ray for each beam that meets wet road looks
where that light goes: its echo is as sharp as that of a wall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.weather.ground import is_level
from osi_lidar.scan.light_path import rays_onwards
from raycore.records import NOTHING
from raycore.trace.tracer import Tracer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.weather.ground import WetGround
    from osi_lidar.scan.records import Exposure, Paths
    from raycore.records import Hits, Shots

LEAST = 0.03
"""Share of the light that water mirrors, there and back, below which nothing is looked for: steeper
than some 73 deg from the road's normal a white wall would send back less."""


class RoadGhosts(NamedTuple):
    """What the beams see in wet roads.

    Attributes
    ----------
    range_m : float32 (n_beam,)
        Length of the whole path. [m]
    strength : float32 (n_beam,)
        Reflectivity as seen there, 0 where a beam sees nothing. [1]
    """

    range_m: NDArray[np.float32]
    strength: NDArray[np.float32]


class RoadMirror:
    """Looks for what wet roads show."""

    def __init__(self) -> None:
        self._tracer = Tracer()

    def look(
        self, exposure: Exposure, shots: Shots, paths: Paths, ground: WetGround
    ) -> RoadGhosts | None:
        """Return what the beams see in wet roads; None if no beam sees anything.

        Parameters
        ----------
        exposure : Exposure
            The scan.
        shots, paths : Shots, Paths
            Rays, and what they met.
        ground : WetGround
            Which materials are wet, and what share of the light they mirror.
        """
        n_beam = len(shots) // shots.n_sub
        rows = np.arange(n_beam) * shots.n_sub
        rows = rows[np.broadcast_to(paths.share, len(shots))[rows] == 1.0]
        hits, mirrored = paths.hits, ground.mirrored_twice
        material = _materials_of(exposure, hits, rows)
        shares = np.zeros(len(rows))
        wet = np.flatnonzero(ground.is_wet[material])
        moment = np.broadcast_to(shots.moment, n_beam)[rows[wet] // shots.n_sub]
        wet = wet[is_level(hits.normal[:, rows[wet]].T, exposure.poses[moment, 2, :3])]
        shares[wet] = np.interp(hits.cos_incidence[rows[wet]], ground.cosines, mirrored)
        rows, shares = rows[shares > LEAST], shares[shares > LEAST]
        if not rows.size:
            return None
        sent = rays_onwards(shots, hits, rows, np.ones(len(rows), np.bool_))
        met = self._tracer.trace(exposure.scene, sent, exposure.poses)
        behind = _materials_of(exposure, met, np.arange(len(rows)))
        found = behind >= 0
        reflected = exposure.table.reflectivity(behind[found], met.cos_incidence[found])
        beams = rows[found] // shots.n_sub
        seen = RoadGhosts(np.zeros(n_beam, np.float32), np.zeros(n_beam, np.float32))
        seen.range_m[beams] = met.range_m[found]
        seen.strength[beams] = shares[found] * reflected
        return seen


def _materials_of(exposure: Exposure, hits: Hits, rows: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the material of some hits, int64 (n,); -1 where nothing is met."""
    instance = hits.instance[rows]
    material = np.full(len(rows), -1, np.int64)
    met = np.flatnonzero(instance != NOTHING)
    first = exposure.surfaces.first_row_of_instance[instance[met]].astype(np.int64)
    row = first + hits.primitive[rows[met]]
    material[met] = exposure.surfaces.material_of_row[row]
    return material
