# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Blind zones: cells of horizontal planes around the vehicle that no beam hits.

A beam sees a cell if it crosses the plane of the cell inside the cell, within the sensor's range
limits, and before it meets the vehicle. Reflectivity plays no part.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_app.coverage.mounted import MountedBeams
    from lidar_app.coverage.outline import VehicleOutline

MOST_CELLS = 1_000_000
"""Greatest number of cells of a plane."""
ALL = "all"
"""Name of all sensors together."""


@dataclass(frozen=True)
class CellGrid:
    """Square cells around a vehicle, along x and y of the vehicle frame.

    Cell (i, j) has its least x and y at (i, j) times `cell_m`; indices may be negative. Arrays of
    cells, (n_x, n_y), begin with the cell `first`.

    Attributes
    ----------
    outline : VehicleOutline
        The vehicle from above.
    cell_m, extent_m : float
        Side of a cell, and least distance that the grid reaches beyond the outline. [m]
    first : (int, int)
        Index (i, j) of the cell with least x and y.
    shape : (int, int)
        Number of cells along x and y: n_x, n_y.
    """

    outline: VehicleOutline
    cell_m: float
    extent_m: float
    first: tuple[int, int]
    shape: tuple[int, int]

    @classmethod
    def around(cls, outline: VehicleOutline, *, cell_m: float, extent_m: float) -> CellGrid:
        """Return the grid that reaches at least `extent_m` beyond a vehicle's outline on all sides.

        Parameters
        ----------
        outline : VehicleOutline
            The vehicle from above.
        cell_m : float
            Side of a cell. [m]
        extent_m : float
            Least distance from the outline to the edges of the grid. [m]

        Raises
        ------
        InputError
            If the grid could have more than `MOST_CELLS` cells: its sides are estimated as those of
            the outline, plus twice the sum of `extent_m` and `cell_m`.
        """
        sides_m = np.subtract(outline.high_m, outline.low_m) + 2.0 * (extent_m + cell_m)
        with np.errstate(over="ignore"):
            n_most = float(np.prod(sides_m / cell_m))
        if not n_most <= MOST_CELLS:
            raise InputError(
                f"--cell: {cell_m:g} m over {extent_m:g} m makes {n_most:.3g} cells around the "
                f"vehicle, expected at most {MOST_CELLS:g}"
            )
        first = tuple(math.floor((low - extent_m) / cell_m) for low in outline.low_m)
        last = tuple(math.ceil((high + extent_m) / cell_m) for high in outline.high_m)
        shape = last[0] - first[0], last[1] - first[1]
        return cls(outline, cell_m, extent_m, (first[0], first[1]), shape)

    @cached_property
    def distance_m(self) -> NDArray[np.float64]:
        """Distance [m] from the outline to the centre of each cell, (n_x, n_y); 0 inside it."""
        x_m, y_m = (
            (np.arange(n) + begin + 0.5) * self.cell_m
            for n, begin in zip(self.shape, self.first, strict=True)
        )
        return self.outline.distance_m(x_m[:, None], y_m)

    @property
    def edges_m(self) -> tuple[float, float, float, float]:
        """Edges of the grid in the vehicle frame [m]: least x, greatest x, least y, greatest y."""
        (i, j), (n_x, n_y), side = self.first, self.shape, self.cell_m
        return i * side, (i + n_x) * side, j * side, (j + n_y) * side

    def counts(self, x_m: NDArray[np.float64], y_m: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how many of some points are in each cell, int64 (n_x, n_y).

        `x_m` and `y_m` have the points in the vehicle frame, float64 (n,) [m]. Points outside of
        the grid are ignored.
        """
        column = np.floor(x_m / self.cell_m).astype(np.int64) - self.first[0]
        row = np.floor(y_m / self.cell_m).astype(np.int64) - self.first[1]
        inside = (column >= 0) & (column < self.shape[0]) & (row >= 0) & (row < self.shape[1])
        flat = column[inside] * self.shape[1] + row[inside]
        return np.bincount(flat, minlength=math.prod(self.shape)).reshape(self.shape)

    def beside(self, within_m: float) -> NDArray[np.bool_]:
        """Return which cells are near the vehicle, but not below it, as a mask, bool (n_x, n_y).

        A cell is True if its centre is outside the outline, and at most `within_m` [m] away from
        it.
        """
        return np.asarray((self.distance_m > 0.0) & (self.distance_m <= within_m))

    def area_m2(self, chosen: NDArray[np.bool_]) -> float:
        """Return the total area [m²] of some cells; `chosen` is a mask of them, bool (n_x, n_y)."""
        return float(np.count_nonzero(chosen)) * self.cell_m**2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlaneCoverage:
    """Points where the beams of sensors meet a horizontal plane.

    Attributes
    ----------
    height_m : float
        Height of the plane above the ground. [m]
    points : int64 (n_sensor, n_x, n_y)
        Number of points of each sensor in each cell of a `CellGrid`.
    nearest_m : float64 (n_sensor + 1, n_direction)
        Distance from the vehicle's outline to the nearest point outside of it, by direction;
        infinite without a point. The last row is for all sensors together. [m]
    """

    height_m: float
    points: NDArray[np.int64]
    nearest_m: NDArray[np.float64]

    def is_blind(self, row: int | None = None) -> NDArray[np.bool_]:
        """Return which cells of the plane have no points, as a mask, bool (n_x, n_y).

        `row` is the row of a sensor in `points`, whose points alone count; None: the points of all
        sensors count.
        """
        points = self.points.sum(axis=0) if row is None else self.points[row]
        return np.asarray(points == 0)


def points_in_plane(beams: MountedBeams, z_m: float) -> tuple[NDArray[np.float64], ...]:
    """Return the points where a sensor's beams meet a horizontal plane.

    Parameters
    ----------
    beams : MountedBeams
        The beams of a sensor.
    z_m : float
        Height of the plane in the vehicle frame. [m]

    Returns
    -------
    (float64 (n,), float64 (n,))
        Two arrays: x and y in the vehicle frame. Only the n beams count that reach the plane
        within the sensor's range limits, and before they meet the vehicle. [m]
    """
    rise_m = z_m - beams.origin_m[:, 2]
    climb = beams.direction[:, 2]
    crosses = rise_m * climb > 0.0
    range_m = np.divide(rise_m, climb, out=np.full(len(climb), np.inf), where=crosses)
    seen = (range_m >= beams.min_range_m) & (range_m <= beams.max_range_m)
    seen &= range_m < beams.hidden_m
    at_m = beams.origin_m[seen] + range_m[seen, None] * beams.direction[seen]
    return at_m[:, 0], at_m[:, 1]


def plane_coverage(
    sensors: Sequence[MountedBeams],
    grid: CellGrid,
    *,
    height_m: float,
    ground_m: float,
    n_directions: int,
) -> PlaneCoverage:
    """Find where beams meet a horizontal plane: count by cell, and the nearest point by direction.

    Points are found by `points_in_plane`. Nearest points are outside the vehicle's outline.

    Parameters
    ----------
    sensors : sequence of MountedBeams
        The beams of each sensor.
    grid : CellGrid
        The cells of the plane.
    height_m : float
        Height of the plane above the ground. [m]
    ground_m : float
        Height of the ground in the vehicle frame. [m]
    n_directions : int
        Number of directions of `PlaneCoverage.nearest_m`, counter-clockwise from forward.
    """
    points, nearest = [], []
    for beams in sensors:
        x_m, y_m = points_in_plane(beams, ground_m + height_m)
        points.append(grid.counts(x_m, y_m))
        nearest.append(_nearest_m(grid.outline, x_m, y_m, n_directions))
    nearest.append(np.min(nearest, axis=0))
    return PlaneCoverage(height_m=height_m, points=np.array(points), nearest_m=np.array(nearest))


def _nearest_m(
    outline: VehicleOutline, x_m: NDArray[np.float64], y_m: NDArray[np.float64], n_directions: int
) -> NDArray[np.float64]:
    """Return the distance of the nearest point outside the vehicle, by direction [m]."""
    distance_m = outline.distance_m(x_m, y_m)
    step_rad = 2.0 * math.pi / n_directions
    direction = np.rint(outline.bearing_rad(x_m, y_m) / step_rad).astype(np.int64) % n_directions
    nearest_m = np.full(n_directions, np.inf)
    beside = distance_m > 0.0
    np.minimum.at(nearest_m, direction[beside], distance_m[beside])
    return nearest_m
