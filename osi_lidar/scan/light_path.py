# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The path of light: beams that go on after a surface, through a pane or off a mirror.

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

from osi_lidar.scan import response_kernels as kernels
from raycore.records import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from material_mapping import MaterialTable
    from osi_lidar.world.surfaces import Surfaces
    from raycore.records import Rays, Traced

ALL = np.ones(1, np.float32)
"""The share of the light that comes back where nothing sends it on."""
MOST_PANES = 16
"""A beam ends at the next one."""
CLEAR_M = 1e-4
"""How far behind a surface the next one counts: the same must not be met again. [m]"""
CLEAR_PER_M = 1e-6
"""What of the range is added to that, for the digits of float32."""
_GRAZING = 1e-3  # cosine below which a mirror is not cleared any further


def follow_light(  # noqa: PLR0913  as many inputs
    traced: Traced,
    rays: Rays,
    trace: Callable[[Rays], Traced],
    surfaces: Surfaces,
    table: MaterialTable,
    *,
    max_bounces: int,
) -> tuple[Traced, NDArray[np.float32]]:
    """Return what the beams meet in the end, and which share of the light comes back from there.

    Parameters
    ----------
    traced : Traced
        The first surfaces that the rays have met.
    rays : Rays
        Those rays.
    trace : callable
        Traces other rays in the same scene, from the same pose of the sensor.
    surfaces : Surfaces
        Look-up tables of the scene.
    table : MaterialTable
        Materials at the sensor's wavelength.
    max_bounces : int
        How many mirrors a beam may meet; it ends at the next one.

    Returns
    -------
    Traced
        A row for each beam, with the range of the total path; that which was given where nothing
        sends a beam on. Normal and incidence are those of the last leg.
    float32 (n_beam,), or (1,) where nothing sends a beam on
        1 for a beam that goes straight. [1]
    """
    share, mirrored = _sent_on(traced, surfaces, table)
    on = np.flatnonzero(share)
    if not on.size:
        return traced, ALL
    met = traced.copy()
    met.instance[on] = NOTHING
    total = np.ones(len(traced), np.float32)
    beam_of_ray = np.arange(len(traced))
    panes, bounces = np.zeros(len(traced), np.int64), np.zeros(len(traced), np.int64)
    while on.size:
        panes[beam_of_ray[on]] += ~mirrored[on]
        bounces[beam_of_ray[on]] += mirrored[on]
        beams = beam_of_ray[on]
        on = on[(panes[beams] <= MOST_PANES) & (bounces[beams] <= max_bounces)]
        if not on.size:
            break
        rays = _onwards(rays, traced, on, mirrored[on])
        beam_of_ray = beam_of_ray[on]
        total[beam_of_ray] *= share[on]
        traced = trace(rays)
        share, mirrored = _sent_on(traced, surfaces, table)
        ended = np.flatnonzero((traced.instance != NOTHING) & (share == 0.0))
        met.put(beam_of_ray[ended], traced, ended)
        on = np.flatnonzero(share)
    return met, total


def _sent_on(
    traced: Traced, surfaces: Surfaces, table: MaterialTable
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return which share of the light goes on from each ray, and whether in the mirror's direction.

    Where a surface could do both, the light goes straight on.
    """
    share, mirrored = np.empty(len(traced), np.float32), np.empty(len(traced), np.bool_)
    kernels.send_on(
        surfaces.first_row_of_instance,
        surfaces.material_of_row,
        table.sends_some_on,
        table.transmittance,
        table.mirrored,
        traced.instance,
        traced.primitive,
        traced.cos_incidence,
        share,
        mirrored,
    )
    return share, mirrored


def _onwards(rays: Rays, traced: Traced, on: NDArray[np.intp], mirrored: NDArray[np.bool_]) -> Rays:
    """Return the rays that go on from where some have ended, each straight or mirrored."""
    range_m = traced.range_m[on]
    clear_m = CLEAR_M + CLEAR_PER_M * range_m
    # rays that leave a mirror at a grazing angle stay near it for longer
    clear_m[mirrored] /= np.maximum(traced.cos_incidence[on[mirrored]], np.float32(_GRAZING))
    onwards = replace(rays.rows(on), start_m=(range_m + clear_m).astype(np.float32), coherent=False)
    if not mirrored.any():
        return onwards
    origin_m = np.broadcast_to(onwards.origin_m, onwards.direction.shape).copy()
    direction = onwards.direction.copy()
    origin_m[mirrored], direction[mirrored] = _mirror_image(
        origin_m[mirrored],
        direction[mirrored],
        range_m[mirrored],
        traced.normal[:, on[mirrored]].T,
    )
    return replace(onwards, origin_m=origin_m, direction=direction)


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
