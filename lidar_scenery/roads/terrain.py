# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The ground below and beside roads: a plane, or a field of heights where the roads rise."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_scenery.roads.meshing import triangles_of
from lidar_scenery.roads.parts import Patch, RoadParts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.roads.polylines import Array

BELOW_ROAD_M = 0.01
"""Depth of the ground below the road. [m]"""
FLAT_M = 0.005
"""Largest difference of height of a world's roads for which they count as flat. [m]"""
CELL_M = 2.0
"""Edge length of a cell of the height field, if there are not too many cells. [m]"""
MOST_CELLS = 160_000
"""Largest number of cells of the height field; larger worlds have larger cells."""
STEP_M = 1.0
"""Distance between the points of the road at which the ground is kept below it. [m]"""
MOST_SAMPLES = 400_000
"""Largest number of these points of the road; larger roads have points farther apart."""
REACH_M = 250.0
"""Reach of the height field beyond the outermost road. [m]"""
LEVEL_AT_M = 200.0
"""Distance from the roads at which the ground is level. [m]"""
OUTER_M = 3000.0
"""Reach of the level ground beyond the field. [m]"""

_SMOOTH_M = 20.0  # the ground is as smooth as this away from roads
_STEEPEST = 1.0  # steeper surfaces give no slope for the ground beside them


class _Grid(NamedTuple):
    origin_m: Array
    cell_m: float
    n: tuple[int, int]
    """Vertices along x and y."""


class Ground(NamedTuple):
    """The ground below and beside the roads of a road world."""

    level_m: float
    """Height of the level ground: far from the roads, or everywhere if the roads are flat. [m]"""
    patch: Patch | None = None
    """All ground as triangles, if it is not level; None if all ground is level."""
    field: tuple[_Grid, Array] | None = None
    """The height field: its grid, and the heights of the grid's vertices, (nx, ny) [m]. None if all
    ground is level."""

    def height_m(self, place_m: Array) -> Array:
        """Return the heights of the ground at n places, float64 (n,) [m].

        ``place_m`` has x and y of the places in the world, float64 (n, 2) [m].
        """
        if self.field is None:
            return np.full(len(place_m), self.level_m)
        grid, height_m = self.field
        cell, place = _cells(grid, place_m)
        within = ((place >= 0.0) & (place <= 1.0)).all(axis=1)
        return np.where(within, _on_cells(height_m, cell, place), self.level_m)

    def buried_m(self, place_m: Array, lowest_m: Array) -> float:
        """Return by how much the deepest of n objects lies below the ground [m].

        It is 0 if no object lies below the ground, or if all ground is level.

        Parameters
        ----------
        place_m : float64 (n, 3)
            Positions of the objects. [m]
        lowest_m : float64 (n,)
            Heights of the objects' lowest points. [m]
        """
        deepest_m = 0.0
        if self.patch is None:
            return deepest_m
        points_m = self.patch.points_m
        for place, low in zip(place_m, lowest_m, strict=True):
            nearest = np.argmin(((points_m[:, :2] - place[:2]) ** 2).sum(axis=1))
            deepest_m = max(deepest_m, float(points_m[nearest, 2] - low))
        return deepest_m


def ground_below(parts: RoadParts) -> Ground | None:
    """Return the ground of a road world, 1 cm below the roads; None without roads.

    ``parts`` (`RoadParts`) has the surfaces of the roads, and the material of the ground. Near a
    road the ground follows the height of the road; where roads cross, of the lower road. Farther
    away it fades into a level plane 1 cm below the lowest road. If all roads lie within `FLAT_M` of
    one height, all ground is level.
    """
    names, points_m, faces, material = triangles_of(parts)
    is_road = np.array([name.startswith("road_") for name in names], np.bool_)
    road_m = points_m[faces[is_road[material]]] if len(faces) else np.empty((0, 3, 3))
    if not len(road_m):
        return None
    lowest_m = float(road_m[:, :, 2].min())
    if float(road_m[:, :, 2].max()) - lowest_m <= FLAT_M:
        return Ground(lowest_m - BELOW_ROAD_M, None)
    grid = _grid(road_m)
    samples_m, slope = _samples(road_m, grid)
    level_m = lowest_m - BELOW_ROAD_M
    height_m = _filled(grid, _heights(grid, samples_m, slope), level_m)
    _lower(grid, height_m, samples_m)
    patch = _patch(grid, height_m, level_m, parts.ground)
    return Ground(level_m, patch, (grid, height_m))


