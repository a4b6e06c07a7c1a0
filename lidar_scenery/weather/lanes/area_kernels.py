# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels of water by lane: the film at a place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lidar_base.compiled import njit

REACH_M = 2.0
"""Largest height difference between a surface and the lane that it belongs to. An estimate: road
meshes may differ in height from lanes, and the deck of a bridge is 5 m above the lane below. [m]"""
DRY = -1
"""Film index of a place that is not on a lane."""


class AreaArrays(NamedTuple):
    """Triangles of lanes with a film of water, and a grid to find the triangles near a place.

    The grid divides the horizontal plane into cells, row after row: cell ``row * n_column +
    column``. The triangles that reach into cell k are ``triangle[first_of_cell[k]:first_of_cell[k +
    1]]``.

    Attributes
    ----------
    corner_m : float64 (n, 3, 3)
        Corners of n triangles in the world: triangle, corner, x y z. [m]
    film : int64 (n,)
        Index of each triangle's film among the different films; a larger index means more water.
    first_of_cell : int64 (n_column * n_row + 1,)
        First entry of each cell in `triangle`, then the number of entries.
    triangle : int64 (n_entry,)
        Indices into `corner_m` and `film`, cell after cell.
    low_m : float64 (2,)
        x and y of the grid's corner with the lowest x and y. [m]
    n_column, n_row : int
        Number of cells along x and along y.
    cell_m : float
        Edge of a cell. [m]
    """

    corner_m: np.ndarray  # float64 (n, 3, 3) in the world
    film: np.ndarray  # int64 (n,) index of the film; a larger index means more water
    first_of_cell: np.ndarray  # int64 (n_column * n_row + 1,) first entry of each cell in triangle
    triangle: np.ndarray  # int64 (n_entry,) index of a triangle in corner_m, cell after cell
    low_m: np.ndarray  # float64 (2,) x and y of the grid's corner with the lowest x and y
    n_column: int  # number of cells of the grid along x
    n_row: int  # number of cells of the grid along y
    cell_m: float  # edge of a cell


@njit(cache=True, nogil=True)
def films_at(
    # In:
    areas,  # see AreaArrays
    place_m,  # float64 (n, 3) in the world
    # Out:
    film_out,  # int64 (n,) DRY where no lane is
):
    """Write the index of the film at each place into `film_out` (n,).

    `place_m` (n, 3) has places in the world [m]. The index is DRY where no lane of `areas` lies
    within `REACH_M` above or below the place.
    """
    for k in range(len(place_m)):
        film_out[k] = film_at(areas, place_m[k, 0], place_m[k, 1], place_m[k, 2])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def film_at(areas, x, y, z):
    """Return the index of the film at a place x, y, z in the world [m], or DRY.

    The result is DRY if no lane of `areas` is at most `REACH_M` above or below the place. Where
    lanes overlap, the wettest lane's film is returned.
    """
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
    """Return whether a place is at most REACH_M above or below a triangle."""
    ax, ay, az = corner_m[of, 0, 0], corner_m[of, 0, 1], corner_m[of, 0, 2]
    ux, uy, uz = corner_m[of, 1, 0] - ax, corner_m[of, 1, 1] - ay, corner_m[of, 1, 2] - az
    vx, vy, vz = corner_m[of, 2, 0] - ax, corner_m[of, 2, 1] - ay, corner_m[of, 2, 2] - az
    size = ux * vy - uy * vx
    u = ((x - ax) * vy - (y - ay) * vx) / size
    v = ((y - ay) * ux - (x - ax) * uy) / size
    is_within = u >= 0.0 and v >= 0.0 and u + v <= 1.0
    return is_within and abs(z - (az + u * uz + v * vz)) <= REACH_M
