# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Occupancy grids: one inverse sensor model for both clouds, and how well the grids agree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.metrics.histograms import birds_eye_counts
from lidar_gap.metrics.summaries import count, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

OCCUPIED = 0.5
"""A cell above this probability is occupied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Size of an occupancy grid around the sensor.

    Attributes
    ----------
    half_width_m, cell_m : float
        The grid reaches from minus to plus ``half_width_m`` along x and y. [m]
    n_sectors : int
        Number of sectors of the turn, in which beams free the cells that they pass.
    """

    half_width_m: float = 50.0
    cell_m: float = 0.5
    n_sectors: int = 720


@dataclass(frozen=True, slots=True, kw_only=True)
class GridAgreement:
    """How well two occupancy grids agree.

    Trap: a grid hides errors of range below the size of its cells.

    Attributes
    ----------
    overall_error : float
        Mean absolute difference of the probabilities. [1]
    correlation : float
        Baron's cross-correlation: covariance over the product of the standard deviations; NaN for
        a grid of equal cells. [1], -1 to 1
    occupied_ratio : float
        Share of the cells occupied in the real grid that are so in the simulated one, too. [1]

    References
    ----------
    .. [1] A. Schaermann et al., "Validation of vehicle environment sensor models", IEEE
       Intelligent Vehicles Symposium 2017.
    .. [2] T. Collins, J. Collins, C. Ryan, "Occupancy grid mapping: an empirical evaluation",
       Mediterranean Conference on Control and Automation 2007.
    """

    overall_error: float
    correlation: float
    occupied_ratio: float


def occupancy(points_m: NDArray[np.float64], grid: Grid) -> NDArray[np.float64]:
    """Return the probability that a cell is occupied, by counting.

    A point is a hit of its cell. A beam passes a cell if its point lies in the sector of the cell's
    centre, more than half a diagonal of a cell beyond that centre. The probability is
    (hits + 1/2) / (hits + passes + 1): 1/2 where no beam tells. Trap: beams that pass above
    an obstacle free it; take the points of one band of height.

    Parameters
    ----------
    points_m : float64 (n_point, 2 or 3)
        Points in the frame of the sensor, without the ground. [m]
    grid : Grid
        Size of the grid.

    Returns
    -------
    float64 (n_cell, n_cell)
        The first axis is x. [1]

    References
    ----------
    .. [1] D. Haehnel, R. Triebel, W. Burgard, S. Thrun, "Map building with mobile robots in
       dynamic environments", ICRA 2003: counts of hits and passes.
    """
    hits = birds_eye_counts(points_m, half_width_m=grid.half_width_m, cell_m=grid.cell_m)
    passes = _passes(points_m, grid, len(hits))
    return (hits + 0.5) / (hits + passes + 1)


def grid_agreement(real: NDArray[np.float64], sim: NDArray[np.float64]) -> GridAgreement:
    """Compare two occupancy grids of equal size.

    Parameters
    ----------
    real, sim : float64 (n_cell, n_cell)
        Probability that each cell is occupied. [1]
    """
    real_off, sim_off = real - real.mean(), sim - sim.mean()
    spread = math.sqrt(float(np.mean(real_off**2) * np.mean(sim_off**2)))
    occupied = real > OCCUPIED
    return GridAgreement(
        overall_error=float(np.mean(np.abs(real - sim))),
        correlation=share(float(np.mean(real_off * sim_off)), spread),
        occupied_ratio=share(count(occupied & (sim > OCCUPIED)), count(occupied)),
    )


def _passes(points_m: NDArray[np.float64], grid: Grid, n_cells: int) -> NDArray[np.int64]:
    """Count the beams that pass each cell, (n_cell, n_cell)."""
    centre_m = (np.arange(n_cells) + 0.5) * grid.cell_m - grid.half_width_m
    x, y = np.meshgrid(centre_m, centre_m, indexing="ij")
    past_m = np.hypot(x, y) + grid.cell_m / math.sqrt(2)  # beyond any corner of the cell
    range_m = np.hypot(points_m[:, 0], points_m[:, 1])
    # one ascending key for sector and range
    span_m = max(float(past_m.max()), float(range_m.max(initial=0))) + 1
    point_sector = _sector(points_m[:, 0], points_m[:, 1], grid.n_sectors)
    key = np.sort(point_sector * span_m + range_m)
    sector = _sector(x, y, grid.n_sectors)
    end = np.searchsorted(key, (sector + 1) * span_m)
    return np.asarray(end - np.searchsorted(key, sector * span_m + past_m, side="right"))


def _sector(x: NDArray[np.float64], y: NDArray[np.float64], n_sectors: int) -> NDArray[np.int64]:
    """Return the sector of each heading, counter-clockwise from -x."""
    turn = np.arctan2(y, x) / (2 * math.pi) + 0.5
    return np.asarray(np.floor(turn * n_sectors), np.int64) % n_sectors