def _grid(road_m: Array) -> _Grid:
    corners = road_m[:, :, :2].reshape(-1, 2)
    low, high = corners.min(axis=0) - REACH_M, corners.max(axis=0) + REACH_M
    size_m = high - low
    cell_m = max(CELL_M, float(np.sqrt(size_m.prod() / MOST_CELLS)))
    nx, ny = (np.ceil(size_m / cell_m) + 1).astype(int).tolist()
    return _Grid(low, cell_m, (nx, ny))


def _counts(sides_m: Array, step_m: float) -> Array:
    """Return the numbers of sample points of n triangles: from the apex out, and across, (2, n)."""
    ends_m = np.stack([sides_m.max(axis=1), sides_m.min(axis=1)])
    return np.maximum(np.ceil(ends_m / step_m), 1.0) + 1.0


def _step_m(sides_m: Array, grid: _Grid) -> float:
    """Return the distance between samples [m], large enough for at most `MOST_SAMPLES`."""
    step_m = min(STEP_M, 0.5 * grid.cell_m)
    reach_m = float(sides_m.max())
    while step_m < reach_m and _counts(sides_m, step_m).prod(axis=0).sum() > MOST_SAMPLES:
        step_m *= 1.5
    return step_m


def _samples(road_m: Array, grid: _Grid) -> tuple[Array, Array]:
    """Return points of the road, a step apart, and the slope of the road there.

    Returns
    -------
    points_m : float64 (n, 3)
    slope : float64 (n, 2)
        Rise along x and along y; 0 where the road is steeper than 45 degrees.
    """
    ways = np.roll(road_m, -1, axis=1) - road_m
    sides_m = np.hypot(ways[:, :, 0], ways[:, :, 1])
    turn = (sides_m.argmin(axis=1) + 2) % 3  # the apex lies opposite to the shortest side
    order = (turn[:, None] + np.arange(3)) % 3
    apex, b, c = np.moveaxis(np.take_along_axis(road_m, order[:, :, None], axis=1), 1, 0)
    n_out, n_across = _counts(sides_m, _step_m(sides_m, grid)).astype(np.int64)
    count = n_out * n_across
    own = np.repeat(np.arange(len(road_m)), count)
    k = np.arange(len(own)) - np.repeat(np.cumsum(count) - count, count)
    out = (k // n_across[own] / (n_out[own] - 1))[:, None]
    across = (k % n_across[own] / (n_across[own] - 1))[:, None]
    base = b[own] + across * (c[own] - b[own])
    normal = np.cross(b - apex, c - apex)
    flat = np.abs(normal[:, 2:]) > np.linalg.norm(normal[:, :2], axis=1, keepdims=True) / _STEEPEST
    slope = np.where(flat, -normal[:, :2] / np.where(flat, normal[:, 2:], 1.0), 0.0)
    return apex[own] + out * (base - apex[own]), slope[own]


def _cells(grid: _Grid, points_m: Array) -> tuple[NDArray[np.int64], Array]:
    """Return the grid cell of each point, and the point's place in the cell, 0 to 1 by axis."""
    place = (points_m[:, :2] - grid.origin_m) / grid.cell_m
    cell = np.floor(place).astype(np.int64).clip(0, np.array(grid.n) - 2)
    return cell, place - cell


def _heights(grid: _Grid, samples_m: Array, slope: Array) -> Array:
    """Return the height [m] of each grid vertex: just below the road near it, else infinite."""
    cell, place = _cells(grid, samples_m)
    height_m = np.full(grid.n, np.inf)
    for i in (0, 1):
        for j in (0, 1):
            way_m = (np.array([i, j]) - place) * grid.cell_m
            z_m = samples_m[:, 2] + (way_m * slope).sum(axis=1) - BELOW_ROAD_M
            np.minimum.at(height_m, (cell[:, 0] + i, cell[:, 1] + j), z_m)
    return height_m


def _filled(grid: _Grid, height_m: Array, level_m: float) -> Array:
    """Return the heights of all vertices: from the nearest road, smoothed and faded to level."""
    from scipy.ndimage import (  # noqa: PLC0415  few runs have hills
        distance_transform_edt,
        gaussian_filter,
    )

    known = np.isfinite(height_m)
    distance, nearest = distance_transform_edt(~known, return_indices=True)
    distance_m = distance * grid.cell_m
    near_m = height_m[tuple(nearest)]
    smooth_m = gaussian_filter(near_m, _SMOOTH_M / grid.cell_m)
    share = np.minimum(distance_m / _SMOOTH_M, 1.0)
    beside_m = (1.0 - share) * near_m + share * smooth_m
    fade = np.clip(1.0 - distance_m / LEVEL_AT_M, 0.0, 1.0)
    fade = fade * fade * (3.0 - 2.0 * fade)
    filled: Array = level_m + fade * (beside_m - level_m)
    return filled


def _lower(grid: _Grid, height_m: Array, samples_m: Array) -> None:
    """Lower the vertices of cells in which the ground would be above the road, in place."""
    cell, place = _cells(grid, samples_m)
    ground_m = _on_cells(height_m, cell, place)
    excess_m = np.zeros((grid.n[0] - 1, grid.n[1] - 1))
    np.maximum.at(excess_m, tuple(cell.T), ground_m - (samples_m[:, 2] - BELOW_ROAD_M))
    lower_m = np.zeros(grid.n)
    for rows in (slice(None, -1), slice(1, None)):
        for columns in (slice(None, -1), slice(1, None)):
            corner = lower_m[rows, columns]
            np.maximum(corner, excess_m, out=corner)
    height_m -= lower_m


def _on_cells(height_m: Array, cell: NDArray[np.int64], place: Array) -> Array:
    """Return the ground's height at places within cells, on the cells' triangles, (n,) [m]."""
    i, j = cell.T
    u, v = place.T
    a, b, c, d = (height_m[i + di, j + dj] for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)))
    ground_m: Array = np.where(u >= v, a + u * (b - a) + v * (c - b), a + u * (c - d) + v * (d - a))
    return ground_m


def _patch(grid: _Grid, height_m: Array, level_m: float, material: str) -> Patch:
    """Return the ground as triangles: the grid, and the level ground around it."""
    nx, ny = grid.n
    i, j = np.meshgrid(np.arange(nx), np.arange(ny), indexing="ij")
    place = grid.origin_m + grid.cell_m * np.stack([i, j], axis=2)
    field_m = np.dstack([place, height_m]).reshape(-1, 3)
    a = (i[:-1, :-1] * ny + j[:-1, :-1]).ravel()
    b, c, d = a + ny, a + ny + 1, a + 1
    faces = np.stack([a, b, c, a, c, d], axis=1).reshape(-1, 3)
    low, high = field_m[0], field_m[-1]
    around = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    inner = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    ring = np.concatenate([inner, inner + OUTER_M * around])
    ring_m = np.column_stack([ring, np.full(8, level_m)])
    k = np.arange(4)
    after = (k + 1) % 4
    sides = np.concatenate(
        [np.stack([k, k + 4, after + 4], axis=1), np.stack([k, after + 4, after], axis=1)]
    )
    return Patch(
        material=material,
        points_m=np.concatenate([field_m, ring_m]),
        triangles=np.concatenate([faces, sides + len(field_m)]),
    )
