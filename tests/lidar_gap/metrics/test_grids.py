# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Occupancy grids: what beams tell of cells, and agreement."""

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lidar_gap.metrics.grids import Grid, grid_agreement, occupancy
from tests.lidar_gap import loops

SMALL = Grid(half_width_m=4, cell_m=1, n_sectors=16)


def test_beam_frees_its_way_and_occupies_its_end():
    # three beams along the diagonal of the grid, to the cell from 3 to 4 m
    grid = occupancy(np.array([[3.5, 3.5, 0]] * 3), SMALL)
    # the cell's own hits, and in the cell of the sensor three passes
    assert grid[7, 7] == pytest.approx(3.5 / 4)
    assert grid[5, 5] == pytest.approx(0.5 / 4)
    assert grid[0, 3] == 0.5


def test_same_grid_agrees_wholly():
    points = np.random.default_rng(2).uniform(-3, 3, (50, 3))
    grid = occupancy(points, SMALL)
    found = grid_agreement(grid, grid)
    assert (found.overall_error, found.occupied_ratio) == (0, 1)
    assert found.correlation == pytest.approx(1)


@given(st.integers(0, 2**32 - 1))
def test_occupancy_is_that_of_a_loop(seed):
    points = np.random.default_rng(seed).uniform(-6, 6, (12, 3))
    assert occupancy(points, SMALL) == pytest.approx(np.array(loops.occupancy(points, 4, 1, 16)))


@given(hnp.arrays(np.float64, (2, 4, 4), elements=st.floats(0, 1, width=16)))
def test_agreement_is_that_of_a_loop(grids):
    assume(all(np.std(each) > 1e-3 and np.any(each > 0.5) for each in grids))
    found = grid_agreement(*grids)
    assert asdict(found) == pytest.approx(loops.grid_agreement(*grids), abs=1e-9)
