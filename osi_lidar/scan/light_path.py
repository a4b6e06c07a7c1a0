# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The path of light: rays that go on after a surface, through glazing or off a mirror.

Surfaces that let every ray pass are never met (they are masked in the scene). For the others it
depends on the material and the angle of incidence, which are known after the hit only: such beams
are traced once more from there.

A path is unfolded. A beam off a mirror is traced as if it came from the mirror image of where it
came from, and what it meets counts from the mirror on. So its range is that of the total path, and
the reported point, origin + direction * range, is the mirror image (the ghost) of what was met.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.scan.light_path_kernels import send_on
from osi_lidar.scan.records import Paths
from raycore.records import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from osi_lidar.scan.records import Exposure
    from raycore.records import Hits, Shots

ALL = np.ones(1, np.float32)
"""Transmission of a path without glazing or mirrors: 1 for every ray."""
_NO_GHOST = np.zeros(1, np.bool_)
MOST_PANES = 16
"""A beam ends at the next one."""
CLEAR_M = 1e-4
"""How far behind a surface the next one counts: the same must not be met again. [m]"""
CLEAR_PER_M = 1e-6
"""What of the range is added to that, for the digits of float32."""
_GRAZING = 1e-3  # cosine below which a mirror is not cleared any further


def follow_light(
    exposure: Exposure,
    shots: Shots,
    hits: Hits,
    trace_on: Callable[[Exposure, Shots], Hits],
    *,
    max_bounces: int,
) -> Paths:
    """Return the surfaces at which the rays end, and the fraction of light that comes back.

    Parameters
    ----------
    exposure : Exposure
        The scan.
    shots : Shots
        The rays.
    hits : Hits
        The first surfaces that they meet.
    trace_on : callable
        Traces other rays in the same scene, from the same poses of the sensor.
    max_bounces : int
        How many mirrors a ray may meet; it ends at the next one.

    Returns
    -------
    Paths
        A hit for each ray, with the range of the total path: the input itself if no ray continues.
        Normal and incidence are those of the last leg.
    """
    as_met = Paths(hits=hits, share=ALL, ghost=_NO_GHOST)
    if not exposure.sends_on:
        return as_met
    share, mirrored = _sent_on(exposure, hits)
    on = np.flatnonzero(share)
    if not on.size:
        return as_met
    met = hits.copy()
    met.instance[on] = NOTHING
    total = np.ones(len(hits), np.float32)
    first_ray = np.arange(len(hits))  # row of the ray's beginning
    panes, bounces = np.zeros(len(hits), np.int64), np.zeros(len(hits), np.int64)
    while on.size:
        panes[first_ray[on]] += ~mirrored[on]
        bounces[first_ray[on]] += mirrored[on]
        of_first = first_ray[on]
        on = on[(panes[of_first] <= MOST_PANES) & (bounces[of_first] <= max_bounces)]
        if not on.size:
            break
        shots = _onwards(shots, hits, on, mirrored[on])
        first_ray = first_ray[on]
        total[first_ray] *= share[on]
        hits = trace_on(exposure, shots)
        share, mirrored = _sent_on(exposure, hits)
        ended = np.flatnonzero((hits.instance != NOTHING) & (share == 0.0))
        met.put(first_ray[ended], hits, ended)
        on = np.flatnonzero(share)
    return Paths(hits=met, share=total, ghost=bounces > 0)


def _sent_on(exposure: Exposure, hits: Hits) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the fraction of light that goes on from each hit, and whether it is mirrored.

    Where a surface could do both, the light goes straight on.
    """
    share, mirrored = np.empty(len(hits), np.float32), np.empty(len(hits), np.bool_)
    send_on(
        exposure.surfaces.first_row_of_instance,
        exposure.surfaces.material_of_row,
        exposure.table.sends_some_on,
        exposure.table.transmittance,
        exposure.table.mirrored,
        hits.arrays,
        share,
        mirrored,
    )
    return share, mirrored


def _onwards(shots: Shots, hits: Hits, on: NDArray[np.intp], mirrored: NDArray[np.bool_]) -> Shots:
    """Return the rays that continue from some hits, each straight or mirrored."""
    range_m = hits.range_m[on]
    clear_m = CLEAR_M + CLEAR_PER_M * range_m
    # rays that leave a mirror at a grazing angle stay near it for longer
    clear_m[mirrored] /= np.maximum(hits.cos_incidence[on[mirrored]], np.float32(_GRAZING))
    onwards = replace(
        shots.rows(on), start_m=(range_m + clear_m).astype(np.float32), coherent=False
    )
    if not mirrored.any():
        return onwards
    direction = onwards.direction.T.copy()
    origin_m = np.broadcast_to(onwards.origin_m, direction.shape).copy()
    origin_m[mirrored], direction[mirrored] = _mirror_image(
        origin_m[mirrored],
        direction[mirrored],
        range_m[mirrored],
        hits.normal[:, on[mirrored]].T,
    )
    return replace(onwards, origin_m=origin_m, direction=np.ascontiguousarray(direction.T))


def _mirror_image(
    origin_m: NDArray[np.float32],
    direction: NDArray[np.float32],
    range_m: NDArray[np.float32],
    normal: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return origin and direction of rays as mirrored where they are at a range.

    With the unit normal n, a direction d becomes d - 2 (d . n) n. The mirrored origin lies so that
    the mirrored ray passes the mirror at the same place and range.
    """
    before, across = direction.astype(np.float64), normal.astype(np.float64)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    after = before - 2.0 * (before * across).sum(axis=1, keepdims=True) * across
    after = (after / np.linalg.norm(after, axis=1, keepdims=True)).astype(np.float32)
    far_m = range_m[:, np.newaxis].astype(np.float64)
    mirrored_m = origin_m.astype(np.float64) + far_m * (before - after.astype(np.float64))
    return mirrored_m.astype(np.float32), after
