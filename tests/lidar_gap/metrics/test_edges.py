# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixed pixels, missing pixels, and holes."""

import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lidar_gap.metrics.edges import beside_edges, edges
from tests.lidar_gap import loops

# few values, so that there are steps, mixed pixels and smooth surfaces
RANGES_M = st.sampled_from([math.nan, 4.0, 4.05, 4.4, 4.6, 5.0, 9.0])


def test_two_walls_without_divergence_have_no_mixed_pixels():
    walls = np.tile(np.repeat([5.0, 8.0], 10), (3, 1))
    found = edges(walls)
    assert found.n_steps == 6  # on either side of the edge, in each ring
    assert (found.mixed, found.missing, found.holes) == (0, 0, 0)


def test_beams_that_meet_both_walls_are_mixed():
    assert edges(np.array([[5.0, 5.0, 6.5, 8.0, 8.0]])).mixed == pytest.approx(1 / 3)
    # within 15 % of the step of 3 m
    assert edges(np.array([[5.0, 5.0, 5.4, 8.0, 8.0]])).mixed == 0


def test_pixel_without_return_at_a_step_is_missing_and_within_a_wall_a_hole():
    nan = math.nan
    found = edges(np.array([[5, 5, nan, 8, 8, nan, 8, 8]]))
    assert (found.n_edges, found.missing) == (1, 1)
    assert (found.n_smooth, found.holes) == (1, 1)
    assert math.isnan(found.mixed)


def test_edge_counts_once_and_a_wide_gap_is_none():
    nan = math.nan
    assert edges(np.array([[5.0, 5, 8, 8, 8]])).n_edges == 1
    assert edges(np.array([[5, nan, nan, nan, 8]])).n_edges == 1
    assert edges(np.array([[5, nan, nan, nan, nan, 8]])).n_edges == 0


@given(hnp.arrays(np.float64, (3, 9), elements=RANGES_M))
def test_edges_are_those_of_a_loop(image):
    found = asdict(edges(image))
    assert found == pytest.approx(loops.edges(image), nan_ok=True)


def test_pixels_that_are_not_kept_are_not_looked_at():
    walls = np.tile(np.repeat([5.0, 8.0], 10), (3, 1))
    kept = np.ones(walls.shape, np.bool_)
    kept[0] = False
    found = edges(walls, kept)
    assert (found.n_steps, found.n_edges) == (4, 2)


@given(hnp.arrays(np.float64, (3, 9), elements=RANGES_M))
def test_pixels_beside_edges_are_those_of_a_loop(image):
    assert beside_edges(image).tolist() == loops.beside_edges(image)


@pytest.mark.parametrize("n_column", [1, 2, 3])
def test_images_narrower_than_an_edge_have_pixels_beside_it_or_none(n_column):
    image = np.array([[5.0, 8.0, 8.0][:n_column]])
    assert beside_edges(image).tolist() == [[n_column > 1] * n_column]
