# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Beams that go on behind a surface, such as a window pane that they meet steeply enough.

Surfaces that let every ray pass are never met (they are masked in the scene). For the others it
depends on the angle of incidence, which is known after the hit only: such beams are traced once
more from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from raycore.records import Hits, Rays

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from material_mapping import MaterialTable
    from osi_lidar.response import Surfaces

MOST_PANES = 16
"""A beam ends at the next one."""
CLEAR_OF_PANE_M = 1e-4
"""How far behind a pane the next surface counts: the pane itself must not be met again. [m]"""
_EDGE_DEG = 1e-4  # a bin begins at its edge, also where a float32 cosine falls just short of it


def through_panes(
    hits: Hits,
    rays: Rays,
    trace: Callable[[Rays], Hits],
    surfaces: Surfaces,
    table: MaterialTable,
) -> tuple[Hits, NDArray[np.float32]]:
    """Return what the beams meet in the end, and which share of the light comes back from there.

    Parameters
    ----------
    hits : Hits
        The first surfaces that the rays have met.
    rays : Rays
        Those rays.
    trace : callable
        Traces other rays from the same place in the same scene.
    surfaces : Surfaces
        Look-up tables of the scene.
    table : MaterialTable
        Materials at the sensor's wavelength.

    Returns
    -------
    Hits
        In the order of the beams; as they were where nothing lets a beam pass.
    float32 (n_hit,), or (1,) where nothing lets a beam pass
        1 without a pane. [1]
    """
    share = _transmittance(hits, surfaces, table)
    if not share.any():
        return hits, np.ones(1, np.float32)
    total = np.ones(len(rays.direction), np.float32)
    ends = [hits.rows(np.flatnonzero(share == 0.0))]
    for _ in range(MOST_PANES):
        passing = np.flatnonzero(share)
        beams = hits.beam[passing]
        total[beams] *= share[passing]
        start_m = hits.range_m[passing]
        behind = trace(_behind(rays, beams, start_m + CLEAR_OF_PANE_M + 1e-6 * start_m))
        hits = behind.of_beams(beams[behind.beam])
        share = _transmittance(hits, surfaces, table)
        ends.append(hits.rows(np.flatnonzero(share == 0.0)))
        if not share.any():
            break
    met = Hits.joined(ends)
    in_order = met.rows(np.argsort(met.beam, kind="stable"))
    return in_order, total[in_order.beam]


def _behind(rays: Rays, beams: NDArray[np.uint32], start_m: NDArray[np.float32]) -> Rays:
    """Return the rays of some beams, which look at what is farther than a range."""
    return Rays(
        origin_m=rays.origin_m if len(rays.origin_m) == 1 else rays.origin_m[beams],
        direction=np.ascontiguousarray(rays.direction[beams]),
        time=rays.time if len(rays.time) == 1 else rays.time[beams],
        start_m=start_m.astype(np.float32),
        moment=rays.moment if len(rays.moment) == 1 else rays.moment[beams],
        max_range_m=rays.max_range_m,
        coherent=False,
    )


def _transmittance(hits: Hits, surfaces: Surfaces, table: MaterialTable) -> NDArray[np.float32]:
    """Return which share of the light goes on at each hit, float32 (n_hit,)."""
    material = surfaces.material_of_slot[surfaces.first_slot[hits.mesh] + hits.slot]
    share = np.zeros(len(hits), np.float32)
    some = np.flatnonzero(table.lets_some_pass[material])
    degree = (np.degrees(np.arccos(hits.cos_incidence[some])) + _EDGE_DEG).astype(np.intp)
    share[some] = table.transmittance[material[some], np.minimum(degree, 90)]
    return share
