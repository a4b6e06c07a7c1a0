# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of films of water by lane: the film that each ray meets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.memory_kernels import borrowed
from lidar_scenery.weather.lanes.area_kernels import DRY, film_at
from raycore.pattern.fan_kernels import one_ray
from raycore.records import NOTHING
from raycore.trace.legs import STRAIGHT


class MetOnRoads(NamedTuple):
    """The rays of a scan, and the surface that each has met, as arrays for kernels.

    Attributes
    ----------
    origin_m, direction : float32 (n_beam | 1, 3), float32 (3, n_beam)
        Start [m] and unit vector of each beam, in the sensor frame.
    fan, fan_of_beam : float32 (n_fan, 5, n_sub), uint16 (n_beam | 0,)
        Directions and starts of sub-rays relative to their beam, see `fan_kernels`, and the row of
        ``fan`` for each beam. Both are empty if each beam is a single ray.
    range_m : float32 (n_ray,)
        Range of the surface, along the whole path. [m]
    instance, primitive : uint32 (n_ray,)
        Mesh instance that the ray has met, `NOTHING` without a hit, and triangle of its mesh.
    leg_of_ray : int32 (n_ray | 0,)
        Row of the next two arrays for a ray that has met a mirror, else `STRAIGHT`; no rows: no ray
        has.
    leg_origin_m, leg_direction : float32 (n_leg, 3)
        Start [m] and unit vector of the path after the last mirror, in the sensor frame; ranges
        count from this start.
    moment : uint32 (n_beam | 1,)
        Row of ``world_from_sensor`` for each beam; a single row for all beams.
    world_from_sensor : float64 (n_pose, 4, 4)
        Poses of the sensor in the world. [m]
    """

    origin_m: np.ndarray  # these four: see records.RayArrays
    direction: np.ndarray
    fan: np.ndarray
    fan_of_beam: np.ndarray
    range_m: np.ndarray  # float32 (n_ray,)
    instance: np.ndarray  # uint32 (n_ray,)
    primitive: np.ndarray  # uint32 (n_ray,)
    leg_of_ray: np.ndarray  # these three: see legs.LastLegs
    leg_origin_m: np.ndarray
    leg_direction: np.ndarray
    moment: np.ndarray  # uint32 (n_beam | 1,) row of the pose
    world_from_sensor: np.ndarray  # float64 (n_pose, 4, 4) [m]


@njit(cache=True, nogil=True, threads=True)
def rows_on_lanes(
    # Scene:
    areas,  # see area_kernels.AreaArrays
    rows,  # see lanes.rows.RoadRows
    # In:
    met,  # see MetOnRoads
    n_workers,
    # Out:
    primitive_out,  # uint32 (n_ray,) such that RoadRows finds the film's row, if a film was met
):
    """Write the primitive of each hit, so that hits on wet lanes find the material under the film.

    The look-up tables have further rows for surfaces under each lane's film of water. If a ray
    meets such a lane, its primitive is shifted to these rows; otherwise it is copied from ``met``.

    Parameters
    ----------
    areas : AreaArrays
        Lanes with films of water, as triangles in the world.
    rows : RoadRows
        Look-up tables of the materials, with the shift for each film.
    met : MetOnRoads
        The rays of the scan, and the surface that each has met.
    n_workers : int
        Number of threads.
    primitive_out : uint32 (n_ray,)
        Output, all rows: the primitive (triangle) of each hit.
    """
    in_threads(_blocks, n_workers, (new_deal(), areas, rows, met, primitive_out))


@njit(cache=True, nogil=True, error_model="numpy")
def _blocks(deal, areas, rows, met, primitive_out):
    """Process one block after the other; the arguments as for `rows_on_lanes`."""
    areas, rows, met = borrowed(areas), borrowed(rows), borrowed(met)
    primitive_out = borrowed(primitive_out)
    while True:
        first = take_block(deal) * BLOCK
        if first >= len(primitive_out):
            break
        for k in range(first, min(first + BLOCK, len(primitive_out))):
            ray = np.uint64(k)
            shift = np.int64(0)
            if met.instance[ray] != NOTHING:
                row = np.uint64(rows.first_row[met.instance[ray]]) + np.uint64(met.primitive[ray])
                if rows.can_be_wet[rows.material_of_row[row]]:
                    x, y, z = _place(met, ray)
                    film = film_at(areas, x, y, z)
                    shift = rows.shift[film] if film != DRY else shift
            primitive_out[ray] = np.uint32(np.int64(met.primitive[ray]) + shift)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _place(met, ray):
    """Return the place in the world where a ray met a surface; after a mirror, by its last leg."""
    along, start = one_ray(ray, met.origin_m, met.direction, met.fan, met.fan_of_beam)
    leg = met.leg_of_ray[ray] if met.leg_of_ray.shape[0] > 0 else np.int32(STRAIGHT)
    if leg != STRAIGHT:
        ways, starts = met.leg_direction, met.leg_origin_m
        along = (ways[leg, 0], ways[leg, 1], ways[leg, 2])
        start = (starts[leg, 0], starts[leg, 1], starts[leg, 2])
    range_m = float(met.range_m[ray])
    x, y, z = start[0] + range_m * along[0], start[1] + range_m * along[1], (
        start[2] + range_m * along[2]
    )  # fmt: skip
    beam = ray // np.uint64(len(met.range_m) // met.direction.shape[1])
    pose = np.uint64(met.moment[beam if met.moment.shape[0] > 1 else np.uint64(0)])
    of = met.world_from_sensor
    return (
        of[pose, 0, 0] * x + of[pose, 0, 1] * y + of[pose, 0, 2] * z + of[pose, 0, 3],
        of[pose, 1, 0] * x + of[pose, 1, 1] * y + of[pose, 1, 2] * z + of[pose, 1, 3],
        of[pose, 2, 0] * x + of[pose, 2, 1] * y + of[pose, 2, 2] * z + of[pose, 2, 3],
    )
