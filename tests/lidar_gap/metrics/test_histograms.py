# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bird's-eye histograms: divergence and discrepancy."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lidar_gap.metrics.histograms import (
    birds_eye_counts,
    jensen_shannon,
    mean_discrepancy_squared,
)
from tests.lidar_gap import loops

COUNTS = hnp.arrays(np.int64, (2, 9), elements=st.integers(0, 50))


def test_disjoint_histograms_are_farthest_apart():
    p, q = np.array([[3, 0], [1, 0]]), np.array([[0, 5], [0, 0]])
    assert jensen_shannon(p, q) == pytest.approx(math.log(2))
    assert jensen_shannon(p, q, root=True) == pytest.approx(0.8326, abs=1e-4)
    assert jensen_shannon(p, q, base=2) == pytest.approx(1)


def test_divergence_of_one_cell_and_two_is_that_computed_by_hand():
    # m = (3/4, 1/4): (log(4/3) + (log(2/3) + log 2) / 2) / 2 = .2158
    assert jensen_shannon(np.array([7, 0]), np.array([4, 4])) == pytest.approx(0.2158, abs=1e-4)


@given(COUNTS, st.sampled_from([2.0, math.e]))
def test_divergence_is_that_of_a_loop(counts, base):
    assume(counts.any(axis=1).all())
    expected = loops.jensen_shannon(*counts.tolist(), base)
    assert jensen_shannon(*counts, base=base) == pytest.approx(expected, abs=1e-9)


def test_divergence_of_an_empty_histogram_is_unknown():
    assert math.isnan(jensen_shannon(np.zeros(4, np.int64), np.ones(4, np.int64)))


def test_discrepancy_of_disjoint_cells_is_that_computed_by_hand():
    # squared distance 2, over 2 sigma² = 1/2: exp(-4)
    found = mean_discrepancy_squared(np.array([[9, 0]]), np.array([[0, 2]]))
    assert found == pytest.approx(2 - 2 * math.exp(-4))


@given(
    hnp.arrays(np.int64, (3, 4), elements=st.integers(0, 9)),
    hnp.arrays(np.int64, (2, 4), elements=st.integers(0, 9)),
)
def test_discrepancy_is_that_of_a_loop(real, sim):
    assume(real.any(axis=1).all() and sim.any(axis=1).all())
    expected = loops.mean_discrepancy_squared(real.tolist(), sim.tolist(), 0.5)
    assert mean_discrepancy_squared(real, sim) == pytest.approx(expected, abs=1e-9)


@given(hnp.arrays(np.float64, (30, 3), elements=st.floats(-4, 4, width=16)))
def test_counts_are_those_of_a_loop(points):
    found = birds_eye_counts(points, half_width_m=3, cell_m=0.5)
    assert found.tolist() == loops.birds_eye_counts(points, 3, 0.5)
