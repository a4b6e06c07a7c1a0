# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of water by lane: which film lies at a place, and what rays meet there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lidar_base.block_kernels import BLOCK, in_threads, new_deal, take_block
from lidar_base.compiled import njit
from lidar_base.memory_kernels import borrowed
from raycore.pattern.fan_kernels import one_ray
from raycore.records import NOTHING
from raycore.trace.legs import STRAIGHT

REACH_M = 2.0
"""Height from a lane within which a surface belongs to it. An estimate: an environment's road may
lie beside the lanes' heights, and a bridge's deck is some 5 m above the next lane. [m]"""
DRY = -1
"""Film of a place on no lane."""


class AreaArrays(NamedTuple):
    """Lanes with a film of water: triangles, and the cells of a grid that they reach into."""

    corner_m: np.ndarray  # float64 (n, 3, 3) in the world
    film: np.ndarray  # int64 (n,) number of the film, more water for a larger number
    first_of_cell: np.ndarray  # int64 (n_column * n_row + 1,)
    triangle: np.ndarray  # int64 (n_entry,) triangles of the cells
    low_m: np.ndarray  # float64 (2,) lowest corner of the grid
    n_column: int
    n_row: int
    cell_m: float


class MetOnRoads(NamedTuple):
    """What rays have met, see `raycore.records` and `raycore.trace.legs`."""

    origin_m: np.ndarray  # these four: see RayArrays
    direction: np.ndarray
    fan: np.ndarray
    fan_of_beam: np.ndarray
    range_m: np.ndarray  # float32 (n_ray,)
    instance: np.ndarray  # uint32 (n_ray,)
    primitive: np.ndarray  # uint32 (n_ray,)
    leg_of_ray: np.ndarray  # these three: see LastLegs
    leg_origin_m: np.ndarray
    leg_direction: np.ndarray
    moment: np.ndarray  # uint32 (n_beam | 1,) row of the pose
    world_from_sensor: np.ndarray  # float64 (n_pose, 4, 4) [m]


class RoadRows(NamedTuple):
    """The rows of a scene's primitives."""

    first_row: np.ndarray  # int64 (n_instance,) where the rows of an instance's mesh start
    material_of_row: np.ndarray  # uint16 (n_row,)
    can_be_wet: np.ndarray  # bool (n_material,)
    shift: np.ndarray  # int64 (n_film,) from a row to that of the same primitive under a film


@njit(cache=True, nogil=True)
def films_at(
    # In:
    areas,  # see AreaArrays
    place_m,  # float64 (n, 3) in the world
    # Out:
    film_out,  # int64 (n,) DRY where no lane is
):
    """Write the number of the film at each place."""
    for k in range(len(place_m)):
        film_out[k] = _film_at(areas, place_m[k, 0], place_m[k, 1], place_m[k, 2])


@njit(cache=True, nogil=True, threads=True)
def rows_on_lanes(
    # Scene:
    areas,  # see AreaArrays
    rows,  # see RoadRows
    # In:
    met,  # see MetOnRoads
    n_workers,
    # Out:
    primitive_out,  # uint32 (n_ray,) of the rows of the films that were met
):
    """Write the primitive of each hit, shifted to the rows of the film that lies there."""
    in_threads(_blocks, n_workers, (new_deal(), areas, rows, met, primitive_out))


@njit(cache=True, nogil=True, error_model="numpy")
def _blocks(deal, areas, rows, met, primitive_out):
    """Do one block after the other; the arguments are those of `rows_on_lanes`."""
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
                    film = _film_at(areas, x, y, z)
                    shift = rows.shift[film] if film != DRY else shift
            primitive_out[ray] = np.uint32(np.int64(met.primitive[ray]) + shift)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _place(met, ray):
    """Return where in the world a ray has met a surface, off a mirror by its last leg."""
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


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _film_at(areas, x, y, z):
    """Return the number of the film at a place, the wettest of several lanes; DRY on none."""
    column = np.floor((x - areas.low_m[0]) / areas.cell_m)
    row = np.floor((y - areas.low_m[1]) / areas.cell_m)
    film = np.int64(DRY)
    if not (0.0 <= column < areas.n_column and 0.0 <= row < areas.n_row):
        return film
    cell = np.int64(row) * areas.n_column + np.int64(column)
    for entry in range(areas.first_of_cell[cell], areas.first_of_cell[cell + 1]):
        of = areas.triangle[entry]
        if areas.film[of] > film and _is_on(areas.corner_m, of, x, y, z):
            film = areas.film[of]
    return film


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _is_on(corner_m, of, x, y, z):
    """Return whether a place is above or below a triangle, by at most REACH_M."""
    ax, ay, az = corner_m[of, 0, 0], corner_m[of, 0, 1], corner_m[of, 0, 2]
    ux, uy, uz = corner_m[of, 1, 0] - ax, corner_m[of, 1, 1] - ay, corner_m[of, 1, 2] - az
    vx, vy, vz = corner_m[of, 2, 0] - ax, corner_m[of, 2, 1] - ay, corner_m[of, 2, 2] - az
    size = ux * vy - uy * vx
    u = ((x - ax) * vy - (y - ay) * vx) / size
    v = ((y - ay) * ux - (x - ax) * uy) / size
    is_within = u >= 0.0 and v >= 0.0 and u + v <= 1.0
    return is_within and abs(z - (az + u * uz + v * vz)) <= REACH_M
